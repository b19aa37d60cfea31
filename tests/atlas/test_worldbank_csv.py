from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geobias.atlas.table import TableError
from geobias.atlas.worldbank_csv import read_series

PREAMBLE = (
    '"Data Source","World Development Indicators",\r\n\r\n"Last Updated Date","2023-10-26",\r\n\r\n'
)
HEADER = '"Country Name","Country Code","Indicator Name","Indicator Code","2021","2022",\r\n'
KENYA = '"Kenya","KEN","Population, total","SP.POP.TOTL","53005614","54027487",\r\n'
WORLD = '"World","WLD","Population, total","SP.POP.TOTL","","7950946801",\r\n'


def download(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "API_bad.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    return path


def test_a_download_has_its_code_name_edition_and_years(tmp_path: Path) -> None:
    series = read_series(download(tmp_path, PREAMBLE + HEADER + KENYA))
    assert (series.code, series.name) == ("SP.POP.TOTL", "Population, total")
    assert series.edition == "2023-10-26"
    assert series.years == (2021, 2022)


def test_an_empty_cell_is_no_figure(tmp_path: Path) -> None:
    series = read_series(download(tmp_path, PREAMBLE + HEADER + WORLD))
    assert series.figures == {"WLD": {2022: 7950946801.0}}


def test_a_download_without_byte_order_mark_or_trailing_commas_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text((PREAMBLE + HEADER + KENYA).replace(",\r\n", "\n"), encoding="utf-8")
    assert read_series(path).figures["KEN"] == {2021: 53005614.0, 2022: 54027487.0}


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ("", 1, 'should begin "Data Source"'),
        ("<html>not found</html>", 1, 'should begin "Data Source"'),
        ('"Data Source","WDI",\r\n\r\nname,code\r\n', 3, 'should be the "Last Updated Date"'),
        (PREAMBLE.replace("2023-10-26", "lately"), 3, "should be a date"),
        (PREAMBLE + KENYA, 5, "the header should be Country Name"),
        (PREAMBLE + HEADER.replace("2021", "two"), 5, "the column 'two' is not a year"),
        (PREAMBLE + HEADER.replace("2021", "2019") + KENYA, 5, "the years are not consecutive"),
        (PREAMBLE + HEADER, None, "has a header but no rows"),
        (PREAMBLE + HEADER + KENYA + '"Uganda","UGA"\r\n', 7, "has 2 values, too few"),
        (PREAMBLE + HEADER + KENYA.replace("53005614", "n/a"), 6, "'n/a' is not a number"),
        (PREAMBLE + HEADER + KENYA.replace("53005614", "inf"), 6, "'inf' is not a number"),
        (PREAMBLE + HEADER + KENYA + KENYA, 7, "KEN stands in the file twice"),
        (PREAMBLE + HEADER + KENYA + WORLD.replace("SP.POP.TOTL", "X"), 7, "is about X"),
        (PREAMBLE + HEADER + KENYA + '"Uganda,"UGA"', 7, "is not CSV"),
    ],
)
def test_a_bad_download_is_refused_with_its_file_and_line(
    tmp_path: Path, text: str, line: int | None, fault: str
) -> None:
    with pytest.raises(TableError, match=fault) as caught:
        read_series(download(tmp_path, text))
    assert caught.value.line == line
    assert "API_bad.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_download_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "API.zip"
    path.write_bytes(b"PK\x03\x04\xff\xfe\xfa")
    with pytest.raises(TableError, match="is not UTF-8 text"):
        read_series(path)


def test_a_missing_download_is_a_plain_error(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="cannot be read"):
        read_series(tmp_path / "nothing.csv")


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
