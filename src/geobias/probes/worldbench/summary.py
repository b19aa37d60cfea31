"""What a terminal shows of a run: errors of all, of regions and of incomes, from the findings."""

from __future__ import annotations

from typing import Any

from geobias.probes.lazy import pl
from geobias.results.findings import Section, Table
from geobias.results.formatting import in_natural_order
from geobias.results.tables import metric_of, rows_of, table_from


def summary(section: Section) -> Table:
    """`n` counts countries with an answer; `answered` is the share of questions with a number."""
    names = ("error", "error_median", "answered")
    error, median, answered = (metric_of(section, f"worldbench.{name}") for name in names)
    rows: list[dict[str, Any]] = []
    if error is not None and median is not None and answered is not None:
        whole = {
            "group": "all",
            "mean": error.value,
            "mean_low": error.low,
            "mean_high": error.high,
        }
        rows.append(whole | {"median": median.value, "n": error.n, "answered": answered.value})
    for table in ("regions", "incomes"):
        for row in in_natural_order(rows_of(section, table), "group"):
            rows.append(row | {"n": row["countries"], "answered": row["parsed"]})
    numbers = dict.fromkeys(("mean", "mean_low", "mean_high", "median"), pl.Float64)
    schema = {"group": pl.String} | numbers | {"n": pl.Int64, "answered": pl.Float64}
    return table_from(pl.DataFrame(rows, schema=schema), "error from 0 to 1, n countries")
