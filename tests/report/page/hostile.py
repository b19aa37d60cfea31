"""A model that answers with what would break a careless page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import geobias
from geobias.probes import worldbench
from tests.servers import Loop, RawServer, completion

MARKUP = (
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 2</script>",
    "</style><img src=x onerror='window.pwned = 3'>",
    '"><svg onload="window.pwned = 4">',
    "<!--<script>window.pwned = 5//",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:window.pwned=6",
    "\u202eevil\u202c\u2066",
    "\x1b[31mred\x1b]0;title\x07",
    "=HYPERLINK(1)",
    "\u2028\u2029",
    "\ud800",
)
LONG = "7 " + "x" * 1_000_000


def hostile_run(path: Path) -> Path:
    """The quick questions of WorldBench, each answered with 7 and markup; one with a megabyte.

    Requests arrive in any order, so the number is the same for all: no run of luck may let such a
    model pass the screens.
    """
    said = 0

    def answer(_: dict[str, Any]) -> bytes:
        nonlocal said
        said += 1
        return completion(LONG if said == 5 else f"7 {MARKUP[said % len(MARKUP)]}")

    loop = Loop()
    server = RawServer([answer])
    loop.do(server.start())
    try:
        geobias.run([worldbench.plan(size="quick")], server.url, path)
    finally:
        loop.do(server.stop())
        loop.close()
    return path
