"""The viewer's addresses, its server on 127.0.0.1 with a secret, and the browser."""

from __future__ import annotations

import socket
import tempfile
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from html import escape
from pathlib import Path
from urllib.parse import urlencode

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from geobias.errors import BadRequest, GeobiasError
from geobias.report.page.drawing import colour_style
from geobias.view.browsing import Browsing
from geobias.view.checking import Checking
from geobias.view.guard import SECRET, Guard, post
from geobias.view.viewer import HERE, Viewer


def build(viewer: Viewer) -> ASGIApp:
    browsing, checking = Browsing(viewer), Checking(viewer)
    routes = [
        Route("/", browsing.runs),
        Route("/run/{run}/trials", browsing.trials),
        Route("/run/{run}/trial/{trial:path}", browsing.trial),
        Route("/run/{run}/report", browsing.waiting),
        Route("/run/{run}/report/page", browsing.report),
        Route("/run/{run}/check", checking.overview),
        Route("/run/{run}/check/{sample}", checking.sample),
        post(viewer.token, "/run/{run}/check/{sample}", checking.judge),
        Route("/colours.css", _colours),
        Mount("/", StaticFiles(directory=HERE / "static")),
    ]

    async def refused(request: Request, error: Exception) -> Response:
        status, words = 500, f"This page cannot be made: {type(error).__name__}: {error}."
        if isinstance(error, HTTPException):
            status, words = error.status_code, error.detail
        elif isinstance(error, GeobiasError):
            status, words = 409, str(error)
        return viewer.page("refused.html", request, status=status, words=words, tab="")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        viewer.start()
        yield
        await viewer.close()

    # An unforeseen error is answered with its words, and its traceback is printed.
    handlers = dict.fromkeys((HTTPException, GeobiasError, Exception), refused)
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Guard(app, viewer.port, viewer.secret)


def _colours(_: Request) -> Response:
    return Response(colour_style(), media_type="text/css")


HOST = "127.0.0.1"


def listen(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise BadRequest(f"port {port} cannot be used ({reason}); choose another --port") from None
    return listening


def serve(
    runs: Sequence[Path],
    *,
    port: int = 0,
    reviewer: str = "reviewer",
    browser: bool = True,
    started: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve the runs until Ctrl-C.

    `started` is called with the address, which contains the secret.
    """
    with listen(port) as open_socket:
        number: int = open_socket.getsockname()[1]
        viewer = Viewer(runs, port=number, reviewer=reviewer)
        settings = uvicorn.Config(
            build(viewer),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=3,
            ws="none",
            limit_concurrency=200,
        )
        url = f"http://{HOST}:{number}/?{urlencode({SECRET: viewer.secret})}"
        open_socket.listen(128)  # connections before the start wait and do not fail
        with opened_in_browser(url) if browser else nullcontext():
            started(url)
            with suppress(KeyboardInterrupt):  # the usual way to end it
                uvicorn.Server(settings).run(sockets=[open_socket])


@contextmanager
def opened_in_browser(url: str) -> Iterator[None]:
    """Open the address in the browser, through a file that only this account can read.

    The secret in the address must not be an argument of a process, since every account can list
    these.
    """
    with tempfile.TemporaryDirectory(prefix="geobias-view-") as folder:  # mode 0700
        page = Path(folder) / "open.html"
        page.write_text(
            '<!doctype html><meta charset="utf-8"><title>geobias view</title>'
            f'<meta http-equiv="refresh" content="0; url={escape(url)}">'
            f'<p>Opening geobias view … <a href="{escape(url)}">Open it now</a></p>',
            "utf-8",
        )
        threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
        yield
