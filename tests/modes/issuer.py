"""An identity provider of our own, over HTTP: OpenID discovery, code with PKCE, id_token, userinfo, and a JWK set."""

import base64
import hashlib
import secrets
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import uvicorn
from fastapi import FastAPI, Form, Header, Request
from fastapi.responses import JSONResponse, RedirectResponse
from joserfc import jwt
from joserfc.jwk import OKPKey, RSAKey

from ui.id_token import at_hash

CLIENT_ID, CLIENT_SECRET = "countersign-test", "a-secret-of-the-oauth-app-0123456789"


@dataclass
class Issuer:
    """`person` is who signs in next. `asked` counts requests by path; `faults` makes answers wrong by name.

    `claims` replace those of the next id_token, and `...` leaves one out; `signer` signs it, published or not.
    """

    url: str = ""
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "u-1", "preferred_username": "olga", "name": "Olga"})
    asked: list[str] = field(default_factory=list)
    faults: set[str] = field(default_factory=set)
    key: OKPKey = field(default_factory=lambda: OKPKey.generate_key("Ed25519", {"use": "sig", "kid": "i1"}))
    rsa: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256", "kid": "r1"}))
    signer: RSAKey | None = None
    claims: dict[str, Any] = field(default_factory=dict)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    tokens: dict[str, dict[str, Any]] = field(default_factory=dict)

    def jwt(self, subject: str = "olga", *, seconds: int = 600, **claims: Any) -> str:
        """An access token of a person, as an application around the chat would hand it over."""
        now = int(time.time())
        body = {"iss": self.url, "aud": "workspace", "sub": subject, "iat": now, "exp": now + seconds}
        body |= {"jti": uuid.uuid4().hex, "name": subject.title(), "role": "editor", **claims}
        header = {"alg": "Ed25519", "typ": "at+jwt", "kid": "i1"}
        return jwt.encode(header, body, self.key, algorithms=["Ed25519"])

    def id_token(self, nonce: str, access_token: str) -> str:
        """The id_token of the one who signs in, as Hugging Face makes them: RS256, by a key of the set."""
        now = int(time.time())
        body = {"iss": self.url, "aud": CLIENT_ID, "sub": self.person.get("sub"), "iat": now, "exp": now + 3600}
        body |= {"nonce": nonce, "at_hash": at_hash(access_token, "RS256"), **self.claims}
        told = {name: value for name, value in body.items() if value is not ...}
        return jwt.encode({"alg": "RS256", "typ": "JWT", "kid": "r1"}, told, self.signer or self.rsa, ["RS256"])

    def app(self) -> FastAPI:
        """The provider as an ASGI application."""
        app = FastAPI()

        @app.middleware("http")
        async def note(request: Request, call_next):
            self.asked.append(request.url.path)
            return await call_next(request)

        @app.get("/.well-known/openid-configuration")
        async def discovery() -> dict[str, Any]:
            places = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
            found: dict[str, Any] = {f"{name}_endpoint": f"{self.url}/{path}" for name, path in places.items()}
            found |= {"jwks_uri": f"{self.url}/jwks", "id_token_signing_alg_values_supported": ["RS256"]}
            return {"issuer": "https://evil.example" if "issuer" in self.faults else self.url, **found}

        @app.get("/jwks")
        async def jwks() -> dict[str, Any]:
            return {"keys": [key.as_dict(private=False) for key in (self.key, self.rsa)]}

        @app.get("/authorize")
        async def authorize(request: Request) -> RedirectResponse:
            asked = dict(request.query_params)
            assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT_ID)
            code = secrets.token_urlsafe(16)
            self.codes[code] = asked
            state = "forged" if "state" in self.faults else asked["state"]
            return RedirectResponse(f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': state})}", 303)

        @app.post("/token")
        async def token(
            request: Request, code: str = Form(), code_verifier: str = Form(), redirect_uri: str = Form()
        ) -> JSONResponse:
            asked = self.codes.pop(code, None)
            challenge = base64.urlsafe_b64encode(hashlib.sha256(code_verifier.encode()).digest()).rstrip(b"=").decode()
            basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
            known = request.headers.get("authorization") == f"Basic {basic}"
            if not asked or (asked["code_challenge"], asked["redirect_uri"]) != (challenge, redirect_uri) or not known:
                return JSONResponse({"error": "invalid_grant"}, 400)
            access = secrets.token_urlsafe(24)
            self.tokens[access] = dict(self.person)
            answer = {"access_token": access, "token_type": "Bearer"}
            if "id_token" not in self.faults:
                answer["id_token"] = self.id_token(asked["nonce"], access)
            return JSONResponse(answer)

        @app.get("/userinfo")
        async def userinfo(authorization: str = Header("")) -> JSONResponse:
            person = self.tokens.get(authorization.removeprefix("Bearer "))
            if "userinfo" in self.faults:
                return JSONResponse([], 200)
            return JSONResponse(person or {"error": "invalid_token"}, 200 if person else 401)

        return app


@contextmanager
def issuer() -> Iterator[Issuer]:
    """The provider on an ephemeral port, in a thread."""
    made = Issuer()
    server = uvicorn.Server(uvicorn.Config(made.app(), host="127.0.0.1", port=0, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    made.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        server.should_exit = True
        thread.join(5)
