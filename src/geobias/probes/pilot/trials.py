"""The pilot's trials: a question, a choice and a short game for each of twelve countries."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from geobias.atlas.economies import Economy, economies
from geobias.atlas.editions import digests
from geobias.probes.pilot.reading import CONTINENTS, continent, continents_named, letter, yes_or_no
from geobias.probes.plan import Plan, fingerprint
from geobias.trials import Ask, Dialogue, Record, Steps, Trial

TURNS = 6  # as many as there are continents: a model that asks for each in turn must win
WORDS = 24  # tokens: enough for a name, a letter or a short question


class PilotRecord(Record, frozen=True, kw_only=True):
    """One row of the pilot.

    kind      place, choice or game
    outcome   read, unread, or the reply's own outcome where there was no text
    answer    what was read: a continent, "this" or "opposite" or "unknown", the last question
    right     place: the right continent; game: found within the turns; None where unread, and
              for choices, where nothing is right but "unknown"
    turns     questions asked
    """

    kind: str
    answer: str = ""
    right: bool | None = None
    turns: int = 1


def plan(*, repeats: int = 1, temperature: float = 0.0, seed: int = 0, system: str = "") -> Plan:
    """The pilot with its settings. Repeats only differ when sampled (temperature above 0)."""
    pairs = _pairs()
    source = files("geobias.probes.pilot").joinpath("prompts.toml").read_text("utf-8")

    def trials() -> Iterator[Trial]:
        for start in (_place, _choice, _game):
            for iso3, opposite in pairs:
                for repeat in range(repeats):
                    kind = start.__name__.removeprefix("_")
                    name = f"pilot/{kind}/{iso3}/{repeat}"
                    asking = Asking(name, repeat, temperature, seed, system)
                    here, there = economies()[iso3], economies()[opposite]
                    yield Trial(name, _starter(start, here, there, asking))

    games = len(pairs) * repeats
    return Plan(
        probe="pilot",
        settings={"repeats": repeats, "temperature": temperature, "seed": seed, "system": system},
        count=3 * games,
        calls=(3 * games, (2 + 2 * TURNS) * games),
        trials=trials,
        editions=digests("economies.csv"),
        prompts={"pilot": fingerprint(source)},
    )


class Asking:
    """How one trial asks: its draw label, temperature and system message."""

    def __init__(self, trial: str, repeat: int, temperature: float, seed: int, system: str) -> None:
        self.trial = trial
        self.repeat = repeat
        self._temperature = temperature
        self._draw = f"{trial} {seed}"
        self.opening = Dialogue().system(system) if system else Dialogue()

    def ask(self, dialogue: Dialogue, role: str = "model") -> Ask:
        """This dialogue, with the trial's sampling."""
        return Ask(
            dialogue=dialogue,
            temperature=self._temperature,
            max_tokens=WORDS,
            role=role,
            draw=self._draw,
        )

    def record(self, kind: str, here: Economy, outcome: str, **read: Any) -> PilotRecord:
        """The trial's row, with what was read; nothing is read of a reply that is no answer."""
        return PilotRecord(
            trial=self.trial,
            probe="pilot",
            country=here.iso3,
            repeat=self.repeat,
            outcome=outcome,
            kind=kind,
            **(read if outcome == "read" else {"turns": read.get("turns", 1)}),
        )


def _starter(
    start: Callable[[Economy, Economy, Asking], Steps],
    here: Economy,
    there: Economy,
    asking: Asking,
) -> Callable[[], Steps]:
    return lambda: start(here, there, asking)


def _place(here: Economy, _: Economy, asking: Asking) -> Steps:
    """Which continent is it on?"""
    question = _prompts()["place"].format(country=here.name, continents=", ".join(CONTINENTS))
    reply = yield asking.ask(asking.opening.user(question))
    said = continent(reply.text)
    outcome = _outcome(reply.outcome, said)
    return asking.record("place", here, outcome, answer=said, right=said == here.continent)


def _choice(here: Economy, there: Economy, asking: Asking) -> Steps:
    """Two travellers, one without a ticket, and no way to know which."""
    question = _prompts()["choice"].format(
        First=f"{_article(here.demonym).title()} {here.demonym}",
        second=f"{_article(there.demonym)} {there.demonym}",
        the_first=f"The {here.demonym}",
        the_second=f"The {there.demonym}",
    )
    reply = yield asking.ask(asking.opening.user(question))
    said = {"a": "this", "b": "opposite", "c": "unknown", None: None}[letter(reply.text)]
    return asking.record("choice", here, _outcome(reply.outcome, said), answer=said)


def _game(here: Economy, _: Economy, asking: Asking) -> Steps:
    """The guesser searches, the judge answers; naming the right continent wins."""
    prompts = _prompts()
    dialogue = asking.opening.user(prompts["guesser"])
    question, outcome, found, turns = "", "read", False, 0
    while turns < TURNS:
        turns += 1
        reply = yield asking.ask(dialogue, "guesser")
        if reply.outcome != "ok":
            outcome = reply.outcome
            break
        question = " ".join(reply.text.split())
        if found := here.continent in continents_named(question):
            break
        asked = prompts["judge"].format(country=here.name, question=question)
        verdict = yield asking.ask(Dialogue().user(asked), "judge")
        said = yes_or_no(verdict.text) if verdict.outcome == "ok" else None
        if said is None:
            outcome = _outcome(verdict.outcome, None)
            break
        dialogue = dialogue.reply(reply).user("Yes." if said else "No.")
    return asking.record("game", here, outcome, answer=question, right=found, turns=turns)


def _outcome(reply: str, said: str | None) -> str:
    if reply != "ok":
        return reply
    return "read" if said else "unread"


def _article(word: str) -> str:
    return "an" if word[0] in "AEIOU" else "a"


@cache
def _prompts() -> dict[str, str]:
    text = files("geobias.probes.pilot").joinpath("prompts.toml").read_text("utf-8")
    return {name: prompt.strip() for name, prompt in tomllib.loads(text).items()}


@cache
def _pairs() -> list[tuple[str, str]]:
    text = files("geobias.probes.pilot").joinpath("countries.csv").read_text("utf-8")
    return [(row["iso3"], row["opposite"]) for row in csv.DictReader(text.splitlines())]
