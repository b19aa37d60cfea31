"""What a simulated model knows is what was planted in it."""

from __future__ import annotations

import asyncio
import math
import random
from pathlib import Path

import pytest

from geobias import open_run, run
from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.probes import worldbench
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.simulated import (
    AskedFigure,
    SimulatedKnowledge,
    expected_error,
    planted_error,
    sd_for_error,
)
from geobias.simulated import SimulatedModel
from geobias.trials import Ask, Dialogue


def population(model: SimulatedModel, country: str, **more: float | str) -> str:
    """What it says to a question whose words it does not read."""
    about = AskedFigure("population", country)
    one = Ask(dialogue=Dialogue().user(country), about=about, **more)  # type: ignore[arg-type]
    return asyncio.run(model.answer(one)).text


def test_perfect_recall_gives_the_figure() -> None:
    truth = figures().average("population", "KEN")
    assert truth is not None
    said = population(SimulatedModel("sim/?recall_sd=0"), "KEN")
    assert float(said.replace(",", "")) == pytest.approx(truth, rel=1e-5)


@pytest.mark.parametrize("sd", [0.01, 0.3, 1.0, 3.0])
def test_the_expected_error_is_what_draws_show(sd: float) -> None:
    dice = random.Random(0)
    draws = [1 - math.exp(-abs(dice.gauss(0, sd))) for _ in range(100_000)]
    assert expected_error(sd) == pytest.approx(sum(draws) / len(draws), abs=0.005)


@pytest.mark.parametrize("error", [0.0, 0.05, 0.3, 0.7, 0.95])
def test_the_spread_for_an_error_gives_that_error(error: float) -> None:
    assert expected_error(sd_for_error(error)) == pytest.approx(error, abs=1e-6)


def test_the_measured_error_of_a_group_is_the_planted_one() -> None:
    """Over all figures of the world, to within three standard errors."""
    model = SimulatedModel("sim/?recall_sd=0.2&gap=0.3&against=Africa&seed=5")
    errors = []
    for iso3, economy in economies().items():
        truth = figures().average("population", iso3)
        if economy.continent == "Africa" and truth:
            for draw in range(20):
                text = population(model, iso3, temperature=1.0, draw=str(draw))
                value = float(text.replace(",", ""))
                errors.append(abs(value - truth) / max(value, truth))
    chosen = SimulatedKnowledge(recall_sd=0.2, gap=0.3, against="Africa")
    planted = planted_error(chosen, economies()["KEN"])
    mean = sum(errors) / len(errors)
    sd = math.sqrt(sum((e - mean) ** 2 for e in errors) / len(errors))
    assert abs(mean - planted) < 3 * sd / math.sqrt(len(errors))


def test_abstaining_is_said_in_words() -> None:
    said = population(SimulatedModel("sim/?abstain=1"), "KEN")
    assert not any(c.isdigit() for c in said)


def mean_error(folder: Path, model: str, **settings: object) -> float:
    """Of a run with population, GDP and renewable energy of a few economies."""
    out = folder / f"{len(list(folder.iterdir()))}.geobias"
    run([worldbench.plan(**settings)], model, out)
    with open_run(out) as reader:
        frame = frame_of(reader.records("worldbench"))
    assert frame["error"].null_count() == 0
    return float(frame["error"].mean())  # type: ignore[arg-type]


def test_with_the_right_statement_before_it_its_error_falls(tmp_path: Path) -> None:
    pytest.importorskip("bm25s")
    model = "sim/?recall_sd=0.5"
    assert mean_error(tmp_path, model) > 0.2
    # A share of 0.003% stands as 0.00 in its statement, which is wholly wrong.
    assert mean_error(tmp_path, model, retrieve=3) < 0.02


def test_asked_for_a_year_it_recalls_that_year(tmp_path: Path) -> None:
    asked = {"indicators": ["renewable_energy"], "year": 2014}
    assert mean_error(tmp_path, "sim/?recall_sd=0", **asked) < 1e-4
    assert mean_error(tmp_path, "sim/?recall_sd=0", **asked, ground_truth="average") > 0.02


def test_indicators_of_ones_own_are_known_to_it_by_the_figures_file(tmp_path: Path) -> None:
    own, table = tmp_path / "own.toml", tmp_path / "own.csv"
    own.write_text('[hens]\ncode = "HENS"\nphrase = "number of hens"\nunit = "hens"\n')
    rows = [f"hens,{iso3},1,{n * 1000 + 500}" for n, iso3 in enumerate(("CHE", "KEN", "PER"))]
    table.write_text("indicator,iso3,edition,2022\n" + "\n".join(rows) + "\n")
    asked = {"indicators": ["hens"], "size": "paper", "indicator_file": own, "figures": table}
    known = f"sim/?recall_sd=0&figures={table}"
    assert mean_error(tmp_path, known, **asked) < 1e-4
    out = tmp_path / "unknown.geobias"
    run([worldbench.plan(**asked)], "sim/?recall_sd=0", out)
    with open_run(out) as reader:
        assert {one["outcome"] for one in reader.records()} == {"abstained"}
