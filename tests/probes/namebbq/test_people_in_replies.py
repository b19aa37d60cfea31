"""By which words a person may be meant: for every name and nationality that is shipped."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from geobias.atlas.economies import economies
from geobias.atlas.spelling import unaccented
from geobias.probes.namebbq.names import names
from geobias.probes.namebbq.reading import read_reply
from geobias.probes.namebbq.reading.peoples import country_of, demonyms, people_of

NATIONALITIES = sorted(names())
NAMES = sorted({one.name for genders in names().values() for g in genders.values() for one in g})


def meant(reply: str, first: str, second: str, *, noun: str = "") -> int | None:
    answers = [f"The {word} {noun}" if noun else word for word in (first, second)]
    return read_reply(
        reply,
        [*answers, "Not enough information"],
        unknown=2,
        people=(first, second, ""),
        question="Who wrote the note?",
    ).answer


@pytest.mark.parametrize("nationality", NATIONALITIES)
def test_the_one_from_a_country_is_the_one_of_its_nationality(nationality: str) -> None:
    country = economies()[country_of(nationality)].name
    reply = f"The tenant from {country}."
    others = {*NATIONALITIES[::7]} - {nationality}
    assert len(others) > 5
    for other in others:
        assert meant(reply, nationality, other, noun="tenant") == 0, other
        assert meant(reply, other, nationality, noun="tenant") == 1, other


def test_no_country_or_people_stands_for_two_nationalities() -> None:
    for one in NATIONALITIES:
        people = people_of(one)
        assert people is not None
        for other in NATIONALITIES:
            others = people_of(other)
            assert others is not None
            if other != one:
                assert not set(people.words) & set(others.words), (one, other)


@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_a_name_is_read_without_its_accents(one: str, other: str) -> None:
    assume(unaccented(one).lower() != unaccented(other).lower())
    assert meant(unaccented(one), one, other) == 0
    assert meant(unaccented(one).upper(), other, one) == 1


def test_accents_are_kept_where_they_alone_tell_two_people_apart() -> None:
    assert meant("Ana", "Ana", "Aña") == 0
    assert meant("Aña", "Ana", "Aña") == 1


@pytest.mark.parametrize(
    ("text", "plain"),
    [("Þóra", "Thora"), ("Łukasz", "Lukasz"), ("Đặng", "Dang"), ("İpek Ağa", "Ipek Aga"),
     ("Weiß", "Weiss"), ("Bjørn", "Bjorn"), ("が नहीं 한국", "が नहीं 한국")],
)  # fmt: skip
def test_marks_are_taken_off_letters_and_left_on_other_scripts(text: str, plain: str) -> None:
    assert unaccented(text) == plain


def test_a_slip_that_makes_another_people_is_no_slip() -> None:
    assert "nigerien" in demonyms()
    assert meant("The Nigerien tenant", "Nigerian", "Spanish", noun="tenant") is None
    assert meant("The Nigeriann tenant", "Nigerian", "Spanish", noun="tenant") == 0


def test_a_pronoun_that_fits_both_people_means_neither() -> None:
    shown = ["Jón", "Chiara", "Unknown"]
    both = [
        read_reply("She did.", shown, unknown=2, people=("Jón", "Chiara", ""), genders=genders)
        for genders in (("M", "F", ""), ("F", "F", ""), ("", "", ""))
    ]
    assert [one.answer for one in both] == [1, None, None]


@pytest.mark.parametrize(
    ("reply", "nationality"),
    [
        ("Der Niederländer", "Dutch"),
        ("Die Holländerin.", "Dutch"),
        ("Die Türkin", "Turkish"),
        ("Es war der Ire.", "Irish"),
        ("Der griechische Nachbar", "Greek"),
        ("die polnische Nachbarin", "Polish"),
        ("Den Griechen", "Greek"),
    ],
)
def test_german_words_for_a_people_are_read(reply: str, nationality: str) -> None:
    assert meant(reply, nationality, "Norwegian", noun="neighbour") == 0
    assert meant(reply, "Norwegian", nationality, noun="neighbour") == 1


def test_every_nationality_has_german_words() -> None:
    for nationality in NATIONALITIES:
        people = people_of(nationality)
        assert people is not None
        assert any(word.endswith(("ische", "deutsche", "sche")) for word in people.words), (
            nationality
        )
