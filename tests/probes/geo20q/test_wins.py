"""What wins a game: the labelled turns and final guesses, and real turns of strong models.

`labelled_wins.md` is the policy behind the labels. No model is asked here: what grammar leaves in
doubt counts as no guess.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.entities import LANGUAGES, Entity, entities
from geobias.probes.geo20q.proposing import Reading, read_turn
from geobias.probes.geo20q.sightings import Names

PHRASINGS = json.loads(Path(__file__).with_name("phrasings.json").read_text("utf-8"))
SHARED = Path(os.environ.get("GEOBIAS_DATA", "")) / "games" / "real_turns.jsonl"


@cache
def names(language: str) -> Names:
    return Names(entities(), language)


def read(text: str, entity: str, language: str = "en", *, final: bool = False) -> Reading:
    return read_turn(text, entities()[entity], names(language), final=final)


@pytest.mark.parametrize("language", LANGUAGES)
def test_usual_phrasings_propose_a_person_a_monument_and_a_dish_alike(language: str) -> None:
    otherwise, read_in_all = [], 0
    for entity in ("frida-kahlo", "taj-mahal", "sushi"):
        name = entities()[entity].name_in(language) or entities()[entity].name
        for sort, phrasings in PHRASINGS[language].items():
            for phrasing in phrasings:
                text = phrasing.replace("{X}", name)
                read_in_all += 1
                if (read(text, entity, language).guess == "yes") != (sort == "proposes"):
                    otherwise.append(text)
    assert len(otherwise) <= 0.05 * read_in_all, otherwise


@pytest.mark.parametrize(
    ("entity", "said", "guess"),
    [
        ("eiffel-tower", "Can you see the Eiffel Tower from it?", "no"),
        ("eiffel-tower", "Is the Eiffel Tower older than it?", "no"),
        ("nelson-mandela", "Is the person you are thinking of Nelson Mandela?", "yes"),
        ("nelson-mandela", "Is it Nelson Mandela's successor?", "no"),
        ("machu-picchu", "Is it the Inca citadel of Machu Pichu?", "yes"),
        ("pizza", "Is it a type of pizza?", "no"),
        ("giant-panda", "Is it a red panda?", "no"),
        ("elizabeth-ii", "Is it Queen Elizabeth the Second?", "yes"),
        ("haruki-murakami", "Is it Ryu Murakami?", "no"),
        ("wangari-maathai", "Is it Wangari Mathai?", "yes"),
    ],
)
def test_further_turns_are_read_as_a_referee_would(entity: str, said: str, guess: str) -> None:
    assert read(said, entity).guess == guess


@pytest.mark.parametrize(
    ("code", "entity", "said", "guess"),
    [
        ("en", "confucius", "I'd like to say Confucius, but the answer is Zhuangzi.", "no"),
        ("fr", "confucius", "J'aimerais dire Confucius, mais ma réponse est Lao Tseu.", "no"),
        ("es", "confucius", "Me gustaría decir Confucio, pero la respuesta es Lao Tse.", "no"),
        ("pt", "confucius", "Gostaria de dizer Confúcio, mas a resposta é Lao Zi.", "no"),
        ("zh", "confucius", "很想说是孔子，不过答案是老子。", "no"),
        ("ja", "confucius", "孔子と言いたいところですが、答えは荘子です。", "no"),
        ("tr", "confucius", "Konfüçyüs demek isterdim ama cevap Zhuangzi.", "no"),
        ("ar", "confucius", "كنت أود أن أقول كونفوشيوس، لكن الجواب هو لاوتسي.", "no"),
        ("en", "confucius", "I want to say Confucius, but I'm not sure.", "yes"),
        ("zh", "confucius", "我猜是孔子，不过不太确定。", "yes"),
        ("tr", "confucius", "Bence Konfüçyüs ama emin değilim.", "yes"),
        ("ar", "confucius", "أظن أنه كونفوشيوس، لكني لست متأكدا.", "yes"),
    ],
)
def test_a_name_before_a_but_gives_way_to_another_answer_and_not_to_a_doubt(
    code: str, entity: str, said: str, guess: str
) -> None:
    assert read(said, entity, code, final=True).guess == guess


@pytest.mark.parametrize(
    ("code", "thing", "museum"),
    [
        ("en", "Is it the Toyota company?", "Is it the Toyota museum?"),
        ("fr", "Est-ce la marque Toyota ?", "Est-ce le musée Toyota ?"),
        ("es", "¿Es la empresa Toyota?", "¿Es el museo Toyota?"),
        ("pt", "É a empresa Toyota?", "É o museu Toyota?"),
        ("zh", "是丰田汽车吗？", "是丰田博物馆吗？"),
        ("ja", "トヨタ自動車ですか？", "トヨタ博物館ですか？"),
        ("tr", "Toyota markası mı?", "Toyota müzesi mi?"),
        ("hi", "क्या यह टोयोटा कंपनी है?", "क्या यह टोयोटा संग्रहालय है?"),
        ("ar", "هل هي شركة تويوتا؟", "هل هو متحف تويوتا؟"),
    ],
)
def test_a_noun_of_another_kind_beside_the_name_makes_it_another_thing(
    code: str, thing: str, museum: str
) -> None:
    assert read(thing, "toyota", code).guess == "yes"
    assert read(museum, "toyota", code) == Reading(mention=True, guess="no")


def test_a_surname_in_small_letters_is_a_common_noun_unless_all_is_written_small() -> None:
    assert not read("O animal é um coelho?", "paulo-coelho", "pt").mention
    assert read("é o coelho, o escritor?", "paulo-coelho", "pt").guess == "yes"


def test_letters_before_an_arabic_name_are_words_of_their_own() -> None:
    assert read("هل هو لاعب كميسي؟", "lionel-messi", "ar") == Reading(mention=True, guess="no")
    assert read("هل تفكر بميسي؟", "lionel-messi", "ar").guess == "yes"
    assert not read("هل هو لويس ١٦؟", "louis-xiv", "ar").mention


@pytest.mark.parametrize(
    ("code", "said"),
    [("en", "Is it messi?"), ("es", "¿Es messi?"), ("pt", "É o messi?"), ("tr", "Bu messi mi?")],
)
def test_a_surname_in_small_letters_wins_where_only_sentences_begin_large(
    code: str, said: str
) -> None:
    assert read(said, "lionel-messi", code).guess == "yes"


def test_a_first_name_before_a_surname_in_small_letters_makes_it_another_s() -> None:
    assert not read("is it janet jackson?", "michael-jackson").mention


@pytest.mark.parametrize(
    ("code", "entity", "said"),
    [
        ("en", "frida-kahlo", "Was his wife Frida Kahlo?"),
        ("es", "frida-kahlo", "¿Su esposa es Frida Kahlo?"),
        ("pt", "frida-kahlo", "A esposa dele é Frida Kahlo?"),
        ("fr", "frida-kahlo", "Sa femme est-elle Frida Kahlo ?"),
        ("tr", "frida-kahlo", "Eşi Frida Kahlo mu?"),
        ("zh", "frida-kahlo", "他的妻子是弗里达·卡罗吗？"),
        ("ja", "frida-kahlo", "彼の妻はフリーダ・カーロですか？"),
        ("hi", "frida-kahlo", "क्या उनकी पत्नी फ्रीदा काहलो थीं?"),
        ("ar", "frida-kahlo", "هل زوجته فريدا كاهلو؟"),
    ],
)
def test_who_the_wife_of_the_answer_is_is_no_guess(code: str, entity: str, said: str) -> None:
    assert read(said, entity, code) == Reading(mention=True, guess="no")


def test_names_in_a_row_propose_nobody_whether_or_not_the_table_has_them() -> None:
    assert read("Cristiano Ronaldo, Lionel Messi, Neymar", "lionel-messi", final=True).guess == "no"
    assert read("Could it be La Liga, the Premier League or Serie A?", "la-liga").guess == "no"
    assert read("Is it Machu Picchu, Peru?", "machu-picchu").guess == "yes"


def test_a_surname_that_the_table_lists_counts_only_where_it_is_nobody_else_s() -> None:
    assert not read("Is it Lincoln?", "abraham-lincoln").mention
    assert read("Is it Mandela?", "nelson-mandela").guess == "yes"


def test_i_after_a_name_is_no_number() -> None:
    said = "Socrates or Frida Kahlo? I'd say Frida Kahlo."
    assert read(said, "frida-kahlo", final=True).guess == "yes"


def test_a_surname_counts_for_whom_it_is_unique_and_for_nobody_else() -> None:
    assert read("Is it Coelho?", "paulo-coelho").guess == "yes"
    assert not read("Is it Armstrong?", "neil-armstrong").mention
    assert not read("Is it Castro?", "fidel-castro").mention


def test_where_one_name_holds_another_the_longer_does_not_win_for_the_shorter() -> None:
    english = names("en")
    by_words = {tuple(one.name.casefold().split()): one for one in entities().values()}
    pairs = [
        (by_words[words[start:end]], long)
        for words, long in by_words.items()
        for start in range(len(words))
        for end in range(start + 1, len(words) + 1)
        if end - start < len(words) and words[start:end] in by_words
    ]
    assert len(pairs) > 20
    won = [
        (short.id, long.id)
        for short, long in pairs
        if read_turn(f"Is it {long.name}?", short, english).guess == "yes"
    ]
    assert won == []


def test_names_of_the_table_win_their_own_games() -> None:
    english = names("en")
    lost = [
        one.id
        for one in list(entities().values())[::7]
        if read_turn(f"Is it {one.name}?", one, english).guess != "yes"
    ]
    assert lost == []


@pytest.mark.skipif(not SHARED.is_file(), reason="GEOBIAS_DATA has no games/real_turns.jsonl")
def test_of_a_thousand_real_turns_two_at_most_are_read_otherwise() -> None:
    turns = [json.loads(line) for line in SHARED.read_text("utf-8").splitlines()]
    known = _with_targets(turns)
    english = Names(known, "en")
    by_name = {name: one for one in known.values() for name in (one.name, *one.aliases)}
    otherwise = [
        one["question"]
        for one in turns
        if (read_turn(one["question"], by_name[one["target"]], english).guess == "yes")
        != one["right_guess"]
    ]
    assert len(otherwise) <= 0.002 * len(turns), otherwise


def _with_targets(turns: list[dict[str, Any]]) -> dict[str, Entity]:
    known = dict(entities())
    spelled = {name for one in known.values() for name in (one.name, *one.aliases)}
    for one in turns:
        creature = one["category"] == "creature"
        if one["target"] not in spelled:
            id_ = one["target"].casefold().replace(" ", "-")
            known[id_] = Entity(
                id=id_,
                name=one["target"],
                type="thing" if creature else "person",
                category="animal" if creature else "film",
                country="USA",
            )
    return known


@given(st.text(max_size=200), st.sampled_from(LANGUAGES))
def test_no_text_breaks_the_reader_and_a_guess_is_always_a_mention(text: str, code: str) -> None:
    said = read(text, "eiffel-tower", code)
    assert said.mention or said.guess == "no"


@given(st.text(alphabet="ab §¤+(?,.'’\"-", max_size=40))
def test_signs_that_the_reader_uses_itself_are_harmless(text: str) -> None:
    read(f"{text} Eiffel Tower {text}", "eiffel-tower", final=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_guess_in_english_is_one_in_every_language(language: str) -> None:
    target = entities()["sachin-tendulkar"]
    named = target.name_in(language) or target.name
    assert read(f"Is it {named}?", target.id, language).guess == "yes"
    assert read(f"Is it someone like {named}?", target.id, language).guess != "yes"
