from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import polars as pl
import pytest

from geobias.errors import BadRequest
from geobias.probes.derived import lead_of
from geobias.probes.pooling import Pool, pool_of
from geobias.probes.probe import Answers, RunRecords
from geobias.probes.registry import find_probe
from geobias.runfile import Elsewhere, Manifest

FRAME = pl.DataFrame(
    {"indicator": ["gdp"], "country": ["KEN"], "wording": [0], "error": [0.5], "model": [""]}
)
manifest: Callable[..., Manifest] = partial(
    Manifest, geobias="0", created="", probes={}, models={"model": "m"}
)


def pooled(first: dict[str, Any], second: dict[str, Any]) -> Pool[Answers]:
    """The pooled answers of two runs whose manifests have these fields."""
    answers = [
        Answers(model="m", frame=FRAME, records=RunRecords("m", made, {}, (), lambda name: ()))
        for made in (manifest(**first), manifest(**second))
    ]
    probe = find_probe("worldbench")
    lead = lead_of(probe)
    assert lead is not None
    return pool_of(probe, lead, answers)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({"editions": {"figures": "a"}}, {"editions": {"figures": "b"}}, "edition of figures"),
        ({}, {"probes": {"worldbench": {"year": 2016}}}, "year: none and 2016"),
        ({}, {"probes": {"worldbench": {"prompts": "es"}}}, "prompts: standard and es"),
    ],
)
def test_runs_that_cannot_be_compared_or_have_other_words_are_not_pooled(
    first: dict[str, Any], second: dict[str, Any], why: str
) -> None:
    with pytest.raises(BadRequest, match=why):
        pooled(first, second)


@pytest.mark.parametrize(
    ("second", "name"),
    [
        ({"probes": {"worldbench": {"system": "Be brief."}}}, "system Be brief."),
        ({"asked": {"model": {"answer_format": "json"}}}, "answer format json"),
        ({"reading": "2"}, "version of the rules that read replies (`geobias reread RUN`) 2"),
        ({"elsewhere": Elsewhere(file="r.csv")}, "replies made elsewhere"),
        ({"models": {"model": "m", "judge": "j"}}, "judge j"),
    ],
)
def test_a_model_asked_in_two_ways_is_two_models(second: dict[str, Any], name: str) -> None:
    pool = pooled({"reading": "1"}, {"reading": "1"} | second)
    assert f"m ({name})" in pool.models
    assert any("The pooled runs differ in" in note for note in pool.notes)


@pytest.mark.parametrize("settings", [{"seed": 1}, {"size": "paper"}, {"repeats": 2}])
def test_runs_that_draw_or_choose_otherwise_are_of_one_model(settings: dict[str, Any]) -> None:
    assert pooled({}, {"probes": {"worldbench": settings}}).models == ["m"]
