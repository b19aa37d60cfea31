"""A single trial as its page shows it: the question, the reply and the answer that was read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from geobias.probes.registry import record_owner
from geobias.report.page.text import harmless
from geobias.results.descriptions import Facts, Span, Turn, Versions
from geobias.runfile import RunReader, SavedReply
from geobias.runfile.manifest import sum_known
from geobias.runfile.reading import split_digests
from geobias.trials import StoredRecord
from geobias.view.index import described, outcome_words

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
    before = ("… " if first else "") + harmless(text[first:start])
    after = harmless(text[end:last]) + (
        f" … ({len(text):,} characters)" if last < len(text) else ""
    )
    return Passage(before, harmless(text[start:end]), after)


class Line(msgspec.Struct, frozen=True):
    """One message of a chat."""

    role: str
    words: Passage
    outcome: str = "ok"
    reasoning: str = ""


class Version(msgspec.Struct, frozen=True):
    """One version of an item. `here` is true for the version whose page this is."""

    title: str
    chat: list[Line]
    facts: Facts
    here: bool


class TrialPage(msgspec.Struct, kw_only=True):
    """The content of a trial's page.

    A conversation has `turns`. An item in several versions has `versions`, and links to the
    `others`. Any other trial has a `chat`.
    """

    trial: str
    probe: str
    title: str
    read: str
    facts: Facts
    record: str
    chat: list[Line] = []
    versions: list[Version] = []
    others: list[tuple[str, str]] = []
    turns: list[Turn] = []


def load(reader: RunReader, trial: str) -> tuple[StoredRecord, list[SavedReply]] | None:
    """The record of a trial and its replies, or None if the run has no such trial."""
    sql = "SELECT record, replies FROM records WHERE trial = ?"
    for record, digests in reader.query(sql, (trial,)):
        replies = map(reader.reply, split_digests(digests))
        found = [reply for reply in replies if reply is not None]
        return reader.decoded(record, StoredRecord), found
    return None


def trial_page(reader: RunReader, trial: str) -> TrialPage | None:
    loaded = load(reader, trial)
    if loaded is None:
        return None
    record, saved = loaded
    about, name = described(record), str(record["probe"])
    probe = record_owner(name)
    versions = probe.showing.versions(record) if probe else None
    page = TrialPage(
        trial=trial,
        probe=name,
        title=harmless(about.title),
        read=harmless(about.read or outcome_words(name, str(record["outcome"]))),
        facts=[*safe_facts(about.about if versions else about.facts), *_spent(saved)],
        record=harmless(msgspec.json.format(msgspec.json.encode(record), indent=2).decode()),
    )
    if probe is not None and probe.showing.in_turns and name == probe.name:
        page.turns = probe.showing.turns_of(record, saved)
    elif versions is not None:
        page.versions, page.others = _side_by_side(reader, trial, versions)
    elif saved:
        page.chat = chat(reader, saved, about.marked)
    return page


def safe_facts(facts: Facts) -> Facts:
    return [(name, harmless(value)) for name, value in facts]


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
    words, reasoning = passage(reply.text, span), harmless(reply.reasoning[:4000])
    return [*lines, Line("reply", words, harmless(reply.outcome), reasoning)]


def _spent(saved: Sequence[SavedReply]) -> Facts:
    used = sum_known(r.tokens_in for r in saved), sum_known(r.tokens_out for r in saved)
    tokens = "unknown" if None in used else f"{used[0]:,} in, {used[1]:,} out"
    models = dict.fromkeys(harmless(one.model) for one in saved if one.model)
    return [("Tokens", tokens), ("Answered as", ", ".join(models))] if saved else []


def _side_by_side(
    reader: RunReader, trial: str, versions: Versions
) -> tuple[list[Version], list[tuple[str, str]]]:
    """The trial's version, the version that it is compared with, and links to all versions."""
    rows = reader.query(
        "SELECT trial FROM records WHERE trial >= ? AND trial < ? ORDER BY trial",
        # What begins with the prefix comes before the prefix with a later last character.
        (versions.prefix, versions.prefix[:-1] + chr(ord(versions.prefix[-1]) + 1)),
    )
    names = [name for (name,) in rows if name.endswith(versions.suffix)]
    others = [name for name in names if name != versions.left]
    right = trial if trial != versions.left else next(iter(others), "")
    shown = [versions.left if versions.left in names else "", right]
    made = [_version(reader, name, here=name == trial) for name in filter(None, shown)]
    return made, [
        (name, name.removeprefix(versions.prefix).removesuffix(versions.suffix).replace("-", " "))
        for name in names
    ]


def _version(reader: RunReader, trial: str, *, here: bool) -> Version:
    record, saved = load(reader, trial) or ({}, [])
    if not record:
        return Version("not there yet", [], [], here)
    about = described(record)
    lines = chat(reader, saved) if saved else []
    return Version(harmless(about.version), lines, safe_facts(about.facts), here)


def replies_in_words(record: StoredRecord, replies: Sequence[SavedReply]) -> str:
    """Return the text of a trial in a list: its last reply, or all turns of a conversation's first
    speaker.
    """
    probe = record_owner(str(record["probe"]))
    if probe is not None and probe.showing.in_turns and record["probe"] == probe.name:
        return " · ".join(one.text[:200] for one in replies if one.role == replies[0].role)
    return (replies[-1].text[:400_000] or f"[{replies[-1].outcome}]") if replies else ""
