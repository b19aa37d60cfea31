"""The state that all pages share: the runs, their indexes, the reports and the reviewer."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from geobias.probes.registry import record_titles
from geobias.report.findings import collect
from geobias.report.page import rendered
from geobias.report.page.text import template_environment
from geobias.report.records import blaming, short_name
from geobias.report.verdicts import verdict_of
from geobias.results.formatting import one_line
from geobias.runfile import RunReader
from geobias.view.index import Index, state_of
from geobias.view.run_list import RunList
from geobias.view.trial import passage

HERE = Path(__file__).parent
NAME_LENGTH = 60
REFRESH_SECONDS = 1.0
IDLE_SECONDS = 60.0
"""After this many seconds without a request, the indexes are not updated until the next request."""
PATIENCE_SECONDS = 0.12
"""How long a page waits for the index. After that, the page says how much is still missing."""


class Viewer:
    """`reviewer` is the name under which verdicts are stored."""

    def __init__(self, runs: Sequence[Path], *, port: int = 0, reviewer: str = "reviewer") -> None:
        self.listed = RunList(runs)
        self.port = port
        self.reviewer = one_line(reviewer)[:NAME_LENGTH]
        self.secret = secrets.token_urlsafe(32)
        self.token = secrets.token_urlsafe(32)
        self.verdicts: dict[str, dict[str, str]] = {}
        """Run → the label of each probe's verdict, where it is known by now."""
        self._judged: dict[str, tuple[int, ...]] = {}
        self._reports: dict[str, tuple[tuple[int, ...], str]] = {}
        self._reporting = threading.Lock()
        self._indexes: dict[str, Index] = {}
        self._asked = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="view-index", daemon=True)
        self._templates = template_environment(
            [HERE / "templates"], trim_blocks=True, lstrip_blocks=True
        )
        self._templates.globals |= {
            "probe_titles": record_titles(),
            "trial_url": trial_url,
            "check_url": check_url,
            "window": passage,
        }
        self._templates.filters |= {
            "thousands": lambda value: "–" if value is None else f"{value:,}",
            "short_name": short_name,
            "part": lambda text: quote(text, safe="/"),
        }

    # -- runs --------------------------------------------------------------------------------------

    def path(self, run: str) -> Path:
        path = self.listed.runs().get(run)
        if path is None:
            raise HTTPException(404, f"No run is called {run}.")
        return path

    @contextmanager
    def open(self, run: str) -> Iterator[RunReader]:
        """Open a run for reading. An error says whether the file has what geobias never writes."""
        with RunReader(self.path(run)) as reader, blaming(reader, HTTPException):
            yield reader

    def index(self, run: str) -> Index:
        """The index of a run, brought up to date as far as `PATIENCE_SECONDS` allow."""
        self._asked = time.monotonic()
        index = self._known_index(run)
        index.refresh(PATIENCE_SECONDS)
        return index

    def _known_index(self, run: str) -> Index:
        path = self.path(run)
        if run not in self._indexes or self._indexes[run].run != path:
            self._indexes[run] = Index(path)
        return self._indexes[run]

    def start(self) -> None:
        self._thread.start()

    async def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _keep(self) -> None:
        while not self._stop.is_set():
            if time.monotonic() - self._asked < IDLE_SECONDS:
                for work in (self._fill_index, self._judge):
                    for run in list(self.listed.runs()):
                        with suppress(Exception):  # the run's own pages say what is wrong with it
                            work(run)
            self._stop.wait(REFRESH_SECONDS)

    def _fill_index(self, run: str) -> None:
        while not self._stop.is_set() and not self._known_index(run).refresh(1.0):
            pass

    def _judge(self, run: str) -> None:
        """Compute the verdicts on a complete run, for the list of runs."""
        state = state_of(self.path(run))
        if self._stop.is_set() or self._judged.get(run) == state:
            return
        self._judged[run] = state
        self.verdicts.pop(run, None)
        if self.listed.state(run) == "complete":
            with self.open(run) as reader:
                findings = collect([reader], brief=True)
            self.verdicts[run] = {
                one.probe: verdict_of(findings, one).label for one in findings.sections
            }

    def report(self, run: str) -> str:
        """The report of a run, made again if the run has grown."""
        with self._reporting:
            state = state_of(self.path(run))
            if run not in self._reports or self._reports[run][0] != state:
                with self.open(run) as reader:
                    page = rendered(collect([reader]), [reader], home=("/", "All runs"))
                self._reports[run] = state, page
            return self._reports[run][1]

    # -- pages -------------------------------------------------------------------------------------

    def page(
        self, template: str, request: Request, *, status: int = 200, run: str = "", **given: Any
    ) -> Response:
        runs = self.listed.runs()
        html = self._templates.get_template(template).render(
            run=run,
            status=status,
            run_file=runs[run].name if run in runs else "",
            other_runs=[(id_, path.name) for id_, path in runs.items() if id_ != run],
            here=run or next(iter(runs), ""),
            token=self.token,
            reviewer=self.reviewer,
            path=request.url.path,
            **given,
        )
        return HTMLResponse(html.encode(errors="replace"), status)


def trial_url(run: str, trial: str) -> str:
    return f"/run/{quote(run)}/trial/{quote(trial, safe='/')}"


def check_url(run: str, sample: str, **query: Any) -> str:
    given = {name: value for name, value in query.items() if value}
    return f"/run/{quote(run)}/check/{quote(sample)}" + (f"?{urlencode(given)}" if given else "")


def text_of(form: FormData | Mapping[str, object], name: str, most: int = 2_000) -> str:
    """A field of a form or an address, cut to `most` characters. "" if it is absent."""
    value = form.get(name, "")
    return value[:most] if isinstance(value, str) else ""


def number_of(text: str, default: int, low: int, high: int) -> int:
    """The whole number in the text, within the limits. `default` if there is none."""
    if not text.isdecimal() or len(text) > 9:
        return default
    return min(high, max(low, int(text)))


def own_page(text: str) -> str:
    """Return the address if it is a path of the viewer, else the address of the first page."""
    fits = text.startswith("/") and not text.startswith(("//", "/\\")) and "\\" not in text
    return text if fits and text.isprintable() else "/"
