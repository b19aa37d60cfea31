from __future__ import annotations

import re
import string
from functools import cache

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from geobias.atlas.economies import economies
from geobias.probes.namebbq.builtin import builtin_items
from geobias.probes.namebbq.items import Item, read_items
from geobias.probes.namebbq.names import (
    Name,
    NamesByNationality,
    NoNames,
    alike,
    draw_genders,
    draw_names,
    names,
)
from geobias.probes.namebbq.noun_phrases import SIGNS, NounKind, marked
from geobias.probes.namebbq.substitution import CannotSubstitute, Rewriter, required_genders
from geobias.probes.namebbq.versions import ItemSource, Version
from tests.labelled import by, table_beside
from tests.shared_data import shared_data

from .made import about, item

PAIR = ("Danish", "Thai")


def listed(nationality: str, gender: str) -> set[str]:
    return {name.name for name in names()[nationality][gender]}


def table(**rows: str) -> NamesByNationality:
    """Names of our own: `Danish_F="Ida Ane"`."""
    found: dict[str, dict[str, tuple[Name, ...]]] = {}
    for key, row in rows.items():
        nationality, gender = key.split("_")
        found.setdefault(nationality, {})[gender] = tuple(
            Name(nationality, "DNK", "F", name, "", "high", "") for name in row.split()
        )
    return found


def substitute(said: Item, seed: int, *, table: NamesByNationality | None = None) -> Version:
    return ItemSource("made", [said], table).version(said, seed)


def people(version: Version) -> tuple[str, str]:
    """The two names, in the order of the answers."""
    one, other = (version.names[index] for index in version.item.people)
    return one, other


def test_only_the_texts_about_people_change() -> None:
    before = item(question_polarity="nonneg")
    after = substitute(before, 1)
    first, second = people(after)
    assert first in listed("Danish", after.genders[0])
    assert second in listed("Thai", after.genders[2])
    assert after.item.context == f"{first} and {second} sold bread at the fair."
    assert after.item.answers == (first, "Not known", second)
    kept = ("example_id", "template", "polarity", "condition", "label", "target", "unknown")
    for field in (*kept, "nationalities", "stereotyped", "question"):
        assert getattr(after.item, field) == getattr(before, field)


def test_the_order_of_the_pair_does_not_change_who_has_which_name() -> None:
    for seed in range(12):
        first, second = draw_names(names(), ("F", "M"), seed, "1", PAIR)
        assert draw_names(names(), ("M", "F"), seed, "1", ("Thai", "Danish")) == (second, first)


def test_the_draw_is_the_one_that_was_published() -> None:
    """These names are part of every result: another draw is another benchmark."""
    own = table(Danish_F="Ane Bente Dorte Ellen Fie", Thai_F="Kanya Lek Mali Nok Orn")
    drawn = [draw_names(own, ("F", "F"), seed, "4", PAIR) for seed in (0, 1, 2, 7, -1)]
    assert drawn == [
        ("Fie", "Lek"),
        ("Ane", "Mali"),
        ("Ellen", "Nok"),
        ("Ane", "Nok"),
        ("Fie", "Kanya"),
    ]


def test_without_a_requirement_both_people_have_the_same_gender_and_both_genders_occur() -> None:
    drawn = {draw_genders(("", ""), seed, "1", PAIR) for seed in range(20)}
    assert drawn == {("F", "F"), ("M", "M")}


@pytest.mark.parametrize(
    ("danish", "thai", "drawn"),
    [
        ("Zoé", "Zoe Mali", ("Zoé", "Mali")),
        ("Kien", "Kieran Mali", ("Kien", "Mali")),
        ("Kien", "Kieran", ("Kien", "Kieran")),  # alike, for want of another
    ],
)
def test_two_people_have_names_that_are_told_apart(
    danish: str, thai: str, drawn: tuple[str, str]
) -> None:
    assert draw_names(table(Danish_F=danish, Thai_F=thai), ("F", "F"), 0, "1", PAIR) == drawn


def test_names_that_are_kept_apart_are_still_drawn_once_each() -> None:
    own = table(Danish_M="Kien Lars Mads Nils Ole", Thai_M="Kieran Larsen Madsen Chai Dao")
    drawn = [draw_names(own, ("M", "M"), seed, "1", PAIR) for seed in range(5)]
    assert not any(alike(*both) for both in drawn)
    assert all(len({both[person] for both in drawn}) == 5 for person in (0, 1))


def test_names_are_alike_where_a_reader_says_so() -> None:
    rows = table_beside(__file__, "alike_names.csv")
    wrong = [
        row for row in rows if alike(row["first"], row["second"]) is not (row["alike"] == "yes")
    ]
    assert len(rows) == 64
    assert wrong == []


@given(st.text(string.ascii_letters, min_size=1), st.text(string.ascii_letters, min_size=1))
def test_to_be_alike_is_mutual(one: str, other: str) -> None:
    assert alike(one, one)
    assert alike(one, other) is alike(other, one)


def test_a_name_that_reads_as_an_english_word_or_stands_in_the_item_is_passed_over() -> None:
    own = table(Danish_F="My An Ida", Thai_F="Bread Mali", Danish_M="Bo", Thai_M="Lek")
    said = about("The Danish woman and the Thai woman sold bread.", "The {} woman")
    assert people(substitute(said, 3, table=own)) == ("Ida", "Mali")


def test_a_nationality_without_names_is_said() -> None:
    with pytest.raises(NoNames, match="no names for the nationality 'Thai'; there are for Danish"):
        substitute(item(), 1, table=table(Danish_F="Ida", Danish_M="Bo"))
    with pytest.raises(NoNames):  # the same name twice, accents aside
        draw_names(table(Danish_F="Zoé", Thai_F="Zoe"), ("F", "F"), 0, "1", PAIR)


@pytest.mark.parametrize("row", table_beside(__file__, "genders.csv"))
def test_gender_is_read_from_the_words(row: dict[str, str]) -> None:
    genders, said = (row["first"], row["second"]), about(row["context"], row["answer"])
    assert required_genders(said) == genders
    drawn = substitute(said, 2).genders
    assert all(need in ("", have) for need, have in zip(genders, (drawn[0], drawn[2]), strict=True))


def test_the_member_a_question_asks_about_has_the_name_of_the_family() -> None:
    context = "A Danish family met a Thai family."
    asked = about(context, "The {} family", question="In which is the mother loud?")
    assert required_genders(asked) == ("F", "F")


def test_what_the_file_states_counts_where_the_words_say_nothing() -> None:
    assert required_genders(item(gender="F")) == ("F", "F")
    men = about("A Danish man met a Thai man.", "The {} man", gender="F")
    assert required_genders(men) == ("M", "M")


def test_the_ambiguous_item_has_the_names_of_the_disambiguated_one() -> None:
    short = about("A Danish baker met a Thai baker.", example_id=1)
    long = about(
        "A Danish baker met a Thai baker. The Thai baker burnt her bread.",
        example_id=2,
        context_condition="disambig",
        label=2,
    )
    source = ItemSource("made", [short, long])
    for seed in range(10):
        one, other = (source.version(one, seed) for one in source.items)
        assert one.names == other.names
        assert one.genders == ("F", "", "F")


def test_a_nationality_within_a_word_is_not_left_in_silence() -> None:
    with pytest.raises(CannotSubstitute, match="'Danish-born' is left"):
        substitute(about("A Danish baker met a Thai baker. The Danish-born one sang."), 1)


def test_a_word_the_table_lacks_is_a_person_if_the_question_is_who() -> None:
    bards = about("A Danish bard met a Thai bard.", "The {} bard", question="Who sang?")
    after = substitute(bards, 1)
    assert after.item.context == "{} met {}.".format(*people(after))
    pots = about("A Danish pot stood by a Thai pot.", "The {} pot", question="Which pot broke?")
    after = substitute(pots, 1)
    assert after.item.context == "{}'s pot stood by {}'s pot.".format(*people(after))
    assert after.item.answers[0] == f"{people(after)[0]}'s pot"


def test_a_person_the_context_does_not_speak_of_is_said() -> None:
    with pytest.raises(CannotSubstitute, match="does not speak of the Thai person"):
        substitute(about("A Danish baker met someone."), 1)


@given(st.text(max_size=40), st.integers())
def test_any_context_is_given_names_or_refused(text: str, seed: int) -> None:
    said = about(f"{text} A Danish baker met {text} a Thai baker {text}.")
    try:
        after = substitute(said, seed)
    except CannotSubstitute:
        reject()
    assert all(name in after.item.context for name in after.names)
    assert substitute(said, seed) == after


# -- rewriting -------------------------------------------------------------------------------------


def rewritten(
    text: str,
    answer: str = "The {} baker",
    pair: tuple[str, str] = PAIR,
    **nouns: NounKind,
) -> str:
    """The context with Freja for the first person and Mali for the second."""
    answers = [marked(answer.format(one), pair) for one in pair]
    after = Rewriter(tuple(nouns.items()), answers).rewrite(marked(text, pair), introduces=True)
    return after.replace(SIGNS[0], "Freja").replace(SIGNS[1], "Mali")


@pytest.mark.parametrize(
    ("shows", "rows"), by("what it shows", table_beside(__file__, "rewritten.csv"))
)
def test_a_context_reads_well_with_names(shows: str, rows: list[dict[str, str]]) -> None:
    for row in rows:
        assert rewritten(row["before"], row["answer"]) == row["after"], shows


def test_a_noun_of_the_answers_is_one_in_the_context() -> None:
    text = "The Danish mellowed bard sang."
    assert rewritten(text) == "Freja mellowed bard sang."
    assert rewritten("The Danish bard sang.", bard="person") == "Freja sang."
    assert rewritten("The Danish bard sang.", bard="belonging") == "Freja's bard sang."


def test_to_polish_is_not_to_be_polish() -> None:
    text = "The Polish student can polish it."
    assert rewritten(text, pair=("Polish", "Thai")) == "Freja can polish it."


def test_a_nationality_within_another_is_not_one_of_its_own() -> None:
    text = "A North Korean student met a Korean student."
    assert rewritten(text, pair=("North Korean", "Korean")) == "Freja met Mali."
    assert rewritten(text, pair=("Korean", "North Korean")) == "Mali met Freja."


PIECES = """Danish Thai the a an my our other new student friend family's one and is were both
there's women group met quickly 's of , ."""
WORDS = st.lists(st.sampled_from(PIECES.split()), max_size=14).map(" ".join)


FREJA_AND_MALI = table(Danish_F="Freja", Danish_M="Freja", Thai_F="Mali", Thai_M="Mali")


@given(WORDS | st.text(max_size=60))
@example("the the Danish")
@example("our our the an other other Danish other")
def test_whatever_the_words_no_nationality_and_no_article_is_left_before_a_name(text: str) -> None:
    said = about(f"A Danish baker met a Thai baker. {text}")
    try:
        after = substitute(said, 1, table=FREJA_AND_MALI).item.context
    except CannotSubstitute:
        reject()
    assert "Danish" not in after
    assert "Thai" not in after
    assert not re.search(r"\b(the|an?) (Freja|Mali)\b", after, re.I)


@given(st.text(alphabet=st.characters(exclude_characters="DdTt"), max_size=80))
def test_a_text_about_nobody_stays_as_it_is(text: str) -> None:
    assert rewritten(text) == text


# -- substitution bbq ------------------------------------------------------------------------------
#
# What must hold for every item with names. BBQ's file is not part of geobias.

LEFT_BEHIND = re.compile(
    r"""\b(?:the|an?|my|our|one|other|new|this)\s+@(?!\w)   # the Paolo
      | @['’]s['’]s | @['’]s\s*(?:[.,;:!?]|$)                         # Paolo's, with nothing
      | @\s+(?:friend|student|speaker|guy|group|family|woman|man|girl|boy|coworker|girlfriend
              |team|fans|one|home|house)\b                            # Paolo family
      | \b(?:an?|the)\s+(?:[.,;:!?]|$) | \ban?\s+(?:a|an|the)\b       # an article and no noun
      | \s\s | ^\s | \s$ | \s[.,;:!?] | [{}] | [.!?]@                 # what a cut leaves
      | \bboth\s+the\b | \ba\s+[aeiou] | \ban\s+[^aeiouh\s]            # the wrong article
    """,
    re.VERBOSE | re.IGNORECASE,
)


@pytest.fixture(scope="module", params=["builtin", "bbq"])
def pairs(request: pytest.FixtureRequest) -> list[tuple[Item, Version]]:
    """Every item before and after."""
    ours = request.param == "builtin"
    items = builtin_items() if ours else read_items(shared_data("bbq/Nationality.jsonl"))
    source = ItemSource(request.param, items)
    return [(plain, source.version(plain, 2 if ours else 1)) for plain in source.items]


def texts(plain: Item) -> list[str]:
    return [plain.context, plain.question, *(plain.answers[index] for index in plain.people)]


@cache
def whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")


def masked(text: str, both: tuple[str, str]) -> str:
    """The text with @ for each name: names are looked at on their own."""
    for name in both:
        text = whole(name).sub("@", text)
    return text


def test_no_nationality_country_or_part_of_a_phrase_is_left(
    pairs: list[tuple[Item, Version]],
) -> None:
    words = {word for plain, _ in pairs for word in plain.nationalities} - {""}
    words |= {f"{word}s" for word in words} | {one.name for one in economies().values()}
    words |= {one.demonym for one in economies().values() if one.demonym}
    gone = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(words)))})(?!\w)")
    # Without the names, many texts are the same.
    plain = {masked(text, people(named)): text for _, named in pairs for text in texts(named.item)}
    for without, text in plain.items():
        assert not gone.search(without), text
        found = LEFT_BEHIND.search(without)
        assert found is None, f"{found and found[0]!r} in {text!r}"


def test_each_name_is_in_the_context_and_in_its_own_answer_only(
    pairs: list[tuple[Item, Version]],
) -> None:
    for plain, named in pairs:
        assert len(set(people(named))) == 2
        for name, index in zip(people(named), plain.people, strict=True):
            assert whole(name).search(named.item.context)
            holds = [place for place in range(3) if whole(name).search(named.item.answers[place])]
            assert holds == [index]


def test_names_are_of_the_nationality_and_the_gender(pairs: list[tuple[Item, Version]]) -> None:
    for plain, named in pairs:
        for index in plain.people:
            gender = named.genders[index]
            listed = names()[plain.nationalities[index]][gender]
            assert named.names[index] in {each.name for each in listed}
            assert plain.gender in ("", gender)
        if plain.template.isdigit():  # BBQ's; in ours, others than the two have a gender too
            said = re.findall(r"\b(?:woman|girl|girlfriend|she|her)\b", plain.context)
            told = re.findall(r"\b(?:man|boy|guy)\b", plain.context)
            if bool(said) != bool(told):
                assert set(named.genders) == {"", "F" if said else "M"}
