from __future__ import annotations

import asyncio
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
import pytest

import geobias
from geobias.atlas.economies import economies
from geobias.probes import geo20q, worldbench
from geobias.probes.worldbench.simulated import AskedFigure
from geobias.simulated import FILLER, SimulatedModel
from geobias.trials import Ask, Dialogue
from tests.probes.geo20q.made import write_table

KENYA = AskedFigure("population", "KEN")


def ask(model: SimulatedModel, about: object, **more: object) -> str:
    one = Ask(dialogue=Dialogue().user("?"), about=about, **more)  # type: ignore[arg-type]
    return asyncio.run(model.answer(one)).text


@pytest.mark.parametrize("about", [None, {}, {"asks": "worldbench"}, {"asks": "nothing we know"}])
def test_whoever_does_not_say_what_is_asked_about_gets_an_empty_phrase(about: object) -> None:
    said = ask(SimulatedModel("sim/fair"), about)
    assert said in FILLER


def test_what_came_through_a_server_is_answered_alike() -> None:
    told = msgspec.to_builtins(KENYA)
    assert ask(SimulatedModel("sim/fair"), told) == ask(SimulatedModel("sim/fair"), KENYA)


@pytest.mark.parametrize("gap", [0.3, 0.0])
def test_a_planted_gap_is_recovered_end_to_end(gap: float, path: Path) -> None:
    """432 figures: the tolerance is three SE or less."""
    plan = worldbench.plan(size="paper", indicators=["population"], repeats=2)
    geobias.run([plan], f"sim/?recall_sd=0.1&gap={gap}", path)
    errors: dict[str | None, list[float]] = {}
    with geobias.open_run(path) as run:
        for row in run.records("worldbench"):
            errors.setdefault(economies()[row["country"]].north_south, []).append(row["error"])
    south, north = (fmean(errors[f"Global {half}"]) for half in ("South", "North"))
    assert south - north == pytest.approx(gap, abs=0.05)


def test_a_continent_it_does_not_think_of_is_found_less_often(tmp_path: Path) -> None:
    table, out = write_table(tmp_path / "made.csv", 1, countries=120), tmp_path / "r.geobias"
    spec = f"sim/?play=0.5&play_gap=0.45&against=Africa&entities={table}"
    settings: dict[str, Any] = {"setting": "canonical", "type": "people", "judge_questions": 0}
    games = geo20q.plan(entities=str(table), design="countries", each=1, **settings)
    geobias.run([games], spec, out)
    won: dict[bool, list[bool]] = {True: [], False: []}
    with geobias.open_run(out) as run:
        for row in run.records("geo20q"):
            african = economies()[row["country"]].continent == "Africa"
            won[african].append(row["canonical"] == "won")
    assert fmean(won[False]) - fmean(won[True]) > 0.3
