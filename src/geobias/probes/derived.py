"""What follows from what a probe declares: its findings, figures, comparison, headings and power.

Each function takes a probe, whichever it is. Nothing here is about one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import polars as pl

from geobias.errors import BadRequest
from geobias.measures.comparing import comparison_of
from geobias.measures.countries import country_table
from geobias.measures.drawing import figure_name, figures_of
from geobias.measures.measure import Contrast, Measure, shares_of, unit_words
from geobias.measures.methods import methods_table
from geobias.measures.planning import Aim, aim_of, spread_of
from geobias.measures.words import (
    families_adjusted,
    frame_of,
    known_in,
    metrics_of,
    sentences_of,
    table_name,
    tables_of,
    verdict_of,
)
from geobias.probes.plan import Plan, asked_pairs
from geobias.probes.probe import (
    Answers,
    CountryMeasure,
    Further,
    Headline,
    Probe,
    RunRecords,
)
from geobias.probes.sections import Sentences, gap_verdict, run_of, section_of
from geobias.probes.settings import SMALLEST_GAP, TOO_SMALL
from geobias.results.changes import ComparisonRule
from geobias.results.figures import Figure
from geobias.results.findings import (
    CountryNumber,
    Findings,
    Metric,
    ProbeFindings,
    Section,
    Table,
)
from geobias.results.tables import bounded, table_from
from geobias.results.verdicts import Verdict, primary_of

AnyProbe = Probe[Any, Any]


def lead_of(probe: AnyProbe) -> Measure | None:
    """The measure whose primary number answers the probe's question; else its first one."""
    return next((one for one in probe.measures if one.primary), next(iter(probe.measures), None))


def lead_in(probe: AnyProbe, settings: Mapping[str, Any]) -> Measure | None:
    """`lead_of` among the measures that a run with these settings asks for."""
    asked = [one.in_run(settings) for one in probe.measures if one.asked_with(settings)]
    return next((one for one in asked if one.primary), lead_of(probe))


def all_measures(probe: AnyProbe) -> tuple[Measure, ...]:
    """What the probe declares, and how often its questions were answered. Conversations have no
    such outcome."""
    lead = lead_of(probe)
    return (*probe.measures, *(shares_of(lead) if lead and not probe.showing.in_turns else ()))


def with_outcomes(probe: AnyProbe, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with a column for each of `shares_of`: whether a reply had that outcome."""
    outcome, words = pl.col("outcome"), probe.showing.read_as
    return frame.with_columns(
        answered=outcome == words.read,
        declined=outcome == words.declined,
        unread=outcome == words.unread,
    )


def answers_of(probe: AnyProbe, run: RunRecords, reading: Any) -> Any:
    """The run's records as tables need them, with columns for `shares_of`."""
    answers = probe.answers(run, reading)
    if not probe.measures or probe.showing.in_turns:
        return answers
    return msgspec.structs.replace(answers, frame=with_outcomes(probe, answers.frame))


# Findings -----------------------------------------------------------------------------------------


def findings_of(probe: AnyProbe, answers: Any, *, brief: bool = False) -> ProbeFindings:
    """What the answers of one run show. Where it is `brief`: the metrics, the tables that verdicts
    read and the sentences, which are what the end of a run and a gate need."""
    if not probe.measures:
        return probe.in_brief(answers) if brief else probe.findings(answers)
    further, settings = probe.further(answers, brief=brief), run_of(answers).settings
    measured = [*known_in(answers, all_measures(probe), settings)]
    interest = interests(measured, settings)
    metrics = [
        metric
        for one in measured
        for metric in metrics_of(probe.name, frame_of(answers, one), one, interest.get(one.name))
    ]
    tables = dict(further.tables)
    for declared in all_measures(probe):
        if not declared.asked_with(settings):
            continue
        one, frame = declared.in_run(settings), frame_of(answers, declared)
        tables.update(tables_of(frame, one))
        if not brief:
            led = not interest or bool({one.name, f"expected_{one.name}"} & interest.keys())
            tables.update(_further_tables(frame, one, led=led))
    section = section_of(
        probe,
        answers,
        screens=probe.screens(answers),
        metrics=families_adjusted(metrics, measured),
        tables={name: table for name, table in tables.items() if table.rows},
        notes=further.notes,
    )
    numbers = {} if brief else country_numbers(probe, answers)
    return ProbeFindings(section, numbers, _sentences(probe, section, answers, measured, further))


def interests(measured: Sequence[Measure], settings: Mapping[str, Any]) -> dict[str, float]:
    """The one measure whose number is primary → the smallest gap of interest: where values can be
    expected from probabilities, they know more than the one answer that was written."""
    share = float(settings.get("smallest_gap", SMALLEST_GAP))
    primary = [one for one in measured if one.primary]
    lead = [one for one in primary if one.name.removeprefix("expected_") == primary[0].name]
    return {one.name: share * one.length for one in lead[-1:]}


def _further_tables(
    frame: pl.DataFrame, measure: Measure, *, led: bool
) -> Iterator[tuple[str, Table]]:
    """`led`: the primary number is of this measure."""
    if measure.on_map:
        yield (
            f"{measure.name}_by_country",
            table_from(
                country_table(frame, measure),
                f"{measure.label} by country",
                _POOLED + (_EXCESS if measure.item else ""),
                dict.fromkeys(("mean", "pooled"), measure.unit),
            ),
        )
    if measure.primary_contrast and led:
        yield "sensitivity", methods_table(frame, measure)


def country_numbers(probe: AnyProbe, answers: Answers) -> dict[str, list[CountryNumber]]:
    """Economy → its number of each measure that is on the map."""
    found: dict[str, list[CountryNumber]] = {}
    for one in probe.measures:
        if not one.on_map:
            continue
        counted = unit_words(one.inner_column)
        for row in country_table(frame_of(answers, one), one).to_dicts():
            more: dict[str, Any] = {name: row.get(name) for name in _OF_COUNTRY}
            number = CountryNumber(
                model=answers.model,
                probe=probe.name,
                metric=f"{probe.name}.{one.name}",
                **bounded(row, "mean"),
                n=row[counted],
                counted=counted,
                **more,
            )
            found.setdefault(row["country"], []).append(number)
    return found


_POOLED = "Ranked by `pooled`, which leans on all countries, most where a country has few answers. "
_EXCESS = (
    "`excess` is what a country has over all others on the same questions, `p` of a permutation "
    "test of it, and `p_adjusted` allows for the number of countries (Benjamini and Hochberg)."
)
_OF_COUNTRY = ("asked", "pooled", "pooled_low", "pooled_high", "p", "p_adjusted")


def _sentences(
    probe: AnyProbe, section: Section, answers: Any, measured: Sequence[Measure], further: Further
) -> list[Any]:
    told = Sentences(section)
    showing = probe.showing
    told.say_missing(showing.counted, "played" if showing.in_turns else "asked")
    told.say_unscored(showing.counted, "an answer")
    if section.measurable:
        for one in measured:
            if one.screened and one.is_mean and not _is_second(one, measured):
                for text, opening in sentences_of(probe.name, section, one):
                    told.say("finding", text, opening=opening)
    for kind, text, opening in further.sentences(section):
        told.say(kind, text, opening=opening)
    if run_of(answers).settings.get("size") == "quick":
        told.say("limit", TOO_SMALL)
    return told.said


def _is_second(measure: Measure, measured: Sequence[Measure]) -> bool:
    return any(measure.second_to == one.name for one in measured)


# What is said and drawn ---------------------------------------------------------------------------


def verdict(probe: AnyProbe, section: Section) -> Verdict | None:
    """What is said first of a section; None where the probe has no primary number."""
    if not probe.measures:
        return probe.verdict(section)
    lead = _measure_of(probe, primary_of(section)) or lead_of(probe)
    if lead is None or not lead.primary:
        return None
    by = lead.primary_contrast.by if lead.primary_contrast else ""
    figure = figure_name(probe.name, lead, by) if by in lead.all_groups else ""
    return verdict_of(section, lead, figure)


def _measure_of(probe: AnyProbe, primary: Metric | None) -> Measure | None:
    """The measure that the primary number is of, with that as its primary contrast."""
    if primary is None:
        return None
    for one in probe.measures:
        names = [one.name, *(contrast.name for contrast in one.contrasts)]
        for name in names if one.primary else ():
            if primary.name in {f"{probe.name}.{prefix}{name}" for prefix in _prefixes(one)}:
                return one if name == one.primary else replace(one, primary=name)
    return None


def figures(probe: AnyProbe, findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """Those of its measures, then its own."""
    if not probe.measures:
        return probe.figures(findings, sections)
    of_measures = [
        figure
        for one in all_measures(probe)
        for figure in figures_of(probe.name, one, findings, sections)
    ]
    return [*of_measures, *probe.figures(findings, sections)]


def headlines(probe: AnyProbe) -> list[Headline]:
    """The columns of the table that a report opens with: the primary number, then the means."""
    if not probe.measures:
        return list(probe.headlines)
    made = []
    for one in probe.measures:
        if one.second_to:
            continue
        like = [one, *(other for other in probe.measures if other.second_to == one.name)]
        contrast = one.primary_contrast
        if contrast is not None:
            names = [f"{prefix}{each.primary}" for each in like for prefix in _prefixes(each)]
            label = contrast.short[:1].upper() + contrast.short[1:]
            made.append(_headline(probe, label, "0 is even", names))
        if not one.relative:
            names = [f"{prefix}{each.name}" for each in like for prefix in _prefixes(each)]
            made.append(_headline(probe, one.label, one.unit, names))
    return made


def _prefixes(measure: Measure) -> list[str]:
    return ["expected_", ""] if measure.expected else [""]


def _headline(probe: AnyProbe, label: str, hint: str, names: Sequence[str]) -> Headline:
    return Headline(label, hint, tuple(f"{probe.name}.{name}" for name in names), gap_verdict)


def country_measures(probe: AnyProbe) -> list[CountryMeasure]:
    """The measures that have a column in the table of countries."""
    if not probe.measures:
        return list(probe.country_measures)
    second = {one.second_to for one in probe.measures}
    return [
        CountryMeasure(
            f"{probe.name}.{one.name}",
            one.label,
            "first" if one.second_to or one.name in second else "always",
        )
        for one in probe.measures
        if one.on_map
    ]


def metric_names(probe: AnyProbe) -> list[str]:
    """Every metric that a run of the probe can have."""
    if not probe.measures:
        return list(probe.metric_names)
    own = [name for one in all_measures(probe) for name in one.metric_names()]
    return [f"{probe.name}.{name}" for name in own]


def number(probe: AnyProbe, record: Mapping[str, Any]) -> float | None:
    """A trial as one number; None where there is none."""
    if not probe.measures:
        return probe.number(record)
    lead = lead_of(probe)
    if lead and lead.of_record:
        return lead.of_record(record)
    value = record.get(lead.value) if lead else None
    return None if value is None else float(value)


# Comparing and planning ---------------------------------------------------------------------------


def comparison(probe: AnyProbe) -> ComparisonRule | None:
    """How two runs are compared; None where they cannot be."""
    if not probe.measures:
        return probe.comparison
    return comparison_of(probe.name, all_measures(probe))


def aim(probe: AnyProbe, plan: Plan, spread: tuple[float, ...] | None) -> Aim:
    """The test that a run of this plan is made for."""
    if not probe.measures:
        return probe.aim(plan, spread)
    lead = lead_in(probe, plan.settings)
    if lead is None:
        raise BadRequest(f"{probe.name} has no test to plan for: leave out --gap and --power")
    asked = plan.compared() if plan.compared else asked_pairs(plan, with_items=bool(lead.item))
    return aim_of(lead, asked, spread)


def spread(probe: AnyProbe, answers: Answers) -> tuple[float, ...] | None:
    if not probe.measures:
        return probe.spread(answers)
    lead = lead_in(probe, run_of(answers).settings)
    return spread_of(frame_of(answers, lead), lead) if lead else None


def summary(probe: AnyProbe, section: Section) -> Table | None:
    """What a terminal shows of a section beside its sentences; None: its metrics."""
    if not probe.measures:
        return probe.summary(section)
    lead = _measure_of(probe, primary_of(section)) or lead_of(probe)
    by = lead.primary_contrast.by if lead and lead.primary_contrast else ""
    return section.tables.get(table_name(lead, by)) if lead and by else None


def primary_metric(probe: AnyProbe, *, expected: bool = False) -> str:
    """The name of the primary number; "" where there is none."""
    if not probe.measures:
        return probe.primary
    lead = lead_of(probe)
    if lead is None or not lead.primary:
        return ""
    return f"{probe.name}.{'expected_' if expected and lead.expected else ''}{lead.primary}"


def scale(probe: AnyProbe) -> float:
    """The length of the primary number's scale; the smallest gap of interest is a share of it."""
    lead = lead_of(probe)
    return lead.length if lead else probe.scale


def size_of(probe: AnyProbe) -> tuple[str, str]:
    """The beginning of the metric whose n tells the size of a run, and what it counts."""
    lead = lead_of(probe)
    if lead is None:
        return probe.size_metric
    return f"{probe.name}.{lead.primary or lead.name}", lead.counted


def verb_of_several(probe: AnyProbe) -> str:
    """ "knows" of one model is "know" of several."""
    first, *rest = probe.verb.split(" ")
    return " ".join([first.removesuffix("s"), *rest])


def primary_question(probe: AnyProbe) -> str:
    """The question that the primary number answers, for a plan that is written down before."""
    if not probe.measures:
        return probe.question
    lead = lead_of(probe)
    if lead is None or not lead.primary:
        return ""
    contrast: Contrast | None = lead.primary_contrast
    what = lead.label.lower()
    return (
        f"Is there a difference in {what} {contrast.between}?" if contrast else f"Is the {what} 0?"
    )
