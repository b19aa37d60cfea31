"""`geobias play`: one game of 20 Questions, live in the terminal."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
from rich.text import Text

from geobias.atlas.entities import LANGUAGES, Entity, load_entities
from geobias.cli.options import option_of
from geobias.cli.terminal import Console, print_json
from geobias.errors import BadRequest
from geobias.models import Model
from geobias.models.catalogue import find_model
from geobias.models.model import answered
from geobias.probes.geo20q.choosing import choose_entities
from geobias.probes.geo20q.game import GameRecord, Rules, game, guesser_turn
from geobias.probes.geo20q.languages import load_languages
from geobias.probes.geo20q.naming import names_in
from geobias.probes.geo20q.replies import read_verdict
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.results.formatting import one_line
from geobias.trials import Ask, Reply

COLOURS = {"yes": "green", "no": "red", "maybe": "yellow", "": "magenta"}


@click.command()
@click.argument("entity")
@click.option(
    "--model", default="embedded", show_default=True, help="Plays the part that no person plays."
)
@click.option("--judge", metavar="MODEL", help="Another model as judge.")
@click.option("--human", type=click.Choice(["guesser", "judge"]), help="The part that you play.")
@click.option(
    "--language", default="en", show_default=True, help="en, hi, zh, es, ja, tr, fr, ar, pt."
)
@option_of(Geo20QSettings, "turns")
@click.option("--entities", metavar="FILE", help="A table of your own to choose from.")
@option_of(Geo20QSettings, "prompts")
@click.option("--json", "as_json", is_flag=True, help="Print the game's record only.")
def play(
    entity: str,
    model: str,
    judge: str | None,
    human: str | None,
    language: str,
    turns: int,
    entities: str | None,
    prompts: Path | None,
    as_json: bool,
) -> None:
    """Watch one game about ENTITY, or take a part in it. Ctrl-C ends it.

    ENTITY is a name of the table (see `geobias entities list`), or random.

    \b
    geobias play "Eiffel Tower" --model openai/gpt-4o-mini
    geobias play "Taj Mahal" --language hi --human judge --model openai/gpt-4o-mini
    geobias play random --human guesser --model sim/fair
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
        raise BadRequest(f"{target.name} has no name in {spoken.name} in the table")
    give_up = "phrases" if human is None else "patterns"
    settings = Geo20QSettings(setting="canonical", turns=turns, give_up=give_up)  # type: ignore[arg-type]
    rules = Rules(spoken, names_in(table, language), settings)
    specs = {"guesser": model, "judge": judge or model}
    if judge and judge != model and human != "judge":
        specs["referee"] = judge
    specs.pop(human or "", None)
    models = {spec: find_model(spec) for spec in dict.fromkeys(specs.values())}
    display = GameDisplay(Console(quiet=as_json), target, rules, human)
    if entity != "random" or human != "guesser":
        display.print(f"{display.called}  ({target.category}, {target.country})", "bold")
    try:
        record = display.play({role: models[spec] for role, spec in specs.items()})
    except (KeyboardInterrupt, click.Abort, EOFError):
        display.print("")
        display.reveal("The game is over")
        return
    if as_json:
        print_json(record)
    elif record.canonical == "won":
        display.print(f"     {spoken.bingo}", "bold green")
        display.reveal("Found")
    elif record.canonical == "broken":
        display.reveal(f"Broken off, since there was no usable text ({record.outcome})")
    else:
        display.reveal("Given up" if record.canonical == "gave_up" else "Not found")


class GameDisplay:
    """Shows a game while it is played; `called` is the target's name in its language."""

    def __init__(self, console: Console, target: Entity, rules: Rules, human: str | None) -> None:
        self._console = console
        self._target = target
        self._rules = rules
        self._human = human
        self._prompts = rules.language.prompts(target.type)
        self._turn = 0
        self.called = one_line(target.name_in(rules.language.code) or target.name)

    def play(self, players: dict[str, Model]) -> GameRecord:
        """Drive the game to its end.

        A person's input is read outside of the event loop, which would swallow the first Ctrl-C.
        """
        steps = game(self._target, self._rules, "play")
        loop = asyncio.Runner()
        try:
            ask = next(steps)
            while True:
                if ask.optional and ask.role not in players:
                    ask = steps.send(Reply("", "unasked"))
                    continue
                if ask.role == self._human:
                    reply = self._person(ask)
                else:
                    reply = loop.run(answered(players[ask.role], ask))
                self._show(ask, reply)
                ask = steps.send(reply)
        except StopIteration as end:
            record: GameRecord = end.value
            return record
        finally:
            for model in {id(model): model for model in players.values()}.values():
                loop.run(model.close())
            loop.close()

    def _person(self, ask: Ask) -> Reply:
        prompts = self._prompts
        if ask.role == "guesser":
            if not self._turn:
                self.print(one_line(ask.dialogue.content), "dim")
            if prompts.final_guess in ask.dialogue.content:
                self.print(one_line(prompts.final_guess), "bold")
            return Reply(_typed(f"{self._turn + 1:>3}  "))
        words = {"y": prompts.yes, "n": prompts.no, "m": prompts.maybe}
        shown = "     " + " ".join(f"{word} ({key})" for key, word in words.items()) + " "
        typed = _typed(shown, lambda text: text.casefold()[:1] in words or len(text) > 1)
        return Reply(words.get(typed.casefold(), typed))

    def _show(self, ask: Ask, reply: Reply) -> None:
        if ask.role == "guesser":
            self._turn += 1
            if self._human != "guesser":
                turn = guesser_turn(reply, self._target, self._rules)
                question = turn.question if turn else f"[{reply.outcome}] {reply.text}"
                self.print(f"{self._turn:>3}  {one_line(question)}")
        elif ask.role == "judge" and self._human != "judge":
            mentions = partial(self._rules.names.mentions, target=self._target)
            verdict = read_verdict(reply.text, self._rules.language, mentions)
            hidden = self._human == "guesser"
            note = "" if verdict.kind == "plain" else f"  ({verdict.kind})"
            note += "  (says the name)" if verdict.leak and not hidden else ""
            answer = self._prompts.answer_word(verdict.answer) if hidden else reply.text
            self.print(f"     {one_line(answer)[:300]}{note}", COLOURS[verdict.answer])

    def reveal(self, ending: str) -> None:
        plural = "" if self._turn == 1 else "s"
        self.print(f"{ending} after {self._turn} turn{plural}: {self.called}", "bold")

    def print(self, line: str, style: str = "") -> None:
        self._console.print(Text(line, style=style), soft_wrap=True)


def _typed(shown: str, fits: Callable[[str], bool] = lambda text: True) -> str:
    """A line that a person types. Empty or unfitting lines are asked for again."""
    while True:
        text: str = click.prompt(shown, default="", show_default=False, prompt_suffix="").strip()
        if text and fits(text):
            return text
