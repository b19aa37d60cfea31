from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.figures import figures
from geobias.atlas.importing import _shortest, import_worldbank
from geobias.atlas.indicators import Indicator, indicators
from geobias.atlas.table import TableError, shipped_table
from geobias.atlas.worldbank_csv import read_series
from tests.shared_data import shared_data


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


def test_every_shipped_figure_is_exactly_the_world_banks() -> None:
    for name, one in indicators().items():
        series = read_series(shared_data(f"worldbank/API_{one.code}.csv"))
        assert series.name == one.series
        for iso3, row in figures().rows[name].items():
            published = tuple(series.figures[iso3].get(year) for year in figures().years)
            assert row == published


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    first = download(tmp_path, "SP.POP.TOTL", KEN={2022: "5"})
    second = download(tmp_path, "NY.GDP.MKTP.CD", KEN={2022: "7"})
    import_worldbank([first, second], tmp_path / "a.csv")
    import_worldbank([second, first], tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_aggregates_are_left_out_by_code(tmp_path: Path) -> None:
    path = download(tmp_path, KEN={2022: "5"}, WLD={2022: "9"}, IDA={2022: "8"})
    made = import_worldbank([path], tmp_path / "figures.csv")
    assert list(made.rows["population"]) == ["KEN"]


def test_the_eleven_years_end_with_the_last_year_an_economy_has_a_figure_of(
    tmp_path: Path,
) -> None:
    path = download(tmp_path, KEN={2010: "1", 2020: "5"}, WLD={2022: "9"})
    made = import_worldbank([path], tmp_path / "figures.csv")
    assert made.years == tuple(range(2010, 2021))


def test_an_economy_without_a_figure_in_those_years_has_no_row(tmp_path: Path) -> None:
    path = download(tmp_path, KEN={2022: "5"}, UGA={2006: "5"}, RWA={})
    made = import_worldbank([path], tmp_path / "figures.csv")
    assert list(made.rows["population"]) == ["KEN"]


def test_the_edition_of_a_file_travels_with_its_figures(tmp_path: Path) -> None:
    made = import_worldbank([download(tmp_path, KEN={2022: "5"})], tmp_path / "figures.csv")
    assert made.editions == {"population": "2023-10-26"}


def test_a_users_own_indicator_is_imported(tmp_path: Path) -> None:
    mine = Indicator(id="life", code="SP.DYN.LE00.IN", phrase="life expectancy", unit="years")
    path = download(tmp_path, "SP.DYN.LE00.IN", KEN={2022: "62.1"})
    made = import_worldbank([path], tmp_path / "figures.csv", among={"life": mine})
    assert made.value("life", "KEN", 2022) == 62.1


def test_a_series_that_is_no_indicator_is_refused(tmp_path: Path) -> None:
    path = download(tmp_path, "SP.DYN.LE00.IN", KEN={2022: "62.1"})
    with pytest.raises(TableError, match=r"SP\.DYN\.LE00\.IN, which is none of the indicators"):
        import_worldbank([path], tmp_path / "figures.csv")


def test_two_files_about_one_indicator_are_refused(tmp_path: Path) -> None:
    path = download(tmp_path, KEN={2022: "5"})
    with pytest.raises(TableError, match="as a file before it does"):
        import_worldbank([path, path], tmp_path / "figures.csv")


def test_a_refused_import_leaves_the_table_that_was_there(tmp_path: Path) -> None:
    out = tmp_path / "figures.csv"
    out.write_text("as it was", encoding="utf-8")
    with pytest.raises(TableError):
        import_worldbank([tmp_path / "nothing.csv"], out)
    assert out.read_text(encoding="utf-8") == "as it was"


def test_no_files_are_nothing_to_import(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing to import"):
        import_worldbank([], tmp_path / "figures.csv")


def test_files_without_a_figure_of_any_economy_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is one of an economy"):
        import_worldbank([download(tmp_path, WLD={2022: "9"})], tmp_path / "figures.csv")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_figure_reads_back_as_the_same_number(figure: float) -> None:
    assert float(_shortest(figure)) == figure


def test_a_whole_number_is_written_without_a_decimal_point() -> None:
    assert _shortest(25439700000000.0) == "25439700000000"
