"""The probes inside Inspect AI, its logs in ours, and its models in our commands.

One file for all of them: each process takes seconds to load Inspect.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import runpy
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zlib import crc32

import pytest

from geobias import api
from geobias.errors import BadRequest, BudgetReached
from geobias.http import Transient
from geobias.integrations.inspect_logs import REPLIES, metrics_of, run_from_log
from geobias.models.catalogue import find_model
from geobias.probes import geo20q, namebbq, ratings, worldbench
from geobias.probes.plan import Plan
from geobias.runfile import RunReader
from geobias.running import Options
from geobias.trials import Ask, Dialogue
from tests.cli.running import geobias
from tests.integrations.logs import write_log
from tests.probes.namebbq.made import line, write
from tests.servers import ChatStart, HeldStart, Loop, RawServer, RawStart, completion, thinker

pytestmark = [
    pytest.mark.skipif(
        find_spec("inspect_ai") is None, reason="the extra [inspect] is not installed"
    ),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # tenacity, as Inspect calls it
]


def rows(run: RunReader) -> list[tuple[Any, ...]]:
    return sorted(run.query("SELECT trial, record FROM records"))


def says(request: dict[str, Any]) -> bytes:
    """A model whose reply follows from the last question: it declines now and then."""
    question = request["messages"][-1]["content"]
    if crc32(f"{question} {request.get('seed')}".encode()) % 3 == 0:
        return completion("I do not know.")
    answers = {"(a)": "(b)", "9.9": "6.5", "only provide the number": "300 million"}
    return completion(next((one for words, one in answers.items() if words in question), "Yes."))


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
    "geo20q": (
        lambda **_: geo20q.plan(entities="confucius,leonardo_da_vinci", judge_questions=2),
        {"entities": "confucius,leonardo_da_vinci", "judge_questions": 2},
    ),
    "ratings": (
        lambda **_: ratings.plan(topics=["morality", "population"]),
        {"topics": "morality,population"},
    ),
}
"""As Python and as Inspect write the same plan; Name-BBQ's also has items of its own."""


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A few items: Inspect takes far longer for a trial than we do."""
    lines = [line(example_id=number, question=f"Who sold {number}?") for number in range(8)]
    return str(write(tmp_path_factory.mktemp("items") / "items.jsonl", lines))


@pytest.fixture(scope="module")
def model() -> Iterator[RawServer]:
    loop, server = Loop(), RawServer([says])
    loop.do(server.start())
    yield server
    loop.do(server.stop())
    loop.close()


@pytest.fixture(scope="module")
def logs(items: str, model: RawServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Inspect's logs of a model that declines now and then, and of a limited eval.

    Inspect leaves streams open, and changes what is done with log messages and with errors that
    nobody caught: none of it may be left to later tests.
    """
    if not entry_points(group="inspect_ai", name="geobias"):
        pytest.skip("geobias is not installed here, so Inspect cannot find it")
    from inspect_ai import eval

    folder = tmp_path_factory.mktemp("logs")
    given = {task: options for task, (_, options) in SETTINGS.items()}
    given["namebbq"] = given["namebbq"] | {"items": items}
    quiet: dict[str, Any] = {"display": "plain", "log_realtime": False, "score_display": False}
    asked: dict[str, Any] = {
        "model": "openai-api/local/raw",
        "model_base_url": model.url.removesuffix("/raw"),
        "model_args": {"api_key": "none"},
    }
    # As a user writes it.
    limited = f"inspect eval geobias/worldbench --model {asked['model']} -M api_key=none --limit 5"
    where = ["--model-base-url", asked["model_base_url"], "--log-dir", "limited"]
    handlers, level, hook = logging.root.handlers[:], logging.root.level, sys.excepthook
    with warnings.catch_warnings(action="ignore"), chdir(folder), ExitStack() as restored:
        restored.callback(setattr, sys, "excepthook", hook)
        restored.callback(logging.root.setLevel, level)
        restored.callback(setattr, logging.root, "handlers", handlers)
        for task, options in given.items():
            name = f"geobias/{task}"
            [log] = eval(name, **asked, task_args=options, log_dir=task, **quiet)
            assert log.status == "success"
        words = [*limited.split(), *where, "--display", "plain"]
        with patch("sys.argv", words), pytest.raises(SystemExit) as end:
            runpy.run_module("inspect_ai", run_name="__main__", alter_sys=True)
        gc.collect()
    assert end.value.code == 0
    return {task: next((folder / task).glob("*.eval")) for task in (*SETTINGS, "limited")}


@pytest.mark.parametrize("task", SETTINGS)
def test_a_native_run_and_an_inspect_run_of_one_model_have_the_same_records(
    task: str, items: str, model: RawServer, logs: dict[str, Path], tmp_path: Path
) -> None:
    plan, _ = SETTINGS[task]
    api.run([plan(items=items)], model.url, tmp_path / "native.geobias")
    theirs = run_from_log(logs[task], tmp_path / "log.geobias")
    ours = api.open_run(tmp_path / "native.geobias")
    with theirs, ours:
        assert rows(theirs) == rows(ours)


def test_the_log_of_a_limited_eval_opens_in_our_commands(logs: dict[str, Path]) -> None:
    done = geobias("show", logs["limited"])
    assert done.code == 0
    assert "5 of 5" in done.out


def test_epochs_are_refused_in_a_sentence(tmp_path: Path) -> None:
    from inspect_ai.model import ModelName
    from inspect_ai.solver import TaskState

    from geobias.integrations.inspect_tasks import drive

    again = TaskState(ModelName("mockllm/model"), "worldbench/gdp", 2, "", [])
    with pytest.raises(BadRequest, match="-T repeats=N in place of --epochs"):
        asyncio.run(drive({})(again, None))  # type: ignore[arg-type]
    log = write_log(tmp_path / "a.eval", "worldbench", [], args=POPULATION, epochs=2)
    with pytest.raises(BadRequest, match="-T repeats=N in place of --epochs"):
        run_from_log(log, tmp_path / "a.geobias")


def test_what_could_not_be_scored_stays_in_the_denominators(logs: dict[str, Path]) -> None:
    from inspect_ai.log import read_eval_log

    results = read_eval_log(str(logs["worldbench"]), header_only=True).results
    assert results is not None
    found = {name: one.value for score in results.scores for name, one in score.metrics.items()}
    assert 0 < found["worldbench.declined"] < 1
    assert found["scored"] == pytest.approx(1 - found["worldbench.declined"])


@pytest.mark.parametrize("given", ["KEN", "FRA,KEN", ["FRA", "KEN"]])
def test_a_list_may_be_given_as_one_word_or_by_commas(given: str | list[str]) -> None:
    from geobias.integrations.inspect_tasks import probe_task

    wanted = given if isinstance(given, list) else given.split(",")
    made = probe_task("worldbench", {"countries": given}).metadata or {}
    assert made["geobias"]["settings"]["countries"] == wanted


def test_a_provider_that_inspect_does_not_have_is_refused_in_a_sentence() -> None:
    with pytest.raises(BadRequest, match="Inspect AI cannot open 'inspect:nobody/model'"):
        find_model("inspect:nobody/model")


def test_a_model_that_fails_as_it_is_closed_takes_no_record_with_it(
    chat_server: ChatStart, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.model import modelapi
    from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI

    class Unwilling(OpenAICompatibleAPI):
        async def aclose(self) -> None:
            await super().aclose()
            raise OSError("the connection was closed already")

    @modelapi(name="unwilling")
    def unwilling() -> type[OpenAICompatibleAPI]:
        return Unwilling

    url, _ = chat_server("sim/fair")
    monkeypatch.setenv("LOCAL_BASE_URL", url.removesuffix("/sim/served"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    plan = worldbench.plan(indicators=["gdp"], countries=COUNTRIES)
    for done in (plan.count, 0):
        result = api.run([plan], "inspect:unwilling/local/sim", path)
        assert result.counts["worldbench"].done == done
    with api.open_run(path) as run:
        assert len(list(run.records())) == plan.count
        assert all(session.ended is not None for session in run.sessions())


def test_a_call_by_inspect_that_takes_too_long_is_given_up(
    chat_server: ChatStart, held_model: HeldStart, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, _ = chat_server(held_model("sim/fair", answers=0))
    monkeypatch.setenv("LOCAL_BASE_URL", url.removesuffix("/sim/served"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")

    async def ask() -> None:
        model = find_model("inspect:openai-api/local/sim", timeout_seconds=0.3)
        try:
            await model.answer(Ask(dialogue=Dialogue().user("Are you there?")))
        finally:
            await model.close()

    with pytest.raises(Transient, match=r"no answer within 0.3 s") as trouble:
        asyncio.run(ask())
    assert trouble.value.kind == "timeout"


# -- models that think ----------------------------------------------------------------------------


@pytest.mark.parametrize(("needed", "allowed"), [((3000, 9000), None), ((4500, 6000), 8192)])
def test_a_model_of_inspects_gets_the_thought_it_needs_within_what_its_server_allows(
    raw_server: RawStart,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    needed: tuple[int, int],
    allowed: int | None,
) -> None:
    server = raw_server(thinker(*needed, most_allowed=allowed))
    monkeypatch.setenv("LOCAL_BASE_URL", server.url.removesuffix("/raw"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    plan = worldbench.plan(indicators=["gdp"], countries=COUNTRIES)
    model, path = "inspect:openai-api/local/raw", tmp_path / "run.geobias"
    with pytest.raises(BudgetReached):
        api.run([plan], model, path, options=Options(max_calls=20))
    before = len(server.requests)
    api.run([plan], model, path)
    assert min(one["max_tokens"] for one in server.requests[before:]) > 4096
    with api.open_run(path) as run:
        assert {reply.outcome for _, reply in run.replies()} == {"ok"}


@pytest.mark.parametrize(
    ("limit", "allowed", "asked", "said"),
    [
        (None, None, {4144, 8240}, {"53000000"}),
        (None, 8000, {4144, 8240, 6192}, {"53000000", ""}),
        (4000, None, {4000}, {"53000000", ""}),
    ],
)
def test_inside_inspect_a_model_thinks_as_long_as_it_needs_or_as_the_user_says(
    raw_server: RawStart,
    tmp_path: Path,
    limit: int | None,
    allowed: int | None,
    asked: set[int],
    said: set[str],
) -> None:
    if not entry_points(group="inspect_ai", name="geobias"):
        pytest.skip("geobias is not installed here, so Inspect cannot find it")
    from inspect_ai import eval

    server = raw_server(thinker(3000, 9000, "53000000", most_allowed=allowed))
    with warnings.catch_warnings(action="ignore"):
        [log] = eval(
            "geobias/worldbench",
            "openai-api/local/raw",
            model_base_url=server.url.removesuffix("/raw"),
            model_args={"api_key": "none"},
            task_args={"indicators": "gdp", "countries": ",".join(COUNTRIES)},
            log_dir=str(tmp_path),
            display="plain",
            log_realtime=False,
            score_display=False,
            max_tokens=limit,
        )
        gc.collect()
    assert {one["max_tokens"] for one in server.requests} - {48} == asked
    kept = [reply for one in log.samples or [] for reply in one.store[REPLIES]]
    assert {reply["text"] for reply in kept} == said
    assert {reply["outcome"] for reply in kept if not reply["text"]} <= {"still_thinking"}


# -- logs: what was planned, what the screens let through -----------------------------------------

POPULATION = {"indicators": ["population"]}


def names(count: int) -> list[str]:
    """The first trials of a WorldBench about population."""
    return [one.name for one in worldbench.plan(indicators=["population"]).trials()][:count]


def test_a_lost_game_of_a_log_is_a_game_though_inspect_has_no_referee(tmp_path: Path) -> None:
    game = "geo20q/en/confucius/0"
    said = [*["Is it a person?", "Yes"] * 19, "Is it a person?"]
    log = write_log(tmp_path / "a.eval", "geo20q", [(game, said)], args={"judge_questions": 0})
    with run_from_log(log, tmp_path / "a.geobias") as run:
        assert [one["canonical"] for one in run.records()] == ["lost"]


def test_games_and_questions_to_the_judge_are_planned_under_their_own_names(tmp_path: Path) -> None:
    plan = geo20q.plan(judge_questions=6)
    trials = [one.name for one in plan.trials()]
    judged = [one for one in trials if one.startswith("geo20q_judge/")]
    log = write_log(
        tmp_path / "a.eval",
        "geo20q",
        [(judged[0], ["Yes"])],
        args={"judge_questions": 6},
        dataset=trials,
    )
    with run_from_log(log, tmp_path / "a.geobias") as run:
        assert run.manifest().planned == plan.planned


def test_where_the_screens_say_no_only_what_is_known_of_any_model_is_a_metric(
    tmp_path: Path,
) -> None:
    args = {"indicators": ["gdp", "population"]}
    said = [(one.name, ["1,000,000"]) for one in worldbench.plan(**args).trials()]
    log = write_log(tmp_path / "a.eval", "worldbench", said, args=args)
    with run_from_log(log, tmp_path / "a.geobias") as run:
        found = metrics_of("worldbench", {}, run.records())
    assert found["worldbench.measurable"] == 0.0
    assert found["worldbench.declined"] == 0.0
    assert "worldbench.error" not in found


@pytest.mark.parametrize(
    "kept", [5, ["text"], {"text": 7}, {"outcome": "ok"}, {"text": "5", "tokens_in": "many"}]
)
def test_a_reply_that_is_none_is_a_sentence(tmp_path: Path, kept: object) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    [kenya] = names(1)
    log = write_log(tmp_path / "a.eval", "worldbench", [(kenya, [])], args=POPULATION)
    read = read_eval_log(str(log))
    assert read.samples
    read.samples[0].store = {REPLIES: [kept]}
    write_eval_log(read, str(log))
    with pytest.raises(BadRequest, match="is not a log of geobias"):
        run_from_log(log, tmp_path / "a.geobias")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"repeats": 100_000, "temperature": 0.8}, "more than 2,000,000 trials"),
        ({"countries": 5}, "countries cannot be 5"),
        ({"figures": 5}, "figures cannot be 5"),
        ({"self": 5}, "no option 'self'"),
    ],
)
def test_settings_that_make_no_plan_are_a_sentence(
    tmp_path: Path, args: dict[str, object], words: str
) -> None:
    [kenya] = names(1)
    log = write_log(tmp_path / "a.eval", "worldbench", [(kenya, ["5"])], args=args)
    with pytest.raises(BadRequest, match=words):
        run_from_log(log, tmp_path / "a.geobias")
