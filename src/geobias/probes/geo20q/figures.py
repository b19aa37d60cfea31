"""The figures of Geo20Q+: what a model works out.

Tables are known by their columns, not by their names: success by any group is drawn the same way,
whatever the group is. Where games were played in both settings, the canonical one is drawn, and the
curve shows the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from geobias.atlas.economies import REGION_CODES
from geobias.probes.geo20q.allowed_turns import allowed_turns, within
from geobias.probes.geo20q.scores import TURNS
from geobias.results.charts import Chart, Curves, Heatmap, Intervals, Rows
from geobias.results.figures import (
    MOST_GROUPS,
    REGION_HEADS,
    Figure,
    among_published,
    figure_of,
    map_of,
    reach,
)
from geobias.results.findings import Findings, Section, Table
from geobias.results.formatting import estimate, number, p_value, words

TYPES = ("people", "things")
WON = "share of games won"
MOST_PLACES = 8
MOVES = {
    "repeated": "Asked before",
    "not_yes_no": "No yes/no question",
    "contradicted": "Against what it was told",
}
HALVES = {
    "north_south": ("Global North", "Global South"),
    "west_east": ("Global West", "Global East"),
}


SIDES = [side for sides in HALVES.values() for side in sides]


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """All that the sections' tables allow, in the order in which they are read."""
    grouped = list(
        dict.fromkeys(
            name
            for section in sections
            for name, table in section.tables.items()
            if _has(table, "type", "setting", "group", "success", "won", "played")
            and len({row["group"] for row in table.rows}) > 1
            and not {row["group"] for row in table.rows} & set(HALVES["north_south"])
            and name not in ("countries", "country")
        )
    )
    return [
        one
        for one in (
            *_maps(findings, sections),
            _halves(sections),
            *(_groups(sections, name) for name in grouped),
            *(_curve(sections, kind) for kind in TYPES),
            *(_instead(sections, kind) for kind in TYPES),
            _first_places(sections),
            _questions(sections),
            *(_published(sections, kind) for kind in TYPES),
        )
        if one is not None
    ]


def _has(table: Table, *columns: str) -> bool:
    return set(columns) <= {column.name for column in table.columns}


def _rows(section: Section, *columns: str) -> Rows:
    """The rows of the first table with these columns, of the setting that is drawn."""
    for table in section.tables.values():
        if _has(table, *columns):
            return _of_setting(_dicts(table))
    return []


def _dicts(table: Table) -> Rows:
    return [dict(row) for row in table.rows]


def _of_setting(rows: Rows) -> Rows:
    settings = {row.get("setting") for row in rows}
    if len(settings) < 2:
        return rows
    return [row for row in rows if row["setting"] == "canonical"]


def _maps(findings: Findings, sections: Sequence[Section]) -> list[Figure | None]:
    measured = dict.fromkeys(
        one.metric
        for country in findings.countries
        for one in country.measures
        if one.metric.startswith("geo20q.success")
    )
    return [
        map_of(
            findings,
            sections,
            metric,
            name=f"geo20q-map{'' if i == 0 else f'-{i + 1}'}",
            title="How often it finds people and things from each economy"
            + within(allowed_turns(findings, metric.rpartition("_")[2]), ", within"),
            note="Share of games won about entities from each economy, with intervals over "
            "entities. An economy has a few games: read the interval.",
            alt="World map in an equal-area projection, each economy shaded by the share of games "
            "won. The table of countries has the same numbers.",
            legend=WON,
            percent=True,
            optional=10 if i else None,
        )
        for i, metric in enumerate(measured)
    ]


def _share(row: dict[str, Any], label: str, series: str, counted: str) -> dict[str, Any]:
    value, low, high = row["success"], row["success_low"], row["success_high"]
    return {
        "row": label,
        "series": series,
        "value": value,
        "low": low,
        "high": high,
        "played": row["played"],
        "said": f"{label}, {series}: {estimate(value, low, high)}, {row['played']:,} {counted}",
    }


def _draw_types(title: str) -> Callable[[Rows, Sequence[Rows]], Chart]:
    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        end = reach(everything, "value", "high")
        return Intervals(rows=shown, title=title, domain=(0, end), series=TYPES)

    return draw


def _groups(sections: Sequence[Section], name: str) -> Figure | None:
    titles = [section.tables[name].title for section in sections if name in section.tables]

    def rows(section: Section) -> Rows:
        table = section.tables.get(name)
        if table is None:
            return []
        found = _of_setting(_dicts(table))
        order = list(dict.fromkeys(row["group"] for row in found))
        return [
            _share(
                row,
                words(str(row["group"])) if name in _LOWER else row["group"],
                row["type"],
                "games",
            )
            for row in sorted(found, key=lambda one: order.index(one["group"]))
        ]

    return figure_of(
        sections,
        rows,
        _draw_types(WON),
        same_order=True,
        counted="played",
        series=TYPES,
        most=MOST_GROUPS,
        name=f"geo20q-{name.replace('_', '-').replace(' ', '-')}",
        optional={"professions": 50, "categories": 60, "continents": 130}.get(name),
        title=titles[0],
        note="Share of games won, each game counting once, with 95% intervals from resampling "
        "countries. In brackets: games"
        + (", about people and about things." if _both_types(sections, name) else "."),
        alt="Dots with intervals for each group, for people and for things.",
    )


def _both_types(sections: Sequence[Section], name: str) -> bool:
    found = [row for one in sections if name in one.tables for row in one.tables[name].rows]
    return len({row["type"] for row in found}) > 1


_LOWER = {"categories", "category", "professions", "profession"}
"""Tables whose groups are ids and not names."""


def _halves(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        found = []
        for row in _rows(section, "halves", "first", "second", "p_holm"):
            if row.get("games") not in (None, "all") or row["halves"] not in HALVES:
                continue
            for side, name in zip(("first", "second"), HALVES[row["halves"]], strict=True):
                value, low, high = row[side], row[f"{side}_low"], row[f"{side}_high"]
                found.append(
                    {
                        "row": name,
                        "series": row["type"],
                        "value": value,
                        "low": low,
                        "high": high,
                        "countries": row.get(f"{side}_countries"),
                        "p_holm": row["p_holm"],
                        "said": f"{name}, {row['type']}: {estimate(value, low, high)}, "
                        f"{row.get(f'{side}_countries')} economies; p, adjusted (Holm), "
                        f"{p_value(row['p_holm'])}",
                    }
                )
        return found

    return figure_of(
        sections,
        rows,
        _draw_types("mean over economies of the share of games won"),
        same_order=True,
        counted="countries",
        series=TYPES,
        name="geo20q-halves",
        title="Between the halves of the world",
        note="Mean over economies (how many, in brackets, for people and things) and its 95% "
        "interval. p (on hover) is Mann–Whitney’s, North "
        "against South and West against East, adjusted for the tests of the table.",
        alt="Dots with intervals for the Global North and South, West and East.",
    )


def _curve(sections: Sequence[Section], kind: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        tables = [t for t in section.tables.values() if _has(t, "allowed_turns", "success")]
        if not tables:
            return []
        most = max(tables, key=lambda one: len({row["group"] for row in one.rows}))
        return [
            {
                "x": row["allowed_turns"],
                "series": row["group"],
                "value": row["success"],
                "low": row["success_low"],
                "high": row["success_high"],
                "played": row["played"],
                "said": f"{row['group']}, {row['allowed_turns']} turns: "
                f"{estimate(row['success'], row['success_low'], row['success_high'])}, "
                f"{row['played']:,} games",
            }
            for row in sorted(_dicts(most), key=lambda one: _place(one["group"]))
            if row["type"] == kind
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        found = {row["series"] for row in shown}
        # The same half of the world has the same colour in every figure.
        series = SIDES if found & set(SIDES) else sorted(found)[:1]
        every = 10 if max(row["x"] for row in shown) > 40 else 2
        return Curves(
            rows=[row for row in shown if row["series"] in series],
            x_title="turns allowed",
            y_title=WON,
            series=series,
            domain=(0, reach(everything, "value", "high")),
            every=every,
        )

    return figure_of(
        sections,
        rows,
        draw,
        name=f"geo20q-curve-{kind}",
        optional=80 if kind == "things" else 90,
        title=f"What more turns are worth: {kind}",
        note="Share of games won when the game ends after so many turns; bands are 95% intervals "
        "for each limit alone.",
        alt="Rising curves of the share of games won against the turns allowed.",
    )


def _place(group: str) -> int:
    """Where lines lie on each other, the same one is on top in every figure."""
    return SIDES.index(group) if group in SIDES else len(SIDES)


def _instead(sections: Sequence[Section], kind: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        found = []
        for row in _rows(section, "target", "home", "placed"):
            if row["type"] != kind or not row["placed"]:
                continue
            for other, short in REGION_CODES.items():
                share = row.get(short)
                if share is not None:
                    found.append(
                        {
                            "row": row["target"],
                            "column": short,
                            "value": share,
                            "placed": row["placed"],
                            "shown": f"{share:.0%}" if share else "",
                            "said": f"From {row['target']}, guessed from {other}: {share:.0%} of "
                            f"{row['placed']:,} wrong guesses",
                        }
                    )
        return found

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        columns = list(dict.fromkeys(row["column"] for row in shown))
        return Heatmap(
            rows=shown,
            x_title="where the guess is from",
            columns=columns,
            heads=REGION_HEADS,
            most=1,
        )

    return figure_of(
        sections,
        rows,
        draw,
        same_order=True,
        counted="placed",
        name=f"geo20q-instead-{kind}",
        title=f"Who was guessed instead: {kind}",
        note="Of the wrong guesses about entities from each region (how many, in brackets), the "
        "share that come from every region. Only guesses that name an entity of the table are "
        "placed.",
        alt="A table of shaded cells: the target's region down, the guess's region across.",
    )


def _first_places(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        found = _rows(section, "place", "share", "first")
        order = sorted({row["place"] for row in found}, key=lambda p: -_most(found, p))
        return [
            {
                "row": row["place"],
                "series": row["type"],
                "value": row["share"],
                "low": row["share_low"],
                "high": row["share_high"],
                "first": row["first"],
                "games": row["games"],
                "said": f"{row['place']} first, {row['type']}: "
                f"{estimate(row['share'], row['share_low'], row['share_high'])} of "
                f"{row['games']:,} games, at turn {number(row.get('turn'), 1)} on average",
            }
            for row in sorted(found, key=lambda one: order.index(one["place"]))
        ]

    return figure_of(
        sections,
        rows,
        _draw_types("share of games"),
        same_order=True,
        counted="first",
        series=TYPES,
        most=MOST_PLACES,
        name="geo20q-first-places",
        title="Which part of the world it asks about first",
        note="Share of games in which the place is the first that is asked about, with 95% "
        "intervals. In brackets: those games, about people and about things.",
        alt="Dots with intervals for the places asked about first.",
    )


def _most(rows: Rows, place: str) -> float:
    return max(row["share"] or 0 for row in rows if row["place"] == place)


def _questions(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        found = _rows(section, *MOVES, "questions")
        whole = [row for row in found if row.get("group") in (None, "all")]
        return [
            {
                "row": label,
                "series": row["type"],
                "value": row[move],
                "low": row[f"{move}_low"],
                "high": row[f"{move}_high"],
                "questions": row["questions"],
                "said": f"{label}, {row['type']}: "
                f"{estimate(row[move], row[f'{move}_low'], row[f'{move}_high'], 3)} of "
                f"{row['questions']:,} questions",
            }
            for move, label in MOVES.items()
            for row in whole
        ]

    return figure_of(
        sections,
        rows,
        _draw_types("share of questions"),
        counted="questions",
        series=TYPES,
        name="geo20q-questions",
        title="How well it asks",
        note="Questions that were asked before in the same game, that no yes or no can answer, or "
        "that go against what the judge has said. In brackets: questions, about people and about "
        "things.",
        alt="Dots with intervals for three kinds of wasted questions, for people and for things.",
    )


def _published(sections: Sequence[Section], kind: str) -> Figure | None:
    continents = ("Africa", "Asia", "Europe", "North America", "Oceania", "South America")
    heads = {"North America": "N. Am.", "South America": "S. Am."}

    def rows(section: Section) -> Rows:
        found = [
            row
            for row in _rows(section, "model", "here", "setting", *continents)
            if row["type"] == kind and all((row[c] or 0) <= 1 for c in continents)
        ]
        if not any(row["here"] for row in found):
            return []  # the run has no games like the paper's: nothing stands beside it
        return [
            {
                "row": row["model"],
                "column": heads.get(continent, continent),
                "value": row[continent],
                "here": row["here"],
                "shown": f"{row[continent]:.0%}",
                "said": f"{row['model']}, {continent}: {row[continent]:.0%}",
            }
            for row in sorted(found, key=lambda one: not one["here"])
            for continent in continents
            if row[continent] is not None
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        columns = [heads.get(one, one) for one in continents]
        own = sorted({row["row"] for part in everything for row in part if row["here"]})
        return Heatmap(rows=shown, x_title=None, columns=columns, most=1, bold=own)

    return among_published(
        sections,
        rows,
        draw,
        order=lambda row: not row["here"],
        name=f"geo20q-published-{kind}",
        title=f"Beside the models of the Geo20Q+ paper: {kind}",
        note=f"Share of games won within {TURNS['canonical']} turns, by continent. The paper "
        "played its own list of entities; compare patterns rather than single cells.",
        alt="A table of shaded cells: models down, continents across, with the share of games won.",
    )
