"""What is said of another place, currency or denominator is no answer.

Models say such things more often of poor countries: a reader that took them for answers would make
a gap out of nothing.
"""

from __future__ import annotations

import pytest

from geobias.atlas.economies import economies
from geobias.probes.worldbench.trials import READER
from tests.labelled import table_beside

ELSEWHERE = [
    "I don't have data for Eritrea; neighbouring Ethiopia spends 4.5%",
    "Eritrea does not publish this. Ethiopia, next door, spends 4.5% of GDP.",
    "For comparison, Sudan spends about 2.2%",
    "The average for the region is 4.5%",
    "Data for Eritrea are unavailable, but sub-Saharan Africa averages 4.3% of GDP.",
    "I'm not sure about Eritrea. Djibouti's figure was 3.6% in 2018.",
    "Unlike Ethiopia (4.5%), Eritrea publishes no figure.",
]
NEIGHBOURS = ("Ethiopia", "Sudan")
POOR = [
    one.name
    for one in economies().values()
    if one.income == "Low income" and one.name not in NEIGHBOURS
][:16]


@pytest.mark.parametrize("reply", ELSEWHERE)
def test_no_poor_country_is_answered_with_a_figure_of_another_place(reply: str) -> None:
    for country in POOR:
        told = reply.replace("Eritrea", country)
        line = {"indicator": "education_expenditure", "country": country, "reply": told}
        assert READER.read(line).value is None, told


@pytest.mark.parametrize("row", table_beside(__file__, "figures.csv"))
def test_only_what_is_plainly_the_figure_of_the_country_is_read(row: dict[str, str]) -> None:
    value = float(row["value"]) if row["value"] else None
    assert (
        READER.read({name: row[name] for name in ("indicator", "country", "reply")}).value == value
    )
