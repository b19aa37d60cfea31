"""What Tab offers in a shell, beyond commands, options, words and files."""

from __future__ import annotations

import click


def models(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """Names of models, and providers up to where their own names begin."""
    from geobias.models.catalogue import known_names

    return [name for name in known_names() if name.startswith(typed)]


def probes(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """The next of several probes, which commas part."""
    from geobias.probes.registry import probe_names

    before, comma, last = typed.rpartition(",")
    chosen = before.split(",")
    return [
        before + comma + name
        for name in probe_names()
        if name.startswith(last) and name not in chosen
    ]
