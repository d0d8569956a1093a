"""What an operator may set for the workspace, from the environment (`WORKSPACE_*`)."""

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class WorkspaceSettings(BaseSettings):
    """Addresses, keys and limits of the workspace backend."""

    model_config = SettingsConfigDict(env_prefix="WORKSPACE_", extra="ignore")

    database_url: SecretStr = Field(description="PostgreSQL URL of the workspace's own role (`database.bootstrap`).")
    issuer: str = Field("http://workspace.local", description="`iss` of the user tokens made here.")
    audience: str = Field("workspace", description="`aud` of user tokens and service tokens.")
    key_dir: Path = Field(description="Folder of the key that signs user tokens; made when missing.")
    user_token_minutes: int = Field(30, ge=1, le=60, description="Lifetime of a user token.")
    service_issuer: str = Field("countersign", description="`iss` of the calling service.")
    service_jwks: str = Field(description="Public keys of the calling service: a file, or an http(s) URL.")
    passwords: dict[str, SecretStr] = Field(
        default_factory=dict, description="Passwords of the people who may sign in, by user id (JSON)."
    )
    pool_size: int = Field(8, ge=2, description="Most database connections.")
    max_body_bytes: int = Field(262_144, ge=1024, description="Largest request body.")
    seed_demo: bool = Field(True, description="Fill an empty database with the demo workspace.")
