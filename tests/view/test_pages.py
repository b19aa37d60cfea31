"""Pages over HTTP: hostile replies, trials of each probe, runs that grow."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from geobias.runfile import Manifest, RunReader, RunWriter, Verdict, save_verdict
from geobias.trials import Ask, Dialogue, Record, Reply
from geobias.view import run_list
from tests.cli.running import geobias
from tests.probes.geo20q.scripts import Script, play
from tests.servers import RawStart
from tests.view.conftest import Serve, Site, serving
from tests.waiting import until


@pytest.fixture(scope="module")
def site(made_runs: Path) -> Iterator[Site]:
    """One for all that only look."""
    with serving() as start:
        yield start(made_runs)


HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "</p></textarea> \x1b[31mred\x1b]0;t\x07 \u202eevil\u2066 {{ 7*7 }} '\" &amp; 8,703,771"
)


def hostile_run(path: Path, text: str) -> Path:
    """A run in which a model and its names are as bad as can be."""
    from geobias.probes.worldbench.trials import WorldBenchRecord

    manifest = Manifest(
        geobias="0",
        created="2026-01-01T00:00:00+00:00",
        probes={"worldbench": {}},
        models={"model": "<b>model</b>\u202e"},
        planned={"worldbench": 1},
    )
    ask = Ask(dialogue=Dialogue().user("What is it? <i>x</i>"))
    start = text.find("8,703,771")
    record = WorldBenchRecord(
        trial="worldbench/population/KEN/0",
        probe="worldbench",
        country="KEN",
        outcome="parsed",
        indicator="population",
        region="<b>r</b>",
        income=None,
        truth=1.0,
        value=8703771.0,
        error=0.9,
        span_start=start,
        span_end=start + 9,
    )
    return written(path, manifest, ask, Reply(text, model="<u>me</u>"), record)


def written(path: Path, manifest: Manifest, ask: Ask, reply: Reply, record: Record) -> Path:
    """A run of one reply and its record."""
    digest = ask.digest("m")
    writer = RunWriter.open(path, manifest)
    writer.save_reply(ask, msgspec.structs.replace(reply, digest=digest))
    writer.save_record(record, [digest])
    writer.close()
    return path


def test_hostile_replies_are_text(tmp_path: Path, serve: Serve) -> None:
    site = serve(hostile_run(tmp_path / "bad.geobias", HOSTILE))
    site.settled("bad")
    trial = "/run/bad/trial/worldbench/population/KEN/0"
    judging = "/run/bad/check/worldbench.parsed"
    for path in ("/", "/run/bad/trials", "/run/bad/trials?q=evil", trial, judging):
        page = site.ask(path).text
        assert "<script>document" not in page
        assert "<img" not in page
        assert "<b>" not in page.replace("<button", "")
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page), path
        assert "49" not in re.findall(r"\{\{ (.*?) \}\}", page)
    page = site.ask(trial).text
    assert "<mark>8,703,771</mark>" in page
    assert "&lt;script&gt;" in page


def test_a_reply_of_a_megabyte_is_cut_around_what_was_read(tmp_path: Path, serve: Serve) -> None:
    text = "x" * 600_000 + " 8,703,771 " + "y" * 600_000
    site = serve(hostile_run(tmp_path / "long.geobias", text))
    site.settled("long")
    page = site.ask("/run/long/trial/worldbench/population/KEN/0").text
    assert len(page) < 40_000
    assert "<mark>8,703,771</mark>" in page
    assert len(site.ask("/run/long/trials").text) < 60_000


def test_a_worldbench_trial_shows_chat_span_figure_and_error(site: Site) -> None:
    with RunReader(site.runs / "knows.geobias") as reader:
        record = next(one for one in reader.records() if one["value"] is not None)
    page = site.ask(f"/run/knows/trial/{record['trial']}").text
    assert "Sounds good, will do." in page
    assert "<mark>" in page
    assert f"{record['truth']:,.0f}" in page
    assert f"{record['error']:.3f}" in page


def test_a_namebbq_trial_with_names_tells_the_nationalities(site: Site) -> None:
    with RunReader(site.runs / "assumes.geobias") as reader:
        record = next(one for one in reader.records() if one["dataset"] == "name")
    page = site.ask(f"/run/assumes/trial/{record['trial']}").text
    assert record["name"] in page
    assert record["nationality"] in page


def test_a_game_marks_what_is_repeated_contradicted_and_named(
    tmp_path: Path, raw_server: RawStart, serve: Serve
) -> None:
    lines = [
        "Is it in Europe?",
        "Is it in Asia?",
        "Is it in Europe?",
        "Tell me more about it.",
        "Thinking of towers …\nIs it the Tour Eiffel?",
    ]
    script = Script(
        lines, lambda prompt: "Yes, the Eiffel Tower is." if "Europe" in prompt else "No."
    )
    record = play(raw_server, tmp_path, script)
    assert (record["repeated"], record["contradicted"], record["not_yes_no"]) == (1, 1, 1)
    page = serve(tmp_path / "game.geobias").ask("/run/game/trial/geo20q/en/eiffel-tower/0").text
    turns = [part.partition("</li>")[0] for part in re.split('<li class="turn', page)[1:]]
    assert len(turns) == 5
    marks = ["asked before", "against an earlier answer", "not a yes/no question", "names it"]
    found = [[mark for mark in marks if mark in turn] for turn in turns]
    assert found == [[], [marks[1]], [marks[0]], [marks[2]], [marks[3]]]
    assert "<mark>Tour Eiffel</mark>" in turns[4]
    assert "Thinking of towers" in turns[4]


def test_a_game_won_by_a_spelling_of_the_runs_own_table_is_marked_as_won(
    tmp_path: Path, raw_server: RawStart, serve: Serve
) -> None:
    record = play(raw_server, tmp_path, Script(["Is it La Dame de fer?"]))
    assert record["canonical"] == "won"
    page = serve(tmp_path / "game.geobias").ask("/run/game/trial/geo20q/en/eiffel-tower/0").text
    assert "names it" in page


def test_the_runs_page_tells_state_and_cost(site: Site) -> None:
    page = site.ask("/").text
    assert page.count("complete") >= 3
    assert "80 of 80" in page
    assert "$0.0000" in page
    until(lambda: "Gap found" in site.ask("/").text or "Open" in site.ask("/").text)


def test_a_run_of_a_probe_that_is_not_installed_can_be_read_all_the_same(
    tmp_path: Path, serve: Serve
) -> None:
    manifest = Manifest(geobias="0", created="", probes={"rivers": {}}, models={"model": "m"})
    ask = Ask(dialogue=Dialogue().user("Which river is the longest in Kenya?"))
    record = Record(trial="rivers/KEN/0", probe="rivers", country="KEN", outcome="read")
    reply = Reply("The Tana.", model="m")
    site = serve(written(tmp_path / "other.geobias", manifest, ask, reply, record))
    assert "Kenya" in site.settled("other")
    page = site.ask("/run/other/trial/rivers/KEN/0").text
    assert "Which river is the longest in Kenya?" in page
    assert "The Tana." in page
    assert site.ask("/run/other/check").status == 200


def test_a_file_that_is_no_run_is_a_sentence_and_no_crash(
    runs: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = serve(runs)
    monkeypatch.setattr(run_list, "LOOK_AGAIN_SECONDS", -1.0)
    (site.runs / "broken.geobias").write_bytes(b"SQLite format 3\0 and then nothing")
    answer = site.ask("/run/knows/trials")
    assert answer.status == 200
    assert "broken.geobias is damaged" in site.ask("/").text
    assert site.ask("/run/broken/trials").status == 409


def test_the_report_is_made_on_demand_under_its_own_policy(site: Site) -> None:
    judged = Verdict(reviewer="Ada", sample="geo20q.ending", item="t", verdict="right")
    save_verdict(site.runs / "plays.geobias", judged)
    waiting = site.ask("/run/plays/report")
    assert "Making the report" in waiting.text
    assert waiting.headers["refresh"] == "0; url=/run/plays/report/page"
    answer = site.ask("/run/plays/report/page")
    assert answer.status == 200
    assert "All runs" in answer.text
    assert "on 1 games" in answer.text
    assert answer.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert "style-src 'sha256-" in html.unescape(answer.text)


def test_verdicts_are_exported(runs: Path, tmp_path: Path) -> None:
    save_verdict(
        runs / "knows.geobias",
        Verdict(reviewer="Ada", sample="worldbench.parsed", item="t", verdict="right"),
    )
    out = tmp_path / "verdicts.csv"
    assert geobias("export", runs / "knows.geobias", "--to", out, "--verdicts").code == 0
    assert "Ada,worldbench.parsed,t,right" in out.read_text("utf-8")
