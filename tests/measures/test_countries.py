"""Countries ranked by error: what they owe to their questions and to luck is taken out."""

from __future__ import annotations

import polars as pl
import pytest

from geobias.measures.countries import country_table
from geobias.probes.worldbench.scores import ERROR, frame_of
from tests.probes.worldbench.answering import row

INDICATORS = ("gdp", "population", "co2_emissions", "maternal_mortality", "unemployment")
COUNTRIES = ("KEN", "UGA", "FRA", "DEU", "BRA", "IND", "CHN", "JPN")


def steady() -> list[dict[str, object]]:
    """Every country at every indicator: errors around 0.3 to 0.65, with much spread in each."""
    return [
        row(iso3, indicator=indicator, error=0.3 + 0.05 * i + 0.2 * ((i + 2 * j) % 5 - 2) / 2)
        for i, iso3 in enumerate(COUNTRIES)
        for j, indicator in enumerate(INDICATORS)
    ]


def test_one_lucky_answer_does_not_top_the_ranking() -> None:
    frame = frame_of([*steady(), row("ESP", indicator="gdp", error=0.2)])
    own = frame.group_by("country").agg(pl.col("error").mean()).sort("error")
    assert own["country"][0] == "ESP"
    assert country_table(frame, ERROR)["country"][-1] == "KEN"


def test_hard_questions_do_not_make_a_country_the_worst() -> None:
    easy = [row(c, indicator="gdp", error=0.1 + 0.01 * i) for i, c in enumerate(COUNTRIES)]
    hard = [row(c, indicator="population", error=0.8 + 0.01 * i) for i, c in enumerate(COUNTRIES)]
    frame = frame_of([*easy[1:], *hard])  # Kenya has the hard question alone, and does it best
    table = country_table(frame, ERROR)
    assert table.sort("mean")["country"][0] == "KEN"
    assert table["country"][-1] == "KEN"
    assert table["pooled"][-1] == pytest.approx(0.453, abs=5e-4)


def test_with_one_indicator_the_excess_stands_without_an_interval() -> None:
    table = country_table(frame_of([row("KEN", error=0.3), row("FRA", error=0.1)]), ERROR)
    assert table["pooled"].to_list() == pytest.approx([0.3, 0.1])
    assert table["pooled_low"].to_list() == [None, None]


def test_a_pooled_error_stays_between_its_bounds() -> None:
    rows = [
        row(iso3, indicator=indicator, error=1.0 - 0.02 * ((i + j) % 3))
        for i, iso3 in enumerate(COUNTRIES)
        for j, indicator in enumerate(INDICATORS)
    ]
    highest = country_table(frame_of(rows), ERROR)["pooled_high"].to_list()
    assert all(high is not None and high <= 1 for high in highest)


def test_nothing_asked_gives_no_country() -> None:
    assert country_table(frame_of([]), ERROR).height == 0
