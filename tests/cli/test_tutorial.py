"""The tutorial works: its commands are run one after another, and print what the page shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from string import Template

import pytest

from tests.cli.running import geobias
from tests.cli.shown import lines_of, matches

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


@pytest.fixture(scope="module")
def carried_out(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page with what its commands print now."""
    folder = tmp_path_factory.mktemp("tutorial")
    names: dict[str, str] = {}

    def anew(found: re.Match[str]) -> str:
        lines = [line for line in found[1].splitlines() if line.startswith("$ ")]
        shown = "".join(f"{line}\n{printed(line[2:], names, folder)}" for line in lines)
        return f"```console\n{shown}```"

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", "80")
        return BLOCK.sub(anew, PAGE.read_text(encoding="utf-8"))


def printed(line: str, names: dict[str, str], folder: Path) -> str:
    """What a command prints; what stands behind a `|` is a shell's."""
    if assigned := re.fullmatch(r"(\w+)='(.*)'", line):
        names[assigned[1]] = assigned[2]
        return ""
    command, _, rest = line.partition(" | ")
    words = [Template(word).substitute(names) for word in shlex.split(command)]
    out = geobias(*words[1:], cwd=folder).out
    if rest:
        shell = ["sh", "-c", rest]
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        out = subprocess.check_output(shell, input=out, text=True, env=environment)
    return "".join(f"{line}\n" for line in lines_of(out))


def test_the_tutorials_commands_print_what_it_shows(carried_out: str) -> None:
    matches(PAGE, carried_out)


def test_every_number_of_the_paragraph_for_the_memo_was_printed_before(carried_out: str) -> None:
    memo = re.search(r"^> (.+)$", carried_out, re.M)
    assert memo is not None
    shown = "\n".join(BLOCK.findall(carried_out))
    numbers = re.findall(r"\d+\.\d+", memo[1])
    assert len(numbers) > 5
    assert [one for one in numbers if one not in shown] == []
