"""The same trials and counts on a Ray cluster: the same results, also when a node dies."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from geobias import api
from geobias.atlas.entities import read_entities
from geobias.corpus import count, read_counts
from geobias.errors import BudgetReached
from geobias.integrations import ray_engine
from geobias.integrations.ray_engine import share_of
from geobias.models.serving import ChatServer
from geobias.probes import namebbq, worldbench
from geobias.runfile import Manifest, RunWriter
from tests.corpus.made import write_table
from tests.servers import HeldModel
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="the extra [ray] is not installed")

REPO = Path(__file__).parents[2]
ON_CLUSTER = 30
"""Calls that may have been in flight on the node that died: its share of the limiter's start."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., None]]:
    """Give a cluster a task that loses a node; `killed` is called when the node is dead."""
    errors = tmp_path_factory.mktemp("cluster") / "errors.txt"
    with errors.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.integrations.on_a_cluster"],
            cwd=REPO,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    tasks, said = process.stdin, process.stdout

    def until(word: str) -> None:
        """Read on to this word of ours: between them Ray prints lines of its own."""
        assert f"{word}\n" in iter(said.readline, ""), errors.read_text()[-2000:]

    def do(*task: str | int, killed: Callable[[], None] = lambda: None) -> None:
        print(json.dumps(task), file=tasks, flush=True)
        until("killed")
        killed()
        until("done")

    yield do
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors.read_text()[-2000:]


def rows(path: Path) -> list[tuple[Any, ...]]:
    with api.open_run(path) as run:
        return sorted(run.query("SELECT trial, record, replies FROM records"))


def test_a_run_that_loses_a_node_has_the_native_runs_records_and_repeats_only_calls_in_flight(
    chat_server: Callable[..., tuple[str, ChatServer]],
    held_model: Callable[..., HeldModel],
    cluster: Callable[..., None],
    tmp_path: Path,
) -> None:
    model = held_model("sim/biased", answers=40)
    # Processes of a dead node live on for a moment: answers take a while, so that they get few.
    url, server = chat_server(model, latency=0.2)
    cluster("run", url, str(tmp_path / "ray.geobias"), 40, killed=model.allow)
    asked = server.calls
    plans = [worldbench.plan(size="quick"), namebbq.plan(size="quick")]
    api.run(plans, url, tmp_path / "native.geobias")
    assert rows(tmp_path / "ray.geobias") == rows(tmp_path / "native.geobias")
    assert asked - len(rows(tmp_path / "native.geobias")) <= ON_CLUSTER
    assert not (tmp_path / "ray.geobias-parts").exists()


def test_a_count_that_loses_a_node_is_the_native_count(
    cluster: Callable[..., None], tmp_path: Path
) -> None:
    table = read_entities(write_table(tmp_path))
    folder = tmp_path / "corpus"
    folder.mkdir()
    nothing = gzip.compress(b"Nothing of note here.\n" * 200_000, 1)
    for number in range(24):
        named = gzip.compress(b"Fado in Otago.\n" * number)
        (folder / f"{number}.txt.gz").write_bytes(named + nothing)
    cluster("count", str(tmp_path), 4)
    count([folder], table, tmp_path / "native.parquet")
    assert read_counts(tmp_path / "counts.parquet") == read_counts(tmp_path / "native.parquet")
    assert read_counts(tmp_path / "native.parquet")["fado"] == sum(range(24))


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_shares_are_disjoint_and_leave_no_trial_out(workers: int) -> None:
    plan = worldbench.plan(size="quick")
    dealt = [trial.name for index in range(workers) for trial in share_of(plan, index, workers)]
    assert sorted(dealt) == sorted(trial.name for trial in plan.trials())


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
    result = api.run([plan], "sim/fair", tmp_path / "run.geobias")
    assert result.counts["worldbench"].calls == 0
    assert (folder / "part-1.damaged").exists()


def test_limits_count_what_earlier_sessions_used(tmp_path: Path) -> None:
    file = tmp_path / "run.geobias"
    with pytest.raises(BudgetReached):
        api.run(
            [worldbench.plan(size="quick")], "sim/fair", file, options=api.Options(max_calls=40)
        )
    with pytest.raises(BudgetReached, match="--max-calls 40 is reached"):
        ray_engine.run(
            [worldbench.plan(size="quick")], "sim/fair", file, options=api.Options(max_calls=40)
        )


def test_what_a_part_could_not_send_the_whole_owns_up_to(tmp_path: Path) -> None:
    part = tmp_path / "part.geobias"
    RunWriter.open(part, manifest()).close({"calls": 3, "not sent: temperature": 1})
    whole = RunWriter.open(tmp_path / "whole.geobias", manifest())
    whole.absorb(part)
    whole.close({"calls": 5})
    with api.open_run(tmp_path / "whole.geobias") as run:
        assert run.not_sent() == ["temperature"]
        assert run.sessions()[-1].counts == {"calls": 5, "not sent: temperature": 1}
