"""Groups ranked by how far they lean, allowing for luck and for how many are looked at."""

from __future__ import annotations

from typing import Any

import pytest

from geobias.probes.namebbq.leanings import group_leanings, lean_in_words
from geobias.probes.namebbq.scores import frame_of
from tests.probes.namebbq.running import row


def answers(nationality: str, *words: str) -> list[dict[str, Any]]:
    return [row(word, template=f"t{n}", nationality=nationality) for n, word in enumerate(words)]


def many() -> list[dict[str, Any]]:
    """Six nationalities of ten templates, which lean more and more, and one of a single one."""
    found = []
    for i, nationality in enumerate(("Danish", "Thai", "Dutch", "Kenyan", "Indian", "Polish")):
        found += answers(nationality, *["target"] * (3 + i), *["other"] * (7 - i))
    return [*found, *answers("French", "target")]


def test_one_lucky_template_does_not_top_the_ranking() -> None:
    table = group_leanings(frame_of(many()), "nationality")
    assert table.sort("bias_ambiguous")["nationality"][-1] == "French"
    assert table["nationality"][0] == "Polish"


def test_a_pooled_bias_lies_between_its_own_and_the_others() -> None:
    table = group_leanings(frame_of(many()), "nationality")
    polish = table.row(0, named=True)
    assert 0.1 < polish["pooled"] < polish["bias_ambiguous"] == pytest.approx(0.6)
    assert polish["pooled_low"] < polish["pooled"] < polish["pooled_high"]


def test_datasets_are_pooled_apart() -> None:
    alone = group_leanings(frame_of(many()), "nationality")
    named = [row("target", dataset="name", template=f"t{n}") for n in range(5)]
    both = group_leanings(frame_of([*many(), *named]), "nationality")
    assert both.height == alone.height + 1
    assert both.filter(dataset="nationality").equals(alone)


def test_a_group_without_an_answer_is_undefined_and_last() -> None:
    table = group_leanings(frame_of([*many(), *answers("Malian", "nothing")]), "nationality")
    assert table["nationality"][-1] == "Malian"
    assert table.row(-1, named=True)["bias_ambiguous"] is None


def test_nothing_asked_gives_no_group() -> None:
    assert group_leanings(frame_of([]), "region").height == 0


def test_a_lean_that_only_the_interval_sees_is_not_called_one() -> None:
    assert lean_in_words(0.5, 0.001, 0.26) == "a lean that may be chance"
    assert lean_in_words(0.01, 0.1, 0.26) == "follows the stereotype"
    assert lean_in_words(0.01, -0.3, -0.1) == "goes against the stereotype"
    assert lean_in_words(0.01, -0.1, 0.3) == "no lean that templates agree on"
    assert lean_in_words(0.01, None, None) == "too few templates for an interval"
