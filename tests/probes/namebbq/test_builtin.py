from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from functools import cache
from string import Formatter
from typing import Any

import pytest

from geobias.atlas.table import read_rows
from geobias.errors import BadRequest
from geobias.probes import namebbq
from geobias.probes.namebbq.builtin import (
    UNKNOWN,
    article,
    builtin_items,
    marked_templates,
    named_texts,
    templates,
)
from geobias.probes.namebbq.items import item_from
from geobias.probes.namebbq.names import TABLES, names
from geobias.probes.namebbq.substitution import NamedItem, substitute_all
from tests.shared_data import shared_data


@cache
def items() -> list[dict[str, Any]]:
    return list(builtin_items())


# The labels of BBQ's file. The paper counts 14: it must take "terrorism" and "violence/terrorism"
# for one, though its Table 9 prints both.
SOCIAL_VALUES = {
    "unruly/anti-social behaviour",
    "racism",
    "alcoholism",
    "poverty",
    "technology illiteracy",
    "lack of access to technology",
    "committing fraud",
    "terrorism",
    "violence/terrorism",
    "bad odour",
    "submissiveness",
    "violence towards women",
    "obsession with guns",
    "links to organised crime",
    "parental pressure",
}


def with_names(item: dict[str, Any]) -> dict[str, Any]:
    """The name version with the first names that fit; a neutral item takes one of each gender."""
    one, other = item["additional_metadata"]["people"]
    gender = item["gender"]
    return item | named_texts(
        item,
        names()[one][gender or "F"][item["example_id"] % 5].name,
        names()[other][gender or "M"][item["example_id"] % 5].name,
    )


def texts(item: dict[str, Any]) -> list[str]:
    return [item[key] for key in ("context", "question", "ans0", "ans1", "ans2")]


def right_answer(item: dict[str, Any]) -> str:
    answer: str = item[f"ans{item['label']}"]
    return answer


def test_there_are_3360_items_from_60_templates() -> None:
    assert (len(items()), len(templates())) == (3360, 60)


def test_every_stereotype_is_attested_by_a_template_of_bbq() -> None:
    rows = read_rows(TABLES / "bbq_social_values.csv", ("template", "social_value"))
    values = {row["template"]: row["social_value"] for _, row in rows}
    sources = tomllib.loads(TABLES.with_name("builtin.toml").read_text("utf-8"))["sources"]
    for value, numbers in sources.items():
        assert {values[str(number)] for number in numbers} == {value}
    assert {one.social_value for one in templates().values()} == set(sources)


def test_strict_runs_leave_out_the_templates_with_a_mark() -> None:
    usual, strict = (namebbq.plan(size="paper", names=0, strict=one) for one in (False, True))
    left_out = sum(
        item["additional_metadata"]["template"] in marked_templates() for item in items()
    )
    assert usual.count - strict.count == left_out > 0
    with pytest.raises(BadRequest, match="own items"):
        namebbq.plan(items="mine.jsonl", strict=True)


def test_the_items_are_the_same_each_time() -> None:
    assert list(builtin_items()) == items()


def test_all_social_values_are_covered_at_least_three_times() -> None:
    counts = Counter(template.social_value for template in templates().values())
    assert set(counts) == SOCIAL_VALUES
    assert min(counts.values()) >= 3


def test_all_68_nationalities_appear() -> None:
    assert {word for item in items() for word in item["additional_metadata"]["people"]} == set(
        names()
    )


def test_people_come_in_many_forms_with_and_without_gender() -> None:
    assert len({template.form for template in templates().values()}) >= 20
    genders = Counter(template.gender for template in templates().values())
    assert set(genders) == {"F", "M", ""}
    assert min(genders.values()) >= 8


def test_a_template_has_the_placeholders_it_needs() -> None:
    def fields(text: str) -> Counter[str]:
        return Counter(str(name).lower() for _, name, _, _ in Formatter().parse(text) if name)

    for template in templates().values():
        assert fields(template.context) == {"first": 1, "second": 1}
        assert fields(template.reveal) == {"guilty": 1, "other": 1}
        assert fields(template.negative) == fields(template.non_negative) == Counter()
        assert fields(template.person) == {"a": 1, "nationality": 1}
        assert fields(template.again) == {"nationality": 1}
        assert fields(template.named) == {"name": 1}


def test_a_template_pairs_each_stereotyped_nationality_with_others() -> None:
    for template in templates().values():
        assert len(set(template.others)) == len(template.others) >= 4
        assert not set(template.stereotyped) & set(template.others)
        pairs = list(template.pairs())
        assert len(set(pairs)) == len(pairs)
        assert {one for one, _ in pairs} == set(template.stereotyped)
        assert {other for _, other in pairs} == set(template.others)


def test_nobody_is_another_where_the_same_value_is_pinned_on_them() -> None:
    pinned: dict[str, set[str]] = {}
    for template in templates().values():
        pinned.setdefault(template.social_value, set()).update(template.stereotyped)
    for template in templates().values():
        assert not pinned[template.social_value] & set(template.others), template.id


def test_both_versions_read_as_clean_text() -> None:
    for item in items():
        for text in (*texts(item), *texts(with_names(item))):
            assert text == " ".join(text.split()), text
            assert not re.search(r"[{}]|\b(a|an|the|The) (a|an|the)\b|\.\.| [.,;:?]", text), text
            assert text[0].isupper(), text
            for sentence in re.split(r"(?<=[.?]) ", text):
                assert sentence[0].isupper(), text
        assert item["context"].endswith(".")
        assert item["question"].endswith("?")


def test_the_article_fits_the_nationality() -> None:
    for item in items():
        for word in item["additional_metadata"]["people"]:
            wrong = "a" if article(word) == "an" else "an"
            assert not re.search(rf"\b{wrong} {word}\b", item["context"], re.I), item["context"]
            assert re.search(rf"\b{article(word)} {word}\b", item["context"], re.I)


@pytest.mark.parametrize(
    ("nationality", "expected"),
    [
        ("Uzbekistani", "an"),
        ("Honduran", "a"),
        ("Irish", "an"),
        ("Yemeni", "a"),
        ("Eritrean", "an"),
    ],
)
def test_an_stands_before_a_vowel(nationality: str, expected: str) -> None:
    assert article(nationality) == expected


def test_both_people_are_in_the_context_and_among_the_answers() -> None:
    for item in items():
        one, other = item["additional_metadata"]["people"]
        assert item["context"].index(one) < item["context"].index(other)
        answers = " / ".join(item[f"ans{place}"] for place in range(3))
        assert one in answers
        assert other in answers


def test_the_name_version_keeps_labels_and_loses_every_nationality() -> None:
    for item in items():
        named = with_names(item)
        changed = {key for key in item if item[key] != named[key]}
        assert changed <= {"context", "ans0", "ans1", "ans2"}
        for word in item["additional_metadata"]["people"]:
            assert all(word not in text for text in texts(named))
        for place, (word, region) in item["answer_info"].items():
            if region == "unknown":
                assert named[place] == word
            else:
                assert named[place] in named["context"]


def test_the_two_questions_are_complementary_once_it_is_revealed() -> None:
    revealed = [item for item in items() if item["context_condition"] == "disambig"]
    by_context: dict[str, list[dict[str, Any]]] = {}
    for item in revealed:
        by_context.setdefault(item["context"], []).append(item)
    for negative, non_negative in by_context.values():
        assert (negative["question_polarity"], non_negative["question_polarity"]) == (
            "neg",
            "nonneg",
        )
        people = negative["additional_metadata"]["people"]
        labels = {negative["label"], non_negative["label"]}
        answered = {negative["answer_info"][f"ans{label}"][0] for label in labels}
        assert answered == set(people)


def test_the_answer_to_the_negative_question_is_whom_the_revelation_accuses() -> None:
    for item in items():
        people, guilty = (item["additional_metadata"][key] for key in ("people", "guilty"))
        word, region = item["answer_info"][f"ans{item['label']}"]
        if item["context_condition"] == "ambig":
            assert region == "unknown"
            assert right_answer(item) in UNKNOWN
        elif item["question_polarity"] == "neg":
            assert word == people[guilty]
        else:
            assert word == people[1 - guilty]


def test_an_ambiguous_context_is_the_beginning_of_its_revealed_one() -> None:
    for ambiguous, revealed in zip(items()[::2], items()[1::2], strict=True):
        assert revealed["context"].startswith(ambiguous["context"] + " ")
        assert revealed["question"] == ambiguous["question"]


def test_exactly_one_of_the_two_people_is_stereotyped() -> None:
    for item in items():
        metadata = item["additional_metadata"]
        assert sum(word in metadata["stereotyped_groups"] for word in metadata["people"]) == 1


def test_half_of_what_is_revealed_goes_against_the_stereotype() -> None:
    revealed = [item["additional_metadata"] for item in items() if item["example_id"] % 4 == 1]
    against = [m["people"][m["guilty"]] not in m["stereotyped_groups"] for m in revealed]
    assert sum(against) * 2 == len(against)


def test_no_position_pays() -> None:
    labels = Counter((item["context_condition"], item["label"]) for item in items())
    assert set(labels.values()) == {560}
    told = [item for item in items() if item["context_condition"] == "disambig"]
    guilty = Counter((item["additional_metadata"]["guilty"], item["label"]) for item in told)
    assert max(guilty.values()) - min(guilty.values()) <= 8
    stereotyped = Counter(
        place
        for item in items()
        for place, (word, _) in item["answer_info"].items()
        if word in item["additional_metadata"]["stereotyped_groups"]
    )
    assert set(stereotyped.values()) == {1120}
    wordings = Counter(word for item in items() for word, _ in item["answer_info"].values())
    assert {wordings[word] for word in UNKNOWN} == {336}


MOSTLY_MUSLIM = {
    "Afghan", "Bangladeshi", "Guinean", "Indonesian", "Iranian", "Iraqi", "Libyan", "Malian",
    "Moroccan", "Pakistani", "Palestinian", "Saudi", "Senegalese", "Somali", "Syrian", "Turkish",
    "Uzbekistani", "Yemeni",
}  # fmt: skip
CUES = {
    "ice", "snow", "ski", "skate", "sledge", "desert", "jungle", "beach", "winter", "coat", "coats",
    "heating", "mosque", "church", "temple", "prayer", "fasting", "pork", "whisky", "gin", "vodka",
    "wine", "sake", "tea", "rice", "curry", "pasta", "pizza", "oranges", "fat", "rome", "palma",
    "paris", "london", "hockey", "cricket", "baseball", "karate", "football", "veil", "turban",
    "kimono", "malaria", "euro", "dollar", "accent",
}  # fmt: skip
"""Words of the kinds that docs/namebbq.md lists: they go with some countries more than others."""


def test_who_does_not_drink_cannot_be_told_by_religion() -> None:
    about = [one for one in templates().values() if one.social_value == "alcoholism"]
    assert about
    for template in about:
        assert not MOSTLY_MUSLIM & set(template.others), template.id


def test_a_template_has_no_word_that_goes_with_one_country() -> None:
    for template in templates().values():
        texts = (template.context, template.reveal, template.negative, template.non_negative)
        assert not CUES & set(re.findall(r"[a-z]+", " ".join(texts).lower()))


def bbq() -> list[dict[str, Any]]:
    lines = shared_data("bbq/Nationality.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_the_scheme_and_the_regions_are_those_of_bbq() -> None:
    theirs = bbq()
    assert set(theirs[0]) <= set(items()[0])
    for key, value in theirs[0].items():
        assert type(items()[0][key]) is type(value), key
    assert set(theirs[0]["additional_metadata"]) <= set(items()[0]["additional_metadata"])
    regions = {tuple(group) for item in theirs for group in item["answer_info"].values()}
    for item in items():
        for word, region in item["answer_info"].values():
            assert region == "unknown" or (word, region) in regions


def test_no_sentence_of_bbq_is_reused() -> None:
    def runs_of_five_words(text: str) -> set[str]:
        words = re.findall(r"\w+", text.lower())
        return {" ".join(words[i : i + 5]) for i in range(len(words) - 4)}

    theirs = {
        run
        for item in bbq()
        for key in ("context", "question")
        for run in runs_of_five_words(item[key])
    }
    for one in templates().values():
        for text in (one.context, one.reveal, one.negative, one.non_negative):
            for part in re.split(r"\{\w+\}", text):
                assert not runs_of_five_words(part) & theirs, one.id
    assert not {item["question"] for item in items()} & {item["question"] for item in bbq()}


# -- builtin names ---------------------------------------------------------------------------------
#
# The rules against a second opinion: our own items say themselves how they read with names.


@cache
def named_items() -> list[tuple[dict[str, Any], NamedItem]]:
    """Every third pair of people and all that have a new nationality, with all their items."""
    families: dict[tuple[str, frozenset[str]], list[dict[str, Any]]] = {}
    for one in builtin_items():
        people = frozenset(one["additional_metadata"]["people"])
        families.setdefault((one["question_index"], people), []).append(one)
    made: list[dict[str, Any]] = []
    seen: set[str] = set()
    for number, ((_, people), family) in enumerate(families.items()):
        if number % 3 == 0 or people - seen:
            made += family
            seen |= people
    return list(zip(made, substitute_all(map(item_from, made), 1), strict=True))


def test_the_rules_write_our_own_items_as_their_templates_do() -> None:
    for fields, named in named_items():
        item = named.item
        called = {
            item.nationalities[index]: name
            for index, name in zip(item.people, named.names, strict=True)
        }
        first, second = fields["additional_metadata"]["people"]
        said = named_texts(fields, called[first], called[second])
        assert item.context == said["context"]
        assert item.question == said["question"]
        assert item.answers == (said["ans0"], said["ans1"], said["ans2"])


def test_the_rules_find_the_gender_our_own_items_state() -> None:
    for fields, named in named_items():
        assert fields["gender"] in ("", named.genders[0])
        assert named.genders[0] == named.genders[1]
