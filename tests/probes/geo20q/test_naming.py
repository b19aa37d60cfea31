from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.entities import Entity, LocalName
from geobias.probes.geo20q.naming import Directory, Names, names_entity, words_of


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Is it the EIFFEL tower?", "Eiffel Tower"),
        ("Is it the Eiffel Tower's top?", "Eiffel Tower"),
        ("Is it “Eiffel Tower”", "Eiffel Tower"),
        ("Ｅｉｆｆｅｌ　Ｔｏｗｅｒ", "Eiffel Tower"),
        ("Est-ce l'Arc de Triomphe ?", "Arc de Triomphe"),
        ("Is it Sao Paulo?", "São Paulo"),
        ("Is it Sa\u0303o Paulo?", "São Paulo"),
        ("Beyonce?", "Beyoncé"),
        ("Is it Xi’an?", "Xi'an"),
        ("Is it Xian?", "Xi'an"),
        ("Is it Xi-an?", "Xian"),
        ("Jean Paul Sartre?", "Jean-Paul Sartre"),
        ("J. K. Rowling's book?", "J.K. Rowling"),
        ("Was it APJ Abdul Kalam?", "A. P. J. Abdul Kalam"),
        ("ISTANBUL mu?", "İstanbul"),
        ("İSTANBUL mu?", "İstanbul"),
        ("ıstanbul'da mı?", "İstanbul"),
        ("Atatürk'ün mü?", "Atatürk"),
        ("是埃菲尔铁塔吗？", "埃菲尔铁塔"),
        ("アルベルト・アインシュタインですか", "アルベルトアインシュタイン"),
        ("アルベルト アインシュタインですか", "アルベルト・アインシュタイン"),
        ("ディエゴ・マラドーナですか", "マラドーナ"),
        ("それはインドですか", "インド"),
        ("क्या वह एफ़िल टॉवर का हिस्सा है?", "एफिल टॉवर"),
        ("क्या वह गाँधी ने लिखा?", "गांधी"),
        ("ใช่ประเทศไทยไหม", "ประเทศไทย"),
        ("Straße", "Strasse"),
        ("a Great Wall of China?", "The Great Wall of China"),
    ],
)
def test_a_name_is_found(text: str, name: str) -> None:
    assert Names([("x", [name])]).any(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Is it a Georgian dish?", "Georgia"),
        ("Is he from Jamaica?", "Ma"),
        ("Is it a tower?", "Eiffel Tower"),
        ("Is it Tower Eiffel?", "Eiffel Tower"),
        ("Who?", "The Who"),
        ("それはインドネシアですか", "インド"),
        ("赤道ギニアビサウ", "ギニア"),
        ("ガーナ", "カーナ"),
        ("क्या वह भारतीय है?", "भारत"),
        ("Niger?", "Nigeria"),
        ("", "Eiffel Tower"),
        ("anything", "..."),
    ],
)
def test_a_near_miss_is_no_match(text: str, name: str) -> None:
    assert not Names([("x", [name])]).any(text)


def entity(id: str, name: str, **more: object) -> Entity:
    facts = {"type": "thing", "category": "landmark", "country": "FRA"} | more
    return Entity(id=id, name=name, **facts)  # type: ignore[arg-type]


def test_english_spellings_count_in_every_language_and_local_ones_only_in_their_own() -> None:
    tower = entity("t", "Eiffel Tower", names={"ja": LocalName("エッフェル塔")})
    assert names_entity("それはEiffel Towerですか", tower, "ja")
    assert names_entity("エッフェル塔ですか", tower, "ja")
    assert not names_entity("エッフェル塔ですか", tower, "en")


def test_the_longest_name_of_the_table_is_what_was_guessed() -> None:
    table = {
        e.id: e
        for e in (
            entity("york", "York"),
            entity("new-york", "New York"),
            entity("ma", "Ma", type="person", category="business"),
            entity("nile", "Nile"),
        )
    }
    directory = Directory(table, "en")
    found = directory.named("Is it New York?", besides=table["nile"])
    assert found is not None
    assert found.id == "new-york"
    assert directory.named("Is it the Nile or New York?", besides=table["nile"]) is None
    assert directory.named("Is it big?", besides=table["nile"]) is None


@given(st.text(), st.text(min_size=1))
def test_no_text_makes_the_search_fail(text: str, name: str) -> None:
    Names([("x", [name])]).any(text)


letters = st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"]), min_size=1, max_size=12)


@given(st.lists(letters, min_size=1, max_size=3).map(" ".join), st.sampled_from(["", "¿", "「"]))
def test_a_name_is_found_in_a_question_about_itself(name: str, mark: str) -> None:
    if words_of(name).words:
        text = f"{mark}{name} ?"
        assert Names([("x", [name])]).any(text)
        assert Names([("x", [unicodedata.normalize("NFD", name)])]).any(text)


@given(st.text(st.sampled_from("aéñüçıİßøșğ дёжπσ"), min_size=1, max_size=12))
def test_case_does_not_matter(name: str) -> None:
    if words_of(name).words:
        assert Names([("x", [name])]).any(name.upper())
        assert Names([("x", [name.upper()])]).any(name)


@given(st.text(st.sampled_from("abcdeé"), min_size=1, max_size=6), st.sampled_from("abcdeé"))
def test_a_letter_more_is_another_word(name: str, letter: str) -> None:
    assert not Names([("x", [name])]).any(f"is it {name}{letter}{'z' * len(name)}?")
