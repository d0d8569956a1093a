"""For whom a query is made: whose rows it may see, below whatever the query itself asks for.

Most queries name tenant and owner. Row-level security is the second net, for one that forgot: every connection that
the pool lends is for an `Actor`, and for everybody but the service the database shows and changes only their rows.
Whoever acts for nobody sees no rows at all. Who is acting is kept in the context, which tasks inherit.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

PERSON_ROLE = "countersign_person"


@dataclass(frozen=True, slots=True)
class Actor:
    """What the policies compare with; with `whole_tenant` all of the tenant may be read, the service is not asked."""

    tenant: str = ""
    owner: str = ""
    whole_tenant: bool = False
    service: bool = False


NOBODY = Actor()
SERVICE = Actor(service=True)
_acting: ContextVar[Actor] = ContextVar("acting", default=NOBODY)


def person(tenant: str, owner: str | None) -> Actor:
    """This person, or with None somebody who may read all of the tenant."""
    if not _keepable(tenant + (owner or "")):
        return NOBODY
    return Actor(tenant=tenant, owner=owner or "", whole_tenant=owner is None)


def acting() -> Actor:
    """For whom the surrounding code acts."""
    return _acting.get()


@contextmanager
def act_for(actor: Actor) -> Iterator[None]:
    """Act for this one within the block, and in the tasks that begin in it."""
    token = _acting.set(actor)
    try:
        yield
    finally:
        _acting.reset(token)


def _keepable(text: str) -> bool:
    """Whether PostgreSQL can keep such a text; where it cannot, no row is this person's."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False
