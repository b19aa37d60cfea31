"""Who may ask, and what every answer carries.

The application listens on 127.0.0.1, where any page that the user's browser has open can reach it.
Three things keep other pages out: requests must name this host (a name that was made to point here,
DNS rebinding, does not); changes must come from our own pages (Origin) and carry a token that only
they can read; and answers may not be framed, read or run by others.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 2 << 20
"""Of a request. The largest is a language file in the making."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}

Change = Callable[[Request, FormData], Awaitable[Response] | Response]
"""What answers a form; on a thread of its own where it is no coroutine."""


class Guard:
    """Around the whole application: refuses strangers, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; anything that is no HTTP (a WebSocket) is turned away unheard."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] == "http":
            refusal = self._refusal(scope["method"], Headers(scope=scope))
            await (refusal or self.app)(scope, receive, with_headers)

    def _refusal(self, method: str, headers: Headers) -> Response | None:
        if headers.getlist("host") not in ([host] for host in self.hosts):
            return PlainTextResponse("This address is not served here.", 421)
        if method in ("GET", "HEAD"):
            return None
        if method != "POST":
            return PlainTextResponse("There is nothing to do that with.", 405)
        if not self._is_ours(headers.get("origin", ""), headers.get("sec-fetch-site", "")):
            return PlainTextResponse("Changes are only taken from geobias's own pages.", 403)
        length = headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return PlainTextResponse("Say how long the request is, and keep it short.", 413)
        return None

    def _is_ours(self, origin: str, site: str) -> bool:
        """Whether the browser says that one of our pages asks.

        Under our own no-referrer policy a form of ours has the origin "null"; the browser's other
        word, which no page can set, then tells it from a stranger's.
        """
        if origin in {f"http://{host}" for host in self.hosts}:
            return site in ("", "same-origin")
        return origin == "null" and site == "same-origin"


def post(token: str, path: str, endpoint: Change) -> Route:
    """A route that changes something: its endpoint is only called with the token."""

    async def checked(request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0]
        if kind != "application/x-www-form-urlencoded":
            raise HTTPException(415, "Send a form.")
        form = await request.form()
        given = form.get("token", "")
        if not (isinstance(given, str) and hmac.compare_digest(given.encode(), token.encode())):
            raise HTTPException(
                403, "This page is from an earlier start of geobias view. Reload it and try again."
            )
        if iscoroutinefunction(endpoint):
            answer: Response = await endpoint(request, form)
            return answer
        return await run_in_threadpool(endpoint, request, form)  # type: ignore[arg-type]

    return Route(path, checked, methods=["POST"])
