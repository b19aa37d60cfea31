from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geobias.atlas.figures import import_worldbank
from geobias.atlas.importing import read_series
from geobias.atlas.table import TableError, shipped_table
from tests.shared_data import shared_data

PREAMBLE = (
    '"Data Source","World Development Indicators",\r\n\r\n"Last Updated Date","2023-10-26",\r\n\r\n'
)
HEADER = '"Country Name","Country Code","Indicator Name","Indicator Code","2021","2022",\r\n'
KENYA = '"Kenya","KEN","Population, total","SP.POP.TOTL","53005614","54027487",\r\n'
WORLD = '"World","WLD","Population, total","SP.POP.TOTL","","7950946801",\r\n'


def download_of(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "API_bad.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    return path


def test_a_download_has_its_code_name_edition_and_years(tmp_path: Path) -> None:
    series = read_series(download_of(tmp_path, PREAMBLE + HEADER + KENYA))
    assert series.code == "SP.POP.TOTL"
    assert series.edition == "2023-10-26"
    assert series.years == (2021, 2022)


def test_an_empty_cell_is_no_figure(tmp_path: Path) -> None:
    series = read_series(download_of(tmp_path, PREAMBLE + HEADER + WORLD))
    assert series.figures == {"WLD": {2022: 7950946801.0}}


def test_a_download_without_byte_order_mark_or_trailing_commas_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text((PREAMBLE + HEADER + KENYA).replace(",\r\n", "\n"), encoding="utf-8")
    assert read_series(path).figures["KEN"] == {2021: 53005614.0, 2022: 54027487.0}


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ("", 1, "is it a World Bank download"),
        ("<html>not found</html>", 1, "is it a World Bank download"),
        (PREAMBLE.replace("2023-10-26", "lately"), 1, "is it a World Bank download"),
        (PREAMBLE + KENYA, 5, "the header should be Country Name"),
        (PREAMBLE + HEADER.replace("2021", "two"), 5, "years in a row"),
        (PREAMBLE + HEADER.replace("2021", "2019") + KENYA, 5, "years in a row"),
        (PREAMBLE + HEADER, None, "has a header but no rows"),
        (PREAMBLE + HEADER + KENYA + '"Uganda","UGA"\r\n', 7, "has 2 values, too few"),
        (PREAMBLE + HEADER + KENYA.replace("53005614", "n/a"), 6, "'n/a' is not a number"),
        (PREAMBLE + HEADER + KENYA.replace("53005614", "inf"), 6, "'inf' is not a number"),
        (PREAMBLE + HEADER + KENYA + KENYA, 7, "KEN occurs twice in the file"),
        (PREAMBLE + HEADER + KENYA + WORLD.replace("SP.POP.TOTL", "X"), 7, "is about X"),
        (PREAMBLE + HEADER + KENYA + '"Uganda,"UGA"', 7, "is not CSV"),
    ],
)
def test_a_bad_download_is_refused_with_its_file_and_line(
    tmp_path: Path, text: str, line: int | None, fault: str
) -> None:
    with pytest.raises(TableError, match=fault) as caught:
        read_series(download_of(tmp_path, text))
    assert caught.value.line == line
    assert "API_bad.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_any_text_after_the_header_is_read_or_refused_in_one_sentence(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "API.csv"
    path.write_bytes((PREAMBLE + HEADER + KENYA + text).encode("utf-8", "replace"))
    try:
        outcome = f"{path}: read, {len(read_series(path).figures)} rows."
    except TableError as error:
        outcome = str(error)
    assert outcome.startswith(str(path))
    assert outcome.endswith(".")


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
