"""Starting the application: a port on 127.0.0.1, a secret, the browser, Ctrl-C."""

from __future__ import annotations

import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from html import escape
from pathlib import Path
from urllib.parse import urlencode

import uvicorn

from geobias.errors import BadRequest
from geobias.view.app import build
from geobias.view.guard import SECRET
from geobias.view.index import prune
from geobias.view.viewer import Viewer

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
    prompts: Path | None = None,
    models: Sequence[str] = (),
    browser: bool = True,
    started: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve until Ctrl-C. `started` is told the address, which has the secret in it."""
    prune()
    with listen(port) as open_socket:
        number: int = open_socket.getsockname()[1]
        viewer = Viewer(runs, prompts=prompts, port=number, models=models)
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
        open_socket.listen(128)  # who comes before the server runs waits rather than fails
        with opened_in_browser(url) if browser else nullcontext():
            started(url)
            with suppress(KeyboardInterrupt):  # the usual way to end it
                uvicorn.Server(settings).run(sockets=[open_socket])


@contextmanager
def opened_in_browser(url: str) -> Iterator[None]:
    """Lead the browser to the address by a file that only this account can read.

    Every account can list the arguments of processes, so the browser is not given the secret as
    one.
    """
    with tempfile.TemporaryDirectory(prefix="geobias-view-") as folder:  # mode 0700
        page = Path(folder) / "open.html"
        page.write_text(
            '<!doctype html><meta charset="utf-8"><title>geobias view</title>'
            f'<meta http-equiv="refresh" content="0; url={escape(url)}">'
            f'<p>Opening geobias view … <a href="{escape(url)}">Go on now</a></p>',
            "utf-8",
        )
        threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
        yield
