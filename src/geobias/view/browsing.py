"""Pages to look around: the runs, lists of trials and their filters, single trials, the report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from geobias.atlas.economies import economy_name
from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.probes.registry import all_probes, record_owner, record_titles
from geobias.report.findings import collect
from geobias.report.page import rendered
from geobias.results.descriptions import ReadAs
from geobias.results.formatting import in_natural_order
from geobias.runfile import RunReader
from geobias.runfile.reading import split_digests
from geobias.view.index import FILTERS, mark, state_of
from geobias.view.trial import safe, snippet, trial_page
from geobias.view.viewer import Viewer, text_of

LABELS = {name: name.capitalize() for name in FILTERS}
LABELS |= {"income": "Income group", "half": "North or South", "variant": "Version"}


def first_words(reader: RunReader, id_: int) -> str:
    """What the list shows of a trial: its last reply; of a conversation all that one side said."""
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
    """Filters that part the trials: value, words, count. One value alone parts nothing.

    Groups stand in their natural order, countries and topics by name, others by count."""
    parting: dict[str, list[tuple[str, str, int]]] = {}
    for name, values in counted.items():
        if len(values) > 1 or name in chosen:
            counts = dict(values)
            ordered = in_natural_order([{"value": value} for value in counts], "value")
            parting[name] = [
                (value, in_words(name, value), counts[value])
                for value in (row["value"] for row in ordered)
            ]
            if name in ("country", "topic"):
                parting[name].sort(key=lambda one: one[1].casefold())
    if "outcome" in parting:
        parting["outcome"] = _told_apart(parting["outcome"])
    return parting


def _told_apart(values: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    """Outcomes that two probes record under other names, each with the titles of its probes."""
    words = [one[1] for one in values]
    return [
        (value, f"{said}, {_who_says(value)}" if words.count(said) > 1 else said, count)
        for value, said, count in values
    ]


def _who_says(outcome: str) -> str:
    return ", ".join(
        probe.title for probe in all_probes().values() if outcome in probe.showing.read_as
    )


def in_words(name: str, value: str) -> str:
    if name == "country":
        return economy_name(value)
    if name == "probe":
        return record_titles().get(value, value)
    if name == "outcome":
        own = next(
            (one.showing.read_as for one in all_probes().values() if value in one.showing.read_as),
            ReadAs(),
        )
        return own.words(value)
    if name == "topic":
        return value.replace("_", " ")
    if name == "language":
        return LANGUAGE_NAMES.get(value, value)
    return value.replace("_", " ").replace("-", " ") if name == "variant" else value


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
        return [self.viewer.shelf.progress(run) for run in self.viewer.shelf.runs()]

    def trials(self, request: Request) -> Response:
        run, asked = request.path_params["run"], request.query_params
        index = self.viewer.index(run)
        chosen = {name: text_of(asked, name, 200) for name in FILTERS if asked.get(name)}
        search = text_of(asked, "q", 400).strip()
        by_number = asked.get("sort") in ("number", "error")
        after, before = text_of(asked, "after", 60), text_of(asked, "before", 60)
        page = index.find(chosen, search, after=after, before=before, by_number=by_number)
        kept = chosen | {"q": search, "sort": "number" if by_number else ""}
        marks = [mark(id_, row, by_number=by_number) for id_, row in page.rows]
        has_next = page.more if not before else bool(page.rows)
        has_previous = page.more if before else bool(after)
        words = re.findall(r"[^\s\"*]+", search.casefold())
        with self.viewer.open(run) as reader:
            listed = [(row, snippet(first_words(reader, id_), words)) for id_, row in page.rows]
        return self.viewer.page(
            "trials.html",
            request,
            run=run,
            tab="browse",
            listed=listed,
            matches=page.matches,
            indexed=index.indexed,
            total=index.total,
            fault=index.fault,
            search=search,
            chosen=chosen,
            by_number=by_number,
            has_numbers=index.has_numbers(),
            facets=facets(index.facets(), chosen),
            labels=LABELS,
            without={name: query(kept, name) for name in [*chosen, "q"]},
            query=query,
            kept=kept,
            next_page=query(kept | {"after": marks[-1]}) if marks and has_next else "",
            previous_page=query(kept | {"before": marks[0]}) if marks and has_previous else "",
        )

    def trial(self, request: Request) -> Response:
        run, trial = request.path_params["run"], request.path_params["trial"]
        with self.viewer.open(run) as reader:
            page = trial_page(reader, trial)
        if page is None:
            raise HTTPException(404, f"The run has no trial {trial}.")
        before, after = self.viewer.index(run).neighbours(trial)
        others = [
            (id_, path.name)
            for id_, path in self.viewer.shelf.runs().items()
            if id_ != run and self.viewer.known_index(id_).has(trial)
        ]
        return self.viewer.page(
            "trial.html",
            request,
            run=run,
            tab="browse",
            trial=page,
            map=Markup(page.map),  # noqa: S704  made by us; names in it are escaped
            before=before,
            after=after,
            in_other_runs=others,
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
        """The report of a run, made when it is asked for and again when the run has grown."""
        run = request.path_params["run"]
        path = self.viewer.path(run)
        with self.viewer.report_lock:
            state = state_of(path)
            made_from, page = self.viewer.reports.get(run, ((), ""))
            if made_from != state:
                with self.viewer.open(run) as reader:
                    page = rendered(collect([reader]), [reader], home=("/", "All runs"))
                self.viewer.reports[run] = (state, page)
        policy = _POLICY.search(page[:4000])
        own = f"{policy.group(1)}; frame-ancestors 'none'" if policy else "default-src 'none'"
        return HTMLResponse(
            page.encode(errors="replace"),
            headers={"Content-Security-Policy": own.replace("&#39;", "'")},
        )
