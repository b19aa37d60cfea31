"""The figures of Geo20Q+ that no measure draws: its curve, wrong guesses and first places.

Where games were played in both settings, the canonical one is drawn, and the curve shows the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from geobias.atlas.economies import REGION_CODES
from geobias.measures.measure import HALVES
from geobias.probes.geo20q import scores
from geobias.results.charts import Chart, Curves, Heatmap, Rows
from geobias.results.figures import (
    REGION_HEADS,
    Figure,
    dots,
    figure_of,
    reach,
)
from geobias.results.findings import Findings, Section
from geobias.results.formatting import estimate, number
from geobias.results.tables import bounded, rows_of

TYPES = tuple(scores.TYPES.values())
WON = "share of games won"
MOST_PLACES = 8
HALF_NAMES = [name for names in HALVES.values() for name in names]


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """All that the sections' tables allow, in the order in which they are read."""
    made = [
        *(_curve(sections, type_) for type_ in TYPES),
        *(_wrong_guesses(sections, type_) for type_ in TYPES),
        _first_places(sections),
    ]
    return [figure for figure in made if figure is not None]


def _rows(section: Section, table: str) -> Rows:
    """The rows of a table, of the setting that is drawn."""
    rows = rows_of(section, table)
    if len({row.get("setting") for row in rows}) < 2:
        return rows
    return [row for row in rows if row["setting"] == "canonical"]


def _curve(sections: Sequence[Section], type_: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        found = [row for row in rows_of(section, "curve") if row["type"] == type_]
        halves = [row for row in found if row["group"] in HALF_NAMES]
        # Where lines lie on each other, the same one is on top in every figure.
        halves.sort(key=lambda row: HALF_NAMES.index(row["group"]))
        return [
            {
                "x": row["allowed_turns"],
                "series": row["group"],
                **bounded(row, "success"),
                "played": row["played"],
                "said": f"{row['group']}, {row['allowed_turns']} turns: "
                f"{estimate(**bounded(row, 'success'))}, {row['played']:,} games",
            }
            for row in halves or found
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        groups = {row["series"] for row in shown}
        # The same half of the world has the same colour in every figure.
        series = HALF_NAMES if groups & set(HALF_NAMES) else ["all"]
        return Curves(
            rows=shown,
            x_title="turns allowed",
            y_title=WON,
            series=series,
            domain=(0, reach(everything, "value", "high")),
            every=10 if max(row["x"] for row in shown) > 40 else 2,
        )

    return figure_of(
        sections,
        rows,
        draw,
        name=f"geo20q-curve-{type_}",
        title=f"What more turns are worth: {type_}",
        note="Share of games won when the game ends after so many turns; bands are 95% intervals "
        "for each limit alone.",
        alt="Rising curves of the share of games won against the turns allowed.",
    )


def _wrong_guesses(sections: Sequence[Section], type_: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        return [
            {
                "row": row["target"],
                "column": code,
                "value": row[code],
                "placed": row["placed"],
                "shown": f"{row[code]:.0%}" if row[code] else "",
                "said": f"From {row['target']}, guessed from {region}: {row[code]:.0%} of "
                f"{row['placed']:,} wrong guesses",
            }
            for row in _rows(section, "instead")
            if row["type"] == type_ and row["placed"]
            for region, code in REGION_CODES.items()
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        columns = list(dict.fromkeys(row["column"] for row in shown))
        title = "where the guess is from"
        return Heatmap(rows=shown, x_title=title, columns=columns, heads=REGION_HEADS, most=1)

    return figure_of(
        sections,
        rows,
        draw,
        same_order=True,
        counted="placed",
        name=f"geo20q-instead-{type_}",
        title=f"{'Who' if type_ == 'people' else 'What'} was guessed instead: {type_}",
        note="Of the wrong guesses about entities from each region (how many, in brackets), the "
        "share that come from every region. Guesses are placed that name an entity of the table, "
        "and final guesses that the referee places.",
        alt="A table of shaded cells: the target's region down, the guess's region across.",
    )


def _first_places(sections: Sequence[Section]) -> Figure | None:
    return dots(
        sections,
        "first_places",
        row="place",
        value="share",
        said=lambda row: f"of {row['games']:,} games, at turn {number(row['turn'], 1)} on average",
        axis="share of games",
        series={name: name for name in TYPES},
        series_of="type",
        data=("first", "games"),
        digits=2,
        same_order=True,
        counted="first",
        most=MOST_PLACES,
        name="geo20q-first-places",
        title="Which part of the world it asks about first",
        note="Share of games in which the place is the first that is asked about, with 95% "
        "intervals.",
        alt="Dots with intervals for the places asked about first.",
    )
