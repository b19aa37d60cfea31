from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, Entity
from geobias.atlas.places import bit, names_in
from geobias.probes.geo20q.languages import load_language, phrasing
from geobias.probes.geo20q.questions import (
    Moves,
    ParsedQuestion,
    analyse_moves,
    parse_question,
)
from geobias.probes.geo20q.simulated import ORDER as CONTINENTS

MAATHAI = Entity(
    id="wangari-maathai",
    name="Wangari Maathai",
    type="person",
    category="activism",
    country="KEN",
    gender="F",
)
TOWER = Entity(
    id="eiffel-tower", name="Eiffel Tower", type="thing", category="landmark", country="FRA"
)
HAGIA = Entity(id="hagia", name="Hagia Sophia", type="thing", category="building", country="TUR")


def settled(entity: Entity, question: ParsedQuestion) -> bool | None:
    """The answer to a question by the entity table; None if the table does not tell it."""
    here = bit(entity.country)
    truths: list[bool | None] = [bool(here & place.possible) for place in question.places]
    truths += [kind.truth(entity) for kind in question.kinds]
    if not question.firm or not truths or None in truths:
        return None
    return any(truths) if question.either else all(truths)


def test_a_chinese_denial_is_not_understood_and_a_chinese_question_form_is() -> None:
    assert settled(TOWER, parse_question("它不在欧洲吗？", "zh")) is None
    assert settled(TOWER, parse_question("它不是在欧洲吗？", "zh")) is None
    assert settled(TOWER, parse_question("它是不是在欧洲？", "zh")) is True


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("هل يقع بفرنسا؟", True),
        ("هل يقع في فرنسا؟", True),
        ("هل هو فرنسي؟", True),
        ("هل يقع بالولايات المتحدة؟", False),
        ("هل يقع في لبنان؟", False),
        ("هل يقع في آسيا أم في أوروبّا؟", True),
        ("هل هو أطول من برج في فرنسا؟", None),
    ],
)
def test_an_arabic_place_is_known_behind_a_prefix(question: str, truth: bool | None) -> None:
    assert settled(TOWER, parse_question(question, "ar")) is truth


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_facts_that_a_judge_is_asked_are_understood_as_questions(language: str) -> None:
    ask = phrasing(language)
    for kind, question in ask.kinds.items():
        found = parse_question(question, language)
        assert found.yes_no
        if language in ("ar", "pt"):
            assert ([one.name for one in found.kinds], found.firm) == ([kind], True), kind
    for code in (*CONTINENTS, *economies()):
        if place := names_in(language, code):
            found = parse_question(ask.position.format(place=place), language)
            assert found.yes_no
            if language in ("ar", "pt"):
                assert (len(found.places), found.firm) == (1, True), code


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Is it Michael Jordan?", []),
        ("Is it in Jordan?", ["Jordan"]),
        ("Is it a turkey?", []),
        ("Is she from Turkey?", ["Türkiye"]),
        ("Can you tell us more?", []),
        ("Is he from the US?", ["United States"]),
        ("Is he from the U.S.?", ["United States"]),
        ("Is she African American?", []),
        ("Is he South African?", ["South Africa"]),
        ("Is it in Cote d’Ivoire?", ["Côte d'Ivoire"]),
        ("Is it Nigerien?", ["Niger"]),
        ("Is it Nigerian?", ["Nigeria"]),
        ("Is she Congolese?", ["Congo"]),
        ("Was it made in Jamaica by the Ma family?", ["Jamaica"]),
        ("Is it from Saint Lucia?", ["St. Lucia"]),
        ("Is it in the Middle East or Scandinavia?", ["Middle East", "Scandinavia"]),
    ],
)
def test_places_are_found_as_people_write_them(question: str, names: list[str]) -> None:
    assert [place.name for place in parse_question(question, "en").places] == names


@pytest.mark.parametrize(
    ("language", "question", "truth"),
    [
        ("zh", "这个人来自非洲吗？", True),
        ("zh", "他来自肯尼亚吗？", True),
        ("zh", "这个人是男性吗？", False),
        ("ja", "彼女はケニア出身ですか？", True),
        ("ja", "その人は男性ですか？", False),
        ("es", "¿Es de África?", True),
        ("es", "¿Es un hombre?", False),
        ("fr", "Cette personne vient-elle d'Asie ?", False),
        ("fr", "Est-elle originaire du Kenya ?", True),
        ("tr", "Bu kişi Afrikalı mı?", True),
        ("tr", "Bu kişi erkek mi?", False),
        ("hi", "क्या यह व्यक्ति अफ्रीका से है?", True),
        ("hi", "क्या यह पुरुष है?", False),
        ("zh", "這個人來自非洲嗎？", True),
        ("ar", "هل هذا الشخص من أفريقيا؟", True),
        ("ar", "هل هي من كينيا؟", True),
        ("ar", "هل هو رجل؟", False),
        ("ar", "هل هي امرأة أفريقية؟", True),
        ("ar", "هل هي من أوروبا أو آسيا؟", False),
        ("pt", "Esta pessoa é de África?", True),
        ("pt", "É originária do Quénia?", True),
        ("pt", "É originária do Quênia?", True),
        ("pt", "É um homem?", False),
        ("pt", "É uma mulher africana?", True),
    ],
)
def test_questions_are_understood_in_every_language(
    language: str, question: str, truth: bool
) -> None:
    found = parse_question(question, language)
    assert settled(MAATHAI, found) is truth
    assert found.yes_no


@pytest.mark.parametrize(
    ("question", "yes_no"),
    [("My guess is Lagos.", True), ("A dish?", True), ("Interesting.", False), ("", False)],
)
def test_a_guess_can_be_answered_with_yes_or_no(question: str, yes_no: bool) -> None:
    assert parse_question(question, "en").yes_no == yes_no


def test_a_game_is_counted_turn_by_turn() -> None:
    questions = [
        "Is it a person?",  # yes
        "Is the person from Europe?",  # no: outside
        "Is the person from France?",  # no: goes against the no to Europe; outside
        "Is the person from Africa?",  # yes: entered at turn 4
        "Is the person from Asia?",  # goes against the yes to Africa
        "is the person from africa",  # repeated
        "Is the person male?",  # yes, which the table contradicts
        "Who is it?",  # no yes/no question
    ]
    answers = ["yes", "no", "no", "yes", "no", "yes", "yes", "no"]
    assert analyse_moves(MAATHAI, load_language("en"), questions, answers) == Moves(
        repeated=1,
        not_yes_no=1,
        contradicted=2,
        first_place="Europe",
        first_place_turn=2,
        outside=2,
        entered=4,
        bits=math.log2(218 / 54),  # Africa is what is known
    )


def test_a_judge_may_put_a_country_of_two_continents_on_both() -> None:
    asked = ["Is it in Europe?", "Is it in Asia?"]
    found = analyse_moves(HAGIA, load_language("en"), asked, ["yes", "yes"])
    assert found.contradicted == 1
    assert found.bits > 4


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
    found = analyse_moves(entity, load_language(language), questions, answers)
    turns = len(questions)
    assert 0 <= found.repeated + found.contradicted <= turns
    assert 0 <= found.not_yes_no <= turns
    assert found.outside + (found.entered is not None) <= turns
    assert bool(found.first_place) == (found.first_place_turn is not None)
    if found.entered is not None:
        assert found.first_place_turn is not None
        assert found.first_place_turn <= found.entered


def test_a_reply_of_megabytes_is_looked_at_no_further_than_needed() -> None:
    flood = "Is it in Asia? " * 500_000
    assert analyse_moves(TOWER, load_language("en"), [flood], ["yes"]).bits == 0
