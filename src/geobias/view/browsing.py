"""Pages to look around: the runs, lists of trials, single trials, whole replies, the report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from geobias.atlas.economies import economy_name
from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.probes.registry import record_owner, record_titles
from geobias.runfile.reading import split_digests
from geobias.trials.dialogue import DIGEST_BYTES
from geobias.view.index import FILTERS, mark, state_of
from geobias.view.passages import Passage, safe, snippet
from geobias.view.trial import trial_page
from geobias.view.viewer import Viewer, text_of

_POLICY = re.compile(r'Content-Security-Policy" content="([^"<>]*)"')
LABELS = {
    "probe": "Probe",
    "country": "Country",
    "region": "Region",
    "income": "Income group",
    "continent": "Continent",
    "half": "North or South",
    "topic": "Topic",
    "language": "Language",
    "outcome": "Outcome",
    "result": "Result",
    "variant": "Version",
}


class Browsing:
    """Endpoints over a viewer's runs."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer

    def runs(self, request: Request) -> Response:
        """What is there."""
        found = [self.viewer.shelf.progress(run) for run in self.viewer.shelf.runs()]
        return self.viewer.page("runs.html", request, runs=found, tab="runs")

    def runs_json(self, request: Request) -> Response:
        """The same for the page that polls."""
        found = [self.viewer.shelf.progress(run) for run in self.viewer.shelf.runs()]
        names = ("id", "fault", "state", "done", "planned", "calls", "cost", "probes")
        return JSONResponse([{name: one[name] for name in names if name in one} for one in found])

    def trials(self, request: Request) -> Response:
        """A list of trials."""
        run, asked = request.path_params["run"], request.query_params
        index = self.viewer.index(run)
        chosen = {name: text_of(asked, name, 200) for name in FILTERS if asked.get(name)}
        search, by_number = (
            text_of(asked, "q", 400).strip(),
            asked.get("sort") in ("number", "error"),
        )
        after, before = text_of(asked, "after", 60), text_of(asked, "before", 60)
        found = index.find(chosen, search, after=after, before=before, by_number=by_number)
        kept = (
            chosen | ({"q": search} if search else {}) | ({"sort": "number"} if by_number else {})
        )
        marks = [mark(id_, row, by_number=by_number) for id_, row in found.rows]
        has_next = found.more if not before else bool(found.rows)
        has_previous = found.more if before else bool(after)
        with self.viewer.open(run) as reader:
            words = re.findall(r"[^\s\"*]+", search.casefold())
            listed = []
            for id_, row in found.rows:
                text = _first_words(reader, id_)
                listed.append((row, snippet(text, words) if text else Passage("", "", "")))
        return self.viewer.page(
            "trials.html",
            request,
            run=run,
            tab="browse",
            listed=listed,
            matches=found.matches,
            indexed=index.indexed,
            total=index.total,
            fault=index.fault,
            search=search,
            chosen=chosen,
            by_number=by_number,
            has_numbers=index.has_numbers(),
            facets=_facets(index.facets(), chosen),
            labels=LABELS,
            without={name: _query(kept, name) for name in [*chosen, "q"]},
            query=_query,
            kept=kept,
            next_page=_query(kept | {"after": marks[-1]}) if marks and has_next else "",
            previous_page=_query(kept | {"before": marks[0]}) if marks and has_previous else "",
        )

    def trial(self, request: Request) -> Response:
        """One trial: its permalink."""
        run, trial = request.path_params["run"], request.path_params["trial"]
        with self.viewer.open(run) as reader:
            found = trial_page(reader, trial)
        if found is None:
            raise HTTPException(404, f"The run has no trial {trial}.")
        index = self.viewer.index(run)
        before, after = index.neighbours(trial)
        others = [
            (id_, path.name)
            for id_, path in self.viewer.shelf.runs().items()
            if id_ != run and self.viewer.known_index(id_).has(trial)
        ]
        from markupsafe import Markup

        return self.viewer.page(
            "trial.html",
            request,
            run=run,
            tab="browse",
            trial=found,
            map=Markup(found.map),  # noqa: S704  made by us; names in it are escaped
            before=before,
            after=after,
            in_other_runs=others,
        )

    def reply(self, request: Request) -> Response:
        """The whole of a reply as plain text."""
        run, digest = request.path_params["run"], request.path_params["digest"]
        try:
            wanted = bytes.fromhex(digest)
        except ValueError:
            wanted = b""
        if len(wanted) != DIGEST_BYTES:
            raise HTTPException(404, "There is no such reply.")
        with self.viewer.open(run) as reader:
            found = reader.reply(wanted)
        if found is None:
            raise HTTPException(404, "There is no such reply.")
        return PlainTextResponse(
            safe(found.text).encode(errors="replace"),
            headers={"Content-Security-Policy": "default-src 'none'; sandbox"},
        )

    def report(self, request: Request) -> Response:
        """The report of a run, made when it is asked for and again when the run has grown."""
        run = request.path_params["run"]
        page = self._report(run, self.viewer.path(run))
        policy = _POLICY.search(page[:4000])
        own = f"{policy.group(1)}; frame-ancestors 'none'" if policy else "default-src 'none'"
        return HTMLResponse(
            page.encode(errors="replace"),
            headers={"Content-Security-Policy": own.replace("&#39;", "'")},
        )

    def _report(self, run: str, path: Path) -> str:
        from geobias.report.findings import collect
        from geobias.report.page import rendered

        with self.viewer.report_lock:
            state = state_of(path)
            made = self.viewer.reports.get(run)
            if made is None or made[0] != state:
                with self.viewer.open(run) as reader:
                    made = (state, rendered(collect([reader]), [reader]))
                self.viewer.reports[run] = made
            return made[1]


def _first_words(reader: Any, id_: int) -> str:
    """What the list shows of a trial: its last reply; of a conversation all that one side said."""
    row = next(reader.query("SELECT probe, replies FROM records WHERE id = ?", (id_,)), None)
    if row is None or not row[1]:
        return ""
    probe = record_owner(row[0])
    if probe is not None and probe.in_turns and row[0] == probe.name:
        found = (reader.reply(digest) for digest in split_digests(row[1])[:160])
        replies = [one for one in found if one is not None]
        return " · ".join(one.text[:200] for one in replies if one.role == replies[0].role)
    reply = reader.reply(row[1][-DIGEST_BYTES:])
    if reply is None:
        return ""
    return reply.text[:400_000] or f"[{reply.outcome}]"


def _facets(
    found: Mapping[str, list[tuple[str, int]]], chosen: Mapping[str, str]
) -> dict[str, list[tuple[str, str, int]]]:
    """Filters that part the trials: value, words, count. One value alone parts nothing."""
    made = {}
    for name, values in found.items():
        if len(values) > 1 or name in chosen:
            listed = [(value, words(name, value), count) for value, count in values]
            if name in ("country", "topic"):
                listed.sort(key=lambda one: one[1].casefold())
            made[name] = listed
    return made


def words(name: str, value: str) -> str:
    """A filter's value as people write it."""
    if name == "country":
        return economy_name(value)
    if name == "probe":
        return record_titles().get(value, value)
    if name == "topic":
        return value.replace("_", " ")
    if name == "language":
        return LANGUAGE_NAMES.get(value, value)
    return value.replace("_", " ").replace("-", " ") if name == "variant" else value


def _query(kept: Mapping[str, str], without: str = "", **more: str) -> str:
    given = {name: value for name, value in {**kept, **more}.items() if name != without and value}
    return f"?{urlencode(given)}" if given else "?"
