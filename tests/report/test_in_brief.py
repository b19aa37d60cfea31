"""What the end of a run shows is what its report shows, though not everything is worked out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import geobias
from geobias.probes.registry import find_probe
from geobias.report.findings import collect
from geobias.runfile import RunReader
from tests.probes.geo20q.made import write_table

COUNTRIES = "AUT;BEL;DEU;FRA;ITA;KEN;GHA;NGA;SEN;ZMB"
RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("worldbench", "sim/?recall_sd=0.3&gap=0.3", {"countries": COUNTRIES, "indicators": "gdp"}),
    ("worldbench", "sim/?slip=1", {"countries": COUNTRIES, "indicators": "gdp"}),
    ("namebbq", "sim/?stereotype=0.5", {"names": 1, "read": "logprobs"}),
    ("namebbq", "sim/?slip=1", {"names": 0}),
    ("geo20q", "sim/?play=0.9&play_gap=0.8&entities={table}", {"language": "en,fr"}),
    ("geo20q", "sim/?slip=1&entities={table}", {}),
    ("ratings", "sim/biased", {"topics": ["morality", "population"]}),
]


@pytest.mark.parametrize(("name", "model", "given"), RUNS)
def test_the_end_of_a_run_has_what_its_report_has(
    name: str, model: str, given: dict[str, Any], tmp_path: Path
) -> None:
    probe = find_probe(name)
    if name == "geo20q":
        table = write_table(tmp_path / "made.csv", 1, countries=12)
        given, model = given | {"entities": str(table), "turns": 5}, model.format(table=table)
    made = geobias.run([probe.make_plan(**given)], model, tmp_path / "r.geobias")
    with RunReader(made.path) as run:
        whole, brief = collect([run]), collect([run], brief=True)
    (full,), (short,) = whole.sections, brief.sections
    for part in ("metrics", "screens", "replies", "measurable", "why_not"):
        assert getattr(short, part) == getattr(full, part)
    assert probe.verdict(short) == probe.verdict(full)
    assert probe.summary(short) == probe.summary(full)
    assert short.tables.keys() < full.tables.keys()
    said, shown = (
        [one for one in found.sentences if one.kind != "limit"] for found in (whole, brief)
    )
    assert shown == said
