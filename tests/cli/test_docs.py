"""What pages of the documentation show works, and commands print what the pages show.

`GEOBIAS_WRITE_DOCS=1 pytest tests/cli/test_docs.py` writes into the pages what they print now.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from importlib.metadata import entry_points
from pathlib import Path
from string import Template

import click
import pytest
from tools import reference

import geobias as module
from geobias.cli import cli
from geobias.cli.table import choices
from geobias.probes.registry import all_probes
from geobias.simulated import parse
from tests.cli.running import geobias

DOCS = Path(__file__).parents[2] / "docs"
SHIPPED = [
    entry for entry in entry_points(group="geobias.probes") if "geobias.probes" in entry.value
]
PAGES = [DOCS / f"{entry.name}.md" for entry in SHIPPED]


def matches(page: Path, anew: str) -> None:
    """The page is as it would be with what its commands print now."""
    if os.environ.get("GEOBIAS_WRITE_DOCS"):
        page.write_text(anew, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == anew


def lines_of(printed: str) -> list[str]:
    """Its lines without empty ones and without spaces at their ends."""
    return [line.rstrip() for line in printed.splitlines() if line.strip()]


def commands_on(page: Path) -> list[str]:
    """The lines of its code that are commands of geobias."""
    blocks = re.findall(r"^```.*?\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    return [
        re.sub(r"^(\$ |-? *run: )", "", line)
        for block in blocks
        for line in block.splitlines()
        if re.match(r"(\$ |-? *run: )?geobias ", line)
    ]


COMMANDS_ON = [page for page in sorted(DOCS.glob("*.md")) if commands_on(page)]


@pytest.mark.parametrize("page", COMMANDS_ON, ids=lambda page: page.stem)
def test_commands_on_the_page_exist_with_their_options(page: Path) -> None:
    for line in commands_on(page):
        exists_with_its_options(line)


def test_every_table_that_a_page_names_can_be_had() -> None:
    said = "\n".join(page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("*.md")))
    named = set(re.findall(r"geobias table (?:(?:[A-Z]+…?|[\w-]+\.geobias) )+([a-z][\w.-]*)", said))
    assert len(named) > 20
    assert named <= {one.name for one in choices(list(all_probes().values()))}


def exists_with_its_options(line: str) -> None:
    words = shlex.split(re.split(r"  +", line)[0].rstrip("\\"))[1:]
    command: click.Command = cli
    context = click.Context(cli, info_name="geobias")
    while isinstance(command, click.Group):
        found = command.get_command(context, words.pop(0))
        assert found is not None, line
        command = found
        context = click.Context(command, parent=context, info_name=command.name)
    known = {name for parameter in command.get_params(context) for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known, line


ROOT = DOCS.parent
TEXTS = [page.read_text(encoding="utf-8") for page in (*DOCS.glob("*.md"), ROOT / "README.md")]
WORKFLOW = (ROOT / "examples" / "workflow.yml").read_text(encoding="utf-8")


def limited_commands() -> set[str]:
    """Every command of ours with a limit in US$, as the documentation has it."""
    found = {
        line.replace("$MODEL", "openai/gpt-4o-mini")
        for text in TEXTS
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


MADE_BY_READERS = re.compile(
    r"[\w-]+\.(csv|toml|jsonl|html)\b|my-prompts|capitals|embedded:model"
    r"|--items bbq|--batch-files|--engine"
)
"""Files, packages and clusters that somebody has first: their commands cannot be tried here."""
NOT_PLANNED = ("--out", "--answer-format")


def documented_runs() -> list[list[str]]:
    """The arguments of every `geobias run` and `geobias audit` of the pages, each once; those with
    a limit in US$ are planned above."""
    blocks = [
        block for text in TEXTS for block in re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)
    ]
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    typed = {re.split(r"  +", line)[0] for line in lines if re.match("geobias (run|audit) ", line)}
    tried = [line for line in sorted(typed) if not MADE_BY_READERS.search(line)]
    return [shlex.split(line)[1:] for line in tried if "--max-cost" not in line]


@pytest.mark.parametrize("words", documented_runs(), ids=" ".join)
def test_a_documented_run_can_be_planned(words: list[str], tmp_path: Path) -> None:
    command, *rest = ["sim/fair" if word == "MODEL" else word for word in words]
    (tmp_path / "model.gguf").write_bytes(b"GGUF")  # a dry run looks for the weights
    if command == "audit":
        done = geobias("audit", *rest, "--dry-run", cwd=tmp_path)
    else:
        probe, *options = rest
        if options and not options[0].startswith("--"):
            options.pop(0)  # the model, which a plan does not need
        for name in NOT_PLANNED:
            if name in options:
                at = options.index(name)
                del options[at : at + 2]
        done = geobias("plan", probe, *options, cwd=tmp_path)
    assert done.code == 0, done.err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_begins_with_something_to_paste(page: Path) -> None:
    title, _, fence, first, *_ = page.read_text(encoding="utf-8").splitlines()
    assert (title[:2], fence) == ("# ", "```")
    assert first.startswith("geobias run")


ELSEWHERE = [DOCS / "extending.md", DOCS / "reading.md"]
"""Pages whose Python other tests try: pieces of an example, and a program that needs a model."""

SHOWING = [DOCS / "worldbench.md", DOCS / "namebbq.md"]


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.stem)
def test_what_the_page_shows_is_how_its_command_begins_to_print(
    page: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = page.read_text(encoding="utf-8")
    command, shown = re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)[:2]
    words = shlex.split(command)[1:]
    words[words.index("--out") + 1] = str(path)
    begin = lines_of(geobias(*words).out)[: len(lines_of(shown))]
    matches(page, text.replace(shown, "".join(f"{line}\n" for line in begin), 1))


def programs_on(page: Path) -> list[str]:
    """Its Python, which a reader types in this order."""
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


WITH_PYTHON = [
    page
    for page in (*sorted(DOCS.glob("*.md")), ROOT / "README.md")
    if programs_on(page) and page not in ELSEWHERE
]


@pytest.fixture(scope="module")
def made_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the Python of the pages reads: two runs and a report."""
    folder = tmp_path_factory.mktemp("made-before")
    for name, model in (("before", "sim/fair"), ("after", "sim/biased")):
        geobias("run", "worldbench", model, "--out", folder / f"{name}.geobias")
    geobias("report", folder / "after.geobias", "--out", folder / "report.json")
    return folder


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.stem)
def test_the_python_of_the_page_runs(
    page: Path, made_before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(made_before, tmp_path / "here"))
    names: dict[str, object] = {}
    for program in programs_on(page):
        exec(program.replace("127.0.0.1:8000", "127.0.0.1:1"), names)  # where nobody answers


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
    page = (DOCS / "formats.md").read_text(encoding="utf-8")
    found = re.search(r"^(geobias run .+)\n(sqlite3 .+)$", page, re.M)
    assert found is not None
    assert shlex.split(found[1])[-1] == shlex.split(found[2])[1]


def test_the_reference_of_commands_has_every_command_with_every_option() -> None:
    text = reference.commands_page()
    for path, command in reference.commands(cli, "geobias"):
        page = text.partition(f"## {path}\n")[2].partition("\n## ")[0]
        assert f"Usage: {path} " in page, path
        names = [name for one in command.params for name in one.opts if name.startswith("--")]
        assert [name for name in names if name not in page] == [], path


def test_the_reference_of_python_has_every_public_name_with_its_docstring() -> None:
    text = reference.python_page()
    for name in set(dir(module)) - {"__version__"}:
        page = text.partition(f"## {name}\n")[2].partition("\n## ")[0]
        first = (getattr(module, name).__doc__ or "").strip().splitlines()[0]
        assert first
        assert first in page, name


def test_the_site_lists_every_page_once() -> None:
    listed = re.findall(r"[\w-]+\.md", (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))
    written = sorted(page.name for page in DOCS.glob("*.md"))
    assert sorted(set(listed) - {"commands.md", "python.md", "CONTRIBUTING.md"}) == written
    assert len(listed) == len(set(listed))


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
