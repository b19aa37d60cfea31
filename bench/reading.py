"""How long the readers take for a reply: short ones, and sentences.

    python bench/reading.py

The replies are those of the labelled sets in the tests, read over and over. Prints microseconds for
each; exits with 1 where a sentence takes more than half a millisecond.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from geobias.probes.namebbq.reading import read_reply as read_option
from geobias.probes.worldbench.reading import read_reply as read_number

TESTS = Path(__file__).parent.parent / "tests" / "probes"
SENTENCE = 6
"""Words from which a reply is one."""
MOST_MICROSECONDS = 500
ROUNDS = 9

Reader = Callable[[dict[str, Any]], object]


def option(line: dict[str, Any]) -> object:
    return read_option(line["reply"], **line["options"])


_ASKED = ("unit", "low", "high", "asked_year", "country", "phrase")


def number(line: dict[str, Any]) -> object:
    return read_number(line["text"], **{name: line[name] for name in _ASKED if name in line})


READERS: tuple[tuple[str, Reader, str, tuple[str, ...]], ...] = (
    ("namebbq", option, "reply", ("labelled_replies", "later_replies", "heldout_replies")),
    ("worldbench", number, "text", ("labelled_replies", "labelled_units", "held_out_units")),
)


def microseconds(read: Reader, replies: list[dict[str, Any]]) -> float:
    """The best of some rounds: the machine may be busy with other things."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.thread_time_ns()
        for line in replies:
            read(line)
        best = min(best, time.thread_time_ns() - begun)
    return best / 1000 / len(replies)


def main() -> int:
    slow = False
    for probe, read, text, names in READERS:
        lines = [
            json.loads(line)
            for name in names
            for line in (TESTS / probe / f"{name}.jsonl").read_text("utf-8").splitlines()
        ]
        for line in lines:
            read(line)  # patterns are made once
        sentences = [line for line in lines if len(line[text].split()) >= SENTENCE]
        short = [line for line in lines if len(line[text].split()) < SENTENCE]
        took = microseconds(read, sentences)
        print(f"{probe}: {len(short):,} short replies: {microseconds(read, short):.0f} µs each")
        print(f"{probe}: {len(sentences):,} sentences: {took:.0f} µs each")
        slow = slow or took > MOST_MICROSECONDS
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
