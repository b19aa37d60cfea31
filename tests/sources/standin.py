"""A stand-in for the World Bank's API on a real socket of this machine, with faults on request."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, NamedTuple

from aiohttp import web

from tests.defined import defined
from tests.servers import serving

Fault = Callable[[web.Request, "StandIn"], Awaitable[web.StreamResponse]]
Years = Mapping[int, float | None]


class Place(NamedTuple):
    """An economy or an aggregate of several."""

    iso3: str
    iso2: str
    name: str


PLACES = [
    Place("KEN", "KE", "Kenya"),
    Place("UGA", "UG", "Uganda"),
    Place("VEN", "VE", "Venezuela, RB"),
    Place("WLD", "1W", "World"),
    Place("AFE", "ZH", "Africa Eastern and Southern"),
    Place("HIC", "XD", "High income"),
]

POPULATION: dict[str, dict[int, float | None]] = {
    "KEN": {1960: 7.5e6, 2021: 53005614.0, 2022: None, 2023: 55339003.0},
    "UGA": {1960: 0.0, 2021: 45.25, 2022: 1.1e-7, 2023: None},
    "WLD": {1960: 3.0e9, 2021: 7.9e9, 2022: 8.0e9, 2023: 8.1e9},
    "HIC": {1960: 1.0, 2021: 2.0, 2022: 3.0, 2023: 4.0},
}
LIFE: dict[str, dict[int, float | None]] = {
    "KEN": {2000: 51.9, 2022: 62.1},
    "UGA": {2000: None, 2022: 63.6},
    "WLD": {2000: 67.7, 2022: 72.0},
}
FIGURES = {"SP.POP.TOTL": POPULATION, "SP.DYN.LE00.IN": LIFE}


class StandIn:
    """Serves `figures` (by code, economy and year) in pages.

    `faults` are taken one per request to a path that holds the given text, first come first
    served; a request without a fault is answered well. `requests` are the paths asked for.
    """

    def __init__(self, figures: Mapping[str, Mapping[str, Years]]) -> None:
        self.figures = dict(figures)
        self.places = PLACES
        self.lastupdated = "2026-01-28"
        self.faults: dict[str, deque[Fault]] = {}
        self.requests: list[str] = []
        self.agents: set[str] = set()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v2"

    def fail(self, part: str, *faults: Fault) -> None:
        self.faults.setdefault(part, deque()).extend(faults)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request.path_qs)
        self.agents.add(request.headers.get("User-Agent", ""))
        for part, faults in self.faults.items():
            if part in request.path_qs and faults:
                return await faults.popleft()(request, self)
        return web.json_response(self.page(request))

    def page(self, request: web.Request) -> list[Any]:
        """What the service answers well."""
        code = request.path.removeprefix("/v2/country/all/indicator/")
        served = next((one for one in self.figures if one.casefold() == code.casefold()), None)
        if served is None:
            return refusal("120", "Invalid value", "The provided parameter value is not valid")
        rows = [
            figure_row(served, iso3, year, value, self.places)
            for iso3, by_year in self.figures[served].items()
            for year, value in sorted(by_year.items(), reverse=True)
        ]
        return self._paged(request, rows, {"sourceid": "2", "lastupdated": self.lastupdated})

    def _paged(
        self, request: web.Request, rows: list[dict[str, Any]], more: dict[str, Any]
    ) -> list[Any]:
        number = int(request.query.get("page", 1))
        per_page = int(request.query["per_page"])
        pages = -(-len(rows) // per_page)
        head = {"page": number, "pages": pages, "per_page": per_page, "total": len(rows), **more}
        return [head, rows[(number - 1) * per_page : number * per_page] or None]


@contextmanager
def standin(figures: Mapping[str, Mapping[str, Years]] = MappingProxyType({})) -> Iterator[StandIn]:
    """One that serves."""
    one, app = StandIn(figures), web.Application()
    app.router.add_get("/{path:.*}", one.answer)
    with serving(app) as one.port:
        yield one


def figure_row(
    code: str, iso3: str, year: int, value: float | None, places: Sequence[Place] = PLACES
) -> dict[str, Any]:
    """A row of figures; an aggregate of income has no three-letter code there, as in the API."""
    place = next((one for one in places if one.iso3 == iso3), Place(iso3, iso3, iso3))
    return {
        "indicator": {"id": code, "value": f"Series {code}"},
        "country": {"id": place.iso2, "value": place.name},
        "countryiso3code": "" if iso3 == "HIC" else iso3,
        "date": str(year),
        "value": value,
        "unit": "",
        "obs_status": "",
        "decimal": 0,
    }


def refusal(number: str, key: str, value: str) -> list[Any]:
    return [{"message": [{"id": number, "key": key, "value": value}]}]


async def at_once(seconds: float) -> None:
    """In place of the waits between attempts."""


def status(code: int, text: str = "sorry", **headers: str) -> Fault:
    async def answer(request: web.Request, world: StandIn) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(status=code, text=text, headers=named)

    return answer


def body(content: bytes | str, content_type: str = "application/json") -> Fault:
    async def answer(request: web.Request, world: StandIn) -> web.StreamResponse:
        raw = content if isinstance(content, bytes) else content.encode()
        return web.Response(body=raw, content_type=content_type)

    return answer


def changed(change: Callable[[list[Any]], object]) -> Fault:
    """The right page with something changed in it."""

    async def answer(request: web.Request, world: StandIn) -> web.StreamResponse:
        page = world.page(request)
        change(page)
        return web.json_response(page)

    return answer


async def half(request: web.Request, world: StandIn) -> web.StreamResponse:
    """Half of the JSON, sent as if it were all."""
    whole = json.dumps(world.page(request)).encode()
    return web.Response(body=whole[: len(whole) // 2], content_type="application/json")


async def dropped(request: web.Request, world: StandIn) -> web.StreamResponse:
    """The connection ends before the answer begins."""
    defined(request.transport).abort()
    return web.Response()


async def broken_off(request: web.Request, world: StandIn) -> web.StreamResponse:
    """A length is promised, and half of it comes."""
    whole = json.dumps(world.page(request)).encode()
    response = web.StreamResponse(headers={"Content-Length": str(len(whole))})
    await response.prepare(request)
    await response.write(whole[: len(whole) // 2])
    defined(request.transport).abort()
    return response


HTML = body("<!DOCTYPE html><html><body>Log in to the network</body></html>", "text/html")
