"""What a run ends with on the terminal: results, what was spent, and where everything is."""

from __future__ import annotations

import shlex
from collections.abc import Collection

import msgspec
from rich.table import Table
from rich.text import Text

from geobias.api import Result, open_run
from geobias.auditing import Audit
from geobias.cli.tables import as_table, empty_table, print_whole
from geobias.cli.terminal import Console
from geobias.probes.registry import all_probes
from geobias.report.findings import collect
from geobias.report.grid import metrics_grid
from geobias.report.records import spending
from geobias.results.findings import Findings, Section
from geobias.results.formatting import metric_value
from geobias.results.text import one_line
from geobias.runfile import RunReader
from geobias.runfile.manifest import sum_known
from geobias.runfile.reading import Spent

WIDE = 120
"""Columns of a pipe, which has no width of its own."""


def print_summary(result: Result) -> None:
    console = Console()
    with open_run(result.path) as run:
        if all_probes().keys() & run.manifest().probes.keys():
            _print_findings(console, collect([run]))
        print_spending(console, run)
    console.print(f"\nRun file  {result.path}", soft_wrap=True)
    for before, command in (("Read on", "show"), ("", "replies"), ("", "report")):
        line = f"{before:<9} geobias {command} {shlex.quote(str(result.path))}"
        console.print(line, soft_wrap=True)


def print_audit(audit: Audit, about_size: str) -> None:
    """The results of all models, what a run of this size is good for, and where the report is."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDE)
    _print_findings(console, audit.findings)
    for path in audit.runs.values():
        with open_run(path) as run:
            print_spending(console, run)
    if len(audit.runs) > 1:
        print_whole(console, _side_by_side(audit.findings))
    console.print(f"\n{about_size}")
    runs = [f"{'' if i else 'Run files':<9} {path}" for i, path in enumerate(audit.runs.values())]
    for line in (*runs, f"Report    {audit.page}", f"          {audit.data}"):
        console.print(line, soft_wrap=True)


def _print_findings(console: Console, findings: Findings) -> None:
    """Model by model and probe by probe: what was found in words, and the table behind it."""
    for section in sorted(findings.sections, key=lambda one: findings.models.index(one.model)):
        whose = (section.probe, section.model)
        sentences = [one for one in findings.sentences if (one.probe, one.model) == whose]
        for one in sentences:
            if one.kind == "unmeasurable":
                console.print(Text(one_line(one.text), style="bold"))
        title, table = " · ".join(whose), all_probes()[section.probe].summary(section)
        if table is None:
            print_whole(console, _metrics_table(section, title))
        else:
            whole = msgspec.structs.replace(table, title=f"{title} · {table.title}")
            print_whole(console, as_table(whole))
        for one in sentences:
            if one.kind in ("finding", "caution"):
                console.print(Text(one_line(one.text)))
        console.print()


def _metrics_table(section: Section, title: str) -> Table:
    table = empty_table(Text(one_line(title)))
    grid = metrics_grid(section.metrics)
    for heading in grid.headings[1:4]:
        table.add_column(heading)
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row[1:4]))
    return table


def _side_by_side(findings: Findings) -> Table:
    """A row for each metric, a column for each model: value, interval and what it rests on, or why
    there is none.
    """
    table = empty_table("models")
    table.add_column("measure", no_wrap=True)
    for model in findings.models:
        table.add_column(Text(one_line(model)))
    names = dict.fromkeys(one.name for section in findings.sections for one in section.metrics)
    for name in names:
        table.add_row(name, *(Text(_cell(findings, model, name)) for model in findings.models))
    return table


def _cell(findings: Findings, model: str, name: str) -> str:
    section = findings.section(name.partition(".")[0], model)
    metric = next((one for one in section.metrics if one.name == name), None) if section else None
    if section is None or metric is None:
        return ""
    if metric.screened and not section.measurable:
        return "not measurable"
    no_interval = metric.value is not None and None in (metric.low, metric.high)
    before_n = "no interval:" if no_interval else "n ="
    return f"{metric_value(metric, 3)}\n{before_n} {metric.n:,} {metric.counted}"


def print_spending(console: Console, run: RunReader) -> None:
    manifest, spent, total = run.manifest(), run.spent(), spending(run)
    words = [f"{total['calls']:,} calls", _tokens_in_words(spent.values())]
    at_most = sum_known(manifest.cost(role, s.most_in, s.most_out) for role, s in spent.items())
    if total["cost"] is not None:
        words.append(f"${total['cost']:.4f}")
    elif at_most is not None:
        words.append(f"cost at most about ${at_most:.4f}")
    elif all(manifest.cost(role, 0, 0) is not None for role in spent):
        words.append("cost unknown: the tokens are not known")
    else:
        words.append("cost unknown: no price is known")
    console.print(", ".join(words), soft_wrap=True)


def _tokens_in_words(spent: Collection[Spent]) -> str:
    for names, words in (
        (("tokens_in", "tokens_out"), "{:,} tokens in, {:,} out"),
        (("most_in", "most_out"), "tokens unknown (at most about {:,} in, {:,} out)"),
    ):
        sums = [sum_known(getattr(one, name) for one in spent) for name in names]
        if None not in sums:
            return words.format(*sums)
    return "tokens unknown"
