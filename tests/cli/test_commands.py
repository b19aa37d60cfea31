from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import polars as pl
import pytest

from geobias.cli import COMMANDS, cli
from tests.cli.commands import geobias

RUN = "geobias-runs/pilot-sim-biased.geobias"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the pilot has been run on a simulated model."""
    folder = tmp_path_factory.mktemp("cli")
    code, out, err = geobias("run", "pilot", "sim/biased", cwd=folder)
    assert code == 0, err
    assert RUN in out
    return folder


def test_help_teaches_by_example(tmp_path: Path) -> None:
    code, out, _ = geobias("--help", cwd=tmp_path)
    assert code == 0
    assert "geobias audit openai/" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert COMMANDS[name][1] == command.get_short_help_str(limit=200)


def test_help_loads_no_command_no_probe_and_no_frame_library() -> None:
    program = (
        "import sys\nfrom geobias.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "Audit one or more models" in done.stdout
    loaded = [name for name in done.stderr.split() if name.startswith(("geobias", "polars"))]
    assert set(loaded) <= {"geobias", "geobias.cli", "geobias.errors"}
    assert "numpy" not in done.stderr.split()


@pytest.mark.parametrize(
    "command",
    [
        *("audit", "run", "plan", "report", "compare", "gate"),
        *("show", "replies", "export", "models", "serve"),
    ],
)
def test_every_command_has_help(tmp_path: Path, command: str) -> None:
    code, out, _ = geobias(command, "--help", cwd=tmp_path)
    assert code == 0
    assert "Usage: geobias" in out


def test_a_run_ends_with_results_and_where_they_are(folder: Path) -> None:
    code, out, err = geobias("run", "pilot", "sim/biased", cwd=folder)
    assert code == 0
    assert "continent known" in out
    assert f"Run file  {RUN}" in out
    assert "geobias report" not in out  # a pilot has none
    assert err == ""  # nobody watches: no progress display


def test_the_same_run_again_asks_nothing(folder: Path) -> None:
    geobias("run", "pilot", "sim/biased", cwd=folder)
    _, out, _ = geobias("show", RUN, "--json", cwd=folder)
    assert json.loads(out)["sessions"][-1]["counts"]["calls"] == 0


def test_show_says_what_how_far_and_what_it_cost(folder: Path) -> None:
    code, out, _ = geobias("show", RUN, cwd=folder)
    assert code == 0
    assert "sim/biased" in out
    assert "36 of 36 trials" in out
    assert "calls" in out
    assert "$0.0000" in out


def test_replies_of_one_country_are_shown_with_their_question(folder: Path) -> None:
    code, out, _ = geobias("replies", RUN, "--country", "Kenya", cwd=folder)
    assert code == 0
    assert "On which continent is Kenya?" in out
    assert "pilot/place/KEN/0" in out
    assert "CAN" not in out


def test_replies_can_be_searched(folder: Path) -> None:
    _, out, _ = geobias("replies", RUN, "--role", "judge", "--grep", "^yes", "--json", cwd=folder)
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == [] or all(row["text"].startswith("Yes") for row in rows)
    _, out, _ = geobias("replies", RUN, "--role", "judge", "--grep", "^no", "--json", cwd=folder)
    assert out


def test_the_whole_dialogue_can_be_read(folder: Path) -> None:
    _, out, _ = geobias(
        "replies", RUN, "--trial", "pilot/game/PER/0", "--dialogue", "--json", cwd=folder
    )
    last = json.loads(out.splitlines()[-1])
    assert last["dialogue"][-1] == ["assistant", last["text"]]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_records_are_exported(folder: Path, suffix: str) -> None:
    code, out, _ = geobias("export", RUN, "--to", f"x.{suffix}", cwd=folder)
    assert (code, out) == (0, f"36 rows in x.{suffix}\n")
    written = folder / f"x.{suffix}"
    frame = {
        "parquet": lambda: pl.read_parquet(written),
        "csv": lambda: pl.read_csv(written),
        "jsonl": lambda: pl.read_ndjson(written),
    }[suffix]()
    assert frame.height == 36
    assert {"trial", "probe", "country", "outcome", "kind", "right"} <= set(frame.columns)


def test_replies_are_exported(folder: Path) -> None:
    code, _, _ = geobias("export", RUN, "--replies", "--to", "said.parquet", cwd=folder)
    assert code == 0
    assert "text" in pl.read_parquet(folder / "said.parquet").columns


def test_models_tells_which_keys_are_set_and_never_shows_them(tmp_path: Path) -> None:
    code, out, _ = geobias("models", cwd=tmp_path, OPENAI_API_KEY="sk-secret")
    assert code == 0
    assert "OPENAI_API_KEY: set" in out
    assert "XAI_API_KEY: not set" in out
    assert "sk-secret" not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("audit", "nobody/nothing"), "no model 'nobody/nothing'"),
        (("audit", "openai/gpt-4o"), "OPENAI_API_KEY"),
        (("audit", "--probes", "nothing"), "no probe 'nothing'"),
        (("audit", "--frobnicate"), "No such option"),
        (("run", "nothing"), "No such command 'nothing'"),
        (("run", "pilot", "sim/fair", "--max-calls", "0"), "--max-calls"),
        (("run", "pilot", "sim/fair", "--repeats", "3", "--temperature", "0"), "independent draws"),
        (("run", "pilot", "http://h/v1/m", "--max-cost", "1"), "no price is known"),
        (("run", "pilot", "sim/fair", "--prices", "none.csv"), "cannot read the price table"),
        (("run", "pilot", "sim/fair", "--out", "/proc/none/x.geobias"), "cannot write"),
        (("run", "pilot", "sim/fair", "--out", "."), "is a folder"),
        (("run", "pilot", "sim/fair", "--system", "\udcff"), "not valid UTF-8"),
        (("show", "nothing.geobias"), "there is no run file"),
        (("show", "."), "cannot read"),
        (("export", "nothing.geobias", "--to", "x.parquet"), "there is no run file"),
        (("replies", "nothing.geobias", "--grep", "("), "not a regular expression"),
        (("serve", "openai/gpt-4o"), "only sim/"),
        (("serve", "sim/?x=1"), "no parameter 'x'"),
    ],
)
def test_impossible_requests_get_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    code, _, err = geobias(*arguments, cwd=tmp_path)
    assert code in (2, 3)
    assert words in err
    assert "Traceback" not in err


def test_export_to_an_unknown_format_is_refused(folder: Path) -> None:
    code, _, err = geobias("export", RUN, "--to", "x.xlsx", cwd=folder)
    assert code == 2
    assert ".parquet, .csv or .jsonl" in err


def test_an_unknown_country_is_refused_with_a_hint(folder: Path) -> None:
    code, _, err = geobias("replies", RUN, "--country", "Kenia", cwd=folder)
    assert code == 2
    assert "Kenya" in err


def test_budget_stops_are_resumed_by_raising_the_budget(tmp_path: Path) -> None:
    code, _, err = geobias("run", "pilot", "sim/fair", "--max-calls", "5", cwd=tmp_path)
    assert code == 3
    assert "--max-calls 5 is reached" in err
    assert "N that is higher than 5:\n  geobias run pilot sim/fair --max-calls N\n" in err
    code, out, _ = geobias("run", "pilot", "sim/fair", cwd=tmp_path)
    assert code == 0
    assert "12 of 12" in out


def test_the_commands_that_a_run_ends_with_can_be_pasted(tmp_path: Path) -> None:
    code, out, _ = geobias("run", "pilot", "sim/fair", "--out", "rün 1.geobias", cwd=tmp_path)
    assert code == 0
    line = next(one for one in out.splitlines() if "geobias show" in one)
    assert shlex.split(line.removeprefix("Read on")) == ["geobias", "show", "rün 1.geobias"]


def _commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=command.name)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from _commands(found, f"{name} {inner}")


def test_every_option_of_every_command_is_explained_or_names_its_choices() -> None:
    bare = [
        f"{name} {option.opts[0]}"
        for name, command in _commands(cli, "geobias")
        for option in command.params
        if isinstance(option, click.Option)
        and not option.help
        and not isinstance(option.type, click.Choice)
    ]
    assert not bare


def test_settings_of_the_users_own_get_a_file_of_their_own(folder: Path) -> None:
    code, out, _ = geobias("run", "pilot", "sim/biased", "--repeats", "2", cwd=folder)
    assert code == 0
    assert RUN not in out


def test_output_into_a_closed_pipe_ends_quietly(folder: Path) -> None:
    import subprocess
    import sys

    shell = f"{sys.executable} -m geobias replies {RUN} --limit 1000 | head -n 1"
    done = subprocess.run(
        shell, shell=True, cwd=folder, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
