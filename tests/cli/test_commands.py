from __future__ import annotations

import json
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import click
import polars as pl
import pytest
from tools import reference

from geobias.cli import COMMANDS, GROUPS, cli, module_of
from tests.cli.running import geobias
from tests.defined import defined

RUN = "geobias-runs/worldbench-sim-biased.geobias"
GAME = "game.geobias"
QUICK = ("run", "worldbench", "sim/fair")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a WorldBench of a simulated model, and a game in which it judges too."""
    folder = tmp_path_factory.mktemp("cli")
    code, out, err = geobias("run", "worldbench", "sim/biased", cwd=folder)
    assert code == 0, err
    assert RUN in out
    words = ("--entities", "Taj Mahal", "--judge-questions", "0", "--out", GAME)
    code, _, err = geobias("run", "geo20q", "sim/biased", *words, cwd=folder)
    assert code == 0, err
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str) -> None:
    command = defined(cli.get_command(click.Context(cli), name))
    assert COMMANDS[name] == command.get_short_help_str(limit=200)


def test_help_loads_no_command_of_ours_no_probe_and_no_frame_library() -> None:
    program = (
        "import sys\nfrom geobias.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "audit" in done.stdout
    loaded = set(done.stderr.split())
    assert not loaded & {module_of(name) for name in COMMANDS}
    assert not loaded & {entry.module for entry in entry_points(group="geobias.probes")}
    assert not loaded & {"polars", "numpy"}
    rooms = {name.split(".")[1] for name in loaded if name.startswith("geobias.")}
    assert rooms <= {"atlas", "cli", "errors", "files", "results", "untrusted", "version"}


def test_a_run_ends_with_results_and_where_they_are(folder: Path) -> None:
    code, out, err = geobias("run", "worldbench", "sim/biased", cwd=folder)
    assert code == 0
    assert "mean error" in out
    assert f"Run file  {RUN}" in out
    assert f"geobias report {RUN}" in out
    assert err == ""  # nobody watches: no progress display


def test_replies_of_one_country_are_shown_with_their_question(folder: Path) -> None:
    code, out, _ = geobias("replies", RUN, "--country", "China", cwd=folder)
    assert code == 0
    assert "country China?" in out
    assert "worldbench/population/CHN/0" in out
    assert "CAN" not in out


def test_replies_can_be_searched(folder: Path) -> None:
    words = ("replies", GAME, "--role", "judge", "--json", "--grep")
    found = {}
    for word in ("yes", "no"):
        _, out, _ = geobias(*words, f"^{word}", cwd=folder)
        found[word] = [json.loads(line)["text"] for line in out.splitlines()]
    assert {text[:3] for text in found["yes"]} == {"Yes"}
    assert found["no"]


def test_questions_can_be_searched_too() -> None:
    _, out, _ = geobias("replies", "example", "--grep", "this person from Oceania", "--limit", "1")
    assert "from Oceania?" in out


def test_the_words_of_reports_find_what_the_records_call_otherwise(folder: Path) -> None:
    for words in (("declined", "abstained", "refused"), ("read", "parsed", "answered")):
        first, *others = (
            geobias("replies", RUN, "--outcome", word, "--json", cwd=folder) for word in words
        )
        assert first.code == 0
        assert first.out
        assert all(one.out == first.out for one in others)


def test_an_outcome_that_no_reply_had_is_no_mistake(folder: Path) -> None:
    done = geobias("replies", RUN, "--outcome", "unread", cwd=folder)
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith(": read, declined\n")


def test_the_help_has_every_command_in_one_group() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)


def test_the_whole_dialogue_can_be_read(folder: Path) -> None:
    words = ("--trial", "geo20q/en/taj-mahal/0", "--dialogue", "--json")
    _, out, _ = geobias("replies", GAME, *words, cwd=folder)
    last = json.loads(out.splitlines()[-1])
    assert last["dialogue"][-1] == ["assistant", last["text"]]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_records_are_exported(folder: Path, suffix: str) -> None:
    code, out, _ = geobias("export", RUN, "--to", f"x.{suffix}", cwd=folder)
    assert (code, out.split()[0]) == (0, "80")
    written = folder / f"x.{suffix}"
    frame = {
        "parquet": lambda: pl.read_parquet(written),
        "csv": lambda: pl.read_csv(written),
        "jsonl": lambda: pl.read_ndjson(written),
    }[suffix]()
    assert frame.height == 80
    assert {"trial", "probe", "country", "outcome", "indicator", "value"} <= set(frame.columns)


def test_models_tells_which_keys_are_set_and_never_shows_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    code, out, _ = geobias("models")
    assert code == 0
    assert "OPENAI_API_KEY: set" in out
    assert "XAI_API_KEY: not set" in out
    assert "sk-secret" not in out


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    code, _, err = geobias(*QUICK, "--out", "/proc/none/x.geobias", cwd=tmp_path)
    assert (code, err.count("\n")) == (3, 1)
    assert "cannot write" in err


def test_budget_stops_are_resumed_by_raising_the_budget(tmp_path: Path) -> None:
    code, _, err = geobias(*QUICK, "--max-calls", "5", cwd=tmp_path)
    assert code == 3
    assert "--max-calls 5" in err
    [again] = (line for line in err.splitlines() if line.startswith("  geobias run worldbench"))
    assert again.endswith("--max-calls 5")
    assert "with a higher limit" in err
    code, out, _ = geobias(*QUICK, cwd=tmp_path)
    assert code == 0
    assert "\n80 calls, " in out


def test_the_commands_that_a_run_ends_with_can_be_pasted(tmp_path: Path) -> None:
    code, out, _ = geobias(*QUICK, "--out", "rün 1.geobias", cwd=tmp_path)
    assert code == 0
    line = next(one for one in out.splitlines() if "geobias show" in one)
    assert shlex.split(line.removeprefix("Read on")) == ["geobias", "show", "rün 1.geobias"]


def test_every_option_of_every_command_is_explained_or_names_its_choices() -> None:
    bare = [
        f"{name} {option.opts[0]}"
        for name, command in reference.commands(cli, "geobias")
        for option in command.params
        if isinstance(option, click.Option)
        and not option.help
        and not isinstance(option.type, click.Choice)
    ]
    assert not bare


def test_every_command_about_data_has_an_example() -> None:
    told = {name: one.help or "" for name, one in reference.commands(cli, "geobias")}
    about_data = [text for name, text in told.items() if name.startswith("geobias data ")]
    assert about_data
    assert all("geobias data " in text for text in about_data)


def test_settings_of_the_users_own_get_a_file_of_their_own(folder: Path) -> None:
    code, out, _ = geobias("run", "worldbench", "sim/biased", "--indicators", "gdp", cwd=folder)
    assert code == 0
    assert RUN not in out
