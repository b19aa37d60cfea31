from __future__ import annotations

from pathlib import Path

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


def test_consistency_is_that_of_repeats(tmp_path: Path) -> None:
    out = tmp_path / "five.geobias"
    few = ("--countries", "KEN;NGA;GHA;FRA;DEU;ITA", "--repeats", 3, "--out", out)
    assert geobias("run", "worldbench", MODEL, *few).code == 0
    assert len(geobias("table", out, "consistency", "--json").json()) == 3
