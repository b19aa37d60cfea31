"""Imports point one way: a room may import the rooms before it in `ROOMS`, and itself.

Inside a room, too: its modules form no circle. A probe is a room of its own: the rooms that are
about every probe know none by its name, and no probe knows another.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "geobias"

ROOMS = (
    *("version", "errors", "redaction", "process", "untrusted", "files"),
    *("trials", "http", "stats", "atlas", "runfile", "reading"),
    *(
        "results",
        "measures",
        "sources",
        "corpus",
        "probes",
        "models",
        "engine",
        "simulated",
        "running",
    ),
    *("report", "api", "view", "integrations", "cli", "plugins", "__main__"),
)
"""From the ground up: folders and modules of the top; `geobias` itself is only its version."""
FILES = {
    room: sorted([*SOURCE.glob(f"{room}.py"), *SOURCE.glob(f"{room}/**/*.py")]) for room in ROOMS
}
PROBES = tuple(sorted(path.parent.name for path in SOURCE.glob("probes/*/probe.py")))
OF_EVERY_PROBE = ("report", "view", "cli", "engine", "integrations", "models", "stats", "results")
"""Rooms that are about whatever probe there is."""


def name_of(file: Path) -> str:
    return str(file.relative_to(SOURCE))


def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement at any depth. Expressions, which hold none, are not looked into."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for below in getattr(node, part, ()):
            yield below
            yield from statements(below)


@cache
def imported(file: Path) -> set[str]:
    """Modules of ours that a file imports, at any depth of its code, and what it takes of them."""
    found = set()
    for node in statements(parsed(file)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.startswith("geobias.")}


def rooms_imported(file: Path) -> set[str]:
    found = {name.split(".")[1] for name in imported(file)}
    return {name for name in found if not name.startswith("__")}


def probes_imported(file: Path) -> set[str]:
    """The folders of probes that a file imports something of."""
    parts = [name.split(".") for name in imported(file)]
    return {one[2] for one in parts if one[1] == "probes" and len(one) > 2} & set(PROBES)


def module_of(file: Path) -> str:
    parts = ("geobias", *file.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def modules_imported(file: Path, among: Container[str]) -> set[str]:
    """Those of these modules that a file imports, or imports something of, in functions too."""
    found = {name if name in among else name.rpartition(".")[0] for name in imported(file)}
    return {name for name in found if name in among} - {module_of(file)}


def texts(file: Path) -> Iterator[str]:
    """The strings of a file's code: no docstrings, and no help of commands and options."""
    for node in ast.walk(parsed(file)):
        for below in ast.iter_child_nodes(node):
            told = isinstance(node, ast.Expr) or (
                isinstance(node, ast.keyword) and node.arg == "help"
            )
            if isinstance(below, ast.Constant) and isinstance(below.value, str) and not told:
                yield below.value


def test_every_module_stands_in_a_room() -> None:
    listed = {file for files in FILES.values() for file in files}
    assert set(SOURCE.rglob("*.py")) - listed == {SOURCE / "__init__.py"}


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room: str) -> None:
    below = {*ROOMS[: ROOMS.index(room) + 1]}
    reached = {name_of(file): rooms_imported(file) - below for file in FILES[room]}
    assert {file: above for file, above in reached.items() if above} == {}


@pytest.mark.parametrize("room", ROOMS)
def test_modules_of_a_room_form_no_circle(room: str) -> None:
    modules = {module_of(file): file for file in FILES[room]}
    order = {module: modules_imported(file, modules) for module, file in modules.items()}
    try:
        TopologicalSorter(order).prepare()
    except CycleError as error:
        pytest.fail(" is imported by ".join(error.args[1]))


@pytest.mark.parametrize("name", ["models", "engine"])
def test_a_model_knows_of_no_probe(name: str) -> None:
    assert [file for file in FILES[name] if "probes" in rooms_imported(file)] == []


@pytest.mark.parametrize("name", OF_EVERY_PROBE)
def test_what_is_about_every_probe_names_none(name: str) -> None:
    files = FILES[name]
    assert [name_of(file) for file in files if probes_imported(file)] == []
    begun = tuple(f"{probe}{sign}" for probe in PROBES for sign in "./")
    said = {(name_of(file), text) for file in files for text in texts(file)}
    assert {
        (file, text) for file, text in said if text in PROBES or text.startswith(begun)
    } == set()


@pytest.mark.parametrize("probe", PROBES)
def test_no_probe_imports_another(probe: str) -> None:
    files = [file for file in FILES["probes"] if file.is_relative_to(SOURCE / "probes" / probe)]
    assert [name_of(file) for file in files if not probes_imported(file) <= {probe}] == []


def names_a_module(path: str) -> bool:
    """Whether `room.module` or `room.module.name` is there, as docstrings write it."""
    files = {module_of(file).removeprefix("geobias."): file for file in SOURCE.rglob("*.py")}
    module, _, name = path.rpartition(".")
    holds = module in files and re.search(rf"\b{name}\b", files[module].read_text("utf-8"))
    return path in files or holds is not None


def test_modules_that_docstrings_and_docs_name_are_there() -> None:
    named = re.compile(rf"`(?:geobias\.)?((?:{'|'.join(ROOMS)})(?:\.[a-z_0-9]+)+)`")
    written = [*SOURCE.rglob("*.py"), *(SOURCE.parent.parent / "docs").glob("*.md")]
    gone = {
        (str(file.name), path)
        for file in written
        for path in named.findall(file.read_text("utf-8"))
        if not path.endswith((".py", ".html", ".json")) and not names_a_module(path)
    }
    assert gone == set()
