from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.corpus.matching import forms, without_accents

from .made import counted, entity, tally_of

TOWER = entity("Eiffel Tower")


@pytest.mark.parametrize(
    "text",
    [
        "Eiffel Tower",
        "the Eiffel Tower.",
        "(Eiffel Tower)",
        "Eiffel Tower's",
        "Eiffel Tower’s",
        "EIFFEL TOWER",
        "«Eiffel Tower»",
        "在Eiffel Tower前",
        b"\xff\xfeEiffel Tower\xff",
    ],
)
def test_a_name_as_written_or_in_capitals_counts(text: str | bytes) -> None:
    assert counted(text, TOWER) == {"Eiffel Tower": 1}


@pytest.mark.parametrize(
    "text",
    [
        "eiffel tower",
        "Eiffel tower",
        "Eiffel  Tower",
        "Eiffel\nTower",
        "Eiffel Towers",
        "éEiffel Tower",
        "Eiffel Toweré",
        "Eiffel Tower\u0301",
        "2Eiffel Tower",
        "Eiffel Tower9",
    ],
)
def test_anything_else_does_not(text: str) -> None:
    assert counted(text, TOWER) == {}


def test_accents_may_be_there_or_missing() -> None:
    lake = entity("Lake Atitlán")
    text = "Lake Atitlán, Lake Atitlan, LAKE ATITLÁN, LAKE ATITLAN"
    assert counted(text, lake) == {"Lake Atitlán": 4}
    assert counted("Lake Àtitlán", lake) == {}


def test_letters_with_a_stroke_have_a_plain_form_and_vowel_signs_are_no_accents() -> None:
    assert without_accents("Łódź, Tromsø, Đà Nẵng") == "Lodz, Tromso, Da Nang"
    assert without_accents("बुर्ज") == "बुर्ज"


def test_a_common_noun_counts_in_small_letters_behind_a_space() -> None:
    dragon = entity("Komodo dragon", category="animal")
    text = "A komodo dragon, Komodo dragon, Komodo Dragon, KOMODO DRAGON"
    assert counted(text, dragon) == {"Komodo dragon": 4}
    assert counted("(komodo dragon) komodo dragons", dragon) == {}
    assert counted("a komodo dragon", entity("Komodo dragon")) == {}


@pytest.mark.parametrize("name", ["Boca Juniors", "IPL", "Pho"])
def test_a_proper_name_or_a_short_one_among_them_does_not(name: str) -> None:
    assert counted(f"a {name.lower()} b", entity(name, category="music")) == {}


def test_a_name_that_begins_small_counts_behind_a_space_and_before_a_shorter_one() -> None:
    noun, named = entity("Fado", category="music"), entity("fado de coimbra", "fado")
    assert counted("a fado de coimbra (fado", noun, named) == {"fado de coimbra": 1}
    tally = tally_of("a fado", noun, named)
    assert (tally.count, tally.shared) == ({0: 1, 1: 1}, {0: 1, 1: 1})
    assert counted("the van Gogh, Van Gogh, VAN GOGH (van Gogh)", entity("van Gogh")) == {
        "van Gogh": 2
    }


def test_the_longest_name_counts_and_not_the_one_within_it() -> None:
    otago, university = entity("Otago"), entity("University of Otago")
    text = "University of Otago in Otago"
    assert counted(text, otago, university) == {"University of Otago": 1, "Otago": 1}


def test_part_of_a_longer_word_hides_no_name_that_begins_inside_it() -> None:
    jack, square = entity("Jack Mad"), entity("Madison Square Garden")
    text = "Jack Madison Square Garden"
    assert counted(text, jack, square) == {"Madison Square Garden": 1}
    assert counted("Jack Madison", jack, entity("Jack")) == {"Jack": 1}
    assert counted("Jack Madison", jack, entity("Madison")) == {"Madison": 1}


def test_a_name_found_late_gives_way_to_none_it_overlaps_and_hides_none_behind_it() -> None:
    names = [entity(name) for name in ("A Bc", "Bcd Ef", "Ef Gh I", "Gh I")]
    assert counted("A Bcd Ef Gh I", *names) == {"Bcd Ef": 1, "Gh I": 1}


def test_a_name_two_entities_share_counts_for_both_and_is_marked() -> None:
    one, two = entity("Georgia"), entity("Georgia Guidestones", "Georgia")
    tally = tally_of("Georgia. Georgia Guidestones.", one, two)
    assert tally.count == {0: 1, 1: 2}
    assert tally.shared == {0: 1, 1: 1}


def test_spellings_of_one_entity_that_share_a_form_are_counted_once() -> None:
    assert counted("Sao Paulo", entity("São Paulo", "Sao Paulo")) == {"São Paulo": 1}
    assert tally_of("Sao Paulo", entity("São Paulo", "Sao Paulo")).shared == {}


def test_a_document_with_a_name_twice_is_one_document() -> None:
    tally = tally_of("Eiffel Tower, Eiffel Tower\nnothing\nEiffel Tower", TOWER)
    assert (tally.count, tally.named_in) == ({0: 3}, {0: 2})


@pytest.mark.parametrize(
    ("name", "text", "times"),
    [
        ("長城", "我去了長城和長城腳下", 2),
        ("วัดพระแก้ว", "ไปวัดพระแก้วมา", 1),
        ("ひろしま", "ここはひろしまです", 1),
        ("インド", "インドとインドネシア", 1),
        ("ताज महल", "ताज महल, ताज महलों", 1),
        ("Москва", "Москва, Москвата", 1),
    ],
)
def test_scripts_without_spaces_need_no_word_and_others_do(
    name: str, text: str, times: int
) -> None:
    assert counted(text, entity(name)) == {name: times}


def test_names_in_every_language_are_looked_for() -> None:
    tower = entity("Eiffel Tower", fr="tour Eiffel", ja=("エッフェル塔",))
    assert counted("la tour Eiffel, エッフェル塔", tower) == {"Eiffel Tower": 2}


WORDS = st.sampled_from(["a", "ab", "b", "abc", "A", "Ab", "é", "ca"])
NAMES = st.lists(
    st.lists(WORDS, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=6, unique=True
)


@given(NAMES, st.text("abcé A.\n", max_size=60))
def test_it_counts_what_a_plain_search_from_left_to_right_does(names: list[str], text: str) -> None:
    table = [entity(name) for name in names]
    owner = {form: one.name for one in reversed(table) for form in forms(one.name)}
    found: dict[str, int] = {}
    place = 0
    while place < len(text):
        here = [
            form
            for form in owner
            if text.startswith(form, place)
            and not re.match(r"\w", text[place - 1 : place] if place else "")
            and not re.match(r"\w", text[place + len(form) :])
            and (not "a" <= form[0] <= "z" or text[place - 1 : place] == " ")
        ]
        if not here:
            place += 1
            continue
        longest = max(here, key=len)
        owners = {one.name for one in table if longest in forms(one.name)}
        for name in owners:
            found[name] = found.get(name, 0) + 1
        place += len(longest)
    assert counted(text, *table) == found
