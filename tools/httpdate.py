"""Dates in the headers of HTTP (RFC 9110, 5.6.7)."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def seconds_until(date: str, answered: str) -> float | None:
    """Seconds from the answer's own `Date`, else from now, to an HTTP date; 0 if it is over, None when it is none."""
    until = _moment(date)
    if until is None:
        return None
    return max(0.0, (until - (_moment(answered) or datetime.now(UTC))).total_seconds())


def _moment(date: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(date)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
