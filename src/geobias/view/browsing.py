"""Pages to look around: the runs, lists of trials with filters, single trials, the report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from geobias.atlas.economies import economy_name
from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.probes.registry import all_probes, record_titles
from geobias.report.page.countries import folded
from geobias.results.formatting import in_natural_order
from geobias.view.index import FILTERS, MOST_PAGES, PAGE, outcome_words
from geobias.view.trial import load, replies_in_words, snippet, trial_page
from geobias.view.viewer import Viewer, number_of, text_of

LABELS = {name: name.capitalize() for name in FILTERS}
LABELS |= {"income": "Income group", "half": "North or South", "variant": "Version"}
_POLICY = re.compile(r'Content-Security-Policy" content="([^"<>]*)"')
_RUNNING_SECONDS, _IDLE_SECONDS = 2, 15
"""Seconds after which the list of runs reloads, while a run is going on and otherwise."""


def facets(
    counted: Mapping[str, list[tuple[str, int]]], chosen: Mapping[str, str]
) -> dict[str, list[tuple[str, str, int]]]:
    """Filter → (value, words, count), for filters with at least two values.

    Groups are in their natural order, countries and topics by name, other values by count.
    """
    parting: dict[str, list[tuple[str, str, int]]] = {}
    for name, values in counted.items():
        if len(values) < 2 and name not in chosen:
            continue
        counts = dict(values)
        shown = in_natural_order(list(counts), str)
        parting[name] = [(value, in_words(name, value), counts[value]) for value in shown]
        if name in ("country", "topic"):
            parting[name].sort(key=lambda one: folded(one[1]))
    return parting


def in_words(name: str, value: str) -> str:
    """A filter's value in words."""
    if name in ("topic", "variant"):
        return value.replace("_", " ").replace("-", " ")
    if name == "outcome":
        # Probes may name the same outcome differently, so the probe's title is added.
        owners = [one for one in all_probes().values() if value in one.showing.read_as]
        if not owners:
            return value.replace("_", " ")
        titles = ", ".join(one.title for one in owners)
        return f"{outcome_words(owners[0].name, value)} ({titles})"
    if name == "country":
        return economy_name(value)
    return {"probe": record_titles(), "language": LANGUAGE_NAMES}.get(name, {}).get(value, value)


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
            said = [replies_in_words(*found) if (found := load(reader, row.trial)) else ""
                    for row in rows]  # fmt: skip
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
            in_words=in_words,
            query=partial(query, kept),
            number=number,
            pages=-(-matches // PAGE),
        )

    def trial(self, request: Request) -> Response:
        run, trial = request.path_params["run"], request.path_params["trial"]
        with self.viewer.open(run) as reader:
            page = trial_page(reader, trial)
        if page is None:
            raise HTTPException(404, f"The run has no trial {trial}.")
        before, after = self.viewer.index(run).neighbours(trial)
        given: dict[str, Any] = {"trial": page, "before": before, "after": after}
        return self.viewer.page("trial.html", request, run=run, tab="trials", **given)

    def report(self, request: Request) -> Response:
        """The report of a run, or a page that reloads itself while the report is being made."""
        run = request.path_params["run"]
        page, seconds = self.viewer.report(run)
        if not page:
            answer = self.viewer.page(
                "waiting.html", request, run=run, tab="report", seconds=int(seconds)
            )
            answer.headers["Refresh"] = "1"
            return answer
        policy = _POLICY.search(page[:4000])
        own = f"{policy.group(1)}; frame-ancestors 'none'" if policy else "default-src 'none'"
        return HTMLResponse(
            page.encode(errors="replace"),
            headers={"Content-Security-Policy": own.replace("&#39;", "'")},
        )
