"""What is said of another place, currency or denominator is no answer.

Models say such things more often of poor countries: a reader that took them for answers would make
a gap out of nothing.
"""

from __future__ import annotations

import pytest

from geobias.atlas.economies import economies
from geobias.probes.worldbench.replies import READER

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


@pytest.mark.parametrize(
    ("indicator", "reply", "value"),
    [
        ("education_expenditure", "Eritrea spends about 2.1% of its GDP on education.", 2.1),
        ("education_expenditure", "2.1% of Eritrea's GDP", 2.1),
        ("gdp", "US$ 2.1 billion", 2.1e9),
        ("gdp_ppp_per_person_employed", "$5,000 (PPP)", 5000),
        ("gdp", "$2,065,001,626", 2065001626),
        ("maternal_mortality", "41/100k", 41),
        ("maternal_mortality", "480 per 100,000 live births", 480),
        ("maternal_mortality", "480 deaths per 100,000", 480),
        ("population", '{"population": 3620312, "confidence": 0.9}', 3620312),
        ("unemployment", '{"answer": 5.7, "confidence": 95}', 5.7),
        ("unemployment", "5.7% (as of 12 March 2021)", 5.7),
    ],
)
def test_the_plain_answer_is_read(indicator: str, reply: str, value: float) -> None:
    line = {"indicator": indicator, "country": "Eritrea", "reply": reply}
    assert READER.read(line).value == value


@pytest.mark.parametrize(
    ("indicator", "reply"),
    [
        ("population", "It is not 54 million."),
        ("population", "50 million + 4 million"),
        ("population", "Kenya 1990: 23 million"),
        ("unemployment", "The world average is 5%"),
        ("unemployment", "I am 100% sure"),
        ("electricity_access", "Not 75%"),
        ("electricity_access", "25% lack access"),
        ("population", "Answer: 54 million. Wait, actually 47 million."),
        ("population", "over 50 million"),
        ("population", "Nairobi: 4.4 million\nMombasa: 1.2 million\nKisumu: 0.6 million"),
        ("population", "The urban population is 15 million."),
        ("unemployment", "Youth unemployment: 12%"),
        ("population", '{"country": "Uganda", "population": 47000000}'),
        *(("gdp", f"{sum_} trillion") for sum_ in ("KES 13.4", "¥550", "£2.2", "C$2.7", "R$ 9.9")),
        ("gdp", "13.4 trillion shillings"),
        ("gdp", "About 4,000 billion CFA francs"),
        ("gdp", "Rs 272 lakh crore"),
        ("gdp", "$310 billion PPP"),
        ("gdp_ppp_per_person_employed", "The GDP per capita is $5,000."),
        ("maternal_mortality", "6.2 deaths per 1,000 live births"),
        ("maternal_mortality", "62 per 10,000"),
        ("maternal_mortality", "1 in 160"),
        ("education_expenditure", "17% of total government expenditure"),
        ("population", "54,027 (in thousands)"),
        ("gdp", '{"answer": "13.4 trillion", "currency": "KES"}'),
        ("gdp", '{"value": 13400000000000, "unit": "Kenyan shillings"}'),
    ],
)
def test_what_is_not_plainly_the_figure_of_the_country_is_unread(
    indicator: str, reply: str
) -> None:
    line = {"indicator": indicator, "country": "Kenya", "reply": reply}
    assert READER.read(line).value is None


def test_a_value_that_looks_like_a_year_is_read() -> None:
    line = {"indicator": "gdp_ppp_per_person_employed", "country": "Burundi", "reply": "1850"}
    assert READER.read(line).value == 1850
    told = {**line, "reply": "1,850 dollars"}
    assert READER.read(told).value == 1850
