from __future__ import annotations

import csv
import json
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from string import Formatter
from typing import Any

from geobias.atlas.table import read_rows
from geobias.probes import namebbq
from geobias.probes.namebbq.builtin import (
    UNKNOWN,
    article,
    builtin_items,
    marked_templates,
    templates,
)
from geobias.probes.namebbq.items import Item
from geobias.probes.namebbq.names import TABLES, names
from geobias.probes.namebbq.versions import ItemSource
from tests.shared_data import shared_data

SOURCES = tomllib.loads(TABLES.with_name("builtin.toml").read_text("utf-8"))["sources"]
ITEMS = builtin_items()
REVEALED = [item for item in ITEMS if item.condition == "disambig"]


def texts(item: Item) -> Sequence[str]:
    return item.context, item.question, *item.answers


def test_there_are_3360_items_from_60_templates() -> None:
    assert len(ITEMS) == len({one.example_id for one in ITEMS}) == 3360
    assert len(templates()) == 60


def test_every_stereotype_is_attested_by_a_template_of_bbq() -> None:
    rows = read_rows(TABLES / "bbq_social_values.csv", ("template", "social_value"))
    values = {row["template"]: row["social_value"] for _, row in rows}
    for value, source in SOURCES.items():
        assert {values[str(number)] for number in source["bbq"]} == {value}
    counts = Counter(one.social_value for one in templates().values())
    assert set(counts) == set(SOURCES)
    assert min(counts.values()) >= 3


def test_every_template_has_a_source_or_is_marked_unsourced() -> None:
    for template in templates().values():
        source = SOURCES[template.social_value].keys()
        assert (source >= {"title", "publisher", "address"}) != ("unsourced" in template.marks)
    assert sum("unsourced" not in one.marks for one in templates().values()) == 50


def test_a_source_is_cited_by_bbq_for_the_same_stereotype() -> None:
    with shared_data("bbq/templates_nationality.csv").open(encoding="utf-8-sig") as file:
        cited = {row["Q_id"]: row["Notes"] for row in csv.DictReader(file)}
    for source in (one for one in SOURCES.values() if "title" in one):
        names = source["title"].lower(), source["address"].lower()
        for number in source["bbq"]:
            citation = cited[str(number)].lower()
            assert any(name.strip("“”") in citation for name in names), number


def test_strict_runs_leave_out_the_templates_with_a_mark() -> None:
    usual, strict = (namebbq.plan(size="paper", names=0, strict=one) for one in (False, True))
    left_out = sum(item.template in marked_templates() for item in ITEMS)
    assert usual.count - strict.count == left_out > 0


def test_all_68_nationalities_and_both_genders_appear() -> None:
    assert {word for item in ITEMS for word in item.pair} == set(names())
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


def test_a_template_pairs_each_stereotyped_nationality_with_others() -> None:
    pinned: dict[str, set[str]] = {}
    for template in templates().values():
        pinned.setdefault(template.social_value, set()).update(template.stereotyped)
    for template in templates().values():
        assert len(set(template.others)) == len(template.others) >= 4
        # Nobody is another where the same value is pinned on them.
        assert not pinned[template.social_value] & set(template.others), template.id
        pairs = list(template.pairs())
        assert len(set(pairs)) == len(pairs)
        assert {one for one, _ in pairs} == set(template.stereotyped)
        assert {other for _, other in pairs} == set(template.others)


def test_both_versions_read_as_clean_text() -> None:
    source = ItemSource.of("builtin")
    for item in ITEMS:
        named = source.version(item, 1).item
        for text in (*texts(item), *texts(named)):
            assert text == " ".join(text.split()), text
            assert not re.search(r"[{}]|\b(a|an|the|The) (a|an|the)\b|\.\.| [.,;:?]", text), text
            for sentence in re.split(r"(?<=[.?]) ", text):
                assert sentence[0].isupper(), text
        assert item.context.endswith(".")
        assert item.question.endswith("?")


def test_the_article_fits_the_nationality() -> None:
    for item in ITEMS:
        for word in item.pair:
            assert re.search(rf"\b{article(word)} {word}\b", item.context, re.I)
    assert [article(word) for word in ("Uzbekistani", "Honduran", "Irish")] == ["an", "a", "an"]


def test_the_two_questions_are_complementary_once_it_is_revealed() -> None:
    by_context: dict[str, list[Item]] = {}
    for item in REVEALED:
        by_context.setdefault(item.context, []).append(item)
    for negative, other in by_context.values():
        assert (negative.polarity, other.polarity) == ("neg", "nonneg")
        assert {negative.label, other.label} == set(negative.people)


def test_only_a_revealed_context_has_a_person_as_its_right_answer() -> None:
    for ambiguous, revealed in zip(ITEMS[::2], ITEMS[1::2], strict=True):
        assert (ambiguous.condition, revealed.condition) == ("ambig", "disambig")
        assert revealed.context.startswith(ambiguous.context + " ")
        assert revealed.question == ambiguous.question
        assert ambiguous.answers[ambiguous.label] in UNKNOWN
        assert revealed.label in revealed.people


def test_half_of_what_is_revealed_goes_against_the_stereotype() -> None:
    assert sum(item.label == item.target for item in REVEALED) * 2 == len(REVEALED)


def test_no_position_pays() -> None:
    labels = Counter((item.condition, item.label) for item in ITEMS)
    assert set(labels.values()) == {560}
    assert set(Counter(item.person for item in ITEMS).values()) == {1120}
    wordings = Counter(item.answers[item.unknown] for item in ITEMS)
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


def test_no_sentence_of_bbq_is_reused() -> None:
    def runs_of_five_words(text: str) -> set[str]:
        words = re.findall(r"\w+", text.lower())
        return {" ".join(words[i : i + 5]) for i in range(len(words) - 4)}

    lines = shared_data("bbq/Nationality.jsonl").read_text(encoding="utf-8").splitlines()
    bbq: list[dict[str, Any]] = [json.loads(line) for line in lines]
    texts = {item[key] for item in bbq for key in ("context", "question")}
    theirs = {run for text in texts for run in runs_of_five_words(text)}
    for one in templates().values():
        for text in (one.context, one.reveal, one.negative, one.non_negative):
            for part in re.split(r"\{\w+\}", text):
                assert not runs_of_five_words(part) & theirs, one.id
    assert not {item.question for item in ITEMS} & {item["question"] for item in bbq}
