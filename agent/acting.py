"""What a person asks for runs as that person, down to the rows that the database shows (see `store/person.py`)."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar, cast

from store.person import act_for, person

Method = TypeVar("Method", bound=Callable[..., Awaitable[Any]])


def as_person(method: Method) -> Method:
    """A method whose first argument is a `Principal`, run as them."""

    @wraps(method)
    async def inner(self: Any, principal: Any, *args: Any, **kwargs: Any) -> Any:
        with act_for(person(principal.tenant, principal.subject)):
            return await method(self, principal, *args, **kwargs)

    return cast(Method, inner)
