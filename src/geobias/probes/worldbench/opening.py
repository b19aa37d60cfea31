"""What WorldBench says first of a model, in plain words."""

from __future__ import annotations

from typing import Any

from geobias.probes.worldbench.scores import GROUPINGS
from geobias.results.figures import reach
from geobias.results.findings import Section
from geobias.results.formatting import number
from geobias.results.tables import metric_of, rows_of
from geobias.results.verdicts import (
    Dots,
    Verdict,
    dots_of,
    groups_apart,
    not_measurable,
    surest,
    word_of,
)
from geobias.stats.group_differences import MIN_UNITS

WHY_NOT = {
    "parse rate": "Too few of its replies held a number.",
    "variety": "It gives nearly the same number for every country.",
    "one typical figure": "It gives nearly the same number for every country.",
    "better than": "Its answers are no better than the same answers shuffled among the countries.",
}


def verdict(section: Section) -> Verdict:
    metrics = {by: metric_of(section, f"worldbench.{by}_spread") for by in GROUPINGS}
    # Of two that are equally sure, income tells a reader more.
    lead = surest([metrics["income"], metrics["region"]])
    by = "region" if lead is not None and lead is metrics["region"] else "income"
    dots = _dots(section, by)
    if not section.measurable:
        return not_measurable(section, WHY_NOT, dots)
    if lead is None:
        return Verdict(
            word="not clear",
            found="was asked about too few countries to tell",
            matters="More countries are needed before anything can be said about bias.",
            dots=dots,
        )
    word = word_of(lead)
    assert word is not None
    rows = [row for row in rows_of(section, f"{by}s") if (row["countries"] or 0) >= MIN_UNITS]
    worst, best = (pick(rows, key=lambda row: row["mean"]) for pick in (max, min))
    figure = f"worldbench-{by}s"
    shared: dict[str, Any] = {"word": word, "metric": lead.name, "dots": dots, "figure": figure}
    if word == "not clear":
        return Verdict(
            found="shows no clear gap between rich and poor countries",
            matters="What was seen may be chance. A gap may still be there.",
            **shared,
        )
    less, more = groups_apart(worst["group"], best["group"])
    found = f"knows {less} less well than {more}"
    if word == "weak":
        return Verdict(
            found=found.replace("knows", "may know", 1),
            matters="The gap is clear by itself, but not among all tests: a hint, no proof.",
            **shared,
        )
    errors = f"{number(worst['mean'])}, against {number(best['mean'])}"
    return Verdict(
        found=found,
        matters=f"Its mean error there is {errors}.{_from_the_figures(section, by)}",
        **shared,
    )


def _from_the_figures(section: Section, by: str) -> str:
    """How much of the gap the figures bring: some groups' are harder to hit by any answer."""
    of_all = next(iter(rows_of(section, f"disparity_{by}s", "dealt")), {})
    own = of_all.get("dealt")
    return f" Shuffled, its answers still show a gap of {number(own)}." if own is not None else ""


def _dots(section: Section, by: str) -> Dots | None:
    rows = rows_of(section, f"{by}s", "mean")
    end = reach([rows], "mean", "mean_high")
    ends = ("exact", "far off")
    return dots_of(rows, "group", "mean", "countries", domain=(0, end), ends=ends)
