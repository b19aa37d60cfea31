"""A stand-in for the World Bank's API on a real socket of this machine, with faults on request."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any

from aiohttp import web

Fault = Callable[[web.Request, "StandIn"], Awaitable[web.StreamResponse]]
Years = Mapping[int, float | None]

AGGREGATE = {"id": "NA", "iso2code": "NA", "value": "Aggregates"}
AFRICA = {"id": "SSF", "iso2code": "ZG", "value": "Sub-Saharan Africa "}
LOW = {"id": "LIC", "iso2code": "XM", "value": "Low income"}
UNCLASSIFIED = {"id": "INX", "iso2code": "XY", "value": "Not classified"}


def economy(iso3: str, iso2: str, name: str, **other: Any) -> dict[str, Any]:
    """A row of /v2/country as the service writes it."""
    return {
        "id": iso3,
        "iso2Code": iso2,
        "name": name,
        "region": AFRICA,
        "adminregion": {"id": "SSA", "iso2code": "ZF", "value": "Sub-Saharan Africa"},
        "incomeLevel": LOW,
        "lendingType": {"id": "IDX", "iso2code": "XI", "value": "IDA"},
        "capitalCity": f"The capital of {name}",
        "longitude": "36.8126",
        "latitude": "-1.27975",
        **other,
    }


ECONOMIES = [
    economy("KEN", "KE", "Kenya"),
    economy("UGA", "UG", "Uganda"),
    economy("VEN", "VE", "Venezuela, RB", incomeLevel=UNCLASSIFIED),
    economy("WLD", "1W", "World", region=AGGREGATE, capitalCity=""),
    economy("AFE", "ZH", "Africa Eastern and Southern", region=AGGREGATE, capitalCity=""),
    economy("HIC", "XD", "High income", region=AGGREGATE, capitalCity=""),
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
    """Serves `figures` (by code, economy and year) in pages; `with` starts and ends it.

    `faults` are taken one per request to a path that holds the given text, first come first
    served; a request without a fault is answered well. `requests` are the paths asked for.
    """

    def __init__(
        self,
        figures: Mapping[str, Mapping[str, Years]] | None = None,
        economies: list[dict[str, Any]] | None = None,
        lastupdated: str | None = "2026-01-28",
    ) -> None:
        self.figures = dict(figures or {})
        self.economies = ECONOMIES if economies is None else economies
        self.lastupdated = lastupdated
        self.faults: dict[str, deque[Fault]] = {}
        self.requests: list[str] = []
        self.agents: set[str] = set()
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v2"

    def fail(self, part: str, *faults: Fault) -> None:
        self.faults.setdefault(part, deque()).extend(faults)

    def __enter__(self) -> StandIn:
        started = threading.Event()
        self._loop = asyncio.new_event_loop()

        def work() -> None:
            asyncio.set_event_loop(self._loop)
            self._runner = self._loop.run_until_complete(self._start())
            started.set()
            self._loop.run_forever()
            self._loop.run_until_complete(self._runner.cleanup())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.released.set()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    async def _start(self) -> web.AppRunner:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port: int = runner.addresses[0][1]
        return runner

    async def _answer(self, request: web.Request) -> web.StreamResponse:
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
            figure_row(served, iso3, year, value, self.economies)
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


def figure_row(
    code: str, iso3: str, year: int, value: float | None, economies: list[dict[str, Any]]
) -> dict[str, Any]:
    """A row of figures; an aggregate of income has no three-letter code there, as in the API."""
    place = next((one for one in economies if one["id"] == iso3), None)
    return {
        "indicator": {"id": code, "value": f"Series {code}"},
        "country": {
            "id": place["iso2Code"] if place else iso3,
            "value": place["name"] if place else iso3,
        },
        "countryiso3code": "" if iso3 == "HIC" else iso3,
        "date": str(year),
        "value": value,
        "unit": "",
        "obs_status": "",
        "decimal": 0,
    }


def refusal(number: str, key: str, value: str) -> list[Any]:
    return [{"message": [{"id": number, "key": key, "value": value}]}]


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
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def broken_off(request: web.Request, world: StandIn) -> web.StreamResponse:
    """A length is promised, and half of it comes."""
    whole = json.dumps(world.page(request)).encode()
    response = web.StreamResponse(headers={"Content-Length": str(len(whole))})
    await response.prepare(request)
    await response.write(whole[: len(whole) // 2])
    assert request.transport is not None
    request.transport.abort()
    return response


async def silent(request: web.Request, world: StandIn) -> web.StreamResponse:
    """Nothing comes, and the connection stays open until the test is over."""
    while not world.released.is_set():  # noqa: ASYNC110 (the event is another thread's)
        await asyncio.sleep(0.02)
    return web.Response()


HTML = body("<!DOCTYPE html><html><body>Log in to the network</body></html>", "text/html")
