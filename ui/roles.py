"""Which role a person has, where their sign-in does not say: a table that the operator writes."""

from collections.abc import Mapping, Sequence

from tools.toolset import Role

ORDER = list(Role)
ANYONE, GROUP = "*", "group:"


class NotListed(Exception):  # noqa: N818
    """The table names neither the person, nor a group of theirs, nor everyone."""


def role_of(table: Mapping[str, Role], name: str, groups: Sequence[str] = ()) -> Role:
    """The highest role of the lines `name`, `group:NAME` and `*` that fit; raises `NotListed`.

    Names are compared as they are, but for upper and lower case.
    """
    known = {line.casefold(): role for line, role in table.items()}
    lines = [name, ANYONE, *(GROUP + group for group in groups)]
    found = [known[line.casefold()] for line in lines if line.casefold() in known]
    if not found:
        raise NotListed(name)
    return max(found, key=ORDER.index)
