"""The figures of Geo20Q+ that no measure draws: its curve, wrong guesses, first places, languages,
and the paper's models.

Where games were played in both settings, the canonical one is drawn, and the curve shows the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geobias.atlas.economies import REGION_CODES
from geobias.measures.measure import HALVES
from geobias.probes.geo20q import scores
from geobias.probes.geo20q.languages import CONTINENTS
from geobias.results.charts import Chart, Curves, Heatmap, Rows
from geobias.results.figures import (
    REGION_HEADS,
    Figure,
    among_published,
    dots,
    figure_of,
    models_here,
    reach,
)
from geobias.results.findings import Findings, Section
from geobias.results.formatting import estimate, number
from geobias.results.tables import bounded, rows_of

TYPES = tuple(scores.TYPES.values())
WON = "share of games won"
MOST_PLACES = 8
HALF_NAMES = [name for names in HALVES.values() for name in names]
CONTINENT_HEADS = {"all": "All", "North America": "N. Am.", "South America": "S. Am."}


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """All that the sections' tables allow, in the order in which they are read."""
    made = [
        *(_language_continents(sections, type_) for type_ in TYPES),
        *(_curve(sections, type_) for type_ in TYPES),
        *(_wrong_guesses(sections, type_) for type_ in TYPES),
        _first_places(sections),
        *(_published(sections, type_) for type_ in TYPES),
    ]
    return [figure for figure in made if figure is not None]


def _rows(section: Section, table: str) -> Rows:
    """The rows of a table, of the setting that is drawn."""
    rows = rows_of(section, table)
    if len({row.get("setting") for row in rows}) < 2:
        return rows
    return [row for row in rows if row["setting"] == "canonical"]


def _curve(sections: Sequence[Section], type_: str) -> Figure | None:
    def place(row: dict[str, Any]) -> int:
        """Where lines lie on each other, the same one is on top in every figure."""
        return HALF_NAMES.index(row["group"]) if row["group"] in HALF_NAMES else len(HALF_NAMES)

    def rows(section: Section) -> Rows:
        curves = [rows_of(section, table) for table in ("curve", "curve_halves")]
        most = max(curves, key=lambda rows: len({row["group"] for row in rows}))
        return [
            {
                "x": row["allowed_turns"],
                "series": row["group"],
                **bounded(row, "success"),
                "played": row["played"],
                "said": f"{row['group']}, {row['allowed_turns']} turns: "
                f"{estimate(**bounded(row, 'success'))}, {row['played']:,} games",
            }
            for row in sorted(most, key=place)
            if row["type"] == type_
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        groups = {row["series"] for row in shown}
        # The same half of the world has the same colour in every figure.
        series = HALF_NAMES if groups & set(HALF_NAMES) else sorted(groups)[:1]
        return Curves(
            rows=[row for row in shown if row["series"] in series],
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
        "share that come from every region. Only guesses that name an entity of the table are "
        "placed.",
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


def _language_continents(sections: Sequence[Section], type_: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        return [
            {
                "row": row["language"],
                "column": CONTINENT_HEADS.get(row["group"], row["group"]),
                "value": row["success"],
                "turns": row["turns"],
                "played": row["played"],
                "shown": f"{row['success']:.0%}"
                + ("" if row["turns"] is None else f" ({row['turns']:.0f})"),
                "said": f"{row['language']}, {row['group']}: {estimate(**bounded(row, 'success'))} "
                f"of {row['played']:,} games won"
                + (f", after {number(row['turns'], 1)} turns on average" if row["won"] else ""),
            }
            for row in _rows(section, "languages")
            if row["type"] == type_ and row["success"] is not None
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        columns = [CONTINENT_HEADS.get(name, name) for name in ("all", *sorted(CONTINENTS))]
        return Heatmap(rows=shown, x_title=None, columns=columns, most=1)

    notes = [one.tables["languages"].note for one in sections if rows(one)]
    return figure_of(
        sections,
        rows,
        draw,
        same_order=True,
        name=f"geo20q-languages-{type_}",
        title=f"By language and continent: {type_}",
        note="Share of games won, and in brackets the mean number of turns of those games. "
        + " ".join(dict.fromkeys(notes)),
        alt="A table of shaded cells: languages down, continents across.",
    )


def _published(sections: Sequence[Section], type_: str) -> Figure | None:
    continents = {name: CONTINENT_HEADS.get(name, name) for name in sorted(CONTINENTS)}

    def rows(section: Section) -> Rows:
        table = _rows(section, "published_success_by_continent")
        models = [row for row in table if row["type"] == type_]
        if not any(row["here"] for row in models):
            return []  # the run has no games like the paper's: nothing stands beside it
        return [
            {
                "row": row["model"],
                "column": head,
                "value": row[continent],
                "here": row["here"],
                "shown": f"{row[continent]:.0%}",
                "said": f"{row['model']}, {continent}: {row[continent]:.0%}",
            }
            for row in sorted(models, key=lambda row: not row["here"])
            for continent, head in continents.items()
            if row[continent] is not None
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        columns = list(continents.values())
        own = models_here(everything)
        return Heatmap(rows=shown, x_title=None, columns=columns, most=1, bold=own)

    return among_published(
        sections,
        rows,
        draw,
        order=lambda row: not row["here"],
        name=f"geo20q-published-{type_}",
        title=f"Beside the models of the Geo20Q+ paper: {type_}",
        note=f"Share of games won within {scores.TURNS['canonical']} turns, by continent. The "
        "paper played its own list of entities; compare patterns rather than single cells.",
        alt="A table of shaded cells: models down, continents across, with the share of games won.",
    )
