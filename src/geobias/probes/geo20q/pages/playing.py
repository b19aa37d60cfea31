"""A short game with a language file that is being edited, played live by a model."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Mapping
from typing import Any

import msgspec

from geobias.atlas.entities import Entity, entities
from geobias.atlas.languages import Language
from geobias.errors import BadRequest, GeobiasError
from geobias.models import Model
from geobias.models.catalogue import find_model
from geobias.models.patience import answered
from geobias.probes.geo20q.game import Rules, game, guesser_turn
from geobias.probes.geo20q.naming import EntityMatcher, name_matcher
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.probes.geo20q.verdict import read_verdict
from geobias.trials import Ask, Reply
from geobias.view.passages import safe

MOST_AT_ONCE = 3
MOST_KEPT = 20
DEFAULT_TURNS = 8


class LiveGame(msgspec.Struct):
    """A game as far as it has come. `state`: starting, playing, over, stopped, failed."""

    id: str
    entity: str
    model: str
    state: str = "starting"
    ending: str = ""
    turns: list[dict[str, Any]] = []

    @property
    def over(self) -> bool:
        return self.state in ("over", "stopped", "failed")


class LiveGames:
    """The games of this start of the application; a few at a time."""

    def __init__(self) -> None:
        self._games: dict[str, LiveGame] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, language: Language, entity: Entity, spec: str, turns: int) -> LiveGame:
        """Begin a game. Must be called from the event loop."""
        if sum(not one.over for one in self._games.values()) >= MOST_AT_ONCE:
            raise BadRequest(f"{MOST_AT_ONCE} games are under way; stop one first")
        for old in [id_ for id_, one in self._games.items() if one.over][:-MOST_KEPT]:
            del self._games[old]
        name = entity.name_in(language.code) or entity.name
        live = LiveGame(secrets.token_hex(8), safe(name), safe(spec), turns=[])
        self._games[live.id] = live
        task = asyncio.create_task(_play(live, language, entity, spec, turns))
        self._tasks[live.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(live.id, None))
        return live

    def get(self, id_: str) -> LiveGame | None:
        return self._games.get(id_)

    def stop(self, id_: str) -> None:
        if task := self._tasks.get(id_):
            task.cancel()

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def playable(language: str) -> list[Entity]:
    """Entities that a game in this language can be about: those of the standard set, if any."""
    named = [one for one in entities().values() if one.name_in(language)]
    return sorted([one for one in named if one.standard] or named, key=lambda one: one.name)


def chosen(language: str, wanted: str) -> Entity:
    """The entity of this id, or any where the id is empty."""
    entities_here = playable(language)
    if not entities_here:
        raise BadRequest("no entity of the table has a name in this language")
    if not wanted:
        return random.choice(entities_here)
    entity = next((one for one in entities_here if one.id == wanted), None)
    if entity is None:
        raise BadRequest(f"no entity {wanted!r} has a name in this language")
    return entity


async def _play(live: LiveGame, language: Language, entity: Entity, spec: str, turns: int) -> None:
    model: Model | None = None
    try:
        model = await asyncio.to_thread(find_model, spec)
        live.state = "playing"
        settings = Geo20QSettings(setting="canonical", turns=turns)
        rules = Rules(language, EntityMatcher(entities(), language.code), settings)
        steps = game(entity, rules, f"view/{live.id}")
        ask = next(steps)
        while True:
            reply = await answered(model, ask)
            _add_turn(live, rules, entity, ask, reply)
            ask = steps.send(reply)
    except StopIteration as end:
        live.state, live.ending = "over", end.value.canonical.replace("_", " ")
    except asyncio.CancelledError:
        live.state, live.ending = "stopped", "stopped"
        raise
    except (GeobiasError, OSError) as error:
        live.state, live.ending = "failed", safe(str(error))
    finally:
        if model is not None:
            await model.close()


def _add_turn(live: LiveGame, rules: Rules, entity: Entity, ask: Ask, reply: Reply) -> None:
    language = rules.language
    if ask.role == "guesser":
        turn = guesser_turn(reply, entity, rules)
        question = turn.question if turn else f"[{reply.outcome}] {reply.text[:300]}"
        final = language.final_guess in ask.dialogue.content
        live.turns.append({"asked": safe(question), "final": final, "read": turn is not None})
        return
    verdict = read_verdict(reply.text, language, name_matcher(entity, language.code))
    notes: list[str] = [] if verdict.kind == "plain" else [verdict.kind]
    notes += ["says the name"] if verdict.leak else []
    if live.turns:
        shown = {"reply": safe(reply.text[:300]), "answer": verdict.answer, "notes": notes}
        live.turns[-1] |= shown


def as_shown(live: LiveGame) -> Mapping[str, Any]:
    shown: dict[str, Any] = msgspec.to_builtins(live)
    return shown | {"over": live.over}
