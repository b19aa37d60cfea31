"""Numbers by the probabilities of their digits."""

from __future__ import annotations

import math

import pytest

from geobias.probes.ratings import plan
from geobias.trials.probabilities import DIGITS, Alternatives, expected_number


def digits(**chances: float) -> Alternatives:
    """A place where digits may stand: `d7=0.5` for a 7."""
    return tuple((name[1:], math.log(chance)) for name, chance in chances.items())


POINT: Alternatives = ((".", 0.0),)


def test_digits_before_and_after_the_point_are_averaged() -> None:
    places = [digits(d7=0.75, d3=0.25), POINT, digits(d5=0.5, d0=0.5)]
    assert expected_number(places, 7.5, 9.9) == pytest.approx(6 + 0.25)


def test_a_whole_number_has_no_tenths() -> None:
    assert expected_number([digits(d7=0.5, d8=0.5)], 7.0, 9.9) == pytest.approx(7.5)


def test_no_rating_is_over_the_scale() -> None:
    assert expected_number([digits(d9=1.0), POINT, digits(d9=1.0)], 9.9, 9.9) == pytest.approx(9.9)


@pytest.mark.parametrize(
    ("places", "rating"),
    [
        ([digits(d1=1.0), digits(d0=1.0)], 9.9),  # "10"
        ([digits(d7=1.0)], None),  # "7 of 10 people", of which no rating was read
        ([digits(d4=1.0), POINT, digits(d5=1.0)], 6.5),  # another number was the rating
        ([digits(d7=1.0), digits(d5=1.0)], 7.0),  # "75"
        ([digits(d7=1.0), POINT, (("x", 0.0),)], 7.0),
        ([((" I", 0.0),), ((" cannot", 0.0),)], None),
        ([], 7.0),
    ],
)
def test_what_is_not_the_rating_that_was_read_is_not_expected(
    places: list[Alternatives], rating: float | None
) -> None:
    assert expected_number(places, rating, 9.9) is None


def test_a_question_carries_its_digits_where_they_are_wanted_and_is_asked_once() -> None:
    for read, options in (("text", ()), ("logprobs", DIGITS)):
        made = plan(read=read, topics="morality")
        asks = [next(trial.start()) for trial in made.trials()]
        assert {ask.options for ask in asks} == {options}
        assert len(asks) == made.count
