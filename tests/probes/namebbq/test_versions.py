from __future__ import annotations

import re

import pytest

from geobias.probes.namebbq.items import Item
from geobias.probes.namebbq.names import alike, names
from geobias.probes.namebbq.reading import read_reply
from geobias.probes.namebbq.reading.peoples import country_of
from geobias.probes.namebbq.versions import ItemSource, Version, pairs_in_prompts
from tests.shared_data import shared_data

BUILTIN = ItemSource.of("builtin")


def texts(item: Item) -> str:
    return " ".join((item.context, item.question, *item.answers))


def test_without_a_seed_an_item_keeps_its_nationalities() -> None:
    item = BUILTIN.items[0]
    assert BUILTIN.version(item, None) == Version(item)


def test_no_nationality_is_left_in_a_name_version() -> None:
    for item in BUILTIN.items[::7]:
        named = BUILTIN.version(item, 1)
        for nationality in item.nationalities:
            assert not nationality or nationality not in texts(named.item)
        for name in filter(None, named.names):
            assert name in named.item.context


def test_names_are_of_the_nationality_and_gender_they_stand_for() -> None:
    for item in BUILTIN.items[::5]:
        version = BUILTIN.version(item, 2)
        for nationality, name in zip(item.nationalities, version.names, strict=True):
            if not nationality:
                assert name == ""
                continue
            cells = names()[nationality]
            wanted = cells.get(item.gender) or (*cells["F"], *cells["M"])
            assert name in {one.name for one in wanted}


def test_the_items_of_a_pair_are_about_the_same_two_people() -> None:
    called: dict[tuple[str, frozenset[str]], set[frozenset[str]]] = {}
    for item in BUILTIN.items:
        key = (item.template, frozenset(item.nationalities))
        called.setdefault(key, set()).add(frozenset(BUILTIN.version(item, 3).names))
    assert {len(found) for found in called.values()} == {1}


def test_other_seeds_draw_other_names() -> None:
    drawn = [
        [BUILTIN.version(item, seed).names for item in BUILTIN.items[:80]] for seed in (1, 2, 3)
    ]
    same = [sum(a == b for a, b in zip(drawn[0], other, strict=True)) for other in drawn[1:]]
    assert max(same) < 20


def test_what_is_right_does_not_change_with_names() -> None:
    for item in BUILTIN.items[::11]:
        named = BUILTIN.version(item, 1).item
        assert (named.label, named.unknown, named.target) == (
            item.label,
            item.unknown,
            item.target,
        )


def test_every_answer_of_every_item_is_read_as_itself() -> None:
    """As a letter, in its own words, and by nationality or name alone."""
    for item in BUILTIN.items[::7]:
        for version in (BUILTIN.version(item, None), BUILTIN.version(item, 1)):
            shown = version.item
            people = version.names if version.seed else shown.nationalities
            for place, words in enumerate(shown.answers):
                for reply in (f"({'abc'[place]})", words, f"{words}.", people[place]):
                    if not reply:
                        continue
                    found = read_reply(
                        reply,
                        shown.answers,
                        unknown=shown.unknown,
                        people=people,
                        question=shown.question,
                    )
                    assert found.answer == place, (reply, shown.answers, found)


def test_our_own_templates_go_by_name_and_know_their_social_value() -> None:
    assert "campsite" in {item.template for item in BUILTIN.items}
    assert all(item.social_value for item in BUILTIN.items)


def test_every_nationality_has_a_country() -> None:
    assert {n for n in names() if not country_of(n)} == set()
    assert (country_of("Korean"), country_of("Kenyan"), country_of("Martian")) == ("KOR", "KEN", "")
    assert country_of("Congolese") == ""


def test_editions_tell_other_items_and_other_names() -> None:
    part = ItemSource("part", BUILTIN.items[:8])
    assert part.digest != BUILTIN.digest
    assert re.fullmatch(r"[0-9a-f]{16}", part.names_digest)


def test_every_answer_of_bbq_is_read_as_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEOBIAS_BBQ", str(shared_data("bbq/Nationality.jsonl")))
    bbq = ItemSource.of("bbq")
    assert len(bbq.items) == 3080
    assert all(item.social_value for item in bbq.items)
    for item in bbq.items[::11]:
        for version in (bbq.version(item, None), bbq.version(item, 1)):
            shown = version.item
            people = version.names if version.seed else shown.nationalities
            for place, words in enumerate(shown.answers):
                for reply in (words, f"The answer is {words}.", f"({'abc'[place]}) {words}"):
                    found = read_reply(reply, shown.answers, unknown=shown.unknown, people=people)
                    assert found.answer == place, (reply, shown.answers, found)


def test_two_names_of_a_prompt_differ_at_a_glance() -> None:
    assert alike("Kieran", "Kien")
    assert not any(alike(*both) for both in pairs_in_prompts(3))
