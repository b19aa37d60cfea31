from __future__ import annotations

import asyncio
from pathlib import Path

import polars as pl
import pytest

import geobias
from geobias.probes import geo20q, namebbq, worldbench


def test_a_run_becomes_a_frame_of_one_row_per_trial(path: Path) -> None:
    plan = namebbq.plan(names=0)
    geobias.run([plan], "sim/fair", path)
    with geobias.open_run(path) as run:
        frame = run.frame()
    assert frame.height == plan.count
    assert frame.schema["country"] == pl.String
    assert frame.schema["correct"] == pl.Boolean


def test_a_run_can_be_made_where_a_loop_is_running_already(path: Path) -> None:
    plan = worldbench.plan(indicators=["population"], countries=["KEN", "PER", "FRA"])

    async def notebook() -> geobias.Result:
        return geobias.run([plan], "sim/fair", path)

    assert asyncio.run(notebook()).counts["worldbench"].done == 3


def test_a_run_without_a_path_is_named_for_all_of_its_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = geo20q.plan(entities="Taj Mahal", judge_questions=0)
    for judge in ("sim/fair", "sim/biased"):
        made = geobias.run([plan], {"model": "sim/fair", "judge": judge})
        assert made.path.stem == f"geo20q-sim-fair+sim-{judge[4:]}"
