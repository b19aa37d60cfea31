from __future__ import annotations

import re
import shlex
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest

from geobias.cli import cli
from geobias.simulated import parse
from tests.cli.running import geobias

DOCS = Path(__file__).parents[2] / "docs"
SHIPPED = [
    entry for entry in entry_points(group="geobias.probes") if "geobias.probes" in entry.value
]
PAGES = [DOCS / f"{entry.name}.md" for entry in SHIPPED]
COMMANDS_ON = [
    *PAGES,
    *(
        DOCS / f"{name}.md"
        for name in (
            *("audit", "batch", "compare-and-gate", "corpus", "data", "models", "names"),
            *("report-json", "travel", "view"),
        )
    ),
]


@pytest.mark.parametrize("page", COMMANDS_ON, ids=lambda page: page.stem)
def test_commands_on_the_page_exist_with_their_options(page: Path) -> None:
    lines = re.findall(r"^geobias .+$", page.read_text(encoding="utf-8"), re.M)
    assert lines
    for line in lines:
        exists_with_its_options(line)


def exists_with_its_options(line: str) -> None:
    words = shlex.split(re.split(r"  +", line)[0].rstrip("\\"))[1:]
    command: click.Command = cli
    context = click.Context(cli, info_name="geobias")
    while isinstance(command, click.Group):
        found = command.get_command(context, words.pop(0))
        assert found is not None, line
        command = found
        context = click.Context(command, parent=context, info_name=command.name)
    known = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known, line


ROOT = DOCS.parent
WORKFLOW = (ROOT / "examples" / "workflow.yml").read_text(encoding="utf-8")


def limited_commands() -> set[str]:
    """Every command of ours with a limit in US$, as the documentation has it."""
    texts = [page.read_text(encoding="utf-8") for page in (*DOCS.glob("*.md"), ROOT / "README.md")]
    found = {
        line.replace("$MODEL", "openai/gpt-4o-mini")
        for text in texts
        for line in re.findall(r"geobias ((?:audit|run) .*--max-cost [\d.]+)", text)
    }
    given = dict(re.findall(r"^ +(models|size|max-cost): \"?([^\s\"]+)", WORKFLOW, re.M))
    return found | {"audit {models} --size {size} --max-cost {max-cost}".format_map(given)}


@pytest.mark.parametrize("command", sorted(limited_commands()))
def test_a_documented_limit_suffices(command: str, tmp_path: Path) -> None:
    words = shlex.split(command)
    if words[0] == "run":
        words = ["audit", *words[2:], "--probes", words[1]]
    planned = geobias(*words, "--dry-run", "--json", cwd=tmp_path)
    assert planned.code == 0, planned.err
    assert planned.json()["beyond"] is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_begins_with_something_to_paste(page: Path) -> None:
    title, _, fence, first, *_ = page.read_text(encoding="utf-8").splitlines()
    assert (title[:2], fence) == ("# ", "```")
    assert first.startswith("geobias run")


def plain(text: str) -> str:
    """Without the ends of lines, which hang on a terminal's width."""
    return " ".join(text.split())


SHOWING = [DOCS / "worldbench.md", DOCS / "namebbq.md"]


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.stem)
def test_what_the_page_shows_is_what_its_command_prints(page: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    words = shlex.split(blocks[0])[1:]
    words[words.index("--out") + 1] = str(tmp_path / "run.geobias")
    printed = plain(geobias(*words).out)
    for part in blocks[1].split("…"):
        assert plain(part) in printed


def test_the_page_lists_the_tables_that_are_shipped() -> None:
    text = (DOCS / "data.md").read_text(encoding="utf-8")
    shown = re.search(r"^\$ geobias data list\n(.*?)^cache in", text, re.M | re.S)
    assert shown is not None
    printed = geobias("data", "list").out
    assert plain(shown[1]) == plain(printed[: printed.index("cache in")])


def test_the_page_about_models_has_every_model_and_every_parameter() -> None:
    text = (DOCS / "models.md").read_text(encoding="utf-8")
    for probe, chosen in parse("sim/fair").items():
        page = DOCS / f"{probe}.md"
        own = page.read_text(encoding="utf-8") if page.exists() else ""
        if not own:
            continue  # a probe of somebody else's
        for name in chosen.__struct_fields__:
            assert f"`{name}`" in text + own, name
    for row in geobias("models", "--json").json():
        start = re.split(r"NAME|FILE|HOST|,", row["model"])[0]
        assert start in text, start


def test_the_run_files_page_queries_a_file_that_its_command_makes() -> None:
    made, query = (DOCS / "run-file.md").read_text(encoding="utf-8").splitlines()[3:5]
    assert shlex.split(made)[-1] == shlex.split(query)[1]
