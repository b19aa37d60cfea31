"""The browser in which pages are tested: found on the PATH (Debian: `apt install
chromium-headless-shell`, or chromium) or by GEOBIAS_CHROMIUM. Playwright's Python package drives it
and needs no browser of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import pytest

# The shell has no windows, profiles or extensions: it takes half the time between pages.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("GEOBIAS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
NEEDED = [
    pytest.mark.skipif(find_spec("playwright") is None, reason="needs playwright"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]


@contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # There is nothing to draw fast: a process for graphics would only take time to talk to.
        args = ["--no-sandbox", "--disable-gpu", "--in-process-gpu"]
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=args)
        yield running
        running.close()
