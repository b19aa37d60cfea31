from __future__ import annotations

import csv
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.probes.namebbq.items import Gender
from geobias.probes.namebbq.names import (
    Name,
    NamesByNationality,
    NoNames,
    alike,
    draw_genders,
    draw_names,
    names,
)
from geobias.probes.namebbq.substitution import (
    CannotSubstitute,
    requirement,
    substitute,
    substitute_all,
)

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


def test_only_the_texts_about_people_change() -> None:
    before = item(question_polarity="nonneg")
    after = substitute(before, 1)
    first, second = after.names
    assert first in listed("Danish", after.genders[0])
    assert second in listed("Thai", after.genders[1])
    assert after.item.context == f"{first} and {second} sold bread at the fair."
    assert after.item.answers == (first, "Not known", second)
    kept = ("example_id", "template", "polarity", "condition", "label", "target", "unknown")
    for field in (*kept, "nationalities", "stereotyped", "question"):
        assert getattr(after.item, field) == getattr(before, field)


def test_the_same_seed_gives_the_same_names_and_the_next_seed_others() -> None:
    for gender in ("F", "M"):
        drawn = [draw_names(names(), (gender, gender), seed, "1", PAIR) for seed in range(5)]
        assert len({first for first, _ in drawn}) == 5
        assert len({second for _, second in drawn}) == 5
        assert drawn == [draw_names(names(), (gender, gender), s, "1", PAIR) for s in range(5)]


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


def test_two_people_never_share_a_name_accents_aside() -> None:
    own = table(Danish_F="Zoé", Thai_F="Zoe Mali")
    assert draw_names(own, ("F", "F"), 0, "1", PAIR) == ("Zoé", "Mali")
    with pytest.raises(NoNames):
        draw_names(table(Danish_F="Zoé", Thai_F="Zoe"), ("F", "F"), 0, "1", PAIR)


def test_a_name_that_is_like_the_other_is_passed_over_unless_all_are() -> None:
    own = table(Danish_M="Kien", Thai_M="Kieran Mali")
    assert draw_names(own, ("M", "M"), 0, "1", PAIR) == ("Kien", "Mali")
    both = table(Danish_M="Kien", Thai_M="Kieran")
    assert draw_names(both, ("M", "M"), 0, "1", PAIR) == ("Kien", "Kieran")


def test_names_that_are_kept_apart_are_still_drawn_once_each() -> None:
    own = table(Danish_M="Kien Lars Mads Nils Ole", Thai_M="Kieran Larsen Madsen Chai Dao")
    drawn = [draw_names(own, ("M", "M"), seed, "1", PAIR) for seed in range(5)]
    assert not any(alike(*both) for both in drawn)
    assert all(len({both[person] for both in drawn}) == 5 for person in (0, 1))


def test_names_are_alike_where_a_reader_says_so() -> None:
    with Path(__file__).with_name("alike_names.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
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
    assert substitute(said, 3, table=own).names == ("Ida", "Mali")


def test_a_nationality_without_names_is_said() -> None:
    with pytest.raises(NoNames, match="no names for the nationality 'Thai'; there are for Danish"):
        substitute(item(), 1, table=table(Danish_F="Ida", Danish_M="Bo"))


@pytest.mark.parametrize(
    ("context", "answer", "genders", "evidence"),
    [
        ("A Danish woman met a Thai woman.", "The {} woman", ("F", "F"), '"woman" in context'),
        ("A Danish baker met a Thai baker.", "The {} boyfriend", ("M", "M"), '"boyfriend" in ans0'),
        ("The Danish father met the Thai father.", "The {} father", ("M", "M"), '"father" in cont'),
        ("A Danish baker met a Thai baker.", "The {} baker", ("", ""), ""),
        ("A Danish baker met a Thai baker. He left.", "The {} baker", ("M", "M"), '"he" in cont'),
        ("A Danish baker lost her hat to a Thai baker.", "The {} baker", ("F", "F"), '"her" in'),
        (
            "A Danish baker lost her hat to a Thai baker and his dog.",
            "The {} baker",
            ("F", "M"),
            '"her" in context, "his" in context',
        ),
        (
            "A Danish baker met a Thai baker and her father. He left.",
            "The {} baker",
            ("F", "F"),
            "",
        ),
        ("A Danish baker met a Thai baker with their dad. He left.", "The {} baker", ("", ""), ""),
        ("He saw a Danish baker and a Thai baker.", "The {} baker", ("", ""), ""),
        ("A Danish man met a Thai woman.", "The {} person", ("M", "F"), '"man" in context'),
    ],
)
def test_gender_is_read_from_the_words(
    context: str, answer: str, genders: tuple[Gender, Gender], evidence: str
) -> None:
    said = requirement(about(context, answer))
    assert said.genders == genders
    assert said.evidence.startswith(evidence)
    drawn = substitute(about(context, answer), 2).genders
    assert all(need in ("", have) for need, have in zip(genders, drawn, strict=True))


def test_the_member_a_question_asks_about_has_the_name_of_the_family() -> None:
    context = "A Danish family met a Thai family."
    said = requirement(about(context, "The {} family", question="In which is the mother loud?"))
    assert (said.gender, said.evidence) == ("F", '"mother" in question')


def test_what_the_file_states_counts_where_the_words_say_nothing() -> None:
    assert requirement(item(gender="F")).gender == "F"
    men = about("A Danish man met a Thai man.", "The {} man", gender="F")
    assert requirement(men).gender == "M"


def test_the_ambiguous_item_has_the_names_of_the_disambiguated_one() -> None:
    short = about("A Danish baker met a Thai baker.", example_id=1)
    long = about(
        "A Danish baker met a Thai baker. The Thai baker burnt her bread.",
        example_id=2,
        context_condition="disambig",
        label=2,
    )
    for seed in range(10):
        one, other = substitute_all([short, long], seed)
        assert one.names == other.names
        assert one.genders == ("F", "F")
    assert one.evidence == '"her" in context of item 2'


def test_a_nationality_within_a_word_is_not_left_in_silence() -> None:
    with pytest.raises(CannotSubstitute, match="'Danish-born' is left"):
        substitute(about("A Danish baker met a Thai baker. The Danish-born one sang."), 1)


def test_a_word_the_table_lacks_is_a_person_if_the_question_is_who() -> None:
    bards = about("A Danish bard met a Thai bard.", "The {} bard", question="Who sang?")
    after = substitute(bards, 1)
    assert after.item.context == f"{after.names[0]} met {after.names[1]}."
    pots = about("A Danish pot stood by a Thai pot.", "The {} pot", question="Which pot broke?")
    after = substitute(pots, 1)
    assert after.item.context == f"{after.names[0]}'s pot stood by {after.names[1]}'s pot."
    assert after.item.answers[0] == f"{after.names[0]}'s pot"


def test_a_person_the_context_does_not_speak_of_is_said() -> None:
    with pytest.raises(CannotSubstitute, match="does not speak of the Thai person"):
        substitute(about("A Danish baker met someone."), 1)


@given(st.text(max_size=40), st.integers())
def test_any_context_is_given_names_or_refused(text: str, seed: int) -> None:
    said = about(f"{text} A Danish baker met {text} a Thai baker {text}.")
    after = substitute(said, seed)
    assert all(name in after.item.context for name in after.names)
    assert substitute(said, seed) == after
