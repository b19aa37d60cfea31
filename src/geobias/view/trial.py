"""A single trial as its page shows it: what was asked, answered and read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import msgspec

from geobias.probes.registry import AnyProbe, record_owner
from geobias.report.page.text import harmless
from geobias.results.descriptions import Description, Facts, Span, Turn, Versions
from geobias.runfile import RunReader, SavedReply
from geobias.runfile.manifest import sum_known
from geobias.runfile.reading import split_digests
from geobias.view.index import described, outcome_words

MOST = 6_000
"""Maximum characters shown of one reply; a link leads to the rest."""
AROUND = 1_500
"""Characters before a marked part that lies beyond the cut."""
SNIPPET = 220
"""Characters of a reply in a list."""
safe = harmless


class Passage(msgspec.Struct, frozen=True):
    """A text in three parts, the middle one marked, with the number of characters left out."""

    before: str
    marked: str
    after: str
    skipped: int = 0
    cut: int = 0

    @property
    def whole(self) -> bool:
        return not (self.skipped or self.cut)


def passage(text: str, span: tuple[int, int] | None = None) -> Passage:
    """A text with the part from `span[0]` to `span[1]` marked, cut around it if it is long."""
    start, end = span or (0, 0)
    if not 0 <= start < end <= len(text):
        return _cut_out(text, 0, 0, 0, MOST)
    end = min(end, start + MOST)
    return _cut_out(text, 0 if end <= MOST else max(0, start - AROUND), start, end, MOST)


def snippet(text: str, words: list[str]) -> Passage:
    """The passage around the first of these words, or the beginning if none occurs."""
    line = " ".join(text[:400_000].split())
    low = line.casefold()
    places = [(low.find(word), len(word)) for word in words if word]
    start, length = min((place for place in places if place[0] >= 0), default=(0, 0))
    if len(low) != len(line):  # casefold may lengthen: ß, İ
        start, length = 0, 0
    return _cut_out(line, max(0, start - SNIPPET // 3), start, start + length, SNIPPET)


def _cut_out(text: str, first: int, start: int, end: int, most: int) -> Passage:
    """`most` characters from `first` on, with those from `start` to `end` marked and complete."""
    last = min(len(text), max(end, first + most))
    before, marked, after = text[first:start], text[start:end], text[end:last]
    if not marked:
        before, after = after, ""
    return Passage(harmless(before), harmless(marked), harmless(after), first, len(text) - last)


_WORDS = re.compile(r"\w+|\W")
MOST_MESSAGES = 60
"""Maximum messages of a chat; a game is shown in its own way."""
Pieces = list[tuple[str, bool]]
"""A text in pieces, each with whether it differs from the text beside it."""


class Line(msgspec.Struct, frozen=True):
    """One message of a chat. `digest` is set for a model's own reply."""

    role: str
    words: Passage
    digest: str = ""
    outcome: str = "ok"
    reasoning: str = ""
    parts: Pieces = []


class Version(msgspec.Struct, frozen=True):
    """One version of an item; `here` marks the one whose page it is."""

    title: str
    chat: list[Line]
    facts: list[tuple[str, str]]
    here: bool


class TrialPage(msgspec.Struct, frozen=True, kw_only=True):
    """A trial's page; its parts depend on the probe."""

    trial: str
    probe: str
    title: str
    read: str
    facts: list[tuple[str, str]]
    record: str
    chat: list[Line] = []
    versions: list[Version] = []
    others: list[tuple[str, str]] = []
    turns: list[Turn] = []


def load(reader: RunReader, trial: str) -> tuple[dict[str, Any], list[SavedReply]] | None:
    sql = "SELECT record, replies FROM records WHERE trial = ?"
    for record, digests in reader.query(sql, (trial,)):
        replies = map(reader.reply, split_digests(digests))
        found = [reply for reply in replies if reply is not None]
        return reader.decoded(record, dict[str, Any]), found
    return None


def trial_page(reader: RunReader, trial: str) -> TrialPage | None:
    loaded = load(reader, trial)
    if loaded is None:
        return None
    record, saved = loaded
    about = described(record)
    probe = record_owner(str(record["probe"]))
    return TrialPage(
        trial=trial,
        probe=str(record["probe"]),
        title=safe(about.title),
        read=safe(about.read or outcome_words(str(record["probe"]), str(record["outcome"]))),
        record=safe(msgspec.json.format(msgspec.json.encode(record), indent=2).decode()),
        **_parts(reader, probe, record, saved, about),
    )


def _parts(
    reader: RunReader,
    probe: AnyProbe | None,
    record: Mapping[str, Any],
    saved: Sequence[SavedReply],
    about: Description,
) -> dict[str, Any]:
    """A conversation in turns, versions of an item side by side, or a question and its reply."""
    facts = {"facts": [*safe_facts(about.facts), *_spent(saved)]}
    if probe is not None and probe.showing.in_turns and record["probe"] == probe.name:
        turns = probe.showing.turns_of(record, saved)
        return facts | {"turns": turns}
    if probe is not None and (versions := probe.showing.versions(record)) is not None:
        facts = {"facts": [*safe_facts(about.about), *_spent(saved)]}
        return facts | _side_by_side(reader, record, versions)
    return facts | {"chat": chat(reader, saved, about.marked) if saved else []}


def safe_facts(facts: Facts) -> Facts:
    return [(name, safe(value)) for name, value in facts]


def chat(reader: RunReader, saved: Sequence[SavedReply], span: Span | None = None) -> list[Line]:
    """The dialogue that ends in a trial's last reply, or its last messages if it is long.

    Earlier replies of the model, when it was asked again, are distinguished from given examples.
    """
    *earlier, reply = saved
    own = {("assistant", one.text) for one in earlier}
    lines = [
        Line("earlier" if (m.role, m.content) in own else m.role, passage(m.content))
        for m in reader.transcript(reply)[-MOST_MESSAGES:-1]
    ]
    outcome, reasoning = safe(reply.outcome), safe(reply.reasoning[:4000])
    last = Line("reply", passage(reply.text, span), reply.digest.hex(), outcome, reasoning)
    return [*lines, last]


def side_by_side(left: list[Line], right: list[Line]) -> tuple[list[Line], list[Line]]:
    """Two chats with the words marked in which their questions differ."""
    if len(left) != len(right):
        return left, right
    marked: tuple[list[Line], list[Line]] = ([], [])
    for one, other in zip(left, right, strict=True):
        pieces: tuple[Pieces, Pieces] = ([], [])
        if one.role == other.role != "reply" and one.words.whole and other.words.whole:
            pieces = _differences(one.words.before, other.words.before)
        for lines, line, parts in zip(marked, (one, other), pieces, strict=True):
            lines.append(msgspec.structs.replace(line, parts=parts))
    return marked


def _differences(one: str, other: str) -> tuple[Pieces, Pieces]:
    left, right = _WORDS.findall(one), _WORDS.findall(other)
    pieces: tuple[Pieces, Pieces] = ([], [])
    for kind, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for side, words in zip(pieces, (left[i:j], right[k:m]), strict=True):
            if words:
                side.append(("".join(words), kind != "equal"))
    return pieces


def _spent(saved: Sequence[SavedReply]) -> list[tuple[str, str]]:
    used = sum_known(r.tokens_in for r in saved), sum_known(r.tokens_out for r in saved)
    tokens = "unknown" if None in used else f"{used[0]:,} in, {used[1]:,} out"
    models = dict.fromkeys(safe(one.model) for one in saved if one.model)
    return [("Tokens", tokens), ("Answered as", ", ".join(models))] if saved else []


def _side_by_side(
    reader: RunReader, record: Mapping[str, Any], versions: Versions
) -> dict[str, Any]:
    """This version beside the one it is compared with."""
    names = [
        name
        for (name,) in reader.query(
            "SELECT trial FROM records WHERE trial >= ? AND trial < ? ORDER BY trial",
            # What begins so ends before the next character after its last.
            (versions.prefix, versions.prefix[:-1] + chr(ord(versions.prefix[-1]) + 1)),
        )
        if name.endswith(versions.suffix)
    ]
    here = record["trial"]
    left = versions.left if versions.left in names else None
    other = here if here != left else next((name for name in names if name != left), None)
    shown = [_version(reader, name, here) for name in (left, other) if name is not None]
    if len(shown) == 2:
        chats = side_by_side(shown[0].chat, shown[1].chat)
        shown = [
            msgspec.structs.replace(version, chat=lines)
            for version, lines in zip(shown, chats, strict=True)
        ]
    others = [
        (name, name.removeprefix(versions.prefix).removesuffix(versions.suffix).replace("-", " "))
        for name in names
    ]
    return {"versions": shown, "others": others}


def _version(reader: RunReader, trial: str, here: str) -> Version:
    loaded = load(reader, trial)
    if loaded is None:
        return Version("not there yet", [], [], trial == here)
    record, saved = loaded
    about = described(record)
    lines = chat(reader, saved) if saved else []
    return Version(safe(about.version), lines, safe_facts(about.facts), trial == here)
