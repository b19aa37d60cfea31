"""Two runs side by side: the trials that both have, by how they differ, and one of them in full.

A trial is shared where both runs have one of the same name, probe and title. The name alone is not
enough: users' own tables number their items as they like.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from geobias.probes.registry import record_owner, record_titles
from geobias.report.comparing import differences
from geobias.report.findings import short_name, short_names
from geobias.report.records import probes_of
from geobias.results.descriptions import Facts, Turn
from geobias.runfile import RunReader
from geobias.view.browsing import LABELS, facets, first_words, query
from geobias.view.index import (
    PAGE,
    Index,
    Row,
    beyond,
    conditions,
    described,
    outcome_words,
    search_query,
)
from geobias.view.trial import Line, Passage, chat, load, safe, safe_facts, side_by_side, snippet
from geobias.view.viewer import Viewer, text_of

ITEM_FILTERS = (
    *("probe", "country", "region", "income", "continent", "half"),
    *("topic", "language", "variant"),
)
"""Filters by what was asked, which is the same in both runs."""

_CHANGED = "(t.read <> o.read OR t.result <> o.result OR t.outcome <> o.outcome)"
DIFFERENCES = {
    "one-right": ("One right, one wrong", "t.correct + o.correct = 1"),
    "only-first": ("Only the first right", "t.correct = 1 AND o.correct = 0"),
    "only-second": ("Only the second right", "t.correct = 0 AND o.correct = 1"),
    "both-right": ("Both right", "t.correct + o.correct = 2"),
    "both-wrong": ("Both wrong", "t.correct + o.correct = 0"),
    "unscored": ("Not both right or wrong", "t.correct + o.correct IS NULL"),
    "changed": ("Changed since the first", _CHANGED),
    "unchanged": ("Read the same", f"NOT {_CHANGED}"),
}
"""How two readings of a trial compare: words for it, and its condition."""

_SHARED = (
    "trials t CROSS JOIN beside.trials o"
    " ON o.trial = t.trial AND o.probe = t.probe AND o.title = t.title"
)
# CROSS: in the order of the first run, so that a page stops at its limit.
_SAID = (
    "(t.id IN (SELECT rowid FROM main.said WHERE said MATCH ?)"
    " OR o.id IN (SELECT rowid FROM beside.said WHERE said MATCH ?))"
)
_COLUMNS = Row.__struct_fields__


class Pair(msgspec.Struct, frozen=True):
    """A trial in both runs: the number of its record and its row, in each."""

    first_id: int
    first: Row
    second_id: int
    second: Row


class Pairs:
    """The trials of two indexes that a choice of filters and a search leave."""

    def __init__(
        self, first: Index, second: Index, filters: Mapping[str, str], search: str = ""
    ) -> None:
        self._first, self._second = first, second
        self._where = [f"t.{name} = ?" for name in ITEM_FILTERS if filters.get(name)]
        self._values: list[Any] = [filters[name] for name in ITEM_FILTERS if filters.get(name)]
        if search:
            self._where.append(_SAID)
            self._values += [search_query(search)] * 2

    def tally(self) -> dict[str, int]:
        """How many pairs there are (`all`), and how many of each difference."""
        sums = ", ".join(f"coalesce(sum({sql}), 0)" for _, sql in DIFFERENCES.values())
        sql = f"SELECT count(*), {sums} FROM {_SHARED}{conditions(self._where)}"  # noqa: S608
        rows = self._first.rows(sql, self._values, self._second)
        counts = rows[0] if rows else [0] * (len(DIFFERENCES) + 1)
        return dict(zip(("all", *DIFFERENCES), counts, strict=True))

    def page(
        self, difference: str = "", *, after: str = "", before: str = "", most: int = PAGE
    ) -> tuple[list[Pair], bool]:
        """Up to `most` pairs in the order of the first run, and whether there are more.

        `after` and `before` are the number of the first run's record to go on from.
        """
        where, values = list(self._where), list(self._values)
        if difference in DIFFERENCES:
            where.append(DIFFERENCES[difference][1])
        more, numbers = beyond(before or after, "t.id", backwards=bool(before), by_number=False)
        names = ", ".join(f"{one}.{name}" for one in "to" for name in ("id", *_COLUMNS))
        listed = self._first.rows(
            f"SELECT {names} FROM {_SHARED}{conditions([*where, *more])}"  # noqa: S608
            f" ORDER BY t.id {'DESC' if before else 'ASC'} LIMIT ?",
            [*values, *numbers, most + 1],
            self._second,
        )
        pairs = [_pair(row) for row in listed[:most]]
        return pairs[::-1] if before else pairs, len(listed) > most

    def neighbours(self, trial: str, difference: str = "") -> tuple[str, str]:
        """The trials before and after one among these pairs; "" at the ends."""
        here = str(self._first.number("SELECT id FROM trials WHERE trial = ?", (trial,)))
        before, _ = self.page(difference, before=here, most=1)
        after, _ = self.page(difference, after=here, most=1)
        return (before[0].first.trial if before else ""), (after[0].first.trial if after else "")


def _pair(values: tuple[Any, ...]) -> Pair:
    half = len(values) // 2
    (first_id, *first), (second_id, *second) = values[:half], values[half:]
    rows = [Row(**dict(zip(_COLUMNS, one, strict=True))) for one in (first, second)]
    return Pair(first_id, rows[0], second_id, rows[1])


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What one run has of the trial. `correct` is None where it is neither right nor wrong."""

    read: str
    bad: bool
    correct: bool | None
    facts: Facts
    chat: list[Line]
    turns: list[Turn]


class Sides(msgspec.Struct, frozen=True, kw_only=True):
    """A trial in two runs.

    asked   the question, where both runs asked the same; it is in neither chat then
    """

    trial: str
    probe: str
    title: str
    asked: list[Line]
    sides: list[Side]


def sides(readers: Sequence[RunReader], trial: str) -> Sides | None:
    """The trial in both runs; None where one of them does not have it."""
    found = [_side(reader, trial) for reader in readers]
    both = [one for one in found if one is not None]
    if len(both) < len(found):
        return None
    (probe, title, first), (_, _, second) = both
    asked: list[Line] = []
    if first.chat and first.chat[:-1] == second.chat[:-1]:
        asked = first.chat[:-1]
        chats = first.chat[-1:], second.chat[-1:]
    else:
        chats = side_by_side(first.chat, second.chat)
    shown = [
        msgspec.structs.replace(side, chat=lines)
        for side, lines in zip((first, second), chats, strict=True)
    ]
    return Sides(trial=trial, probe=probe, title=title, asked=asked, sides=shown)


def _side(reader: RunReader, trial: str) -> tuple[str, str, Side] | None:
    loaded = load(reader, trial)
    if loaded is None:
        return None
    record, saved = loaded
    about = described(record)
    name = str(record["probe"])
    probe = record_owner(name)
    in_turns = probe is not None and probe.showing.in_turns and name == probe.name
    side = Side(
        read=safe(about.read or outcome_words(name, str(record["outcome"]))),
        bad=about.bad,
        correct=about.correct,
        facts=safe_facts(about.facts),
        chat=chat(reader, saved[-1], about.marked) if saved and not in_turns else [],
        turns=probe.showing.turns_of(record, saved) if probe is not None and in_turns else [],
    )
    return name, safe(about.title), side


def names_of(runs: Sequence[str], readers: Sequence[RunReader]) -> list[str]:
    """The two models; where they are the same, with the run that each reply is from."""
    models = [
        reader.manifest().models.get("model", run)
        for run, reader in zip(runs, readers, strict=True)
    ]
    short = short_names(list(dict.fromkeys(models)))
    names = [safe(short[model]) for model in models]
    if names[0] != names[1]:
        return names
    return [f"{name} ({run})" for name, run in zip(names, runs, strict=True)]


def cautions(readers: Sequence[RunReader]) -> list[str]:
    """What else differs between the runs, a sentence for each probe that both have."""
    first, second = (reader.manifest() for reader in readers)
    said = []
    for probe in probes_of(readers[0]):
        if probe.name not in second.probes:
            continue
        unlike = differences(first, second, probe)
        if apart := [*unlike.forbidding, *unlike.telling]:
            said.append(
                f"{probe.title}: the runs also differ in {safe('; '.join(apart))}. "
                "Replies may differ because of that."
            )
    return said


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
