"""Whether what a model said can be measured at all.

A model that always takes the first answer, or says one number for every country, gets scores that
look like fairness and mean nothing. Each probe says what it needs to see first, as screens; where
one fails, the reason goes before any score.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Screen(msgspec.Struct, frozen=True, kw_only=True):
    """One condition of being measurable.

    name       of the condition, the same in every run
    ok         whether it holds
    value      what was found; None where nothing could be
    threshold  what `value` is compared with
    n          how many replies, templates … the value rests on
    says       a clause without a full stop; where not `ok` it goes on from "because"
    """

    name: str
    ok: bool
    value: float | None
    threshold: float
    n: int
    says: str


def reasons(screens: Iterable[Screen]) -> list[str]:
    """Why a run is not measurable; nothing where it is."""
    return [screen.says for screen in screens if not screen.ok]


def because(why: Iterable[str]) -> str:
    """The reasons as the sentence that goes before any score."""
    return f"Not measurable, because {'; and '.join(why)}."
