"""What a terminal shows of a run: errors of all, of regions and of incomes, from the findings."""

from __future__ import annotations

from geobias.results.findings import Cell, Column, Section, Table
from geobias.results.metrics import metric_of
from geobias.results.tabling import rows_of


def summary(section: Section) -> Table:
    """`n` counts countries with an answer; `answered` is the share of questions with a number."""
    names = ("error", "error_median", "answered")
    error, median, answered = (metric_of(section, f"worldbench.{name}") for name in names)
    rows: list[dict[str, Cell]] = []
    if error is not None and median is not None and answered is not None:
        whole: dict[str, Cell] = {"group": "all", "mean": error.value, "median": median.value}
        whole |= {"mean_low": error.low, "mean_high": error.high}
        rows.append(whole | {"n": error.n, "answered": answered.value})
    for table in ("regions", "incomes"):
        for row in rows_of(section, table):
            shown = {name: row[name] for name in ("group", "mean", "mean_low", "mean_high")}
            shown |= {"median": row["median"], "n": row["countries"], "answered": row["parsed"]}
            rows.append(shown)
    columns = [
        Column(name="group", label="group", kind="text"),
        *(
            Column(name=name, label=name.replace("_", " "), kind="number")
            for name in ("mean", "mean_low", "mean_high", "median")
        ),
        Column(name="n", label="n", kind="count"),
        Column(name="answered", label="answered", kind="share"),
    ]
    return Table(title="error from 0 to 1, n countries", note="", columns=columns, rows=rows)
