"""The whole of one trial, as its page shows it: what was asked, what was said, what was read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.probes.registry import AnyProbe, record_owner
from geobias.report.page.colours import by_name
from geobias.report.page.worldmap import world_map
from geobias.results.charts import WorldMap
from geobias.results.descriptions import Description, Facts, Span, Turn, Versions
from geobias.runfile.manifest import sum_known
from geobias.runfile.reading import split_digests
from geobias.view.passages import Passage, passage, safe
from geobias.view.rows import described

if TYPE_CHECKING:
    from geobias.runfile import RunReader, SavedReply

_WORDS = re.compile(r"\w+|\W")
MOST_MESSAGES = 60
"""Of a chat; a game is shown in its own way."""


class Line(msgspec.Struct, frozen=True):
    """One message of a chat. `digest` is that of a model's own reply."""

    role: str
    words: Passage
    digest: str = ""
    outcome: str = "ok"
    reasoning: str = ""
    parts: list[tuple[str, bool]] = []
    """The words in pieces, where they differ from those beside them or not."""


class Version(msgspec.Struct, frozen=True):
    """One of the versions of an item that are shown side by side."""

    trial: str
    title: str
    chat: list[Line]
    facts: list[tuple[str, str]]
    here: bool


class ShownTurn(msgspec.Struct, frozen=True):
    """A turn of a conversation, with its words made fit for a page."""

    turn: Turn
    asked: Passage
    reply: Passage | None


class TrialPage(msgspec.Struct, frozen=True, kw_only=True):
    """A trial's page: which parts are there depends on the probe."""

    trial: str
    probe: str
    title: str
    read: str
    facts: list[tuple[str, str]]
    record: str
    chat: list[Line] = []
    versions: list[Version] = []
    others: list[tuple[str, str]] = []
    turns: list[ShownTurn] = []
    map: str = ""


def load(reader: RunReader, trial: str) -> tuple[dict[str, Any], list[SavedReply]] | None:
    """The record of a trial and its replies, or None if the run has no such trial."""
    row = next(
        reader.query("SELECT record, replies FROM records WHERE trial = ?", (trial,)),
        None,
    )
    if row is None:
        return None
    found = (reader.reply(digest) for digest in split_digests(row[1]))
    saved = [reply for reply in found if reply is not None]
    return msgspec.json.decode(row[0]), saved


def trial_page(reader: RunReader, trial: str) -> TrialPage | None:
    """The page of a trial, or None if the run has no such trial."""
    found = load(reader, trial)
    if found is None:
        return None
    record, saved = found
    about = described(record)
    probe = record_owner(str(record["probe"]))
    return TrialPage(
        trial=trial,
        probe=str(record["probe"]),
        title=safe(about.title),
        read=safe(about.read or str(record["outcome"])),
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
    if probe is not None and probe.in_turns and record["probe"] == probe.name:
        turns = probe.turns(record, saved)
        return {
            "turns": [
                ShownTurn(
                    turn,
                    passage(turn.asked, turn.marked),
                    None if turn.reply is None else passage(turn.reply),
                )
                for turn in turns
            ],
            "map": _map(probe.turns_map(record, turns)),
            "facts": [*_safe(about.facts), *_spent(saved)],
        }
    versions = probe.versions(record) if probe else None
    if versions is not None:
        return _side_by_side(reader, record, versions) | {
            "facts": [*_safe(about.about), *_spent(saved)]
        }
    lines = chat(reader, saved[-1], about.marked) if saved else []
    return {"chat": lines, "facts": [*_safe(about.facts), *_spent(saved)]}


def _safe(facts: Facts) -> Facts:
    return [(name, safe(value)) for name, value in facts]


def _map(chart: WorldMap | None) -> str:
    """A map of where a conversation went, with colours by name; "" where there is none."""
    if chart is None:
        return ""
    count = sum(spot.value is not None for spot in chart.spots.values())
    title = f'<svg role="img" aria-label="Places asked about, {count} economies" '
    return by_name(world_map(chart)).replace("<svg ", title, 1)


def chat(reader: RunReader, reply: SavedReply, span: Span | None = None) -> list[Line]:
    """The dialogue that ends in a reply; of a long one the last messages."""
    messages = reader.transcript(reply)
    lines = [Line(m.role, passage(m.content)) for m in messages[-MOST_MESSAGES:-1]]
    return [*lines, said(reply, span)]


def said(reply: SavedReply, span: Span | None = None) -> Line:
    """A reply alone."""
    return Line(
        "reply",
        passage(reply.text, span),
        reply.digest.hex(),
        safe(reply.outcome),
        safe(reply.reasoning[:4000]),
    )


def side_by_side(left: list[Line], right: list[Line]) -> tuple[list[Line], list[Line]]:
    """Two chats with the words marked in which their questions differ."""
    if len(left) != len(right):
        return left, right
    found: tuple[list[Line], list[Line]] = ([], [])
    for one, other in zip(left, right, strict=True):
        pieces: tuple[list[tuple[str, bool]], list[tuple[str, bool]]] = ([], [])
        if one.role == other.role != "reply" and one.words.whole and other.words.whole:
            pieces = _differences(one.words.before, other.words.before)
        for lines, line, parts in zip(found, (one, other), pieces, strict=True):
            lines.append(msgspec.structs.replace(line, parts=parts))
    return found


def _differences(one: str, other: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    left, right = _WORDS.findall(one), _WORDS.findall(other)
    pieces: tuple[list[tuple[str, bool]], list[tuple[str, bool]]] = ([], [])
    for kind, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for found, words in ((pieces[0], left[i:j]), (pieces[1], right[k:m])):
            if words:
                found.append(("".join(words), kind != "equal"))
    return pieces


def _spent(saved: Sequence[SavedReply]) -> list[tuple[str, str]]:
    if not saved:
        return []
    last = saved[-1]
    used = sum_known(r.tokens_in for r in saved), sum_known(r.tokens_out for r in saved)
    tokens = "unknown" if None in used else f"{used[0]:,} in, {used[1]:,} out"
    found = [("Tokens", tokens), ("Seconds", f"{sum(r.seconds for r in saved):.2f}")]
    if last.model:
        found.append(("Answered as", safe(last.model)))
    return [*found, ("Sampling", safe(last.sampling))]


def _side_by_side(
    reader: RunReader, record: Mapping[str, Any], versions: Versions
) -> dict[str, Any]:
    """This version, beside the one it is to be compared with."""
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
    wanted = dict.fromkeys(name for name in (left, other, here) if name is not None)
    shown = [_version(reader, name, here) for name in wanted]
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
    found = load(reader, trial)
    if found is None:
        return Version(trial, "not there yet", [], [], trial == here)
    record, saved = found
    about = described(record)
    lines = chat(reader, saved[-1]) if saved else []
    return Version(trial, safe(about.version), lines, _safe(about.facts), trial == here)
