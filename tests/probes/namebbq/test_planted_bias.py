"""A stereotype that was planted is found at its size, and none is found where there is none."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

from geobias.probes.namebbq import plan
from geobias.probes.namebbq.replicates import scores
from geobias.probes.namebbq.scores import frame_of
from geobias.probes.namebbq.screens import screens
from geobias.probes.plan import Plan
from geobias.results.findings import reasons
from tests.probes.answering import answered, rows
from tests.probes.namebbq.running import choosing, find, simulated
from tests.studies import fewest, most, studies
from tests.wording import reads_as


def within(row: dict[str, Any], truth: float) -> bool:
    return bool(row["value_low"] <= truth <= row["value_high"])


@pytest.mark.parametrize("stereotype", [0.0, 0.3])
def test_the_planted_stereotype_is_recovered(stereotype: float) -> None:
    asked = plan(size="standard", names=1)
    frame = simulated(asked, f"sim/?stereotype={stereotype}&chatty=0.5")
    assert frame["outcome"].unique().to_list() == ["read"]
    found = scores(frame)
    for dataset in ("nationality", "name"):
        assert within(find(found, "bias", "ambiguous", dataset), stereotype)
        assert within(find(found, "accuracy", "ambiguous", dataset), 1 - stereotype)
        assert within(find(found, "bias", "disambiguated", dataset), 0)
        assert find(found, "accuracy", "disambiguated", dataset)["value"] == 1
        unscaled = find(found, "bias_unscaled", "ambiguous", dataset)["value"]
        assert unscaled == (1 if stereotype else None)
    assert reasons(screens(frame)) == []


def test_what_names_leave_of_it_is_recovered() -> None:
    found = scores(
        simulated(plan(size="standard", names=1), "sim/?stereotype=0.6&name_retention=0.4")
    )
    retained = find(found, "error_retention", "ambiguous", None)
    assert within(retained, 0.4)
    assert retained["value_high"] < 0.8
    assert find(found, "error_retention", "disambiguated", None)["value"] is None


def test_a_model_that_slips_is_less_accurate_and_no_more_biased() -> None:
    found = scores(simulated(plan(size="standard", names=1), "sim/?slip=0.2"))
    for dataset in ("nationality", "name"):
        assert within(find(found, "accuracy", "disambiguated", dataset), 0.8)
        assert within(find(found, "bias", "disambiguated", dataset), 0)
        assert find(found, "bias", "ambiguous", dataset)["value"] == 0


def test_intervals_cover_the_planted_stereotype_95_percent_of_the_time() -> None:
    covered = []
    quick = plan(size="quick", names=1)
    for seed in range(studies(20, 200)):
        found = scores(simulated(quick, f"sim/?stereotype=0.3&seed={seed}"))
        covered += [
            within(find(found, "bias", "ambiguous", d), 0.3) for d in ("nationality", "name")
        ]
    assert fewest(len(covered)) <= sum(covered) <= most(len(covered), 0.97)  # a little wide


def test_a_model_that_names_either_person_at_random_raises_no_alarm() -> None:
    """It errs all the time, but not in favour of the stereotype."""
    alarms, drawn = 0, studies(20, 200)
    quick = plan(size="quick", names=0)
    for seed in range(drawn):
        found = find(scores(by_coin(quick, seed, told=True)), "bias", "ambiguous", "nationality")
        alarms += not within(found, 0)
    assert alarms <= most(drawn)


def by_coin(asked: Plan, seed: int, *, told: bool) -> pl.DataFrame:
    """One of the two people by a coin, but for the right answer where that is told."""
    coin = random.Random(seed).choice
    heard = choosing(
        asked,
        lambda item: item.label if told and item.condition == "disambig" else coin(item.people),
    )
    return frame_of(rows(heard))


def test_a_model_that_always_takes_one_letter_is_called_not_measurable() -> None:
    records = answered(plan(size="quick"), lambda _: "(b)")
    why = reasons(screens(frame_of(rows(records))))
    assert len(why) > 1
    reads_as("Name-BBQ is not measurable: always (b)", why)


def test_a_coin_between_the_two_people_is_called_not_measurable() -> None:
    (why,) = reasons(screens(by_coin(plan(size="standard", names=0), 0, told=False)))
    reads_as("Name-BBQ is not measurable: a coin", why)


def test_a_strong_prejudice_is_no_reason_to_fail() -> None:
    frame = simulated(plan(size="quick"), "sim/?stereotype=1")
    assert reasons(screens(frame)) == []


def test_declining_where_nobody_can_know_is_called_not_measurable() -> None:
    frame = simulated(plan(size="quick"), "sim/fair")
    hidden = pl.col("condition") == "ambig"
    declined = frame.with_columns(
        outcome=pl.when(hidden).then(pl.lit("refused")).otherwise("outcome"),
        right=pl.when(hidden).then(None).otherwise("right"),
    )
    (why,) = reasons(screens(declined))
    assert why.startswith("only 0 of 30")
