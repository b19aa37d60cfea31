"""Findings, figures, comparisons, headings and power, from the declarations of any probe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from geobias.errors import BadRequest
from geobias.measures.comparing import comparison_of
from geobias.measures.countries import country_note, country_table
from geobias.measures.drawing import figure_name, figures_of, map_over_models
from geobias.measures.grouping import with_groups
from geobias.measures.measure import Contrast, Measure, shares_of
from geobias.measures.methods import contrast_by_item, ratios
from geobias.measures.over_models import (
    ALL_MODELS,
    country_table_over_models,
    group_table_over_models,
)
from geobias.measures.planning import Aim, aim_of
from geobias.measures.showing_models import (
    TITLE,
    metrics_over_models,
    sentences_over_models,
    tables_over_models,
)
from geobias.measures.wordings import SHARE, wording_metrics, wording_sentence, wording_tables
from geobias.measures.words import (
    EXPECTED,
    frame_of,
    group_words,
    known_in,
    lead_among,
    method_of,
    metrics_of,
    sentences_of,
    table_name,
    tables_of,
    verdict_of,
    with_groups_named,
)
from geobias.probes.plan import Plan, asked_pairs
from geobias.probes.pooling import Pool, pool_of, pooled_in_spite_of
from geobias.probes.probe import Answers, CountryMeasure, RunRecords, Said, run_of
from geobias.probes.questions import OUTCOMES
from geobias.probes.registry import AnyProbe
from geobias.probes.settings import SMALLEST_GAP, TOO_SMALL
from geobias.probes.tables import Frames, TableSpec
from geobias.results.changes import ComparisonRule
from geobias.results.figures import Figure
from geobias.results.findings import (
    CountryNumber,
    Findings,
    Metric,
    ProbeFindings,
    Replies,
    Section,
    Sentence,
    Table,
    because,
    reasons,
)
from geobias.results.formatting import unit_words, with_capital
from geobias.results.tables import adjusted, table_from
from geobias.results.verdicts import Verdict, primary_of
from geobias.trials import StoredRecord, StoredSettings


def lead_of(probe: AnyProbe) -> Measure | None:
    """The probe's first measure with a primary number, or its first measure if none has one."""
    return next((one for one in probe.measures if one.primary), next(iter(probe.measures), None))


def lead_in(probe: AnyProbe, settings: StoredSettings) -> Measure | None:
    asked = [one for one in probe.measures if one.asked_with(settings)]
    return next((one for one in asked if one.primary), lead_of(probe))


def all_measures(probe: AnyProbe) -> tuple[Measure, ...]:
    """The probe's measures, and for single questions the shares of replies by outcome."""
    lead = lead_of(probe)
    single, read = not probe.showing.in_turns, {one.value for one in probe.measures}
    return (*probe.measures, *(shares_of(lead, read) if lead and single else ()))


def known_measures(probe: AnyProbe, answers: Any) -> list[Measure]:
    return [*known_in(answers, all_measures(probe), run_of(answers).settings)]


def asked_in(answers: Answers, measure: Measure) -> pl.DataFrame:
    """The frame of a measure. Raises `BadRequest` if the run did not ask for the measure."""
    frame = frame_of(answers, measure)
    if frame is None:
        raise BadRequest(
            f"{answers.model} was not asked what {measure.name} is about; `geobias table RUN` "
            "lists what a run holds"
        )
    return frame


def answers_of(probe: AnyProbe, run: RunRecords, reading: Any) -> Any:
    return with_outcome_columns(probe, probe.answers(run, reading))


def with_outcome_columns(probe: AnyProbe, answers: Any) -> Any:
    """Add the columns that `shares_of` averages, if trials are single questions."""
    if not probe.measures or probe.showing.in_turns:
        return answers
    how = pl.col("outcome").replace_strict(OUTCOMES, default="")
    frame = answers.frame.with_columns(
        answered=how == "read", declined=how == "declined", unread=how == "unread"
    )
    return msgspec.structs.replace(answers, frame=frame)


# Findings -----------------------------------------------------------------------------------------


def findings_of(probe: AnyProbe, answers: Any, *, brief: bool) -> ProbeFindings:
    """Return the findings from the answers of one run.

    If `brief`, leave out the tables that no verdict needs, as at the end of a run or for a gate.
    """
    run, settings = run_of(answers), run_of(answers).settings
    measured = known_measures(probe, answers)
    interest = interests(measured, settings)
    metrics = [
        metric
        for one in measured
        for metric in metrics_of(probe.name, asked_in(answers, one), one, interest.get(one.name))
    ]
    if lead := lead_of(probe):
        metrics += wording_metrics(probe.name, answers.frame, lead)
    tables = {} if brief else dict(_declared_tables(probe, answers))
    for one in measured:
        frame = asked_in(answers, one)
        if brief:
            tables.update(tables_of(frame, one, one.primary_groups))
        else:
            tables.update(tables_of(frame, one))
            tables.update(_further_tables(frame, one))
    if not brief:
        of_frame = [one for one in measured if one.frame == "frame"]
        tables["ratios"] = table_from(
            ratios(answers.frame, of_frame),
            "How many times",
            "The first group's mean divided by the second's. Intervals are by the delta method "
            "on the log scale; `p` tests a ratio of 1.",
        )
    screens = probe.screens(answers)
    section = Section(
        probe=probe.name,
        title=f"{probe.title}: what the model {probe.verb}",
        model=answers.model,
        run=run.run,
        measurable=not reasons(screens),
        why_not=reasons(screens),
        screens=screens,
        replies=_replies(probe, answers),
        metrics=adjusted(metrics),
        tables={name: table for name, table in tables.items() if table.rows},
        notes=[*run.notes, *expected_note(answers)],
    )
    section = with_groups_named(section, lead_among(measured))
    numbers = {} if brief else country_numbers(probe, answers, measured)
    said = _said(probe, section, answers, measured)
    return ProbeFindings(section, numbers, _sentences(section, said))


def expected_note(answers: Answers) -> list[str]:
    return [EXPECTED] if run_of(answers).settings.get("read") == "logprobs" else []


def _replies(probe: AnyProbe, answers: Answers) -> Replies:
    frame = answers.frame.unique("trial")  # a game has a row for each of its settings
    count = Counter(OUTCOMES.get(outcome) for outcome in frame["outcome"])
    read, declined, unread = (count[how] for how in ("read", "declined", "unread"))
    planned = run_of(answers).manifest.planned.get(probe.name, answers.frame.height)
    return Replies(
        planned=planned,
        asked=frame.height,
        read=read,
        declined=declined,
        unread=unread,
        no_text=frame.height - read - declined - unread,
        missing=max(0, planned - frame.height),
    )


def interests(measured: Sequence[Measure], settings: StoredSettings) -> dict[str, float]:
    """Map the name of the primary measure to its smallest gap of interest."""
    lead = lead_among(measured)
    share = float(settings.get("smallest_gap", SMALLEST_GAP))
    return {lead.name: share * lead.most} if lead else {}


def _declared_tables(probe: AnyProbe, answers: Answers) -> Iterator[tuple[str, Table]]:
    for name, spec in probe.tables.items():
        with suppress(BadRequest):  # the run did not ask for it
            if spec.reported:
                yield from spec.reported(answers).items()
            frames = spec.make([answers], spec.Options()) if spec.title else {}
            for title, frame in frames.items():
                key = name if len(frames) == 1 else f"{name}_{title.replace(' ', '_')}"
                label = spec.title if len(frames) == 1 else f"{spec.title}: {title}"
                yield key.replace("-", "_"), table_from(frame, label, spec.note, spec.units)


def _further_tables(frame: pl.DataFrame, measure: Measure) -> Iterator[tuple[str, Table]]:
    if measure.on_map:
        yield (
            f"{measure.name}_by_country",
            table_from(
                country_table(frame, measure),
                f"{measure.label} by country",
                country_note(measure),
                dict.fromkeys(("mean", "pooled"), measure.unit),
            ),
        )
    yield from wording_tables(frame, measure)
    contrast = measure.primary_contrast
    if contrast is None or contrast.estimate or not measure.item:
        return
    yield (
        f"{contrast.name}_by_{measure.item}",
        table_from(
            contrast_by_item(frame, measure, contrast),
            f"{contrast.label}, by {group_words(measure.item)}",
            f"`p_adjusted` allows for the number of {unit_words(measure.item)} (Holm).",
            {"gap": measure.unit},
        ),
    )


def country_numbers(
    probe: AnyProbe, answers: Any, shown: Sequence[Measure]
) -> dict[str, list[CountryNumber]]:
    """Map each economy to its numbers of the measures that are on the map."""
    found: dict[str, list[CountryNumber]] = {}
    for one in shown:
        if not one.on_map:
            continue
        counted = unit_words(one.inner_column)
        facts = {"model": answers.model, "probe": probe.name, "counted": counted}
        facts["metric"] = f"{probe.name}.{one.name}"
        names = {"mean": "value", "mean_low": "low", "mean_high": "high", counted: "n"}
        table = country_table(asked_in(answers, one), one).rename(names)
        for row in table.to_dicts():
            number = msgspec.convert(row | facts, CountryNumber)
            found.setdefault(row["country"], []).append(number)
    return found


def _sentences(section: Section, said: Iterable[Said]) -> list[Sentence]:
    return [
        Sentence(kind=kind, probe=section.probe, model=section.model, text=text, opening=opening)
        for kind, text, opening in said
        if text
    ]


def _said(
    probe: AnyProbe, section: Section, answers: Answers, measured: Sequence[Measure]
) -> Iterator[Said]:
    if section.why_not:
        yield "unmeasurable", because(section.why_not), True
    yield "caution", _missing(probe, section.replies), True
    yield "caution", _unscored(probe, section.replies), True
    if section.measurable:
        for text in probe.saying.first(section):
            yield "finding", text, True
        second_to = {one.name for one in measured}
        for one in measured:
            if one.screened and one.main and one.is_mean and one.second_to not in second_to:
                for text, opening in sentences_of(probe.name, section, one):
                    yield "finding", text, opening
        if lead := lead_of(probe):
            yield "finding", wording_sentence(probe.name, section, lead), True
    yield from probe.saying.sentences(section, answers)
    if run_of(answers).settings.get("size") == "quick":
        yield "limit", TOO_SMALL, True


def _missing(probe: AnyProbe, replies: Replies) -> str:
    """A sentence on how many trials of the plan are still to be done; "" if none are."""
    done = "played" if probe.showing.in_turns else "asked"
    part = f"{replies.missing:,} of {replies.planned:,} {probe.showing.counted}"
    return f"{part} are not {done} yet." if replies.missing else ""


def _unscored(probe: AnyProbe, replies: Replies) -> str:
    """A sentence on how many questions gave no score and why ("13 declined"); "" if none."""
    left = replies.asked - replies.read
    why = {
        "declined": replies.declined,
        "without an answer": replies.unread,
        "without text": replies.no_text,
    }
    listed = ", ".join(f"{count:,} {words}" for words, count in why.items() if count)
    part = f"{left:,} of {replies.asked:,} {probe.showing.counted}"
    return f"{part} gave no score: {listed}." if left else ""


def over_models(
    probe: AnyProbe, answers: Sequence[Any], sections: Sequence[Section]
) -> ProbeFindings | None:
    """Return the findings from the pooled answers of several runs; None for a single model.

    If the runs must not be pooled, the section says why and has no numbers.
    """
    pool, notes = _pool(probe, answers)
    if pool is None:
        return ProbeFindings(_together(probe, sections, notes=notes), {}, []) if notes else None
    if len(pool.models) < 2:
        return None
    of_frame = [one for one in all_measures(probe) if one.frame == "frame"]
    first, *others = (run_of(one).settings for one in answers)
    measured = [one for one in known_in(pool, of_frame, first) if all(map(one.asked_with, others))]
    tables: dict[str, Table] = {}
    for one in measured:
        tables.update(tables_over_models(pool.frame, one))
    tables.update(further_over_models(probe, pool))
    weak = [one.model for one in sections if not one.measurable]
    section = _together(
        probe,
        sections,
        metrics=[m for one in measured for m in metrics_over_models(probe.name, pool.frame, one)],
        tables={name: table for name, table in tables.items() if table.rows},
        notes=[*notes, *pooled_in_spite_of(weak)],
    )
    lead, said = lead_among(measured), list[Said]()
    section = with_groups_named(section, lead)
    if lead:
        told = sentences_over_models(probe.name, section, lead, len(pool.models))
        said = [("finding", text, False) for text in told]
    return ProbeFindings(section, {}, _sentences(section, said))


def further_over_models(probe: AnyProbe, pool: Pool[Any]) -> dict[str, Table]:
    made = {}
    for name, spec in probe.tables.items():
        if spec.pooled is None:
            continue
        frames = spec.pooled(pool, spec.Options())
        for title, frame in frames.items():
            key = name if len(frames) == 1 else f"{name}_{title}"
            label = f"{TITLE}: {title}"
            made[f"all_{key.replace(' ', '_').replace('-', '_')}"] = table_from(frame, label)
    return made


def measure_over_models(
    probe: AnyProbe, answers: Sequence[Any], measure: Measure, by: str, file: Path | None
) -> tuple[pl.DataFrame, list[str]]:
    """A measure's table over all models, with notes; empty if they cannot be pooled."""
    pool, notes = _table_pool(probe, answers)
    if pool is None or measure.frame != "frame":
        return pl.DataFrame(), notes
    frame, column = with_groups(pool.frame, measure, by, file)
    if column == "country" and (measure.item or measure.crossed):
        return country_table_over_models(frame, measure), notes
    return group_table_over_models(frame, measure, column), notes


def table_over_models(
    probe: AnyProbe, answers: Sequence[Any], spec: TableSpec[Any], options: Any
) -> tuple[Frames, list[str]]:
    if spec.pooled is None:
        return {}, []
    pool, notes = _table_pool(probe, answers)
    return ({} if pool is None else dict(spec.pooled(pool, options))), notes


def _pool(probe: AnyProbe, answers: Sequence[Any]) -> tuple[Pool[Any] | None, list[str]]:
    """The pooled answers and notes. If the runs cannot be pooled: None, and why."""
    lead = lead_of(probe)
    if lead is None or len(answers) < 2:
        return None, []
    try:
        pool = pool_of(probe, lead, answers)
    except BadRequest as refused:
        return None, [f"{with_capital(str(refused))}."]
    return pool, pool.notes


def _table_pool(probe: AnyProbe, answers: Sequence[Any]) -> tuple[Pool[Any] | None, list[str]]:
    pool, notes = _pool(probe, answers)
    if pool is None or len(pool.models) < 2:
        return None, notes
    weak = [one.model for one in answers if reasons(probe.screens(one))]
    return pool, [*notes, *pooled_in_spite_of(weak)]


def _together(
    probe: AnyProbe,
    sections: Sequence[Section],
    metrics: Sequence[Metric] = (),
    tables: Mapping[str, Table] | None = None,
    notes: Sequence[str] = (),
) -> Section:
    counts = {
        name: sum(getattr(one.replies, name) for one in sections)
        for name in Replies.__struct_fields__
    }
    return Section(
        probe=probe.name,
        title=f"{probe.title}: {TITLE.lower()}",
        model=ALL_MODELS,
        run="",
        measurable=True,
        why_not=[],
        screens=[],
        replies=Replies(**counts),
        metrics=list(metrics),
        tables=dict(tables or {}),
        notes=list(notes),
    )


# What is said and drawn ---------------------------------------------------------------------------


def verdict(probe: AnyProbe, section: Section) -> Verdict | None:
    lead = _lead_in(probe, section)
    if lead is None or not lead.primary:
        return None
    by = lead.primary_contrast.by if lead.primary_contrast else ""
    figure = figure_name(probe.name, lead.name, by) if by in lead.all_groups else ""
    alike = [one for one in probe.measures if one.primary and not one.primary_contrast]
    told = verdict_of(section, lead, figure, alike)
    first = " ".join(probe.saying.first(section)) if section.measurable else ""
    return msgspec.structs.replace(told, first=first)


def primary_label(probe: AnyProbe, section: Section) -> str:
    """The label of the section's primary number, whichever income groups it compared."""
    lead = _lead_in(probe, section)
    return (lead.primary_contrast or lead).label if lead and lead.primary else ""


def _lead_in(probe: AnyProbe, section: Section) -> Measure | None:
    """The measure that has the section's primary number."""
    primary = primary_of(section)
    named = (
        one
        for one in probe.measures
        if primary and one.primary and primary.name == f"{probe.name}.{one.primary}"
    )
    return next(named, lead_of(probe))


def figures(probe: AnyProbe, findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    every = all_measures(probe)
    pooled = [one for one in findings.over_models if one.probe == probe.name]
    made = [map_over_models(probe.name, one, section) for section in pooled for one in every]
    made += [figures_of(probe.name, one, sections) for one in every]
    return [*chain.from_iterable(made), *probe.figures(sections)]


def country_measures(probe: AnyProbe) -> list[CountryMeasure]:
    second = {one.second_to for one in probe.measures}
    return [
        CountryMeasure(
            f"{probe.name}.{one.name}", one.label, bool(one.second_to) or one.name in second
        )
        for one in probe.measures
        if one.on_map
    ]


def metric_names(probe: AnyProbe) -> list[str]:
    own = [name for one in all_measures(probe) for name in one.metric_names()]
    if (lead := lead_of(probe)) and lead.wording:
        own.append(SHARE)
    return [f"{probe.name}.{name}" for name in own]


def number(probe: AnyProbe, record: StoredRecord) -> float | None:
    """The value of a trial's record for the leading measure; None if the trial has no value."""
    lead = lead_of(probe)
    if lead and lead.of_record:
        return lead.of_record(record)
    value = record.get(lead.value) if lead else None
    return None if value is None else float(value)


# Comparing and planning ---------------------------------------------------------------------------


def comparison(probe: AnyProbe) -> ComparisonRule | None:
    return comparison_of(probe.name, all_measures(probe)) if probe.measures else None


def aim(probe: AnyProbe, plan: Plan) -> Aim:
    """The primary test of a run with this plan. Raises `BadRequest` if the probe has no test."""
    lead = lead_in(probe, plan.settings)
    if lead is None:
        raise BadRequest(f"{probe.name} has no test to plan for")
    asked = plan.compared() if plan.compared else asked_pairs(plan, with_items=bool(lead.item))
    return aim_of(lead, asked)


def summary(probe: AnyProbe, section: Section) -> Table | None:
    """The table that a terminal shows with a section's sentences, in place of its metrics."""
    lead = _lead_in(probe, section)
    by = lead.primary_contrast.by if lead and lead.primary_contrast else ""
    return section.tables.get(table_name(lead, by)) if lead and by else None


def primary_metric(probe: AnyProbe) -> str:
    lead = lead_of(probe)
    return f"{probe.name}.{lead.primary}" if lead and lead.primary else ""


def scale(probe: AnyProbe) -> float:
    """The length of the primary number's scale. The smallest gap of interest is a share of it."""
    lead = lead_of(probe)
    return lead.most if lead else 1.0


def verb_of_several(probe: AnyProbe) -> str:
    """The plural of the probe's verb: "know" for "knows"."""
    first, *rest = probe.verb.split(" ")
    return " ".join([first.removesuffix("s"), *rest])


def methods(probe: AnyProbe) -> str:
    """How intervals and tests are made, for the report's section on methods."""
    lead = lead_of(probe)
    return method_of(lead) if lead else ""


def primary_question(probe: AnyProbe) -> str:
    lead = lead_of(probe)
    if lead is None or not lead.primary:
        return ""
    contrast: Contrast | None = lead.primary_contrast
    what = lead.label.lower()
    return (
        f"Is there a difference in {what} {contrast.between}?" if contrast else f"Is the {what} 0?"
    )
