"""A measure's numbers as metrics, tables, verdicts and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import polars as pl

from geobias.atlas.economies import INCOMES
from geobias.measures import crossed
from geobias.measures.estimates import contrasted, group_table, is_share, missing_count, whole
from geobias.measures.measure import HALVES, Contrast, Measure
from geobias.measures.questions import rows_of as rows_about
from geobias.results.charts import Dot, Intervals
from geobias.results.findings import Metric, Section, Table
from geobias.results.formatting import (
    counted,
    number,
    p_phrase,
    p_with_adjusted,
    singular,
    unit_words,
    with_capital,
)
from geobias.results.tables import (
    GroupRow,
    metric_from,
    metric_of,
    metric_value,
    rows_of,
    table_from,
)
from geobias.results.verdicts import (
    Verdict,
    dots_of,
    is_significant,
    primary_of,
    verdict_on,
    word_of,
)
from geobias.stats.contrasts import MIN_UNITS
from geobias.stats.estimates import LEVEL
from geobias.trials import StoredSettings

EXPECTED = "Values are expected values, by the probabilities of all answers."
"""The note of a section whose run asked for probabilities."""
GROUP_WORDS = {
    "region": "region",
    "income": "income group",
    "continent": "continent",
    "north_south": "half of the world",
    "west_east": "half of the world",
    "social_value": "what it is about",
    "category": "kind",
}


def group_words(by: str) -> str:
    return GROUP_WORDS.get(by, by.replace("_", " "))


def frame_of(answers: object, measure: Measure) -> pl.DataFrame | None:
    frame: pl.DataFrame | None = getattr(answers, measure.frame, None)
    return frame


def known_in(
    answers: object, measures: Sequence[Measure], settings: StoredSettings
) -> Iterator[Measure]:
    for one in measures:
        frame = frame_of(answers, one)
        if frame is None or not one.asked_with(settings):
            continue
        if not one.asked and frame.height and not rows_about(frame, one).height:
            continue
        if one.value in frame.columns:
            yield one


def lead_among(known: Sequence[Measure]) -> Measure | None:
    return next((one for one in known if one.primary), None)


def metrics_of(
    probe: str, frame: pl.DataFrame, measure: Measure, interest: float | None = None
) -> Iterator[Metric]:
    """The primary metric gets `interest`, the smallest gap of interest."""
    for contrast in (*([] if measure.relative else [None]), *measure.contrasts):
        yield _metric(probe, frame, measure, contrast, interest)


def _metric(
    probe: str,
    frame: pl.DataFrame,
    measure: Measure,
    contrast: Contrast | None,
    interest: float | None,
) -> Metric:
    facts = described(probe, measure, contrast)
    if contrast:
        primary = contrast is measure.primary_contrast
        told = contrasted(frame, measure, contrast, interest or 0.0)
        facts["note"] = f"{contrast.note} {told.note}".strip()
        facts |= {"p_checks": told.p_checks, "reach_checks": told.reach}
        tested, missing = True, told.missing
        if is_share(frame, measure) and not measure.relative:
            facts["unit"] = "difference of shares"
    else:
        primary = measure.primary == measure.name
        told = whole(frame, measure, primary=primary and interest is not None)
        items = crossed.on_items(frame, measure)
        facts |= items._asdict() if items else {}
        facts["chance"] = measure.chance(frame) if measure.chance else None
        tested, missing = measure.held_against_zero, None if measure.screened else 0
    found, ends = told.found, told.ends
    return metric_from(
        found,
        caution=told.caution or found.caution,
        counted=told.counted or measure.counted,
        # Without a value there is no test.
        p=told.found.p if tested and found.value is not None else None,
        primary=primary and interest is not None,
        interest=interest if primary else None,
        lowest=ends.lowest,
        highest=ends.highest,
        p_missing=ends.p,
        reach=ends.reach,
        missing=missing_count(frame, measure) if missing is None else missing,
        screened=measure.screened or contrast is not None,
        **facts,
    )


def described(probe: str, measure: Measure, contrast: Contrast | None) -> dict[str, object]:
    if contrast is None:
        return {
            "name": f"{probe}.{measure.name}",
            "label": measure.label,
            "unit": measure.unit,
            "better": measure.better,
            "note": measure.note,
        }
    gap = measure.unit if measure.relative else f"difference of {measure.label.lower()}s"
    return {
        "name": f"{probe}.{contrast.name}",
        "label": contrast.label,
        "unit": gap,
        "better": "zero",
        "note": contrast.note,
    }


def table_name(measure: Measure, by: str) -> str:
    return f"{measure.name}_by_{by}"


def tables_of(
    frame: pl.DataFrame, measure: Measure, groupings: Sequence[str] | None = None
) -> Iterator[tuple[str, Table]]:
    units = {"mean": measure.unit, "declined": "share", "unread": "share"}
    every = (*measure.all_groups, *filter(None, (measure.item,)))
    for by in every if groupings is None else groupings:
        if by not in frame.columns:
            continue
        title = f"{measure.label} by {group_words(by)}"
        table, note = group_table(frame, measure, by), group_note(frame, measure, by)
        if measure.within and table.height < 2:
            continue  # a single group repeats the overall number
        yield table_name(measure, by), table_from(table, title, note, units)


def group_note(frame: pl.DataFrame, measure: Measure, by: str) -> str:
    if measure.crossed:
        return crossed.group_note(measure, by)
    notes = [f"Every {'answer' if is_share(frame, measure) else 'country'} has the same weight."]
    if measure.item not in ("", by):
        notes.append(f"Values are adjusted for the {measure.item}.")
    return " ".join([*notes, f"Intervals are over {measure.counted}."])


def verdict_of(
    section: Section, measure: Measure, figure: str, beside: Sequence[Measure] = ()
) -> Verdict:
    """`beside` has similar measures, which are drawn in the same picture."""
    dots = _dots(section, measure) if measure.primary_contrast else _level_dots(section, beside)
    told = verdict_on(
        section,
        measure.in_words,
        compared=_compared(section, measure),
        dots=dots,
        figure=figure,
        also=_these_items(section, measure).strip(),
    )
    groups = measure.primary_contrast.short if measure.primary_contrast else ""
    there = of_groups_there(groups, section, measure)
    if there != groups:
        few = "Poorer or richer groups have too few countries."
        aside = f"{there}; {told.aside}".removesuffix("; ")
        told = msgspec.structs.replace(told, aside=aside, further=f"{told.further} {few}".strip())
    return msgspec.structs.replace(
        told,
        found=of_groups_there(told.found, section, measure),
        matters=of_groups_there(told.matters, section, measure),
    )


def _compared(section: Section, measure: Measure) -> str:
    """Name the two things that the primary number compares, with their values if these are known.

    If the contrast has an `estimate`, such as the gap among known targets, the groups' means are
    left out, since the gap is not their difference.
    """
    words, contrast, lead = measure.in_words, measure.primary_contrast, primary_of(section)
    by = ", by the probabilities of its answers," if EXPECTED in section.notes else ""
    low, high = measure.range
    scale = f"({words.scale or f'{low:g} to {high:g}'})"
    if lead is None or contrast is None:
        size = f"{words.size}{by} {scale}"
        if lead is None or lead.above is None or lead.below is None:
            return size
        of, share = "", scale
        if lead.answers is not None:  # Earlier reports lack it.
            of, share = f" of {lead.answers:,}", f"(difference / {lead.answers:,})"
        sides = f"answers {words.sides[1]}, {lead.below:,} {words.sides[0]}"
        return f"{lead.above:,}{of} {sides}; {words.size.lower()} {share}"
    there = {row.group: row.found for row in _group_rows(section, measure, contrast)}
    ends = [one for one in contrast.order if one in there and there[one].n >= MIN_UNITS]
    if contrast.estimate or len(ends) < 2:
        apart = f"{contrast.order[0]} minus {contrast.order[-1]} {contrast.which}".strip()
        return f"{words.size}{by} {scale}, {apart}"
    values = [number(there[ends[i]].value) for i in (0, -1)]
    first, last = (_called(contrast.by, ends[i]) for i in (0, -1))
    first = first.removesuffix(" countries")
    every = ""
    if lead.n > there[ends[0]].n + there[ends[-1]].n:  # The middle of three groups has no weight.
        every = f" (all {len(ends)} groups)"
    sides = f"{values[0]} for {first} and {values[1]} for {last}"
    return f"{words.size}{by} is {sides} {scale}; {contrast.short}{every}"


def _called(by: str, group: str) -> str:
    """Name a group within a sentence: "low-income countries", "the Global North"."""
    if by == "income":
        return f"{group.lower().replace(' ', '-')} countries"
    return f"the {group}" if by in HALVES else group


def with_groups_named(section: Section, measure: Measure | None) -> Section:
    """Put the groups that were actually compared into the label of the section's primary number."""
    lead = primary_of(section)
    if measure is None or lead is None:
        return section
    label = of_groups_there(lead.label, section, measure)
    metrics = [
        msgspec.structs.replace(one, label=label) if one is lead else one for one in section.metrics
    ]
    return msgspec.structs.replace(section, metrics=metrics)


def of_groups_there(text: str, section: Section, measure: Measure) -> str:
    """Replace "poor" and "rich" in a text by the income groups that a section compared."""
    contrast = measure.primary_contrast
    if contrast is None or contrast.by != "income":
        return text
    name = table_name(measure, "income")
    columns = ("mean", measure.counted)
    rows = rows_of(section, name, *columns) or rows_of(section, f"all_{name}", *columns)
    return incomes_named(text, {row.group: row.found.n for row in rows})


def incomes_named(text: str, sizes: Mapping[str, int]) -> str:
    """Replace "poor" and "rich" in a text if the lowest or the highest income group is too small.

    `sizes` has the number of countries in each group. A small sample without low-income countries
    says nothing about poor countries.
    """
    there = [one for one in INCOMES if sizes.get(one, 0) >= MIN_UNITS]
    if len(there) < 2:
        return text
    for word, group, end in (("poor", there[0], INCOMES[0]), ("rich", there[-1], INCOMES[-1])):
        if group != end:
            text = text.replace(word, group.lower().replace(" ", "-"))
    return text


def _these_items(section: Section, measure: Measure) -> str:
    """Return a sentence on the test for the items asked, if it disagrees with the primary test.

    The primary test generalises to other items of this kind.
    """
    lead = primary_of(section)
    if lead is None or lead.p is None or lead.value is None or lead.p_items is None:
        return ""
    if (lead.p_items < LEVEL) == (lead.p < LEVEL):
        return ""
    words, p = measure.in_words, p_phrase(lead.p_items)
    if lead.p < LEVEL:
        signs = f"by the signs of {measure.counted}"
        return f" Judged by these items alone, the {words.gap} may be chance ({p}, {signs})."
    clause, with_it = (words.above, lead.above) if lead.value > 0 else (words.below, lead.below)
    of = ""
    if lead.above is not None and lead.below is not None:
        of = f"{with_it:,} of the {lead.above + lead.below:,} answers that are not 0, "
    said = f" On these items it {clause} ({of}{p})"
    if word_of(lead) == "ruled out":
        return f"{said}."
    return f"{said}. Whether it does so on other, similar items is open."


def _level_dots(section: Section, measures: Sequence[Measure]) -> Intervals | None:
    levels = [(one, metric_of(section, f"{section.probe}.{one.name}")) for one in measures]
    known = [(one, found) for one, found in levels if found]
    rows = [
        Dot(
            row=one.short or one.label,
            value=found.value,
            low=found.low,
            high=found.high,
            said=f"{one.label}: {metric_value(found)}, {counted(found.n, found.counted)}",
            n=found.n,
        )
        for one, found in known
        if found.value is not None
    ]
    if not rows:
        return None
    counts = {found.counted for _, found in known}
    return Intervals(
        rows=rows,
        title="← {}\u2003{} →".format(*measures[0].in_words.sides),
        domain=measures[0].bounds,
        counted=counts.pop() if len(counts) == 1 else "n",
        reference=0,
    )


def _dots(section: Section, measure: Measure) -> Intervals | None:
    contrast = measure.primary_contrast
    if contrast is None:
        return None
    rows = _group_rows(section, measure, contrast)
    made = intervals_of(rows, measure, rows)
    title = measure.in_words.size.lower()
    return msgspec.structs.replace(made, title=title) if len(made.rows) > 1 else None


def _group_rows(section: Section, measure: Measure, contrast: Contrast) -> list[GroupRow]:
    return rows_of(section, table_name(measure, contrast.by), "mean", measure.counted)


def intervals_of(
    rows: Sequence[GroupRow], measure: Measure, every: Sequence[GroupRow]
) -> Intervals:
    """Dots with intervals for groups, on a scale that suits `every` row."""
    return Intervals(
        rows=dots_of(rows, measure.counted),
        title=measure.axis or measure.label.lower(),
        domain=_domain(every, measure),
        reference=0 if measure.two_sided else None,
        counted=measure.counted,
    )


def _domain(rows: Iterable[GroupRow], measure: Measure) -> tuple[float, float]:
    """Return the ends of the scale on which a measure is drawn.

    If the measure's numbers cannot lie on both sides of 0, the ends are its bounds, so that its
    figures look alike. Otherwise the scale is symmetric and just long enough for the intervals.
    """
    if not measure.two_sided:
        return measure.bounds
    ends = (end for _, found, _ in rows for end in (found.value, found.low, found.high))
    known = [abs(end) for end in ends if end is not None]
    end = max([measure.length / 10, *known]) * 1.05
    return -end, end


def sentences_of(probe: str, section: Section, measure: Measure) -> Iterator[tuple[str, bool]]:
    """Yield each sentence of the measure, and whether the opening of the report shows it.

    The opening has the mean and the primary contrast. Other contrasts are details.
    """
    primary = primary_of(section)
    mean = metric_of(section, f"{probe}.{measure.name}")
    if mean is not None and mean.value is not None:
        rests_on = counted(mean.n, mean.counted)
        if mean.p is not None:
            alone = mean is primary
            p = p_phrase(mean.p) if alone else p_with_adjusted(mean.p, mean.p_adjusted)
            rests_on += f"; {p}"
        yield f"Its {measure.label.lower()} is {metric_value(mean)} ({rests_on}).", True
    for contrast in measure.contrasts:
        gap = metric_of(section, f"{probe}.{contrast.name}")
        if gap is None or gap.value is None or gap.p is None:
            continue
        short = with_capital(of_groups_there(contrast.short, section, measure))
        what = f"{short}: {metric_value(gap)}{measure.in_words.of}"
        if gap is primary:
            note = "" if contrast.estimate else gap.note.removeprefix(contrast.note)
            yield f"{what} ({counted(gap.n, gap.counted)}; {p_phrase(gap.p)}).{note}", True
        elif is_significant(gap) or not measure.primary:
            adjusted = p_with_adjusted(gap.p, gap.p_adjusted)
            yield f"{what} ({counted(gap.n, gap.counted)}; {adjusted}).", False


def method_of(measure: Measure) -> str:
    said = []
    one = singular(measure.counted)
    if measure.item:
        said.append(
            f"Means are adjusted for the {measure.item.replace('_', ' ')}, as if every {one} had "
            f"been asked everything. Every {one} has the same weight."
        )
    if measure.crossed:
        *others, last = map(unit_words, measure.units)
        return (
            f"Intervals and tests are over {', '.join(others)} and {last} at once (multiway "
            "clustering): they hold for similar items too. An exact test of signs over "
            f"{measure.counted} holds for these items only."
        )
    units = f"Intervals are over {measure.counted}"
    said.append(
        f"{units}; those of a single {one} are over its {unit_words(measure.item)}."
        if measure.item
        else f"{units}."
    )
    if contrast := measure.primary_contrast:
        said.append(f"The one primary number is {contrast.short}. {contrast.note}".strip())
    return " ".join(said)
