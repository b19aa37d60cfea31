"""Pictures that are taken in at a glance: a few dots with intervals, and what a map's shades mean.

They carry no numbers: a reader who wants one points at a mark.

The first screen of a report: what a reader with thirty seconds takes away.

Three models or more: what was found over all of them, and a row of drawn intervals for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any
from xml.sax.saxutils import quoteattr

import msgspec

from geobias.probes import derived
from geobias.probes.probe import Headline
from geobias.probes.registry import all_probes
from geobias.report.grids import NOT_MEASURABLE, headline_metric, headlines_of, without_number
from geobias.report.page.charts import RAMPS
from geobias.report.page.drawing import DrawnFigure, inlined_figure
from geobias.report.page.svg import UNASKED, inlined, light, svg_element, text_element
from geobias.report.page.text import harmless, with_true_minuses
from geobias.report.records import is_simulated
from geobias.report.verdicts import (
    MANY,
    spread_of_words,
    verdict_of,
)
from geobias.results.charts import Ramp, WorldMap
from geobias.results.findings import Findings, Metric, Run, Section
from geobias.results.formatting import counted, number, with_true_minus
from geobias.results.tables import metric_value
from geobias.results.verdicts import SURENESS, Dots, Verdict, is_significant, word_of

WIDTH, LABELS, ROW, LETTER = 400, 116, 21, 13
"""Of the drawing, of its column of names, of a row, and of a letter's size, in pixels."""
_EDGE = 12
_MOST_LETTERS = 18


def draw_dots(dots: Dots) -> str:
    """The dots as SVG."""
    high = ROW * len(dots.rows)
    ends = (LABELS, WIDTH - _EDGE)
    inside = [_line(ends[0], high, ends[1], high, light("faint"), "1")]
    if dots.reference is not None:
        x = _place(dots, dots.reference)
        inside.append(_line(x, 2, x, high, light("faint"), "1"))
    for i, row in enumerate(dots.rows):
        inside.append(_row(dots, row, ROW * i + ROW / 2))
    foot = high + LETTER + 4
    for words, x, anchor in (
        (dots.ends[0], ends[0], "start"),
        (dots.at, _place(dots, dots.reference or 0), "middle"),
        (dots.ends[1], ends[1], "end"),
    ):
        if words:
            inside.append(text_element(x, foot, words, LETTER - 1, text_anchor=anchor))
    return svg_element("".join(inside), f"0 0 {WIDTH} {foot + 5:g}")


def _row(dots: Dots, row: Mapping[str, Any], y: float) -> str:
    name = harmless(str(row["row"]))
    name = name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"
    drawn = text_element(LABELS - 14, y + 4.5, name, LETTER, "ink", text_anchor="end")
    x = _place(dots, row["value"])
    inside = ""
    if row["low"] is not None and row["high"] is not None:
        ends = _place(dots, row["low"]), _place(dots, row["high"])
        line = _line(ends[0], y, ends[1], y, light("accent"), "5")
        inside += line.replace("/>", ' stroke-linecap="round" opacity="0.4"/>')
    said = quoteattr(with_true_minus(harmless(str(row["said"]))))
    inside += f'<circle cx="{x:g}" cy="{y:g}" r="5.5" fill="{light("accent")}"/>'
    # The whole row can be pointed at, not the small dot alone.
    target = f'<rect x="0" y="{y - ROW / 2:g}" width="{WIDTH}" height="{ROW}" fill="none"/>'
    return f'{drawn}<g class="mark" aria-label={said} pointer-events="all">{target}{inside}</g>'


def _place(dots: Dots, value: float) -> float:
    low, high = dots.domain
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return round(LABELS + share * (WIDTH - LABELS - _EDGE), 1)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: str) -> str:
    ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def draw_interval(
    value: float | None, low: float | None, high: float | None, domain: tuple[float, float]
) -> str:
    """One number of a table's cell on its column's scale, with a line at 0."""
    dots = Dots(rows=[], domain=domain)
    wide, y = WIDTH - LABELS, 10
    inside = [_line(_place(dots, 0) - LABELS, 1, _place(dots, 0) - LABELS, 19, light("faint"), "2")]
    if low is not None and high is not None:
        ends = [_place(dots, end) - LABELS for end in (low, high)]
        line = _line(ends[0], y, ends[1], y, light("accent"), "7")
        inside.append(line.replace("/>", ' opacity="0.4"/>'))
    if value is not None:
        x = _place(dots, value) - LABELS
        inside.append(f'<circle cx="{x:g}" cy="{y}" r="7.5" fill="{light("accent")}"/>')
    return svg_element("".join(inside), f"0 0 {wide} 20")


def draw_shades(ramp: Ramp, ends: tuple[str, str], *, without_value: bool) -> str:
    """What the shades of a map mean, in words."""
    high, wide = 11, 20
    inside = [text_element(0, 11, ends[0], LETTER - 1)]
    x = 7.0 * len(ends[0]) + 8
    for shade in RAMPS[ramp]:
        inside.append(
            f'<rect x="{x:g}" y="1" width="{wide}" height="{high}" fill="{light(shade)}"/>'
        )
        x += wide
    inside.append(text_element(x + 7, 11, ends[1], LETTER - 1))
    x += 7.0 * len(ends[1]) + 24
    for words, fill in [("not asked", UNASKED)] + [("no value", "url(#hatch)")] * without_value:
        frame = f'stroke="{light("faint")}" stroke-width="0.7"'
        inside.append(
            f'<rect x="{x:g}" y="1" width="{wide}" height="{high}" fill="{fill}" {frame}/>'
        )
        inside.append(text_element(x + wide + 6, 11, words, LETTER - 1))
        x += wide + 7.0 * len(words) + 18
    return svg_element("".join(inside), f"0 0 {x:g} 15")


SIZES = {
    "quick": "quick: too small for conclusions",
    "standard": "standard size",
    "paper": "paper size",
}


def cards(findings: Findings, sections: Sequence[Section]) -> list[dict[str, Any]]:
    """What each probe found about a model, ready for the template."""
    verdicts = [verdict_of(findings, section) for section in sections]
    made = []
    for section, verdict in zip(sections, _on_one_scale(verdicts), strict=True):
        made.append(
            {
                "probe": section.probe,
                "name": all_probes()[section.probe].title,
                "model": section.model,
                "measurable": section.measurable,
                "word": verdict.word,
                "label": verdict.label,
                "found": verdict.found,
                "figure": verdict.figure,
                "matters": with_true_minuses(verdict.matters),
                "dots": picture(verdict.dots if section.measurable else None),
                "ends": verdict.dots.ends if verdict.dots else ("little", "much"),
            }
        )
    return made


def _on_one_scale(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Models side by side are drawn on one scale."""
    domains = [one.dots.domain for one in verdicts if one.dots is not None]
    if not domains:
        return list(verdicts)
    domain = min(low for low, _ in domains), max(high for _, high in domains)
    return [
        one
        if one.dots is None
        else msgspec.structs.replace(one, dots=msgspec.structs.replace(one.dots, domain=domain))
        for one in verdicts
    ]


def picture(dots: Dots | None) -> str:
    """Dots, described for who cannot see them."""
    if dots is None:
        return ""
    said = "; ".join(str(row["said"]) for row in dots.rows)
    return inlined(draw_dots(dots), with_true_minuses(said))


def lead_of(made: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The surest of the cards, the first of equally sure ones: it makes the title."""
    return min(made, key=lambda card: SURENESS.index(card["word"]))


def title(model: str, lead: Mapping[str, Any]) -> str:
    """The finding as a title."""
    if lead["word"] == "untested":
        return f"{model} could not be tested"
    return f"{model} {lead['found']}" if lead["found"] else f"What {model} answers about the world"


def map_for(lead: Mapping[str, Any], drawn: Sequence[DrawnFigure]) -> tuple[str, str]:
    """The map of the leading probe and its shades in words; both empty where it has none."""
    for one in drawn:
        figure, legend = one.figure, one.figure.legend
        if isinstance(figure.panels[0].chart, WorldMap) and legend is not None:
            ends = lead["ends"]
            shades = draw_shades(legend.ramp, ends, without_value=legend.without_value)
            words = f"Legend: from {ends[0]} to {ends[1]}"
            return inlined_figure(one.panels[0].svg, figure), inlined(shades, words)
    return "", ""


def banner(findings: Findings) -> list[dict[str, str]]:
    """What the report is of: size, simulated or real, measurable or not, and when."""
    runs, models = findings.runs, "model" if len(findings.models) == 1 else "models"
    simulated = {is_simulated(run) for run in runs}
    text = f"simulated {models}" if all(simulated) else f"real {models}"
    text = "some are simulated" if len(simulated) > 1 else text
    if all(run.elsewhere for run in runs):
        text = "replies made elsewhere"
    said = [{"kind": "warn" if True in simulated else "plain", "text": text}]
    said += _sizes(runs, findings.models)
    said.append(_measurable(findings.sections))
    if any(section.replies.missing for section in findings.sections):
        said.append({"kind": "warn", "text": "unfinished"})
    said.append({"kind": "plain", "text": _days(runs)})
    return said


def _sizes(runs: Sequence[Run], models: Sequence[str]) -> list[dict[str, str]]:
    """The sizes in words; model by model where two are of different sizes, counted where many."""
    found: dict[str, dict[str, str]] = {}
    for run in runs:
        for probe, settings in run.probes.items():
            if (size := str(settings.get("size", ""))) in SIZES and probe in all_probes():
                found.setdefault(run.model, {})[probe] = size
    together = {probe: size for sizes in found.values() for probe, size in sizes.items()}
    if all(sizes.items() <= together.items() for sizes in found.values()):
        return [_size_chip("", together, len(models))] if together else []
    if len(found) < MANY:
        return [_size_chip(f"{model}: ", sizes, 1) for model, sizes in found.items()]
    of_size = Counter(size for sizes in found.values() for size in set(sizes.values()))
    return [
        {"kind": _kind([size]), "text": f"{words} ({counted(of_size[size], 'models')})"}
        for size, words in SIZES.items()
        if of_size[size]
    ]


def _size_chip(before: str, sizes: Mapping[str, str], models: int) -> dict[str, str]:
    """ "paper size", or with the chapters that differ: "paper size (works out: standard size)"."""
    (most, _), *others = Counter(sizes.values()).most_common()
    differing = [
        ", ".join(chapter_of(one, models).lower() for one in all_probes() if sizes.get(one) == size)
        + f": {SIZES[size]}"
        for size, _ in others
    ]
    beside = f" ({'; '.join(differing)})" if differing else ""
    return {"kind": _kind(sizes.values()), "text": f"{before}{SIZES[most]}{beside}"}


def _kind(sizes: Iterable[str]) -> str:
    return "warn" if "quick" in sizes else "plain"


def chapter_of(probe: str, models: int) -> str:
    """A chapter in the line of sections: "Knows"."""
    found = all_probes()[probe]
    return (found.verb if models == 1 else derived.verb_of_several(found)).capitalize()


def _measurable(sections: Sequence[Section]) -> dict[str, str]:
    measured = [section.measurable for section in sections]
    if all(measured):
        return {"kind": "plain", "text": "measurable"}
    return {"kind": "warn", "text": "partly measurable" if any(measured) else "not measurable"}


def _days(runs: Sequence[Run]) -> str:
    """ "17 Nov 2026", or the first and the last day."""
    days = sorted({run.created[:10] for run in runs})
    return " to ".join(dict.fromkeys(_day(day) for day in (days[0], days[-1])))


def _day(iso: str) -> str:
    """A run file may be anybody's: what is no date stays as it is."""
    try:
        day = date.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{day.day} {day:%b %Y}"


Column = tuple[str, Headline]


def of_model(findings: Findings, model: str) -> Findings:
    """The findings of one model alone."""
    return msgspec.structs.replace(
        findings,
        models=[model],
        over_models=[],
        runs=[run for run in findings.runs if run.model == model],
        sections=[section for section in findings.sections if section.model == model],
        sentences=[one for one in findings.sentences if one.model == model],
        countries=[
            msgspec.structs.replace(
                country, measures=[one for one in country.measures if one.model == model]
            )
            for country in findings.countries
        ],
    )


def comparison(findings: Findings, probes: Sequence[str]) -> dict[str, Any]:
    """A sentence for each probe, and the table."""
    return {
        "over": [one for probe in probes if (one := _over(findings, probe))],
        **_table(findings, _columns(findings, probes)),
    }


def _over(findings: Findings, probe: str) -> dict[str, Any]:
    """How many models a probe has what to say of; nothing where it was asked of none that count."""
    counts, listed = spread_of_words(findings, probe)
    parts = [{"word": word, "count": count} for word, count in counts.items()]
    text = f"{listed[:1].upper()}{listed[1:]}."
    return {"probe": probe, "parts": parts, "text": text} if counts else {}


def _columns(findings: Findings, probes: Sequence[str]) -> list[Column]:
    """The headlines that say whether groups differ: what models are compared by."""
    tested = Headline._field_defaults["verdict"]
    return [
        (probe, one)
        for probe in probes
        for one in headlines_of(findings, probe)
        if one.verdict is not tested
    ]


def _table(findings: Findings, columns: Sequence[Column]) -> dict[str, Any]:
    found = {
        column: [_metric(findings, model, *column) for model in findings.models]
        for column in columns
    }
    empty = [
        column
        for column, own in found.items()
        if all(metric is None or metric.value is None for _, metric in own)
    ]
    columns = [column for column in columns if column not in empty]
    domains = {column: _domain([one for _, one in own]) for column, own in found.items()}
    return {
        "empty": [{"probe": probe, "label": one.label} for probe, one in empty],
        "heads": [{"probe": probe, "label": one.label, "hint": one.hint} for probe, one in columns],
        "rows": [
            {
                "model": model,
                "cells": _reasons_once(
                    findings,
                    [(column, *found[column][i]) for column in columns],
                    [_cell(*found[column][i], domains[column]) for column in columns],
                ),
            }
            for i, model in enumerate(findings.models)
        ],
    }


def _reasons_once(
    findings: Findings,
    found: Sequence[tuple[Column, Section | None, Metric | None]],
    cells: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """A row in which a probe that cannot be measured says why, once, over all its columns.

    The cells that this covers stay, hidden: rows are sorted by the place of a cell."""
    places: dict[str, list[int]] = {}
    for i, ((probe, _), section, _) in enumerate(found):
        if section is not None and cells[i]["words"] == NOT_MEASURABLE:
            places.setdefault(probe, []).append(i)
    shown = [cell | {"span": 1} for cell in cells]
    for first, *others in places.values():
        section = found[first][1]
        assert section is not None
        shown[first] |= {"span": 1 + len(others), "says": verdict_of(findings, section).matters}
        for i in others:
            shown[i]["span"] = 0
    return shown


def _metric(
    findings: Findings, model: str, probe: str, headline: Headline
) -> tuple[Section | None, Metric | None]:
    section = findings.section(probe, model)
    return section, headline_metric(section, headline)


def _domain(metrics: Sequence[Metric | None]) -> tuple[float, float]:
    """One scale for all models: whatever they reach, and 0."""
    ends = [
        end
        for one in metrics
        if one is not None
        for end in (one.value, one.low, one.high)
        if end is not None
    ]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    return (low, high) if high > low else (0.0, 1.0)


def _cell(
    section: Section | None, metric: Metric | None, domain: tuple[float, float]
) -> dict[str, Any]:
    """Words instead of a number where there is none; `key` is what rows are sorted by."""
    words, why = without_number(section, metric)
    cell = {"key": "", "words": words, "why": why, "says": ""}
    if words or metric is None:
        return cell
    said = with_true_minuses(
        f"{metric.label}: {metric_value(metric)}, {counted(metric.n, metric.counted)}"
    )
    return cell | {
        "key": f"{metric.value:.4f}",
        "svg": inlined(draw_interval(metric.value, metric.low, metric.high, domain), said),
        "value": with_true_minuses(number(metric.value)),
        "word": _word(metric),
        "said": said,
    }


def _word(metric: Metric) -> str:
    """What a cell says of its test: the verdict's word of a primary metric, else whether it is
    significant."""
    if metric.primary:
        return word_of(metric)
    if metric.p is None:
        return "no test"
    return "differs" if is_significant(metric) else "open"
