"""Stand-ins for Wikipedia and Wikimedia, on one real socket."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from aiohttp import web

from .standin import StandIn

NO_VIEWS = {
    "detail": "The date(s) you used are valid, but we either do not have data for those date(s), "
    "or the project you asked for is not loaded yet.",
    "method": "get",
    "status": 404,
    "title": "Not Found",
    "type": "about:blank",
}


class Services(StandIn):
    """Answers in the shapes of the real services.

    `articles` are by title: views by month, and what else Wikipedia says of them; `redirects` lead
    to a title, with "#" into the middle of it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.articles: dict[str, dict[str, Any]] = {}
        self.redirects: dict[str, str] = {}

    def __enter__(self) -> Services:
        super().__enter__()
        return self

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _start(self) -> web.AppRunner:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        return runner

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request.path_qs)
        self.agents.add(request.headers.get("User-Agent", ""))
        for part, faults in self.faults.items():
            if part in request.path_qs and faults:
                return await faults.popleft()(request, self)
        return self.well(request)

    def well(self, request: web.Request) -> web.Response:
        path = request.raw_path.split("?")[0]
        if path.startswith("/rest/metrics/pageviews/per-article/"):
            return self._views(path)
        answers = {
            "/wikipedia": lambda: self._query(request.query["titles"].split("|")),
        }
        if path not in answers:
            return web.Response(status=404, text="Not Found")
        return web.json_response(answers[path]())

    def _query(self, titles: list[str]) -> dict[str, Any]:
        pages, sent_on, tidied = {}, [], []
        for asked in titles:
            title = asked[:1].upper() + asked[1:]
            if title != asked:
                tidied.append({"fromencoded": False, "from": asked, "to": title})
            if title in self.redirects:
                to, _, fragment = self.redirects[title].partition("#")
                step = {"from": title, "to": to}
                sent_on.append(step | ({"tofragment": fragment} if fragment else {}))
                title = to
            known = self.articles.get(title)
            if known is None:
                pages[title] = {"ns": 0, "title": title, "missing": True}
                continue
            page = {"pageid": len(pages) + 1, "ns": 0, "title": title}
            props = {"disambiguation": ""} if known.get("choice") else {}
            pages[title] = page | ({"pageprops": props} if props else {})
        query: dict[str, Any] = {"pages": list(pages.values())}
        query |= {"normalized": tidied} if tidied else {}
        query |= {"redirects": sent_on} if sent_on else {}
        return {"batchcomplete": True, "query": query}

    def _views(self, path: str) -> web.Response:
        *_, part, granularity, first, last = path.split("/")
        title = unquote(part).replace("_", " ")
        months = self.articles.get(title, {}).get("views", {})
        items = [
            {
                "project": "en.wikipedia",
                "article": title.replace(" ", "_"),
                "granularity": granularity,
                "timestamp": f"{month.replace('-', '')}0100",
                "access": "all-access",
                "agent": "user",
                "views": views,
            }
            for month, views in months.items()
            if first[:6] <= month.replace("-", "") <= last[:6]
        ]
        if not items:
            return web.json_response(NO_VIEWS, status=404, content_type="application/problem+json")
        return web.json_response({"items": items})
