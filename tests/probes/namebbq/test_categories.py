"""Files of BBQ's other categories. The sentences are ours; the tags are those that BBQ uses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from geobias.errors import BadRequest
from geobias.probes.namebbq import plan
from geobias.probes.namebbq.items import BadItem, Item
from geobias.probes.namebbq.power import ambiguous_items
from geobias.probes.namebbq.scores import frame_of, scores
from tests.probes.namebbq.made import item, line, write
from tests.probes.namebbq.running import answered


def told(
    category: str, people: dict[str, str], stereotyped: list[str], **more: Any
) -> dict[str, Any]:
    """A line about two people (their words → tags), in the order of the answers 0 and 2."""
    (first, first_tag), (second, second_tag) = people.items()
    return line(
        category=category,
        answer_info={
            "ans0": [first, first_tag],
            "ans1": ["Not known", "unknown"],
            "ans2": [second, second_tag],
        },
        additional_metadata={"stereotyped_groups": stereotyped},
        context=f"{first} and {second} sold bread at the fair.",
        ans0=first,
        ans2=second,
        **more,
    )


@pytest.mark.parametrize(
    ("category", "people", "stereotyped"),
    [
        ("Age", {"The grandmother": "old", "The niece": "nonOld"}, ["old"]),
        ("Race_ethnicity", {"Ana Ruiz": "F-Latino", "Eve Hill": "F-White"}, ["Hispanic", "Latino"]),
        ("Race_ethnicity", {"Ana": "F-Latino", "Eve": "F-White"}, ["Hispanic or Latino"]),
        ("SES", {"The cleaner": "lowSES", "The judge": "highSES"}, ["low SES"]),
        ("Gender_identity", {"The girl": "girl", "The boy": "boy"}, ["F"]),
        ("Gender_identity", {"Kim": "trans_F", "Jo": "nonTrans"}, ["Transgender women"]),
        ("Disability_status", {"Kim": "disabled", "Jo": "nonDisabled"}, ["people with autism"]),
        ("Religion", {"The Sikh": "Sikh", "The Mormon": "Mormon"}, ["Sikh"]),
    ],
)
def test_the_stereotyped_person_is_found_by_the_tag(
    category: str, people: dict[str, str], stereotyped: list[str]
) -> None:
    negative = item(**told(category, people, stereotyped))
    other = item(**told(category, people, stereotyped, question_polarity="nonneg"))
    assert (negative.person, negative.target) == (0, 0)
    assert (other.person, other.target) == (0, 2)
    assert not negative.by_nationality
    assert negative.category == category


def test_a_word_inside_another_tag_is_not_that_tag() -> None:
    """BBQ's authors mend the same: "old" stands in "nonOld"."""
    people = {"The niece": "nonOld", "The grandmother": "old"}
    assert item(**told("Age", people, ["old"])).person == 2
    assert item(**told("Age", people, ["nonOld"])).person == 0


def test_where_groups_do_not_tell_the_file_may_say_who_it_is() -> None:
    people = {"Ana": "F-Latino", "Eve": "F-White"}
    assert item(**told("Race_x_gender", people, [], target_loc=2)).person == 2
    with pytest.raises(BadItem, match="there is no target_loc"):
        item(**told("Race_x_gender", people, []))
    with pytest.raises(BadItem, match="is 1, which is not one of the two people"):
        item(**told("Race_x_gender", people, [], target_loc=1))


def ages(tmp_path: Path) -> str:
    people = {"The grandmother": "old", "The niece": "nonOld"}
    polarities = ("neg", "nonneg")
    ambiguous = [
        told("Age", people, ["old"], example_id=number, question_polarity=polarities[number % 2])
        for number in range(4)
    ]
    return str(write(tmp_path / "Age.jsonl", ambiguous))


def test_items_that_take_no_names_are_asked_as_they_are_and_that_is_said(tmp_path: Path) -> None:
    made = plan(items=ages(tmp_path), names=2)
    assert made.count == 4
    [note] = made.notes
    assert note.startswith("4 of 4 items are asked as the file tells them, without names. There")
    assert made.settings["category"] == "Age"


def test_controls_need_items_that_take_names(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="--controls needs items that can be told by names"):
        plan(items=ages(tmp_path), controls=True)


def test_they_are_scored_by_the_same_rules(tmp_path: Path) -> None:
    """The grandmother is always said: with the stereotype in half of the questions."""
    records = answered(plan(items=ages(tmp_path), names=0), lambda _: "The grandmother")
    assert {(one.nationality, one.other_nationality) for one in records} == {("old", "nonOld")}
    assert [one.stereotyped for one in records] == [True, False, True, False]
    frame = frame_of([{name: getattr(one, name) for name in one.__struct_fields__}
                      for one in records])  # fmt: skip
    assert scores(frame).filter(metric="bias", context="ambiguous")["value"].to_list() == [0.0]


def test_groups_can_be_given_names_of_ones_own(tmp_path: Path) -> None:
    names = "nationality,iso3,gender,name,source,exclusive,note\n" + "".join(
        f"{group},,{gender},{name},own,high,\n"
        for group, gender, name in (
            ("Sikh", "F", "Harleen"), ("Sikh", "M", "Gurpreet"),
            ("Mormon", "F", "Brynlee"), ("Mormon", "M", "Brigham"),
        )
    )  # fmt: skip
    (tmp_path / "own.csv").write_text(names)
    own = told("Religion", {"Sikh": "Sikh", "Mormon": "Mormon"}, ["Sikh"]) | {
        "context": "A Sikh baker and a Mormon baker sold bread at the fair.",
        "ans0": "The Sikh baker",
        "ans2": "The Mormon baker",
    }
    items = write(tmp_path / "Religion.jsonl", [own])
    made = plan(items=str(items), names=1, names_file=str(tmp_path / "own.csv"))
    records = answered(made, lambda _: "(a)")
    assert [one.dataset for one in records] == ["nationality", "name"]
    assert {records[1].name, records[1].other_name} in (
        {"Harleen", "Brynlee"},
        {"Gurpreet", "Brigham"},
    )


def test_a_plan_about_a_file_that_lies_elsewhere_knows_its_items(tmp_path: Path) -> None:
    made = plan(items=ages(tmp_path), names=0)
    assert ambiguous_items(made) == [("3", "old", "nonOld")] * 4


def test_an_item_of_nationality_is_what_it_was() -> None:
    plain: Item = item()
    assert (plain.by_nationality, plain.category, plain.person) == (True, "", 0)
