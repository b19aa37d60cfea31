"""The figure of Geo20Q+ that is made from no measure: success against the allowed turns.

If games were played in both settings, the curve shows the unlimited games.
"""

from __future__ import annotations

from collections.abc import Sequence

from geobias.measures.measure import HALVES
from geobias.probes.geo20q.scores import TYPES
from geobias.results.charts import Chart, Curves, Rows
from geobias.results.figures import Figure, figure_of, reach
from geobias.results.findings import Findings, Section
from geobias.results.formatting import estimate
from geobias.results.tables import bounded, rows_of

HALF_NAMES = [name for names in HALVES.values() for name in names]


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """Return a curve for people and a curve for things, as far as the sections have games."""
    return [figure for type_ in TYPES.values() if (figure := _curve(sections, type_))]


def _curve(sections: Sequence[Section], type_: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        found = [row for row in rows_of(section, "curve") if row["type"] == type_]
        halves = [row for row in found if row["group"] in HALF_NAMES]
        # If lines coincide, the same one is on top in every figure.
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
            y_title="share of games won",
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
