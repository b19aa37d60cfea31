"""Replies from elsewhere become run files that every command takes, for every probe."""

from __future__ import annotations

import io
import json
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias import open_run, run
from geobias.probes.predictions import MOST_LINE_BYTES, Lines, as_reply
from geobias.probes.registry import find_probe, plan_of
from geobias.probes.replay import answers_of, replayed
from geobias.report.records import spending
from tests.cli.running import geobias
from tests.wording import reads_as

COUNTRIES = ("Kenya", "Mali", "Niger", "Chad", "Ghana", "France", "Italy", "Spain", "Peru", "Chile")


ENTITIES = "Lionel Messi,Eiffel Tower"


def lines_of(path: Path, *rows: dict[str, Any] | str) -> Path:
    texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def worldbench(model: str = "m") -> list[dict[str, Any]]:
    return [
        {"indicator": "population", "country": name, "reply": 1_000_000.0 * i, "model": model}
        for i, name in enumerate(COUNTRIES, start=5)
    ]


def namebbq() -> list[dict[str, Any]]:
    items = plan_of(find_probe("namebbq"), {"names": 0}).trials()
    ids = [trial.name.split("/")[1] for trial in items][:40]
    return [
        {"example_id": one, "reply": ("(a)", "(b)", "(c)")[i % 3], "prompt": "Who?"}
        for i, one in enumerate(ids)
    ]


def ratings() -> list[dict[str, Any]]:
    return [
        {"topic": "morality", "country": name, "reply": i / 2, "model": "m"}
        for i, name in enumerate(COUNTRIES)
    ]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games that were played before."""
    path = tmp_path_factory.mktemp("games") / "played.geobias"
    settings = {"entities": ENTITIES, "judge_questions": 0}
    return run([plan_of(find_probe("geo20q"), settings)], "sim/fair", path).path


def games(played: Path) -> list[dict[str, Any]]:
    """As somebody else may tell them."""
    told = []
    with open_run(played) as reader:
        for record in reader.records("geo20q"):
            said = [reply for _, reply in reader.replies(trial=record["trial"])]
            replies = [{"role": one.role, "text": one.text} for one in said]
            told.append({"trial": record["trial"], "replies": replies, "model": "sim/fair"})
    return told


def scored(tmp_path: Path, probe: str, *rows: dict[str, Any] | str, **options: str) -> Path:
    out = tmp_path / f"{probe}.geobias"
    source = lines_of(tmp_path / "replies.jsonl", *rows)
    extra = [word for name, value in options.items() for word in (f"--{name}", value)]
    done = geobias("score", probe, "--predictions", source, "--to", out, *extra)
    assert (done.code, out.exists()) == (0, True), done.err
    return out


@pytest.mark.parametrize(
    ("probe", "make"), [("worldbench", worldbench), ("namebbq", namebbq), ("ratings", ratings)]
)
def test_a_run_file_is_reported_compared_gated_and_shown(
    tmp_path: Path, probe: str, make: Any
) -> None:
    path = scored(tmp_path, probe, *make())
    found = geobias("report", path, "--format", "json").json()
    assert found["sections"][0]["probe"] == probe
    assert "replies.jsonl" in found["runs"][0]["elsewhere"]
    assert any("made elsewhere" in note for note in found["sections"][0]["notes"])
    second = tmp_path / "second.geobias"
    copy(path, second)
    assert geobias("compare", path, second).code == 0
    assert geobias("show", path).out.count("made elsewhere") == 1
    metric = found["sections"][0]["metrics"][0]["name"]
    assert geobias("gate", path, "--max", f"{metric}=1").code == 1  # too few to measure
    assert geobias("replies", path, "--limit", "1").code == 0


def test_games_from_elsewhere_are_played_again_turn_by_turn(played: Path, tmp_path: Path) -> None:
    told = games(played)
    asked = {"entities": ENTITIES, "judge-questions": "0"}
    path = scored(tmp_path, "geo20q", *told, **asked)
    with open_run(path) as again, open_run(played) as before:
        assert [*again.records("geo20q")] == [*before.records("geo20q")]
        trial = told[0]["trial"]
        last = [reply for _, reply in again.replies(trial=trial, role="guesser")][-1]
        assert len(again.transcript(last)) > 2


def test_a_game_that_is_told_wrong_is_named(played: Path) -> None:
    first, second = games(played)[:2]
    probe = find_probe("geo20q")
    how = replayed(probe)
    options = probe.Settings(entities=ENTITIES, judge_questions=0)
    rows = [
        {**first, "replies": first["replies"][:-1]},
        {**first, "replies": [*first["replies"], "More?"]},
        {**first, "replies": [{"role": "judge", "text": "Yes."}]},
        {**first, "trial": "geo20q/en/nobody/0"},
        second,
    ]
    found = how.read([json.dumps(row).encode() for row in rows], options)
    why = dict(found.left_out)
    assert (list(why), len(found.told)) == ([1, 2, 3, 4], 1)
    reads_as("Games that are told wrong", {str(line): said for line, said in why.items()})


def test_what_is_not_known_is_not_made_up(tmp_path: Path) -> None:
    path = scored(tmp_path, "worldbench", *worldbench())
    with open_run(path) as reader:
        manifest = reader.manifest()
        assert manifest.elsewhere is not None
        assert (manifest.elsewhere.used, manifest.elsewhere.left_out) == (10, 0)
        assert len(manifest.elsewhere.sha256) == 64
        assert manifest.prompts == {}
        assert not {"temperature", "example_country"} & manifest.probes["worldbench"].keys()
        assert not reader.spent()["model"].counted
        assert spending(reader)["tokens_out"] is None
        reply = next(iter(reader.replies()))[1]
        assert reply.sampling == "made elsewhere"
        assert reply.question().startswith("(asked elsewhere")


def test_a_run_of_ours_and_one_from_elsewhere_are_compared_with_a_word(tmp_path: Path) -> None:
    elsewhere = scored(tmp_path, "worldbench", *worldbench())
    ours = tmp_path / "ours.geobias"
    asked = {"indicators": ["population"], "countries": list(COUNTRIES)}
    run([plan_of(find_probe("worldbench"), asked)], "sim/fair", ours)
    done = geobias("compare", elsewhere, ours)
    assert done.code == 0
    assert "10 shared items" in done.out
    assert "made elsewhere" in " ".join(done.out.split())


def test_several_models_become_several_runs(tmp_path: Path) -> None:
    source = lines_of(tmp_path / "two.jsonl", *worldbench("a/b"), *worldbench("../c"))
    out = tmp_path / "run.geobias"
    words = ("score", "worldbench", "--predictions", source, "--to", out)
    assert geobias(*words).code == 0
    assert sorted(path.name for path in tmp_path.glob("*.geobias")) == [
        "run-a-b.geobias",
        "run-c.geobias",
    ]
    again = geobias(*words)
    assert (again.code, "exists already" in again.err) == (2, True)


def test_a_hostile_line_is_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    long = '{"indicator": "population", "country": "Kenya", "reply": "' + "9" * MOST_LINE_BYTES
    deep = "[" * 5_000
    source = lines_of(tmp_path / "r.jsonl", long, deep, '{"reply": "\x1b[31m"}', *worldbench())
    done = geobias("score", "worldbench", "--predictions", source, "--json")
    assert done.code == 0
    assert done.json()[0]["asked"] == 10
    assert "\x1b" not in done.err
    assert "3 lines left" in done.err
    reads_as("Hostile lines of replies", done.err.splitlines()[:2])


def test_of_many_lines_that_are_left_out_a_few_are_named(tmp_path: Path) -> None:
    source = lines_of(tmp_path / "r.jsonl", *["x"] * 300, *worldbench())
    done = geobias("score", "worldbench", "--predictions", source, "--json")
    assert "line 20: " in done.err
    assert "line 21: " not in done.err
    assert "300 lines left" in done.err


@pytest.mark.parametrize(
    ("said", "text"),
    [(53_000_000, "53000000"), (5.3e7, "53000000"), (0.1, "0.1"), (1e-7, "0.0000001"), ("x", "x")],
)
def test_a_number_is_a_reply(said: str | float, text: str) -> None:
    assert as_reply(said).text == text


@given(st.lists(st.binary(max_size=50).filter(lambda line: b"\n" not in line), max_size=6))
def test_lines_are_those_of_the_file(parts: list[bytes]) -> None:
    raw = b"\n".join(parts)
    lines = Lines(io.BytesIO(raw))
    assert b"".join(lines) == raw
    assert lines.count == len(io.BytesIO(raw).readlines())


@pytest.mark.parametrize("name", ["worldbench", "namebbq", "geo20q", "ratings"])
@given(st.lists(st.binary(max_size=60) | st.text(max_size=60).map(str.encode), max_size=5))
def test_any_lines_are_read_or_left_out(name: str, lines: list[bytes]) -> None:
    probe = find_probe(name)
    how = probe.elsewhere.predictions or replayed(probe)
    found = how.read(lines, how.Options())
    assert len(found.told) + len(found.left_out) <= sum(bool(one.strip()) for one in lines)


def test_a_probe_without_lines_of_its_own_takes_those_of_its_trials() -> None:
    """As a plug-in's does, which says nothing of replies from elsewhere."""
    probe = find_probe("worldbench")
    options = probe.Settings(indicators=("gdp",), countries=("Kenya",))
    line = b'{"trial": "worldbench/gdp/KEN/0", "reply": "110 billion", "model": "m"}'
    found = replayed(probe).read([line, b'{"trial": "worldbench/gdp/KEN/0"}'], options)
    answers, *_ = answers_of(probe, found, options)
    assert answers.frame["value"].to_list() == [110e9]
    assert found.told[0].said[0][0].dialogue.content.startswith("What is the GDP")
    assert found.prompts == probe.plan(options).prompts
