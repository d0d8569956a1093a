"""Who a person is: a verified token becomes a `Principal`."""

from dataclasses import dataclass, field
from datetime import datetime

from tools.toolset import Role


@dataclass(frozen=True, slots=True)
class Principal:
    """A signed-in person. `subject` is "iss|sub"; `user_jwt` is their own token and never shown or stored open."""

    tenant: str
    subject: str
    name: str
    role: Role
    user_jwt: str = field(repr=False)
    expires_at: datetime
