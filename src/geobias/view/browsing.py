"""Pages to look around: the runs, lists of trials with filters, single trials, the report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from operator import itemgetter
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from geobias.report.page.countries import folded
from geobias.results.formatting import in_natural_order
from geobias.view.index import FILTERS, MOST_PAGES, PAGE
from geobias.view.trial import load, replies_in_words, snippet, trial_page
from geobias.view.viewer import Viewer, number_of, text_of

LABELS = {name: name.capitalize() for name in FILTERS}
LABELS |= {"income": "Income group", "half": "North or South", "variant": "Version"}
_RUNNING_SECONDS, _IDLE_SECONDS = 2, 15
"""Seconds after which the list of runs reloads, while a run is going on and otherwise."""


def facets(
    counted: Mapping[str, list[tuple[str, int]]], chosen: Mapping[str, str]
) -> dict[str, list[tuple[str, int]]]:
    """Filter → its values and their counts, for filters with at least two values.

    Groups are in their natural order, countries and topics by name, other values by count.
    """
    return {
        name: sorted(values, key=lambda one: folded(one[0]))
        if name in ("country", "topic")
        else in_natural_order(values, itemgetter(0))
        for name, values in counted.items()
        if len(values) > 1 or name in chosen
    }


def query(kept: Mapping[str, str], without: str = "", **more: str) -> str:
    given = {name: value for name, value in {**kept, **more}.items() if name != without and value}
    return f"?{urlencode(given)}" if given else "?"


class Browsing:
    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer

    def runs(self, request: Request) -> Response:
        listed = self.viewer.listed
        told = [(listed.progress(run), listed.state(run)) for run in listed.runs()]
        page = self.viewer.page(
            "runs.html", request, runs=told, verdicts=self.viewer.verdicts, tab="runs"
        )
        running = any(state == "running" for _, state in told)
        page.headers["Refresh"] = str(_RUNNING_SECONDS if running else _IDLE_SECONDS)
        return page

    def trials(self, request: Request) -> Response:
        run, asked = request.path_params["run"], request.query_params
        index = self.viewer.index(run)
        chosen = {name: text_of(asked, name, 200) for name in FILTERS if asked.get(name)}
        search = text_of(asked, "q", 400).strip()
        largest = asked.get("sort") == "number"
        number = number_of(text_of(asked, "page"), 1, 1, MOST_PAGES)
        rows, matches = index.find(chosen, search, page=number, largest=largest)
        kept = chosen | {"q": search, "sort": "number" if largest else ""}
        words = re.findall(r"[^\s\"*]+", search.casefold())
        with self.viewer.open(run) as reader:
            said = [replies_in_words(*load(reader, row.trial)) for row in rows]
        return self.viewer.page(
            "trials.html",
            request,
            run=run,
            tab="trials",
            listed=[(row, snippet(text, words)) for row, text in zip(rows, said, strict=True)],
            matches=matches,
            index=index,
            search=search,
            chosen=chosen,
            largest=largest,
            has_numbers=index.has_numbers(),
            facets=facets(index.facets(chosen.get("probe", "")), chosen),
            labels=LABELS,
            query=partial(query, kept),
            number=number,
            pages=-(-matches // PAGE),
        )

    def trial(self, request: Request) -> Response:
        run, trial = request.path_params["run"], request.path_params["trial"]
        with self.viewer.open(run) as reader:
            given = trial_page(reader, trial)
        if not given:
            raise HTTPException(404, f"The run has no trial {trial}.")
        before, after = self.viewer.index(run).neighbours(trial)
        return self.viewer.page(
            "trial.html", request, run=run, tab="trials", before=before, after=after, **given
        )

    def waiting(self, request: Request) -> Response:
        """A page that a browser shows until it has the report."""
        run = request.path_params["run"]
        self.viewer.path(run)  # refuses a run that was not named
        answer = self.viewer.page("waiting.html", request, run=run, tab="report")
        answer.headers["Refresh"] = f"0; url=/run/{quote(run)}/report/page"
        return answer

    def report(self, request: Request) -> Response:
        """The report, which has a policy of its own."""
        page = self.viewer.report(request.path_params["run"])
        return HTMLResponse(
            page.encode(errors="replace"),
            headers={"Content-Security-Policy": "frame-ancestors 'none'"},
        )
