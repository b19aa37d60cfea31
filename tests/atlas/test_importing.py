from __future__ import annotations

from pathlib import Path

import pytest

from geobias.atlas.figures import import_worldbank
from geobias.atlas.table import TableError, shipped_table
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
