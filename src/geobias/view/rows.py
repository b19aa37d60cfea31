"""One line of a list for each trial: what it is about and what came of it, in a few words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.indicators import indicators
from geobias.report.checks import LARGE_ERROR
from geobias.report.page.said import figure, number


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What the index keeps of a trial, beside the words that were said.

    topic     indicator, social value, kind of entity
    language  code of the language of the questions
    result    what came of it, finer than the outcome: right, won, error over 0.85 …
    title     what the trial is about; `read` what was read, for the list
    error     WorldBench's, where there is one
    answers   a game's answers of the judge
    variant   Name-BBQ: "nationality", or "name-1" …
    shuffle   a number that puts trials in an order without meaning: the order of samples
    """

    trial: str
    probe: str
    country: str
    region: str
    income: str
    continent: str
    half: str
    topic: str
    language: str
    outcome: str
    result: str
    title: str
    read: str
    error: float | None
    answers: int
    variant: str
    shuffle: int


def row(record: Mapping[str, Any]) -> Row:
    """The line of a record, whatever its probe."""
    probe, country = str(record["probe"]), str(record.get("country") or "")
    economy = economies().get(country)
    special = _SPECIAL.get(probe, _plain)(record)
    return Row(
        trial=str(record["trial"]),
        probe=probe,
        country=country,
        region=economy.region if economy else "",
        income=(economy.income or "") if economy else "",
        continent=economy.continent if economy else "",
        half=(economy.north_south or "") if economy else "",
        outcome=str(record["outcome"]),
        shuffle=shuffle(str(record["trial"])),
        **(_NOTHING | special),
    )


def shuffle(name: str) -> int:
    """A number of 62 bits by which names are put in an order without meaning, always the same."""
    digest = blake2b(name.encode(errors="replace"), digest_size=8, person=b"geobias-view").digest()
    return int.from_bytes(digest) >> 2


_NOTHING: dict[str, Any] = {
    "topic": "",
    "language": "en",
    "result": "",
    "title": "",
    "read": "",
    "error": None,
    "answers": 0,
    "variant": "",
}


def exact(value: float | None) -> str:
    """A figure with all its digits, for whoever holds it against the text."""
    return "–" if value is None else f"{value:,.15g}"


def short(value: float | None) -> str:
    """A figure for a list: millions, billions and trillions by their letters."""
    if value is None:
        return "–"
    for limit, word in ((1e12, "tn"), (1e9, "bn"), (1e6, "m")):
        if abs(value) >= limit:
            return f"{value / limit:,.4g} {word}"
    return figure(value)


def place(country: str) -> str:
    """An economy's name, or the code where there is no such economy."""
    economy = economies().get(country)
    return economy.name if economy else country


def label(indicator: str) -> str:
    """An indicator's name for people; a user's own goes by its id."""
    known = indicators().get(indicator)
    return known.label if known else indicator.replace("_", " ")


def _worldbench(record: Mapping[str, Any]) -> dict[str, Any]:
    indicator = str(record.get("indicator", ""))
    error, value = record.get("error"), record.get("value")
    result = ""
    if error is not None:
        result = "error over 0.85" if error > LARGE_ERROR else "error up to 0.85"
    read = ""
    if value is not None:
        read = f"{short(value)} for {short(record.get('truth'))}, error {number(error)}"
    return {
        "topic": indicator,
        "title": f"{label(indicator)}, {place(str(record.get('country', '')))}",
        "read": read,
        "error": error,
        "result": result,
    }


def _namebbq(record: Mapping[str, Any]) -> dict[str, Any]:
    named = record.get("dataset") == "name"
    people = ("name", "other_name") if named else ("nationality", "other_nationality")
    one, other = (str(record.get(key) or "?") for key in people)
    about = str(record.get("social_value") or record.get("template") or "")
    context = "nobody can know" if record.get("condition") == "ambig" else "the text says"
    result = ""
    if record.get("answer") is not None:
        result = "right" if record.get("correct") else "wrong"
        if record.get("stereotyped") and not record.get("correct"):
            result = "wrong, as the stereotype"
    return {
        "topic": about,
        "title": f"{one} and {other}: {about}, {context}",
        "read": result,
        "result": result,
        "variant": f"name-{record.get('seed')}" if named else "nationality",
    }


def _game(record: Mapping[str, Any]) -> dict[str, Any]:
    endings = [
        (str(record[setting]).replace("_", " "), record.get(f"{setting}_turns"))
        for setting in ("canonical", "unlimited")
        if record.get(setting)
    ]
    said = [f"{word} after {turns} turn{'s' if turns != 1 else ''}" for word, turns in endings]
    return {
        "topic": str(record.get("category", "")),
        "language": str(record.get("language") or "en"),
        "title": f"{record.get('name', '')} ({place(str(record.get('country', '')))})",
        "read": ", ".join(dict.fromkeys(said)),
        "result": endings[-1][0] if endings else "",
        "answers": sum(int(record.get(word) or 0) for word in ("yes", "no", "maybe", "unread")),
    }


def _judge(record: Mapping[str, Any]) -> dict[str, Any]:
    answer, truth = record.get("answer") or "", record.get("truth") or ""
    result = ("right" if answer == truth else "wrong") if answer else ""
    return {
        "topic": str(record.get("category", "")),
        "language": str(record.get("language") or "en"),
        "title": f"{record.get('name', '')}: {record.get('text', '')}",
        "read": f"{answer or 'no answer'}, the table says {truth}",
        "result": result,
    }


def _plain(record: Mapping[str, Any]) -> dict[str, Any]:
    return {"title": place(str(record.get("country") or "")) or str(record["trial"])}


_SPECIAL: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "worldbench": _worldbench,
    "namebbq": _namebbq,
    "geo20q": _game,
    "geo20q_judge": _judge,
}
