"""A measure's numbers as metrics, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from geobias.measures.estimates import (
    contrasted,
    group_table,
    is_share,
    missing_count,
    varying,
    whole,
    whole_ends,
)
from geobias.measures.measure import Contrast, Measure, unit_words
from geobias.measures.questions import rows_of as rows_of_measure
from geobias.results.findings import Metric, Section, Table
from geobias.results.formatting import counted, p_phrase, p_with_adjusted, singular
from geobias.results.tables import (
    adjusted,
    metric_from,
    metric_of,
    metric_value,
    rows_of,
    table_from,
)
from geobias.results.verdicts import (
    Dots,
    Question,
    Verdict,
    dots_of,
    is_significant,
    primary_of,
    verdict_on,
)

GROUP_WORDS = {
    "region": "region",
    "income": "income group",
    "continent": "continent",
    "north_south": "half of the world",
    "west_east": "half of the world",
    "category": "kind",
}


def group_words(by: str) -> str:
    """A column that groups countries, or an item, as a title has it."""
    return GROUP_WORDS.get(by, by.replace("_", " "))


def known_in(
    answers: object, measures: Sequence[Measure], settings: Mapping[str, Any]
) -> Iterator[Measure]:
    """The measures that a run with these settings asks for and its frames have, those by expected
    values too. One of these is primary in place of the measure it expects."""
    for one in measures:
        frame = frame_of(answers, one)
        if not one.asked_with(settings):
            continue
        asked = one.in_run(settings)
        if one.value in frame.columns:
            yield asked
        if one.expected and frame[one.expected].count():
            yield asked.by_expectation


def frame_of(answers: object, measure: Measure) -> pl.DataFrame:
    """The frame that a measure is of."""
    frame: pl.DataFrame = getattr(answers, measure.frame)
    return frame


def metrics_of(
    probe: str, frame: pl.DataFrame, measure: Measure, interest: float | None = None
) -> Iterator[Metric]:
    """The mean and the contrasts. The primary one has the smallest gap of `interest`."""
    if not measure.relative:
        yield _mean(probe, frame, measure, interest)
    for contrast in measure.contrasts:
        yield _contrast(probe, frame, measure, contrast, interest)


def _mean(probe: str, frame: pl.DataFrame, measure: Measure, interest: float | None) -> Metric:
    found = whole(frame, measure)
    bounded = measure.screened and measure.estimate is None
    lowest, highest = whole_ends(frame, measure) if bounded else (None, None)
    primary = measure.primary == measure.name
    over = varying(rows_of_measure(frame, measure), measure)
    return metric_from(
        found.estimate,
        name=f"{probe}.{measure.name}",
        label=measure.label,
        counted=unit_words(over),
        unit=measure.unit,
        better=measure.better,
        note=measure.note,
        p=found.p if measure.better == "zero" else None,
        chance=measure.chance(frame) if measure.chance else None,
        screened=measure.screened,
        primary=primary and interest is not None,
        interest=interest if primary else None,
        missing=missing_count(frame, measure) if measure.screened else 0,
        lowest=lowest,
        highest=highest,
    )


def _contrast(
    probe: str, frame: pl.DataFrame, measure: Measure, contrast: Contrast, interest: float | None
) -> Metric:
    told = contrasted(frame, measure, contrast)
    found, ends = told.found, told.ends
    primary = contrast is measure.primary_contrast and interest is not None
    by = ", by expected values" if measure.prefix else ""
    return metric_from(
        found.estimate,
        name=f"{probe}.{measure.prefix}{contrast.name}",
        label=f"{contrast.label}{by}",
        counted=told.counted or measure.counted,
        unit=_unit_of_gap(frame, measure),
        better="zero",
        note=f"{contrast.note} {told.note}".strip(),
        # A test of something that has no value is no test.
        p=None if found.estimate.value is None else found.p,
        caution=told.caution or found.estimate.caution,
        primary=primary,
        interest=interest if primary else None,
        missing=missing_count(frame, measure) if told.missing is None else told.missing,
        lowest=ends.lowest,
        highest=ends.highest,
        p_missing=ends.p,
        reach=ends.reach,
        p_clustered=told.clustered.p if told.clustered else None,
    )


def _unit_of_gap(frame: pl.DataFrame, measure: Measure) -> str:
    if measure.relative:
        return measure.unit
    return f"difference of {'share' if is_share(frame, measure) else measure.label.lower()}s"


def families_adjusted(metrics: Sequence[Metric], measures: Sequence[Measure]) -> list[Metric]:
    """The metrics with p-values adjusted, each family of tests by itself."""
    contrasts = [contrast for one in measures for contrast in one.contrasts]
    family = {contrast.name: contrast.family for contrast in contrasts}
    own = [family.get(metric.name.partition(".")[2], "") for metric in metrics]
    done = {
        metric.name: metric
        for name in dict.fromkeys(own)
        for metric in adjusted([m for m, of in zip(metrics, own, strict=True) if of == name])
    }
    return [done[metric.name] for metric in metrics]


def table_name(measure: Measure, by: str) -> str:
    return f"{measure.name}_by_{by}"


def tables_of(
    frame: pl.DataFrame, measure: Measure, groupings: Sequence[str] | None = None
) -> Iterator[tuple[str, Table]]:
    """The groups of a measure, as the tables of a section; of some `groupings` alone."""
    units = {"mean": measure.unit, "declined": "share", "unread": "share"}
    every = (*measure.all_groups, *filter(None, (measure.item,)))
    for by in every if groupings is None else groupings:
        if by not in frame.columns:
            continue
        shares = is_share(frame, measure)
        notes = [f"Every {'answer' if shares else 'country'} has the same weight."]
        if measure.item not in ("", by):
            notes.append(f"Values are adjusted for the {measure.item}.")
        notes.append(f"Intervals are over {measure.counted}.")
        title = f"{measure.label} by {group_words(by)}"
        table = group_table(frame, measure, by)
        if measure.within and table.height < 2:
            continue  # the whole in other words
        yield table_name(measure, by), table_from(table, title, " ".join(notes), units)


def verdict_of(section: Section, measure: Measure, figure: str) -> Verdict:
    """What is said first of a section, by the primary number of this measure."""
    words, contrast = measure.in_words, measure.primary_contrast
    size = f"{words.size} {contrast.which}" if contrast and contrast.which else words.size
    question = Question(
        above=words.above,
        below=words.below,
        gap=words.gap,
        size=lambda found: (
            f"{size}: {metric_value(found)}{words.of} ({counted(found.n, found.counted)})."
        ),
        too_few=words.too_few,
        ends=words.ends,
    )
    return verdict_on(section, question, dots=_dots(section, measure), figure=figure, reasons={})


def _dots(section: Section, measure: Measure) -> Dots | None:
    contrast = measure.primary_contrast
    if contrast is None:
        return None
    rows = rows_of(section, table_name(measure, contrast.by), "mean")
    low, high = domain_of([rows], measure)
    ends = ("lower", "higher")
    middle = {"reference": 0, "at": "mean"} if measure.relative else {}
    return dots_of(rows, "group", "mean", measure.counted, domain=(low, high), ends=ends, **middle)


def domain_of(
    parts: Sequence[Sequence[dict[str, object]]], measure: Measure
) -> tuple[float, float]:
    """The ends of a scale: those of the measure, so that it looks alike wherever it is drawn. What
    counts from the mean has both sides of it alike, as far as the intervals reach."""
    if not measure.relative:
        return measure.bounds
    names = ("mean", "mean_low", "mean_high")
    values = [row[name] for rows in parts for row in rows for name in names]
    known = [abs(value) for value in values if isinstance(value, float)]
    end = max([measure.length / 10, *known]) * 1.05
    return -end, end


def sentences_of(probe: str, section: Section, measure: Measure) -> Iterator[tuple[str, bool]]:
    """What the measure says, and whether it stands at the opening of the report: a sentence for its
    mean and one for its primary contrast, and as details those for other contrasts that are sure.
    """
    mean = metric_of(section, f"{probe}.{measure.name}")
    if mean is not None and mean.value is not None:
        rests_on = counted(mean.n, mean.counted)
        yield f"Its {measure.label.lower()} is {metric_value(mean)} ({rests_on}).", True
    primary = primary_of(section)
    for contrast in measure.contrasts:
        gap = metric_of(section, f"{probe}.{measure.prefix}{contrast.name}")
        if gap is None or gap.value is None or gap.p is None:
            continue
        short = contrast.short[:1].upper() + contrast.short[1:]
        what = f"{short}: {metric_value(gap)}{measure.in_words.of}"
        if gap is primary:
            yield f"{what} ({counted(gap.n, gap.counted)}; {p_phrase(gap.p)}).", True
        elif is_significant(gap):
            adjusted = p_with_adjusted(gap.p, gap.p_adjusted)
            yield f"{what} ({counted(gap.n, gap.counted)}; {adjusted}).", False


def method_of(measure: Measure) -> str:
    """How its intervals and its test are made."""
    said = []
    one = singular(measure.counted)
    if measure.item:
        said.append(
            f"Means are adjusted for the {measure.item.replace('_', ' ')}, as if every {one} had "
            "been asked everything, and each has the same weight."
        )
    units = f"{measure.counted[:1].upper()}{measure.counted[1:]} are the units of all intervals"
    said.append(
        f"{units}; for a single one, its {unit_words(measure.item)} are."
        if measure.item
        else f"{units}."
    )
    if contrast := measure.primary_contrast:
        said.append(f"The one primary number is {contrast.short}. {contrast.note}".strip())
    return " ".join(said)
