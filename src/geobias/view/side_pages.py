"""Pages that set two runs side by side: the trials that both have, and one of them in full."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from geobias.probes.registry import record_titles
from geobias.report.findings import short_name
from geobias.runfile import RunReader
from geobias.view.listing import LABELS, facets, first_words, query
from geobias.view.pairs import DIFFERENCES, ITEM_FILTERS, Pair, Pairs
from geobias.view.passages import Passage, snippet
from geobias.view.rows import Row
from geobias.view.sides import cautions, names_of, sides
from geobias.view.viewer import Viewer, text_of

ADDRESS = "/side-by-side"


class SideBySide:
    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer

    def trials(self, request: Request) -> Response:
        """Which trials the two runs share, by how they differ."""
        asked = _Asked(self.viewer, request)
        first, second = (self.viewer.index(run) for run in asked.runs)
        pairs = Pairs(first, second, asked.chosen, asked.search)
        tally = pairs.tally()
        after = text_of(request.query_params, "after", 20)
        before = text_of(request.query_params, "before", 20)
        listed, more = pairs.page(asked.difference, after=after, before=before)
        has_next = more if not before else bool(listed)
        has_previous = more if before else bool(after)
        words = re.findall(r"[^\s\"*]+", asked.search.casefold())
        with ExitStack() as stack:
            readers = [stack.enter_context(self.viewer.open(run)) for run in asked.runs]
            shown = [(pair.first, _halves(pair, readers, words)) for pair in listed]
            names, notes = names_of(asked.runs, readers), cautions(readers)
        own = {name: counted for name, counted in first.facets().items() if name in ITEM_FILTERS}
        indexes = (first, second)
        return self.viewer.page(
            "side_by_side.html",
            request,
            run=asked.runs[0],
            tab="side-by-side",
            asked=asked,
            listed=shown,
            names=names,
            notes=notes,
            tally=tally,
            matches=tally[asked.difference or "all"],
            differences=DIFFERENCES,
            facets=facets(own, asked.chosen),
            labels=LABELS,
            query=query,
            choices=_choices(self.viewer),
            address=ADDRESS,
            trial_beside=asked.trial,
            fault=" ".join(filter(None, (index.fault for index in indexes))),
            indexed=sum(index.indexed for index in indexes),
            total=sum(index.total for index in indexes),
            next_page=query(asked.kept, after=str(listed[-1].first_id))
            if listed and has_next
            else "",
            previous_page=query(asked.kept, before=str(listed[0].first_id))
            if listed and has_previous
            else "",
        )

    def trial(self, request: Request) -> Response:
        """One trial: the question once, the replies and their readings beside each other."""
        asked, trial = _Asked(self.viewer, request), request.path_params["trial"]
        with ExitStack() as stack:
            readers = [stack.enter_context(self.viewer.open(run)) for run in asked.runs]
            found = sides(readers, trial)
            names, notes = names_of(asked.runs, readers), cautions(readers)
        if found is None:
            raise HTTPException(404, f"The two runs do not both have the trial {trial}.")
        first, second = (self.viewer.index(run) for run in asked.runs)
        pairs = Pairs(first, second, asked.chosen, asked.search)
        before, after = pairs.neighbours(trial, asked.difference)
        return self.viewer.page(
            "sides.html",
            request,
            run=asked.runs[0],
            tab="side-by-side",
            asked=asked,
            both=found,
            names=names,
            notes=notes,
            back=ADDRESS + query(asked.kept),
            before=asked.trial(before) if before else "",
            after=asked.trial(after) if after else "",
        )


def _halves(
    pair: Pair, readers: Sequence[RunReader], words: list[str]
) -> list[tuple[Row, Passage]]:
    """Of each run, the trial's row and the beginning of its reply."""
    ids, rows = (pair.first_id, pair.second_id), (pair.first, pair.second)
    said = [snippet(first_words(*one), words) for one in zip(readers, ids, strict=True)]
    return list(zip(rows, said, strict=True))


class _Asked:
    """What an address asks for: two runs, filters, a difference, a search."""

    def __init__(self, viewer: Viewer, request: Request) -> None:
        given = request.query_params
        self.runs = _two_runs(viewer, text_of(given, "first", 200), text_of(given, "second", 200))
        self.chosen = {name: text_of(given, name, 200) for name in ITEM_FILTERS if given.get(name)}
        wanted = text_of(given, "difference", 40)
        self.difference = wanted if wanted in DIFFERENCES else ""
        self.search = text_of(given, "q", 400).strip()
        first, second = self.runs
        self.pair = {"first": first, "second": second}
        self.kept = self.pair | self.chosen | {"difference": self.difference, "q": self.search}

    def trial(self, trial: str) -> str:
        return f"{ADDRESS}/{quote(trial, safe='/')}{query(self.kept)}"


def _two_runs(viewer: Viewer, first: str, second: str) -> tuple[str, str]:
    """Those that were asked for; else the first two that have a probe in common."""
    for run in filter(None, (first, second)):
        viewer.path(run)
    if first and second and first != second:
        return first, second
    probes = {run: _probes(viewer, run) for run in viewer.shelf.runs()}
    readable = [run for run, names in probes.items() if names]
    ones = [first] if first else readable
    others = [second] if second and second != first else readable
    for one in ones:
        for other in others:
            if one != other and probes[one] & probes[other]:
                return one, other
    raise HTTPException(404, "No two runs here have a probe in common, so there are no pairs.")


def _probes(viewer: Viewer, run: str) -> set[str]:
    """The probes of a run; none where it cannot be read."""
    facts = viewer.shelf.progress(run)
    return set() if facts["fault"] else {one["probe"] for one in facts["probes"]}


def _choices(viewer: Viewer) -> list[tuple[str, str]]:
    """Runs that can be chosen, by model, probes and file."""
    titles, choices = record_titles(), []
    for run in viewer.shelf.runs():
        facts = viewer.shelf.progress(run)
        if not facts["fault"]:
            model = short_name(facts["models"].get("model", ""))
            probes = ", ".join(titles.get(one["probe"], one["probe"]) for one in facts["probes"])
            choices.append((run, f"{model} · {probes} · {facts['file']}"))
    return choices
