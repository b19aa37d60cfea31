"""A short game with a language file that is being edited, played live by a model."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from geobias.atlas.entities import Entity, entities
from geobias.atlas.languages import Language
from geobias.errors import BadRequest, GeobiasError
from geobias.models import Model
from geobias.models.catalogue import find_model
from geobias.models.patience import answered
from geobias.probes.geo20q.game import Rules, game, namer
from geobias.probes.geo20q.naming import Directory, names_of
from geobias.probes.geo20q.turn import turn_of
from geobias.probes.geo20q.verdict import verdict
from geobias.trials import Ask, Reply
from geobias.view.passages import safe

MOST_AT_ONCE = 3
MOST_KEPT = 20
DEFAULT_TURNS = 8


class Live(msgspec.Struct):
    """A game as far as it has come. `state`: starting, playing, over, stopped, failed."""

    id: str
    entity: str
    model: str
    state: str = "starting"
    ending: str = ""
    turns: list[dict[str, Any]] = []

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("over", "stopped", "failed")


class LiveGames:
    """The games of this start of the application; a few at a time."""

    def __init__(self) -> None:
        self._games: dict[str, Live] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, language: Language, entity: Entity, spec: str, turns: int) -> Live:
        """Begin a game. Must be called from the event loop."""
        if sum(not one.over for one in self._games.values()) >= MOST_AT_ONCE:
            raise BadRequest(f"{MOST_AT_ONCE} games are under way; stop one first")
        for old in [id_ for id_, one in self._games.items() if one.over][:-MOST_KEPT]:
            del self._games[old]
        name = entity.name_in(language.code) or entity.name
        live = Live(secrets.token_hex(8), safe(name), safe(spec), turns=[])
        self._games[live.id] = live
        task = asyncio.create_task(_play(live, language, entity, spec, turns))
        self._tasks[live.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(live.id, None))
        return live

    def get(self, id_: str) -> Live | None:
        """A game by its id."""
        return self._games.get(id_)

    def stop(self, id_: str) -> None:
        """End a game now."""
        if task := self._tasks.get(id_):
            task.cancel()

    async def close(self) -> None:
        """End all of them."""
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
    found = playable(language)
    if not found:
        raise BadRequest("no entity of the table has a name in this language")
    if not wanted:
        return random.choice(found)
    entity = next((one for one in found if one.id == wanted), None)
    if entity is None:
        raise BadRequest(f"no entity {wanted!r} has a name in this language")
    return entity


async def _play(live: Live, language: Language, entity: Entity, spec: str, turns: int) -> None:
    model: Model | None = None
    try:
        model = await asyncio.to_thread(find_model, spec)
        live.state = "playing"
        rules = Rules(
            language=language,
            setting="canonical",
            turns=turns,
            directory=cache(lambda: Directory(entities(), language.code)),
        )
        steps = game(entity, rules, f"view/{live.id}")
        ask = next(steps)
        while True:
            reply = await answered(model, ask)
            _note(live, rules, entity, ask, reply)
            ask = steps.send(reply)
    except StopIteration as end:
        record = msgspec.to_builtins(end.value)
        live.ending = str(record["canonical"]).replace("_", " ")
        live.state = "over"
    except asyncio.CancelledError:
        live.state, live.ending = "stopped", "stopped"
        raise
    except (GeobiasError, OSError) as error:
        live.state, live.ending = "failed", safe(str(error))
    finally:
        if model is not None:
            await model.close()


def _note(live: Live, rules: Rules, entity: Entity, ask: Ask, reply: Reply) -> None:
    language = rules.language
    if ask.role == "guesser":
        ok = reply.outcome == "ok"
        read = turn_of(reply.text, language, namer(entity, rules)) if ok else None
        said = read.asked if read else f"[{reply.outcome}] {reply.text[:300]}"
        final = language.final_guess in ask.dialogue.content
        live.turns.append({"asked": safe(said), "final": final, "read": read is not None})
        return
    found = verdict(reply.text, language, names_of(entity, language.code))
    notes: list[str] = [] if found.kind == "plain" else [found.kind]
    notes += ["says the name"] if found.leak else []
    if live.turns:
        live.turns[-1] |= {"reply": safe(reply.text[:300]), "answer": found.answer, "notes": notes}


def as_shown(live: Live) -> Mapping[str, Any]:
    """For the page that polls."""
    shown: dict[str, Any] = msgspec.to_builtins(live)
    return shown | {"over": live.over}
