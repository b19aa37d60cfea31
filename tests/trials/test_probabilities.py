from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from geobias.trials.probabilities import Alternatives, expected_number, kept, weigh
from tests.defined import defined

LETTERS = ("a", "b", "c")


def place(**chances: float) -> Alternatives:
    return tuple((token, math.log(chance)) for token, chance in chances.items())


def token(text: str, chance: float = 1.0) -> Alternatives:
    return ((text, math.log(chance)),)


def test_letters_are_weighed_among_themselves() -> None:
    found = defined(weigh([place(b=0.6, a=0.2, The=0.2)], LETTERS))
    assert found.probabilities == pytest.approx({"a": 0.25, "b": 0.75, "c": 0})
    assert found.mass == pytest.approx(0.8)
    assert found.likeliest == "b"


def test_a_letter_counts_however_it_is_spelled() -> None:
    spellings = ((" B", math.log(0.5)), ("(b", math.log(0.3)), ("▁b", math.log(0.1)))
    found = defined(weigh([spellings], LETTERS))
    assert found.mass == pytest.approx(0.9)


@pytest.mark.parametrize("lead", ["(", "**(", " \n", "Answer: (", "The correct answer is (", "["])
def test_what_leads_to_a_letter_is_passed_over(lead: str) -> None:
    found = defined(weigh([token(sign) for sign in lead] + [place(c=1.0)], LETTERS))
    assert found.likeliest == "c"


@pytest.mark.parametrize(
    ("words", "letter"),
    [
        ((), None),
        (("This", " is", " a", " hard", " question"), None),
        (("A", " Nigerian", " man"), None),
        (("A", "ll"), None),
        (("A",), "a"),
        (("A", ")"), "a"),
        (("A", "\n", "The"), "a"),
        (("A", " is", " right"), "a"),
    ],
)
def test_a_letter_by_itself_is_one_and_an_article_is_not(
    words: tuple[str, ...], letter: str | None
) -> None:
    found = weigh([token(word) for word in words], LETTERS)
    assert (found.likeliest if found else None) == letter


def test_letters_that_are_less_likely_than_the_rest_are_not_weighed() -> None:
    assert weigh([place(I=0.6, a=0.3, b=0.1)], LETTERS) is None


def test_only_what_options_need_is_kept() -> None:
    alternatives = place(b=0.5, a=0.2, The=0.2, B=0.1)
    assert kept([alternatives], LETTERS) == ((alternatives[0], alternatives[1], alternatives[3]),)


TOKENS = st.sampled_from(["a", " b", "C", "(", "The", ""]) | st.text(max_size=4)


@given(
    st.lists(
        st.lists(st.tuples(TOKENS, st.floats(-50, 0)), min_size=1, max_size=6).map(tuple),
        max_size=6,
    )
)
def test_whatever_tokens_come_probabilities_add_up_and_keeping_changes_none(
    places: list[Alternatives],
) -> None:
    found = weigh(kept(places, LETTERS), LETTERS)
    assume(found is not None)
    assert math.isclose(sum(defined(found).probabilities.values()), 1)
    assert 0.5 <= defined(found).mass <= 1


def digits(**chances: float) -> Alternatives:
    """A place where digits may stand: `d7=0.5` for a 7."""
    return tuple((name[1:], math.log(chance)) for name, chance in chances.items())


POINT: Alternatives = ((".", 0.0),)


@pytest.mark.parametrize(
    ("places", "rating", "expected"),
    [
        ([digits(d7=0.75, d3=0.25), POINT, digits(d5=0.5, d0=0.5)], 7.5, 6.25),
        ([digits(d7=0.5, d8=0.5)], 7.0, 7.5),
        ([digits(d9=1.0), POINT, digits(d9=1.0)], 9.9, 9.9),  # no rating is over the scale
        # What is not the rating that was read is not expected.
        ([digits(d1=1.0), digits(d0=1.0)], 9.9, None),  # "10"
        ([digits(d7=1.0)], None, None),  # "7 of 10 people", of which no rating was read
        ([digits(d4=1.0), POINT, digits(d5=1.0)], 6.5, None),  # another number was the rating
        ([digits(d7=1.0), digits(d5=1.0)], 7.0, None),  # "75"
        ([digits(d7=1.0), POINT, (("x", 0.0),)], 7.0, None),
        ([((" I", 0.0),), ((" cannot", 0.0),)], None, None),
        ([], 7.0, None),
    ],
)
def test_digits_before_and_after_the_point_are_averaged(
    places: list[Alternatives], rating: float | None, expected: float | None
) -> None:
    found = expected_number(places, rating, 9.9)
    assert found == (None if expected is None else pytest.approx(expected))
