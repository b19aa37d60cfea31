"""Commands and words that are mistyped are answered with those that are like them."""

from __future__ import annotations

from typing import Any

import click

from geobias.errors import meant


class Word(click.Choice[str]):
    """One of some words; a mistyped one is answered with the words that are like it."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return super().get_invalid_choice_message(value, ctx) + meant(str(value), self.choices)


class Suggesting(click.Group):
    """A group that says which of its commands may have been meant, and what each is for, uncut."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        lines = [
            (name, one.get_short_help_str(limit=200))
            for name, one in found.items()
            if one is not None and not one.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(lines)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if args[0].startswith("-"):
                raise  # an option that is none
            like = meant(args[0], self.list_commands(ctx))
            raise click.UsageError(f"No such command {args[0]!r}.{like}", ctx) from error
