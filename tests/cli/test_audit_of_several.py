"""An audit of several models: checked before the first call, one budget, one bad model."""

from __future__ import annotations

import json
import re
import signal
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import geobias as api
from geobias.errors import BudgetReached, ProviderSaysNo
from tests.cli.commands import start
from tests.cli.running import Done, few_countries, geobias
from tests.servers import ChatStart, HeldStart, RawStart, error, http
from tests.waiting import PATIENCE, until


def audit(folder: Path, *words: object) -> Done:
    return geobias("audit", *words, "--probes", "worldbench", "--out", folder)


@pytest.fixture
def one(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    """Words for an audit of one question to each model, where its report does not matter."""
    return few_countries(tmp_path_factory.mktemp("one"), ["KEN"])


def calls(folder: Path) -> int:
    """Replies in all run files of a folder."""
    found = 0
    for path in folder.glob("*.geobias"):
        with api.open_run(path) as run:
            found += sum(spent.calls for spent in run.spent().values())
    return found


def without_usage(request: dict[str, Any]) -> bytes:
    choice = {"message": {"content": "42"}, "finish_reason": "stop"}
    return http(200, json.dumps({"choices": [choice]}))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("sim/typo",), "typo"),
        (("openai/gpt-4o-mini",), "OPENAI_API_KEY"),
        (("sim/fair", "--max-cost", 1), "price = [IN, OUT]"),
    ],
)
def test_what_one_model_lacks_is_said_before_another_is_asked(
    tmp_path: Path, chat_server: ChatStart, words: tuple[object, ...], says: str
) -> None:
    url, server = chat_server()
    done = audit(tmp_path, url, *words)
    assert (done.code, server.calls) == (2, 0)
    assert says in done.err
    assert not list(tmp_path.iterdir())


def test_the_file_of_another_run_is_refused_before_the_first_call(tmp_path: Path) -> None:
    assert audit(tmp_path, "sim/biased", "--max-calls", 3).code == 3
    (there,) = tmp_path.glob("*.geobias")
    there.rename(tmp_path / there.name.replace("biased", "fair"))
    before = calls(tmp_path)
    done = audit(tmp_path, "sim/biased", "sim/fair")
    assert (done.code, calls(tmp_path)) == (2, before)
    assert "holds another run" in done.err


def test_models_are_asked_at_once_each_with_calls_of_its_own(
    tmp_path: Path, chat_server: ChatStart, held_model: HeldStart, one: tuple[object, ...]
) -> None:
    models = [held_model("sim/fair", answers=0) for _ in range(2)]
    (url, first), (other, second) = map(chat_server, models)

    def answer_when_both_are_asked() -> None:
        until(lambda: first.calls > 0 and second.calls > 0)
        for model in models:
            model.allow()

    threading.Thread(target=answer_when_both_are_asked, daemon=True).start()
    done = audit(tmp_path, url, other, *one)
    assert done.code == 0
    assert (first.calls, second.calls) == (1, 1)
    with ExitStack() as stack:
        runs = [stack.enter_context(api.open_run(path)) for path in tmp_path.glob("*.geobias")]
        spans = [(run.sessions()[0].started, run.sessions()[0].ended or 0.0) for run in runs]
    assert max(start for start, _ in spans) < min(end for _, end in spans)


def test_a_resumed_audit_counts_what_all_its_models_have_used(tmp_path: Path) -> None:
    assert audit(tmp_path, "sim/fair", "sim/biased", "--max-calls", 50).code == 3
    assert calls(tmp_path) == 50
    assert audit(tmp_path, "sim/biased", "--max-calls", 30).code == 3
    assert calls(tmp_path) == 80
    assert audit(tmp_path, "sim/fair", "sim/biased", "--max-calls", 90).code == 3
    assert calls(tmp_path) == 90


def test_a_model_that_says_no_does_not_keep_the_others_from_being_asked(
    tmp_path: Path, raw_server: RawStart, one: tuple[object, ...]
) -> None:
    bad = raw_server(error(401, "no"))
    done = audit(tmp_path, "sim/fair", bad.url, "sim/biased", *one)
    assert done.code == 3
    assert "wants a key" in done.err
    assert bad.url in done.err
    assert "\n  geobias audit sim/fair" in done.err
    assert str(tmp_path / "report.html") in done.out
    found = json.loads((tmp_path / "report.json").read_text())
    assert found["models"] == ["sim/fair", "sim/biased"]


def test_an_audit_in_json_reports_what_is_complete(
    tmp_path: Path, raw_server: RawStart, one: tuple[object, ...]
) -> None:
    done = audit(tmp_path, raw_server(error(404, "gone")).url, "sim/fair", *one, "--json")
    assert (done.code, done.json()["models"]) == (3, ["sim/fair"])


def test_an_audit_that_no_model_finishes_has_no_report(
    tmp_path: Path, raw_server: RawStart
) -> None:
    refusing = [raw_server(error(401, "no")).url, raw_server(error(404, "gone")).url]
    assert audit(tmp_path, *refusing).code == 3
    assert not (tmp_path / "report.html").exists()


def test_ctrl_c_stops_all_models(
    tmp_path: Path, chat_server: ChatStart, held_model: HeldStart
) -> None:
    model = held_model("sim/fair", answers=1)
    url, server = chat_server(model)
    words = ("--probes", "worldbench", "--concurrency", "1", "--out", "o")
    process = start("audit", url, "sim/fair", *words, cwd=tmp_path)
    until(lambda: server.calls == 2, process)
    process.send_signal(signal.SIGINT)
    model.allow()
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert "stopped" in err
    assert not (tmp_path / "o" / "report.html").exists()


def test_from_python_the_report_of_what_is_complete_comes_with_the_reasons(
    tmp_path: Path, raw_server: RawStart
) -> None:
    bad = raw_server(error(401, "no")).url
    with pytest.raises(api.Incomplete, match="wants a key") as caught:
        api.audit([bad, "sim/fair"], probes=["worldbench"], out=tmp_path)
    assert isinstance(caught.value.reasons[bad], ProviderSaysNo)
    assert caught.value.audit is not None
    assert caught.value.audit.runs.keys() == {"sim/fair"}
    assert caught.value.audit.page.exists()


def test_from_python_a_single_model_raises_its_own_reason(tmp_path: Path) -> None:
    limits = api.Options(max_calls=5)
    with pytest.raises(BudgetReached):
        api.audit("sim/fair", probes=["worldbench"], out=tmp_path, options=limits)


def test_what_was_not_told_is_shown_as_unknown(path: Path, raw_server: RawStart) -> None:
    server = raw_server(without_usage)
    priced = f'{{ name = "{server.url}", price = [1, 1] }}'
    words = ("run", "worldbench", priced, "--countries", "KEN", "--out", path)
    for shown in (geobias(*words).out, geobias("show", path).out):
        assert re.search(r"at most about [\d,]+ tokens in, .* cost at most about \$", shown)
        assert "$0.0000" not in shown
    spent = geobias("show", path, "--json").json()["spent"]
    assert {role["counted"] for role in spent.values()} == {False}
