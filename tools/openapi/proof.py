"""What proves the agent itself to a backend, by the name of the way."""

from tools.credentials import Credentials, Signed
from tools.identity import ServiceIdentity
from tools.openapi.security import Basic, Bearer, PasswordGrant, api_key


def proof_of(
    way: str, agent: ServiceIdentity, secret: str, *, key_place: str, token_url: str | None
) -> tuple[Credentials, ...]:
    """The proof of a way: none, signed, bearer, api_key, basic or oauth2_password.

    `secret` is the token or the key, or "user:password". Raises `ValueError` for a place or an address that is none.
    """
    user, _, password = secret.partition(":")
    match way:
        case "none":
            return ()
        case "signed":
            return (Signed(agent),)
        case "bearer":
            return (Bearer(secret),)
        case "api_key":
            return (api_key(secret, key_place),)
        case "basic":
            return (Basic(user, password),)
        case "oauth2_password":
            return (PasswordGrant(token_url or "", user, password),)
    raise ValueError(f"there is no way {way!r} to prove the agent")
