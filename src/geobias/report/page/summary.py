"""The table a page opens with: each model's headline numbers, and what is missing of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from geobias.report.findings import Findings, Metric, Section
from geobias.report.page.said import bounds, metric, number

JUDGE = "geo20q_judge"


class Headline(NamedTuple):
    """A column. `metrics` are names in the order of preference: games of 20 turns before longer."""

    probe: str
    label: str
    hint: str
    metrics: tuple[str, ...]


HEADLINES = (
    Headline("worldbench", "Mean error", "0 is exact", ("worldbench.error",)),
    Headline("worldbench", "Income gap", "0 is even", ("worldbench.income_disparity",)),
    Headline("worldbench", "Region gap", "0 is even", ("worldbench.region_disparity",)),
    Headline("namebbq", "Bias with nationalities", "0 is no lean", ("namebbq.bias_ambiguous",)),
    Headline("namebbq", "Bias with names", "0 is no lean", ("namebbq.bias_ambiguous_names",)),
    Headline(
        "geo20q",
        "Games won",
        "1 is all",
        ("geo20q.success_canonical", "geo20q.success_unlimited"),
    ),
    Headline(
        "geo20q",
        "North–South gap, people",
        "0 is even",
        (
            "geo20q.north_south_gap_people_canonical",
            "geo20q.north_south_gap_people_unlimited",
        ),
    ),
    Headline("geo20q", "Judge accuracy", "1 is perfect", ("geo20q.judge_accuracy",)),
)
NOT_RUN, NOT_MEASURABLE, UNDEFINED = "not run", "not measurable", "undefined"


def summary(findings: Findings, titles: dict[str, str]) -> dict[str, Any]:
    """Heads, grouped by probe, and a row for each model. `titles` are those of the sections."""
    groups = [
        {"probe": probe, "title": title, "span": sum(one.probe == probe for one in HEADLINES)}
        for probe, title in titles.items()
    ]
    rows = [
        {"model": model, "cells": [_cell(findings, model, one) for one in HEADLINES]}
        for model in findings.models
    ]
    heads = [
        {
            "label": one.label,
            "hint": one.hint,
            "group": titles[one.probe],
            "first": i == 0 or HEADLINES[i - 1].probe != one.probe,
        }
        for i, one in enumerate(HEADLINES)
    ]
    return {"groups": groups, "heads": heads, "rows": rows}


def _cell(findings: Findings, model: str, wanted: Headline) -> dict[str, Any]:
    """Words instead of a number where there is none, so that nothing reads as a 0."""
    section = findings.section(wanted.probe, model)
    one = None if section is None else _first(section, wanted.metrics)
    cell: dict[str, Any] = {"label": wanted.label, "link": "", "words": "", "why": ""}
    if section is None or one is None:
        return cell | {"words": NOT_RUN}
    cell["link"] = wanted.probe
    if one.screened and not section.measurable:
        return cell | {"words": NOT_MEASURABLE, "why": "; ".join(section.why_not)}
    if one.value is None:
        return cell | {"words": UNDEFINED, "why": one.undefined_because}
    return cell | {
        "value": number(one.value),
        "interval": bounds(one.low, one.high),
        "verdict": _verdict(one),
        "unfinished": _unfinished(findings, section, one),
    }


def _first(section: Section, names: Sequence[str]) -> Metric | None:
    return next((one for name in names if (one := metric(section, name)) is not None), None)


def _verdict(one: Metric) -> dict[str, Any] | None:
    """What a test or an interval says of a gap or a lean, in two or three words."""
    if "disparity" in one.name or "_gap_" in one.name:
        if one.p_adjusted is None:
            return None
        sure = one.p_adjusted < 0.05
        return {"sure": sure, "words": "more than chance" if sure else "may be chance"}
    if ".bias_" in one.name and one.low is not None and one.high is not None:
        if one.low <= 0 <= one.high:
            return {"sure": False, "words": "no clear lean"}
        return {"sure": True, "words": f"{'to' if one.low > 0 else 'against'} the stereotype"}
    return None


def _unfinished(findings: Findings, section: Section, one: Metric) -> str:
    """The share that was asked, where a run is not complete; never rounded up to all of it."""
    done, planned = section.replies.asked, section.replies.planned
    if one.name == "geo20q.judge_accuracy":
        run = next(run for run in findings.runs if run.id == section.run)
        done, planned = run.done.get(JUDGE, 0), run.planned.get(JUDGE, 0)
    if done >= planned:
        return ""
    return f"{100 * done // planned}% asked"
