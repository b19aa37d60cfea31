"""`geobias play`: one game of 20 Questions, live in the terminal."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path

import click
from rich.text import Text

from geobias.atlas.entities import LANGUAGES, Entity, load_entities
from geobias.cli.options import option_of
from geobias.cli.terminal import Console
from geobias.errors import BadRequest
from geobias.models.catalogue import find_model
from geobias.models.model import answered
from geobias.probes.geo20q.choosing import choose_entities
from geobias.probes.geo20q.game import Rules, game
from geobias.probes.geo20q.languages import load_languages
from geobias.probes.geo20q.naming import Names
from geobias.probes.geo20q.replies import read_answer, turn_of
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.probes.geo20q.simulated import AskedCheck
from geobias.results.formatting import counted, one_line
from geobias.trials import Ask, Reply

ENDS = {
    "won": "Found",
    "lost": "Not found",
    "gave_up": "Given up",
    "broken": "Broken off, since there was no usable text,",
}


@click.command()
@click.argument("entity")
@click.option(
    "--model", default="embedded", show_default=True, help="The model that plays the other parts."
)
@click.option("--judge", metavar="MODEL", help="Another model as judge.")
@click.option("--human", type=click.Choice(["guesser", "judge"]), help="The part that you play.")
@click.option(
    "--language", default="en", show_default=True, help="en, hi, zh, es, ja, tr, fr, ar, pt."
)
@option_of(Geo20QSettings, "turns")
@click.option("--entities", metavar="FILE", help="Your own table of entities.")
@option_of(Geo20QSettings, "prompts")
def play(
    entity: str,
    model: str,
    judge: str | None,
    human: str | None,
    language: str,
    turns: int,
    entities: str | None,
    prompts: Path | None,
) -> None:
    """Watch a game about ENTITY, or play it yourself. Ctrl-C ends it.

    ENTITY is a name in the table (see `geobias entities list`), or the word random.

    \b
    geobias play "Eiffel Tower" --model openai/gpt-4o-mini
    geobias play "Taj Mahal" --language hi --human judge --model openai/gpt-4o-mini
    geobias play random --human guesser
    """
    table = load_entities(entities)
    spoken = load_languages([language], prompts)[language]
    # In a language of the user's own a game is about the English name, where there is no other.
    playable = [one for one in table.values() if language not in LANGUAGES or one.name_in(language)]
    if entity == "random":
        target = random.choice([one for one in playable if one.standard] or playable)
    else:
        [target, *_] = choose_entities(table, size="paper", named=f"{entity};")
    if target not in playable:
        raise BadRequest(
            f"{target.name} has no name in {spoken.name} in the table: choose another ENTITY or "
            "--language"
        )
    rules = Rules(spoken, Names(table, language), Geo20QSettings(setting="canonical", turns=turns))
    specs = {"guesser": model, "judge": judge or model}
    if judge and judge != model and human != "judge":
        specs["referee"] = judge
    specs.pop(human or "", None)
    shown = GameOnScreen(target, rules, human, specs)
    if entity != "random" or human != "guesser":
        shown.show(f"{shown.called}  ({target.category}, {target.country})", "bold")
    shown.play()


class GameOnScreen:
    """Shows a game while it is played. `specs` maps roles to models; `human` is the role of a
    person.
    """

    def __init__(
        self, target: Entity, rules: Rules, human: str | None, specs: Mapping[str, str]
    ) -> None:
        self._target = target
        self._rules = rules
        self._human = human
        models = {spec: find_model(spec) for spec in dict.fromkeys(specs.values())}
        self._models = {role: models[spec] for role, spec in specs.items()}
        self._said = rules.language.prompts(target.type)
        self._console = Console()
        self._loop = asyncio.Runner()
        self._number = 0
        self.called = one_line(target.name_in(rules.language.code) or target.name)

    def show(self, line: str, style: str = "") -> None:
        self._console.print(Text(line, style=style), soft_wrap=True)

    def play(self) -> None:
        steps, ended = game(self._target, self._rules, "play"), "The game is over"
        try:
            ask = next(steps)
            while True:
                reply = self._reply_to(ask)
                self._show_reply(ask, reply)
                ask = steps.send(reply)
        except StopIteration as end:
            ended = ENDS[end.value.canonical]
        except (KeyboardInterrupt, click.Abort, EOFError):
            pass
        finally:
            for model in {id(one): one for one in self._models.values()}.values():
                self._loop.run(model.close())
            self._loop.close()
        self.show(f"{ended} after {counted(self._number, 'turns')}: {self.called}", "bold")

    def _reply_to(self, ask: Ask) -> Reply:
        said = self._said
        if ask.role in self._models:
            # A person types outside of the event loop, which would keep the first Ctrl-C to itself.
            return self._loop.run(answered(self._models[ask.role], ask))
        if ask.optional:
            return Reply("", "unasked")
        if isinstance(ask.about, AskedCheck):
            return Reply(said.no)  # a person sees whether the guesser gives up
        if ask.role == "judge":
            words = {"y": said.yes, "n": said.no, "m": said.maybe}
            typed = _typed("     " + " ".join(f"{word} ({key})" for key, word in words.items()))
            return Reply(words.get(typed.casefold(), typed))
        if said.final_guess in ask.dialogue.content:
            self.show(one_line(said.final_guess), "bold")
        elif not self._number:
            self.show(one_line(ask.dialogue.content), "dim")
        return Reply(_typed(f"{self._number + 1:>3} "))

    def _show_reply(self, ask: Ask, reply: Reply) -> None:
        if ask.role == "guesser":
            self._number += 1
            turn = turn_of(reply)
            question = turn.question if turn else f"[{reply.outcome}] {reply.text}"
            if self._human != "guesser":
                self.show(f"{self._number:>3}  {one_line(question)}")
        elif ask.role == "judge" != self._human:
            answer = read_answer(reply.text, self._rules.language)
            # A person who guesses must not read the name in what the judge says.
            text = self._said.answer_word(answer) if self._human else reply.text
            self.show(f"     {one_line(text)[:300]}", "green" if answer == "yes" else "red")


def _typed(shown: str) -> str:
    """Return a line that a person types. Empty lines are asked for again."""
    while True:
        text: str = click.prompt(shown, default="", show_default=False, prompt_suffix=" ").strip()
        if text:
            return text
