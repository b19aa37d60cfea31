from __future__ import annotations

import pytest

from geobias.atlas.economies import economy
from geobias.atlas.indicators import indicator
from geobias.errors import BadRequest
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.wording import question
from geobias.trials import Ask, Message

# WorldBench, Figure 4, with the metric of Table 1.
FIGURE_4 = [
    Message(
        "user",
        "I will ask you factual questions about countries. Specifically, I will ask you for the "
        "total population. You will answer as concisely as possible - only answer with the "
        "number! First I will give an example with the answer. Then I will ask you my question, "
        "and you will provide the answer in the same way.",
    ),
    Message("assistant", "Sounds good, will do."),
    Message(
        "user",
        "What is the total population for the country Switzerland? Do not answer in a complete "
        "sentence - only provide the number!",
    ),
    Message("assistant", "8,703,771"),
    Message(
        "user",
        "What is the total population for the country Kenya? Do not answer in a complete "
        "sentence - only provide the number!",
    ),
]


def first_ask(**settings: object) -> Ask:
    asked = {"indicators": ["population"], "countries": ["Kenya"]} | settings
    return next(next(plan(**asked).trials()).start())


def test_the_dialogue_is_that_of_the_papers_figure_4() -> None:
    assert first_ask().dialogue.messages() == FIGURE_4


def test_a_system_message_comes_first() -> None:
    assert first_ask(system="Be brief.").dialogue.messages() == [
        Message("system", "Be brief."),
        *FIGURE_4,
    ]


def test_a_year_stands_in_question_and_example_with_that_years_figure() -> None:
    messages = first_ask(year=2016).dialogue.messages()
    assert messages[2].content.startswith(
        "What is the total population for the country Switzerland in 2016?"
    )
    assert messages[3].content == "8,373,338"
    assert "for the country Kenya in 2016?" in messages[4].content


def test_another_example_country_brings_its_own_figure() -> None:
    messages = first_ask(example_country="Mali").dialogue.messages()
    assert "for the country Mali?" in messages[2].content
    assert messages[3].content == "21,907,538"


def test_an_example_country_without_a_figure_cannot_be_the_example() -> None:
    with pytest.raises(BadRequest, match="North Korea has no figure for gdp"):
        plan(indicators=["gdp"], example_country="North Korea")


def test_an_example_figure_missing_in_the_named_year_says_so() -> None:
    with pytest.raises(BadRequest, match="no figure for co2_emissions in 2021"):
        plan(indicators=["population", "co2_emissions"], year=2021, ground_truth="average")


def test_the_message_names_the_indicators_that_can_be_asked_for() -> None:
    with pytest.raises(BadRequest, match=r"--indicators population$"):
        plan(indicators=["population", "co2_emissions"], year=2021, ground_truth="average")


def test_a_country_is_called_by_its_everyday_name() -> None:
    egypt = economy("EGY")
    assert "for the country Egypt?" in question(indicator("gdp"), egypt, year=None)
    assert egypt.worldbank_name == "Egypt, Arab Rep."


def test_answers_may_be_short_but_not_cut_off() -> None:
    assert 32 <= first_ask().max_tokens <= 64
