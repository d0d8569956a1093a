"""How settings become what the agent shows to a backend."""

import pytest
from joserfc.jwk import OKPKey

from agent.parts import agent_proof
from agent.settings import ConfigError, load_settings
from tests.tools.calls import make_call
from tools.credentials import Together
from tools.identity import ServiceIdentity

OWN = {"backend_url": "http://127.0.0.1:1", "openapi_url": "openapi.json", "sign_in": "demo"}


async def headers(**settings):
    agent = ServiceIdentity(OKPKey.generate_key("Ed25519"))
    proof = await Together(*agent_proof(load_settings(**OWN, **settings), agent)).proof(make_call())
    return {**proof.headers, **{f"?{name}": value for name, value in proof.query.items()}}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"service_auth": "none"}, {}),
        ({"user_jwt_header": "Authorization"}, {}),
        ({"service_auth": "bearer", "service_credentials": "t"}, {"Authorization": "Bearer t"}),
        ({"service_auth": "basic", "service_credentials": "a:b:c"}, {"Authorization": "Basic YTpiOmM="}),
        ({"service_auth": "api_key", "service_credentials": "k"}, {"X-API-Key": "k"}),
        (
            {"service_auth": "api_key", "service_credentials": "k", "service_key_place": "query:key"},
            {"?key": "k"},
        ),
    ],
)
async def test_each_way_to_prove_the_agent(settings, expected):
    assert await headers(**settings) == expected


async def test_a_signed_token_is_the_default():
    assert (await headers())["Authorization"].count(".") == 2


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"service_auth": "bearer"}, "needs SERVICE_CREDENTIALS"),
        ({"service_auth": "basic", "service_credentials": "alone"}, "user:password"),
        ({"service_auth": "oauth2_password", "service_credentials": "a:b"}, "SERVICE_TOKEN_URL"),
        ({"service_auth": "signed", "user_jwt_header": "authorization"}, "none or api_key"),
        ({"service_key_place": "body:x"}, "SERVICE_KEY_PLACE"),
        ({"backend_headers": "x"}, "BACKEND_HEADERS"),
    ],
)
def test_settings_that_do_not_fit_are_one_line(settings, says):
    with pytest.raises(ConfigError, match=says) as caught:
        load_settings(**OWN, **settings)
    assert "\n" not in str(caught.value)


def test_secrets_do_not_show():
    settings = load_settings(
        **OWN, service_auth="bearer", service_credentials="canary", backend_headers={"X-A": "canary"}
    )
    assert "canary" not in repr(settings)
