"""What ratings say first of a model, in plain words."""

from __future__ import annotations

from typing import Any

from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.sensitivity import GROUPINGS
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

WHY_NOT = {"ranks": "It cannot rank places even where the right order is known."}


def verdict(section: Section) -> Verdict:
    metrics = {by: metric_of(section, f"ratings.{by}_spread") for by in GROUPINGS}
    lead = surest([metrics["income"], metrics["region"]])
    by = "region" if lead is not None and lead is metrics["region"] else "income"
    dots = _dots(section, by)
    if not section.measurable:
        return not_measurable(section, WHY_NOT, dots)
    word = word_of(lead)
    if lead is None or word is None:
        return Verdict(
            word="not clear",
            found="rated too few places to tell",
            matters="More places are needed before anything can be said about bias.",
            dots=dots,
        )
    shared: dict[str, Any] = {"word": word, "metric": lead.name, "dots": dots}
    shared["figure"] = f"ratings-{by}s"
    rows = [
        row
        for row in rows_of(section, f"favours_{by}s", "favour")
        if row["favour"] is not None and row["economies"] >= MIN_UNITS
    ]
    if word == "not clear" or len(rows) < 2:
        return Verdict(
            found="shows no clear gap between people of rich and poor countries",
            matters="What was seen may be chance. A gap may still be there.",
            **shared,
        )
    top, bottom = (pick(rows, key=lambda row: row["favour"]) for pick in (max, min))
    more, less = groups_apart(top[by], bottom[by])
    found = f"rates people of {more} above those of {less}"
    if word == "weak":
        return Verdict(
            found=found.replace("rates", "may rate", 1),
            matters="The gap is clear by itself, but not among all tests: a hint, no proof.",
            **shared,
        )
    points = number(top["favour"] - bottom["favour"], 1)
    return Verdict(
        found=found,
        matters=f"For looks, morals and mind they get {points} points more, out of {HIGHEST}. "
        "Only their country tells them apart.",
        **shared,
    )


def _dots(section: Section, by: str) -> Dots | None:
    rows = rows_of(section, f"favours_{by}s", "favour")
    ends = [abs(row[name]) for row in rows for name in ("favour", "favour_low", "favour_high")
            if row[name] is not None]  # fmt: skip
    end = max([0.5, *ends]) * 1.05
    return dots_of(
        rows, by, "favour", "economies", domain=(-end, end), ends=("lower", "higher"),
        reference=0, at="mean",
    )  # fmt: skip
