from __future__ import annotations

import polars as pl
import pytest

from geobias.atlas.figures import Figures, figures
from geobias.probes.worldbench.years import years_table

# WorldBench, Table 3, as printed; None for its NaN. 2018 to 2022, then the average.
TABLE_3: dict[str, tuple[float | None, ...]] = {
    "agricultural_land": (0.011, 0.008, 0.002, 0.002, None, 0.006),
    "co2_emissions": (0.104, 0.092, 0.000, None, None, 0.065),
    "education_expenditure": (0.108, 0.095, 0.054, 0.053, 0.075, 0.077),
    "electricity_access": (0.026, 0.017, 0.006, 0.006, None, 0.014),
    "gdp": (0.106, 0.093, 0.109, 0.038, 0.086, 0.087),
    "gdp_ppp_per_person_employed": (0.059, 0.047, 0.033, 0.014, 0.028, 0.036),
    "maternal_mortality": (0.087, 0.074, 0.000, None, None, 0.054),
    "population": (0.037, 0.025, 0.013, 0.001, 0.012, 0.018),
    "renewable_energy": (0.114, 0.093, 0.009, 0.025, None, 0.060),
    "unemployment": (0.140, 0.139, 0.063, 0.033, 0.082, 0.091),
    "women_in_parliament": (0.170, 0.130, 0.084, 0.066, 0.068, 0.103),
}
AVERAGES = (0.087, 0.074, 0.034, 0.027, 0.059, 0.056)


def cells(table: pl.DataFrame, indicator: str) -> tuple[float | None, ...]:
    return table.row(by_predicate=pl.col("indicator") == indicator)[1:]


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


@pytest.mark.parametrize(("indicator", "printed"), TABLE_3.items())
def test_a_row_is_the_one_the_paper_prints(
    indicator: str, printed: tuple[float | None, ...]
) -> None:
    assert tuple(map(rounded, cells(years_table(figures()), indicator))) == printed


def test_the_row_of_averages_is_the_one_the_paper_prints() -> None:
    assert tuple(map(rounded, cells(years_table(figures()), "average"))) == AVERAGES


def test_two_figures_of_zero_count_as_no_error_and_are_not_dropped() -> None:
    # Without Bahrain and Gibraltar, whose renewable energy is 0 and stays 0, the paper's 0.114
    # and 0.093 would be 0.115 and 0.094.
    shipped = figures()
    kept = {
        iso3: row
        for iso3, row in shipped.rows["renewable_energy"].items()
        if iso3 not in ("BHR", "GIB")
    }
    without = Figures(
        years=shipped.years, editions=shipped.editions, rows={"renewable_energy": kept}
    )
    row = cells(years_table(without, years=(2018, 2019)), "renewable_energy")
    assert [rounded(cell) for cell in row[:-1]] == [0.115, 0.094]


def some(**rows: tuple[float | None, ...]) -> Figures:
    return Figures(years=(2018, 2019, 2020, 2021, 2022), editions={}, rows={"x": rows})


def test_an_economy_without_an_average_is_not_in_the_cell() -> None:
    table = years_table(
        some(KEN=(1.0, None, 2.0, None, None), UGA=(9.0, None, None, None, None)), years=(2018,)
    )
    assert table.columns == ["indicator", "2018", "average"]
    assert cells(table, "x")[0] == 0.5


def test_a_year_in_which_no_economy_has_a_figure_is_undefined() -> None:
    table = years_table(some(KEN=(1.0, None, 1.0, None, None)), years=(2018, 2021))
    assert cells(table, "x") == (0.0, None, 0.0)
    assert cells(table, "average")[1] is None


def test_a_year_outside_the_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="no figures of 2009"):
        years_table(figures(), years=(2009,))
