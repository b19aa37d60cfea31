"""Readers against real replies of real models, labelled before the readers were written.

Nothing may be read wrong in one reply of a hundred; what is plain must be read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from geobias.probes.geo20q.winning import READER as TURNS
from geobias.probes.namebbq.replies import READER as CHOICES
from geobias.probes.readers import NUMBER, ReplyReader, judged
from tests.shared_data import shared_data

REAL = Path(__file__).parent.parent / "data" / "real"
MOST_WRONG = 0.01
LEAST_RIGHT = {1: 0.92, 2: 0.92, 3: 0.9, 4: 0.87, 5: 0.9, 6: 0.85, 8: 0.86}
"""By draw; the rules learnt from the first two."""
LEAST_RIGHT_CHOICES = LEAST_RIGHT | {7: 0.95}
"""The seventh set are choices that an earlier reader read as another option."""
THOUGHT = "reasoning only"
"""A variant of a source: what a reasoning model thought, without the answer that followed."""


@cache
def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def counts(reader: ReplyReader, replies: list[dict[str, Any]]) -> Counter[str]:
    return Counter(judged(reader.read(one), reader.label(one)) for one in replies)


@pytest.mark.parametrize(
    ("name", "reader"), [("numbers", NUMBER), ("turns", TURNS)], ids=["numbers", "turns"]
)
@pytest.mark.parametrize("draw", LEAST_RIGHT)
def test_real_replies_are_read_as_labelled(name: str, reader: ReplyReader, draw: int) -> None:
    labelled = lines(REAL / "replies" / f"{name}.jsonl")
    replies = [one for one in labelled if one.get("draw", 1) == draw]
    found = counts(reader, replies)
    assert len(replies) >= 30
    assert found["wrong"] <= MOST_WRONG * len(replies)
    assert found["right"] >= LEAST_RIGHT[draw] * len(replies)


def choices(folder: Path) -> Iterator[dict[str, Any]]:
    """The labelled choices among three options, with their questions out of the shared folder."""
    for label in lines(REAL / "choices.jsonl"):
        name = label["file"]
        row = lines(folder / "replies" / "real" / name)[label["row"]]
        options = row.get("options") or ["option A", "option B", "option C"]
        if len(options) != 3 or name.startswith("likert"):
            continue
        question = re.search(r"Question: ([^\n]*)", row.get("prompt") or "")
        asked = question[1] if question else ""
        yield {"options": options, "unknown": row.get("unknown"), "question": asked} | {
            "reply": row["reply"],
            "label": label["label"],
            "draw": label.get("draw", 1),
            "thought": row.get("variant") == THOUGHT,
        }


@pytest.mark.parametrize("draw", LEAST_RIGHT_CHOICES)
def test_real_choices_are_read_as_labelled(draw: int) -> None:
    folder = shared_data("replies/real").parent.parent
    replies = [one for one in choices(folder) if one["draw"] == draw]
    answers = [one for one in replies if not one["thought"]]
    assert counts(CHOICES, replies)["wrong"] <= MOST_WRONG * len(replies)
    assert counts(CHOICES, answers)["right"] >= LEAST_RIGHT_CHOICES[draw] * len(answers)
