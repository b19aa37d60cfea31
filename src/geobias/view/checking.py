"""Checking by hand: samples of trials, a reviewer's position in one, and the pages for it.

A sample that a probe declares (`results.descriptions.Sample`) is the first n of all its possible
items, ordered by a hash of their names. This order does not depend on the items' content and is the
same for every reviewer and machine. A longer sample continues a shorter one. So two people judge
the same items, and a reviewer can stop and continue later, without stored samples.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from geobias.probes.registry import all_probes, record_owner
from geobias.report.checks import check_questions, run_checks
from geobias.report.page.text import harmless
from geobias.report.records import probes_of
from geobias.results.descriptions import Key, Sample
from geobias.runfile import RunReader, Verdict, save_verdict
from geobias.trials import StoredRecord
from geobias.view.index import Index, described, shuffle
from geobias.view.trial import Line, chat, load, passage
from geobias.view.viewer import Viewer, check_url, number_of, own_page, remember, reviewer, text_of

SIZES = (20, 50, 100, 200, 450, 945)
MOST_ITEMS = 5_000
_FROM = "FROM sampled s JOIN trials t ON t.id = s.id WHERE s.sample = ?"


def samples() -> dict[str, Sample]:
    return {one.name: one for probe in all_probes().values() for one in probe.showing.samples}


def population(index: Index, sample: Sample) -> int:
    return index.number(f"SELECT sum(s.items) {_FROM}", (sample.name,))


def items(index: Index, sample: Sample, n: int) -> list[str]:
    """The first `n` items of a sample.

    Answers of long and of short conversations have the same chance.
    """
    if sample.shows != "answer":
        rows = index.rows(
            f"SELECT t.trial {_FROM} ORDER BY t.shuffle, t.trial LIMIT ?", (sample.name, n)
        )
        return [trial for (trial,) in rows]
    rows = index.rows(f"SELECT t.trial, s.items {_FROM}", (sample.name,))
    every = (f"{trial}#{k}" for trial, answers in rows for k in range(1, answers + 1))
    return heapq.nsmallest(n, every, key=lambda name: (shuffle(name), name))


def is_item(index: Index, sample: Sample, item: str) -> bool:
    in_parts = sample.shows == "answer"
    trial, _, answer = item.rpartition("#") if in_parts else (item, "", "")
    count = index.number(f"SELECT s.items {_FROM} AND t.trial = ?", (sample.name, trial))
    # Written as in `items`, so that an answer has one name: 7, not 07 or ٧.
    return answer in map(str, range(1, count + 1)) if in_parts else count > 0


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """An item as a reviewer sees it, without anything that could sway the verdict.

    `beside` is the chat of another version, shown next to `chat` with two `headings`. `reading` is
    the answer that was read from the reply.
    """

    trial: str
    title: str
    chat: list[Line] = []
    beside: list[Line] = []
    headings: tuple[str, str] = ("", "")
    reading: str = ""
    reading_label: str = ""


def card(reader: RunReader, sample: Sample, item: str) -> Card | None:
    shown = {"reply": _reply_card, "versions": _versions_card, "answer": _answer_card}
    return shown[sample.shows](reader, item)


def _reply_card(reader: RunReader, item: str) -> Card | None:
    """The question, the reply with the part that was read marked, and the answer read from it."""
    record, saved = load(reader, item) or ({}, [])
    if not saved:
        return None
    about = described(record)
    return Card(
        trial=item,
        title=about.title,
        chat=chat(reader, saved, about.marked)[-2:],
        reading=about.reading,
        reading_label=about.reading_label,
    )


def _versions_card(reader: RunReader, item: str) -> Card | None:
    """The item next to the version that it is compared with, without replies."""
    here = load(reader, item)
    probe = record_owner(str(here[0]["probe"])) if here else None
    versions = probe.showing.versions(here[0]) if here and probe else None
    there = load(reader, versions.left) if versions else None
    if here is None or there is None or not here[1] or not there[1]:
        return None
    about, other = described(here[0]), described(there[0])
    label, _, names = harmless(about.version).partition(": ")
    return Card(
        trial=item,
        title=other.title.partition(":")[0],
        chat=chat(reader, there[1])[:-1],
        beside=chat(reader, here[1])[:-1],
        headings=(other.version.partition(":")[0], label),
        reading=names,
        reading_label=label,
    )


def _answer_card(reader: RunReader, item: str) -> Card | None:
    """One answer of a conversation, with the message that it answers."""
    trial, _, number = item.rpartition("#")
    record, saved = load(reader, trial) or ({}, [])
    probe = record_owner(str(record.get("probe")))
    turns = probe.showing.turns_of(record, saved) if probe and record else []
    turn = next((one for one in turns if str(one.answered) == number), None)
    if turn is None or turn.reply is None:
        return None
    return Card(
        trial=trial,
        title=harmless(described(record).title),
        chat=[
            Line("user", passage(turn.asked, turn.marked)),
            Line("reply", passage(turn.reply)),
        ],
        reading=(turn.answer or "not read").capitalize(),
        reading_label="Scored as",
    )


def results(reader: RunReader) -> dict[str, list[str]]:
    """Map each sample to sentences about its verdicts so far."""
    sample_of = {question.name: question.sample for question in check_questions()}
    found: dict[str, list[str]] = {}
    for check in run_checks(reader):
        found.setdefault(sample_of[check.name], []).append(check.text)
    return found


def as_typed(text: str) -> str:
    """Normalize the right answer that a reviewer typed.

    A number loses its separators of thousands. Other text stays.
    """
    typed = text.strip()
    plain = typed.replace(" ", "").replace("\u202f", "").removesuffix("%")
    whole, *groups = plain.partition(".")[0].lstrip("+-").split(",")
    if groups and whole.isdigit() and all(len(one) == 3 for one in groups):
        plain = plain.replace(",", "")
    try:
        return plain if math.isfinite(float(plain)) else ""
    except ValueError:
        return typed


def fault_of(key: Key, record: StoredRecord, typed: str) -> str:
    """Say why the typed text cannot be the answer. "" if it can."""
    try:
        if not typed:
            raise ValueError("nothing was typed")
        if key.corrects:
            key.corrects(record, typed)
    except ValueError as error:
        return f"Type the right answer: a number such as 8700000, or a letter ({error})."
    return ""


class Checking:
    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer

    def overview(self, request: Request) -> Response:
        run = request.path_params["run"]
        index = self.viewer.index(run)
        with self.viewer.open(run) as reader:
            own = [sample for probe in probes_of(reader) for sample in probe.showing.samples]
            said, verdicts = results(reader), reader.verdicts()
        listed = [
            (
                sample,
                population(index, sample),
                len({one.item for one in verdicts if one.sample == sample.name and one.verdict}),
                said.get(sample.name, []),
            )
            for sample in own
        ]
        return self.viewer.page(
            "check.html", request, run=run, tab="check", samples=listed, sizes=SIZES, index=index
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
        refused: tuple[str, str, str] | None = None,
    ) -> Response:
        """The page of the next item to judge, or of the requested item.

        `refused` has an item, the text typed for it, and the reason why the text is not accepted.
        """
        index, asked = self.viewer.index(run), request.query_params
        wanted, typed, fault = refused or (text_of(asked, "item"), "", "")
        if wanted and not is_item(index, sample, wanted):
            raise HTTPException(404, "The sample has no such item.")
        listed = items(index, sample, _size(asked, sample))
        with self.viewer.open(run) as reader:
            verdicts = reader.verdicts(withdrawn=True)
            mine = {one.item: one for one in _of(verdicts, sample, who)}
            left = [item for item in listed if item not in mine or not mine[item].verdict]
            item = wanted or _next(listed, left, text_of(asked, "after"))
            shown = card(reader, sample, item) if item else None
            said = results(reader).get(sample.name, [])
        return self.viewer.page(
            "item.html",
            request,
            status=422 if fault else 200,
            run=run,
            tab="check",
            sample=sample,
            population=population(index, sample),
            listed=len(listed),
            done=len(listed) - len(left),
            place=listed.index(item) + 1 if item in listed else 0,
            item=item,
            card=shown,
            results=said,
            mine=mine.get(item),
            undoable=_last(verdicts, sample, who) is not None,
            fault=fault,
            typed=typed,
            size=_size(asked, sample),
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
        value = as_typed(typed) if key.asks else ""
        with self.viewer.open(run) as reader:
            shown = card(reader, sample, item)
            record, _ = load(reader, shown.trial if shown else item) or ({}, [])
        if key.asks and (fault := fault_of(key, record, value)):
            return self._item_page(request, run, sample, who, refused=(item, typed, fault))
        verdict = Verdict(
            reviewer=who,
            sample=sample.name,
            item=item,
            verdict=word,
            value=value,
            reading=shown.reading if shown else "",
        )
        save_verdict(self.viewer.path(run), verdict)
        there = check_url(run, sample.name, n=_size(form, sample), after=item)
        return RedirectResponse(there, 303)

    def undo(self, request: Request, form: FormData) -> Response:
        """Withdraw the reviewer's last verdict on the sample, and show its item again."""
        run, sample = request.path_params["run"], _sample(request)
        n = _size(form, sample)
        with self.viewer.open(run) as reader:
            last = _last(reader.verdicts(), sample, reviewer(request))
        if last is None:
            return RedirectResponse(check_url(run, sample.name, n=n), 303)
        save_verdict(self.viewer.path(run), msgspec.structs.replace(last, verdict="", value=""))
        return RedirectResponse(check_url(run, sample.name, n=n, item=last.item), 303)

    def name(self, request: Request, form: FormData) -> Response:
        response = RedirectResponse(own_page(text_of(form, "back", 2000)), 303)
        if not remember(response, text_of(form, "name", 200)):
            raise HTTPException(422, "Give a name: verdicts are stored under it.")
        return response


def _of(verdicts: Sequence[Verdict], sample: Sample, who: str) -> list[Verdict]:
    return [one for one in verdicts if (one.reviewer, one.sample) == (who, sample.name)]


def _last(verdicts: Sequence[Verdict], sample: Sample, who: str) -> Verdict | None:
    given = [one for one in _of(verdicts, sample, who) if one.verdict]
    return max(given, key=lambda one: one.at, default=None)


def _next(listed: Sequence[str], left: Sequence[str], after: str) -> str:
    """The next item in `left` after the item `after`, or else the first. "" if none is left."""
    later = listed[listed.index(after) + 1 :] if after in listed else []
    return next((one for one in later if one in left), next(iter(left), ""))


def _size(given: Any, sample: Sample) -> int:
    return number_of(text_of(given, "n"), sample.usual, 1, MOST_ITEMS)


def _sample(request: Request) -> Sample:
    sample = samples().get(request.path_params["sample"])
    if sample is None:
        raise HTTPException(404, "There is no such sample.")
    return sample
