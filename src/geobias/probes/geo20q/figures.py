"""The figures of Geo20Q+: what a model works out.

Where games were played in both settings, the canonical one is drawn, and the curve shows the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from geobias.atlas.economies import REGION_CODES
from geobias.probes.geo20q import scores
from geobias.probes.geo20q.analyses import HALVES, SIDES
from geobias.probes.geo20q.languages import CONTINENTS
from geobias.results.charts import Bars, Chart, Curves, Heatmap, Rows
from geobias.results.figures import (
    MOST_GROUPS,
    REGION_HEADS,
    Figure,
    among_published,
    dot,
    figure_of,
    figure_of_dots,
    map_of,
    models_here,
    reach,
)
from geobias.results.findings import Findings, Section
from geobias.results.formatting import estimate, number, p_value, words
from geobias.results.tables import bounded, rows_of

TYPES = tuple(scores.TYPES.values())
WON = "share of games won"
MOST_PLACES = 8
QUESTION_FAULTS = {
    "repeated": "Asked before",
    "not_yes_no": "Not a yes/no question",
    "contradicted": "Against an answer",
}
HALF_NAMES = [name for names in HALVES.values() for name in names]
MEASURES = {"views": "page views", "frequency": "mentions in a corpus"}
MOST_COUNTRIES = 25
CONTINENT_HEADS = {"North America": "N. Am.", "South America": "S. Am."}
OPTIONAL_GROUPS = {"professions": 50, "categories": 60, "continents": 130}


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """All that the sections' tables allow, in the order in which they are read."""
    grouped = ("continents", "regions", "categories", "professions", "languages")
    made = [
        *_maps(findings, sections),
        _halves(sections),
        *(_groups(sections, table) for table in grouped),
        *(_language_continents(sections, type_) for type_ in TYPES),
        *(_curve(sections, type_) for type_ in TYPES),
        _turns_tail(sections),
        *(_wrong_guesses(sections, type_) for type_ in TYPES),
        _first_places(sections),
        _questions(sections),
        *(_kinds(sections, type_) for type_ in TYPES),
        _entity_countries(sections),
        *(_fame_ranks(sections, measure) for measure in MEASURES),
        *(_published(sections, type_) for type_ in TYPES),
    ]
    return [figure for figure in made if figure is not None]


def _rows(section: Section, table: str) -> Rows:
    """The rows of a table, of the setting that is drawn."""
    rows = rows_of(section, table)
    if len({row.get("setting") for row in rows}) < 2:
        return rows
    return [row for row in rows if row["setting"] == "canonical"]


def _maps(findings: Findings, sections: Sequence[Section]) -> list[Figure | None]:
    measured = dict.fromkeys(
        measure.metric
        for country in findings.countries
        for measure in country.measures
        if measure.metric.startswith("geo20q.success")
    )
    return [
        map_of(
            findings,
            sections,
            metric,
            name=f"geo20q-map{'' if i == 0 else f'-{i + 1}'}",
            title="How often it finds people and things from each economy"
            + within_turns(_limits(findings, metric.rpartition("_")[2]), ", within"),
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


def _limits(findings: Findings, setting: str) -> list[int]:
    """How many turns the games of a setting may take in these runs; the smallest first."""
    limits = {scores.limits_of(run.probes.get("geo20q", {})).get(setting) for run in findings.runs}
    return sorted(limit for limit in limits if limit is not None)


def within_turns(limits: Sequence[int], word: str) -> str:
    """`word` and "20 turns", "5 or 20 turns"; "" where no limit is known."""
    if not limits:
        return ""
    turns = "turn" if list(limits) == [1] else "turns"
    return f"{word} {' or '.join(f'{limit:,}' for limit in limits)} {turns}"


def _groups(sections: Sequence[Section], table: str) -> Figure | None:
    tables = [rows_of(section, table) for section in sections]
    if all(len({row["group"] for row in rows}) < 2 for rows in tables):
        return None
    both_types = len({row["type"] for rows in tables for row in rows}) > 1

    def rows(section: Section) -> Rows:
        table_rows = _rows(section, table)
        order = list(dict.fromkeys(row["group"] for row in table_rows))
        by_id = table in ("categories", "professions")
        dots = []
        for row in sorted(table_rows, key=lambda row: order.index(row["group"])):
            label, played = words(row["group"]) if by_id else row["group"], row["played"]
            won = f", {played:,} games"
            dots.append(dot(row, "success", label, row["type"], won, 2, played=played))
        return dots

    return figure_of_dots(
        sections,
        rows,
        WON,
        series=TYPES,
        same_order=True,
        counted="played",
        most=MOST_GROUPS,
        name=f"geo20q-{table}",
        optional=OPTIONAL_GROUPS.get(table),
        title=next(one.tables[table].title for one in sections if table in one.tables),
        note="Share of games won, each game counting once, with 95% intervals from resampling "
        "countries. In brackets: games"
        + (", about people and about things" if both_types else "")
        + ". A dot without a line has too few countries for an interval.",
        alt="Dots with intervals for each group, for people and for things.",
    )


def _halves(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        return [
            dot(
                row,
                side,
                name,
                row["type"],
                f", {row[f'{side}_countries']} economies; p of the difference, adjusted (Holm), "
                f"{p_value(row['difference_p_holm'])}",
                2,
                countries=row[f"{side}_countries"],
                difference_p_holm=row["difference_p_holm"],
            )
            for row in _rows(section, "halves")
            if row["games"] == "all"
            for side, name in zip(SIDES, HALVES[row["halves"]], strict=True)
        ]

    return figure_of_dots(
        sections,
        rows,
        "mean over economies of the share of games won",
        series=TYPES,
        same_order=True,
        counted="countries",
        name="geo20q-halves",
        title="Between the halves of the world",
        note="Mean over economies and its 95% interval, not at equal fame. In brackets: economies, "
        "for people and for things. Point at a dot for the p-value of North against South, or of "
        "West against East, adjusted for the number of tests.",
        alt="Dots with intervals for the Global North and South, West and East.",
    )


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
        optional=80 if type_ == "things" else 90,
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
    def rows(section: Section) -> Rows:
        table_rows = _rows(section, "first_places")
        shares: dict[str, float] = {}
        for row in table_rows:
            shares[row["place"]] = max(shares.get(row["place"], 0), row["share"] or 0)
        order = sorted(shares, key=lambda place: -shares[place])
        dots = []
        for row in sorted(table_rows, key=lambda row: order.index(row["place"])):
            rests_on = f" of {row['games']:,} games, at turn {number(row['turn'], 1)} on average"
            counts = {"first": row["first"], "games": row["games"]}
            asked = dot(row, "share", f"{row['place']} first", row["type"], rests_on, 2, **counts)
            dots.append(asked | {"row": row["place"]})
        return dots

    return figure_of_dots(
        sections,
        rows,
        "share of games",
        series=TYPES,
        same_order=True,
        counted="first",
        most=MOST_PLACES,
        name="geo20q-first-places",
        title="Which part of the world it asks about first",
        note="Share of games in which the place is the first that is asked about, with 95% "
        "intervals. In brackets: those games, about people and about things.",
        alt="Dots with intervals for the places asked about first.",
    )


def _questions(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        return [
            dot(row, fault, label, row["type"], f" of {asked:,} questions", questions=asked)
            for fault, label in QUESTION_FAULTS.items()
            for row in _rows(section, "questions")
            for asked in [row["questions"]]
        ]

    return figure_of_dots(
        sections,
        rows,
        "share of questions",
        series=TYPES,
        counted="questions",
        name="geo20q-questions",
        title="How well it asks",
        note="Questions that were asked before in the same game, that no yes or no can answer, or "
        "that go against what the judge has said. In brackets: questions, about people and about "
        "things.",
        alt="Dots with intervals for three kinds of wasted questions, for people and for things.",
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
            for row in _rows(section, "language_continents")
            if row["type"] == type_ and row["success"] is not None
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        columns = [CONTINENT_HEADS.get(name, name) for name in sorted(CONTINENTS)]
        return Heatmap(rows=shown, x_title=None, columns=columns, most=1)

    notes = [one.tables["language_continents"].note for one in sections if rows(one)]
    return figure_of(
        sections,
        rows,
        draw,
        same_order=True,
        name=f"geo20q-languages-{type_}",
        optional=120,
        title=f"By language and continent: {type_}",
        note="Share of games won, and in brackets the mean number of turns of those games. "
        + " ".join(dict.fromkeys(note.partition(" Each game")[0] for note in notes)),
        alt="A table of shaded cells: languages down, continents across.",
    )


def _turns_tail(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        table = rows_of(section, "turns_tail")
        longest = {row["setting"] for row in table if row["setting"] == "unlimited"}
        return [
            {
                "x": row["turns"],
                "series": row["type"],
                **bounded(row, "longer"),
                "games": row["games"],
                "won": row["won"],
                "said": f"{row['type'].capitalize()}: {estimate(**bounded(row, 'longer'))} of "
                f"{row['won']:,} games won took more than {row['turns']:,} turns",
            }
            for row in table
            if row["setting"] in (longest or {"canonical"}) and row["games"]
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        return Curves(
            rows=shown,
            x_title="turns",
            y_title="share of won games that took more turns",
            series=TYPES,
            every=10 if max(row["x"] for row in shown) > 40 else 2,
            logarithms=["y"],
        )

    return figure_of(
        sections,
        rows,
        draw,
        name="geo20q-turns-tail",
        optional=70,
        title="How long won games take",
        note="Of the games that were won, the share that took more than so many turns, with 95% "
        "bands for each number alone. On this scale a straight line is a chance of winning that "
        "stays the same from turn to turn; a line that flattens is a heavy tail.",
        alt="Falling curves of the share of won games that took more than so many turns.",
    )


def _alike_once(sections: Sequence[Section], table: str) -> list[Section]:
    """The first section of each set of rows: models that play about the same entities share it."""
    return list({repr(rows_of(one, table)): one for one in reversed(sections)}.values())[::-1]


def _bars(
    sections: Sequence[Section], rows: Callable[[Section], Rows], **figure: Any
) -> Figure | None:
    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        return Bars(rows=shown, title="entities", series=TYPES)

    return figure_of(sections, rows, draw, same_order=True, counted="value", **figure)


def _bar(row: dict[str, Any], label: str) -> dict[str, Any]:
    sentence = f"{label}: {row['entities']:,} of {row['of']:,} {row['type']}, {row['share']:.1%}"
    return {"row": label, "series": row["type"], "value": row["entities"], "said": sentence}


def _kinds(sections: Sequence[Section], type_: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        table = rows_of(section, "entities_kinds")
        return [_bar(row, words(row["group"])) for row in table if row["type"] == type_]

    return _bars(
        _alike_once(sections, "entities_kinds"),
        rows,
        series=[type_],
        name=f"geo20q-entities-{type_}",
        optional=30,
        title=f"What the {type_} are",
        note=f"How many of the {type_} that the games are about are of each "
        f"{'profession' if type_ == 'people' else 'category'}; each counts once.",
        alt="Bars for each kind, the most frequent first.",
    )


def _entity_countries(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        table = rows_of(section, "entities_countries")
        total: dict[str, int] = {}
        for row in table:
            total[row["group"]] = total.get(row["group"], 0) + row["entities"]
        order = sorted(total, key=lambda name: (-total[name], name))
        return [_bar(row, row["group"]) for name in order for row in table if row["group"] == name]

    return _bars(
        _alike_once(sections, "entities_countries"),
        rows,
        series=TYPES,
        most=MOST_COUNTRIES,
        name="geo20q-entities-countries",
        optional=20,
        title="Where the people and things are from",
        note="How many of the entities that the games are about belong to each economy. In "
        "brackets: people, things.",
        alt="Bars for each economy, for people and for things, the most frequent first.",
    )


def _fame_ranks(sections: Sequence[Section], measure: str) -> Figure | None:
    shown_once = _alike_once(sections, "fame_ranks")

    def rows(section: Section) -> Rows:
        return [
            {
                "x": row["rank"],
                "series": row["type"],
                "value": row["figure"],
                "entity": row["entity"],
                "known": row["known"],
                "unknown": row["unknown"],
                "said": f"Rank {row['rank']:,} of {row['known']:,} {row['type']}: "
                f"{row['figure']:,.0f} {MEASURES[measure]}",
            }
            for row in rows_of(section, "fame_ranks")
            if row["measure"] == measure and row["figure"]
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        return Curves(
            rows=shown,
            x_title="rank",
            y_title=MEASURES[measure],
            series=TYPES,
            logarithms=["x", "y"],
        )

    missing = {
        (row["series"], row["unknown"], row["known"] + row["unknown"])
        for section in shown_once
        for row in rows(section)
    }
    without = "; ".join(f"{type_}: {few:,} of {all_:,}" for type_, few, all_ in sorted(missing))
    return figure_of(
        shown_once,
        rows,
        draw,
        name=f"geo20q-fame-{measure}",
        optional=40,
        title=f"How well known they are: {MEASURES[measure]} by rank",
        note="The best known first. Both axes are logarithmic. A straight line means that a few "
        "are very well known and most are little known. Without a figure, and not drawn: "
        f"{without}. Types with no figure at all are not drawn either.",
        alt="Falling curves of fame against rank, for people and for things.",
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
