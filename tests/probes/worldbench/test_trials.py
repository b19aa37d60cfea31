from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.figures import figures
from geobias.probes.plan import Plan
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.trials import absolute_relative_error, figures_digest
from geobias.trials import Reply
from tests.probes.worldbench.answering import answered

KENYA = plan(indicators=["population"], countries=["Kenya"])


def test_an_answer_is_held_against_the_average_of_three_years() -> None:
    (record,) = answered(KENYA, lambda _: "53,005,614")
    assert record.truth == pytest.approx((51985780 + 53005614 + 54027487) / 3)
    assert record.outcome == "parsed"
    assert record.error == pytest.approx(1 - 53005614 / record.truth, abs=1e-9)


def test_a_scale_word_is_part_of_the_value_and_of_its_place() -> None:
    (record,) = answered(KENYA, lambda _: "It is 53 million.")
    assert (record.value, record.scale) == (53e6, 1e6)
    assert "It is 53 million."[record.span_start : record.span_end] == "53"


def test_a_converted_answer_is_in_the_indicator_s_unit_and_says_from_which() -> None:
    emissions = plan(indicators=["co2_emissions"], countries=["Kenya"])
    (record,) = answered(emissions, lambda _: "About 310 kg per person")
    assert (record.value, record.converted) == (0.31, "kg → metric tonnes per capita")


def test_a_refusal_has_no_error() -> None:
    (record,) = answered(KENYA, lambda _: "I don't have data on that.")
    assert (record.outcome, record.value, record.error) == ("abstained", None, None)


def test_gibberish_is_kept_as_unparsed_with_its_reason() -> None:
    (record,) = answered(KENYA, lambda _: "Lorem ipsum")
    assert (record.outcome, record.error) == ("unparsed", None)
    assert record.reason


def test_a_reply_without_text_keeps_its_own_outcome() -> None:
    steps = next(KENYA.trials()).start()
    next(steps)
    with pytest.raises(StopIteration) as done:
        steps.send(Reply("", "filtered"))
    assert (done.value.value.outcome, done.value.value.error) == ("filtered", None)


def test_an_answer_of_zero_to_a_figure_of_zero_has_no_error() -> None:
    bahrain = plan(indicators=["renewable_energy"], countries=["Bahrain"])
    (record,) = answered(bahrain, lambda _: "0%")
    assert (record.truth, record.error) == (0.0, 0.0)


def test_a_wrong_answer_to_a_figure_of_zero_is_wholly_wrong() -> None:
    bahrain = plan(indicators=["renewable_energy"], countries=["Bahrain"])
    (record,) = answered(bahrain, lambda _: "0.3")
    assert record.error == 1.0


def test_the_year_in_the_question_is_not_taken_for_the_answer() -> None:
    asked = plan(indicators=["unemployment"], countries=["Kenya"], year=2016)
    (record,) = answered(asked, lambda _: "In 2016 it was 2.76%")
    assert record.value == 2.76


def test_the_figure_of_the_named_year_is_the_truth() -> None:
    asked = plan(indicators=["population"], countries=["Kenya"], year=2016)
    (record,) = answered(asked, lambda _: "1")
    assert record.truth == figures().value("population", "KEN", 2016)


def test_the_latest_figure_may_be_the_truth() -> None:
    asked = plan(indicators=["population"], countries=["Kenya"], ground_truth="latest")
    (record,) = answered(asked, lambda _: "1")
    assert record.truth == 54027487


def test_dialogues_that_begin_alike_stand_together() -> None:
    order = [trial.name.split("/")[1] for trial in plan(size="standard").trials()]
    assert order == sorted(order, key=list(dict.fromkeys(order)).index)


def test_repeats_are_draws_of_their_own() -> None:
    made = plan(indicators=["gdp"], countries=["Kenya"], repeats=3, temperature=0.8)
    assert len({next(t.start()).digest("m") for t in made.trials()}) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"size": "standard"},
        {"indicators": ["gdp"]},
        {"countries": ["Kenya"]},
        {"regions": ["South Asia"]},
        {"example_country": "Mali"},
        {"year": 2020},
        {"ground_truth": "latest"},
        {"repeats": 2, "temperature": 0.5},
        {"seed": 1},
        {"system": "Hello"},
        {"retrieve": 2},
    ],
)
def test_every_setting_makes_another_run(other: dict[str, object]) -> None:
    made: Plan = plan(**other)
    assert made.settings != plan().settings


def test_the_figures_are_identified_by_what_they_say() -> None:
    assert plan().editions["figures"] == figures_digest(figures())


@given(st.text(max_size=200))
def test_any_reply_becomes_a_record(text: str) -> None:
    (record,) = answered(KENYA, lambda _: text)
    assert record.outcome in ("parsed", "abstained", "unparsed")
    assert (record.error is None) == (record.outcome != "parsed")
    assert record.error is None or 0 <= record.error <= 1


numbers = st.floats(allow_nan=False, allow_infinity=False)


def test_a_negative_answer_is_wholly_wrong() -> None:
    assert absolute_relative_error(-5, 5) == 1
    assert absolute_relative_error(-5, 0) == 1


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_no_measurement(bad: float) -> None:
    with pytest.raises(ValueError, match="two finite numbers"):
        absolute_relative_error(bad, 1)
    with pytest.raises(ValueError, match="two finite numbers"):
        absolute_relative_error(1, bad)


@given(numbers, numbers)
def test_an_error_lies_between_zero_and_one(a: float, b: float) -> None:
    assert 0 <= absolute_relative_error(a, b) <= 1
