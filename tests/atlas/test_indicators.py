from __future__ import annotations

from pathlib import Path

import pytest

from geobias.atlas.figures import figures
from geobias.atlas.indicators import Indicator, indicator, indicators, read_indicators
from geobias.atlas.table import TableError

# WorldBench, Table 1, as printed: indicator and metric.
TABLE_1 = {
    "Population": "Total Population",
    "Unemployment": "Unemployment As A Percent Of The Total Labor Force",
    "Maternal Mortality Rate": (
        "Maternal Mortality Ratio As Number Of Deaths Per 100,000 Live Births"
    ),
    "Women In Parliament": (
        "Proportion Of Seats Held By Women In National Parliaments (As A Percent)"
    ),
    "Education Expenditure": "Government Expenditure On Education As A Total Percent Of Gdp",
    "Electricity Access": "Percent Of The Total Population That Has Access To Electricity",
    "Agricultural Land Percent": "Percent Of Total Land Area That Is Agricultural",
    "CO₂ Emissions": "Amount Of Carbon Dioxide Emissions In Metric Tonnes Per Capita",
    "GDP": "Gdp Measured In Us Dollars",
    "GDP PPP Per Person Employed": "Gdp At Purchasing Power Parity (Ppp) Per Person Employed",
    "Renewable Energy Ratio": (
        "Renewable Energy Consumption As A Percent Of Total Final Energy Consumption"
    ),
}


def test_the_eleven_indicators_are_those_of_table_1_in_its_order() -> None:
    assert [one.label for one in indicators().values()] == list(TABLE_1)


def test_a_phrase_is_the_papers_metric_but_for_capitals() -> None:
    for one in indicators().values():
        assert one.phrase.lower() == TABLE_1[one.label].lower()


def plausible(one: Indicator, value: float) -> bool:
    low, high = one.low, one.high
    return (low is None or value >= low) and (high is None or value <= high)


def test_every_figure_lies_in_its_indicators_range() -> None:
    for name, one in indicators().items():
        for own in figures().of(name).figures.values():
            assert all(plausible(one, figure) for figure in own.values())


def test_an_indicator_is_found_by_id_or_code_in_any_case() -> None:
    assert indicator("GDP").id == "gdp"
    assert indicator("sp.pop.totl").id == "population"


LIFE = """
[life_expectancy]
code = "SP.DYN.LE00.IN"
phrase = "life expectancy at birth in years"
unit = "years"
"""


def toml(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "defines no indicator"),
        ("x = 1", "x should be a table"),
        ("[x", "is not TOML"),
        ('[x]\ncode = "A"\nunit = "u"', r"\[x\].*phrase"),
        ('[x]\ncode = "A"\nphrase = ""\nunit = "u"', "phrase is empty"),
        ('[x]\ncode = "A"\nphrase = "p"\nunit = "u"\nlow = 2\nhigh = 1', "low is above high"),
        (
            '[x]\ncode = "A"\nphrase = "p"\nunit = "u"\ndecimals = -1',
            "decimals is a whole number, at least 0",
        ),
        ('[x]\ncode = "A"\nphrase = "p"\nunit = "u"\ncolour = "red"', "colour"),
        ('["x,y"]\ncode = "A"\nphrase = "p"\nunit = "u"', "an id is lower-case"),
        ('[gdp]\ncode = "A"\nphrase = "p"\nunit = "u"', "id of a shipped indicator"),
        ('[x]\ncode = "SP.POP.TOTL"\nphrase = "p"\nunit = "u"', "has the code of population"),
        (LIFE + LIFE.replace("life_", "long_life_"), "has the code of life_expectancy"),
    ],
)
def test_a_bad_indicator_file_says_what_is_wrong(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(TableError, match=fault) as caught:
        read_indicators(toml(tmp_path, text))
    assert "mine.toml" in str(caught.value)
