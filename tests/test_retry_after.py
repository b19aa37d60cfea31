from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.untrusted import FOREVER_SECONDS, seconds_to_wait

NOW = datetime(2026, 1, 28, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        (" 3 ", 3.0),
        ("1.5", 1.5),
        ("9" * 400, FOREVER_SECONDS),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOW - timedelta(days=1), usegmt=True), 0.0),
        (format_datetime((NOW + timedelta(seconds=90)).replace(tzinfo=None)), 90.0),
    ],
)
def test_seconds_and_dates_are_understood(header: str, seconds: float) -> None:
    assert seconds_to_wait(header, NOW) == seconds


@pytest.mark.parametrize("header", [None, "", "soon", "-5", "nan", "inf", "1e3", "²", "٣"])
def test_anything_else_asks_for_nothing(header: str | None) -> None:
    assert seconds_to_wait(header, NOW) is None


def test_a_date_is_held_against_the_clock() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert seconds_to_wait(later) == pytest.approx(3600, abs=60)


@given(st.text())
def test_no_header_makes_trouble(header: str) -> None:
    wait = seconds_to_wait(header, NOW)
    assert wait is None or 0 <= wait <= FOREVER_SECONDS
