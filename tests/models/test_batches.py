"""Batches at a provider: the same records as one by one, whatever happens on the way."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from geobias import running as api
from geobias.engine import Budget
from geobias.errors import BadRequest, BudgetReached, ProviderSaysNo, Stopped
from geobias.models.naming import ModelEntry
from geobias.probes.plan import Plan
from geobias.probes.registry import find_probe, plan_of
from tests.batch_server import BatchServer, Faults
from tests.servers import Notes, serving

PROVIDERS = {name: f"{name}/sim/biased" for name in ("openai", "groq", "anthropic")}


KEY = "sk-not-a-real-key-0123456789"
LIVE = 3
"""Kinds of questions in the three probes: of a form, of letters, and of none."""


@pytest.fixture(scope="module")
def running() -> Iterator[BatchServer]:
    server = BatchServer()
    with serving(server.application()) as server.port:
        yield server


@pytest.fixture
def server(running: BatchServer, monkeypatch: pytest.MonkeyPatch) -> BatchServer:
    """The server without faults and memory; every provider's address is its own."""
    running.faults = Faults()
    for kept in (running.files, running.batches, running.executed, running.requests):
        kept.clear()
    running.created.clear()
    running.rename = lambda id: id
    running.refuse = lambda asked: None
    running.before = running.after = lambda: None
    running.headers.clear()
    for name in PROVIDERS:
        monkeypatch.setenv(f"{name.upper()}_BASE_URL", f"http://127.0.0.1:{running.port}/v1")
        monkeypatch.setenv(f"{name.upper()}_API_KEY", KEY)
    monkeypatch.setattr("geobias.models.batch.provider.DOWNLOAD_PAUSE", 0.01)
    return running


@cache
def questions() -> list[Plan]:
    return [plan_of(find_probe("worldbench"), {"indicators": "population"})]


@cache
def three_probes() -> list[Plan]:
    return [
        *questions(),
        plan_of(find_probe("namebbq"), {"names": 0}),
        plan_of(
            find_probe("geo20q"),
            {"entities": "Toyota,Mariah Carey", "judge_questions": 4, "turns": 6},
        ),
    ]


def run(plans: list[Plan], model: str, path: Path, **options: Any) -> tuple[api.Result, Notes]:
    notes = Notes()
    chosen = api.Options(**{"batch": True, "poll": 0.02, "fresh": True} | options)
    return api.run(plans, model, path, options=chosen, display=notes), notes


def records(path: Path) -> dict[str, Any]:
    with api.open_run(path) as reader:
        return {row["trial"]: row for row in reader.records()}


def one_by_one(plans: list[Plan], model: str, folder: Path) -> dict[str, Any]:
    return records(run(plans, model, folder / "single.geobias", batch=False)[0].path)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_gives_the_same_records_as_one_by_one(
    provider: str, server: BatchServer, tmp_path: Path
) -> None:
    model = PROVIDERS[provider]
    plans = [plan_of(find_probe("worldbench"), {"indicators": "population", "system": "Be brief."})]
    done, _ = run(plans, model, tmp_path / "batch.geobias")
    assert server.created == [26]  # and one that was asked before by itself
    assert records(done.path) == one_by_one(plans, model, tmp_path)


def test_each_provider_gets_the_key_in_its_own_header(server: BatchServer, tmp_path: Path) -> None:
    headers = {"openai": "Authorization", "anthropic": "x-api-key"}
    for provider, header in headers.items():
        server.headers.clear()
        run(questions(), PROVIDERS[provider], tmp_path / f"{provider}.geobias")
        assert "sk-not" in server.headers[0]["Authorization"]  # of a question by itself
        assert all("sk-not" in one[header] for one in server.headers[1:])
        assert all(str(one).count("sk-not") == 1 for one in server.headers)


def test_games_go_in_rounds_and_all_probes_share_them(server: BatchServer, tmp_path: Path) -> None:
    model = PROVIDERS["openai"]
    done, _ = run(three_probes(), model, tmp_path / "batch.geobias")
    first, *later = server.created
    assert first == sum(plan.count for plan in three_probes()) - LIVE
    assert later
    assert max(later) <= 2 + 4  # two games, and what they share with the judge's questions
    assert len(server.created) <= 2 * 6 + 4
    assert records(done.path) == one_by_one(three_probes(), model, tmp_path)


def killed_at(
    server: BatchServer,
    plans: list[Plan],
    model: str,
    path: Path,
    request: int,
    moment: str,
    by: int = signal.SIGKILL,
) -> bool:
    """Run in a process that is killed with a request of this number, before or after the server
    has done what it asks; whether it came so far."""
    child = multiprocessing.get_context("fork").Process(target=run, args=(plans, model, path))
    left = [request]

    def before() -> None:
        left[0] -= 1
        if left[0] == 0 and moment == "before":
            os.kill(child.pid or 0, by)

    def after() -> None:
        if left[0] == 0 and moment == "after":
            os.kill(child.pid or 0, by)

    server.before, server.after = before, after
    child.start()
    child.join(30)
    server.before = server.after = lambda: None
    return child.exitcode == -signal.SIGKILL


def test_a_run_that_is_killed_ten_times_pays_for_nothing_twice(
    server: BatchServer, tmp_path: Path
) -> None:
    dice = random.Random(7)
    model, path = PROVIDERS["openai"], tmp_path / "batch.geobias"
    for _ in range(10):
        moment = dice.choice(["before", "after"])
        assert killed_at(server, three_probes(), model, path, dice.randrange(1, 7), moment)
    done, _ = run(three_probes(), model, path)
    assert set(server.executed.values()) == {1}
    assert records(done.path) == one_by_one(three_probes(), model, tmp_path)


def test_a_batch_that_was_made_and_not_told_of_is_billed_once(
    server: BatchServer, path: Path
) -> None:
    model = PROVIDERS["anthropic"]
    assert killed_at(server, questions(), model, path, 2, "after")
    assert killed_at(server, questions(), model, path, 2, "after")
    run(questions(), model, path)
    assert len(server.executed) == 26
    assert set(server.executed.values()) == {1}


def test_ctrl_c_leaves_the_batch_at_the_provider_for_the_next_session(
    server: BatchServer, path: Path
) -> None:
    model = PROVIDERS["openai"]
    server.faults.pending = 5
    stopped = killed_at(server, questions(), model, path, 5, "after", by=signal.SIGINT)
    assert not stopped
    with api.open_run(path) as reader:
        assert reader.spent()["model"].calls == 1
        assert not reader.failed_attempts()
    run(questions(), model, path)
    assert (server.created, set(server.executed.values())) == ([26], {1})


def test_a_judge_without_a_batch_endpoint_is_asked_one_by_one(
    server: BatchServer, tmp_path: Path
) -> None:
    models = {"model": PROVIDERS["openai"], "judge": "sim/biased"}
    plan = three_probes()[-1:]
    options = api.Options(batch=True, poll=0.02)
    batch = api.run(plan, models, tmp_path / "batch.geobias", options=options)
    single = api.run(plan, models, tmp_path / "single.geobias", options=api.Options(fresh=True))
    assert records(batch.path) == records(single.path)
    assert max(server.created) <= 3  # two games, and what is known of their entities
    with api.open_run(batch.path) as reader:
        assert reader.spent()["judge"].batched == 0


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_whose_making_was_not_confirmed_is_found_again(
    provider: str, server: BatchServer, path: Path
) -> None:
    server.faults.lost_answers = 1
    run(questions(), PROVIDERS[provider], path)
    assert set(server.executed.values()) == {1}


def test_a_batch_of_somebody_else_is_not_taken_for_ours(
    server: BatchServer, tmp_path: Path
) -> None:
    model = PROVIDERS["anthropic"]
    run(questions(), model, tmp_path / "other.geobias")
    other = next(iter(server.batches.values()))
    for row in other["results"]:
        row["custom_id"] = row["custom_id"][::-1]
    server.faults.lost_answers = 1
    server.executed.clear()
    done, _ = run(questions(), model, tmp_path / "batch.geobias")
    assert len(records(done.path)) == 27


@pytest.mark.parametrize(
    ("fault", "value"),
    [("failed_looks", 2), ("garbage_looks", 2), ("busy", 2), ("cut_files", 1), ("short_files", 2)],
)
def test_what_passes_is_waited_for_and_nothing_is_asked_twice(
    fault: str, value: int, server: BatchServer, path: Path
) -> None:
    setattr(server.faults, fault, value)
    done, _ = run(questions(), PROVIDERS["openai"], path)
    assert len(records(done.path)) == 27
    assert set(server.executed.values()) == {1}


def test_a_provider_out_of_reach_is_named_while_it_is_waited_for(
    server: BatchServer, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geobias.models.batch.provider.AWAY_SECONDS", 0.0)
    server.faults.failed_looks = 2
    _, notes = run(questions(), PROVIDERS["openai"], path)
    assert [one for one in notes.said if "60 minutes" in one]


@pytest.mark.parametrize(
    "fault", [{"expired": 0.4}, {"errors": 0.4}, {"expire_batches": 1}, {"short_files": 3}]
)
def test_what_a_batch_left_open_goes_into_the_next_one(
    fault: dict[str, Any], server: BatchServer, tmp_path: Path
) -> None:
    for name, value in fault.items():
        setattr(server.faults, name, value)
    model, path = PROVIDERS["openai"], tmp_path / "batch.geobias"
    with suppress(Stopped):  # three rounds are not always enough: the rest stays open
        run(questions(), model, path)
    server.faults = Faults()
    run(questions(), model, path)
    assert server.created[1] < server.created[0]
    assert records(path) == one_by_one(questions(), model, tmp_path)


@pytest.mark.parametrize(
    ("fault", "says"), [("refuse_batches", "makes no sense"), ("cancel_batches", "cancelled")]
)
def test_a_batch_that_is_refused_or_cancelled_stops_the_run_until_it_is_started_again(
    fault: str, says: str, server: BatchServer, path: Path
) -> None:
    setattr(server.faults, fault, 1)
    model = PROVIDERS["openai"]
    with pytest.raises(ProviderSaysNo, match=says):
        run(questions(), model, path)
    done, _ = run(questions(), model, path)
    assert len(records(done.path)) == 27
    assert set(server.executed.values()) == {1}


def test_lines_nobody_asked_for_and_lines_that_differ_are_refused_by_name(
    server: BatchServer, path: Path
) -> None:
    server.faults.extra_lines = [b'{"custom_id": "stranger", "response": {}}', b'{"a":' * 200]
    server.faults.double = 1
    done, notes = run(questions(), PROVIDERS["openai"], path)
    said = " ".join(notes.said)
    assert "stranger" in said
    assert "custom_id doubled: " in said
    assert "nested" in said
    assert len(records(done.path)) == 27
    assert server.created == [26, 1]


def test_a_refused_parameter_is_found_out_for_the_price_of_one_question(
    server: BatchServer, path: Path
) -> None:
    refused = (400, "Unsupported parameter: 'temperature' is not supported")
    server.refuse = lambda asked: refused if "temperature" in asked else None
    done, notes = run(questions(), PROVIDERS["openai"], path)
    assert server.created == [26]
    assert len(records(done.path)) == 27
    assert b"temperature" not in server.files["file-0"]
    assert not any("again" in one for one in notes.said)


def test_half_a_batch_that_failed_goes_out_alone_and_says_why(
    server: BatchServer, path: Path
) -> None:
    server.faults.errors = 0.5
    server.after = lambda: setattr(server.faults, "errors", 0.0 if server.created else 0.5)
    done, notes = run(questions(), PROVIDERS["openai"], path)
    first, again = server.created
    assert first == 26
    assert 5 < again < 21
    assert any(one.endswith(f"{again} HTTP 500") for one in notes.said)
    assert len(records(done.path)) == 27
    assert set(server.executed.values()) == {1}


def test_half_the_price_is_counted_by_budget_and_summary(
    server: BatchServer, tmp_path: Path
) -> None:
    model = PROVIDERS["openai"]
    entries = {model: ModelEntry(model, price=(1000, 1000))}
    plans = questions()
    done, _ = run(plans, model, tmp_path / "batch.geobias", entries=entries)
    single, _ = run(
        plans, model, tmp_path / "single.geobias", entries=entries, batch=False, fresh=True
    )
    with api.open_run(done.path) as half, api.open_run(single.path) as full:
        billed, whole = (
            (one.billed_in, one.billed_out)
            for one in (half.spent()["model"], full.spent()["model"])
        )
        [alone] = half.query(
            "SELECT sum(tokens_in), sum(tokens_out) FROM replies"
            " WHERE digest NOT IN (SELECT digest FROM batch_asks)"
        )
        assert billed == tuple((a + b) / 2 for a, b in zip(alone, whole, strict=True))
    used = []
    for path in (done.path, single.path):
        budget = Budget(prices={"model": (1000.0, 1000.0)})
        with api.open_run(path) as reader:
            budget.spent_before(reader.spent(attempts=True))
        used.append(budget.totals.cost)
    assert used[0] == pytest.approx((used[1] + sum(alone) / 1000) / 2)
    assert done.counts["worldbench"].cost == pytest.approx(used[0])


def test_a_budget_that_holds_half_a_run_sends_what_it_can_pay_for(
    server: BatchServer, path: Path
) -> None:
    model = PROVIDERS["openai"]
    with pytest.raises(BudgetReached, match="--max-calls 10"):
        run(questions(), model, path, max_calls=10)
    assert server.created == [9]


def test_a_run_that_waits_for_a_batch_is_not_asked_one_by_one(
    server: BatchServer, path: Path
) -> None:
    model = PROVIDERS["openai"]
    child = multiprocessing.get_context("fork").Process(target=run, args=(questions(), model, path))
    server.faults.pending = 10_000
    child.start()
    while not server.requests["GET /v1/batches"]:
        child.join(0.02)
    os.kill(child.pid or 0, signal.SIGKILL)
    child.join(10)
    with pytest.raises(BadRequest, match="batch_0"):
        run(questions(), model, path, batch=False)
    with api.open_run(path) as reader:
        assert [one.batch for one in reader.batches()] == ["batch_0"]


def test_a_server_without_a_batch_endpoint_is_a_plain_sentence(
    server: BatchServer, path: Path
) -> None:
    address = f"http://127.0.0.1:{server.port}/only-chat/v1/sim"
    with pytest.raises(ProviderSaysNo, match="no batch endpoint"):
        run(questions(), address, path)


def test_a_server_that_names_things_by_the_key_is_not_taken_at_its_word(
    server: BatchServer, path: Path
) -> None:
    server.rename = lambda id: KEY
    with pytest.raises(Stopped, match="the provider's answer has no id"):
        run(questions(), PROVIDERS["openai"], path)
    assert KEY.encode() not in path.read_bytes()


def test_a_line_that_is_named_by_the_key_is_told_without_it(
    server: BatchServer, path: Path
) -> None:
    server.faults.extra_lines = [b'{"custom_id": "%s", "response": {}}' % KEY.encode()]
    _, notes = run(questions(), PROVIDERS["openai"], path)
    assert [one for one in notes.said if KEY in one] == []
    assert any("[key]" in one for one in notes.said)
