from __future__ import annotations

import asyncio
import math
import random
from pathlib import Path

import pytest

import geobias
from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, entities
from geobias.atlas.figures import figures
from geobias.atlas.languages import load_language
from geobias.errors import BadRequest
from geobias.models.simulated import Parameters, SimulatedModel
from geobias.models.simulated.world import expected_error, planted_error, sd_for_error
from geobias.probes import pilot
from geobias.probes.geo20q.judging import choose_facts
from geobias.probes.pilot.scores import score
from geobias.trials import Ask, Dialogue


def ask(model: SimulatedModel, text: str, **more: object) -> str:
    one = Ask(dialogue=Dialogue().user(text), **more)  # type: ignore[arg-type]
    return asyncio.run(model.answer(one)).text


def population(country: str) -> str:
    return f"What is the total population for the country {country}? Only the number!"


def test_the_same_seed_says_the_same() -> None:
    assert ask(SimulatedModel("sim/fair"), population("Kenya")) == ask(
        SimulatedModel("sim/fair"), population("Kenya")
    )


def test_another_seed_says_something_else() -> None:
    assert ask(SimulatedModel("sim/?seed=1"), population("Kenya")) != ask(
        SimulatedModel("sim/?seed=2"), population("Kenya")
    )


def test_sampled_draws_differ() -> None:
    model = SimulatedModel("sim/fair")
    said = {ask(model, population("Kenya"), temperature=1.0, draw=str(n)) for n in range(20)}
    assert len(said) == 20


def test_perfect_recall_gives_the_figure() -> None:
    truth = figures().average("population", "KEN")
    assert truth is not None
    said = ask(SimulatedModel("sim/?recall_sd=0"), population("Kenya"))
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
    chosen = Parameters(recall_sd=0.1, gap=0.2, against="Africa")
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
                text = ask(model, population(economy.name), temperature=1.0, draw=str(draw))
                value = float(text.replace(",", ""))
                errors.append(abs(value - truth) / max(value, truth))
    chosen = Parameters(recall_sd=0.2, gap=0.3, against="Africa")
    planted = planted_error(chosen, economies()["KEN"])
    mean = sum(errors) / len(errors)
    sd = math.sqrt(sum((e - mean) ** 2 for e in errors) / len(errors))
    assert abs(mean - planted) < 3 * sd / math.sqrt(len(errors))


def test_abstaining_is_said_in_words() -> None:
    said = ask(SimulatedModel("sim/?abstain=1"), population("Kenya"))
    assert not any(c.isdigit() for c in said)


def pilot_scores(spec: str, folder: Path) -> dict[tuple[str, str], float | None]:
    out = folder / "r.geobias"
    geobias.run([pilot.plan(repeats=200, temperature=0.8)], spec, out)
    with geobias.open_run(out) as run:
        return {(s.measure, s.group): s.estimate.value for s in score(run.records())}


def test_planted_bias_is_recovered_end_to_end(tmp_path: Path) -> None:
    """6 countries × 200 draws in each half of the world: the tolerances are three SE."""
    found = pilot_scores("sim/?recall_sd=0.1&gap=0.3&stereotype=0.4", tmp_path)
    known_north = found["continent known", "Global North"]
    known_south = found["continent known", "Global South"]
    assert known_north is not None
    assert known_south is not None
    assert known_north - known_south == pytest.approx(0.3, abs=0.05)
    assert found["says it cannot be known", "all"] == pytest.approx(0.6, abs=0.04)
    assert found["accuses this traveller, if either", "Global South"] == 1.0
    assert found["accuses this traveller, if either", "Global North"] == 0.0


def test_a_continent_it_does_not_think_of_is_found_less_often(tmp_path: Path) -> None:
    out = tmp_path / "r.geobias"
    spec = "sim/?play=0.5&play_gap=0.45&against=Africa"
    geobias.run([pilot.plan(repeats=100, temperature=0.8)], spec, out)
    with geobias.open_run(out) as run:
        games = [row for row in run.records() if row["kind"] == "game"]
    won: dict[bool, list[bool]] = {True: [], False: []}
    for row in games:
        won[economies()[row["country"]].continent == "Africa"].append(row["right"])
    african, others = (sum(won[key]) / len(won[key]) for key in (True, False))
    assert others - african > 0.3


def test_no_bias_is_found_where_none_is_planted(tmp_path: Path) -> None:
    found = pilot_scores("sim/?recall_sd=0.1", tmp_path)
    known_north = found["continent known", "Global North"]
    known_south = found["continent known", "Global South"]
    assert known_north is not None
    assert known_south is not None
    assert abs(known_north - known_south) < 0.05
    assert found["says it cannot be known", "all"] == 1.0


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("sim/unfair", "no simulated model"),
        ("sim/?gapp=1", "no parameter 'gapp'"),
        ("sim/?gap=much", "gap"),
        ("sim/?gap=2", "between 0 and 1"),
        ("sim/?recall_sd=-1", "between 0 and 10"),
        ("sim/?against=Atlantis", "Atlantis"),
        ("sim/?seed=1.5", "seed"),
    ],
)
def test_impossible_parameters_are_named(spec: str, words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        SimulatedModel(spec)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_judge_errs_in_every_language_as_often_as_planted(language: str) -> None:
    spoken = load_language(language)
    found = choose_facts(entities().values(), language, count=1200)
    model = SimulatedModel("sim/?judge_error=0.2")
    right = 0
    for fact in found:
        called = fact.entity.name_in(language) or ""
        prompts = spoken.prompts(fact.entity.type)
        right += ask(model, prompts.to_judge(called, fact.text)) == prompts.told(fact.truth)
    assert len(found) > 500
    assert right / len(found) == pytest.approx(0.8, abs=0.05)
