"""The page on top of scripted turns: everything real except the agent, the tokens and the session table."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from agent.identity import Principal, Unauthenticated
from agent.keys import KeyRing, new_secrets
from store.sessions import Session
from tests.ui.fake_turns import FakeTurns
from tools.toolset import Role
from ui.app import build_app
from ui.options import DemoPerson, Example, PageOptions, Services, WritableTool, WrongPassword
from ui.sessions import Sessions

PEOPLE = [
    DemoPerson("vera", "v", {"en": "Vera Lindqvist", "ru": "Вера Линдквист"}, "viewer"),
    DemoPerson("ilya", "i", {"en": "Ilya Sorokin", "ru": "Илья Сорокин"}, "editor"),
    DemoPerson("anna", "a", {"en": "Anna Petrova", "ru": "Анна Петрова"}, "admin"),
]
NAMES = {person.username: person for person in PEOPLE}


class Tokens:
    """Gives out and verifies tokens that look like JWTs and are not."""

    async def token(self, username: str, password: str) -> str:
        if username not in NAMES or NAMES[username].password != password:
            raise WrongPassword
        return f"eyJ.{username}.x"

    async def verify(self, token: str) -> Principal:
        name = token.split(".")[1] if token.startswith("eyJ.") else ""
        if name not in NAMES:
            raise Unauthenticated("signature")
        person = NAMES[name]
        until = datetime.now(UTC) + timedelta(hours=1)
        return Principal("default", f"test|{name}", person.name["en"], Role(person.role), token, until)


@dataclass
class Rows:
    """The session table, in memory."""

    rows: dict[bytes, Session] = field(default_factory=dict)

    async def put(self, row: Session) -> None:
        self.rows[row.handle_sha256] = row

    async def get(self, handle_sha256: bytes) -> Session | None:
        return self.rows.get(handle_sha256)

    async def remove(self, handle_sha256: bytes) -> None:
        self.rows.pop(handle_sha256, None)


EXAMPLES = [
    Example({"en": "Show tools at work", "ru": "Покажи tools за работой"}),
    Example({"en": "Delete sales_q2", "ru": "delete sales_q2"}, sign=True),
]
TOOLS = [WritableTool("update_dashboard", {"en": "Change a dashboard", "ru": "Изменить дашборд"})]
OPTIONS = PageOptions(
    demo_people=PEOPLE, examples=EXAMPLES, writable_tools=TOOLS
)  # fmt: skip


@dataclass
class House:
    """The app and what is behind it."""

    options: PageOptions = OPTIONS
    turns: FakeTurns = field(default_factory=FakeTurns)
    rows: Rows = field(default_factory=Rows)
    ready: dict[str, bool] = field(default_factory=lambda: {"database": True})

    def app(self):
        tokens = Tokens()

        async def ready() -> dict[str, bool]:
            return self.ready

        sessions = Sessions(self.rows, KeyRing(new_secrets()))
        return build_app(Services(self.turns, sessions, tokens, tokens, ready), self.options)
