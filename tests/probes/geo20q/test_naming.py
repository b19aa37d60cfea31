from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.entities import Entity, LocalName
from geobias.probes.geo20q.naming import EntityMatcher, NameMatcher, name_matcher, split_words


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
        ("Was it A P J Abdul Kalam?", "A. P. J. Abdul Kalam"),
        ("Is it J R R Tolkien?", "J.R.R. Tolkien"),
        ("Is it J.R.R. Tolkien?", "J R R Tolkien"),
        ("क्या यह ताजमहल है?", "ताज महल"),
        ("क्या यह ताज महल है?", "ताजमहल"),
        ("Is it Beatles?", "The Beatles"),
        ("ISTANBUL mu?", "İstanbul"),
        ("İSTANBUL mu?", "İstanbul"),
        ("ıstanbul'da mı?", "İstanbul"),
        ("Atatürk'ün mü?", "Atatürk"),
        ("是埃菲尔铁塔吗？", "埃菲尔铁塔"),
        ("是埃菲爾鐵塔嗎？", "埃菲尔铁塔"),
        ("是毛泽东吗？", "毛澤東"),
        ("هل هو برج إيفل؟", "برج إيفل"),
        ("هل هو بُرج ايفل؟", "برج إيفل"),
        ("هل تقصد برجَ إيفل أم وبرج خليفة؟", "برج خليفة"),
        ("هل يتعلق الأمر ببرج إيفل؟", "برج إيفل"),
        ("هل هو حيوان كوالا؟", "الكوالا"),
        ("هل هو الكوالا؟", "كوالا"),
        ("هل هي للموناليزا؟", "الموناليزا"),
        ("هل هي مدرسه الأزهر؟", "مدرسة الأزهر"),
        ("هل هو مصطفي كمال؟", "مصطفى كمال"),
        ("É o Monte Quénia?", "Monte Quenia"),
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
    assert NameMatcher([("x", [name])]).any(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Is it a Georgian dish?", "Georgia"),
        ("Is he from Jamaica?", "Ma"),
        ("Is it a tower?", "Eiffel Tower"),
        ("Is it Tower Eiffel?", "Eiffel Tower"),
        ("Who?", "The Who"),
        ("Does it scream?", "The Scream"),
        ("क्या यह ताज है?", "ताज महल"),
        ("それはインドネシアですか", "インド"),
        ("赤道ギニアビサウ", "ギニア"),
        ("ガーナ", "カーナ"),
        ("क्या वह भारतीय है?", "भारत"),
        ("Niger?", "Nigeria"),
        ("هل هو من لبنان؟", "نان"),
        ("هل هو البرجي؟", "البرج"),
        ("هل هو برج خليفة؟", "برج إيفل"),
        ("", "Eiffel Tower"),
        ("anything", "..."),
    ],
)
def test_a_near_miss_is_no_match(text: str, name: str) -> None:
    assert not NameMatcher([("x", [name])]).any(text)


def entity(id: str, name: str, **more: object) -> Entity:
    facts = {"type": "thing", "category": "landmark", "country": "FRA"} | more
    return Entity(id=id, name=name, **facts)  # type: ignore[arg-type]


def test_english_spellings_count_in_every_language_and_local_ones_only_in_their_own() -> None:
    tower = entity("t", "Eiffel Tower", names={"ja": LocalName("エッフェル塔")})
    assert name_matcher(tower, "ja").any("それはEiffel Towerですか")
    assert name_matcher(tower, "ja").any("エッフェル塔ですか")
    assert not name_matcher(tower, "en").any("エッフェル塔ですか")


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
    directory = EntityMatcher(table, "en")
    found = directory.best_match("Is it New York?", target=table["nile"])
    assert found is not None
    assert found.id == "new-york"
    assert directory.best_match("Is it the Nile or New York?", target=table["nile"]) is None
    assert directory.best_match("Is it big?", target=table["nile"]) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Is it Marta?", True),
        ("Is it Marta Vieira?", True),
        ("Is Marta Brazilian?", True),
        ("is it marta roure?", True),  # nothing tells a name from another word here
        ("Is it Marta, Queen of the pitch?", True),
        ("Is it Marta Roure?", False),
        ("Is it Marta Roure or Marta?", True),
    ],
)
def test_a_first_name_before_another_surname_is_somebody_else(text: str, names: bool) -> None:
    marta = entity("m", "Marta", type="person", category="sport", aliases=("Marta Vieira",))
    assert name_matcher(marta).any(text) == names


@pytest.mark.parametrize(
    ("text", "first"),
    [("the Nile, York or New York", "nile"), ("New York or the Nile", "new-york"), ("it", None)],
)
def test_of_several_guesses_the_first_counts(text: str, first: str | None) -> None:
    table = {e.id: e for e in (entity("york", "York"), entity("new-york", "New York"))}
    table["nile"] = entity("nile", "Nile")
    found = EntityMatcher(table, "en").first_match(text, target=table["york"])
    assert (found.id if found else None) == first


@given(st.text(), st.text(min_size=1))
def test_no_text_makes_the_search_fail(text: str, name: str) -> None:
    NameMatcher([("x", [name])]).any(text)


letters = st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"]), min_size=1, max_size=12)


@given(st.lists(letters, min_size=1, max_size=3).map(" ".join), st.sampled_from(["", "¿", "「"]))
def test_a_name_is_found_in_a_question_about_itself(name: str, mark: str) -> None:
    if split_words(name).words:
        text = f"{mark}{name} ?"
        assert NameMatcher([("x", [name])]).any(text)
        assert NameMatcher([("x", [unicodedata.normalize("NFD", name)])]).any(text)


@given(st.text(st.sampled_from("aéñüçıİßøșğ дёжπσ"), min_size=1, max_size=12))
def test_case_does_not_matter(name: str) -> None:
    if split_words(name).words:
        assert NameMatcher([("x", [name])]).any(name.upper())
        assert NameMatcher([("x", [name.upper()])]).any(name)


@given(st.text(st.sampled_from("abcdeé"), min_size=1, max_size=6), st.sampled_from("abcdeé"))
def test_a_letter_more_is_another_word(name: str, letter: str) -> None:
    assert not NameMatcher([("x", [name])]).any(f"is it {name}{letter}{'z' * len(name)}?")
