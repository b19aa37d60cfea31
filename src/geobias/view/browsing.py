"""Pages to look around: the runs, lists of trials, single trials, whole replies, the report."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from geobias.report.findings import collect
from geobias.report.page import rendered
from geobias.view.index import FILTERS, mark, state_of
from geobias.view.listing import LABELS, facets, first_words, query
from geobias.view.passages import safe, snippet
from geobias.view.trial import trial_page
from geobias.view.viewer import Viewer, text_of

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
                    page = rendered(collect([reader]), [reader])
                self.viewer.reports[run] = (state, page)
        policy = _POLICY.search(page[:4000])
        own = f"{policy.group(1)}; frame-ancestors 'none'" if policy else "default-src 'none'"
        return HTMLResponse(
            page.encode(errors="replace"),
            headers={"Content-Security-Policy": own.replace("&#39;", "'")},
        )
