"""A table of made-up people and things, and what games about them would cost elsewhere."""

from __future__ import annotations

import csv
from pathlib import Path

from geobias.atlas.economies import economies
from geobias.atlas.entities import CATEGORIES, PROFESSIONS
from geobias.trials import StoredRecord

_SOUNDS = ("ba", "ko", "ri", "mu", "tes", "van", "lo", "pi", "dor", "shu", "gan", "wek")


def name(country: int, number: int) -> str:
    """A name that is no other's, nor part of one: "Bakori Shumugan"."""
    count = len(_SOUNDS)
    parts = [_SOUNDS[country % count], _SOUNDS[country // count % count]]
    parts += [_SOUNDS[country // count**2 % count], _SOUNDS[number % count]]
    parts.append(_SOUNDS[number // count % count])
    return f"{parts[0]}{parts[1]}{parts[2]}x {parts[3]}{parts[4]}z".title()


def write_table(path: Path, each: int, countries: int | None = None) -> Path:
    """`each` people and `each` things of the first so many countries (all if None)."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "name", "type", "category", "country", "views"))
        for place, home in enumerate(list(economies().values())[:countries]):
            for number in range(2 * each):
                kind = "person" if number % 2 else "thing"
                kinds = PROFESSIONS if kind == "person" else CATEGORIES
                called = name(place, number)
                row = [f"{home.iso3.lower()}-{number}", called, kind, kinds[number % len(kinds)]]
                writer.writerow([*row, home.iso3, ""])
    return path


def naive_calls(record: StoredRecord, *, checked: bool = True) -> int:
    """Calls that the published protocol takes for a game's turns.

    There, each setting is a game of its own, the judge answers every turn, and a further model
    checks every turn for giving up, unless games are not `checked`.
    """
    played = sum(record[f"{setting}_turns"] or 0 for setting in ("canonical", "unlimited"))
    return (3 if checked else 2) * played
