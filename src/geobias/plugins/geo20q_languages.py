"""Pages on which a speaker of a language edits its prompts and watches a game with them."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from geobias.atlas.entities import LANGUAGE_NAMES, LANGUAGES, Entity, entities
from geobias.errors import BadRequest, GeobiasError
from geobias.models import Model
from geobias.models.catalogue import find_model
from geobias.models.model import answered
from geobias.plugins import geo20q_prompt_files as prompt_files
from geobias.probes.geo20q.game import Rules, game, guesser_turn
from geobias.probes.geo20q.languages import Language, LanguageError
from geobias.probes.geo20q.naming import names_in
from geobias.probes.geo20q.replies import read_verdict
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.trials import Ask, Reply
from geobias.view.guard import post
from geobias.view.trial import safe
from geobias.view.viewer import Viewer, number_of, text_of

MOST_LETTERS = 100_000


class LanguagePages:
    """The prompt files: an overview, a page for each, and games played with them.

    ::

        /languages, /languages/CODE         prompt files                POST: /save, /play
        /game/ID.json                       a game under way, polled    POST: /game/ID/stop
    """

    tab = "Languages"
    address = "/languages"
    templates = Path(__file__).parent / "templates"

    def __init__(self) -> None:
        self.games = LiveGames()
        self.viewer: Viewer

    def routes(self, viewer: Viewer) -> list[Route]:
        self.viewer = viewer
        return [
            Route("/languages", self.overview),
            Route("/languages/{code}", self.language),
            post(viewer.token, "/languages/{code}/save", self.save),
            post(viewer.token, "/languages/{code}/play", self.play),
            Route("/game/{game}.json", self.game),
            post(viewer.token, "/game/{game}/stop", self.stop),
        ]

    async def close(self) -> None:
        await self.games.close()

    def _folder(self) -> Path | None:
        """The folder of edited files, where there is one yet."""
        return self.viewer.prompts if self.viewer.prompts.is_dir() else None

    def overview(self, request: Request) -> Response:
        folder = self._folder()
        return self.viewer.page(
            "languages.html",
            request,
            tab=self.tab,
            listed=prompt_files.overview(folder),
            folder=self.viewer.prompts_name,
            folder_is_there=folder is not None,
        )

    def language(self, request: Request) -> Response:
        return self._page(request, _code(request), saved=request.query_params.get("saved") == "1")

    def _page(
        self,
        request: Request,
        code: str,
        edited: Mapping[str, str] | None = None,
        *,
        status: int = 200,
        fault: str = "",
        saved: bool = False,
    ) -> Response:
        folder = self._folder()
        fields = prompt_files.fields(code, folder, edited or {})
        return self.viewer.page(
            "language.html",
            request,
            status=status,
            tab=self.tab,
            code=code,
            name=LANGUAGE_NAMES[code],
            names=LANGUAGE_NAMES,
            groups=prompt_files.grouped(fields),
            changed=sum(one.changed for one in fields),
            folder=self.viewer.prompts_name,
            own=prompt_files.file_of(code, folder).parent == self.viewer.prompts,
            entities=playable(code),
            models=self.viewer.models,
            turns=DEFAULT_TURNS,
            fault=fault,
            saved=saved,
        )

    async def save(self, request: Request, form: FormData) -> Response:
        return await run_in_threadpool(self._save, request, form)

    def _save(self, request: Request, form: FormData) -> Response:
        code, edited = _code(request), _edited(form)
        try:
            text = prompt_files.edited_text(code, self._folder(), edited)
            prompt_files.save(code, text, self.viewer.prompts)
        except LanguageError as error:
            return self._page(request, code, edited, status=422, fault=str(error))
        return RedirectResponse(f"/languages/{code}?saved=1", 303)

    async def play(self, request: Request, form: FormData) -> Response:
        """Begin a game with what is in the fields, saved or not."""
        code, edited = _code(request), _edited(form)
        try:
            text = prompt_files.edited_text(code, self._folder(), edited)
            language = await run_in_threadpool(prompt_files.checked, code, text)
            entity = chosen(code, text_of(form, "entity", 200))
            spec = text_of(form, "model", 300).strip() or self.viewer.models[0]
            if spec not in self.viewer.models:
                raise BadRequest("games are played with models that geobias view was started with")
            turns = number_of(text_of(form, "turns", 4), DEFAULT_TURNS, 2, 20)
            live = self.games.start(language, entity, spec, turns)
        except BadRequest as error:
            return JSONResponse({"fault": str(error)}, 422)
        return JSONResponse({"id": live.id})

    async def game(self, request: Request) -> Response:
        live = self.games.get(request.path_params["game"])
        if live is None:
            raise HTTPException(404, "There is no such game.")
        return JSONResponse(as_shown(live))

    async def stop(self, request: Request, form: FormData) -> Response:
        self.games.stop(request.path_params["game"])
        return JSONResponse({})


def _code(request: Request) -> str:
    code: str = request.path_params["code"]
    if code not in LANGUAGES:
        raise HTTPException(404, "Geo20Q+ has no such language.")
    return code


def _edited(form: FormData) -> dict[str, str]:
    """The fields of the file in a form: they are called key:…"""
    return {
        name.removeprefix("key:"): text_of(form, name, MOST_LETTERS)
        for name in form
        if name.startswith("key:")
    }


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
        rules = Rules(language, names_in(entities(), language.code), settings)
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
        prompts = language.prompts(entity.type, rules.settings.wording)
        final = prompts.final_guess in ask.dialogue.content
        live.turns.append({"asked": safe(question), "final": final, "read": turn is not None})
        return
    verdict = read_verdict(reply.text, language, partial(rules.names.mentions, target=entity))
    notes: list[str] = [] if verdict.kind == "plain" else [verdict.kind]
    notes += ["says the name"] if verdict.leak else []
    if live.turns:
        shown = {"reply": safe(reply.text[:300]), "answer": verdict.answer, "notes": notes}
        live.turns[-1] |= shown


def as_shown(live: LiveGame) -> Mapping[str, Any]:
    shown: dict[str, Any] = msgspec.to_builtins(live)
    return shown | {"over": live.over}
