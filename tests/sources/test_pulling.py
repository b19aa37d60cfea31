from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.figures import figures, read_figures
from geobias.atlas.indicators import Indicator, indicators
from geobias.atlas.table import shipped_table
from geobias.errors import BadDownload, BadRequest, GeobiasError, Unreachable
from geobias.sources.worldbank import (
    NoSuchSeries,
    PulledFigures,
    pull,
    read_series,
    wanted_indicators,
)

from .standin import HTML, Fault, Place, StandIn, body, changed, figure_row, half, refusal

LIFE = Indicator(
    id="life", code="SP.DYN.LE00.IN", label="L", phrase="life expectancy", unit="years"
)


def pulled(out: Path, *names: str, own: Indicator | None = None) -> PulledFigures:
    wanted = wanted_indicators(names, {own.id: own} if own else {})
    return asyncio.run(pull(wanted, out, all_needed=bool(names)))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*")}


def test_an_economy_is_found_by_two_letters_where_a_source_gives_no_three(
    world: StandIn, tmp_path: Path
) -> None:
    nameless = changed(lambda page: [row.update(countryiso3code="") for row in page[1]])
    world.fail("SP.POP.TOTL", nameless)
    made = pulled(tmp_path / "figures.csv", "population")
    assert set(made.figures.of("population").figures) == {"KEN", "UGA"}


def test_the_whole_shipped_table_comes_back_figure_for_figure(
    world: StandIn, tmp_path: Path
) -> None:
    shipped = figures()
    world.places = [Place(iso3, iso3[:2], iso3) for iso3 in shipped.of("population").figures]
    world.figures = {
        one.code: {iso3: {**own} for iso3, own in shipped.of(one.id).figures.items()}
        for one in indicators().values()
    }
    made = pulled(tmp_path / "figures.csv")
    assert made.figures == read_figures(tmp_path / "figures.csv")
    assert made.missing == ()
    assert len(world.requests) == 11
    expected = shipped_table("figures.csv").read_bytes()
    for edition in {one.edition for one in shipped.series.values()}:
        expected = expected.replace(edition.encode(), b"2026-01-28")
    assert (tmp_path / "figures.csv").read_bytes() == expected


def test_an_indicator_of_ones_own_works(world: StandIn, tmp_path: Path) -> None:
    pulled(tmp_path / "life.csv", own=LIFE)
    assert read_figures(tmp_path / "life.csv").value("life", "KEN", 2022) == 62.1
    pulled(tmp_path / "both.csv", "LIFE", "sp.pop.totl", own=LIFE)
    assert set(read_figures(tmp_path / "both.csv").series) == {"life", "population"}


@pytest.mark.parametrize("code", ["a b", "../x", "SP.POP?x=1", "é", "x" * 200])
def test_what_cannot_be_a_code_gets_into_no_address(code: str) -> None:
    one = Indicator(id="x", code=code, label="X", phrase="p", unit="u")
    with pytest.raises(BadRequest, match="not a World Bank code"):
        wanted_indicators([], {"x": one})


BROKEN: list[tuple[list[Fault], str]] = [
    ([HTML], "a web page instead of data"),
    ([half] * 9, "not complete JSON"),
    ([body(b"[1, 2]")], "an unexpected shape"),
    ([body(b"{}")], "an unexpected shape"),
    ([changed(lambda page: page[1][0].update(value="many"))], "an unexpected shape"),
    ([changed(lambda page: page[1][0]["indicator"].update(id="NY.GDP"))], "about NY.GDP, not"),
    ([changed(lambda page: page[0].update(pages=9))], "rows where there should be"),
    ([changed(lambda page: page[0].update(total=99))], "rows where there should be"),
    ([changed(lambda page: page[1].pop())], "rows where there should be"),
    ([changed(lambda page: page[1].__setitem__(0, page[1][1]))], "rows where there should be"),
]


@pytest.mark.parametrize(("faults", "sentence"), BROKEN)
def test_a_broken_download_leaves_the_table_as_it_was(
    world: StandIn, tmp_path: Path, faults: list[Fault], sentence: str
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    pulled(out / "figures.csv", "population")
    before = contents(out)
    world.fail("SP.POP.TOTL", *faults)
    pages = len(world.requests)
    with pytest.raises(GeobiasError, match=sentence):
        pulled(out / "figures.csv", "population")
    assert len(world.requests) > pages
    assert contents(out) == before


def test_a_code_that_never_was_is_said_so(world: StandIn, tmp_path: Path) -> None:
    with pytest.raises(NoSuchSeries, match=r"does not serve NO\.SUCH \(Invalid value: The prov"):
        pulled(tmp_path / "figures.csv", own=msgspec.structs.replace(LIFE, code="NO.SUCH"))


def test_a_series_that_was_replaced_names_its_successor(world: StandIn, tmp_path: Path) -> None:
    archived = "The indicator was not found. It may have been deleted or archived."
    world.fail("EN.ATM", body(json.dumps(refusal("175", "Invalid format", archived))))
    with pytest.raises(
        NoSuchSeries, match=r"deleted or archived\): EN\.GHG\.CO2\.PC\.CE\.AR5 took its place"
    ):
        pulled(tmp_path / "figures.csv", "co2_emissions")


@pytest.mark.parametrize("served", [{}, {"KEN": {2022: None}}])
def test_a_series_without_figures_is_said_so(
    world: StandIn, tmp_path: Path, served: dict[str, Any]
) -> None:
    world.figures["SP.POP.TOTL"] = served
    with pytest.raises(NoSuchSeries, match=r"no figures of SP\.POP\.TOTL"):
        pulled(tmp_path / "figures.csv", "population")


def test_a_series_that_is_not_yearly_is_said_so(world: StandIn, tmp_path: Path) -> None:
    world.fail("SP.POP.TOTL", changed(lambda page: page[1][0].update(date="2022Q1")))
    with pytest.raises(BadRequest, match="'2022Q1': only yearly series"):
        pulled(tmp_path / "figures.csv", "population")


@pytest.mark.parametrize("out", ["no/such/figures.csv", "."])
def test_a_table_that_cannot_be_written_is_said_before_anything_is_asked(
    world: StandIn, tmp_path: Path, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadRequest):
        pulled(Path(out), "population")
    assert world.requests == []


@pytest.mark.parametrize(
    "url", ["api.worldbank.org", "ftp://x/v2", "http://", "http://[", "http://x:99999"]
)
def test_an_address_that_is_none_is_said_so(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEOBIAS_WORLDBANK_URL", url)
    with pytest.raises((BadRequest, Unreachable), match=r"not an address|cannot reach"):
        pulled(tmp_path / "figures.csv", "population")


CODE = "SP.POP.TOTL"
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def written(*parts: Any) -> bytes:
    return json.dumps(list(parts)).encode()


def test_a_page_of_figures() -> None:
    head = {"page": "1", "pages": 1, "per_page": None, "total": "1", "lastupdated": "2026-01-28"}
    row = figure_row(CODE, "KEN", 2024, 56432944)
    series = read_series(written(head, [row]), CODE)
    assert (series.edition, series.figures) == ("2026-01-28", {"KEN": {2024: 56432944.0}})


def test_a_message_of_anything_but_an_indicator_is_passed_on_in_one_line() -> None:
    with pytest.raises(BadDownload, match="Invalid value: The provided value") as caught:
        read_series(written(*refusal("199", "Invalid value", "The provided\nvalue.")), CODE)
    assert "\n" not in str(caught.value)


@given(JSON)
def test_any_json_is_refused(value: Any) -> None:
    with pytest.raises((BadDownload, BadRequest)):
        read_series(json.dumps(value).encode(), CODE)
