"""Logs of Inspect's as run files: epochs, what was planned, what the screens let through."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from geobias import api
from geobias.errors import BadRequest
from geobias.integrations.inspect_logs import REPLIES, metrics_of, run_from_log
from geobias.probes import geo20q, worldbench
from tests.cli.running import geobias
from tests.integrations.logs import write_log

pytestmark = pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason="the extra [inspect] is not installed"
)

POPULATION = {"indicators": ["population"]}


def names(count: int) -> list[str]:
    """The first trials of a WorldBench about population."""
    return [one.name for one in worldbench.plan(indicators=["population"]).trials()][:count]


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_each_epoch_keeps_the_replies_its_record_was_read_from(
    temperature: float, tmp_path: Path
) -> None:
    [kenya] = names(1)
    log = write_log(
        tmp_path / "a.eval",
        "worldbench",
        [(kenya, 1, ["53 million"]), (kenya, 2, ["1 million"])],
        args=POPULATION | {"temperature": temperature},
        epochs=2,
    )
    with run_from_log(log, tmp_path / "a.geobias") as run:
        assert [(trial, one.text) for trial, one in run.replies()] == [
            (kenya, "53 million"),
            (f"{kenya}#2", "1 million"),
        ]
        assert [(one["value"], one["repeat"]) for one in run.records()] == [(53e6, 0), (1e6, 1)]
        assert run.spent()["model"].calls == 2


def test_repeats_of_a_later_epoch_are_counted_on_from_those_of_the_first(tmp_path: Path) -> None:
    args = POPULATION | {"repeats": 2, "temperature": 0.8}
    plan = worldbench.plan(indicators=["population"], repeats=2, temperature=0.8)
    twice = [one.name for one in plan.trials()][:2]
    said = [(name, epoch, ["1 million"]) for epoch in (1, 2) for name in twice]
    log = write_log(tmp_path / "a.eval", "worldbench", said, args=args, epochs=2)
    with run_from_log(log, tmp_path / "a.geobias") as run:
        assert [one["repeat"] for one in run.records()] == [0, 1, 2, 3]


def test_consistency_is_told_of_epochs_as_of_repeats(tmp_path: Path) -> None:
    said = [(one, epoch, [f"{epoch} million"]) for epoch in (1, 2) for one in names(6)]
    log = write_log(tmp_path / "a.eval", "worldbench", said, args=POPULATION, epochs=2)
    code, out, err = geobias("worldbench", "consistency", str(log), cwd=tmp_path)
    assert (code, err) == (0, "")
    assert "consistency" in out


def test_games_and_questions_to_the_judge_are_planned_under_their_own_names(
    tmp_path: Path,
) -> None:
    plan = geo20q.plan(judge_questions=6)
    trials = [one.name for one in plan.trials()]
    judged = [one for one in trials if one.startswith("geo20q_judge/")]
    log = write_log(
        tmp_path / "a.eval",
        "geo20q",
        [(judged[0], 1, ["Yes"])],
        args={"judge_questions": 6},
        epochs=2,
        dataset=trials,
    )
    with run_from_log(log, tmp_path / "a.geobias") as run:
        assert run.manifest().planned == {name: 2 * n for name, n in plan.planned.items()}


def test_where_the_screens_say_no_only_what_is_known_of_any_model_is_a_metric(
    tmp_path: Path,
) -> None:
    args = {"indicators": ["gdp", "population"]}
    said = [(one.name, 1, ["1,000,000"]) for one in worldbench.plan(**args).trials()]
    log = write_log(tmp_path / "a.eval", "worldbench", said, args=args)
    with run_from_log(log, tmp_path / "a.geobias") as run:
        found = metrics_of(run.records())
    assert found["worldbench.measurable"] == 0.0
    assert found["worldbench.declined"] == 0.0
    assert "worldbench.error" not in found


def test_a_measurable_probe_says_so_beside_its_metrics(tmp_path: Path) -> None:
    path = api.run([worldbench.plan()], "sim/fair", tmp_path / "a.geobias").path
    with api.open_run(path) as run:
        found = metrics_of(run.records())
    assert found["worldbench.measurable"] == 1.0
    assert "worldbench.error" in found


@pytest.mark.parametrize(
    "kept", [5, ["text"], {"text": 7}, {"outcome": "ok"}, {"text": "5", "tokens_in": "many"}]
)
def test_a_reply_that_is_none_is_a_sentence(tmp_path: Path, kept: object) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    [kenya] = names(1)
    log = write_log(tmp_path / "a.eval", "worldbench", [(kenya, 1, [])], args=POPULATION)
    read = read_eval_log(str(log))
    assert read.samples
    read.samples[0].store = {REPLIES: [kept]}
    write_eval_log(read, str(log))
    with pytest.raises(BadRequest, match="is no log of ours"):
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
    log = write_log(tmp_path / "a.eval", "worldbench", [(kenya, 1, ["5"])], args=args)
    with pytest.raises(BadRequest, match=words):
        run_from_log(log, tmp_path / "a.geobias")
