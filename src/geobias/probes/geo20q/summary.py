"""What a terminal shows of a run: success of all games and of either half of the world, turns."""

from __future__ import annotations

from geobias.results.findings import Cell, Column, Section, Table
from geobias.results.tabling import rows_of

_BOUNDS = ("", "_low", "_high")


def summary(section: Section) -> Table:
    """`played` counts games that came to an end; turns are of those that were won."""
    turns = {(row["type"], row["setting"]): row for row in rows_of(section, "turns")}
    found = [("", row) for row in rows_of(section, "success")]
    found += [(row["group"], row) for row in rows_of(section, "halves_success")]
    found.sort(key=lambda one: (one[1]["type"], one[1]["setting"], one[0]))
    rows: list[dict[str, Cell]] = []
    for half, row in found:
        group = half.removeprefix("Global ") or "all"
        shown: dict[str, Cell] = {"games": f"{row['type']} {row['setting']} {group}"}
        shown |= {f"success{end}": row[f"success{end}"] for end in _BOUNDS}
        pace = {} if half else turns.get((row["type"], row["setting"]), {})
        shown |= {f"turns{end}": pace.get(f"turns{end}") for end in _BOUNDS}
        rows.append(shown | {"played": row["played"]})
    columns = [
        Column(name="games", label="games", kind="text"),
        *(
            Column(name=f"{name}{end}", label=name, kind="number")
            for name in ("success", "turns")
            for end in _BOUNDS
        ),
        Column(name="played", label="played", kind="count"),
    ]
    return Table(title="share of games won, each game once", note="", columns=columns, rows=rows)
