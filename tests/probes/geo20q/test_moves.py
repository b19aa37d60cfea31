from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, Entity, entities
from geobias.atlas.places import bit, names_in
from geobias.probes.geo20q.judging import WORDS
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.questions import ParsedQuestion, moves_by_turn, parse_question
from geobias.probes.geo20q.replies import is_yes_no
from geobias.probes.geo20q.simulated import ORDER as CONTINENTS
from tests.labelled import table_beside

MAATHAI, TOWER = entities()["wangari-maathai"], entities()["eiffel-tower"]


def settled(entity: Entity, question: ParsedQuestion) -> bool | None:
    """The answer to a question by the entity table; None if the table does not tell it."""
    return bool(bit(entity.country) & question.possible) if question.firm else None


@pytest.mark.parametrize("row", table_beside(__file__, "understood.csv"))
def test_questions_are_understood_in_every_language(row: dict[str, str]) -> None:
    [entity] = [one for one in (MAATHAI, TOWER) if one.id == row["entity"]]
    found = parse_question(row["question"], row["language"])
    assert settled(entity, found) is {"yes": True, "no": False, "": None}[row["truth"]]


@pytest.mark.parametrize("row", table_beside(__file__, "places_named.csv"))
def test_places_are_found_as_people_write_them(row: dict[str, str]) -> None:
    found = parse_question(row["question"], "en").places
    assert ";".join(place.name for place in found) == row["places"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_facts_that_a_judge_is_asked_are_understood_as_questions(language: str) -> None:
    said = load_language(language)
    assert all(is_yes_no(WORDS[language][kind], said) for kind in ("person", "thing"))
    for code in (*CONTINENTS, *economies()):
        if place := names_in(language, code):
            question = WORDS[language]["position"].format(place=place)
            assert is_yes_no(question, said)
            found = parse_question(question, language)
            if language in ("ar", "pt"):
                assert (len(found.places), found.firm) == (1, True), code


@pytest.mark.parametrize(
    ("question", "yes_no"),
    [("My guess is Lagos.", True), ("A dish?", True), ("Interesting.", False), ("", False)],
)
def test_a_guess_can_be_answered_with_yes_or_no(question: str, yes_no: bool) -> None:
    assert is_yes_no(question, load_language("en")) == yes_no


def test_a_game_is_counted_turn_by_turn() -> None:
    questions = [
        "Is it a person?",  # yes
        "Is the person from Europe?",  # no: outside
        "Is the person from France?",  # no: goes against the no to Europe; outside
        "Is the person from Africa?",  # yes: entered at turn 4
        "Is the person from Asia?",  # goes against the yes to Africa
        "is the person from africa",  # repeated
        "Who is it?",  # no yes/no question
    ]
    answers = ["yes", "no", "no", "yes", "no", "yes", "no"]
    *_, found = moves_by_turn(MAATHAI, load_language("en"), questions, answers)
    assert found == {
        "repeated": 1,
        "not_yes_no": 1,
        "contradicted": 2,
        "first_place": "Europe",
        "first_place_turn": 2,
        "outside": 2,
        "entered": 4,
        "bits": math.log2(218 / 54),  # Africa is what is known
    }


def test_a_judge_may_put_a_country_of_two_continents_on_both() -> None:
    asked = ["Is it in Europe?", "Is it in Asia?"]
    *_, found = moves_by_turn(
        entities()["hagia-sophia"], load_language("en"), asked, ["yes", "yes"]
    )
    assert found["contradicted"] == 1
    assert found["bits"] > 4


@given(
    st.sampled_from([MAATHAI, TOWER]),
    st.sampled_from(LANGUAGES),
    st.lists(
        st.tuples(
            st.one_of(
                st.text(max_size=60),
                st.sampled_from(
                    ["Is it in Asia?", "Is she Kenyan?", "它在非洲吗？", "\ud800 Kenya"]
                ),
            ),
            st.sampled_from(["yes", "no", "maybe", ""]),
        ),
        max_size=12,
    ),
)
def test_any_text_gives_counts_within_bounds(
    entity: Entity, language: str, played: list[tuple[str, str]]
) -> None:
    questions, answers = [one for one, _ in played], [answer for _, answer in played]
    *_, found = moves_by_turn(entity, load_language(language), questions, answers)
    turns = len(questions)
    assert 0 <= found["repeated"] + found["contradicted"] <= turns
    assert 0 <= found["not_yes_no"] <= turns
    assert found["outside"] + ("entered" in found) <= turns
    assert bool(found.get("first_place")) == ("first_place_turn" in found)
    if "entered" in found:
        assert found["first_place_turn"] <= found["entered"]


def test_a_reply_of_megabytes_is_looked_at_no_further_than_needed() -> None:
    flood = "Is it in Asia? " * 500_000
    *_, found = moves_by_turn(TOWER, load_language("en"), [flood], ["yes"])
    assert found["bits"] == 0
