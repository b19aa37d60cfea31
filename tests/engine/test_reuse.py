"""What one run file holds is not paid for again by another."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from geobias import Options, api
from geobias.errors import BadRunFile, BudgetReached
from geobias.probes import ratings, worldbench
from geobias.probes.plan import Plan
from geobias.runfile import Manifest, OtherRuns, RunWriter
from geobias.runfile.reading import runs_at
from geobias.runfile.reuse import copy_replies
from geobias.trials import Ask, Dialogue, Reply
from tests.servers import ChatStart, RawStart, error, thinker

COUNTRIES = ["BRA", "CHN", "FRA", "IND", "KEN", "NGA", "PER", "USA"]
FIRST = worldbench.plan(indicators=["gdp", "population"], countries=COUNTRIES)
AFTERWARDS = {
    "another probe beside it": ([FIRST, ratings.plan()], ratings.plan().count),
    "fewer questions": ([worldbench.plan(indicators=["gdp"], countries=COUNTRIES[:3])], 0),
    "another seed": (
        [worldbench.plan(indicators=["gdp", "population"], countries=COUNTRIES, seed=7)],
        0,
    ),
}


@pytest.mark.parametrize("name", AFTERWARDS)
def test_a_run_takes_what_another_run_in_its_folder_was_told(
    name: str, chat_server: ChatStart, tmp_path: Path
) -> None:
    plans, new = AFTERWARDS[name]
    url, server = chat_server("sim/fair")
    api.run([FIRST], url, tmp_path / "first.geobias")
    before = server.calls
    path = api.run(plans, url, tmp_path / "second.geobias").path
    assert server.calls - before == new
    with api.open_run(path) as run:
        assert sum(one.calls for one in run.spent().values()) == new
        assert sum(run.reused().values()) > 0


def test_a_folder_stands_for_the_runs_that_no_other_run_includes(tmp_path: Path) -> None:
    few = worldbench.plan(indicators=["gdp"], countries=COUNTRIES[:3])
    for name, plans in {"a": [FIRST], "b": [FIRST, ratings.plan()], "c": [few]}.items():
        api.run(plans, "sim/fair", tmp_path / f"{name}.geobias")
    again = api.run([few], "sim/fair", tmp_path / "d.geobias")  # a repetition is a run of its own
    assert [path.name[0] for path in runs_at(tmp_path)] == ["b", "c", "d"]
    assert runs_at(again.path) == [again.path]


def test_what_other_runs_were_told_is_copied_for_the_workers_of_a_cluster(tmp_path: Path) -> None:
    first = api.run([FIRST], "sim/fair", tmp_path / "first.geobias").path
    with api.open_run(first) as run:
        manifest = run.manifest()
    file = RunWriter.open(tmp_path / "second.geobias", manifest)
    with closing(OtherRuns(file.path, manifest, folder=tmp_path)) as others:
        copy_replies(manifest, [*FIRST.trials(), *ratings.plan().trials()], file, others)
    file.close()
    with api.open_run(file.path) as run:
        assert run.reused() == {"first.geobias": FIRST.count}


def test_replies_of_a_model_that_was_asked_with_another_effort_are_not_taken(
    tmp_path: Path,
) -> None:
    models = {"model": "x", "judge": "y"}
    theirs = Manifest(
        geobias="0", created="", probes={}, models=models, asked={"judge": {"effort": "high"}}
    )
    file = RunWriter.open(tmp_path / "first.geobias", theirs)
    digests = {}
    for role in ("guesser", "judge"):  # the first is asked as the tested model
        ask = Ask(dialogue=Dialogue().user(role), role=role)
        digests[role] = ask.digest(models.get(role, "x"))
        file.save_reply(ask, Reply(role, digest=digests[role]))
    file.close()
    for asked, taken in ((theirs.asked, {"guesser", "judge"}), ({}, {"guesser"})):
        ours = msgspec.structs.replace(theirs, asked=asked)
        with closing(OtherRuns(tmp_path / "second.geobias", ours, folder=tmp_path)) as others:
            assert {role for role, digest in digests.items() if others.find(digest)} == taken


def test_the_same_replies_make_the_same_records(chat_server: ChatStart, tmp_path: Path) -> None:
    url, _ = chat_server("sim/biased")
    paths = [api.run([FIRST], url, tmp_path / f"{name}.geobias").path for name in "ab"]
    records, dialogues = [], []
    for path in paths:
        with api.open_run(path) as run:
            records.append(sorted(run.query("SELECT trial, record, replies FROM records")))
            dialogues.append(sorted(str(run.transcript(one)) for _, one in run.replies()))
    assert records[0] == records[1]
    assert dialogues[0] == dialogues[1]


def test_what_another_run_paid_leaves_the_budget_whole(
    chat_server: ChatStart, tmp_path: Path
) -> None:
    url, _ = chat_server("sim/fair")
    api.run([FIRST], url, tmp_path / "first.geobias")
    plans: list[Plan] = [FIRST, ratings.plan()]
    limited = Options(max_calls=ratings.plan().count)
    for _ in range(2):  # also when the run is resumed
        result = api.run(plans, url, tmp_path / "second.geobias", options=limited)
    assert result.counts["ratings"].reused == ratings.plan().count


def test_everything_is_asked_anew_if_the_user_says_so(
    chat_server: ChatStart, tmp_path: Path
) -> None:
    url, server = chat_server("sim/fair")
    for name in "ab":
        api.run([FIRST], url, tmp_path / f"{name}.geobias", options=Options(fresh=True))
    assert server.calls == 2 * FIRST.count


def test_runs_in_other_folders_are_taken_where_they_are_named(
    chat_server: ChatStart, tmp_path: Path
) -> None:
    url, server = chat_server("sim/fair")
    api.run([FIRST], url, tmp_path / "a" / "run.geobias")
    options = Options(reuse=(tmp_path / "a",))
    api.run([FIRST], url, tmp_path / "b" / "run.geobias", options=options)
    assert server.calls == FIRST.count


def test_a_damaged_file_is_passed_over_in_the_folder_and_refused_by_name(
    chat_server: ChatStart, tmp_path: Path
) -> None:
    url, _ = chat_server("sim/fair")
    (tmp_path / "damaged.geobias").write_bytes(b"nothing of the kind")
    api.run([FIRST], url, tmp_path / "run.geobias")
    named = Options(reuse=(tmp_path / "damaged.geobias",))
    with pytest.raises(BadRunFile):
        api.run([FIRST], url, tmp_path / "other" / "run.geobias", options=named)


def test_what_was_found_out_of_a_server_is_known_when_a_run_goes_on(
    raw_server: RawStart, path: Path
) -> None:
    def picky(request: dict[str, Any]) -> bytes:
        if "temperature" in request:
            return error(400, "Unsupported parameter: 'temperature' is not supported.")
        if "max_tokens" in request:
            return error(400, "Unsupported parameter: 'max_tokens' is not supported.")
        return thinker(3000, 3000, "53000000")(request)

    server = raw_server(picky)
    with pytest.raises(BudgetReached):
        api.run([FIRST], server.url, path, options=Options(max_calls=9))
    learned = len(server.requests)
    api.run([FIRST], server.url, path)
    later = server.requests[learned:]
    assert len(later) < FIRST.count
    assert not any("temperature" in one for one in later)
    assert {one.get("max_completion_tokens") for one in later} == {48 + 4096}
