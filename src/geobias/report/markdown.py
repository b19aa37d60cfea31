"""The findings as Markdown, for model cards and pull requests."""

from __future__ import annotations

import re
from collections.abc import Iterable

from geobias.report.grid import Grid, grid, metrics_grid, runs_grid, screens_grid
from geobias.report.headlines import headline_grid, headline_notes
from geobias.report.model_names import with_short_names
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
    blocks = ["# Geographic bias audit", "## What was found", *_opening(findings)]
    blocks += ["## Runs", markdown_table(runs_grid(findings)), _settings(findings)]
    for section in (*findings.over_models, *findings.sections):
        blocks += _section(section, findings.details(section))
    blocks.append(f"Made by geobias {escaped(findings.geobias)}.")
    return "\n\n".join(filter(None, blocks)) + "\n"


def markdown_summary(findings: Findings) -> str:
    """One table: a row for each model, a column for each headline number."""
    findings = with_short_names(findings)
    notes = (escaped(note) for note in headline_notes(findings))
    return "\n\n".join(filter(None, (markdown_table(headline_grid(findings)), *notes))) + "\n"


def _opening(findings: Findings) -> list[str]:
    blocks = []
    for model in findings.models:
        lines = []
        for sentence in findings.sentences:
            if sentence.model == model and sentence.opening:
                bold = "**" if sentence.kind == "unmeasurable" else ""
                lines.append(f"{escaped(sentence.probe)}: {bold}{escaped(sentence.text)}{bold}")
        blocks += [f"**{escaped(model)}**", _bullets(lines)]
    return blocks


def _settings(findings: Findings) -> str:
    lines = []
    for run in findings.runs:
        for probe, settings in run.probes.items():
            shown = ", ".join(f"{key} {value}" for key, value in settings.items() if value)
            lines.append(f"{run.id}, {escaped(probe)}: {escaped(shown)}")
        if run.not_sent:
            lines.append(f"{run.id}, not sent: {escaped(', '.join(run.not_sent))}")
        editions = ", ".join(f"{name} {digest}" for name, digest in run.editions.items())
        lines.append(f"{run.id}, data: {escaped(editions)}")
    return _bullets(lines)


def _section(section: Section, details: list[str]) -> list[str]:
    replies = section.replies
    blocks = [
        f"## {escaped(section.title)} · {escaped(section.model)}",
        f"**{escaped(because(section.why_not))}**" if section.why_not else "",
        f"Of {replies.planned:,} planned, {replies.asked:,} were asked and {replies.read:,} read; "
        f"{replies.declined:,} declined, {replies.unread:,} unread, {replies.no_text:,} without "
        f"text, {replies.missing:,} not asked yet.",
        _bullets(map(escaped, details)),
        *map(escaped, section.notes),
        markdown_table(screens_grid(section)),
        *(f"Checked by people: {escaped(check.text)}" for check in section.checks),
        markdown_table(metrics_grid(section.metrics)),
    ]
    for name, table in section.tables.items():
        cells = grid(table, MOST_ROWS)
        blocks += [
            f"### {escaped(table.title)}",
            markdown_table(cells) if table.rows else "No rows.",
        ]
        if cells.more_rows:
            blocks.append(
                f"… {cells.more_rows:,} more rows are left out here; `--format csv` or `json` has "
                f"all of `{name}`."
            )
        blocks.append(escaped(table.note))
    return blocks


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def markdown_table(cells: Grid) -> str:
    ends = ["--:" if numeric else ":--" for numeric in cells.numeric]
    rows = [[escaped(text) for text in row] for row in (cells.headings, *cells.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], ends, *rows[1:]))
