from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.figures import Figures, figures, ground_truth_rule, read_figures
from geobias.atlas.indicators import UnknownIndicatorError, indicators, read_indicators
from geobias.atlas.table import TableError


def one_row(*cells: float | None) -> Figures:
    """Figures of one economy, ending in 2022."""
    years = tuple(range(2023 - len(cells), 2023))
    return Figures(years=years, editions={"x": "2023-12-18"}, rows={"x": {"KEN": cells}})


def test_there_are_2160_questions() -> None:
    assert sum(len(figures().truths(indicator)) for indicator in indicators()) == 2160


# WorldBench, Figure 10: figures the paper quotes from its ground truth.
@pytest.mark.parametrize(
    ("indicator", "iso3", "year", "printed"),
    [
        ("gdp_ppp_per_person_employed", "JOR", 2019, "43,915.95"),
        ("education_expenditure", "KAZ", 2019, "2.86"),
        ("gdp", "MEX", 2020, "1,120,741,118,380.27"),
    ],
)
def test_a_figure_is_the_one_the_paper_prints(
    indicator: str, iso3: str, year: int, printed: str
) -> None:
    value = figures().value(indicator, iso3, year)
    assert value is not None
    assert f"{value:,.2f}" == printed


def test_a_figure_of_zero_is_a_figure() -> None:
    assert figures().value("renewable_energy", "BHR", 2020) == 0
    assert one_row(None, None, 0.0).truths("x") == {"KEN": 0.0}


def test_an_indicator_outside_the_table_is_an_error_and_no_missing_figure() -> None:
    with pytest.raises(UnknownIndicatorError):
        figures().value("happiness", "KEN", 2020)


def test_the_average_is_of_what_exists_in_the_last_three_years() -> None:
    assert one_row(100.0, 1.0, None, 3.0).average("x", "KEN") == 2.0


def test_the_latest_figure_may_be_five_years_older_than_the_last_year_and_not_six() -> None:
    assert one_row(7.0, *[None] * 5).latest("x", "KEN") == 7.0
    assert one_row(7.0, *[None] * 6).latest("x", "KEN") is None


def test_a_year_without_a_table_is_an_error_and_no_world_without_data() -> None:
    with pytest.raises(ValueError, match="no figures of 1999: the table has 2012 to 2022"):
        figures().truth("population", "KEN", 1999)


@given(
    st.text().filter(
        lambda text: not re.fullmatch(r"average|latest|[0-9]{4}", text.strip().lower())
    )
)
def test_any_other_text_is_no_rule(text: str) -> None:
    with pytest.raises(ValueError, match="give average, latest or a year"):
        ground_truth_rule(text)


@given(
    st.lists(st.none() | st.floats(min_value=0, max_value=1e15), min_size=1, max_size=11).map(tuple)
)
def test_an_average_lies_between_the_figures_it_is_made_of(cells: tuple[float | None, ...]) -> None:
    average = one_row(*cells).average("x", "KEN")
    existing = [cell for cell in cells[-3:] if cell is not None]
    if existing:
        assert average is not None
        # The quotient is rounded to the nearest double, hence the hair's breadth.
        assert min(existing) * (1 - 1e-15) <= average <= max(existing) * (1 + 1e-15)
    else:
        assert average is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "line 1: the header should begin with indicator,iso3,edition"),
        ("indicator,iso3,edition,2020\n", "holds no figures"),
        ("indicator,iso3,edition\nx,KEN,d\n", "line 1: after edition there should be"),
        ("indicator,iso3,edition,2020,2022\nx,KEN,d,1,2\n", "consecutive years"),
        ("indicator,iso3,edition,year\nx,KEN,d,1\n", "consecutive years"),
        ("indicator,iso3,edition,2020\nx,KEN,d,1,2\n", "line 2: has 5 values for 4 columns"),
        ("indicator,iso3,edition,2020\nx,KEN,d,many\n", "line 2: 'many' is not a number"),
        ("indicator,iso3,edition,2020\nx,KEN,d,nan\n", "line 2: 'nan' is not a number"),
        ("indicator,iso3,edition,2020\nx,KEN,d,1\nx,KEN,d,1\n", "line 3: x of KEN .* twice"),
        ("indicator,iso3,edition,2020\nx,KEN,d,1\nx,UGA,e,1\n", "line 3: x has .* two editions"),
    ],
)
def test_a_bad_table_of_figures_says_where_it_is_wrong(
    tmp_path: Path, text: str, fault: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=fault) as caught:
        read_figures(path)
    assert "bad.csv" in str(caught.value)


PAGE = Path(__file__).parents[2] / "docs/data.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


def test_the_pages_definition_and_tables_are_read_as_they_stand(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(blocks("toml")[0], encoding="utf-8")
    assert read_indicators(tmp_path / "mine.toml")["life_expectancy"].high == 100
    wide, tidy = blocks("csv")
    (tmp_path / "life_expectancy.csv").write_text(tidy, encoding="utf-8")
    (tmp_path / "mine.csv").write_text(wide, encoding="utf-8")
    assert read_figures(tmp_path / "life_expectancy.csv").average("life_expectancy", "CIV") == 58.6
    assert read_figures(tmp_path / "mine.csv").average("rice_yield", "KEN") == 5.0


def test_a_world_bank_download_is_a_table_of_figures_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "API_SP.DYN.LE00.IN.csv"
    path.write_text(
        '"Data Source","World Development Indicators",\n\n"Last Updated Date","2026-01-28",\n\n'
        '"Country Name","Country Code","Indicator Name","Indicator Code","2021","2022",\n'
        '"Kenya","KEN","Life expectancy","SP.DYN.LE00.IN","61.4","62.1",\n'
        '"World","WLD","Life expectancy","SP.DYN.LE00.IN","71.1","72.0",\n',
        encoding="utf-8",
    )
    table = read_figures(path, {"SP.DYN.LE00.IN": "life"})
    assert table.rows["life"]["KEN"] == (61.4, 62.1)
    assert "WLD" not in table.rows["life"]
    assert list(read_figures(path).rows) == ["SP.DYN.LE00.IN"]
