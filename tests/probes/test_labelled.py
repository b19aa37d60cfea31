"""Holds every reader to replies labelled by hand.

A label says what a person takes the reply to state. It was written before the reader saw the reply,
and is never changed to please the reader; `labelled_replies.md` and `labelled_wins.md` beside the
files are the policies. Ordinary replies are all read as labelled. Of awkward ones some are not; the
readers have learned from their misses, so that what they read here is no measure of new replies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from geobias.atlas.entities import LANGUAGES, entities
from geobias.probes.geo20q.proposing import read_turn
from geobias.probes.geo20q.sightings import Names
from geobias.probes.namebbq.reading import read_reply as read_option
from geobias.probes.ratings.reading import read_rating
from geobias.probes.worldbench.reading import Reading
from geobias.probes.worldbench.reading import read_reply as read_number
from tests.shared_data import shared_data

HERE = Path(__file__).parent
Line = dict[str, Any]


class Kind(NamedTuple):
    """How lines of a file are read, and what of the reading their label names."""

    read: Callable[[Line], Any]
    label: Callable[[Line], Any]
    sort: Callable[[Line], str] = lambda line: line["sort"]


def number(line: Line, *, phrase: bool = True) -> Reading:
    asked = ("unit", "low", "high", "asked_year", "country", *(("phrase",) if phrase else ()))
    return read_number(line["text"], **{name: line[name] for name in asked if name in line})


def value(reading: Reading) -> tuple[str, float | None]:
    """With nine digits: a label is written in the unit asked for, a reading may be converted."""
    known = reading.value
    return reading.outcome, known if known is None else float(f"{known:.9g}")


def labelled_value(line: Line) -> tuple[str, float | None]:
    known = line["value"]
    return line["outcome"], known if known is None else float(f"{known:.9g}")


def option(line: Line) -> int | str:
    reading = read_option(line["reply"], **line["options"], shown=line["class"] != "open")
    return reading.outcome if reading.answer is None else reading.answer


@cache
def names(language: str) -> Names:
    return Names(entities(), language)


def turn(line: Line) -> tuple[bool, bool]:
    target = entities()[line["entity"]]
    final = line["kind"] == "final"
    reading = read_turn(line["text"], target, names(line["language"]), final=final)
    return reading.mention, reading.guess == "yes"


def rating(line: Line) -> tuple[str, float | None]:
    reading = read_rating(line["reply"])
    return reading.outcome, reading.rating


NUMBERS = Kind(lambda line: value(number(line)), labelled_value, lambda line: "awkward")
UNITS = NUMBERS._replace(sort=lambda line: line["kind"])
OPTIONS = Kind(option, lambda line: line["label"])
TURNS = Kind(turn, lambda line: (line["mention"], line["guess"]))
RATINGS = Kind(rating, lambda line: (line["outcome"], line["rating"]), lambda line: "ordinary")

FILES: Mapping[str, tuple[Kind, int, int, int]] = {
    "worldbench/labelled_replies": (NUMBERS, 0, 1512, 7),
    "worldbench/labelled_units": (UNITS, 600, 575, 17),
    "worldbench/held_out_units": (UNITS, 60, 151, 4),
    "worldbench/held_out_units_2": (UNITS, 46, 158, 4),
    "worldbench/held_out_units_3": (UNITS, 0, 83, 2),
    "worldbench/held_out_units_4": (UNITS, 62, 202, 6),
    "worldbench/held_out_units_5": (UNITS, 48, 163, 4),
    "worldbench/held_out_units_6": (UNITS, 30, 154, 4),
    "worldbench/held_out_units_7": (UNITS, 0, 68, 2),
    "namebbq/labelled_replies": (OPTIONS, 316, 504, 15),
    "namebbq/later_replies": (OPTIONS, 0, 268, 2),
    "namebbq/heldout_replies": (OPTIONS, 50, 70, 5),
    "namebbq/fresh_replies": (OPTIONS, 0, 102, 3),
    "namebbq/open_replies": (OPTIONS, 34, 47, 3),
    "namebbq/new_replies": (OPTIONS, 60, 220, 8),
    "namebbq/second_replies": (OPTIONS, 40, 150, 6),
    "namebbq/third_replies": (OPTIONS, 30, 129, 5),
    "namebbq/fourth_replies": (OPTIONS, 24, 104, 4),
    "namebbq/fifth_replies": (OPTIONS, 24, 100, 4),
    "namebbq/sixth_replies": (OPTIONS, 21, 90, 3),
    "namebbq/seventh_replies": (OPTIONS, 50, 183, 7),
    "namebbq/eighth_replies": (OPTIONS, 26, 129, 5),
    "namebbq/ninth_replies": (OPTIONS, 23, 109, 4),
    "namebbq/tenth_replies": (OPTIONS, 17, 100, 4),
    "namebbq/eleventh_replies": (OPTIONS, 10, 75, 3),
    "namebbq/twelfth_replies": (OPTIONS, 1, 15, 0),
    "namebbq/learned_replies": (OPTIONS, 0, 428, 4),
    "geo20q/labelled_wins": (TURNS, 499, 500, 25),
    "geo20q/heldout_wins": (TURNS, 0, 323, 16),
    "geo20q/heldout_wins_2": (TURNS, 62, 170, 8),
    "geo20q/heldout_wins_3": (TURNS, 18, 128, 6),
    "geo20q/heldout_wins_4": (TURNS, 18, 126, 6),
    "geo20q/heldout_wins_5": (TURNS, 7, 90, 4),
    "geo20q/heldout_wins_6": (TURNS, 0, 27, 1),
    "ratings/labelled_replies": (RATINGS, 114, 0, 0),
}
"""File → how it is read, ordinary and awkward replies in it, and awkward ones misread at most."""


WITH_UNITS = [file for file, (kind, ordinary, *_) in FILES.items() if kind is UNITS and ordinary]


@cache
def lines(file: str) -> list[Line]:
    return [json.loads(line) for line in (HERE / f"{file}.jsonl").read_bytes().splitlines()]


@cache
def misread(file: str, sort: str) -> list[str]:
    kind = FILES[file][0]
    chosen = [line for line in lines(file) if kind.sort(line) == sort]
    return [
        f"{line.get('id', '')} {line.get('text', line.get('reply'))!r} "
        f"is {kind.label(line)}, read as {reading}"
        for line in chosen
        if (reading := kind.read(line)) != kind.label(line)
    ]


def test_every_labelled_file_is_read() -> None:
    assert {f"{path.parent.name}/{path.stem}" for path in HERE.glob("*/*.jsonl")} == {*FILES}


@pytest.mark.parametrize("file", FILES)
def test_replies_are_read_as_labelled(file: str) -> None:
    kind, ordinary, awkward, most_misread = FILES[file]
    sorts = [kind.sort(line) for line in lines(file)]
    assert (sorts.count("ordinary"), sorts.count("awkward")) == (ordinary, awkward)
    assert misread(file, "ordinary") == []
    assert len(misread(file, "awkward")) <= most_misread, misread(file, "awkward")


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("namebbq/")])
def test_no_reply_is_given_to_a_wrong_answer(file: str) -> None:
    """Unread is a loss; the wrong answer would be a lie."""
    read = [(line, option(line)) for line in lines(file)]
    assert [line for line, found in read if found in (0, 1, 2) and found != line["label"]] == []


@pytest.mark.parametrize(
    "file", [file for file, (kind, ordinary, *_) in FILES.items() if kind is UNITS and ordinary]
)
def test_the_unit_alone_is_enough_for_nearly_all(file: str) -> None:
    wrong = [
        line["kind"]
        for line in lines(file)
        if value(number(line, phrase=False)) != labelled_value(line)
    ]
    assert "ordinary" not in wrong
    assert len(wrong) <= 0.05 * FILES[file][2]


def test_at_most_one_in_two_hundred_citations_is_misread() -> None:
    replies = lines("worldbench/labelled_replies")
    read = [(line, number(line)) for line in replies]
    wrong = [
        line["text"]
        for line, found in read
        if (found.source, found.year) != (line.get("source"), line.get("year"))
    ]
    assert sum(bool(line.get("source") or line.get("year")) for line in replies) >= 200
    assert len(wrong) <= 0.005 * len(replies), wrong
    assert all((found.span is not None) == (found.outcome == "parsed") for _, found in read)
    assert all(found.reason for _, found in read)


def test_games_are_labelled_in_every_language() -> None:
    assert {line["language"] for line in lines("geo20q/labelled_wins")} == set(LANGUAGES)


_FIRST = re.compile(
    r"\s*Answer:\s*\$?((?:[0-9]{1,3}(?:, ?[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)( million| billion)?"
)
_SCALES = {None: 1.0, " million": 1e6, " billion": 1e9}


def test_a_base_model_s_first_answer_is_read() -> None:
    lines = shared_data("replies/numerfacts.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 900
    for line in lines:
        row = json.loads(line)
        reading = read_number(row["reply"], unit=row["unit"], country=row["country"])
        said = _FIRST.match(row["reply"])
        if said is None or len(said[1]) > 60:  # a 1 with a page of zeros
            assert reading.outcome == "unparsed", row
            continue
        value = float(said[1].replace(",", "").replace(" ", "")) * _SCALES[said[2]]
        assert reading.value == pytest.approx(value), row
