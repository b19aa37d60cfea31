"""No interval of a report contradicts its test, whatever the model.

The p of a metric belongs to its interval: it is under 0.05 just where the interval leaves out 0.
Beside it, tables have p-values of several kinds; `BELONGS` says which interval each belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import geobias
from geobias.probes.registry import all_probes
from geobias.report.findings import collect
from geobias.results.findings import Findings
from geobias.runfile import RunReader
from tests.probes.geo20q.made import write_table

BELONGS = {
    "worldbench": {
        "disparity_regions": {"p": "spread", "disparity_p": "disparity"},
        "disparity_incomes": {"p": "spread", "disparity_p": "disparity"},
        "pairs_regions": {"p": "difference"},
        "pairs_incomes": {"p": "difference"},
    },
    "namebbq": {
        "scores": {"p": "value"},
        "nationalities": {"p": "bias_ambiguous"},
        "regions": {"p": "bias_ambiguous"},
    },
    "geo20q": {"halves": {"difference_p": "difference"}, "equal_fame": {"p": "difference"}},
    "ratings": {"topics": {"p": "correlation"}},
}
"""Probe → table → column of a p-value → the estimate whose interval it belongs to."""
BIASES = "gap=0.8&stereotype=0.9&favour=3&play=0.9&play_gap=0.8"
"""So large that every table of tests has some under 0.05."""

Contradiction = tuple[str, float, float, float]


def contradictions(found: Findings) -> Iterator[Contradiction]:
    for where, low, high, p in intervals(found):
        if low is not None and high is not None and p is not None:
            left_out = not low <= 0 <= high
            if left_out != (p < 0.05):
                yield where, low, high, p


def intervals(
    found: Findings,
) -> Iterator[tuple[str, float | None, float | None, float | None]]:
    for country in found.countries:
        for one in country.measures:
            yield f"{country.iso3} {one.metric}", one.low, one.high, one.p
    for section in found.sections:
        for metric in section.metrics:
            yield metric.name, metric.low, metric.high, metric.p
        for name, columns in BELONGS[section.probe].items():
            for row in section.tables[name].rows if name in section.tables else ():
                for p, of in columns.items():
                    cells = [row[f"{of}_low"], row[f"{of}_high"], row[p]]
                    low, high, value = (one if isinstance(one, float) else None for one in cells)
                    yield f"{section.probe} {name} {row}", low, high, value
        for row in section.tables["sensitivity"].rows:
            cells = [row["low"], row["high"], row["p"]]
            low, high, value = (one if isinstance(one, float) else None for one in cells)
            yield f"{section.probe} sensitivity {row}", low, high, value


@pytest.mark.parametrize("model", ["sim/fair?play=0.6", f"sim/biased?{BIASES}"])
def test_no_interval_leaves_out_no_difference_where_its_test_does_not_reject_it(
    tmp_path: Path, model: str
) -> None:
    # Few entities, so that games end within few turns.
    table = write_table(tmp_path / "entities.csv", 1, countries=30)
    settings: dict[str, Any] = {
        "worldbench": {"indicators": ["population", "gdp"]},
        "namebbq": {"size": "quick"},
        "geo20q": {
            "entities": str(table),
            "setting": "canonical",
            "turns": 9,
            "judge_questions": 0,
        },
        "ratings": {"topics": ["morality", "intelligence"]},
    }
    plans = [
        probe.make_plan(**{"size": "standard"} | settings[name])
        for name, probe in all_probes().items()
    ]
    path = geobias.run(plans, f"{model}&entities={table}", tmp_path / "run.geobias").path
    with RunReader(path) as run:
        found = collect([run])
    assert len(found.sections) == len(plans)
    assert sum(None not in one for one in intervals(found)) > 40
    assert [*contradictions(found)] == []
