"""What a run ends with on the terminal: results, what was spent, and where everything is."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from geobias.api import Result, open_run
from geobias.auditing import Audit
from geobias.cli.tables import as_table, print_whole
from geobias.probes.registry import all_probes
from geobias.report.findings import collect
from geobias.report.grid import Grid, metrics_grid
from geobias.results.findings import Findings, Section
from geobias.results.formatting import metric_value
from geobias.results.text import one_line
from geobias.runfile import RunReader
from geobias.runfile.manifest import sum_known

TOLD, MOST = ("tokens_in", "tokens_out"), ("most_in", "most_out")
WIDE = 120
"""Columns of a pipe, which has no width of its own."""


def print_summary(result: Result) -> None:
    """The results of a finished run, and the next things to do with it."""
    console = Console(highlight=False)
    with open_run(result.path) as run:
        if all_probes().keys() & run.manifest().probes.keys():
            _print_findings(console, collect([run]))
        print_spending(console, run)
    typed = shlex.quote(str(result.path))
    lines = [
        f"\nRun file  {result.path}",
        f"Read on   geobias show {typed}",
        f"          geobias replies {typed}",
        f"          geobias report {typed}",
    ]
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)


def print_audit(audit: Audit, results: Sequence[Result], worth: str) -> None:
    """The results of all models, what they are worth, and where the report is."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDE)
    _print_findings(console, audit.findings)
    for result in results:
        with open_run(result.path) as run:
            print_spending(console, run)
    if len(results) > 1:
        print_whole(console, _side_by_side(audit.findings))
    console.print(f"\n{worth}", markup=False)
    runs = [f"{'' if i else 'Run files':<9} {one.path}" for i, one in enumerate(results)]
    for line in (*runs, f"Report    {audit.page}", f"          {audit.data}"):
        console.print(line, soft_wrap=True, markup=False)


def _print_findings(console: Console, findings: Findings) -> None:
    """Model by model and probe by probe: what was found in words, and the table behind it."""
    for model in findings.models:
        for section in findings.sections:
            if section.model == model:
                _print_section(console, findings, section)


def _print_section(console: Console, findings: Findings, section: Section) -> None:
    table = all_probes()[section.probe].summary(section)
    title = f"{section.probe} · {section.model}"
    said = [
        one
        for one in findings.sentences
        if (one.probe, one.model) == (section.probe, section.model)
    ]
    for one in said:
        if one.kind == "unmeasurable":
            console.print(Text(one_line(one.text), style="bold"))
    if table is None:
        print_whole(console, _as_metrics(metrics_grid(section.metrics), title))
    else:
        whole = msgspec.structs.replace(table, title=f"{title} · {table.title}")
        print_whole(console, as_table(whole))
    for one in said:
        if one.kind in ("finding", "caution"):
            console.print(Text(one_line(one.text)))
    console.print()


def _as_metrics(grid: Grid, title: str) -> Table:
    """The metrics of a section: name, value and what it rests on."""
    table = Table(
        title=Text(one_line(title)), title_justify="left", box=SIMPLE_HEAD, pad_edge=False
    )
    for heading in grid.headings[1:4]:
        table.add_column(heading)
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row[1:4]))
    return table


def _side_by_side(findings: Findings) -> Table:
    """A row for each metric, a column for each model: value, interval and what it rests on, or why
    there is none.
    """
    table = Table(box=SIMPLE_HEAD, title="models", title_justify="left", pad_edge=False)
    table.add_column("measure", no_wrap=True)
    for model in findings.models:
        table.add_column(Text(one_line(model)))
    names = dict.fromkeys(one.name for section in findings.sections for one in section.metrics)
    for name in names:
        cells = [_cell(findings, model, name) for model in findings.models]
        table.add_row(name, *(Text("\n".join(lines)) for lines in cells))
    return table


def _cell(findings: Findings, model: str, name: str) -> list[str]:
    section = findings.section(name.partition(".")[0], model)
    metric = next((one for one in section.metrics if one.name == name), None) if section else None
    if section is None or metric is None:
        return []
    if metric.screened and not section.measurable:
        return ["not measurable"]
    rests_on = f"n = {metric.n:,} {metric.counted}"
    if metric.value is None:
        return ["undefined", rests_on]
    if metric.low is None or metric.high is None:
        return [metric_value(metric, 3), f"no interval: {metric.n:,} {metric.counted}"]
    return [metric_value(metric, 3), rests_on]


def print_spending(console: Console, run: RunReader) -> None:
    """Calls, tokens and cost of a run so far, over all its sessions."""
    manifest = run.manifest()
    spent = run.spent()
    calls = sum(s.calls for s in spent.values())
    told = [sum_known(getattr(s, name) for s in spent.values()) for name in TOLD]
    most = [sum_known(getattr(s, name) for s in spent.values()) for name in MOST]
    words = [f"{calls:,} calls", _tokens_in_words(told, most)]
    paid = sum_known(manifest.cost(role, s.tokens_in, s.tokens_out) for role, s in spent.items())
    at_most = sum_known(manifest.cost(role, s.most_in, s.most_out) for role, s in spent.items())
    if paid is not None:
        words.append(f"${paid:.4f}")
    elif at_most is not None:
        words.append(f"cost at most about ${at_most:.4f}")
    elif all(manifest.cost(role, 0, 0) is not None for role in spent):
        words.append("cost unknown: the tokens are not known")
    else:
        words.append("cost unknown: no price is known")
    console.print(", ".join(words), soft_wrap=True)


def _tokens_in_words(told: Sequence[int | None], most: Sequence[int | None]) -> str:
    if None not in told:
        return "{:,} tokens in, {:,} out".format(*told)
    if None not in most:
        return "tokens unknown (at most about {:,} in, {:,} out)".format(*most)
    return "tokens unknown"
