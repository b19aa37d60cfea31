"""What must hold for every item of BBQ with names. BBQ's file is not part of geobias."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from geobias.atlas.economies import economies
from geobias.probes.namebbq.items import Item, read_items
from geobias.probes.namebbq.names import names
from geobias.probes.namebbq.substitution import NamedItem, family_of, substitute, substitute_all
from tests.shared_data import shared_data

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


@cache
def _items(path: Path) -> tuple[Item, ...]:
    return read_items(path)


@pytest.fixture(scope="module")
def pairs() -> list[tuple[Item, NamedItem]]:
    """Every item before and after."""
    items = _items(shared_data("bbq/Nationality.jsonl"))
    return list(zip(items, substitute_all(items, 1), strict=True))


def texts(item: Item) -> list[str]:
    return [item.context, item.question, *(item.answers[index] for index in item.people)]


@cache
def whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")


def masked(text: str, both: tuple[str, str]) -> str:
    """The text with @ for each name: names are looked at on their own."""
    for name in both:
        text = whole(name).sub("@", text)
    return text


def test_no_nationality_country_or_part_of_a_phrase_is_left(
    pairs: list[tuple[Item, NamedItem]],
) -> None:
    words = {word for item, _ in pairs for word in item.nationalities} - {""}
    words |= {f"{word}s" for word in words} | {one.name for one in economies().values()}
    words |= {one.demonym for one in economies().values() if one.demonym}
    gone = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(words)))})(?!\w)")
    # Without the names, many texts are the same.
    plain = {masked(text, named.names): text for _, named in pairs for text in texts(named.item)}
    for without, text in plain.items():
        assert not gone.search(without), text
        found = LEFT_BEHIND.search(without)
        assert found is None, f"{found and found[0]!r} in {text!r}"


def test_each_name_is_in_the_context_and_in_its_own_answer_only(
    pairs: list[tuple[Item, NamedItem]],
) -> None:
    for item, named in pairs:
        assert named.names[0] != named.names[1]
        for name, index in zip(named.names, item.people, strict=True):
            assert whole(name).search(named.item.context)
            holds = [place for place in range(3) if whole(name).search(named.item.answers[place])]
            assert holds == [index]


def test_each_mention_of_a_nationality_is_a_mention_of_the_name(
    pairs: list[tuple[Item, NamedItem]],
) -> None:
    for item, named in pairs:
        for name, index in zip(named.names, item.people, strict=True):
            for before, after in zip(texts(item), texts(named.item), strict=True):
                times = len(whole(item.nationalities[index]).findall(before))
                assert len(whole(name).findall(after)) == times


def test_names_are_of_the_nationality_and_the_gender(pairs: list[tuple[Item, NamedItem]]) -> None:
    for item, named in pairs:
        for name, gender, index in zip(named.names, named.genders, item.people, strict=True):
            listed = names()[item.nationalities[index]][gender]
            assert name in {each.name for each in listed}
        if named.gender:
            assert named.genders == (named.gender, named.gender)
        said = re.findall(r"\b(?:woman|girl|girlfriend|she|her)\b", item.context)
        told = re.findall(r"\b(?:man|boy|guy)\b", item.context)
        if said and not told:
            assert named.genders == ("F", "F")
        if told and not said:
            assert named.genders == ("M", "M")


def test_what_is_measured_is_as_it_was(pairs: list[tuple[Item, NamedItem]]) -> None:
    for item, named in pairs:
        after = named.item
        for field in ("example_id", "template", "label", "target", "unknown", "polarity"):
            assert getattr(after, field) == getattr(item, field)
        assert (after.condition, after.nationalities) == (item.condition, item.nationalities)
        assert after.answers[item.unknown] == item.answers[item.unknown]
        assert len(set(after.answers)) == 3


def test_items_of_one_pair_are_about_the_same_people(pairs: list[tuple[Item, NamedItem]]) -> None:
    """The ambiguous context is the beginning of the disambiguated one, names and all."""
    families: dict[tuple[str, str, str], list[NamedItem]] = defaultdict(list)
    for item, named in pairs:
        families[family_of(item)].append(named)
    assert len(families) == 770
    for family in families.values():
        assert len({frozenset(named.names) for named in family}) == 1
        short, long = sorted({named.item.context for named in family}, key=len)
        assert long.startswith(short)


def test_seeds_give_other_people() -> None:
    some = _items(shared_data("bbq/Nationality.jsonl"))[::4]
    for one, other in zip(*(substitute_all(some, seed) for seed in (1, 2)), strict=True):
        for person in (0, 1):
            assert one.names[person] != other.names[person]


def test_one_item_by_itself_reads_like_the_one_in_the_set(
    pairs: list[tuple[Item, NamedItem]],
) -> None:
    for item, named in pairs[::37]:
        alone = substitute(item, 1)
        assert masked(alone.item.context, alone.names) == masked(named.item.context, named.names)
        assert substitute(item, 1) == alone
