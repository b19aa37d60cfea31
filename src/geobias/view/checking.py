"""Where a reviewer stands in a sample, what the next item shows, and what came out of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.report.checks import QUESTIONS, agreements, completeness, of_sample, percent, share
from geobias.runfile import Verdict
from geobias.stats import Estimate, rate
from geobias.view import game, rows, samples
from geobias.view.passages import safe
from geobias.view.samples import SAMPLES, Sample
from geobias.view.trial import Line, chat, load, side_by_side

if TYPE_CHECKING:
    from geobias.runfile import RunReader
    from geobias.view.index import Index

SIZES = (20, 50, 100, 200, 450, 945)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One reviewer in one sample. `item` is the one to judge next; "" when all are done."""

    sample: Sample
    n: int
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
    listed = samples.items(index, sample, n)
    mine = {
        one.item: one for one in verdicts if (one.reviewer, one.sample) == (reviewer, sample.name)
    }
    open_items = [one for one in listed if not (one in mine and mine[one].verdict)]
    chosen = item
    if not chosen:
        later = listed[listed.index(after) + 1 :] if after in listed else []
        rest = [one for one in later if one in set(open_items)]
        chosen = next(iter(rest or open_items), "")
    return Standing(
        sample=sample,
        n=n,
        population=samples.population(index, sample),
        items=listed,
        done=len(listed) - len(open_items),
        item=chosen,
        place=listed.index(chosen) + 1 if chosen in listed else 0,
        mine=mine,
    )


def last_given(verdicts: Sequence[Verdict], sample: str, reviewer: str) -> Verdict | None:
    """The reviewer's newest verdict on a sample that still stands."""
    own = [
        one for one in verdicts if one.verdict and (one.reviewer, one.sample) == (reviewer, sample)
    ]
    return max(own, key=lambda one: one.at, default=None)


def card(reader: RunReader, sample: Sample, item: str) -> Card | None:
    """An item to be judged; None where the run does not have it."""
    if sample.name == "geo20q.judge":
        return _judge_card(reader, item)
    found = load(reader, item)
    if found is None or not found[1]:
        return None
    record, saved = found
    if sample.name == "namebbq.names":
        return _names_card(reader, item, record)
    span = (record.get("span_start"), record.get("span_end"))
    value = record.get("value")
    return Card(
        trial=item,
        title=rows.row(record).title,
        chat=chat(reader, saved[-1], span)[-2:],
        reading="" if value is None else rows.exact(value),
        reading_label="Read as" if value is not None else "",
    )


def _names_card(reader: RunReader, item: str, record: Mapping[str, Any]) -> Card | None:
    plain = f"namebbq/{record['item']}/nationality/{record['repeat']}"
    here, there = load(reader, item), load(reader, plain)
    if here is None or there is None or not here[1] or not there[1]:
        return None
    left, right = side_by_side(chat(reader, there[1][-1]), chat(reader, here[1][-1]))
    names = f"{record.get('name')}, {record.get('other_name')}"
    return Card(
        trial=item,
        title=f"{record.get('nationality')} and {record.get('other_nationality')}",
        chat=left[:-1],
        beside=right[:-1],
        reading=safe(names),
        reading_label="Names",
    )


def _judge_card(reader: RunReader, item: str) -> Card | None:
    trial, _, number = item.rpartition("#")
    found = load(reader, trial)
    if found is None or not number.isdecimal() or len(number) > 9:
        return None
    record, saved = found
    turn = next(
        (one for one in game.turns(record, saved) if one.judged == int(number)),
        None,
    )
    if turn is None or turn.reply is None:
        return None
    kind = f"{record.get('category')}, {rows.place(str(record.get('country')))}"
    return Card(
        trial=trial,
        title=safe(f"{record.get('name')} ({kind})"),
        chat=[Line("guesser", turn.asked), Line("judge", turn.reply, turn.reply_digest)],
        reading=game.TOLD[turn.answer or ""],
        reading_label="Read as",
    )


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """What a sample has shown so far, for its page and the overview."""

    sample: Sample
    population: int
    judged: int
    counts: list[tuple[str, list[tuple[str, int]]]]
    shares: list[tuple[str, str, int]]
    agreements: list[tuple[str, str, str, str]]
    disputed: int


def read_rate(reader: RunReader) -> Estimate | None:
    """The first part of the validation: the share of replies that a number was read from."""
    outcomes = reader.done().get("worldbench")
    if not outcomes:
        return None
    return rate(outcomes.get("parsed", 0), sum(outcomes.values()))


def tallies(reader: RunReader, index: Index, probes: Sequence[str]) -> list[Tally]:
    """Every sample of the run's probes."""
    verdicts = reader.verdicts()
    return [
        tally(reader, index, sample, verdicts)
        for sample in SAMPLES.values()
        if sample.probe in probes
    ]


def tally(reader: RunReader, index: Index, sample: Sample, verdicts: Sequence[Verdict]) -> Tally:
    """One sample's results."""
    own = of_sample(verdicts, sample.name)
    shares, disputed = [], 0
    for question in QUESTIONS:
        if question.sample == sample.name:
            found, disputed = share(own, question.right)
            shares.append((question.label, percent(found), found.n))
    if sample.name == "worldbench.unparsed":
        whole = completeness(reader, verdicts)
        if whole is not None:
            label = "Completeness: replies with a number that it was read from"
            shares.append((label, percent(whole), whole.n))
    every = [one for one in verdicts if one.sample == sample.name and one.verdict]
    counts = []
    for reviewer in sorted({one.reviewer for one in every}):
        words = [one.verdict for one in every if one.reviewer == reviewer]
        counts.append((reviewer, [(key.label, words.count(key.verdict)) for key in sample.keys]))
    return Tally(
        sample=sample,
        population=samples.population(index, sample),
        judged=len({one.item for one in every}),
        counts=counts,
        shares=shares,
        agreements=[
            (
                pair.one,
                pair.other,
                _kappa(pair.kappa),
                f"the same word on {pair.same:,} of {pair.kappa.n:,}",
            )
            for pair in agreements(own)
        ],
        disputed=disputed,
    )


def _kappa(found: Estimate) -> str:
    if found.value is None:
        return f"undefined: {found.reason}"
    if found.low is None or found.high is None:
        return f"{found.value:.2f}"
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def right_value(text: str) -> str:
    """A value as a reviewer types it, or "" if it is no number."""
    plain = text.strip().replace(",", "").replace(" ", "").replace("\u202f", "").removesuffix("%")
    try:
        number = float(plain)
    except ValueError:
        return ""
    return plain if math.isfinite(number) and len(plain) < 60 else ""
