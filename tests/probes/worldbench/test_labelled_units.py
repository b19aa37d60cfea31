"""Holds the reader to replies about every kind of figure: years, millimetres, rates, scores.

`labelled_units.jsonl` was written before the reader knew units: it then read 524 of the 600
ordinary replies as labelled, and 336 of the 575 awkward ones. The held-out sets were written later
and committed before the reader saw them; at first sight it read 58 of 60 and 136 of 151 in the
first, 46 of 46 and 139 of 158 in the second, 73 of 83, all awkward, in the third, 62 of 62 and 187
of 202 in the fourth, 48 of 48 and 148 of 163 in the fifth, 30 of 30 and 136 of 154 in the sixth,
and 63 of 68, all awkward, in the seventh. It has learned from their misses since, so that what it
reads in them today is no measure of new replies. No label was changed to please it; one reply of
the second held-out set had lost half its text, and has it now, and one of the fourth (a Gini index
of 0.408) was labelled against the rule that a bare ratio stays as said.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from geobias.probes.worldbench.reading import Reading, read_reply

MEASURED = (
    "labelled_units.jsonl",
    "held_out_units.jsonl",
    "held_out_units_2.jsonl",
    "held_out_units_4.jsonl",
    "held_out_units_5.jsonl",
    "held_out_units_6.jsonl",
)
AWKWARD = (*MEASURED, "held_out_units_3.jsonl", "held_out_units_7.jsonl")


class Labelled(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    unit: str
    value: float | None
    outcome: str
    phrase: str
    kind: Literal["ordinary", "awkward"]
    low: float | None = None
    high: float | None = None
    asked_year: int | None = None
    country: str | None = None

    def read(self, *, phrase: bool = True) -> Reading:
        return read_reply(
            self.text,
            unit=self.unit,
            low=self.low,
            high=self.high,
            asked_year=self.asked_year,
            country=self.country,
            phrase=self.phrase if phrase else "",
        )

    def agrees(self, reading: Reading) -> bool:
        if reading.outcome != self.outcome:
            return False
        if self.value is None or reading.value is None:
            return self.value is reading.value
        return math.isclose(reading.value, self.value, rel_tol=1e-9)


@cache
def labelled(name: str, kind: str) -> tuple[Labelled, ...]:
    lines = Path(__file__).with_name(name).read_bytes().splitlines()
    every = (msgspec.json.decode(line, type=Labelled) for line in lines)
    return tuple(reply for reply in every if reply.kind == kind)


def misread(replies: tuple[Labelled, ...], *, phrase: bool = True) -> list[str]:
    return [
        f"{reply.text!r} ({reply.unit}): {reply.value}, read as {reading.value} {reading.reason}"
        for reply in replies
        if not reply.agrees(reading := reply.read(phrase=phrase))
    ]


def test_the_labels_are_many_and_half_of_them_ordinary() -> None:
    ordinary, awkward = (labelled(MEASURED[0], kind) for kind in ("ordinary", "awkward"))
    assert len(ordinary) >= 400
    assert len(awkward) >= 400
    shipped = ("people", "percent", "$", "deaths per 100,000", "metric tonnes per capita")
    beyond = [r for r in ordinary + awkward if not any(unit in r.unit for unit in shipped)]
    assert len(beyond) >= 300


@pytest.mark.parametrize("name", MEASURED)
def test_every_ordinary_reply_is_read_as_labelled(name: str) -> None:
    assert misread(labelled(name, "ordinary")) == []


@pytest.mark.parametrize("name", AWKWARD)
def test_ninety_seven_in_a_hundred_awkward_replies_are_read_as_labelled(name: str) -> None:
    replies = labelled(name, "awkward")
    assert len(misread(replies)) <= 0.03 * len(replies)


@pytest.mark.parametrize("name", MEASURED)
def test_the_unit_alone_is_enough_for_nearly_all(name: str) -> None:
    replies = labelled(name, "awkward")
    assert misread(labelled(name, "ordinary"), phrase=False) == []
    assert len(misread(replies, phrase=False)) <= 0.05 * len(replies)
