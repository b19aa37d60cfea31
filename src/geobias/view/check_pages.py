"""Pages on which people check readings, and the changes they make."""

from __future__ import annotations

import msgspec
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from geobias.results.descriptions import Sample
from geobias.runfile import Verdict, VerdictConflict, save_verdict
from geobias.view import checking, samples
from geobias.view.viewer import Viewer, check_url, number_of, own_page, remember, reviewer, text_of

MOST = 5_000


class Checking:
    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer

    def overview(self, request: Request) -> Response:
        run = request.path_params["run"]
        index = self.viewer.index(run)
        with self.viewer.open(run) as reader:
            read_rates = checking.read_rates(reader)
            tallies = checking.tallies(reader, index)
        return self.viewer.page(
            "check.html",
            request,
            run=run,
            tab="check",
            tallies=tallies,
            read_rates=read_rates,
            sizes=checking.SIZES,
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
        n = number_of(text_of(asked, "n"), sample.usual, 1, MOST)
        wanted = item or text_of(asked, "item")
        if wanted and not samples.is_item(index, sample, wanted):
            raise HTTPException(404, "The sample has no such item.")
        with self.viewer.open(run) as reader:
            verdicts = reader.verdicts(withdrawn=True)
            stands = checking.standing(
                index, verdicts, sample, who, n, item=wanted, after=text_of(asked, "after")
            )
            card = checking.card(reader, sample, stands.item) if stands.item else None
            tally = checking.tally(reader, index, sample, [v for v in verdicts if v.verdict])
        return self.viewer.page(
            "item.html",
            request,
            status=status,
            run=run,
            tab="check",
            sample=sample,
            stands=stands,
            card=card,
            tally=tally,
            mine=stands.mine.get(stands.item),
            undoable=checking.last_given(verdicts, sample.name, who) is not None,
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
        if key is None or not samples.is_item(self.viewer.index(run), sample, item):
            raise HTTPException(404, "The sample has no such item or verdict.")
        typed = text_of(form, "value", 200)
        value = checking.right_value(typed) if key.asks else ""
        if key.asks and not value:
            fault = "Type the right value as a number, such as 8700000 or 45.2."
            return self._item_page(
                request, run, sample, who, status=422, fault=fault, typed=typed, item=item
            )
        with self.viewer.open(run) as reader:
            card = checking.card(reader, sample, item)
        verdict = Verdict(
            reviewer=who,
            sample=sample.name,
            item=item,
            verdict=word,
            value=value,
            reading=card.reading if card else "",
            version=number_of(text_of(form, "version"), 0, 0, 10**8),
        )
        try:
            save_verdict(self.viewer.path(run), verdict)
        except VerdictConflict as conflict:
            return self._conflict(request, run, sample, verdict, conflict.saved)
        n = number_of(text_of(form, "n"), sample.usual, 1, MOST)
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
        n = number_of(text_of(form, "n"), sample.usual, 1, MOST)
        with self.viewer.open(run) as reader:
            last = checking.last_given(reader.verdicts(), sample.name, who)
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
    sample = samples.samples().get(request.path_params["sample"])
    if sample is None:
        raise HTTPException(404, "There is no such sample.")
    return sample
