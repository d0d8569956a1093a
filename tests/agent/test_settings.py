from pathlib import Path

import pytest

from agent.settings import ConfigError, Settings, load_settings, settings_page

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)


def test_the_documented_settings_are_the_settings():
    assert (DOCS / "configuration.md").read_text("utf-8") == settings_page()


def test_nothing_set_is_the_demo():
    settings = load_settings()
    assert settings.demo_model
    assert settings.sign_in == "demo"
    assert settings.database_url is None


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"PORT": "99999"}, "PORT"),
        ({"OPENAI_API_KEY": "k"}, "MODEL must name the model"),
        ({"BACKEND_URL": "http://127.0.0.1:1"}, "OPENAPI_URL"),
        ({"PRODUCTION": "true"}, "APP_SECRETS"),
        ({"PRODUCTION": "true", "APP_SECRETS": "k1:abc"}, "SIGN_IN=demo"),
        ({"OPENAI_API": "other"}, "OPENAI_API"),
        (
            {"SIGN_IN": "demo", "BACKEND_URL": "http://127.0.0.1:1", "OPENAPI_URL": "http://127.0.0.1:1/openapi.json"},
            "embedded backend",
        ),
    ],
)
def test_a_wrong_setting_is_one_clear_line(monkeypatch, env, says):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=says) as caught:
        load_settings()
    assert "\n" not in str(caught.value)


def test_lists_are_comma_separated(monkeypatch):
    monkeypatch.setenv("FRAME_ANCESTORS", "https://a.example, https://b.example")
    assert load_settings().frame_ancestors == ["https://a.example", "https://b.example"]


def test_secrets_do_not_show(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    monkeypatch.setenv("MODEL", "m")
    assert "canary" not in repr(load_settings())
