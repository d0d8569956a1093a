"""Who signed in, by the id_token of a provider; and every token that does not prove it."""

import hashlib
import json
from base64 import urlsafe_b64encode

import httpx
import pytest
from joserfc.jwk import ECKey, Key, OctKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry, serialize_compact

from agent.identity import JwksUrl
from ui.id_token import IdTokens, KeysUnknown, NotProven, at_hash

ISSUER, CLIENT, NONCE, ACCESS = "https://huggingface.co", "client-1", "nonce-of-this-browser", "hf_oauth_access"
SECRET = "a-secret-of-the-oauth-app-0123456789"
NOW = 1_800_000_000
RSA = RSAKey.generate_key(2048, {"kid": "r1", "use": "sig", "alg": "RS256"})
EC = ECKey.generate_key("P-256", {"kid": "e1"})
ED = OKPKey.generate_key("Ed25519", {"kid": "d1"})
ENCRYPTS = RSAKey.generate_key(2048, {"kid": "enc", "use": "enc"})
STRANGER = RSAKey.generate_key(2048, {"kid": "r1"})
ALGORITHMS = ("RS256", "PS256", "ES256", "Ed25519", "EdDSA")


def token(key: Key = RSA, header: dict | None = None, **claims) -> str:
    """As Hugging Face signs it, but for what the test says; `...` leaves a member out."""
    body = {"iss": ISSUER, "aud": CLIENT, "sub": "u-1", "nonce": NONCE, "iat": NOW, "exp": NOW + 3600, **claims}
    head = {"alg": "RS256", "typ": "JWT", "kid": "r1", **(header or {})}
    told, said = ({name: value for name, value in part.items() if value is not ...} for part in (body, head))
    registry = JWSRegistry(algorithms=[said["alg"]], strict_check_header=False)
    return serialize_compact(said, json.dumps(told), key, registry=registry)


def unsigned(algorithm: str, signature: str) -> str:
    head = urlsafe_b64encode(json.dumps({"alg": algorithm, "kid": "r1"}).encode()).rstrip(b"=").decode()
    return ".".join([head, token().split(".")[1], signature])


def free(key: RSAKey) -> RSAKey:
    """The same key for a signer that does not care what it is published for."""
    return RSAKey.import_key(
        {name: part for name, part in key.as_dict(private=True).items() if name not in ("use", "alg")}
    )


class Provider:
    """A JWKS over HTTP, and what asks it."""

    def __init__(self, *keys: Key):
        self.keys, self.reads, self.status, self.now = list(keys), 0, 200, 1000.0
        self.client = httpx.AsyncClient(transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.reads += 1
        return httpx.Response(self.status, json={"keys": [key.as_dict(private=False) for key in self.keys]})

    def tokens(self, algorithms=ALGORITHMS) -> IdTokens:
        keys = JwksUrl(f"{ISSUER}/oauth/jwks", self.client, lambda: self.now)
        return IdTokens(
            keys, issuer=ISSUER, client_id=CLIENT, algorithms=algorithms, secret=SECRET, clock=lambda: float(NOW)
        )


@pytest.fixture
def tokens() -> IdTokens:
    return Provider(RSA, EC, ED, ENCRYPTS).tokens()


async def reason(tokens: IdTokens, compact: str) -> str:
    with pytest.raises(NotProven) as caught:
        await tokens.subject(compact, NONCE, ACCESS)
    return str(caught.value)


@pytest.mark.parametrize(
    ("key", "header"),
    [
        (RSA, {}),
        (RSA, {"typ": ...}),
        (RSA, {"x5t": "a-thumbprint"}),
        (EC, {"alg": "ES256", "kid": "e1"}),
        (ED, {"alg": "Ed25519", "kid": "d1"}),
    ],
)
async def test_a_sound_token_names_the_person(tokens, key, header):
    assert await tokens.subject(token(key, header), NONCE, ACCESS) == "u-1"


@pytest.mark.filterwarnings("ignore:EdDSA is deprecated")
async def test_the_older_name_of_ed25519_is_understood(tokens):
    assert await tokens.subject(token(ED, {"alg": "EdDSA", "kid": "d1"}), NONCE, ACCESS) == "u-1"


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": [CLIENT]},
        {"aud": [CLIENT, "another"], "azp": CLIENT},
        {"azp": CLIENT},
        {"exp": NOW - 20},
        {"iat": NOW + 20},
        {"iat": NOW - 500},
        {"nbf": NOW},
        {"at_hash": at_hash(ACCESS, "RS256")},
        {"amr": ["pwd"], "name": "Olga", "preferred_username": "olga"},
    ],
    ids=str,
)
async def test_what_is_allowed_is_taken(tokens, claims):
    assert await tokens.subject(token(**claims), NONCE, ACCESS) == "u-1"


FORGED = {
    "iss": ["https://evil.example", f"{ISSUER}/", None, ..., 7],
    "aud": ["another", [], ["another"], CLIENT + "x", CLIENT[:-1], None, ..., {CLIENT: 1}],
    "azp": ["another", None, "", 7],
    "exp": [NOW - 31, 0, str(NOW + 600), None, ..., True, float("inf"), float("nan"), -1],
    "iat": [NOW + 31, NOW - 700, 0, str(NOW), None, ..., True, 10**30],
    "nbf": [NOW + 31, "soon", None],
    "nonce": ["of another browser", "", None, ..., 7, [NONCE], "\ud800"],
    "at_hash": [at_hash("another", "RS256"), "", None, 7, at_hash(ACCESS, "RS256")[:-1]],
    "sub": ["", None, ..., 7, ["u-1"]],
}


@pytest.mark.parametrize(
    ("claim", "value"), [(claim, value) for claim, values in FORGED.items() for value in values], ids=str
)
async def test_a_claim_that_is_not_ours_is_refused_by_its_name(tokens, claim, value):
    assert f"({claim})" in await reason(tokens, token(**{claim: value}))


async def test_a_token_for_several_must_say_that_it_was_given_to_us(tokens):
    assert "(azp)" in await reason(tokens, token(aud=[CLIENT, "another"]))


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE"])
@pytest.mark.parametrize("signature", ["", "AAAA"])
async def test_an_unsigned_token_proves_nothing(algorithm, signature):
    listed = Provider(RSA).tokens((*ALGORITHMS, algorithm))
    assert await reason(listed, unsigned(algorithm, signature)) != ""


@pytest.mark.parametrize("secret", [SECRET, RSA.as_pem(private=False).decode()], ids=["secret", "public key"])
async def test_a_secret_signs_nothing_where_it_is_not_listed(tokens, secret):
    forged = token(OctKey.import_key(urlsafe_b64encode(secret.encode()).decode()), {"alg": "HS256"})
    assert "OPENID_ALGORITHMS" in await reason(tokens, forged)


async def test_a_listed_secret_is_the_clients_and_never_a_published_key():
    published = OctKey.import_key("a-key-that-the-provider-publishes-by-mistake", {"kid": "o1"})
    tokens = Provider(RSA, published).tokens(("HS256",))
    assert await tokens.subject(token(OctKey.import_key(SECRET), {"alg": "HS256", "kid": ...}), NONCE, ACCESS) == "u-1"
    modulus = OctKey.import_key(str(RSA.as_dict(private=False)["n"]), {"kid": "r1"})
    for forger in (published, modulus):
        assert "signature" in await reason(tokens, token(forger, {"alg": "HS256", "kid": forger.kid}))
    assert "OPENID_ALGORITHMS" in await reason(tokens, token())


async def test_a_signature_of_somebody_else_is_refused(tokens):
    assert "signature" in await reason(tokens, token(STRANGER))


async def test_a_body_that_was_changed_is_refused(tokens):
    head, body, signature = token().split(".")
    other = token(sub="u-2").split(".")[1]
    assert body != other
    assert "signature" in await reason(tokens, f"{head}.{other}.{signature}")


@pytest.mark.parametrize(
    ("key", "header"),
    [(free(ENCRYPTS), {"kid": "enc"}), (free(RSA), {"alg": "PS256"}), (EC, {"alg": "ES256", "kid": "r1"})],
    ids=["encrypts", "of another algorithm", "of another kind"],
)
async def test_a_key_is_used_for_what_it_is_published_for(tokens, key, header):
    assert "published for something else" in await reason(tokens, token(key, header))


@pytest.mark.parametrize(
    "header",
    [{"typ": "at+jwt"}, {"typ": "logout+jwt"}, {"typ": []}, {"jku": f"{ISSUER}/other"}, {"crit": ["x"]}],
    ids=str,
)
async def test_a_token_of_another_kind_or_with_rules_of_its_own_is_refused(tokens, header):
    forged = token()
    head = {"alg": "RS256", "typ": "JWT", "kid": "r1", **header}
    encoded = urlsafe_b64encode(json.dumps(head).encode()).rstrip(b"=").decode()
    assert "header" in await reason(tokens, f"{encoded}.{forged.partition('.')[2]}")


@pytest.mark.parametrize("garbage", ["", "a.b", "a.b.c", "a.b.c.d.e", "x" * 40_000, "🗝.🗝.🗝"], ids=lambda t: t[:12])
async def test_what_is_no_token_is_refused(tokens, garbage):
    assert "not a signed token" in await reason(tokens, garbage)


async def test_a_new_key_is_found_and_floods_ask_once():
    provider = Provider(RSA)
    tokens = provider.tokens()
    await tokens.subject(token(), NONCE, ACCESS)
    provider.keys.append(EC)
    rotated = token(EC, {"alg": "ES256", "kid": "e1"})
    assert "does not publish" in await reason(tokens, rotated)
    provider.now += 61
    for number in range(50):
        await reason(tokens, token(STRANGER, {"kid": f"k{number}"}))
    assert await tokens.subject(rotated, NONCE, ACCESS) == "u-1"
    assert provider.reads == 2


async def test_without_keys_nothing_is_said_of_the_token():
    provider = Provider(RSA)
    provider.status = 503
    with pytest.raises(KeysUnknown):
        await provider.tokens().subject(token(), NONCE, ACCESS)


@pytest.mark.parametrize(
    ("algorithm", "hashed"), [("RS256", "sha256"), ("ES384", "sha384"), ("PS512", "sha512"), ("Ed25519", "sha512")]
)
def test_the_hash_of_an_access_token_goes_by_the_signature(algorithm, hashed):
    digest = hashlib.new(hashed, ACCESS.encode()).digest()
    assert at_hash(ACCESS, algorithm) == urlsafe_b64encode(digest[: len(digest) // 2]).decode().rstrip("=")


def test_the_example_of_the_specification_holds():
    assert at_hash("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", "RS256") == "77QmUPtjPfzWtF2AnpK9RQ"
