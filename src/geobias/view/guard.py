"""Access control of the viewer, and the headers of every answer.

The application listens on 127.0.0.1, which every account on this machine and every page in the
user's browser can reach. A secret keeps other accounts out. It is in the address that the user is
given, and then in a cookie; every request without it is refused. Three rules keep other pages out:

- A request must name this host. After DNS rebinding, it names another.
- A change must come from one of our pages (Origin), with a token that only they can read.
- Other sites may not frame, read or run the answers.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import URL, FormData, Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from geobias.report.page.text import template_environment
from geobias.view.viewer import HERE, own_page

MOST_BYTES = 2 << 20
"""Maximum size of a request."""
SECRET = "secret"  # noqa: S105 - the name of the secret, not the secret
"""The secret's name in an address."""
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

Change = Callable[[Request, FormData], Response]
"""Answers a form, on a thread of its own."""


class Guard:
    """The outer layer of the application, which refuses strangers and adds headers to answers."""

    def __init__(self, app: ASGIApp, port: int, secret: str) -> None:
        self.app = app
        self.secret = secret
        self.cookie = cookie_name(port)
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._welcome_page = template_environment([HERE / "templates"]).get_template("welcome.html")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an HTTP request. Anything else, such as a WebSocket, is refused."""
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
            answer = self._refusal(Request(scope)) or self._welcome(Request(scope))
            await (answer or self.app)(scope, receive, with_headers)

    def _refusal(self, request: Request) -> Response | None:
        if request.headers.getlist("host") not in ([host] for host in self.hosts):
            return PlainTextResponse("This address is not served here.", 421)
        if not self._knows_secret(request):
            return PlainTextResponse("Open the address that geobias view printed.", 401)
        if request.method in ("GET", "HEAD"):
            return None
        if request.method != "POST":
            return PlainTextResponse("Only GET, HEAD and POST requests are allowed.", 405)
        return self._refused_change(request.headers)

    def _refused_change(self, headers: Headers) -> Response | None:
        if not self._is_ours(headers.get("origin", ""), headers.get("sec-fetch-site", "")):
            return PlainTextResponse("Only geobias's own pages may make changes.", 403)
        length = headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return PlainTextResponse("The request must state its length and be short.", 413)
        return None

    def _knows_secret(self, request: Request) -> bool:
        """Whether the request has the secret, in its cookie or (for a page) in its address."""
        given = request.cookies.get(self.cookie, "")
        if request.method in ("GET", "HEAD"):
            given = request.query_params.get(SECRET, given)
        return is_same(given, self.secret)

    def _welcome(self, request: Request) -> Response | None:
        """Store the secret from the address in a cookie, and send the browser to the address
        without it.

        If the browser says that the user entered the address, the answer is a redirect. If the
        user followed a link (in a mail, or in the file that opens the browser), the answer is a
        page of ours, since a browser withholds the strict cookie after a redirect from elsewhere.
        """
        if SECRET not in request.query_params:
            return None
        plain: URL = request.url.remove_query_params(SECRET)
        there = own_page(plain.path + (f"?{plain.query}" if plain.query else ""))
        answer: Response
        if request.headers.get("sec-fetch-site") == "none":
            answer = RedirectResponse(there, 303)
        else:
            words = self._welcome_page.render(there=there)
            answer = HTMLResponse(words, headers={"Refresh": f"0; url={there}"})
        answer.set_cookie(self.cookie, self.secret, httponly=True, samesite="strict", path="/")
        return answer

    def _is_ours(self, origin: str, site: str) -> bool:
        """Whether the request comes from one of our pages, as the browser says.

        Under the viewer's no-referrer policy, a browser sends the origin "null" for the viewer's
        own forms. `site` (Sec-Fetch-Site), which no page can set, then shows whose form it is.
        """
        if origin in {f"http://{host}" for host in self.hosts}:
            return site in ("", "same-origin")
        return origin == "null" and site == "same-origin"


def cookie_name(port: int) -> str:
    """The name of the cookie. It has the port, since a host shares cookies among its ports."""
    return f"geobias_view_{port}"


def is_same(given: str, secret: str) -> bool:
    """Compare `given` with the secret in constant time."""
    return hmac.compare_digest(given.encode(errors="replace"), secret.encode())


def post(token: str, path: str, endpoint: Change) -> Route:
    """A route that changes something. `endpoint` is called only if the request has the token."""

    async def checked(request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0]
        if kind != "application/x-www-form-urlencoded":
            raise HTTPException(415, "Send a form.")
        form = await request.form()
        given = form.get("token", "")
        if not (isinstance(given, str) and is_same(given, token)):
            raise HTTPException(
                403, "This page is from an earlier start of geobias view. Reload it and try again."
            )
        return await run_in_threadpool(endpoint, request, form)

    return Route(path, checked, methods=["POST"])
