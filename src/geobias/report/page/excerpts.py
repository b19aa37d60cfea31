"""A few of the replies about every economy, for the page's country profiles.

A page cannot hold a hundred thousand replies. It shows some for each economy, of different kinds
first (the probe says which), says how many there are, and how to see all of them:
`geobias replies RUN --country KEN`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.probes.registry import AnyProbe
from geobias.report.page.text import readable
from geobias.report.records import probes_of
from geobias.runfile.reading import split_digests

if TYPE_CHECKING:
    from geobias.runfile import RunReader

LETTERS = 420
"""Of a question or a reply; BBQ's longest stories have about 400."""
TURNS = 20
"""Of a game."""
WHOLE = 1_500
"""Letters of the one question by which a chapter begins."""
LOOKED_AT, FEW = 5_000, 20
"""Trials among which a typical one is looked for, and those tried until one has a reply."""


class Excerpt(msgspec.Struct, frozen=True, omit_defaults=True):
    """A reply as the page shows it. `turns` are a game's: question and answer."""

    model: int
    probe: str
    title: str
    verdict: str
    asked: str = ""
    said: str = ""
    turns: list[tuple[str, str]] = []
    more: int = 0
    """Turns that were left out."""


class CountryExcerpts(msgspec.Struct, frozen=True):
    """What a page tells of one economy: replies by way of example, and how many there are."""

    shown: list[Excerpt]
    counts: list[tuple[int, str, int]]
    """Model, probe, number of trials."""


def country_excerpts(runs: Sequence[tuple[RunReader, int]]) -> dict[str, CountryExcerpts]:
    """Examples for each economy; runs come with the place of their model in the report."""
    shown: dict[str, list[Excerpt]] = {}
    counts: dict[str, list[tuple[int, str, int]]] = {}
    # A run that stands for several models is read once.
    found = {
        run: [(probe.name, *_told(run, probe)) for probe in probes_of(run)]
        for run in dict.fromkeys(run for run, _ in runs)
    }
    for run, model in runs:
        for probe, trials, excerpts in found[run]:
            for country, n in trials:
                counts.setdefault(country, []).append((model, probe, n))
            for country, excerpt in excerpts:
                of_model = msgspec.structs.replace(excerpt, model=model)
                shown.setdefault(country, []).append(of_model)
    return {iso3: CountryExcerpts(shown.get(iso3, []), counts[iso3]) for iso3 in counts}


def _told(run: RunReader, probe: AnyProbe) -> tuple[list[Any], list[tuple[str, Excerpt]]]:
    """How many trials there are about each economy, and some of them."""
    trials = run.query(
        "SELECT country, count(*) FROM records WHERE probe = ? AND country <> '' GROUP BY country",
        (probe.name,),
    )
    return list(trials), list(_examples(run, probe))


def _examples(run: RunReader, probe: AnyProbe) -> Iterator[tuple[str, Excerpt]]:
    """The first trial of each kind about each economy, then the second …, up to the limit."""
    kind = " || ".join(f"json_extract(record, '$.{name}')" for name in probe.excerpt_by) or "''"
    rows = run.query(
        "SELECT country, record, replies FROM ("  # noqa: S608
        "  SELECT country, record, replies, row_number() OVER (PARTITION BY country"
        "    ORDER BY k, id) AS place FROM ("
        f"    SELECT id, country, record, replies, row_number() OVER (PARTITION BY country, "
        f"      {kind} ORDER BY json_extract(record, '$.repeat'), id) AS k"
        "    FROM records WHERE probe = ? AND country <> ''))"
        " WHERE place <= ? ORDER BY country, place",
        (probe.name, probe.excerpts),
    )
    for country, text, replies in rows:
        excerpt = _excerpt(run, probe, run.decoded(text, dict[str, Any]), replies)
        if excerpt is not None:
            yield country, excerpt


def _excerpt(
    run: RunReader,
    probe: AnyProbe,
    record: dict[str, Any],
    replies: bytes,
    letters: int = LETTERS,
) -> Excerpt | None:
    """A trial with what was asked and said, of the first model; None where no reply is left."""
    about, digests = probe.describe(record), split_digests(replies)
    verdict = readable(about.read or str(record["outcome"]), 200)
    excerpt = partial(Excerpt, 0, probe.name, readable(about.title, 120), verdict)
    if probe.in_turns:
        turns = _turns(run, digests)
        return excerpt(turns=turns, more=max(0, about.turns - len(turns)))
    last = run.reply(digests[-1]) if digests else None
    if last is None:
        return None
    answer = readable(last.text, letters) or f"[{last.outcome}]"
    return excerpt(readable(last.question(), letters), answer)


def typical_excerpt(run: RunReader, probe: AnyProbe) -> Excerpt | None:
    """One trial to begin with: the one whose number is nearest to the median of the first ones, so
    that it is neither the best nor the worst; the first one where trials have no numbers."""
    rows = [
        (run.decoded(text, dict[str, Any]), replies)
        for text, replies in run.query(
            "SELECT record, replies FROM records WHERE probe = ? ORDER BY trial LIMIT ?",
            (probe.name, LOOKED_AT),
        )
    ]
    numbers = [probe.number(record) for record, _ in rows]
    known = sorted(number for number in numbers if number is not None)
    if known:
        middle = known[len(known) // 2]
        paired = zip(rows, numbers, strict=True)
        far = [
            (abs(number - middle), i) for i, (_, number) in enumerate(paired) if number is not None
        ]
        rows = [rows[i] for _, i in sorted(far)]
    found = (_excerpt(run, probe, *row, letters=WHOLE) for row in rows[:FEW])
    return next((one for one in found if one is not None), None)


def _turns(run: RunReader, digests: list[bytes]) -> list[tuple[str, str]]:
    """The first turns of a conversation: what was asked, and the other side's last word on it."""
    turns: list[tuple[str, str]] = []
    asking = ""
    for digest in digests:
        reply = run.reply(digest)
        if reply is None:
            continue
        asking = asking or reply.role
        if reply.role != asking:
            turns[-1] = (turns[-1][0], readable(reply.text, 60))
        elif len(turns) == TURNS:
            break
        else:
            turns.append((readable(reply.text, 160), ""))
    return turns


def trim_to_bytes(excerpts: Mapping[str, CountryExcerpts], most: int) -> dict[str, CountryExcerpts]:
    """As many as fit into `most` bytes, each economy with the same room, in turn from each model
    and probe."""
    room = most // max(1, len(excerpts))
    return {
        iso3: CountryExcerpts(_within(one.shown, room), one.counts)
        for iso3, one in excerpts.items()
    }


def _within(shown: list[Excerpt], room: int) -> list[Excerpt]:
    sizes = [len(msgspec.json.encode(one)) + 1 for one in shown]
    if sum(sizes) <= room:
        return shown
    queues: dict[tuple[int, str], list[int]] = {}
    for i, one in enumerate(shown):
        queues.setdefault((one.model, one.probe), []).append(i)
    taken = []
    for i in (i for layer in zip_longest(*queues.values()) for i in layer if i is not None):
        if sizes[i] <= room:
            room -= sizes[i]
            taken.append(i)
    return [shown[i] for i in sorted(taken)]
