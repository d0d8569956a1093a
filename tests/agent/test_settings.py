from pathlib import Path

import pytest

from agent.settings import ConfigError, Settings, load_settings, settings_page

ISSUER = {"USER_ISSUER": "https://id.example", "USER_JWKS_URL": "https://id.example/jwks"}
OAUTH = {"OAUTH_CLIENT_ID": "x", "OAUTH_CLIENT_SECRET": "y"}
DOCS = Path(__file__).parents[2] / "docs"

OWN = {"BACKEND_URL": "http://127.0.0.1:1", "OPENAPI_URL": "http://127.0.0.1:1/openapi.json"}


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
        ({"PRICE_INPUT": "2.5"}, "PRICE_OUTPUT go together"),
        ({"PRICE_CACHED": "1", "PRICE_OUTPUT": "2.5"}, "PRICE_OUTPUT go together"),
        ({"PRICE_INPUT": "inf", "PRICE_OUTPUT": "1"}, "PRICE_INPUT: .* finite"),
        ({"PRICE_INPUT": "2,5"}, "PRICE_INPUT: .* number"),
        ({"RUN_TIMEOUT": "inf"}, "RUN_TIMEOUT: .* finite"),
        ({"RUN_TIMEOUT": "nan"}, "RUN_TIMEOUT"),
        ({"SIGN_IN": "header"}, "PROXY_SECRET"),
        ({"SIGN_IN": "header", "PROXY_SECRET": "short"}, "at least 32"),
        ({"SIGN_IN": "header", "PROXY_TOKEN_HEADER": "X"}, "USER_ISSUER and USER_JWKS_URL"),
        ({"SIGN_IN": "hf"}, "OAUTH_CLIENT_ID"),
        ({"SIGN_IN": "hf", "OAUTH_CLIENT_ID": "x"}, "OAUTH_CLIENT_SECRET"),
        ({"SIGN_IN": "hf", **OAUTH, "OPENID_ALGORITHMS": "none"}, "OPENID_ALGORITHMS may list"),
        ({"SIGN_IN": "hf", **OAUTH, "OPENID_ALGORITHMS": ""}, "OPENID_ALGORITHMS may list"),
        ({"SIGN_IN": "hf", **OAUTH, "OPENID_ALGORITHMS": "RS256,HS256"}, "OAUTH_CLIENT_SECRET: .* at least 32"),
        ({"SIGN_IN": "embed"}, "USER_ISSUER and USER_JWKS_URL"),
        ({"SIGN_IN": "embed", **ISSUER}, "FRAME_ANCESTORS"),
        ({"SIGN_IN": "embed", **ISSUER, "FRAME_ANCESTORS": "https://*.example.com"}, "exact origins"),
        ({"SIGN_IN": "embed", **ISSUER, "FRAME_ANCESTORS": "https://a.example/x"}, "exact origins"),
        ({"PERSON_ROLES": '{"anna": "root"}'}, "PERSON_ROLES"),
        ({"SIGN_IN": "hf", **OAUTH, "BACKEND_URL": "http://b", "OPENAPI_URL": "http://b/x"}, "PUBLIC_URL"),
        (OWN, "needs TOKEN_URL, .* SIGN_IN=demo"),
        ({**OWN, "TOKEN_URL": "http://127.0.0.1:1/login"}, "needs USER_ISSUER"),
        ({**OWN, "SIGN_IN": "demo", "HOST": "0.0.0.0"}, "this machine alone"),
        ({**OWN, "SIGN_IN": "demo", "PUBLIC_URL": "https://chat.example.com"}, "this machine alone"),
        ({**OWN, "SIGN_IN": "demo", "PRODUCTION": "true", "APP_SECRETS": "k1:abc"}, "refuses SIGN_IN=demo"),
    ],
)
def test_a_wrong_setting_is_one_clear_line(monkeypatch, env, says):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=says) as caught:
        load_settings()
    assert "\n" not in str(caught.value)


def test_a_backend_of_ones_own_can_be_tried_alone_on_this_machine():
    settings = load_settings(
        backend_url="http://127.0.0.1:1", openapi_url="http://127.0.0.1:1/openapi.json", sign_in="demo"
    )
    assert (settings.makes_tokens, settings.own_issuer) == (True, "countersign")
    assert not load_settings().makes_tokens


def test_lists_are_comma_separated(monkeypatch):
    monkeypatch.setenv("FRAME_ANCESTORS", "https://a.example, https://b.example")
    assert load_settings().frame_ancestors == ["https://a.example", "https://b.example"]


def test_secrets_do_not_show(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    monkeypatch.setenv("MODEL", "m")
    assert "canary" not in repr(load_settings())


def test_a_space_knows_its_own_address(monkeypatch):
    monkeypatch.setenv("SPACE_HOST", "someone-countersign.hf.space")
    assert load_settings().public_url == "https://someone-countersign.hf.space"
    monkeypatch.setenv("PUBLIC_URL", "https://chat.example.com")
    assert load_settings().public_url == "https://chat.example.com"


@pytest.mark.parametrize(
    ("env", "any_name"),
    [
        ({}, False),
        ({"HOST": "localhost"}, False),
        ({"HOST": "0.0.0.0"}, True),
        ({"PUBLIC_URL": "https://chat.example.com"}, True),
        ({"SIGN_IN": "header", "PROXY_SECRET": "p" * 40}, True),
    ],
)
def test_a_demo_for_this_machine_alone_answers_to_its_own_names(monkeypatch, env, any_name):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    hosts = load_settings().hosts
    assert (hosts == ["*"]) is any_name
    assert any_name or {"127.0.0.1", "localhost"} < set(hosts)


def test_names_that_are_told_count_for_a_demo_too(monkeypatch):
    monkeypatch.setenv("ALLOWED_HOSTS", "box.lan, other.lan")
    assert load_settings().hosts == ["box.lan", "other.lan"]
