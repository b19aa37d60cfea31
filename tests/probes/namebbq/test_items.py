from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadRequest, MissingPart
from geobias.probes.namebbq import plan
from geobias.probes.namebbq.items import (
    Item,
    bbq_path,
    choose_items,
    item_from,
    read_items,
)
from geobias.probes.namebbq.versions import ItemSource
from tests.probes.namebbq.made import item, line, write
from tests.shared_data import shared_data


def test_an_item_has_its_fields_in_our_words() -> None:
    read = item()
    assert (read.example_id, read.template, read.unknown, read.label) == ("7", "3", 1, 1)
    assert read.nationalities == ("Danish", "", "Thai")
    assert read.stereotyped == ("Danish", "Dutch")
    assert read.people == (0, 2)
    assert (read.social_value, read.gender) == ("", "")


def test_capitals_of_groups_need_not_be_those_of_the_text() -> None:
    info = {"ans0": ["danish", "Europe"], "ans1": ["?", "UNKNOWN"], "ans2": ["THAI", "Asia"]}
    read = item(answer_info=info, additional_metadata={"stereotyped_groups": ["DANISH"]})
    assert (read.nationalities, read.unknown, read.target) == (("Danish", "", "Thai"), 1, 0)


def test_the_nationality_is_the_group_word_that_stands_in_the_answer() -> None:
    info = {"ans0": ["Europe", "Danish"], "ans1": ["x", "unknown"], "ans2": ["Thai"]}
    assert item(answer_info=info).nationalities == ("Danish", "", "Thai")


INFO = line()["answer_info"]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"label": 3}, "label"),
        ({"label": "1"}, "label is text, not a whole number"),
        ({"label": 0}, "the label must be the unknown answer if, and only if"),
        ({"context_condition": "disambig"}, "the label must be the unknown answer"),
        ({"context_condition": "other"}, "context_condition cannot be 'other'"),
        ({"context": "  "}, "context"),
        ({"question": None}, "question is nothing, not text"),
        ({"ans2": "the danish baker"}, "two answers are the same"),
        ({"ans0": "The Dane"}, "does not contain 'Danish' or 'Europe'"),
        ({"answer_info": {"ans0": ["Danish"], "ans1": ["unknown"]}}, "ans2 is missing"),
        ({"answer_info": {**INFO, "ans2": ["Thai", "unknown"]}}, "2 answers are .unknown."),
        ({"answer_info": {**INFO, "ans1": ["x", "Asia"]}}, "0 answers are .unknown."),
        ({"additional_metadata": {}}, "stereotyped_groups is missing"),
        ({"additional_metadata": {"stereotyped_groups": ["Danish", "Thai"]}}, "just one of Danish"),
        ({"additional_metadata": {"stereotyped_groups": []}}, "just one of Danish and Thai"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadRequest, match=fault):
        item(**changes)


@pytest.mark.parametrize("field", sorted(set(line()) - {"category"}))
def test_a_missing_field_is_named(field: str) -> None:
    fields = line()
    del fields[field]
    with pytest.raises(BadRequest, match=f"{field} is missing"):
        item_from(fields)


def test_the_first_bad_line_is_told(tmp_path: Path) -> None:
    lines = [line(example_id=number, label=9 if number else 1) for number in range(3)]
    with pytest.raises(BadRequest, match=r"mine\.jsonl, line 2: label"):
        read_items(write(tmp_path / "mine.jsonl", lines))


def test_an_id_stands_once(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"line 2: the example_id '7' occurs twice in the file"):
        read_items(write(tmp_path / "mine.jsonl", [line(), line()]))


def test_a_byte_order_mark_and_empty_lines_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b"\xef\xbb\xbf\r\n" + json.dumps(line()).encode() + b"\r\n\r\n")
    assert len(read_items(path)) == 1


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"[]", b"7", b"{", b"\xff\xfe", b"[" * 5000, b'{"a": "\xc3"}']
)
def test_a_file_of_something_else_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadRequest, match=r"mine\.jsonl, line 1: "):
        read_items(path)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside),
    max_leaves=6,
)


@given(st.sampled_from(sorted(line())), ANY_JSON)
def test_any_value_in_any_field_is_read_or_refused_by_name(field: str, value: Any) -> None:
    try:
        read = item(**{field: value})
    except BadRequest:
        return
    assert read.target in read.people


@given(st.dictionaries(st.sampled_from(sorted(line())) | st.text(max_size=8), ANY_JSON, max_size=3))
def test_any_object_is_an_item_or_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        item_from(fields)


def test_bbq_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "mine.jsonl", [line()])
    monkeypatch.setenv("GEOBIAS_BBQ", str(path))
    assert bbq_path() == path
    monkeypatch.setenv("GEOBIAS_BBQ", str(tmp_path / "none"))
    with pytest.raises(MissingPart, match=r"GEOBIAS_BBQ names .*none, which is not a file"):
        bbq_path()


def test_bbq_is_read_whole() -> None:
    items = read_items(shared_data("bbq/Nationality.jsonl"))
    assert len(items) == 3080
    assert {one.template for one in items} == {str(number) for number in range(1, 26)}
    assert len({word for one in items for word in one.nationalities} - {""}) == 68
    assert Counter((one.condition, one.polarity) for one in items) == dict.fromkeys(
        [(c, p) for c in ("ambig", "disambig") for p in ("neg", "nonneg")], 770
    )
    for one in items:
        person = one.nationalities[one.target] in one.stereotyped
        assert person == (one.polarity == "neg")


def test_a_plan_about_a_file_that_lies_elsewhere_knows_its_items(tmp_path: Path) -> None:
    made = plan(items=str(write(tmp_path / "mine.jsonl", [line()])), names=0)
    assert made.compared is not None
    assert made.compared() == [("3", "Danish", "Thai")]


# -- choosing --------------------------------------------------------------------------------------


def items() -> Sequence[Item]:
    return ItemSource.of("builtin").items


@pytest.mark.parametrize(("size", "least", "most"), [("quick", 50, 70), ("standard", 500, 700)])
def test_a_sample_is_of_its_size_and_balanced_in_context_question_and_truth(
    size: str, least: int, most: int
) -> None:
    chosen = choose_items(items(), size)
    assert least <= len(chosen) <= most
    contexts = Counter(item.condition for item in chosen)
    assert contexts["ambig"] == contexts["disambig"]
    for condition in contexts:
        polarities = Counter(item.polarity for item in chosen if item.condition == condition)
        assert abs(polarities["neg"] - polarities["nonneg"]) <= 2
    told = Counter(item.label == item.target for item in chosen if item.condition == "disambig")
    assert abs(told[True] - told[False]) <= 1


def test_a_quick_sample_has_every_social_value_and_each_template_at_most_twice() -> None:
    chosen = choose_items(items(), "quick")
    assert {item.social_value for item in chosen} == {item.social_value for item in items()}
    assert set(Counter(item.template for item in chosen).values()) == {2}


def test_a_standard_sample_has_every_template_equally_often() -> None:
    counts = Counter(item.template for item in choose_items(items(), "standard"))
    assert set(counts) == {item.template for item in items()}
    assert len(set(counts.values())) == 1


def test_a_file_smaller_than_the_size_is_asked_in_full() -> None:
    assert choose_items(items()[:8], "quick") == list(items()[:8])
