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

LABELLED = [
    json.loads(line)
    for line in Path(__file__).with_name("labelled_wins.jsonl").read_text("utf-8").splitlines()
]
SHARED = Path(os.environ.get("GEOBIAS_DATA", "")) / "games" / "real_turns.jsonl"


@cache
def names(language: str) -> Names:
    return Names(entities(), language)


def read(text: str, entity: str, language: str = "en", *, final: bool = False) -> Reading:
    return read_turn(text, entities()[entity], names(language), final=final)


@cache
def wrong(sort: str, rule: str) -> list[str]:
    found = []
    for one in LABELLED:
        if one["sort"] == sort:
            said = read(one["text"], one["entity"], one["language"], final=one["kind"] == "final")
            got = said.mention if rule == "mention" else said.guess == "yes"
            found += [f"{one['id']}: {one['text']}"] if got != one[rule] else []
    return found


@pytest.mark.parametrize("rule", ["guess", "mention"])
def test_every_ordinary_line_is_read_as_labelled(rule: str) -> None:
    assert wrong("ordinary", rule) == []


@pytest.mark.parametrize("rule", ["guess", "mention"])
def test_nineteen_of_twenty_awkward_lines_are_read_as_labelled(rule: str) -> None:
    awkward = sum(one["sort"] == "awkward" for one in LABELLED)
    assert len(wrong("awkward", rule)) <= 0.05 * awkward, wrong("awkward", rule)


def test_the_labelled_set_is_whole() -> None:
    assert len(LABELLED) >= 739
    assert {one["language"] for one in LABELLED} == set(LANGUAGES)


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
