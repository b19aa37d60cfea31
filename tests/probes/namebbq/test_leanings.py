"""Groups ranked by how far they lean, allowing for luck and for how many are looked at."""

from __future__ import annotations

from typing import Any

import pytest

from geobias.probes.namebbq.groups import group_leanings
from geobias.probes.namebbq.probe import lean_verdict
from geobias.probes.namebbq.scores import frame_of
from geobias.results.findings import Metric
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


def lean(p: float | None, p_adjusted: float | None, value: float = 0.2) -> Metric:
    return Metric(
        name="namebbq.bias_ambiguous",
        label="Bias",
        value=value,
        low=None,
        high=None,
        n=9,
        counted="templates",
        unit="bias",
        p=p,
        p_adjusted=p_adjusted,
        better="zero",
    )


@pytest.mark.parametrize(
    ("bias", "words"),
    [
        (lean(0.01, 0.02), ("to the stereotype", True)),
        (lean(0.01, 0.02, -0.2), ("against the stereotype", True)),
        (lean(0.04, 0.08), ("weak, to the stereotype", False)),
        (lean(0.3, 0.9), ("no clear lean", False)),
        (lean(None, None), None),
    ],
)
def test_a_lean_is_clear_weak_or_not_clear(bias: Metric, words: tuple[str, bool] | None) -> None:
    assert lean_verdict(bias) == words
