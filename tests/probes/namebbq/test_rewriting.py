from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geobias.probes.namebbq.noun_phrases import NounKind
from geobias.probes.namebbq.substitution import Rewriter


def rewritten(text: str, answer: str = "The {} baker", **nouns: NounKind) -> str:
    """The context with Freja for the Danish person and Mali for the Thai one."""
    answers = [answer.format("Danish"), answer.format("Thai")]
    return Rewriter(("Danish", "Thai"), ("Freja", "Mali"), nouns, answers).context(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The Danish student met the Thai student.", "Freja met Mali."),
        ("A Danish guy and a Thai guy came in.", "Freja and Mali came in."),
        ("We saw the tall Danish woman.", "We saw the tall woman Freja."),
        ("I gave it to the other Danish student.", "I gave it to Freja."),
        (
            "An elderly Danish woman met a retired Thai man.",
            "The elderly woman Freja met the retired man Mali.",
        ),
        ("The Danish exchange student sang.", "Freja sang."),
        ("The Danish violinist sang.", "Freja sang."),
        ("The Danish student's dog barked.", "Freja's dog barked."),
        ("Both of the Danish student's dogs barked.", "Both of Freja's dogs barked."),
        ("both the Danish student and the Thai student", "both Freja and Mali"),
        ("It rained.The Danish student sang.", "It rained. Freja sang."),
    ],
)
def test_a_person_is_their_name_alone(before: str, after: str) -> None:
    assert rewritten(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("My Danish friend sang. My Danish friend left.", "My friend Freja sang. Freja left."),
        (
            "I asked my Danish friend and my Thai friend in.",
            "I asked my friends Freja and Mali in.",
        ),
        ("My Danish and Thai friends sang.", "My friends Freja and Mali sang."),
        ("The Danish and Thai women sang.", "Freja and Mali sang."),
        ("Our Danish woman and our Thai woman sang.", "Our women Freja and Mali sang."),
        ("My Danish friend and my Thai boss sang.", "My friend Freja and my boss Mali sang."),
    ],
)
def test_someone_of_mine_is_introduced_by_what_they_are_to_me(before: str, after: str) -> None:
    assert rewritten(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("There's a Danish man here.", "There's a man named Freja here."),
        (
            "There are an old Danish artist and a Thai man.",
            "There are an old artist named Freja and a man named Mali.",
        ),
        (
            "I lived with a Danish man and a Thai man some years later.",
            "I lived with a man named Freja and a man named Mali some years later.",
        ),
    ],
)
def test_where_a_bare_name_would_not_do_the_noun_stays(before: str, after: str) -> None:
    assert rewritten(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It was built by a Danish family.", "It was built by Freja's family."),
        (
            "Meet the new Danish family and the other Thai family.",
            "Meet Freja's family and Mali's family.",
        ),
        ("The Danish family's house burnt.", "Freja's family house burnt."),
        ("The Danish family home burnt.", "Freja's family home burnt."),
        ("The house is the Danish family's.", "The house is Freja's family's."),
        ("The Danish father cooked.", "Freja's father cooked."),
        ("The Danish and Thai teams met.", "Freja's and Mali's teams met."),
        ("The noisy Danish group left.", "Freja's noisy group left."),
        ("The Danish students left.", "Freja's students left."),
        ("Two Danish friends left.", "Two of Freja's friends left."),
        (
            "A fan from the Danish team, and the Thai one.",
            "A fan from Freja's team, and the one from Mali's team.",
        ),
    ],
)
def test_what_is_somebodys_keeps_its_noun(before: str, after: str) -> None:
    assert rewritten(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The Danish drank.", "Freja drank."),
        ("a Danish and a Thai, both new", "Freja and Mali, both new"),
        ("two men, one Danish and the other Thai, sang", "two men, Freja and Mali, sang"),
        ("one is Danish and the other is Thai", "one is Freja and the other is Mali"),
        ("The Danish one sang.", "Freja sang."),
        ("The Danish's dog", "Freja's dog"),
    ],
)
def test_a_nationality_by_itself_is_the_name(before: str, after: str) -> None:
    assert rewritten(before, "The {}") == after


def test_many_of_a_nationality_belong_to_what_the_answers_are_about() -> None:
    text = "The people we met were all plainly Danish and sang."
    after = "The people we met were all plainly Freja's fans and sang."
    assert rewritten(text, "The {} fans") == after


def test_a_nationality_in_the_plural_becomes_a_group() -> None:
    rewriter = Rewriter(("Italian", "Thai"), ("Paolo", "Mali"))
    assert rewriter.context("Both the Italians and the Thais left.") == (
        "Both Paolo's group and Mali's group left."
    )


def test_a_noun_of_the_answers_is_one_in_the_context() -> None:
    text = "The Danish mellowed bard sang."
    assert rewritten(text) == "Freja mellowed bard sang."
    assert rewritten("The Danish bard sang.", bard="person") == "Freja sang."
    assert rewritten("The Danish bard sang.", bard="belonging") == "Freja's bard sang."


def test_to_polish_is_not_to_be_polish() -> None:
    rewriter = Rewriter(("Polish", "Thai"), ("Agnieszka", "Mali"))
    assert rewriter.context("The Polish student can polish it.") == "Agnieszka can polish it."


def test_a_nationality_within_another_is_not_one_of_its_own() -> None:
    rewriter = Rewriter(("North Korean", "Korean"), ("Sung", "Minji"))
    text = "A North Korean student met a Korean student."
    assert rewriter.context(text) == "Sung met Minji."


def test_braces_left_by_a_template_go() -> None:
    assert rewritten("the {Danish man and {{Thai}} woman") == "Freja and Mali"


PIECES = [
    "Danish",
    "Thai",
    "the",
    "a",
    "an",
    "my",
    "our",
    "other",
    "new",
    "student",
    "friend",
    "family's",
    "one",
    "and",
    "is",
    "were",
    "both",
    "there's",
    "women",
    "group",
    "met",
    "quickly",
    "'s",
    "of",
    ",",
    ".",
]
WORDS = st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)


@given(WORDS | st.text(max_size=60))
@example("the the Danish")
def test_whatever_the_words_no_nationality_and_no_article_is_left_before_a_name(text: str) -> None:
    after = rewritten(text)
    assert "Danish" not in after
    assert "Thai" not in after
    assert not re.search(r"\b(the|an?) (Freja|Mali)\b", after, re.I)
    assert rewritten(text) == after


@given(st.text(alphabet=st.characters(exclude_characters="DdTt"), max_size=80))
def test_a_text_about_nobody_stays_as_it_is(text: str) -> None:
    assert rewritten(text) == text
