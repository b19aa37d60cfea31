"""Two pages of reference, written from the code: the command line and the Python interface.

As a hook of mkdocs it adds them to the site. `python tools/reference.py FOLDER` writes files.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import geobias
from geobias.cli import cli

WIDTH = 96


def on_files(files: Any, config: Any) -> Any:
    """Add both pages to the site."""
    from mkdocs.structure.files import File  # only a build of the site has mkdocs

    for uri, content in pages().items():
        files.append(File.generated(config, uri, content=content))
    return files


def pages() -> dict[str, str]:
    """The text of each page by its place in the site."""
    return {"reference/commands.md": commands_page(), "reference/python.md": python_page()}


def commands_page() -> str:
    parts = ["# Command line", "Every command as its `--help` describes it."]
    for name, command in commands(cli, "geobias"):
        context = click.Context(
            command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH
        )
        parts.append(f"## {name}\n\n```text\n{command.get_help(context).rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Each command with its full name, groups before what they hold."""
    yield path, group
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def python_page() -> str:
    parts = ["# Python", "What `import geobias` offers."]
    for name in dir(geobias):
        thing = getattr(geobias, name)
        if callable(thing):
            parts.append(described(name, thing))
    return "\n\n".join(parts) + "\n"


def described(name: str, thing: object) -> str:
    """A function or class: its signature and docstring, and those of its public members."""
    assert callable(thing)
    parts = [f"## {name}", f"```python\n{signature(name, thing)}\n```"]
    if text := inspect.getdoc(thing):
        parts.append(f"```text\n{text}\n```")
    if isinstance(thing, type):
        for member, value in vars(thing).items():
            if member.startswith("_"):
                continue
            if inspect.isfunction(value):
                parts.append(f"### {name}.{member}\n\n```python\n{signature(member, value)}\n```")
                parts.append(f"```text\n{inspect.getdoc(value) or ''}\n```")
            elif isinstance(value, property):
                parts.append(f"### {name}.{member}\n\n```text\n{inspect.getdoc(value) or ''}\n```")
    return "\n\n".join(parts)


def signature(name: str, thing: object) -> str:
    """One parameter a line where one line is too long."""
    assert callable(thing)
    try:
        found = inspect.signature(thing)
    except ValueError:
        return name
    line = f"{name}{found}"
    if len(line) <= WIDTH:
        return line
    inner = ",\n    ".join(str(one) for one in found.parameters.values())
    end = "" if found.return_annotation is found.empty else f" -> {found.return_annotation}"
    return f"{name}(\n    {inner},\n){end}"


if __name__ == "__main__":
    for uri, content in pages().items():
        place = Path(sys.argv[1]) / uri
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
