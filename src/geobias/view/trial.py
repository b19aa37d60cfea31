"""The whole of one trial, as its page shows it: what was asked, what was said, what was read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.report.page.said import figure, number
from geobias.runfile.manifest import sum_known
from geobias.runfile.reading import split_digests
from geobias.view import game, rows
from geobias.view.passages import Passage, passage, safe

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
    """One version of a Name-BBQ item: with nationalities, or with the names of a seed."""

    trial: str
    title: str
    chat: list[Line]
    facts: list[tuple[str, str]]
    here: bool


class Shown(msgspec.Struct, frozen=True, kw_only=True):
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
    turns: list[game.Turn] = []
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


def shown(reader: RunReader, trial: str) -> Shown | None:
    """The page of a trial, or None if the run has no such trial."""
    found = load(reader, trial)
    if found is None:
        return None
    record, saved = found
    line = rows.row(record)
    parts = _PARTS.get(line.probe, _plain)(reader, record, saved)
    return Shown(
        trial=trial,
        probe=line.probe,
        title=safe(line.title),
        read=safe(line.read or line.outcome),
        record=safe(msgspec.json.format(msgspec.json.encode(record), indent=2).decode()),
        **parts,
    )


def chat(
    reader: RunReader, reply: SavedReply, span: tuple[int | None, int | None] = (None, None)
) -> list[Line]:
    """The dialogue that ends in a reply; of a long one the last messages."""
    messages = reader.transcript(reply)
    lines = [Line(m.role, passage(m.content)) for m in messages[-MOST_MESSAGES:-1]]
    return [*lines, said(reply, span)]


def said(reply: SavedReply, span: tuple[int | None, int | None] = (None, None)) -> Line:
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


def _plain(
    reader: RunReader, record: Mapping[str, Any], saved: Sequence[SavedReply]
) -> dict[str, Any]:
    lines = chat(reader, saved[-1]) if saved else []
    return {"chat": lines, "facts": [("Outcome", safe(str(record["outcome"]))), *_spent(saved)]}


def _worldbench(
    reader: RunReader, record: Mapping[str, Any], saved: Sequence[SavedReply]
) -> dict[str, Any]:
    facts = [("Outcome", str(record["outcome"]))]
    if record.get("value") is not None:
        facts.append(("Read as", rows.exact(record["value"])))
    facts.append(("Figure", figure(record.get("truth"))))
    if record.get("error") is not None:
        facts.append(("Error", number(record["error"], 3)))
    named = (("scale", "Scale word"), ("source", "Source named"), ("cited_year", "Year named"))
    for key, name in named:
        if record.get(key) and record[key] != 1:
            facts.append((name, f"{record[key]:,g}" if key == "scale" else safe(str(record[key]))))
    if record.get("reason"):
        facts.append(("How it was read", safe(str(record["reason"]))))
    facts.append(("Region", str(record.get("region") or "–")))
    facts.append(("Income group", str(record.get("income") or "–")))
    span = (record.get("span_start"), record.get("span_end"))
    lines = chat(reader, saved[-1], span) if saved else []
    return {"chat": lines, "facts": [*facts, *_spent(saved)]}


def _namebbq(
    reader: RunReader, record: Mapping[str, Any], saved: Sequence[SavedReply]
) -> dict[str, Any]:
    """This version, beside the one it is to be compared with: nationality against names."""
    item, repeat = record["item"], record["repeat"]
    stem = f"namebbq/{item}/"
    names = [
        name
        for (name,) in reader.query(
            "SELECT trial FROM records WHERE trial >= ? AND trial < ? ORDER BY trial",
            (stem, f"namebbq/{item}0"),  # "0" is the character after "/"
        )
        if name.endswith(f"/{repeat}")
    ]
    plain = next((name for name in names if "/nationality/" in name), None)
    here = record["trial"]
    partner = next((name for name in names if name != plain), None) if here == plain else plain
    wanted = [name for name in (plain, partner if here == plain else here) if name]
    versions = [_version(reader, name, here) for name in dict.fromkeys([*wanted, here])]
    if len(versions) == 2:
        left, right = side_by_side(versions[0].chat, versions[1].chat)
        versions = [
            msgspec.structs.replace(version, chat=lines)
            for version, lines in zip(versions, (left, right), strict=True)
        ]
    others = [(name, name.split("/")[-2].replace("-", " ")) for name in names]
    about = [
        ("Template", safe(str(record.get("template")))),
        ("Stereotype about", safe(str(record.get("social_value") or "–"))),
        ("Context", "ambiguous" if record.get("condition") == "ambig" else "says who"),
        ("Question", "negative" if record.get("polarity") == "neg" else "non-negative"),
    ]
    return {"versions": versions, "others": others, "facts": [*about, *_spent(saved)]}


def _version(reader: RunReader, trial: str, here: str) -> Version:
    found = load(reader, trial)
    if found is None:
        return Version(trial, "not there yet", [], [], trial == here)
    record, saved = found
    named = record.get("dataset") == "name"
    people = ("name", "other_name") if named else ("nationality", "other_nationality")
    one, other = (safe(str(record.get(key) or "?")) for key in people)
    letters = {int(index): "abc"[k] for k, index in enumerate(str(record.get("order", "012")))}

    def letter(index: Any) -> str:
        return f"({letters[index]})" if index in letters else "–"

    facts = [
        ("Answered", letter(record.get("answer")) if record.get("answer") is not None else "–"),
        ("Right", letter(record.get("label"))),
        ("Stereotyped", letter(record.get("target"))),
        ("Read as", rows.row(record).result or safe(str(record["outcome"]))),
    ]
    if record.get("reason"):
        facts.append(("How it was read", safe(str(record["reason"]))))
    title = f"{'Names' if named else 'Nationalities'}: {one} and {other}"
    return Version(trial, title, chat(reader, saved[-1]) if saved else [], facts, trial == here)


def _game(
    reader: RunReader, record: Mapping[str, Any], saved: Sequence[SavedReply]
) -> dict[str, Any]:
    found = game.turns(record, saved)
    facts = [
        ("Answer", f"{safe(str(record['name']))} ({record.get('category')})"),
        ("Country", rows.place(str(record.get("country")))),
        ("Language", str(record.get("language"))),
    ]
    for setting in ("canonical", "unlimited"):
        if record.get(setting):
            after = record.get(f"{setting}_turns")
            words = str(record[setting]).replace("_", " ")
            facts.append((setting.capitalize(), f"{words} after {after} turns"))
    if record.get("guessed"):
        instead = f"{record['guessed']}, {rows.place(str(record.get('guessed_country')))}"
        facts.append(("Guessed instead", safe(instead)))
    counts = ("repeated", "contradicted", "not_yes_no", "flips", "leaks", "rambles", "refusals")
    told = [f"{record[key]} {key.replace('_', ' ')}" for key in counts if record.get(key)]
    facts.append(("Marks", ", ".join(told) or "none"))
    if record.get("checked"):
        share = f"{record.get('errors')} of {record['checked']} that the table can check"
        facts.append(("Judge wrong", share))
    place, turn = record.get("first_place"), record.get("first_place_turn")
    if place:
        facts.append(("First place asked", f"{safe(str(place))}, turn {turn}"))
    return {
        "turns": found,
        "map": game.places_map(record, found),
        "facts": [*facts, *_spent(saved)],
    }


_PARTS = {"worldbench": _worldbench, "namebbq": _namebbq, "geo20q": _game}
