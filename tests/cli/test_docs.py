from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from geobias.cli import cli

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "worldbench.md", DOCS / "namebbq.md", DOCS / "geo20q.md"]
COMMANDS_ON = [
    *PAGES,
    *(
        DOCS / f"{name}.md"
        for name in ("audit", "compare-and-gate", "corpus", "data", "report-json", "view")
    ),
]
LINES = [
    line
    for page in COMMANDS_ON
    for line in re.findall(r"^geobias .+$", page.read_text(encoding="utf-8"), re.M)
]


@pytest.mark.parametrize("line", LINES)
def test_a_command_on_the_page_exists_with_its_options(line: str) -> None:
    words = shlex.split(re.split(r"  +", line)[0].rstrip("\\"))[1:]
    command: click.Command = cli
    context = click.Context(cli, info_name="geobias")
    while isinstance(command, click.Group):
        found = command.get_command(context, words.pop(0))
        assert found is not None, line
        command = found
        context = click.Context(command, parent=context, info_name=command.name)
    known = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_begins_with_something_to_paste(page: Path) -> None:
    title, _, fence, first, *_ = page.read_text(encoding="utf-8").splitlines()
    assert (title[:2], fence) == ("# ", "```")
    assert first.startswith("geobias run")
