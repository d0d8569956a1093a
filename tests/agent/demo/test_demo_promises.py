"""What the first screen and the sign-in page promise is what the workspace and its tools do."""

from typing import Any

import pytest

from tests.backend.world import World
from tools.catalogue import WORKSPACE
from tools.toolset import Effect
from ui.strings import strings

DRY = {"dry_run": "true"}
PROD_DELETE = ("DELETE", "/dashboards/88", None)
TO_PROD = ("POST", "/migrations", {"source": "dev", "target": "prod", "dashboard_ids": [77]})
RESTORE = ("POST", "/backups/bk-551/restore", {})
ROLE = ("PUT", "/users/p.nair/roles/editor", None)


@pytest.mark.parametrize(
    ("who", "call", "allowed"),
    [
        ("vera", PROD_DELETE, False),
        ("ilya", PROD_DELETE, True),
        ("ilya", TO_PROD, False),
        ("ilya", RESTORE, False),
        ("ilya", ROLE, False),
        ("anna", PROD_DELETE, True),
        ("anna", TO_PROD, True),
        ("anna", RESTORE, True),
        ("anna", ROLE, True),
    ],
)
async def test_the_roles_may_do_what_the_sign_in_page_says(world: World, who: str, call: Any, allowed: bool) -> None:
    method, path, body = call
    answer = await world.call(who, method, path, json=body, params=DRY)
    assert (answer.status_code != 403) == allowed, answer.text


def test_the_words_about_an_editor_say_both_sides() -> None:
    en, ru = (strings()["role.editor.can"][lang] for lang in ("en", "ru"))
    assert "deletion of dashboards, in production too" in en
    assert "удаление дашбордов, в том числе в production" in ru
    assert "Cannot migrate to production, restore or give roles" in en
    assert "Не может переносить в production, восстанавливать и выдавать роли" in ru


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_first_screen_promises_a_card_only_for_what_is_dangerous(lang: str) -> None:
    told = strings()["welcome.text"][lang]
    assert strings()["review.label"][lang] in told
    assert {"en": "Other changes run at once", "ru": "Остальные изменения выполняю сразу"}[lang] in told
    ordinary = {spec.name for spec in WORKSPACE if spec.effect is Effect.WRITE}
    assert {"update_dashboard", "create_dashboard"} <= ordinary
