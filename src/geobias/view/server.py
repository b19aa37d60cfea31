"""Starting the application: a port on 127.0.0.1, the browser, Ctrl-C."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import uvicorn

from geobias.errors import BadRequest
from geobias.view.app import build
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
    browser: bool = True,
    started: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve until Ctrl-C. `started` is told the address."""
    prune()
    with listen(port) as open_socket:
        number: int = open_socket.getsockname()[1]
        viewer = Viewer(runs, prompts=prompts, port=number)
        settings = uvicorn.Config(
            build(viewer),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=3,
            ws="none",
            limit_concurrency=200,
        )
        url = f"http://{HOST}:{number}/"
        open_socket.listen(128)  # who comes before the server runs waits rather than fails
        if browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        started(url)
        with suppress(KeyboardInterrupt):  # the usual way to end it
            uvicorn.Server(settings).run(sockets=[open_socket])
