"""A run file as large as the three papers' studies together, made with a simulated model.

The simulated model answers every question, item and game once; those records are then written
again under other repeats, with answers of their own, until there are as many as the papers have.
Each keeps the replies of the trial it was made from.
"""

from __future__ import annotations

import csv
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

import geobias
from geobias.atlas.economies import economies
from geobias.atlas.entities import CATEGORIES, PROFESSIONS
from geobias.probes import geo20q, namebbq, worldbench
from geobias.probes.worldbench.trials import absolute_relative_error

COUNTS = {"worldbench": 44_500, "namebbq": 110_880, "geo20q": 50_400}
MODEL = "sim/biased?stereotype=0.3&gap=0.2&play=0.75&play_gap=0.3"
EACH = 2
"""Made-up people, and as many things, of every economy."""

Row = tuple[str, str, str, str, bytes, str]


def make_run(path: Path) -> dict[str, int]:
    """The run file, and how many records of each probe it holds."""
    table = write_entities(path.with_suffix(".csv"))
    plans = [
        worldbench.plan(size="paper"),
        namebbq.plan(size="paper"),
        geo20q.plan(entities=str(table), setting="both"),
    ]
    draft = path.with_suffix(".draft")
    geobias.run(plans, f"{MODEL}&entities={table}", draft)
    with sqlite3.connect(draft) as db:
        for probe, wanted in COUNTS.items():
            rows = db.execute(
                "SELECT trial, probe, country, outcome, replies, record FROM records"
                " WHERE probe = ? ORDER BY id",
                (probe,),
            ).fetchall()
            more = again(probe, rows, wanted - len(rows))
            db.executemany("INSERT INTO records VALUES (NULL, ?, ?, ?, ?, ?, ?)", more)
        counts = dict(db.execute("SELECT probe, count(*) FROM records GROUP BY probe"))
        _plan_as_many(db, counts)
    db.close()
    draft.rename(path)
    return counts


def _plan_as_many(db: sqlite3.Connection, counts: dict[str, int]) -> None:
    """The manifest of a run that has nothing missing."""
    text = db.execute("SELECT value FROM manifest WHERE key = 'manifest'").fetchone()[0]
    manifest = msgspec.json.decode(text)
    manifest["planned"] = {probe: counts.get(probe, 0) for probe in manifest["probes"]}
    manifest["planned"]["geo20q"] += counts.get("geo20q_judge", 0)
    changed = msgspec.json.encode(manifest).decode()
    db.execute("UPDATE manifest SET value = ? WHERE key = 'manifest'", (changed,))


def again(probe: str, rows: list[Row], count: int) -> Iterator[Row]:
    """So many records more, over and over the rows, each with another answer."""
    dice = random.Random(0)
    records = [msgspec.json.decode(row[-1]) for row in rows]
    alike: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in records:
        alike.setdefault(_kind(probe, record), []).append(record)
    for number in range(max(0, count)):
        repeat, place = divmod(number, len(rows))
        trial, _, country, outcome, replies, _ = rows[place]
        record = records[place] | {"trial": f"{trial}+{repeat + 1}", "repeat": repeat + 1}
        other = dice.choice(alike[_kind(probe, record)])
        if probe == "worldbench":
            value = record["truth"] * dice.lognormvariate(0, 0.4)
            record |= {"value": value, "error": absolute_relative_error(value, record["truth"])}
            record |= {"outcome": "parsed"}
        else:
            record |= {field: other[field] for field in _ANSWERED[probe] if field in other}
        text = msgspec.json.encode(record).decode()
        yield record["trial"], probe, country, outcome, replies, text


_ANSWERED = {
    "namebbq": [
        "label",
        "unknown",
        "target",
        "answer",
        "correct",
        "stereotyped",
        "outcome",
    ],
    "geo20q": [
        "canonical",
        "canonical_turns",
        "unlimited",
        "unlimited_turns",
        "guessed",
        "guessed_country",
        "yes",
        "no",
        "first_place",
        "first_place_turn",
        "outside",
        "entered",
    ],
}
"""Fields of a record that say what was answered."""


def _kind(probe: str, record: dict[str, Any]) -> tuple[Any, ...]:
    """Records of one kind can swap their answers."""
    if probe == "namebbq":
        return tuple(record[field] for field in ("dataset", "condition", "template", "polarity"))
    return (record.get("type"), economies()[record["country"]].region)


def write_entities(path: Path) -> Path:
    """A table of made-up people and things, the same number from every economy."""
    sounds = ("ba", "ko", "ri", "mu", "tes", "van", "lo", "pi", "dor", "shu", "gan", "wek")
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("id", "name", "type", "category", "country"))
        for place, home in enumerate(economies().values()):
            first = sounds[place % 12] + sounds[place // 12 % 12] + sounds[place // 144] + "x"
            for number in range(2 * EACH):
                kind = "person" if number % 2 else "thing"
                kinds = PROFESSIONS if kind == "person" else CATEGORIES
                name = f"{first} {sounds[number % 12]}{sounds[number // 12]}z".title()
                identity = (f"{home.iso3.lower()}-{number}", name, kind)
                chosen = kinds[(place + number) % len(kinds)]
                table.writerow([*identity, chosen, home.iso3])
    return path
