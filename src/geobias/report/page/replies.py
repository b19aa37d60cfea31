"""A few of the replies about every economy, for the page's country profiles.

A page cannot hold a hundred thousand replies. It shows some for each economy, of different kinds
first (one for each indicator, template or type of entity), says how many there are, and how to see
all of them: `geobias replies RUN --country KEN`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.atlas.indicators import indicators
from geobias.report.page.said import number
from geobias.report.page.text import readable, script_json

if TYPE_CHECKING:
    from geobias.runfile import RunReader

MOST = {"worldbench": 11, "namebbq": 6, "geo20q": 3}
"""Replies (or games) of one probe about one economy, of one model."""
LETTERS = 420
"""Of a question or a reply; BBQ's longest stories have about 400."""
TURNS = 40
"""Of a game: twenty questions and their answers."""
DIGEST = 16
"""Bytes, as the run file's schema says."""
_KINDS = {
    "worldbench": "json_extract(record, '$.indicator')",
    "namebbq": "json_extract(record, '$.template') || json_extract(record, '$.dataset') "
    "|| json_extract(record, '$.condition')",
    "geo20q": "json_extract(record, '$.type') || json_extract(record, '$.language')",
}


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    """A reply as the page shows it. `turns` are a game's: question and answer in turn."""

    model: int
    probe: str
    title: str
    verdict: str
    asked: str = ""
    said: str = ""
    turns: list[str] = []
    more: int = 0
    """Turns that were left out."""


class Told(msgspec.Struct, frozen=True):
    """What a page tells of one economy: replies by way of example, and how many there are."""

    shown: list[Shown]
    counts: list[tuple[int, str, int]]
    """Model, probe, number of trials."""


def replies(runs: Sequence[tuple[RunReader, int]], room: int) -> dict[str, Told]:
    """Examples for each economy, in `room` bytes of JSON at most.

    Runs come with the place of their model in the report.
    """
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
    fitting = _fitted(shown, room)
    return {iso3: Told(fitting.get(iso3, []), counts[iso3]) for iso3 in counts}


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
        made = _shown(
            run,
            probe,
            model,
            record,
            [digests[i : i + DIGEST] for i in range(0, len(digests), DIGEST)],
        )
        if made is not None:
            found.append((country, made))
    return found


def _shown(
    run: RunReader, probe: str, model: int, record: Mapping[str, Any], digests: list[bytes]
) -> Shown | None:
    saved = [reply for digest in digests if (reply := run.reply(digest)) is not None]
    if not saved:
        return None
    if probe == "geo20q":
        return _game(model, record, saved)
    title, verdict = (_worldbench if probe == "worldbench" else _namebbq)(record)
    last = saved[-1]
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
        return title, f"{record['outcome']} · figure {_figure(record['truth'])}"
    return title, (
        f"read as {_figure(record['value'])} · figure {_figure(record['truth'])} · "
        f"error {number(record['error'])}"
    )


def _figure(value: float) -> str:
    """A figure in as many digits as a reader wants: people and dollars whole, shares with four."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


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


def _game(model: int, record: Mapping[str, Any], saved: Sequence[Any]) -> Shown:
    """Guesser and judge in turn; the judge may not be asked at the last turn."""
    turns = [
        readable(reply.text, 160) for reply in saved if reply.role in ("guesser", "judge", "model")
    ]
    ending = record.get("canonical") or record.get("unlimited") or record["outcome"]
    return Shown(
        model,
        "geo20q",
        readable(f"{record['name']} · {record['type']} · {record['language']}", 120),
        readable(str(ending).replace("_", " "), 60),
        turns=turns[:TURNS],
        more=max(0, len(turns) - TURNS),
    )


def _fitted(shown: dict[str, list[Shown]], room: int) -> dict[str, list[Shown]]:
    """As many as fit, each economy with the same room, in turn from each model and probe."""
    sizes = {iso3: [len(script_json(one)) + 1 for one in found] for iso3, found in shown.items()}
    share = room // max(1, len(shown))
    if sum(map(sum, sizes.values())) <= room:
        return shown
    kept: dict[str, list[Shown]] = {}
    for iso3, found in shown.items():
        left = share
        queues: dict[tuple[int, str], list[int]] = {}
        for i, one in enumerate(found):
            queues.setdefault((one.model, one.probe), []).append(i)
        taken = []
        while any(queues.values()):
            for queue in queues.values():
                if queue:
                    i = queue.pop(0)
                    if sizes[iso3][i] <= left:
                        left -= sizes[iso3][i]
                        taken.append(i)
        kept[iso3] = [found[i] for i in sorted(taken)]
    return kept
