from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from geobias.probes.namebbq.items import Item, choose_items
from geobias.probes.namebbq.versions import ItemSource


def items() -> Sequence[Item]:
    return ItemSource.of("builtin").items


@pytest.mark.parametrize(("size", "least", "most"), [("quick", 50, 70), ("standard", 500, 700)])
def test_a_size_has_about_as_many_items_as_it_says(size: str, least: int, most: int) -> None:
    assert least <= len(choose_items(items(), size)) <= most


def test_the_paper_size_is_every_item() -> None:
    assert choose_items(items(), "paper") == list(items())


@pytest.mark.parametrize("size", ["quick", "standard"])
def test_a_sample_is_balanced_in_context_question_and_truth(size: str) -> None:
    chosen = choose_items(items(), size)
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


def test_everybody_gets_the_same_sample() -> None:
    again = choose_items(tuple(ItemSource.of("builtin").items), "quick")
    assert [item.example_id for item in again] == [
        item.example_id for item in choose_items(items(), "quick")
    ]


def test_a_file_smaller_than_the_size_is_asked_in_full() -> None:
    assert choose_items(items()[:8], "quick") == list(items()[:8])
