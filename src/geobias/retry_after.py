"""Retry-After (RFC 9110, section 10.2.3): how long a server asks to be left alone."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FOREVER_SECONDS = 1e9
"""Some thirty years; more is not told apart."""
_NUMBER = re.compile(r"\d+(\.\d*)?", re.ASCII)


def seconds_to_wait(header: str | None, now: datetime | None = None) -> float | None:
    """The seconds that the header asks for, as a number or a date; None for anything else.

    Some services send fractions of seconds, which the RFC does not know. A date that is past means
    0; one without a time zone is UTC.
    """
    text = (header or "").strip()
    if _NUMBER.fullmatch(text):
        return min(float(text), FOREVER_SECONDS)
    try:
        date = parsedate_to_datetime(text)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        seconds = (date - (now or datetime.now(UTC))).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return None
    return min(max(0.0, seconds), FOREVER_SECONDS)
