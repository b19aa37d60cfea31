"""A few of the replies about every economy, for the page's country profiles.

A page cannot hold a hundred thousand replies. It shows some for each economy, of different kinds
first (one for each indicator, template or type of entity), says how many there are, and how to see
all of them: `geobias replies RUN --country KEN`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.atlas.indicators import indicators
from geobias.report.page.said import figure, number
from geobias.report.page.text import readable
from geobias.runfile.reading import split_digests

if TYPE_CHECKING:
    from geobias.runfile import RunReader

MOST = {"worldbench": 11, "namebbq": 6, "geo20q": 3}
"""Replies (or games) of one probe about one economy, of one model."""
LETTERS = 420
"""Of a question or a reply; BBQ's longest stories have about 400."""
TURNS = 20
"""Of a game."""
_KINDS = {
    "worldbench": "json_extract(record, '$.indicator')",
    "namebbq": "json_extract(record, '$.template') || json_extract(record, '$.dataset') "
    "|| json_extract(record, '$.condition')",
    "geo20q": "json_extract(record, '$.type') || json_extract(record, '$.language')",
}


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
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


class Told(msgspec.Struct, frozen=True):
    """What a page tells of one economy: replies by way of example, and how many there are."""

    shown: list[Shown]
    counts: list[tuple[int, str, int]]
    """Model, probe, number of trials."""


def replies(runs: Sequence[tuple[RunReader, int]]) -> dict[str, Told]:
    """Examples for each economy; runs come with the place of their model in the report."""
    shown: dict[str, list[Shown]] = {}
    counts: dict[str, list[tuple[int, str, int]]] = {}
    for run, model in runs:
        for probe in run.manifest().probes:
            if probe not in MOST:
                continue
            for country, n in run.query(
                "SELECT country, count(*) FROM records WHERE probe = ? AND country <> ''"
                " GROUP BY country",
                (probe,),
            ):
                counts.setdefault(country, []).append((model, probe, n))
            for country, one in _examples(run, probe, model):
                shown.setdefault(country, []).append(one)
    return {iso3: Told(shown.get(iso3, []), counts[iso3]) for iso3 in counts}


def _examples(run: RunReader, probe: str, model: int) -> list[tuple[str, Shown]]:
    """The first trial of each kind about each economy, then the second …, up to the limit."""
    rows = run.query(
        "SELECT country, record, replies FROM ("  # noqa: S608
        "  SELECT country, record, replies, row_number() OVER (PARTITION BY country"
        "    ORDER BY k, id) AS place FROM ("
        f"    SELECT id, country, record, replies, row_number() OVER (PARTITION BY country, "
        f"      {_KINDS[probe]} ORDER BY json_extract(record, '$.repeat'), id) AS k"
        "    FROM records WHERE probe = ? AND country <> ''))"
        " WHERE place <= ? ORDER BY country, place",
        (probe, MOST[probe]),
    )
    found = []
    for country, text, digests in rows:
        record = msgspec.json.decode(text)
        made = _shown(run, probe, model, record, split_digests(digests))
        if made is not None:
            found.append((country, made))
    return found


def _shown(
    run: RunReader, probe: str, model: int, record: Mapping[str, Any], digests: list[bytes]
) -> Shown | None:
    if probe == "geo20q":
        return _game(run, model, record, digests)
    last = run.reply(digests[-1]) if digests else None
    if last is None:
        return None
    title, verdict = (_worldbench if probe == "worldbench" else _namebbq)(record)
    return Shown(
        model,
        probe,
        readable(title, 120),
        readable(verdict, 200),
        readable(last.question(), LETTERS),
        readable(last.text, LETTERS) or f"[{last.outcome}]",
    )


def _worldbench(record: Mapping[str, Any]) -> tuple[str, str]:
    known = indicators().get(record["indicator"])
    title = known.label if known else record["indicator"]
    if record.get("value") is None:
        return title, f"{record['outcome']} · figure {figure(record['truth'])}"
    return title, (
        f"read as {figure(record['value'])} · figure {figure(record['truth'])} · "
        f"error {number(record['error'])}"
    )


def _namebbq(record: Mapping[str, Any]) -> tuple[str, str]:
    context = "nobody can know" if record["condition"] == "ambig" else "the text says"
    about = record["nationality"] if record["dataset"] == "nationality" else record["name"]
    if record.get("answer") is None:
        verdict = record["outcome"]
    else:
        verdict = "right" if record["correct"] else "wrong"
        if record["stereotyped"] is not None:
            verdict += ", follows the stereotype" if record["stereotyped"] else ", against it"
    return f"{about} · {record['social_value'] or record['template']} · {context}", verdict


def _game(run: RunReader, model: int, record: Mapping[str, Any], digests: list[bytes]) -> Shown:
    """The first turns: what the guesser asked, and the judge's last word on it."""
    turns: list[tuple[str, str]] = []
    for digest in digests:
        reply = run.reply(digest)
        if reply is None:
            continue
        if reply.role == "judge":
            if turns:
                turns[-1] = (turns[-1][0], readable(reply.text, 60))
        elif len(turns) == TURNS:
            break
        else:
            turns.append((readable(reply.text, 160), ""))
    rules = run.manifest().probes.get("geo20q", {})
    limits = {"canonical": rules.get("turns", 20), "unlimited": rules.get("most_turns", 150)}
    ends = [
        f"{limit} turns: {record[setting].replace('_', ' ')} at turn "
        f"{record.get(f'{setting}_turns')}"
        for setting, limit in limits.items()
        if record.get(setting)
    ]
    last = max(record.get("canonical_turns") or 0, record.get("unlimited_turns") or 0)
    return Shown(
        model,
        "geo20q",
        readable(f"{record['name']} · {record['category'] or record['type']}", 120),
        readable(" · ".join(ends) or record["outcome"], 120),
        turns=turns,
        more=max(0, last - len(turns)),
    )


def fitted(told: Mapping[str, Told], most: int) -> dict[str, Told]:
    """As many as fit into `most` bytes, each economy with the same room, in turn from each model
    and probe."""
    share = most // max(1, len(told))
    return {iso3: Told(_within(one.shown, share), one.counts) for iso3, one in told.items()}


def _within(shown: list[Shown], room: int) -> list[Shown]:
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
