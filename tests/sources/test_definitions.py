from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.figures import read_figures
from geobias.atlas.indicators import Indicator, indicators, read_indicators
from geobias.errors import BadRequest
from geobias.sources.pulling import (
    definitions_toml,
    indicator_id,
    successors,
    wanted_indicators,
)

PAGE = Path(__file__).parents[2] / "docs/data.md"
MINE = """
[life_expectancy]
code = "SP.DYN.LE00.IN"
phrase = "life expectancy at birth in years"
unit = "years"
"""
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


def ids(*names: str, **more: object) -> list[str]:
    return [one.indicator.id for one in wanted_indicators(names, **more)]  # type: ignore[arg-type]


def test_without_names_it_is_the_eleven_and_one_may_be_missing() -> None:
    wanted = wanted_indicators()
    assert [one.indicator for one in wanted] == list(indicators().values())
    assert not any(one.by_name for one in wanted)


def test_a_shipped_indicator_is_named_by_id_or_code_in_any_case() -> None:
    assert ids("Population", "ny.gdp.mktp.cd", "SP.POP.TOTL") == ["population", "gdp"]


def test_any_other_series_needs_a_phrase_and_a_unit() -> None:
    (one,) = wanted_indicators(["SP.DYN.LE00.IN"], phrase="life expectancy", unit="years")
    assert (one.indicator.id, one.indicator.code) == ("sp_dyn_le00_in", "SP.DYN.LE00.IN")
    assert (one.indicator.phrase, one.indicator.unit) == ("life expectancy", "years")
    with pytest.raises(BadRequest, match=r"none of the shipped indicators.*--phrase"):
        wanted_indicators(["SP.DYN.LE00.IN"])
    with pytest.raises(BadRequest, match=r"for several series, in a TOML file"):
        wanted_indicators(["A.A", "B.B"], phrase="a", unit="a")


def test_words_for_an_indicator_that_has_its_own_are_refused() -> None:
    with pytest.raises(BadRequest, match="those named have them"):
        wanted_indicators(["population"], phrase="number of people", unit="people")
    with pytest.raises(BadRequest, match="name it"):
        wanted_indicators(phrase="number of people")


def test_a_file_defines_indicators_and_names_choose_among_them(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE, encoding="utf-8")
    assert ids(file=path) == ["life_expectancy"]
    assert ids("SP.DYN.LE00.IN", "gdp", file=path) == ["life_expectancy", "gdp"]
    assert ids("shipped", "life_expectancy", file=path) == [*indicators(), "life_expectancy"]


def test_a_successor_is_asked_about_as_its_predecessor_was() -> None:
    (one,) = wanted_indicators(["EN.GHG.CO2.PC.CE.AR5"])
    assert one.indicator.id == "co2_emissions_ar5"
    assert one.indicator.phrase == indicators()["co2_emissions"].phrase
    assert one.indicator.edition is None
    both = wanted_indicators(["EN.GHG.CO2.PC.CE.AR5", "A.A"], phrase="first", unit="m")
    assert [one.indicator.unit for one in both] == ["t CO₂e per capita", "m"]


def test_every_successor_is_one_of_a_shipped_indicator() -> None:
    assert set(successors()) <= {one.code for one in indicators().values()}
    for heir in successors().values():
        (one,) = wanted_indicators([heir.successor])
        assert one.indicator.id not in indicators()


@pytest.mark.parametrize("code", ["", "a b", "../x", "SP.POP?x=1", "é", "x" * 200])
def test_what_cannot_be_a_code_gets_into_no_address(code: str) -> None:
    with pytest.raises(BadRequest, match="no World Bank code"):
        wanted_indicators([code], phrase="a", unit="b")


@given(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True))
def test_every_code_makes_an_id(code: str) -> None:
    Indicator(id=indicator_id(code), code=code, phrase="p", unit="u")


@given(WORDS, WORDS, WORDS, st.none() | st.floats(allow_nan=False), st.integers(0, 9))
def test_definitions_read_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory,
    phrase: str,
    unit: str,
    label: str,
    low: float | None,
    decimals: int,
) -> None:
    one = Indicator(
        id="mine",
        code="SP.DYN.LE00.IN",
        phrase=phrase,
        unit=unit,
        label=label,
        low=low,
        decimals=decimals,
    )
    path = tmp_path_factory.mktemp("toml") / "mine.toml"
    path.write_bytes(definitions_toml([one]).encode())
    assert read_indicators(path) == {"mine": one}


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
