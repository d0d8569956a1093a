"""Roles and the person on whose behalf a call runs."""

from dataclasses import dataclass
from enum import StrEnum

from backend.problems import Problem


class Role(StrEnum):
    """The roles, weakest first; a person may do what their strongest role allows."""

    VIEWER = "viewer"
    ANALYST = "analyst"
    EDITOR = "editor"
    PUBLISHER = "publisher"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        """0 for the weakest."""
        return list(Role).index(self)


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks, through which service; the role is the one of this moment, not the one in the token."""

    id: str
    name: str
    name_ru: str
    role: Role | None
    issuer: str
    service: str

    def require(self, role: Role) -> None:
        """Raises `Problem("role_required")` when the person's role is weaker than `role`."""
        if self.role is None or self.role.rank < role.rank:
            raise Problem("role_required", required_role=role.value, your_role=self.role.value if self.role else "none")


def strongest(roles: list[str]) -> Role | None:
    """The strongest of these roles, None for nobody's."""
    return max((Role(role) for role in roles), key=lambda role: role.rank, default=None)
