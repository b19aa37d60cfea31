"""Values that may be undefined by their type, and that a test needs."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def defined(value: T | None) -> T:
    """The value, which there must be."""
    assert value is not None
    return value
