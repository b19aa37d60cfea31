"""Pages on which a speaker of a language edits its prompts and watches a game with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from geobias.atlas.entities import LANGUAGE_NAMES, LANGUAGES
from geobias.atlas.languages import LanguageError
from geobias.errors import BadRequest
from geobias.probes.geo20q.pages import languages, playing
from geobias.view.guard import post
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
        self.games = playing.LiveGames()
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
            listed=languages.overview(folder),
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
        fields = languages.fields(code, folder, edited or {})
        return self.viewer.page(
            "language.html",
            request,
            status=status,
            tab=self.tab,
            code=code,
            name=LANGUAGE_NAMES[code],
            names=LANGUAGE_NAMES,
            groups=languages.grouped(fields),
            changed=sum(one.changed for one in fields),
            folder=self.viewer.prompts_name,
            own=languages.file_of(code, folder).parent == self.viewer.prompts,
            entities=playing.playable(code),
            models=self.viewer.models,
            turns=playing.DEFAULT_TURNS,
            fault=fault,
            saved=saved,
        )

    async def save(self, request: Request, form: FormData) -> Response:
        return await run_in_threadpool(self._save, request, form)

    def _save(self, request: Request, form: FormData) -> Response:
        code, edited = _code(request), _edited(form)
        try:
            text = languages.edited_text(code, self._folder(), edited)
            languages.save(code, text, self.viewer.prompts)
        except LanguageError as error:
            return self._page(request, code, edited, status=422, fault=str(error))
        return RedirectResponse(f"/languages/{code}?saved=1", 303)

    async def play(self, request: Request, form: FormData) -> Response:
        """Begin a game with what is in the fields, saved or not."""
        code, edited = _code(request), _edited(form)
        try:
            text = languages.edited_text(code, self._folder(), edited)
            language = await run_in_threadpool(languages.checked, code, text)
            entity = playing.chosen(code, text_of(form, "entity", 200))
            spec = text_of(form, "model", 300).strip() or self.viewer.models[0]
            if spec not in self.viewer.models:
                raise BadRequest("games are played with models that geobias view was started with")
            turns = number_of(text_of(form, "turns", 4), playing.DEFAULT_TURNS, 2, 20)
            live = self.games.start(language, entity, spec, turns)
        except BadRequest as error:
            return JSONResponse({"fault": str(error)}, 422)
        return JSONResponse({"id": live.id})

    async def game(self, request: Request) -> Response:
        live = self.games.get(request.path_params["game"])
        if live is None:
            raise HTTPException(404, "There is no such game.")
        return JSONResponse(playing.as_shown(live))

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
