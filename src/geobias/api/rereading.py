"""Read a run's stored replies by today's rules, or ask a model about unread replies."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from geobias.errors import BadRequest
from geobias.probes.items import AskedItem
from geobias.probes.plan import Plan
from geobias.probes.predictions import Predictions, Scored
from geobias.probes.questions import OPEN
from geobias.probes.registry import find_probe, given_settings, plan_of
from geobias.reading import VERSION
from geobias.reading.again import READER, Asker, pointing, quoted, says_none, sentence_of
from geobias.runfile import Manifest, RunReader
from geobias.runfile.writing import rewrite
from geobias.running import Options, open_run, run
from geobias.trials import Ask, Record, Reply, Steps, StoredRecord, Trial, replayed


class Reread(NamedTuple):
    """Counts of records after a run was read again by today's rules.

    Only records whose replies are stored are `read_anew`, and some have then `changed`. `unread`
    counts the records that are now unread or cut off.
    """

    records: int
    read_anew: int
    changed: int
    unread: int


def reread(path: Path) -> Reread:
    """Read the stored replies of a run by today's rules and replace its records.

    A reply is found by the digest of its ask. If a trial would ask something else today, its record
    stays unchanged.
    """
    with open_run(path) as run_file:
        manifest = run_file.manifest()
        if manifest.elsewhere is not None:
            raise BadRequest(
                f"the replies of {path} come from {manifest.elsewhere.file}: read them anew with "
                "`geobias score`"
            )
        before = {str(row["trial"]): row for row in run_file.records()}
        rows: list[tuple[StoredRecord, bytes]] = []
        changed = unread = 0
        plans = [
            plan_of(find_probe(name), given_settings(manifest, name)) for name in manifest.probes
        ]
        for trial in chain.from_iterable(plan.trials() for plan in plans):
            old = before.get(trial.name)
            found = _driven(trial, run_file, manifest) if old else None
            if old is None or found is None:
                continue
            record, digests = found
            row = msgspec.structs.asdict(record)
            now = msgspec.to_builtins(row)
            changed += any(now[name] != old[name] for name in now.keys() & old.keys())
            unread += record.outcome in OPEN
            rows.append((row, digests))
    if len(rows) == len(before):
        editions = {name: one for plan in plans for name, one in plan.editions.items()}
        manifest = msgspec.structs.replace(manifest, reading=VERSION, editions=editions)
    rewrite(path, manifest, rows)
    return Reread(len(before), len(rows), changed, unread)


def _driven(trial: Trial, run_file: RunReader, manifest: Manifest) -> tuple[Record, bytes] | None:
    """Return a trial's record from stored replies, or None if one is missing."""
    digests: list[bytes] = []

    def find(ask: Ask, digest: bytes) -> Reply | None:
        saved = run_file.reply(digest)
        reply = saved.as_reply() if saved else None
        # Optional asks, and asks that restate the question or go to a reader, may be missing.
        own = isinstance(ask.about, AskedItem) and ask.about.turn > 1
        again = digests and ask.role in ("model", READER) and not own
        if reply is None and (ask.optional or again):
            reply = Reply("", "unasked")
        digests.extend([reply.digest] if reply else [])
        return reply

    record, _ = replayed(trial, manifest.models, find)
    return (record, b"".join(digests)) if record else None


def pointed_lines(
    lines: Sequence[bytes], scored: Scored, how: Predictions, model: str
) -> list[bytes]:
    """Return the lines with each unread reply replaced by the words that a reader model quotes."""
    left_out = {number for number, _ in scored.left_out}
    used = [place for place, line in enumerate(lines) if line.strip() and place + 1 not in left_out]
    unread = {
        place: told
        for place, told in zip(used, scored.told, strict=True)
        if told.record.outcome in OPEN
    }
    asks = []
    for told in unread.values():
        [(ask, reply)] = told.said
        asks.append(pointing(reply.text, Asker("", ask.dialogue.content, sought=how.sought)))
    found = list(lines)
    for (place, told), said in zip(unread.items(), ask_each(model, asks), strict=True):
        text = told.said[0][1].text
        quote = "none" if says_none(said) else quoted(text, said)
        if quote and how.fits(told.record, sentence_of(text, quote)):
            line = msgspec.json.decode(lines[place])
            found[place] = msgspec.json.encode(line | {"pointed": quote})
    return found


class _Said(Record, frozen=True, kw_only=True):
    text: str


def ask_each(model: str, asks: Sequence[Ask], options: Options | None = None) -> list[str]:
    """Return the model's text in reply to each ask; "" if it gave none."""
    if not asks:
        return []

    def trials() -> Iterator[Trial]:
        for number, ask in enumerate(asks):
            own = msgspec.structs.replace(ask, role="model", optional=False)
            yield Trial(f"read/{number}", partial(_asked, own, f"read/{number}"))

    plan = Plan(
        probe="read", settings={}, count=len(asks), calls=(len(asks), len(asks)), trials=trials
    )
    with tempfile.TemporaryDirectory(prefix="geobias-") as folder:
        path = Path(folder) / "read.geobias"
        run([plan], model, path, options=options)
        with open_run(path) as done:
            said = {str(row["trial"]): str(row["text"]) for row in done.records()}
    return [said.get(f"read/{number}", "") for number in range(len(asks))]


def _asked(ask: Ask, name: str) -> Steps:
    reply = yield ask
    return _Said(trial=name, probe="read", outcome=reply.outcome, text=reply.text)
