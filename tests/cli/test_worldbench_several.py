"""`geobias table RUN RUN RUN NAME`."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from geobias import api
from geobias import run as made
from geobias.probes.worldbench import plan
from tests.cli.running import geobias

COUNTRIES = "BOL;EGY;IND;KEN;VNM;CHL;FRA;ITA;JPN;USA;BRA;CHN;MEX;ETH;MLI;UGA"
"""Five of two income groups, so that pairs of them are compared, and three of the others."""
INDICATORS = ("population", "gdp")
MODELS = [f"sim/?recall_sd={sd}&gap=0.2&against=Sub-Saharan Africa&seed={sd}" for sd in (1, 2, 3)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("several")
    files = []
    for number, model in enumerate(MODELS):
        files.append(folder / f"m{number}.geobias")
        made([plan(repeats=2, indicators=INDICATORS, countries=COUNTRIES)], model, files[-1])
    return files


TABLES = (
    "error --by region", "error --by country", "error_median", "declined --by income", "years",
    "correlations", "consistency",
)  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_several_runs_has_rows_over_all_models(runs: list[Path], name: str) -> None:
    rows = geobias("table", *runs, *name.split(), "--json").json()
    assert len({row["model"] for row in rows}) == 4
    assert rows[-1]["model"] == "all models"
    done = geobias("table", *runs, *name.split())
    assert done.code == 0
    assert "None" not in done.out


def test_ranks_over_models_stand_beside_those_over_indicators(runs: list[Path]) -> None:
    parts = geobias("table", *runs, "ranks", "--by", "income", "--json").json()
    assert {row["compared"] for row in parts["over all models: income"]} == {3}
    assert {row["compared"] for row in parts["ranks"]} == {len(INDICATORS)}


def test_a_table_is_written_whole_where_people_see_a_part(runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "groups.csv"
    words = ("table", *runs, "error", "--by", "region")
    assert geobias(*words, "--to", out).code == 0
    rows = geobias(*words, "--json").json()
    written = pl.read_csv(out)
    assert written.height == len(rows)
    assert written["mean"].to_list() == pytest.approx([row["mean"] for row in rows])


def test_a_table_of_several_parts_is_written_as_a_file_each(
    runs: list[Path], tmp_path: Path
) -> None:
    assert geobias("table", runs[0], "published", "--to", tmp_path / "o.csv").code == 0
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == ["o-groups.csv", "o-models.csv"]


def test_a_table_of_two_says_why_nothing_is_over_models(runs: list[Path]) -> None:
    done = geobias("table", *runs[:2], "error")
    assert "2 models" in done.err


def test_groups_of_ones_own_come_from_a_file(runs: list[Path], tmp_path: Path) -> None:
    asked = geobias("table", runs[0], "error", "--by", "country", "--json").json()
    codes = sorted(row["country"] for row in asked)
    own = tmp_path / "own.csv"
    lines = [f"{iso3},{'ab'[i % 2]}" for i, iso3 in enumerate(codes)]
    own.write_text("\n".join(["iso3,bloc", *lines]))
    words = ("--by", "bloc", "--group-file", own, "--json")
    rows = geobias("table", *runs, "error", *words).json()
    assert {row["group"] for row in rows} == {"a", "b"}


def test_runs_that_must_not_be_mixed_are_not(runs: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "2016.geobias"
    made([plan(year=2016, indicators=INDICATORS, countries=COUNTRIES)], MODELS[1], other)
    done = geobias("table", runs[0], other, "error")
    assert "not pooled" in done.err
    assert "none and 2016" in done.err
    done = geobias("table", other, "published")
    assert "Table 4, 2016" in done.err
    assert "over 19 models" in done.err


def test_a_report_of_several_runs_has_a_section_over_all_models(runs: list[Path]) -> None:
    findings = api.findings(*runs)
    [section] = findings.over_models
    assert section.model == "all models"
    assert {
        "all_error_by_region",
        "all_error_by_model_and_indicator",
        "all_error_by_country",
    } <= section.tables.keys()
    assert (section.metrics[0].n, section.metrics[0].counted) == (3, "models")
    assert len(findings.sections) == 3
