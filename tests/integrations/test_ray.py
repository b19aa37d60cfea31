"""The same trials on a Ray cluster: the same results, also when a node dies."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from geobias import api
from geobias.engine import Budget, Counts
from geobias.errors import BudgetReached
from geobias.integrations import ray_engine
from geobias.probes import namebbq, worldbench
from geobias.runfile import Manifest, RunWriter
from tests.integrations.conftest import Cluster
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="the extra [ray] is not installed")

ON_CLUSTER = 30
"""Calls that may have been in flight on the node that died: its share of the limiter's start."""


@dataclass
class Survived:
    """What a run left behind on a cluster that lost a node on the way."""

    url: str
    run: Path
    asked: int


@pytest.fixture(scope="module")
def survived(cluster: Cluster) -> Survived:
    # Around this word Ray prints lines of its own.
    assert cluster.process.stdout is not None
    killed = "killed\n" in iter(cluster.process.stdout.readline, "")
    assert killed, cluster.errors.read_text()[-2000:]
    cluster.model.allow()
    cluster.process.communicate(timeout=PATIENCE)
    assert cluster.process.returncode == 0, cluster.errors.read_text()[-2000:]
    asked, cluster.model.latency = cluster.server.calls, 0.0
    return Survived(cluster.url, cluster.out, asked)


def rows(path: Path) -> list[tuple[Any, ...]]:
    with api.open_run(path) as run:
        return sorted(run.query("SELECT trial, record, replies FROM records"))


def test_a_run_that_loses_a_node_has_the_native_runs_records_and_repeats_only_calls_in_flight(
    survived: Survived, tmp_path: Path
) -> None:
    plans = [worldbench.plan(size="quick"), namebbq.plan(size="quick")]
    native = tmp_path / "native.geobias"
    api.run(plans, survived.url, native, options=api.Options(concurrency=100))
    assert rows(survived.run) == rows(native)
    assert survived.asked - len(rows(native)) <= ON_CLUSTER
    assert not survived.run.with_name("ray.geobias-parts").exists()


def manifest() -> Manifest:
    return Manifest(geobias="0", created="", probes={}, models={"model": "m"})


def test_absorbing_a_part_twice_changes_nothing(tmp_path: Path) -> None:
    plans = [worldbench.plan(size="quick")]
    part = tmp_path / "part.geobias"
    api.run(plans, "sim/fair", part)
    whole = RunWriter.open(tmp_path / "whole.geobias", manifest())
    whole.absorb(part)
    whole.absorb(part)
    whole.close()
    assert rows(tmp_path / "whole.geobias") == rows(part)


def test_a_native_resume_takes_over_the_parts_of_a_killed_cluster_run(tmp_path: Path) -> None:
    plan = worldbench.plan(size="quick")
    folder = tmp_path / "run.geobias-parts"
    api.run([plan], "sim/fair", folder / "part-0.geobias")
    (folder / "part-1.geobias").write_bytes(b"")
    counts = {"worldbench": Counts(planned=plan.count)}
    ray_engine._count(tmp_path / "run.geobias", counts)
    assert (counts["worldbench"].done, counts["worldbench"].asks) == (plan.count, plan.count)
    result = api.run([plan], "sim/fair", tmp_path / "run.geobias")
    assert result.counts["worldbench"].calls == 0
    assert (folder / "part-1.damaged").exists()


def test_limits_count_what_earlier_sessions_used(path: Path) -> None:
    with pytest.raises(BudgetReached):
        api.run(
            [worldbench.plan(size="quick")], "sim/fair", path, options=api.Options(max_calls=40)
        )
    with pytest.raises(BudgetReached, match="--max-calls 40"):
        ray_engine.run(
            [worldbench.plan(size="quick")], "sim/fair", path, options=api.Options(max_calls=40)
        )


def test_fewer_tokens_left_than_workers_still_make_a_limit_for_each() -> None:
    portion = ray_engine._portion(api.Options(max_tokens=5, max_cost=1.0), Budget(), 10)
    assert (portion.max_tokens, portion.max_cost) == (1, 0.1)


def test_what_a_part_could_not_send_the_whole_owns_up_to(tmp_path: Path) -> None:
    part = tmp_path / "part.geobias"
    RunWriter.open(part, manifest()).close({"calls": 3, "not sent: temperature": 1})
    whole = RunWriter.open(tmp_path / "whole.geobias", manifest())
    whole.absorb(part)
    whole.close({"calls": 5})
    with api.open_run(tmp_path / "whole.geobias") as run:
        assert run.not_sent() == ["temperature"]
        assert run.sessions()[-1].counts == {"calls": 5, "not sent: temperature": 1}
