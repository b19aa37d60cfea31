"""Where a reviewer stands in a sample, what the next item shows, and what came out of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from geobias.probes.registry import record_owner
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
from geobias.runfile import RunReader, Verdict
from geobias.stats.estimates import rate
from geobias.view import samples
from geobias.view.index import Index
from geobias.view.passages import passage, safe
from geobias.view.rows import described
from geobias.view.trial import Line, chat, load, side_by_side

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
    listed = samples.items(index, sample, n)
    mine = {
        one.item: one for one in verdicts if (one.reviewer, one.sample) == (reviewer, sample.name)
    }
    open_items = [one for one in listed if not (one in mine and mine[one].verdict)]
    chosen = item
    if not chosen:
        later = listed[listed.index(after) + 1 :] if after in listed else []
        chosen = next((one for one in later if one in open_items), next(iter(open_items), ""))
    return Standing(
        population=samples.population(index, sample),
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
    versions = probe.versions(here[0]) if here and probe else None
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
    turns = probe.turns(record, saved) if probe else []
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
        read = rate(outcomes.get(probe.read_as.read, 0), sum(outcomes.values()))
        if any(sample.shows == "reply" for sample in probe.samples) and outcomes:
            rows.append((probe.title, percent(read), read.n))
    return rows


def tallies(reader: RunReader, index: Index) -> list[Tally]:
    verdicts = reader.verdicts()
    return [
        tally(reader, index, sample, verdicts)
        for probe in probes_of(reader)
        for sample in probe.samples
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
