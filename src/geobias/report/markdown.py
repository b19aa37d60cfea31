"""The findings as Markdown, for model cards and pull requests."""

from __future__ import annotations

import re

from geobias.report.grid import Grid, grid, metrics_grid, runs_grid, screens_grid
from geobias.results.findings import Findings, Section
from geobias.results.screens import because
from geobias.results.text import one_line

MOST_ROWS = 40
"""Of a table; the rest is in CSV and JSON."""
_INTERVAL = r"\[[-−]?[\d.,]+, [-−]?[\d.,]+\](?![(\[:])"
_MARK = re.compile(
    rf"(?P<kept>{_INTERVAL})|[\\`*_\[\]<>|~$@#^]|&(?=#?\w{{1,32}};)|(?<=:)//|(?<=www)\.", re.I
)


def escaped(text: str) -> str:
    """Text that renders as itself: no markup, no HTML, no link, no table cell of its own.

    Meant for the middle of a line: marks that only count at its start stay as they are, and so does
    an interval, which nothing can take for a link.
    """
    return _MARK.sub(lambda mark: mark["kept"] or "\\" + mark[0], one_line(text))


def markdown(findings: Findings) -> str:
    """The whole report, tables cut at forty rows."""
    lines = ["# Geographic bias audit", ""]
    lines += _said(findings)
    lines += ["## Runs", "", *_table(runs_grid(findings)), "", *_settings(findings), ""]
    for section in findings.sections:
        lines += _section(section, findings.details(section))
    return "\n".join(lines).rstrip() + f"\n\nMade by geobias {escaped(findings.geobias)}.\n"


def _said(findings: Findings) -> list[str]:
    lines = ["## What was found", ""]
    for model in findings.models:
        lines += [f"**{escaped(model)}**", ""]
        for one in findings.sentences:
            if one.model == model and one.opening:
                mark = "**" if one.kind == "unmeasurable" else ""
                lines.append(f"- {escaped(one.probe)}: {mark}{escaped(one.text)}{mark}")
        lines.append("")
    return lines


def _settings(findings: Findings) -> list[str]:
    lines = []
    for run in findings.runs:
        for probe, settings in run.probes.items():
            said = ", ".join(f"{key} {value}" for key, value in settings.items() if value)
            lines.append(f"- {run.id}, {escaped(probe)}: {escaped(said)}")
        if run.not_sent:
            lines.append(f"- {run.id}, not sent: {escaped(', '.join(run.not_sent))}")
        editions = ", ".join(f"{name} {digest}" for name, digest in run.editions.items())
        lines.append(f"- {run.id}, data: {escaped(editions)}")
    return lines


def _section(section: Section, details: list[str]) -> list[str]:
    lines = [f"## {escaped(section.title)} · {escaped(section.model)}", ""]
    if section.why_not:
        lines += [f"**{escaped(because(section.why_not))}**", ""]
    counted = section.replies
    lines += [
        f"Of {counted.planned:,} planned, {counted.asked:,} were asked and {counted.read:,} read; "
        f"{counted.declined:,} declined, {counted.unread:,} unread, {counted.no_text:,} without "
        f"text, {counted.missing:,} not asked yet.",
        "",
        *(f"- {escaped(text)}" for text in details),
        *([""] if details else []),
        *(line for note in section.notes for line in (escaped(note), "")),
        *(*_table(screens_grid(section)), ""),
        *(
            line
            for check in section.checks
            for line in (f"Checked by people: {escaped(check.text)}", "")
        ),
        *(*_table(metrics_grid(section.metrics)), ""),
    ]
    for name, table in section.tables.items():
        lines += [f"### {escaped(table.title)}", ""]
        lines += [*_table(shown := grid(table, MOST_ROWS)), ""] if table.rows else ["No rows.", ""]
        if table.rows and shown.left_out:
            lines += [
                f"… {shown.left_out:,} more rows are left out here; `--format csv` or `json` has "
                f"all of `{name}`.",
                "",
            ]
        if table.note:
            lines += [escaped(table.note), ""]
    return lines


def _table(one: Grid) -> list[str]:
    ends = ["--:" if numeric else ":--" for numeric in one.numeric]
    return [_row([escaped(word) for word in one.headings]), _row(ends)] + [
        _row([escaped(word) for word in row]) for row in one.rows
    ]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
