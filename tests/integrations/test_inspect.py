"""The probes inside Inspect AI, its logs in ours, and its models in our commands."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from geobias import api
from geobias.models.serving import ChatServer
from geobias.probes import namebbq, worldbench
from geobias.probes.plan import Plan
from geobias.probes.registry import probe_names
from geobias.runfile import RunReader
from tests.cli.running import geobias
from tests.probes.namebbq.made import line, write
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason="the extra [inspect] is not installed"
)
if not entry_points(group="inspect_ai", name="geobias"):
    pytest.skip("geobias is not installed here, so Inspect cannot find it", allow_module_level=True)


def rows(run: RunReader) -> list[tuple[Any, ...]]:
    return sorted(run.query("SELECT trial, record, replies FROM records"))


MODEL = "sim/biased?abstain=0.5"
COUNTRIES = ["BRA", "CHN", "FRA", "IND", "KEN", "NGA", "PER", "USA"]
SETTINGS: dict[str, tuple[Callable[..., Plan], dict[str, Any]]] = {
    "worldbench": (
        lambda **_: worldbench.plan(indicators=["gdp", "population"], countries=COUNTRIES),
        {"indicators": "gdp,population", "countries": ",".join(COUNTRIES)},
    ),
    "namebbq": (
        lambda items: namebbq.plan(items=items, names=0, repeats=2, temperature=0.8),
        {"names": 0, "repeats": 2, "temperature": 0.8},
    ),
}
"""As Python and as Inspect write the same plan; Name-BBQ's also has items of its own."""
LIMITED = "eval geobias/worldbench --model geobias/sim/biased --limit 5 --epochs 2"
"""As a user writes it; in its log are more epochs than one, and fewer trials than planned."""


EVALS = """
import json, runpy, sys
from inspect_ai import eval
quiet = {"display": "plain", "log_realtime": False, "score_display": False}
for task, options in json.loads(sys.argv[2]).items():
    eval(f"geobias/{task}", model=sys.argv[1], task_args=options, log_dir=task, **quiet)
sys.argv[1:] = [*sys.argv[3].split(), "--display", "plain", "--log-dir", "limited"]
runpy.run_module("inspect_ai", run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A few items: Inspect takes far longer for a trial than we do."""
    lines = [line(example_id=number, question=f"Who sold {number}?") for number in range(8)]
    return str(write(tmp_path_factory.mktemp("items") / "items.jsonl", lines))


@pytest.fixture(scope="module")
def logs(items: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Inspect's logs of a model that declines now and then, and of a limited eval.

    Inspect has a process of its own, since it leaves streams open that fail later tests; and it
    has one for all, since it takes seconds to start.
    """
    folder = tmp_path_factory.mktemp("logs")
    options = {task: options for task, (_, options) in SETTINGS.items()}
    options["namebbq"] = options["namebbq"] | {"items": items}
    done = subprocess.run(
        [sys.executable, "-c", EVALS, f"geobias/{MODEL}", json.dumps(options), LIMITED],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-1500:]
    return {task: next((folder / task).glob("*.eval")) for task in (*SETTINGS, "limited")}


@pytest.mark.parametrize("task", SETTINGS)
def test_a_native_run_and_an_inspect_run_of_one_model_have_the_same_records(
    task: str, items: str, logs: dict[str, Path], tmp_path: Path
) -> None:
    from geobias.integrations.inspect_logs import run_from_log

    plan, _ = SETTINGS[task]
    log = logs[task]
    api.run([plan(items=items)], MODEL, tmp_path / "native.geobias")
    theirs = run_from_log(log, tmp_path / "log.geobias")
    ours = api.open_run(tmp_path / "native.geobias")
    with theirs, ours:
        assert rows(theirs) == rows(ours)


def test_the_log_of_a_limited_eval_opens_in_our_commands(logs: dict[str, Path]) -> None:
    done = geobias("show", logs["limited"])
    assert done.code == 0
    assert "10 of 10 trials" in done.out


def test_what_could_not_be_scored_stays_in_the_denominators(logs: dict[str, Path]) -> None:
    from inspect_ai.log import read_eval_log

    results = read_eval_log(str(logs["worldbench"]), header_only=True).results
    assert results is not None
    found = {name: one.value for score in results.scores for name, one in score.metrics.items()}
    assert 0 < found["worldbench.declined"] < 1
    assert found["scored"] == pytest.approx(1 - found["worldbench.declined"])


def test_an_option_that_a_probe_does_not_have_is_refused_with_those_it_has() -> None:
    from geobias.errors import BadRequest
    from geobias.integrations.inspect_tasks import probe_task

    with pytest.raises(BadRequest, match="worldbench has no option 'languages'; there is size"):
        probe_task("worldbench", {"languages": "fr"})


@pytest.mark.parametrize("given", ["fr", "fr,es", ["fr", "es"]])
def test_a_list_may_be_given_as_one_word_or_by_commas(given: str | list[str]) -> None:
    from geobias.integrations.inspect_tasks import probe_task

    wanted = given if isinstance(given, list) else given.split(",")
    made = probe_task("geo20q", {"language": given}).metadata or {}
    assert made["geobias"]["settings"]["languages"] == wanted


def test_every_probe_is_a_task_of_its_name() -> None:
    from inspect_ai import Task

    from geobias.integrations import inspect_tasks

    for name in probe_names():
        assert isinstance(getattr(inspect_tasks, name)(), Task)


def test_a_log_of_another_task_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "other.eval").write_bytes(b"not a zip")
    done = geobias("show", tmp_path / "other.eval")
    assert done.code == 2
    assert "is no log of Inspect's" in done.err
    assert "Traceback" not in done.err


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # tenacity, as Inspect calls it
def test_any_provider_of_inspects_answers_our_probes(
    chat_server: Callable[..., tuple[str, ChatServer]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, server = chat_server("sim/fair")
    monkeypatch.setenv("LOCAL_BASE_URL", url.removesuffix("/sim"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    plan = worldbench.plan(indicators=["gdp"], countries=COUNTRIES)
    result = api.run([plan], "inspect:openai-api/local/sim", tmp_path / "run.geobias")
    assert result.counts["worldbench"].done == plan.count
    assert server.calls == result.counts["worldbench"].calls


def test_a_provider_that_inspect_does_not_have_is_refused_in_a_sentence() -> None:
    from geobias.errors import BadRequest
    from geobias.models.catalogue import find_model

    with pytest.raises(BadRequest, match="Inspect AI cannot open 'inspect:nobody/model'"):
        find_model("inspect:nobody/model")
