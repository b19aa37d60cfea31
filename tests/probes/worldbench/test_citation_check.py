from __future__ import annotations

import pytest

from geobias.atlas.economies import economy
from geobias.atlas.figures import figures
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.years import citation_summary, citations
from tests.probes.worldbench.answering import answered, row

# The replies of the paper's Figure 10, and what it says of each.
FIGURE_10 = [
    (
        "gdp_ppp_per_person_employed",
        "Jordan",
        "According to the World Bank data from 2019, the GDP at purchasing power parity (PPP) per "
        "person employed for Jordan was $3,551.72.",
        0.919,
        0.917,
        "wrong",
    ),
    (
        "education_expenditure",
        "Kazakhstan",
        "4.63 (Source: World Bank, 2019)",
        0.383,
        0.0397,
        "right figure, other year",
    ),
    (
        "gdp",
        "Mexico",
        "116,714,731,179.486982 [Source: World Bank 2020 estimates]",
        0.896,
        0.895,
        "off by a power of ten",
    ),
]


@pytest.mark.parametrize(
    ("indicator", "country", "reply", "of_year", "of_any_year", "verdict"), FIGURE_10
)
def test_the_papers_examples_come_out_as_printed(
    indicator: str, country: str, reply: str, of_year: float, of_any_year: float, verdict: str
) -> None:
    made = plan(indicators=[indicator], countries=[country])
    (record,) = answered(made, lambda _: reply)
    frame = frame_of([{f: getattr(record, f) for f in record.__struct_fields__}])
    (found,) = citations(frame, figures()).to_dicts()
    assert found["source"] == "World Bank"
    assert found["country"] == economy(country).iso3
    assert found["error_of_year"] == pytest.approx(of_year, abs=5e-4)
    assert found["best_error"] == pytest.approx(of_any_year, abs=1e-3)
    assert found["verdict"] == verdict


def kenya(**fields: object) -> str | None:
    cited = {"source": "World Bank", "value": 47894670.0} | fields
    verdict: str | None = citations(frame_of([row("KEN", **cited)]), figures())["verdict"].item()
    return verdict


def test_the_figure_of_the_cited_year_is_right() -> None:
    assert kenya(cited_year=2016) == "right"


def test_the_figure_of_any_year_is_right_where_none_is_cited() -> None:
    assert kenya() == "right"


def test_a_year_without_figures_is_not_borne_out() -> None:
    assert kenya(cited_year=1999) == "right figure, other year"


def test_zero_is_not_off_by_a_power_of_ten() -> None:
    assert kenya(value=0.0) == "wrong"


def test_answers_that_cite_nothing_are_not_checked() -> None:
    assert citations(frame_of([row("KEN")]), figures()).height == 0


def test_the_summary_sets_sources_beside_answers_without_one() -> None:
    frame = frame_of([row("KEN", error=0.5), row("UGA", error=0.3, source="World Bank", value=1.0)])
    found = citation_summary(frame, figures())
    assert sorted(found["source"]) == ["World Bank", "nothing cited"]
    assert found.filter(source="nothing cited")["wrong"].to_list() == [None]
