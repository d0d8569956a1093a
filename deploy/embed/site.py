"""A site with the chat inside: it knows its own people and hands the chat a token for whoever is signed in here.

    SIGN_IN=embed FRAME_ANCESTORS=http://localhost:8090 USER_ISSUER=http://localhost:8090 \\
        USER_JWKS_URL=http://localhost:8090/jwks make run
    .venv/bin/python deploy/embed/site.py --chat http://127.0.0.1:7860

Then open http://localhost:8090. The two are different sites to a browser, as they will be for you.
"""

import argparse
import time
import uuid
from html import escape
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException
from fastapi.responses import HTMLResponse
from joserfc import jwt
from joserfc.jwk import OKPKey

PEOPLE = {"olga": ("Olga Kim", "editor"), "pavel": ("Pavel Orlov", "viewer"), "rita": ("Rita Holm", "admin")}
PAGE = Path(__file__).with_name("page.html")


def site(chat: str, own: str) -> FastAPI:
    """The site: `chat` is where Countersign is, `own` the address of this site, which is the issuer of its tokens."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    key = OKPKey.generate_key("Ed25519", {"use": "sig", "alg": "Ed25519", "kid": uuid.uuid4().hex[:8]})

    @app.get("/")
    async def page() -> HTMLResponse:
        return HTMLResponse(PAGE.read_text("utf-8").replace("{{chat}}", escape(chat)))

    @app.get("/jwks")
    async def jwks() -> dict[str, Any]:
        return {"keys": [key.as_dict(private=False)]}

    @app.post("/token/{person}")
    async def token(person: str) -> dict[str, str]:
        """A real site looks at its own session here, not at the address."""
        if person not in PEOPLE:
            raise HTTPException(404)
        name, role = PEOPLE[person]
        now = int(time.time())
        claims = {"iss": own, "aud": "workspace", "sub": person, "iat": now, "exp": now + 600, "name": name}
        header = {"alg": "Ed25519", "typ": "at+jwt", "kid": key.kid}
        return {"token": jwt.encode(header, {**claims, "role": role}, key, algorithms=["Ed25519"])}

    return app


def main() -> None:
    """Serve the site on localhost."""
    parser = argparse.ArgumentParser(description="A site with Countersign inside.")
    parser.add_argument("--chat", default="http://127.0.0.1:7860", help="address of the chat")
    parser.add_argument("--port", type=int, default=8090)
    arguments = parser.parse_args()
    own = f"http://localhost:{arguments.port}"
    print(f"The site is at {own}", flush=True)
    uvicorn.run(site(arguments.chat, own), host="127.0.0.1", port=arguments.port, log_level="warning")


if __name__ == "__main__":
    main()
