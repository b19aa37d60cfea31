"""A single trial as its page shows it: the question, the reply and the answer that was read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from geobias.probes.probe import Showing
from geobias.probes.questions import outcome_words
from geobias.probes.registry import record_owner
from geobias.results.descriptions import Facts, Span
from geobias.runfile import RunReader, SavedReply
from geobias.runfile.manifest import sum_known
from geobias.runfile.reading import split_digests
from geobias.trials import StoredRecord
from geobias.view.index import described

MOST = 6_000
"""Characters shown of one reply."""
AROUND = 1_500
"""Characters shown before a marked part that lies beyond the first `MOST`."""
SNIPPET = 220
"""Characters that a list shows of a reply."""
MOST_MESSAGES = 60
"""Messages shown of a chat."""


class Passage(NamedTuple):
    """A text in three parts, of which the middle one is marked."""

    before: str
    marked: str
    after: str


def passage(text: str, span: Span | None = None) -> Passage:
    """Mark the part of the text in `span`. A long text is cut around it."""
    start, end = span or (0, 0)
    if not 0 <= start < end <= len(text):
        start = end = 0
    end = min(end, start + MOST)
    return _window(text, 0 if end <= MOST else start - AROUND, start, end, MOST)


def snippet(text: str, words: Sequence[str]) -> Passage:
    """The text around the first of `words` that occurs, or else its beginning."""
    line = " ".join(text.split())
    low = line.casefold()
    places = [(low.find(word), len(word)) for word in words if word in low]
    start, length = min(places, default=(0, 0))
    if len(low) != len(line):  # casefold may lengthen: ß, İ
        start, length = 0, 0
    return _window(line, start - SNIPPET // 3, start, start + length, SNIPPET)


def _window(text: str, first: int, start: int, end: int, most: int) -> Passage:
    first = max(0, first) if end > start else 0
    last = max(end, first + most)
    before = ("… " if first else "") + text[first:start]
    after = text[end:last] + (f" … ({len(text):,} characters)" if last < len(text) else "")
    return Passage(before, text[start:end], after)


class Line(msgspec.Struct, frozen=True):
    role: str
    words: Passage
    outcome: str = "ok"
    reasoning: str = ""


def load(reader: RunReader, trial: str) -> tuple[StoredRecord, list[SavedReply]]:
    """The record of a trial and its replies. Both are empty if the run has no such trial."""
    sql = "SELECT record, replies FROM records WHERE trial = ?"
    for record, digests in reader.query(sql, (trial,)):
        replies = map(reader.reply, split_digests(digests))
        found = [reply for reply in replies if reply is not None]
        return reader.decoded(record, StoredRecord), found
    return {}, []


def trial_page(reader: RunReader, trial: str) -> dict[str, Any]:
    """The content of a trial's page; empty if the run has no such trial."""
    record, saved = load(reader, trial)
    if not record:
        return {}
    about, name = described(record), str(record["probe"])
    talk = _in_turns(record)
    return {
        "trial": trial,
        "probe": name,
        "about": about,
        "read": about.read or outcome_words(str(record["outcome"])),
        "facts": [*about.facts, *_spent(saved)],
        "record": msgspec.json.format(msgspec.json.encode(record), indent=2).decode(),
        "turns": talk.turns_of(record, saved) if talk else [],
        "chat": chat(reader, saved, about.marked) if saved and not talk else [],
    }


def _in_turns(record: StoredRecord) -> Showing | None:
    """How the probe shows a conversation. None for any other trial."""
    probe = record_owner(str(record["probe"]))
    is_own = probe is not None and probe.name == record["probe"]
    return probe.showing if probe and is_own and probe.showing.in_turns else None


def chat(reader: RunReader, saved: Sequence[SavedReply], span: Span | None = None) -> list[Line]:
    """The last messages of the dialogue that ends in the trial's last reply.

    Earlier replies of the model are told apart from examples given in the prompt.
    """
    *earlier, reply = saved
    own = {("assistant", one.text) for one in earlier}
    lines = [
        Line("earlier" if (m.role, m.content) in own else m.role, passage(m.content))
        for m in reader.transcript(reply)[-MOST_MESSAGES:-1]
    ]
    words = passage(reply.text, span)
    return [*lines, Line("reply", words, reply.outcome, reply.reasoning[:4000])]


def _spent(saved: Sequence[SavedReply]) -> Facts:
    used = sum_known(r.tokens_in for r in saved), sum_known(r.tokens_out for r in saved)
    tokens = "unknown" if None in used else f"{used[0]:,} in, {used[1]:,} out"
    models = dict.fromkeys(one.model for one in saved if one.model)
    return [("Tokens", tokens), ("Answered as", ", ".join(models))] if saved else []


def replies_in_words(record: StoredRecord, replies: Sequence[SavedReply]) -> str:
    """What a list shows of a trial: its last reply, or what a conversation's first speaker said."""
    if record and _in_turns(record):
        return " · ".join(one.text[:200] for one in replies if one.role == replies[0].role)
    return (replies[-1].text[:400_000] or f"[{replies[-1].outcome}]") if replies else ""
