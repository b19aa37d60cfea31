"""Imports point one way. A package may import what stands before it in this list, and itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "geobias"

ALLOWED = {
    "errors": set(),
    "trials": set(),
    "atlas": {"errors"},
    "sources": {"errors", "atlas", "retry_after"},
    "corpus": {"errors", "atlas", "stopping", "cores"},
    "stats": set(),
    "runfile": {"errors", "trials"},
    "probes": {"errors", "trials", "atlas", "sources", "stats"},
    "report": {"errors", "atlas", "probes", "stats", "runfile"},
    "models": {"errors", "trials", "atlas", "retry_after", "cores"},
    "engine": {"errors", "trials", "runfile", "models"},
    "api": {"errors", "trials", "atlas", "probes", "runfile", "models", "engine", "stats"},
    "integrations": {"errors", "trials", "atlas", "probes", "runfile", "models", "engine", "stats"}
    | {"api", "report", "corpus", "stopping"},
    "auditing": {"errors", "api", "probes", "report"},
    "view": {"errors", "trials", "atlas", "sources", "probes", "runfile", "stats", "report"}
    | {"models", "engine", "api"},
    "cli": {"errors", "trials", "atlas", "sources", "probes", "runfile", "models", "engine"}
    | {"stats", "report", "api", "auditing", "integrations", "corpus", "view"},
}


def imported(file: Path) -> set[str]:
    """Packages of ours that a file imports, at any depth of its code."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "geobias":
                names = [f"geobias.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("geobias.")}
    return {name for name in found if not name.startswith("__")}


TOP = ("api", "auditing")
"""Modules of the top that are packages to the rule."""
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.stem in TOP)


@pytest.mark.parametrize("file", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(file: Path) -> None:
    package = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    forbidden = imported(file) - ALLOWED[package] - {package}
    assert not forbidden
