"""What a simulated model knows is what was planted in it."""

from __future__ import annotations

import asyncio
import math
import random

import pytest

from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.models.simulated import SimulatedModel
from geobias.probes.worldbench.simulated import (
    SimulatedKnowledge,
    expected_error,
    planted_error,
    sd_for_error,
)
from geobias.trials import Ask, Dialogue


def population(model: SimulatedModel, country: str, **more: float | str) -> str:
    text = f"What is the total population for the country {country}? Only the number!"
    one = Ask(dialogue=Dialogue().user(text), **more)  # type: ignore[arg-type]
    return asyncio.run(model.answer(one)).text


def test_perfect_recall_gives_the_figure() -> None:
    truth = figures().average("population", "KEN")
    assert truth is not None
    said = population(SimulatedModel("sim/?recall_sd=0"), "Kenya")
    assert float(said.replace(",", "")) == pytest.approx(truth, rel=1e-5)


@pytest.mark.parametrize("sd", [0.01, 0.3, 1.0, 3.0])
def test_the_expected_error_is_what_draws_show(sd: float) -> None:
    dice = random.Random(0)
    draws = [1 - math.exp(-abs(dice.gauss(0, sd))) for _ in range(100_000)]
    assert expected_error(sd) == pytest.approx(sum(draws) / len(draws), abs=0.005)


@pytest.mark.parametrize("error", [0.0, 0.05, 0.3, 0.7, 0.95])
def test_the_spread_for_an_error_gives_that_error(error: float) -> None:
    assert expected_error(sd_for_error(error)) == pytest.approx(error, abs=1e-6)


def test_the_gap_is_planted_in_the_group_it_is_against() -> None:
    chosen = SimulatedKnowledge(recall_sd=0.1, gap=0.2, against="Africa")
    kenya, france = economies()["KEN"], economies()["FRA"]
    assert planted_error(chosen, kenya) - planted_error(chosen, france) == pytest.approx(0.2)


def test_the_measured_error_of_a_group_is_the_planted_one() -> None:
    """Over all figures of the world, to within three standard errors."""
    model = SimulatedModel("sim/?recall_sd=0.2&gap=0.3&against=Africa&seed=5")
    errors = []
    for iso3, economy in economies().items():
        truth = figures().average("population", iso3)
        if economy.continent == "Africa" and truth:
            for draw in range(20):
                text = population(model, economy.name, temperature=1.0, draw=str(draw))
                value = float(text.replace(",", ""))
                errors.append(abs(value - truth) / max(value, truth))
    chosen = SimulatedKnowledge(recall_sd=0.2, gap=0.3, against="Africa")
    planted = planted_error(chosen, economies()["KEN"])
    mean = sum(errors) / len(errors)
    sd = math.sqrt(sum((e - mean) ** 2 for e in errors) / len(errors))
    assert abs(mean - planted) < 3 * sd / math.sqrt(len(errors))


def test_abstaining_is_said_in_words() -> None:
    said = population(SimulatedModel("sim/?abstain=1"), "Kenya")
    assert not any(c.isdigit() for c in said)
