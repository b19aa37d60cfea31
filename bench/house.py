"""How large is the house? Tokens, lines, files, floors and confetti of src/geobias.

    python bench/house.py [SOURCE]          src/geobias if nothing is named
    python bench/house.py --small           the small modules with one importer, and their importer

A token is a name, an operator, a number or a string by `tokenize`: comments and line breaks are
free, so shorter lines buy nothing. A floor is a room (a folder or module directly below geobias)
that stands on others; the house is as high as its longest chain of imports.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "geobias"
COUNTED = {tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING}
SMALL = 80
"""Lines below which a module with one importer had better join it."""


def tokens(path: Path) -> int:
    with path.open("rb") as file:
        return sum(one.type in COUNTED for one in tokenize.tokenize(file.readline))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def module_name(path: Path, source: Path) -> str:
    parts = ("geobias", *path.relative_to(source).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def imported(node: ast.AST) -> Iterator[str]:
    """Names that a file imports, each with its module, at any depth."""
    for below in ast.walk(node):
        if isinstance(below, ast.ImportFrom) and below.module:
            yield from (f"{below.module}.{alias.name}" for alias in below.names)
        elif isinstance(below, ast.Import):
            yield from (alias.name for alias in below.names)


def importers(modules: Mapping[str, Path]) -> dict[str, set[str]]:
    """Module → the modules that import it or something of it."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, path in modules.items():
        for one in imported(tree(path)):
            target = one if one in modules else one.rpartition(".")[0]
            if target in modules and target != name:
                found[target].add(name)
    return found


def imports_in_functions(path: Path) -> int:
    functions = [
        one
        for one in ast.walk(tree(path))
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return len(
        {
            below
            for one in functions
            for below in ast.walk(one)
            if isinstance(below, ast.Import | ast.ImportFrom)
        }
    )


def floors(modules: Mapping[str, Path]) -> tuple[int, list[str]]:
    """The height of the house, and the circle of rooms that keeps it from having one."""
    rooms: dict[str, set[str]] = defaultdict(set)
    for target, names in importers(modules).items():
        for name in names:
            pair = [[*one.split("."), "geobias"][1] for one in (name, target)]
            if pair[0] != pair[1] and target != "geobias":
                rooms[pair[0]].add(pair[1])
    try:
        order = list(TopologicalSorter(rooms).static_order())
    except CycleError as error:
        return 0, list(error.args[1])
    height: dict[str, int] = {}
    for room in order:
        height[room] = 1 + max((height[below] for below in rooms[room]), default=0)
    return max(height.values()), []


def main(source: Path, *, list_small: bool) -> None:
    modules = {module_name(path, source): path for path in sorted(source.rglob("*.py"))}
    lines = {name: len(path.read_text("utf-8").splitlines()) for name, path in modules.items()}
    known = importers(modules)
    small = {
        name: next(iter(known[name]))
        for name in modules
        if len(known[name]) == 1 and lines[name] < SMALL and modules[name].stem != "__init__"
    }
    if list_small:
        for name, importer in small.items():
            print(f"{lines[name]:4} {name} ← {importer}")
        return
    texts = [path.read_text("utf-8") for path in modules.values()]
    height, circle = floors(modules)
    counts = {
        "tokens": sum(map(tokens, modules.values())),
        "lines": sum(lines.values()),
        "files": len(modules),
        "small modules with one importer": len(small),
        "modules with one importer": sum(len(known[name]) == 1 for name in modules),
        "imports inside functions": sum(map(imports_in_functions, modules.values())),
        "dict[str, Any]": sum(text.count("dict[str, Any]") for text in texts),
        "Any": sum(text.count("Any") for text in texts),
        "floors": height,
    }
    for what, count in counts.items():
        print(f"{what:<35} {count:>9,}")
    if circle:
        print(f"no floors, since rooms form a circle: {' → '.join(circle)}")


if __name__ == "__main__":
    words = [one for one in sys.argv[1:] if one != "--small"]
    main(Path(words[0]).resolve() if words else SOURCE, list_small="--small" in sys.argv)
