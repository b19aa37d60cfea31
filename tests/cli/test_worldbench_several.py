"""`geobias worldbench TABLE RUN RUN RUN`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import polars as pl
import pytest

from geobias import run as made
from geobias.atlas.economies import INCOMES
from geobias.probes.worldbench import plan
from geobias.report import page
from geobias.report.findings import collect
from geobias.report.formats import FORMATS
from geobias.report.page import contents
from geobias.results.findings import Findings
from geobias.runfile import RunReader
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
    "groups", "rates", "disparity", "pairs", "countries", "years-fit", "correlations",
    "consistency", "errors", "sensitivity",
)  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_several_runs_has_rows_over_all_models(runs: list[Path], name: str) -> None:
    by = (
        ("--by", "income") if name == "pairs" else ()
    )  # no region of a quick run has five countries
    rows = geobias("worldbench", name, *runs, *by, "--json").json()
    assert len({row["model"] for row in rows}) == 4
    assert rows[-1]["model"] == "all models"
    done = geobias("worldbench", name, *runs)
    assert done.code == 0
    assert "None" not in done.out


@pytest.mark.parametrize("name", ["overview", "citations"])
def test_tables_of_several_parts_have_rows_over_all_models(runs: list[Path], name: str) -> None:
    parts = geobias("worldbench", name, *runs, "--json").json()
    pooled = [rows for rows in parts.values() if rows and rows[-1]["model"] == "all models"]
    assert pooled
    assert all(rows[-1]["models"] == len(MODELS) for rows in pooled)


def test_a_table_is_written_whole_where_people_see_a_part(runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "groups.csv"
    assert geobias("worldbench", "groups", *runs, "--to", out).code == 0
    rows = geobias("worldbench", "groups", *runs, "--json").json()
    written = pl.read_csv(out)
    assert written.height == len(rows)
    assert written["mean"].to_list() == pytest.approx([row["mean"] for row in rows])


def test_a_table_of_several_parts_is_written_as_a_file_each(
    runs: list[Path], tmp_path: Path
) -> None:
    assert geobias("worldbench", "overview", runs[0], "--to", tmp_path / "o.csv").code == 0
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == [
        *("o-all.csv", "o-disparity-over-incomes.csv", "o-disparity-over-regions.csv"),
        *("o-income.csv", "o-region.csv"),
    ]
    assert geobias("worldbench", "overview", runs[0], "--to", tmp_path / "o.xlsx").code == 2


def test_incomes_are_printed_from_low_to_high(runs: list[Path]) -> None:
    shown = geobias("worldbench", "groups", runs[0], "--by", "income").out
    places = [shown.index(income) for income in INCOMES]
    assert places == sorted(places)


def test_a_table_of_two_says_why_nothing_is_over_models(runs: list[Path]) -> None:
    done = geobias("worldbench", "groups", *runs[:2])
    assert "With 2 models nothing is known of how models vary" in done.err


def test_a_file_that_is_named_twice_counts_once(runs: list[Path]) -> None:
    again = runs[0].parent / "." / ".." / runs[0].parent.name / runs[0].name
    rows = geobias(
        "worldbench", "ranks", runs[0], again, runs[1], "--by", "income", "--json"
    ).json()
    assert {row["compared"] for row in rows} <= {0, 2}


def test_the_matrix_takes_the_papers_models_beside(runs: list[Path]) -> None:
    rows = geobias("worldbench", "matrix", *runs, "--published", "--json").json()
    whose = {row["model"] for row in rows}
    assert {"all models", "published models", "OpenAI GPT 4 (published)"} <= whose
    assert {row["column"] for row in rows} == {"all", *INDICATORS}
    assert geobias("worldbench", "matrix", *runs, "--across", "region", "--published").code == 2


@pytest.mark.parametrize(
    "by",
    ["continent", "north-south", "west_east", "income", "official_language", "population_class"],
)
def test_groups_are_by_any_column_of_the_atlas(runs: list[Path], by: str) -> None:
    rows = geobias("worldbench", "groups", *runs, "--by", by, "--json").json()
    assert len({row["group"] for row in rows}) > 1
    assert geobias("worldbench", "disparity", runs[0], "--by", by).code == 0


def test_groups_and_covariates_of_ones_own_come_from_a_file(
    runs: list[Path], tmp_path: Path
) -> None:
    asked = geobias("worldbench", "groups", runs[0], "--by", "country", "--json").json()
    codes = sorted(row["group"] for row in asked)
    own = tmp_path / "own.csv"
    lines = [f"{iso3},{'ab'[i % 2]},{i}" for i, iso3 in enumerate(codes)]
    own.write_text("\n".join(["iso3,bloc,number", *lines]))
    words = ("--by", "bloc", "--group-file", own, "--json")
    rows = geobias("worldbench", "groups", *runs, *words).json()
    assert {row["group"] for row in rows} == {"a", "b"}
    rows = geobias("worldbench", "correlations", *runs, "--with", own, "--json").json()
    pooled = next(r for r in rows if (r["model"], r["indicator"]) == ("all models", "number"))
    assert (pooled["countries"], pooled["models"], pooled["pairs"]) == (
        len(codes),
        3,
        3 * len(INDICATORS),
    )
    assert geobias("worldbench", "groups", runs[0], "--by", "bloc").code == 2


def test_runs_that_must_not_be_mixed_are_not(runs: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "2016.geobias"
    made([plan(year=2016, indicators=INDICATORS, countries=COUNTRIES)], MODELS[1], other)
    done = geobias("worldbench", "groups", runs[0], other)
    assert "No rows over all models: these runs are not pooled, since they differ in" in done.err
    assert "year: none and 2016" in done.err
    assert geobias("worldbench", "ranks", runs[0], other).code == 2
    done = geobias("worldbench", "published", other)
    assert "Beside Table 4, 2016 named in the question" in done.err
    assert "over 19 models, all but GPT-4" in done.err


@pytest.fixture(scope="module")
def findings(runs: list[Path]) -> Findings:
    with ExitStack() as stack:
        return collect([stack.enter_context(RunReader(run)) for run in runs])


def test_a_report_of_several_runs_has_a_section_over_all_models(findings: Findings) -> None:
    [section] = findings.over_models
    assert section.model == "all models"
    assert {"all_regions", "all_matrix_indicators", "all_countries"} <= section.tables.keys()
    assert (section.metrics[0].n, section.metrics[0].counted) == (3, "models")
    assert len(findings.sections) == 3


@pytest.mark.parametrize("name", ["md", "csv", "latex", "json"])
def test_every_format_has_the_section(findings: Findings, name: str) -> None:
    words = ",all models,worldbench," if name == "csv" else "Over all models: error by region"
    assert words in FORMATS[name](findings)


def test_the_page_has_its_figures_and_tables(findings: Findings) -> None:
    names = [figure.name for figure in page.figures(findings)["worldbench"]]
    assert names[:2] == ["worldbench-all-map", "worldbench-all-regions"]
    assert "worldbench-all-matrix-disparity-incomes" in names
    shown = contents.tables(findings.over_models)
    assert shown[0]["title"] == "Over all models: error by region"


def test_a_report_of_one_run_has_no_such_section(runs: list[Path]) -> None:
    with RunReader(runs[0]) as run:
        assert collect([run]).over_models == []
