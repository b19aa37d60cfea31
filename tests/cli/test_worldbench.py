"""`geobias table` of one run of WorldBench, and of several."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from geobias import run as made
from geobias.probes.worldbench import plan
from tests.cli.running import geobias

COUNTRIES = "AUT;BEL;DEU;FRA;ITA;BOL;EGY;IND;VNM;PHL;KEN;GHA;NGA;SEN;ZMB;ETH;MLI;UGA"
"""Five of two regions and of two incomes, so that these are compared."""
MODEL = "sim/?recall_sd=0.3&gap=0.2&against=Sub-Saharan Africa&chatty=0.2"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "plain.geobias"
    return made([plan(countries=COUNTRIES)], MODEL, out).path


def test_a_run_with_own_figures_is_read_with_them(tmp_path: Path) -> None:
    figures = tmp_path / "own.csv"
    rows = ["indicator,iso3,edition,2020,2021,2022"]
    rows += [f"population,{iso3},1,5,6,7" for iso3 in ("CHE", "FRA", "KEN", "UGA")]
    figures.write_text("\n".join(rows) + "\n")
    out = tmp_path / "own.geobias"
    words = ("--indicators", "population", "--figures", figures, "--out", out)
    assert geobias("run", "worldbench", MODEL, *words).code == 0
    assert len(geobias("table", out, "errors", "--json").json()) == 3
    assert "give --figures" in geobias("table", out, "years").err
    assert geobias("table", out, "years", "--figures", figures).code == 0


def test_the_report_names_indicators_of_ones_own(tmp_path: Path) -> None:
    own, table, out = (tmp_path / name for name in ("own.toml", "own.csv", "own.geobias"))
    own.write_text('[hens]\ncode = "HENS"\nphrase = "number of hens"\nunit = "hens"\n')
    table.write_text("indicator,iso3,edition,2022\nhens,CHE,1,5\nhens,KEN,1,9\nhens,PER,1,7\n")
    words = ("--indicators", "hens", "--indicator-file", own, "--figures", table, "--out", out)
    assert geobias("run", "worldbench", f"sim/?figures={table}", *words).code == 0
    said = geobias("report", out, "--figures", table, "--format", "md").out
    assert "Answers on number of hens are compared with own figures." in said


def test_years_needs_no_model() -> None:
    rows = {row["indicator"]: row for row in geobias("worldbench", "years", "--json").json()}
    assert round(rows["renewable_energy"]["2018"], 3) == 0.114
    assert rows["co2_emissions"]["2022"] is None
    assert round(rows["average"]["average"], 3) == 0.056


TABLES = (
    ("error --by region", "mean_low"),
    ("error --by country", "excess_p_adjusted"),
    ("declined --by income", "mean_high"),
    ("errors", "error"),
    ("ranks", "compared"),
    ("years", "more"),
    ("correlations", "pearson"),
    ("citations", "source"),
    ("published", "here"),
)


@pytest.mark.parametrize(("name", "column"), TABLES)
def test_a_table_has_rows_for_programs_and_no_nulls_for_people(
    run: Path, name: str, column: str
) -> None:
    words = ("table", run, *name.split())
    found = geobias(*words, "--json").json()
    rows = found if isinstance(found, list) else next(iter(found.values()))
    assert column in rows[0]
    done = geobias(*words)
    assert done.code == 0
    assert "None" not in done.out
    assert "nan" not in done.out.casefold().split()


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


OVER_MODELS = (
    "error --by region", "error --by country", "error_median", "declined --by income", "years",
    "correlations", "consistency",
)  # fmt: skip


@pytest.mark.parametrize("name", OVER_MODELS)
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
