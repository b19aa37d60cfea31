"""Pages to look around: the runs, lists of trials with filters, single trials, the report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from geobias.atlas.economies import economy_name
from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.probes.registry import all_probes, record_owner, record_titles
from geobias.results.formatting import in_natural_order
from geobias.runfile import RunReader
from geobias.runfile.reading import split_digests
from geobias.view.index import FILTERS, MOST_PAGES, PAGE, outcome_words
from geobias.view.trial import safe, snippet, trial_page
from geobias.view.viewer import Viewer, number_of, text_of

LABELS = {name: name.capitalize() for name in FILTERS}
LABELS |= {"income": "Income group", "half": "North or South", "variant": "Version"}


def first_words(reader: RunReader, id_: int) -> str:
    """A list's excerpt of a trial: its last reply, or everything one side of a
    conversation said.
    """
    row = next(reader.query("SELECT probe, replies FROM records WHERE id = ?", (id_,)), None)
    if row is None or not row[1]:
        return ""
    probe = record_owner(row[0])
    digests = split_digests(row[1])
    if probe is not None and probe.showing.in_turns and row[0] == probe.name:
        replies = list(filter(None, map(reader.reply, digests[:160])))
        return " · ".join(one.text[:200] for one in replies if one.role == replies[0].role)
    reply = reader.reply(digests[-1])
    return "" if reply is None else reply.text[:400_000] or f"[{reply.outcome}]"


def facets(
    counted: Mapping[str, list[tuple[str, int]]], chosen: Mapping[str, str]
) -> dict[str, list[tuple[str, str, int]]]:
    """Filters with at least two values: value, words, count.

    Groups are in their natural order, countries and topics by name, others by count.
    """
    parting: dict[str, list[tuple[str, str, int]]] = {}
    for name, values in counted.items():
        if len(values) < 2 and name not in chosen:
            continue
        counts = dict(values)
        ordered = [
            row["value"] for row in in_natural_order([{"value": v} for v in counts], "value")
        ]
        parting[name] = [(value, in_words(name, value), counts[value]) for value in ordered]
        if name in ("country", "topic"):
            parting[name].sort(key=lambda one: one[1].casefold())
    return parting


def in_words(name: str, value: str) -> str:
    if name == "country":
        return economy_name(value)
    if name == "probe":
        return record_titles().get(value, value)
    if name == "language":
        return LANGUAGE_NAMES.get(value, value)
    if name != "outcome":
        return value.replace("_", " ").replace("-", " ") if name in ("topic", "variant") else value
    # Two probes may name an outcome differently, so each name has its probe's title.
    owners = [one for one in all_probes().values() if value in one.showing.read_as]
    said = outcome_words(owners[0].name, value) if owners else value.replace("_", " ")
    return f"{said} ({', '.join(one.title for one in owners)})" if owners else said


def query(kept: Mapping[str, str], without: str = "", **more: str) -> str:
    given = {name: value for name, value in {**kept, **more}.items() if name != without and value}
    return f"?{urlencode(given)}" if given else "?"


_POLICY = re.compile(r'Content-Security-Policy" content="([^"<>]*)"')


class Browsing:
    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer

    def runs(self, request: Request) -> Response:
        return self.viewer.page("runs.html", request, runs=self._progress(), tab="runs")

    def runs_json(self, request: Request) -> Response:
        names = ("id", "fault", "state", "done", "planned", "calls", "cost", "probes")
        runs = self._progress()
        return JSONResponse([{name: run[name] for name in names if name in run} for run in runs])

    def _progress(self) -> list[dict[str, Any]]:
        """The runs, each probe with its verdict if it is known."""
        runs = [self.viewer.shelf.progress(run) for run in self.viewer.shelf.runs()]
        for run in runs:
            known = self.viewer.verdicts.get(run["id"], ((), {}))[1]
            for one in run.get("probes", []):
                one["verdict"] = known.get(one["probe"], "")
        return runs

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
            listed = [(row, snippet(first_words(reader, id_), words)) for id_, row in rows]
        return self.viewer.page(
            "trials.html",
            request,
            run=run,
            tab="browse",
            listed=listed,
            matches=matches,
            index=index,
            search=search,
            chosen=chosen,
            largest=largest,
            has_numbers=index.has_numbers(),
            facets=facets(index.facets(chosen.get("probe", "")), chosen),
            labels=LABELS,
            in_words=in_words,
            kept=kept,
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
        return self.viewer.page(
            "trial.html",
            request,
            run=run,
            tab="browse",
            trial=page,
            before=before,
            after=after,
        )

    def reply(self, request: Request) -> Response:
        try:
            digest = bytes.fromhex(request.path_params["digest"])
        except ValueError:
            digest = b""
        with self.viewer.open(request.path_params["run"]) as reader:
            reply = reader.reply(digest)
        if reply is None:
            raise HTTPException(404, "There is no such reply.")
        return PlainTextResponse(
            safe(reply.text).encode(errors="replace"),
            headers={"Content-Security-Policy": "default-src 'none'; sandbox"},
        )

    def report(self, request: Request) -> Response:
        """The report of a run; while it is being made, a page that says so and reloads."""
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
