from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from geobias.atlas import table
from geobias.atlas.figures import read_figures
from geobias.atlas.indicators import indicators
from geobias.atlas.table import shipped_table
from tests.cli.running import geobias
from tests.sources.standin import FIGURES, StandIn, at_once, standin

call = partial(geobias, "data")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and a cache that is not there yet. Whoever does not answer is
    asked again at once."""
    monkeypatch.setattr("geobias.http.sleep", at_once)
    monkeypatch.setenv("GEOBIAS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GEOBIAS_WORLDBANK_URL", "http://127.0.0.1:9/v2")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, here: Path) -> Iterator[StandIn]:
    with standin(FIGURES) as serving:
        monkeypatch.setenv("GEOBIAS_WORLDBANK_URL", serving.url)
        yield serving


# pull


def test_a_pull_writes_a_table_and_says_what_is_in_it(world: StandIn, here: Path) -> None:
    code, out, err = call("pull", "worldbank", "--indicator", "population")
    assert code == 0
    assert err == ""
    assert "6 figures" in out
    assert "edition 2026-01-28" in out
    assert set(read_figures(here / "figures.csv").of("population").figures) == {"KEN", "UGA"}


def test_without_options_it_is_the_eleven_less_what_the_service_lost(
    world: StandIn, here: Path
) -> None:
    world.figures |= {one.code: {"KEN": {2022: 1.0}} for one in indicators().values()}
    del world.figures["EN.ATM.CO2E.PC"]
    code, out, err = call("pull", "worldbank")
    assert code == 0
    assert "10 indicators" in out
    assert "EN.GHG.CO2.PC.CE.AR5" in err


def test_without_a_connection_one_sentence_says_what_to_do(here: Path) -> None:
    code, out, err = call("pull", "worldbank", "--indicator", "population")
    assert (code, out) == (3, "")
    assert err.count("\n") == 1
    assert "cannot reach http://127.0.0.1:9" in err
    assert "geobias data import" in err
    assert not list(here.iterdir())


# import


DOWNLOAD = """"Data Source","World Development Indicators",

"Last Updated Date","2026-01-28",

"Country Name","Country Code","Indicator Name","Indicator Code","2021","2022",
"Kenya","KEN","Life expectancy","SP.DYN.LE00.IN","61.4","62.1",
"""


def test_importing_a_file_about_an_indicator_of_ones_own(here: Path) -> None:
    (here / "API.csv").write_text(DOWNLOAD, encoding="utf-8")
    (here / "mine.toml").write_text(
        '[life]\ncode = "SP.DYN.LE00.IN"\nphrase = "life expectancy"\nunit = "years"\n',
        encoding="utf-8",
    )
    code, _, _ = call("import", "worldbank", "API.csv", "--indicators", "mine.toml")
    assert code == 0
    assert read_figures(here / "figures.csv").value("life", "KEN", 2021) == 61.4


# list and verify


def test_the_list_names_shipped_tables_with_edition_and_hash() -> None:
    code, out, _ = call("list")
    assert code == 0
    digest = hashlib.sha256(shipped_table("figures.csv").read_bytes()).hexdigest()
    (line,) = [line for line in out.splitlines() if "figures.csv" in line]
    assert digest[:12] in line
    assert "2023-10-26 and 2023-12-18" in line
    assert out.rstrip().endswith("empty")
    assert {one["where"] for one in json.loads(call("list", "--json").out)} == {"shipped"}


def test_verify_says_no_to_a_shipped_table_someone_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    for one in table.published_editions():
        (folder / one.table).write_bytes(shipped_table(one.table).read_bytes())
    monkeypatch.setattr(table, "SHIPPED", folder)
    assert call("verify")[0] == 0
    edited = (folder / "figures.csv").read_bytes().replace(b"102112", b"102113", 1)
    (folder / "figures.csv").write_bytes(edited)
    (folder / "indicators.csv").unlink()
    code, out, err = call("verify")
    assert code == 1
    assert "changed  shipped  figures.csv" in out
    assert "missing  shipped  indicators.csv" in out
    assert err.count("reinstall geobias") == 2
    assert call("list")[0] == 0
