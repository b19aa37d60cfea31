"""`geobias play`: one game of 20 Questions, live in the terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from geobias.atlas.entities import entities
from geobias.cli.options import option_of
from geobias.models.catalogue import find_model
from geobias.models.model import answered
from geobias.probes.geo20q.choosing import choose_entities
from geobias.probes.geo20q.game import Rules, game
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.naming import shipped_names
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.probes.geo20q.simulated import AskedCheck
from geobias.results.formatting import one_line
from geobias.trials import Ask, Reply

ENDS = {"won": "Found", "lost": "Not found", "gave_up": "Given up", "broken": "Broken off"}


@click.command()
@click.argument("entity")
@click.option(
    "--model", default="embedded", show_default=True, help="The model that plays the other parts."
)
@click.option("--human", type=click.Choice(["guesser", "judge"]), help="The part that you play.")
@option_of(Geo20QSettings, "language")
@option_of(Geo20QSettings, "prompts")
def play(entity: str, model: str, human: str | None, language: str, prompts: Path | None) -> None:
    """Watch a game about ENTITY, or play it yourself. Ctrl-C ends it.

    ENTITY is a name in the table (see `geobias entities list`).

    \b
    geobias play "Eiffel Tower" --model openai/gpt-4o-mini
    geobias play "Taj Mahal" --language hi --human judge --model openai/gpt-4o-mini
    """
    [target, *_] = choose_entities(entities(), size="paper", named=f"{entity};")
    spoken = load_language(language, prompts)
    rules = Rules(spoken, shipped_names(language), Geo20QSettings(setting="canonical"))
    steps, said = game(target, rules, "play"), spoken.prompts(target.type)
    player, ended = find_model(model), "The game is over"

    def reply_to(ask: Ask, loop: asyncio.Runner) -> Reply:
        if ask.optional:
            return Reply("", "unasked")
        if ask.role != human:
            reply = loop.run(answered(player, ask))
            if human != "guesser":  # who hears the judge's answer as one word, before the next turn
                click.echo(f"{ask.role:>8}  {one_line(reply.text)[:300]}")
            return reply
        if isinstance(ask.about, AskedCheck):
            return Reply(said.no)  # a person sees whether the guesser gives up
        if human == "guesser":
            click.echo(one_line(ask.dialogue.content))
            return Reply(click.prompt(human, prompt_suffix="  "))
        words = {"y": said.yes, "n": said.no, "m": said.maybe}
        shown = " ".join(f"{word} ({key})" for key, word in words.items())
        typed = click.prompt(f"{human:>8}  {shown}", prompt_suffix=" ")
        return Reply(words.get(typed.casefold(), typed))

    with asyncio.Runner() as loop:
        try:
            ask = next(steps)
            while True:
                ask = steps.send(reply_to(ask, loop))
        except StopIteration as end:
            ended = f"{ENDS[end.value.canonical]} after {end.value.canonical_turns} turns"
        except (KeyboardInterrupt, click.Abort):
            click.echo()
        finally:
            loop.run(player.close())
    click.echo(f"{ended}: {one_line(target.name_in(language) or target.name)}")
