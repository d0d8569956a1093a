"""The one page of settings. Each is an environment variable of the same name; `docs/configuration.md` lists them."""

import json
import re
from pathlib import Path
from typing import Annotated, Literal, Self

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from agent.shared_secret import check_secret
from tools.toolset import Role

ServiceAuth = Literal["signed", "none", "bearer", "api_key", "basic", "oauth2_password"]
SignIn = Literal["demo", "password", "header", "embed", "hf"]
ORIGIN = re.compile(r"https?://[\w.-]+(:\d+)?")
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
OWN_NAMES = ["127.0.0.1", "localhost", "*.localhost", "[::1]"]
SIGNATURES = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA"}
)
SECRET_SIGNATURES = frozenset({"HS256"})
Names = Annotated[list[str], NoDecode]


class ConfigError(Exception):
    """A setting is wrong; the text is one line that says which and what to do."""


def revealed(secret: SecretStr | None) -> str:
    """The words of a secret, empty where it is not set."""
    return secret.get_secret_value() if secret else ""


class Settings(BaseSettings):
    """Everything an operator may set. Unset values give the demo: embedded database, embedded backend, demo model."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", case_sensitive=False, allow_inf_nan=False)

    # Where it runs
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(7860, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    data_dir: Path = Field(Path("data"), description="Folder for the embedded database, keys and caches.")
    public_url: str | None = Field(None, description="Address people use, e.g. https://chat.example.com.")
    production: bool = Field(False, description="Refuse demo defaults: needs APP_SECRETS, no demo sign-in.")
    allowed_hosts: Names = Field(
        ["*"],
        description="Host names the server answers to, comma-separated. With `*` a demo that listens on this machine "
        "alone answers to localhost and 127.0.0.1.",
    )
    allowed_origins: Names = Field([], description="Origins that may call the API from a browser, comma-separated.")
    frame_ancestors: Names = Field([], description="Origins that may show the chat in a frame, comma-separated.")

    # Database and keys
    database_url: SecretStr | None = Field(None, description="PostgreSQL 14 or newer; embedded when unset.")
    database_pool: int = Field(10, ge=2, le=200, description="Most connections one process opens.")
    app_secrets: SecretStr | None = Field(
        None, description="Keys as `k2:<base64>,k1:<base64>`, newest first; made in DATA_DIR when unset."
    )

    # Model
    openai_api_key: SecretStr | None = Field(None, description="Key of the model provider.")
    openai_base_url: str | None = Field(None, description="Any OpenAI-compatible server, e.g. Ollama or vLLM.")
    openai_api: Literal["chat", "responses"] = Field("chat", description="Which of the provider's two APIs to use.")
    model: str | None = Field(None, description="Model name; the demo model runs when no key and no server is set.")
    model_context: int | None = Field(None, ge=1000, description="Tokens the model's window holds, when known.")
    context_budget: int = Field(40_000, ge=1_000, description="Most tokens of history sent with a request.")
    max_output_tokens: int = Field(8_192, ge=16, description="Most tokens of one answer.")
    model_retries: int = Field(2, ge=0, le=5, description="Tries after a failed model request that sent nothing.")
    request_timeout: float = Field(120.0, gt=0, description="Seconds for one model request.")
    first_token_timeout: float = Field(60.0, gt=0, description="Seconds until the first token.")
    token_timeout: float = Field(30.0, gt=0, description="Seconds between two tokens.")
    run_timeout: float = Field(600.0, gt=0, description="Seconds for a whole run.")
    max_steps: int = Field(30, ge=1, le=100, description="Model requests in one run.")
    price_input: float | None = Field(None, ge=0, description="Price of a million input tokens.")
    price_cached: float | None = Field(None, ge=0, description="Price of a million cached input tokens.")
    price_output: float | None = Field(None, ge=0, description="Price of a million output tokens.")
    demo_tokens_per_second: float = Field(60.0, ge=0, description="Speed of the demo model; 0 is as fast as it can.")

    # Router
    embedding_model: str = Field(
        "paraphrase-multilingual-MiniLM-L12-v2",
        description="Any fastembed or sentence-transformers model, a local path, or `builtin`.",
    )

    # Backend
    backend_url: str | None = Field(None, description="Your FastAPI service; the embedded workspace when unset.")
    openapi_url: str | None = Field(None, description="Its OpenAPI document, URL or file.")
    policy_file: Path = Field(Path("countersign.toml"), description="Reviewed effects of your operations.")
    service_issuer: str = Field("countersign", description="`iss` of the service JWT.")
    service_audience: str = Field("workspace", description="`aud` of the service JWT.")
    user_jwt_header: str = Field(
        "X-User-JWT", description="Header that carries the person's token; `Authorization` sends it as a bearer token."
    )
    service_auth: ServiceAuth | None = Field(
        None,
        description="How the agent itself is known to your backend: signed (default), none (default when the person's "
        "token is in Authorization), bearer, api_key, basic, oauth2_password.",
    )
    service_credentials: SecretStr | None = Field(
        None, description="The token, the key, or `user:password` for SERVICE_AUTH."
    )
    service_key_place: str = Field(
        "header:X-API-Key",
        pattern=r"^(header|query|cookie):[\w-]+$",
        description="Where the API key goes: `header:NAME`, `query:NAME` or `cookie:NAME`.",
    )
    service_token_url: str | None = Field(None, description="Token endpoint for SERVICE_AUTH=oauth2_password.")
    backend_headers: dict[str, SecretStr] = Field({}, description="Headers for every request, as a JSON object.")
    backend_idempotent: bool = Field(
        False, description="Your backend honours Idempotency-Key, so an interrupted change may be sent again."
    )
    backends: Path | None = Field(None, description="Further backends: a TOML file with a table for each.")

    # People
    sign_in: SignIn | None = Field(
        None,
        description="How people sign in: demo (default with the embedded backend), password (default with yours), "
        "header (a proxy knows them), embed (the page around the chat knows them), hf (Hugging Face).",
    )
    person_roles: dict[str, Role] = Field(
        {"*": Role.VIEWER},
        description="Roles in the modes header and hf, as a JSON object: a name, `group:NAME`, or `*` for everyone "
        "(as long as it is there, everyone who signs in is let in).",
    )
    proxy_secret: SecretStr | None = Field(
        None, description="SIGN_IN=header: what the proxy sends in X-Proxy-Secret, at least 32 characters."
    )
    proxy_user_header: str = Field("X-Forwarded-User", description="SIGN_IN=header: who the person is.")
    proxy_name_header: str = Field("X-Forwarded-Preferred-Username", description="SIGN_IN=header: their name.")
    proxy_groups_header: str = Field("X-Forwarded-Groups", description="SIGN_IN=header: groups, comma-separated.")
    proxy_token_header: str | None = Field(
        None,
        description="SIGN_IN=header: the header with the person's own token, checked by USER_JWKS_URL, in place of a "
        "secret and names.",
    )
    openid_provider_url: str = Field("https://huggingface.co", description="SIGN_IN=hf: the OpenID provider.")
    oauth_client_id: str | None = Field(None, description="SIGN_IN=hf: id of the OAuth app; a Space has it.")
    oauth_client_secret: SecretStr | None = Field(None, description="SIGN_IN=hf: its secret; a Space has it.")
    oauth_scopes: str = Field("openid profile", description="SIGN_IN=hf: what is asked for; a Space sets it.")
    openid_algorithms: Names = Field(
        ["RS256", "PS256", "ES256", "Ed25519", "EdDSA"],
        description="SIGN_IN=hf: how an id_token may be signed, comma-separated. HS256 (by OAUTH_CLIENT_SECRET, for a "
        "provider that has nothing better) only where it is listed.",
    )
    space_host: str | None = Field(None, description="Set by a Space: its host, which gives PUBLIC_URL.")
    user_issuer: str | None = Field(None, description="`iss` of the people's tokens.")
    user_audience: str = Field("workspace", description="`aud` of the people's tokens.")
    user_jwks_url: str | None = Field(None, description="Where the public keys of that issuer are.")
    user_jwt_secret: SecretStr | None = Field(
        None,
        description="Secret by which your service signs people's tokens (HS256 and nothing else), at least 32 "
        "characters; in place of USER_JWKS_URL.",
    )
    userinfo_url: str | None = Field(
        None,
        description="With USER_JWT_SECRET: what your service answers about the person whose token it is, for `role` or "
        "`is_superuser` of tokens that name no role.",
    )
    token_url: str | None = Field(None, description="OAuth2 password endpoint for `password` sign-in.")
    default_tenant: str = Field("default", description="Tenant of tokens that name none.")

    # Approvals and turns
    approval_minutes: int = Field(15, ge=1, le=7 * 24 * 60, description="Minutes until a card expires.")
    lease_seconds: float = Field(30.0, ge=2, description="Seconds a worker holds a turn without a heartbeat.")
    drain_seconds: float = Field(
        3.0,
        ge=0,
        description="Seconds a running answer has to end in after SIGTERM, before it is handed over; the process needs "
        "up to seven more.",
    )
    max_message_bytes: int = Field(100_000, ge=100, description="Largest message.")
    turns_per_minute: int = Field(20, ge=1, description="Turns one person may start in a minute.")
    sign_ins_per_minute: int = Field(
        20, ge=1, description="Passwords that may be tried in a minute from one address (`password` sign-in)."
    )
    retention_days: int | None = Field(None, ge=1, description="Days until unused conversations are deleted.")

    # Logs, metrics and traces
    metrics_token: SecretStr | None = Field(
        None, description="Bearer token for /metrics; without one it answers the machine itself, past any proxy."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level that is logged.")
    log_format: Literal["console", "json"] | None = Field(
        None, description="`console` for people, `json` for machines (default with PRODUCTION)."
    )
    log_words: bool = Field(
        False, description="Let log lines hold what people, models and tools said. Secrets never get there."
    )
    otel_exporter_otlp_endpoint: str | None = Field(
        None, description="Where traces go (OTLP over HTTP); needs the extra `otel`. Nothing is traced when unset."
    )

    @field_validator("database_url")
    @classmethod
    def _postgresql(cls, value: SecretStr | None) -> SecretStr | None:
        try:
            conninfo_to_dict(revealed(value))
        except ProgrammingError:
            raise ValueError("not an address of PostgreSQL, such as postgresql://user:password@host/database") from None
        return value

    @field_validator("allowed_hosts", "allowed_origins", "frame_ancestors", "openid_algorithms", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self.log_format = self.log_format or ("json" if self.production else "console")
        if (self.price_input is None) != (self.price_output is None):
            raise ValueError("PRICE_INPUT and PRICE_OUTPUT go together: a cost needs both")
        if self.sign_in is None:
            self.sign_in = "demo" if self.backend_url is None else "password"
        if self.public_url is None and self.space_host:
            self.public_url = f"https://{self.space_host}"
        if self.backend_url is not None and self.openapi_url is None:
            raise ValueError("BACKEND_URL needs OPENAPI_URL, the address of your service's OpenAPI document")
        self._check_service()
        self._check_people()
        if (self.openai_api_key or self.openai_base_url) and not self.model:
            raise ValueError("MODEL must name the model when OPENAI_API_KEY or OPENAI_BASE_URL is set")
        if self.production and self.app_secrets is None:
            raise ValueError("PRODUCTION=true needs APP_SECRETS; make one with `python -m agent.keys`")
        if self.production and self.sign_in == "demo":
            raise ValueError("PRODUCTION=true refuses SIGN_IN=demo")
        return self

    def _check_service(self) -> None:
        """How the agent proves itself fits what it is given; raises `ValueError`."""
        person_is_bearer = self.user_jwt_header.lower() == "authorization"
        self.service_auth = self.service_auth or ("none" if person_is_bearer else "signed")
        if person_is_bearer and self.service_auth not in ("none", "api_key"):
            raise ValueError(
                "USER_JWT_HEADER=Authorization needs SERVICE_AUTH none or api_key: there is one such header"
            )
        secret = revealed(self.service_credentials)
        if self.service_auth not in ("signed", "none") and not secret:
            raise ValueError(f"SERVICE_AUTH={self.service_auth} needs SERVICE_CREDENTIALS")
        if self.service_auth in ("basic", "oauth2_password") and ":" not in secret:
            raise ValueError(f"SERVICE_CREDENTIALS must be user:password for SERVICE_AUTH={self.service_auth}")
        if self.service_auth == "oauth2_password" and not self.service_token_url:
            raise ValueError("SERVICE_AUTH=oauth2_password needs SERVICE_TOKEN_URL")

    def _check_people(self) -> None:
        """The mode of signing in has what it needs; raises `ValueError`."""
        self._check_shared_secret()
        if self.backend_url is not None:
            self._check_own_people()
        keys = self.user_issuer and self.user_jwks_url
        secret = revealed(self.proxy_secret)
        if self.sign_in == "header" and not self.proxy_token_header and len(secret) < 32:
            raise ValueError("SIGN_IN=header needs PROXY_SECRET of at least 32 characters, or PROXY_TOKEN_HEADER")
        if self.sign_in == "header" and self.proxy_token_header and not keys:
            raise ValueError("PROXY_TOKEN_HEADER needs USER_ISSUER and USER_JWKS_URL, which say whose tokens those are")
        if self.sign_in == "hf" and not (self.oauth_client_id and self.oauth_client_secret):
            raise ValueError("SIGN_IN=hf needs OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET (a Space with hf_oauth: true)")
        self._check_id_tokens()
        if self.sign_in == "embed" and not keys:
            raise ValueError("SIGN_IN=embed needs USER_ISSUER and USER_JWKS_URL, which say whose tokens the page gives")
        if self.sign_in == "embed" and not (
            self.frame_ancestors and all(ORIGIN.fullmatch(origin) for origin in self.frame_ancestors)
        ):
            raise ValueError("SIGN_IN=embed needs FRAME_ANCESTORS: exact origins such as https://app.example.com")

    def _check_id_tokens(self) -> None:
        """Signatures that prove something, by keys that are long enough; raises `ValueError`."""
        if not set(self.openid_algorithms) <= SIGNATURES | SECRET_SIGNATURES or not self.openid_algorithms:
            known = ", ".join(sorted(SIGNATURES | SECRET_SIGNATURES))
            raise ValueError(f"OPENID_ALGORITHMS may list {known}")
        if self.sign_in == "hf" and set(self.openid_algorithms) & SECRET_SIGNATURES:
            try:
                check_secret(revealed(self.oauth_client_secret))
            except ValueError as error:
                raise ValueError(f"OPENID_ALGORITHMS lists HS256 and OAUTH_CLIENT_SECRET: {error}") from None

    def _check_own_people(self) -> None:
        """People of a backend of one's own can become known to it; raises `ValueError`."""
        if self.sign_in == "demo":
            if self.host not in LOOPBACK or self.public_url:
                raise ValueError(
                    "SIGN_IN=demo with BACKEND_URL is for this machine alone: HOST=127.0.0.1, no PUBLIC_URL"
                )
        elif self.makes_tokens and not (self.user_issuer or self.public_url):
            raise ValueError(f"SIGN_IN={self.sign_in} needs PUBLIC_URL: it is the `iss` of the tokens we make")
        elif self.sign_in == "password" and not self.token_url:
            raise ValueError(
                "SIGN_IN=password needs TOKEN_URL, where your service gives a token for a name and a password; "
                "SIGN_IN=demo lets you try it alone on this machine"
            )
        elif self.sign_in == "password" and not (self.user_issuer or self.user_jwt_secret):
            raise ValueError(
                "SIGN_IN=password needs USER_ISSUER, the `iss` of your service's tokens, or USER_JWT_SECRET"
            )

    def _check_shared_secret(self) -> None:
        """Tokens are believed by one kind of key; raises `ValueError`."""
        if self.user_jwt_secret is None:
            if self.userinfo_url:
                raise ValueError("USERINFO_URL needs USER_JWT_SECRET; tokens of USER_JWKS_URL name their role")
            return
        if self.user_jwks_url or self.sign_in != "password" or self.backend_url is None:
            raise ValueError("USER_JWT_SECRET works with SIGN_IN=password and BACKEND_URL, without USER_JWKS_URL")
        try:
            check_secret(self.user_jwt_secret.get_secret_value())
        except ValueError as error:
            raise ValueError(f"USER_JWT_SECRET: {error}") from None

    @property
    def hosts(self) -> list[str]:
        """The host names to answer to. A demo for this machine alone knows only its own, unless it is told others.

        It signs in whoever presses a button, so a page elsewhere whose name leads here (DNS rebinding) would be anyone.
        """
        alone = self.sign_in == "demo" and self.host in LOOPBACK and not self.public_url
        return OWN_NAMES if alone and self.allowed_hosts == ["*"] else self.allowed_hosts

    @property
    def makes_tokens(self) -> bool:
        """Whether the sign-in gives no token for the backend, so that we make one."""
        if self.sign_in == "demo":
            return self.backend_url is not None
        return self.sign_in == "hf" or (self.sign_in == "header" and not self.proxy_token_header)

    @property
    def own_issuer(self) -> str:
        """`iss` of the tokens that we make for a backend of one's own."""
        return self.user_issuer or self.public_url or "countersign"

    @property
    def demo_model(self) -> bool:
        """Whether the built-in rule-based model answers."""
        return self.openai_api_key is None and self.openai_base_url is None


def load_settings(**overrides: object) -> Settings:
    """The settings from the environment; raises `ConfigError` with one clear line."""
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = str(first["loc"][0]).upper() if first["loc"] else ""
        text = first["msg"].removeprefix("Value error, ")
        raise ConfigError(f"{name}: {text}" if name else text) from None


def settings_page() -> str:
    """`docs/configuration.md`, written from the class so that it cannot go stale (`make docs`)."""
    lines = [
        "# Configuration",
        "",
        "Environment variables, or lines of a `.env` file beside `app.py`. Without any, `make run` is the whole demo.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    for name, info in Settings.model_fields.items():
        default = "" if info.default is None or info.default in ([], {}) else f"`{_shown(info.default)}`"
        lines.append(f"| `{name.upper()}` | {default} | {info.description} |")
    return "\n".join(lines) + "\n"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return json.dumps(value)
    return ",".join(value) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    print(settings_page(), end="")
