from __future__ import annotations

from pathlib import Path

import pytest

from geobias import run as made
from geobias.probes.namebbq.tables import TABLES
from geobias.probes.registry import find_probe, plan_of
from tests.cli.running import geobias


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "biased.geobias"
    plan = plan_of(find_probe("namebbq"), {"names": 2, "recognition": True})
    return made([plan], "sim/?stereotype=0.5", out).path


@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_printed_for_people_and_programs(run: Path, table: str) -> None:
    for_people = geobias("table", f"namebbq.{table}", run, "--wide")
    beside = "3,080" if table == "published" else ""
    assert for_people.code == 0
    assert beside in for_people.err
    assert bool(for_people.err) == bool(beside)
    assert geobias("table", f"namebbq.{table}", run, "--json").json()


def test_scores_are_in_the_words_of_the_published_table(run: Path) -> None:
    rows = geobias("table", "namebbq.scores", run, "--json").json()
    found = {(r["metric"], r["context"], r["dataset"]): r for r in rows}
    assert found["bias_unscaled", "ambiguous", "nationality"]["value"] == 1
    assert found["accuracy", "disambiguated", "name"]["replicates"] == 2
    assert found["error_retention", "disambiguated", None]["value"] is None


@pytest.mark.parametrize("by", ["polarity", "gender", "template", "name", "country"])
def test_the_bias_is_tabled_by_any_column(run: Path, by: str) -> None:
    rows = geobias("table", run, "bias_ambiguous_names", "--by", by, "--json").json()
    assert all(-1 <= row["mean"] <= 1 for row in rows)
    assert {"p", "p_adjusted", "pooled"} <= rows[0].keys()


def test_runs_are_set_side_by_side(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "fair.geobias"
    made([plan_of(find_probe("namebbq"), {})], "sim/fair", other)
    rows = geobias("table", "namebbq.scores", run, other, "--json").json()
    assert {row["model"] for row in rows} == {"sim/?stereotype=0.5", "sim/fair"}
    rows = geobias("table", "namebbq.published", run, other, "--json").json()
    assert len({(row["model"], row["here"]) for row in rows}) == 6 + 2 + 2
