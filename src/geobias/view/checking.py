"""Checking by hand: samples of trials, a reviewer's place in one, and the pages for it.

A sample that a probe declares (`results.descriptions.Sample`) is the first n of all its trials,
ordered by a hash of their names. This order does not depend on the trials' content and is the same
for every reviewer and machine. A longer sample continues a shorter one. So two people judge the
same trials, and a reviewer can stop and continue later, without stored samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from geobias.probes.registry import all_probes
from geobias.report.checks import check_questions, run_checks
from geobias.report.records import probes_of
from geobias.results.descriptions import Sample
from geobias.runfile import RunReader, Verdict, save_verdict
from geobias.view.index import Index, described
from geobias.view.trial import chat, load
from geobias.view.viewer import Viewer, check_url, number_of, text_of

SIZES = (20, 50, 100, 200, 450, 945)
MOST_ITEMS = 5_000
_FROM = "FROM sampled s JOIN trials t ON t.id = s.id WHERE s.sample = ?"


def samples() -> dict[str, Sample]:
    return {one.name: one for probe in all_probes().values() for one in probe.showing.samples}


def population(index: Index, sample: Sample) -> int:
    return index.number(f"SELECT count(*) {_FROM}", (sample.name,))


def items(index: Index, sample: Sample, n: int) -> list[str]:
    sql = f"SELECT t.trial {_FROM} ORDER BY t.shuffle, t.trial LIMIT ?"
    return [trial for (trial,) in index.rows(sql, (sample.name, n))]


def is_item(index: Index, sample: Sample, item: str) -> bool:
    return bool(index.rows(f"SELECT 1 {_FROM} AND t.trial = ?", (sample.name, item)))


def results(reader: RunReader) -> dict[str, list[str]]:
    questions = check_questions()
    sample_of = {question.name: question.sample for question in questions}
    found: dict[str, list[str]] = {}
    for check in run_checks(reader, questions):
        found.setdefault(sample_of[check.name], []).append(check.text)
    return found


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
                len({one.item for one in verdicts if one.sample == sample.name}),
                said.get(sample.name, []),
            )
            for sample in own
        ]
        return self.viewer.page(
            "check.html", request, run=run, tab="check", samples=listed, sizes=SIZES, index=index
        )

    def sample(self, request: Request) -> Response:
        """The page of the next item to judge, or of the requested item.

        It shows nothing that could sway the verdict.
        """
        run, sample, asked = request.path_params["run"], _sample(request), request.query_params
        index, wanted, after = (
            self.viewer.index(run),
            text_of(asked, "item"),
            text_of(asked, "after"),
        )
        if wanted and not is_item(index, sample, wanted):
            raise HTTPException(404, "The sample has no such item.")
        listed = items(index, sample, _size(asked, sample))
        with self.viewer.open(run) as reader:
            mine = {
                one.item: one
                for one in reader.verdicts()
                if (one.reviewer, one.sample) == (self.viewer.reviewer, sample.name)
            }
            left = [item for item in listed if item not in mine]
            item = wanted or _next(listed, left, after)
            record, saved = load(reader, item)
            said = results(reader).get(sample.name, [])
            lines = chat(reader, saved, described(record).marked)[-2:] if saved else []
        return self.viewer.page(
            "item.html",
            request,
            run=run,
            tab="check",
            sample=sample,
            population=population(index, sample),
            listed=len(listed),
            done=len(listed) - len(left),
            place=listed.index(item) + 1 if item in listed else 0,
            item=item,
            about=described(record) if saved else None,
            chat=lines,
            results=said,
            mine=mine.get(item),
            last=after if after in mine else "",
            size=_size(asked, sample),
        )

    def judge(self, request: Request, form: FormData) -> Response:
        run, sample = request.path_params["run"], _sample(request)
        item, word = text_of(form, "item"), text_of(form, "verdict", 40)
        key = next((one for one in sample.keys if one.verdict == word), None)
        if key is None or not is_item(self.viewer.index(run), sample, item):
            raise HTTPException(404, "The sample has no such item or verdict.")
        typed = text_of(form, "value", 200).strip() if key.asks else ""
        with self.viewer.open(run) as reader:
            record, _ = load(reader, item)
        if key.asks and key.corrects:
            try:
                key.corrects(record, typed)
            except ValueError as error:
                words = f"Type the right answer: a number such as 8700000, or a letter ({error})."
                raise HTTPException(422, words) from None
        verdict = Verdict(
            reviewer=self.viewer.reviewer,
            sample=sample.name,
            item=item,
            verdict=word,
            value=typed,
            reading=described(record).reading,
        )
        save_verdict(self.viewer.path(run), verdict)
        there = check_url(run, sample.name, n=_size(form, sample), after=item)
        return RedirectResponse(there, 303)


def _next(listed: Sequence[str], left: Sequence[str], after: str) -> str:
    """The next item in `left` after the item `after`, or else the first. "" if none is left."""
    later = listed[listed.index(after) + 1 :] if after in listed else []
    return next((one for one in later if one in left), next(iter(left), ""))


def _size(given: Mapping[str, object], sample: Sample) -> int:
    return number_of(text_of(given, "n"), sample.usual, 1, MOST_ITEMS)


def _sample(request: Request) -> Sample:
    sample = samples().get(request.path_params["sample"])
    if sample is None:
        raise HTTPException(404, "There is no such sample.")
    return sample
