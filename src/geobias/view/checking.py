"""Checking by hand: the samples of trials, where a reviewer stands in one, and the pages for it.

A sample that a probe declares (`results.descriptions.Sample`) is the first n of all items it could
have, in an order that a hash of their names decides: random as far as anything about the items
goes, the same for every reviewer and on every machine, and longer by going on. So nothing needs to
be stored for two people to judge the same items, or for one to stop and come back.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from geobias.probes.registry import all_probes, record_owner
from geobias.report.checks import (
    agreements,
    check_estimate,
    check_questions,
    decided_verdicts,
    kappa_words,
    percent,
)
from geobias.report.records import probes_of
from geobias.results.descriptions import Sample
from geobias.runfile import RunReader, Verdict, VerdictConflict, save_verdict
from geobias.stats.estimates import rate
from geobias.view.index import Index, described, shuffle
from geobias.view.trial import Line, chat, load, passage, safe, side_by_side
from geobias.view.viewer import Viewer, check_url, number_of, own_page, remember, reviewer, text_of

_FROM = "FROM sampled s JOIN trials t ON t.id = s.id WHERE s.sample = ?"


def samples() -> dict[str, Sample]:
    return {one.name: one for probe in all_probes().values() for one in probe.showing.samples}


def population(index: Index, sample: Sample) -> int:
    return index.number(f"SELECT coalesce(sum(s.items), 0) {_FROM}", (sample.name,))


def items(index: Index, sample: Sample, n: int) -> list[str]:
    if sample.shows == "answer":
        return list(_answers(index, sample.name, index.indexed, n))
    rows = index.rows(
        f"SELECT t.trial {_FROM} ORDER BY t.shuffle, t.trial LIMIT ?",
        (sample.name, n),
    )
    return [trial for (trial,) in rows]


@lru_cache(maxsize=8)
def _answers(index: Index, sample: str, count: int, n: int) -> tuple[str, ...]:
    """Single answers of conversations. Every answer has the same chance, also those of long ones.

    `count` is what the index held when it was asked: it tells an old list from a new one.
    """
    rows: list[tuple[Any, ...]] = index.rows(f"SELECT t.trial, s.items {_FROM}", (sample,))
    every = (f"{trial}#{k}" for trial, answers in rows for k in range(1, answers + 1))
    return tuple(heapq.nsmallest(n, every, key=lambda name: (shuffle(name), name)))


def is_item(index: Index, sample: Sample, item: str) -> bool:
    in_parts = sample.shows == "answer"
    trial, _, answer = item.rpartition("#") if in_parts else (item, "", "")
    count = index.number(f"SELECT s.items {_FROM} AND t.trial = ?", (sample.name, trial))
    # Written as `_answers` writes it, so that an answer has one name: 7, not 07 or ٧.
    return answer in map(str, range(1, count + 1)) if in_parts else count > 0


SIZES = (20, 50, 100, 200, 450, 945)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One reviewer in one sample. `item` is the one to judge next; "" when all are done."""

    population: int
    items: list[str]
    done: int
    item: str
    place: int
    mine: dict[str, Verdict]
    """Item → the reviewer's word, also where it was taken back."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """What a reviewer sees of an item, and nothing that would sway the verdict.

    reading   what was read, for the page and for the file
    """

    trial: str
    title: str
    chat: list[Line] = []
    beside: list[Line] = []
    headings: tuple[str, str] = ("", "")
    reading: str = ""
    reading_label: str = ""


def standing(
    index: Index,
    verdicts: Sequence[Verdict],
    sample: Sample,
    reviewer: str,
    n: int,
    *,
    item: str = "",
    after: str = "",
) -> Standing:
    """Where the reviewer stands; `item` asks for a certain one, `after` for the next open one."""
    listed = items(index, sample, n)
    mine = {
        one.item: one for one in verdicts if (one.reviewer, one.sample) == (reviewer, sample.name)
    }
    open_items = [one for one in listed if not (one in mine and mine[one].verdict)]
    chosen = item
    if not chosen:
        later = listed[listed.index(after) + 1 :] if after in listed else []
        chosen = next((one for one in later if one in open_items), next(iter(open_items), ""))
    return Standing(
        population=population(index, sample),
        items=listed,
        done=len(listed) - len(open_items),
        item=chosen,
        place=listed.index(chosen) + 1 if chosen in listed else 0,
        mine=mine,
    )


def last_given(verdicts: Sequence[Verdict], sample: str, reviewer: str) -> Verdict | None:
    own = [
        one for one in verdicts if one.verdict and (one.reviewer, one.sample) == (reviewer, sample)
    ]
    return max(own, key=lambda one: one.at, default=None)


def card(reader: RunReader, sample: Sample, item: str) -> Card | None:
    shown = {"reply": _reply_card, "versions": _versions_card, "answer": _answer_card}
    return shown[sample.shows](reader, item)


def _reply_card(reader: RunReader, item: str) -> Card | None:
    """The question, the reply with what was read marked, and what it was read as."""
    record, saved = load(reader, item) or ({}, [])
    if not saved:
        return None
    about = described(record)
    return Card(
        trial=item,
        title=about.title,
        chat=chat(reader, saved[-1], about.marked)[-2:],
        reading=about.reading,
        reading_label=about.reading_label,
    )


def _versions_card(reader: RunReader, item: str) -> Card | None:
    """The item beside the version it is to be compared with, without any reply."""
    here = load(reader, item)
    probe = record_owner(str(here[0]["probe"])) if here else None
    versions = probe.showing.versions(here[0]) if here and probe else None
    there = load(reader, versions.left) if versions else None
    if here is None or there is None or not here[1] or not there[1]:
        return None
    left, right = side_by_side(chat(reader, there[1][-1]), chat(reader, here[1][-1]))
    about, other = described(here[0]), described(there[0])
    return Card(
        trial=item,
        title=other.title.partition(":")[0],
        chat=left[:-1],
        beside=right[:-1],
        headings=(other.version.partition(":")[0], about.version.partition(":")[0]),
        reading=safe(about.reading),
        reading_label=about.reading_label,
    )


def _answer_card(reader: RunReader, item: str) -> Card | None:
    """One answer of a conversation, with what it answers."""
    trial, _, number = item.rpartition("#")
    loaded = load(reader, trial)
    if loaded is None or not number.isdecimal() or len(number) > 9:
        return None
    record, saved = loaded
    probe = record_owner(str(record["probe"]))
    turns = probe.showing.turns_of(record, saved) if probe else []
    turn = next((one for one in turns if one.answered == int(number)), None)
    if turn is None or turn.reply is None:
        return None
    return Card(
        trial=trial,
        title=safe(described(record).title),
        chat=[
            Line("asked", passage(turn.asked, turn.marked)),
            Line("answered", passage(turn.reply), turn.reply_digest),
        ],
        reading=(turn.answer or "not read").capitalize(),
        reading_label="Read as",
    )


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    sample: Sample
    population: int
    judged: int
    counts: list[tuple[str, list[tuple[str, int]]]]
    shares: list[tuple[str, str, int]]
    agreements: list[tuple[str, str, str, str]]
    disputed: int


def read_rates(reader: RunReader) -> list[tuple[str, str, int]]:
    """The part of a validation that needs nobody: how many replies something was read from.

    Probe's title, share with its interval, number of replies; of probes that have samples.
    """
    rows = []
    for probe in probes_of(reader):
        outcomes = reader.done().get(probe.name, {})
        read = rate(outcomes.get(probe.showing.read_as.read, 0), sum(outcomes.values()))
        if any(sample.shows == "reply" for sample in probe.showing.samples) and outcomes:
            rows.append((probe.title, percent(read), read.n))
    return rows


def tallies(reader: RunReader, index: Index) -> list[Tally]:
    verdicts = reader.verdicts()
    return [
        tally(reader, index, sample, verdicts)
        for probe in probes_of(reader)
        for sample in probe.showing.samples
    ]


def tally(reader: RunReader, index: Index, sample: Sample, verdicts: Sequence[Verdict]) -> Tally:
    own = decided_verdicts(verdicts, sample.name)
    outcomes = reader.done().get(sample.probe, {})
    shares, disputed = [], 0
    for question in check_questions():
        if question.sample == sample.name:
            share, votes = check_estimate(question, own, outcomes)
            disputed = votes.disputed
            shares.append((question.label, percent(share), share.n))
    every = [one for one in verdicts if one.sample == sample.name and one.verdict]
    counts = []
    for who in sorted({one.reviewer for one in every}):
        words = [one.verdict for one in every if one.reviewer == who]
        counts.append((who, [(key.label, words.count(key.verdict)) for key in sample.keys]))
    return Tally(
        sample=sample,
        population=population(index, sample),
        judged=len({one.item for one in every}),
        counts=counts,
        shares=shares,
        agreements=[
            (
                pair.first,
                pair.second,
                kappa_words(pair.kappa),
                f"the same word on {pair.same:,} of {pair.kappa.n:,}",
            )
            for pair in agreements(own)
        ],
        disputed=disputed,
    )


def right_value(text: str) -> str:
    plain = text.strip().replace(",", "").replace(" ", "").replace("\u202f", "").removesuffix("%")
    try:
        number = float(plain)
    except ValueError:
        return ""
    return plain if math.isfinite(number) and len(plain) < 60 else ""


MOST_ITEMS = 5_000


class Checking:
    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer

    def overview(self, request: Request) -> Response:
        run = request.path_params["run"]
        index = self.viewer.index(run)
        with self.viewer.open(run) as reader:
            rates, counted = read_rates(reader), tallies(reader, index)
        return self.viewer.page(
            "check.html",
            request,
            run=run,
            tab="check",
            tallies=counted,
            read_rates=rates,
            sizes=SIZES,
            indexed=index.indexed,
            total=index.total,
        )

    def sample(self, request: Request) -> Response:
        run, sample = request.path_params["run"], _sample(request)
        if who := reviewer(request):
            return self._item_page(request, run, sample, who)
        here = str(request.url).removeprefix(str(request.base_url)[:-1])
        return self._who(request, here, run)

    def who(self, request: Request) -> Response:
        return self._who(request, own_page(text_of(request.query_params, "back")))

    def _who(self, request: Request, back: str, run: str = "") -> Response:
        return self.viewer.page("reviewer.html", request, run=run, tab="check", back=back)

    def _item_page(
        self,
        request: Request,
        run: str,
        sample: Sample,
        who: str,
        *,
        status: int = 200,
        fault: str = "",
        typed: str = "",
        item: str = "",
    ) -> Response:
        index, asked = self.viewer.index(run), request.query_params
        n = number_of(text_of(asked, "n"), sample.usual, 1, MOST_ITEMS)
        wanted = item or text_of(asked, "item")
        if wanted and not is_item(index, sample, wanted):
            raise HTTPException(404, "The sample has no such item.")
        with self.viewer.open(run) as reader:
            verdicts = reader.verdicts(withdrawn=True)
            stands = standing(
                index, verdicts, sample, who, n, item=wanted, after=text_of(asked, "after")
            )
            shown = card(reader, sample, stands.item) if stands.item else None
            result = tally(reader, index, sample, [v for v in verdicts if v.verdict])
        return self.viewer.page(
            "item.html",
            request,
            status=status,
            run=run,
            tab="check",
            sample=sample,
            stands=stands,
            card=shown,
            tally=result,
            mine=stands.mine.get(stands.item),
            undoable=last_given(verdicts, sample.name, who) is not None,
            fault=fault,
            typed=typed,
            size=n,
        )

    def judge(self, request: Request, form: FormData) -> Response:
        run, sample, who = request.path_params["run"], _sample(request), reviewer(request)
        if not who:
            return RedirectResponse(request.url.path, 303)
        item, word = text_of(form, "item"), text_of(form, "verdict", 40)
        key = next((one for one in sample.keys if one.verdict == word), None)
        if key is None or not is_item(self.viewer.index(run), sample, item):
            raise HTTPException(404, "The sample has no such item or verdict.")
        typed = text_of(form, "value", 200)
        value = right_value(typed) if key.asks else ""
        if key.asks and not value:
            fault = "Type the right value as a number, such as 8700000 or 45.2."
            return self._item_page(
                request, run, sample, who, status=422, fault=fault, typed=typed, item=item
            )
        with self.viewer.open(run) as reader:
            shown = card(reader, sample, item)
        verdict = Verdict(
            reviewer=who,
            sample=sample.name,
            item=item,
            verdict=word,
            value=value,
            reading=shown.reading if shown else "",
            version=number_of(text_of(form, "version"), 0, 0, 10**8),
        )
        try:
            save_verdict(self.viewer.path(run), verdict)
        except VerdictConflict as conflict:
            return self._conflict(request, run, sample, verdict, conflict.saved)
        n = number_of(text_of(form, "n"), sample.usual, 1, MOST_ITEMS)
        return RedirectResponse(check_url(run, sample.name, n=n, after=item), 303)

    def _conflict(
        self, request: Request, run: str, sample: Sample, yours: Verdict, saved: Verdict
    ) -> Response:
        labels = {key.verdict: key.label for key in sample.keys} | {"": "taken back"}
        return self.viewer.page(
            "conflict.html",
            request,
            status=409,
            run=run,
            tab="check",
            sample=sample,
            yours=yours,
            saved=saved,
            labels=labels,
        )

    def undo(self, request: Request, form: FormData) -> Response:
        """Take back the reviewer's last verdict on the sample, and show its item again."""
        run, sample, who = request.path_params["run"], _sample(request), reviewer(request)
        n = number_of(text_of(form, "n"), sample.usual, 1, MOST_ITEMS)
        with self.viewer.open(run) as reader:
            last = last_given(reader.verdicts(), sample.name, who)
        if last is None:
            return RedirectResponse(check_url(run, sample.name, n=n), 303)
        try:
            save_verdict(self.viewer.path(run), msgspec.structs.replace(last, verdict="", value=""))
        except VerdictConflict as conflict:
            return self._conflict(request, run, sample, last, conflict.saved)
        return RedirectResponse(check_url(run, sample.name, n=n, item=last.item), 303)

    def name(self, request: Request, form: FormData) -> Response:
        response = RedirectResponse(own_page(text_of(form, "back", 2000)), 303)
        if not remember(response, text_of(form, "name", 200)):
            raise HTTPException(422, "Give a name: verdicts are kept under it.")
        return response


def _sample(request: Request) -> Sample:
    sample = samples().get(request.path_params["sample"])
    if sample is None:
        raise HTTPException(404, "There is no such sample.")
    return sample
