"""How long Name-BBQ's reader takes for a reply: short ones, and sentences.

    python bench/reading.py

The replies are those of the labelled sets in the tests, read over and over. Prints microseconds for
each; exits with 1 where a sentence takes more than half a millisecond.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from geobias.probes.namebbq.reading import read_reply

SETS = Path(__file__).parent.parent / "tests" / "probes" / "namebbq"
SENTENCE = 6
"""Words from which a reply is one."""
MOST_MICROSECONDS = 500
ROUNDS = 9


def microseconds(replies: list[dict[str, Any]]) -> float:
    """The best of some rounds: the machine may be busy with other things."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.thread_time_ns()
        for line in replies:
            read_reply(line["reply"], **line["options"])
        best = min(best, time.thread_time_ns() - begun)
    return best / 1000 / len(replies)


def main() -> int:
    names = ("labelled_replies", "later_replies", "heldout_replies")
    lines = [
        json.loads(line)
        for name in names
        for line in (SETS / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    for line in lines:
        read_reply(line["reply"], **line["options"])  # patterns are made once
    sentences = [line for line in lines if len(line["reply"].split()) >= SENTENCE]
    short = [line for line in lines if len(line["reply"].split()) < SENTENCE]
    took = microseconds(sentences)
    print(f"{len(short):,} short replies: {microseconds(short):.0f} µs each")
    print(f"{len(sentences):,} sentences: {took:.0f} µs each")
    return int(took > MOST_MICROSECONDS)


if __name__ == "__main__":
    sys.exit(main())
