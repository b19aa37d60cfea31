"""What the pages share: the runs, their indexes, the making of pages, and the reviewer."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from geobias.errors import GeobiasError
from geobias.probes.registry import record_titles
from geobias.report.findings import collect
from geobias.report.page import rendered
from geobias.report.page.text import harmless, template_environment
from geobias.report.records import check, short_name
from geobias.report.verdicts import verdict_of
from geobias.runfile import RunReader
from geobias.view.index import Index, outcome_words, state_of
from geobias.view.shelf import Shelf
from geobias.view.trial import passage

HERE = Path(__file__).parent
NAME_LENGTH = 60
REFRESH_SECONDS = 1.0
IDLE_SECONDS = 60.0
"""After this long without a request, the indexes are not updated until the next."""
PATIENCE_SECONDS = 0.12
"""How long a page waits for the index; it reports what is still missing."""


class _Making:
    """A report being made, of a run in this state."""

    def __init__(self, state: tuple[int, ...]) -> None:
        self.state, self.began = state, time.monotonic()
        self.page = ""
        self.fault: Exception | None = None

    @property
    def done(self) -> bool:
        return bool(self.page or self.fault)


class Viewer:
    def __init__(self, runs: Sequence[Path], *, port: int = 0) -> None:
        self.shelf = Shelf(runs)
        self.port = port
        self.secret = secrets.token_urlsafe(32)
        self.token = secrets.token_urlsafe(32)
        self.verdicts: dict[str, tuple[tuple[int, ...], dict[str, str]]] = {}
        """Run → the state that they were made from, and the verdict of each probe."""
        self._reports: dict[str, _Making] = {}
        self._report_lock = threading.Lock()
        self._indexes: dict[str, Index] = {}
        self._asked = time.monotonic()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._templates = template_environment(
            [HERE / "templates"], trim_blocks=True, lstrip_blocks=True
        )
        self._templates.globals |= {
            "probe_titles": record_titles(),
            "trial_url": trial_url,
            "check_url": check_url,
            "cut_around": passage,
            "outcome_words": outcome_words,
        }
        self._templates.filters |= {
            "thousands": _thousands,
            "short_name": short_name,
            "part": lambda text: quote(text, safe="/"),
        }

    # -- runs --------------------------------------------------------------------------------------

    def path(self, run: str) -> Path:
        path = self.shelf.runs().get(run)
        if path is None:
            raise HTTPException(404, f"No run is called {run}.")
        return path

    def open(self, run: str) -> RunReader:
        """Open a run for reading, to be closed with the request."""
        return RunReader(self.path(run))

    def check(self, asked: Collection[str]) -> None:
        """Raise `BadRunFile` if a requested run is not as geobias writes it."""
        for run in set(asked) & self.shelf.runs().keys():
            with self.open(run) as reader:
                check(reader)

    def index(self, run: str) -> Index:
        """The run's index, updated if that is quick."""
        self._asked = time.monotonic()
        index = self.known_index(run)
        index.refresh(PATIENCE_SECONDS)
        return index

    def known_index(self, run: str) -> Index:
        path = self.path(run)
        if run not in self._indexes or self._indexes[run].run != path:
            self._indexes[run] = Index(path)
        return self._indexes[run]

    def start(self) -> None:
        """Update the indexes in the background while the viewer is used."""
        self._thread = threading.Thread(target=self._keep, name="view-index", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _keep(self) -> None:
        while not self._stop.is_set():
            if time.monotonic() - self._asked < IDLE_SECONDS:
                for run in list(self.shelf.runs()):
                    while not self._stop.is_set() and not self.known_index(run).refresh(1.0):
                        pass
                for run in list(self.shelf.runs()):
                    if not self._stop.is_set():
                        self._judge(run)
            self._stop.wait(REFRESH_SECONDS)

    def _judge(self, run: str) -> None:
        """Compute the verdicts of a complete run, for the list of runs."""
        with suppress(GeobiasError, OSError):
            state = state_of(self.path(run))
            if self.verdicts.get(run, ((), {}))[0] == state:
                return
            found = {}
            if self.shelf.progress(run).get("state") == "complete":
                with suppress(Exception), self.open(run) as reader:  # its pages say what is wrong
                    findings = collect([reader], brief=True)
                    found = {
                        one.probe: verdict_of(findings, one).label for one in findings.sections
                    }
            self.verdicts[run] = state, found

    def report(self, run: str) -> tuple[str, float]:
        """The run's report and how many seconds it took, made anew if the run has grown.

        "" while another thread makes it. Raises what making it raised.
        """
        state = state_of(self.path(run))
        with self._report_lock:
            making = self._reports.get(run)
            if making is None or (making.done and making.state != state):
                making = self._reports[run] = _Making(state)
                threading.Thread(target=self._make, args=(run, making), daemon=True).start()
        if making.fault:
            raise making.fault
        return making.page, time.monotonic() - making.began

    def _make(self, run: str, making: _Making) -> None:
        try:
            with self.open(run) as reader:
                making.page = rendered(collect([reader]), [reader], home=("/", "All runs"))
        except Exception as error:
            making.fault = error

    # -- pages -------------------------------------------------------------------------------------

    def page(
        self, template: str, request: Request, *, status: int = 200, run: str = "", **given: Any
    ) -> Response:
        runs = self.shelf.runs()
        html = self._templates.get_template(template).render(
            run=run,
            run_file=runs[run].name if run in runs else "",
            other_runs=[(id_, path.name) for id_, path in runs.items() if id_ != run],
            here=run or next(iter(runs), ""),
            token=self.token,
            reviewer=reviewer(request),
            path=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            **given,
        )
        return HTMLResponse(html.encode(errors="replace"), status)


def _thousands(value: float | None) -> str:
    return "–" if value is None else f"{value:,}"


def trial_url(run: str, trial: str) -> str:
    return f"/run/{quote(run)}/trial/{quote(trial, safe='/')}"


def check_url(run: str, sample: str, **query: Any) -> str:
    given = {name: value for name, value in query.items() if value}
    return f"/run/{quote(run)}/check/{quote(sample)}" + (f"?{urlencode(given)}" if given else "")


def reviewer(request: Request) -> str:
    """The reviewer's name, or "" before it is given."""
    return _name(unquote(request.cookies.get("geobias_reviewer", "")))


def _name(text: str) -> str:
    return " ".join(harmless(text[: 4 * NAME_LENGTH]).replace("\ufffd", " ").split())[:NAME_LENGTH]


def remember(response: Response, name: str) -> str:
    """Store the reviewer's name until the browser is closed; returns the stored name."""
    kept = _name(name)
    response.set_cookie("geobias_reviewer", quote(kept), httponly=True, samesite="strict", path="/")
    return kept


def text_of(form: FormData | Mapping[str, Any], name: str, most: int = 2_000) -> str:
    """A field of a form or an address, cut at a sensible length; "" for none."""
    value = form.get(name, "")
    return value[:most] if isinstance(value, str) else ""


def number_of(text: str, default: int, low: int, high: int) -> int:
    """A whole number within limits, or the default."""
    if not text.isdecimal() or len(text) > 9:
        return default
    return min(high, max(low, int(text)))


def own_page(text: str) -> str:
    """The address to return to, if it is a path of ours."""
    fits = text.startswith("/") and not text.startswith(("//", "/\\")) and "\\" not in text
    return text if fits and text.isprintable() else "/"
