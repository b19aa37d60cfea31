"""Figures, and their import from files of the World Bank."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geobias.atlas.figures import (
    Figures,
    Series,
    figures,
    ground_truth_rule,
    import_worldbank,
    read_figures,
)
from geobias.atlas.indicators import UnknownIndicatorError, read_indicators
from geobias.atlas.table import TableError, shipped_table
from geobias.probes.worldbench.choosing import figures_from
from tests.shared_data import shared_data


def one_row(*cells: float | None) -> Figures:
    """Figures of one economy, ending in 2022."""
    years = range(2023 - len(cells), 2023)
    own = {year: cell for year, cell in zip(years, cells, strict=True) if cell is not None}
    return Figures({"x": Series("2023-12-18", 2022, {"KEN": own})})


# WorldBench, Figure 10: figures the paper quotes from its ground truth.
def test_an_indicator_outside_the_table_is_an_error_and_no_missing_figure() -> None:
    with pytest.raises(UnknownIndicatorError):
        figures().value("happiness", "KEN", 2020)


def test_the_average_is_of_what_exists_in_the_last_three_years() -> None:
    assert one_row(100.0, 1.0, None, 3.0).truth("x", "KEN") == 2.0


def test_the_latest_figure_may_be_five_years_older_than_the_last_year_and_not_six() -> None:
    assert one_row(7.0, *[None] * 5).truth("x", "KEN", "latest") == 7.0
    assert one_row(7.0, *[None] * 6).truth("x", "KEN", "latest") is None


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
    average = one_row(*cells).truth("x", "KEN")
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
        ("", "holds no figure"),
        ("indicator,iso3,edition,2020\n", "holds no figure"),
        ("indicator,iso3,edition,2020\nx,WLD,d,5\n", "holds no figure of a country"),
        ("indicator,iso3,edition\nx,KEN,d\n", "line 1: the header needs"),
        ("indicator,iso3,edition,year\nx,KEN,d,1\n", "line 1: the header needs"),
        (f"indicator,iso3,edition,{'9' * 5_000}\nx,KEN,d,1\n", "line 1: the header needs"),
        ("indicator,iso3,2020,2020\nx,KEN,1,2\n", "line 1: the header needs .* each once"),
        ("<html>not found</html>", "line 1: the header needs"),
        ('"Last Updated Date"\niso3,2020\n"Uganda,"UGA"', "line 3: is not CSV"),
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
    assert read_figures(tmp_path / "life_expectancy.csv").truth("life_expectancy", "CIV") == 58.6
    assert read_figures(tmp_path / "mine.csv").truth("rice_yield", "KEN") == 5.0


DOWNLOAD = (
    '"Data Source","World Development Indicators",\r\n\r\n"Last Updated Date","2026-01-28",\r\n\r\n'
    '"Country Name","Country Code","Indicator Name","Indicator Code","2020","2021","2022",\r\n'
    '"Kenya","KEN","Life expectancy","SP.DYN.LE00.IN","61.4","62.1","",\r\n'
    '"World","WLD","Life expectancy","SP.DYN.LE00.IN","71.1","72.0","72.1",\r\n'
)


@pytest.mark.parametrize("text", ["\ufeff" + DOWNLOAD, DOWNLOAD.replace(",\r\n", "\n")])
def test_a_world_bank_download_is_a_table_of_figures_of_its_own(tmp_path: Path, text: str) -> None:
    path = tmp_path / "API_SP.DYN.LE00.IN.csv"
    path.write_bytes(text.encode())
    table = read_figures(path, {"SP.DYN.LE00.IN": "life"})
    assert table.series["life"] == Series("2026-01-28", 2021, {"KEN": {2020: 61.4, 2021: 62.1}})
    assert table.unknown == ("WLD",)
    assert list(read_figures(path).series) == ["SP.DYN.LE00.IN"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_any_text_after_the_header_is_read_or_refused_in_one_sentence(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "API.csv"
    path.write_bytes((DOWNLOAD + text).encode("utf-8", "replace"))
    try:
        outcome = f"{path}: read, {read_figures(path).years}."
    except TableError as error:
        outcome = str(error)
    assert outcome.startswith(str(path))
    assert outcome.endswith(".")


def test_figures_of_ones_own_replace_an_indicator_and_keep_their_last_year(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("iso3,indicator,2017,2019\nKEN,gdp,4,8\n", encoding="utf-8")
    table = figures_from(path)
    assert table.truths("gdp") == {"KEN": 6.0}
    assert table.truths("population") == figures().truths("population")
    assert table.content != figures().content


def test_a_year_outside_the_table_has_no_figure() -> None:
    assert figures().value("population", "KEN", 2011) is None
    assert figures().value("population", "KEN", 2023) is None


def download(tmp_path: Path, code: str = "SP.POP.TOTL", **rows: dict[int, str]) -> Path:
    """A World Bank download of 2005 to 2022 with these rows."""
    years = range(2005, 2023)
    lines = [
        "Data Source,World Development Indicators,",
        "",
        "Last Updated Date,2023-10-26,",
        "",
        f"Country Name,Country Code,Indicator Name,Indicator Code,{','.join(map(str, years))},",
    ]
    for iso3, cells in rows.items():
        values = ",".join(cells.get(year, "") for year in years)
        lines.append(f"{iso3},{iso3},Something,{code},{values},")
    path = tmp_path / f"API_{code}.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_shipped_figures_are_what_the_import_makes_of_the_world_banks_files(
    tmp_path: Path,
) -> None:
    files = sorted(shared_data("worldbank").glob("API_*.csv"))
    import_worldbank(files, tmp_path / "figures.csv")
    shipped = shipped_table("figures.csv").read_bytes()
    assert (tmp_path / "figures.csv").read_bytes() == shipped


def test_the_eleven_years_end_with_the_last_year_an_economy_has_a_figure_of(tmp_path: Path) -> None:
    path = download(tmp_path, KEN={2010: "1", 2020: "5"}, WLD={2022: "9"})
    made = import_worldbank([path], tmp_path / "figures.csv")
    assert made.years == tuple(range(2010, 2021))


def test_two_files_about_one_indicator_are_refused(tmp_path: Path) -> None:
    path = download(tmp_path, KEN={2022: "5"})
    with pytest.raises(TableError, match="which another file holds too"):
        import_worldbank([path, path], tmp_path / "figures.csv")


def test_a_refused_import_leaves_the_table_that_was_there(tmp_path: Path) -> None:
    out = tmp_path / "figures.csv"
    out.write_text("as it was", encoding="utf-8")
    with pytest.raises(TableError):
        import_worldbank([tmp_path / "nothing.csv"], out)
    assert out.read_text(encoding="utf-8") == "as it was"
