"""`geobias show`, `geobias replies`, `geobias export`: look into a run file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from geobias.atlas.economies import economy
from geobias.cli.options import FILE, JSON, RUN, open_run
from geobias.cli.summary import print_spending
from geobias.cli.terminal import check_suffix, print_json, wrapped, write_frame
from geobias.errors import BadRequest, unknown
from geobias.probes.questions import OUTCOMES, outcome_words
from geobias.probes.registry import record_owner, record_titles
from geobias.results.formatting import counted, one_line, printable, settings_text
from geobias.runfile import Manifest, RunReader, SavedReply
from geobias.trials import StoredRecord
from geobias.trials.dialogue import Message

SYNONYMS = {**OUTCOMES, "answered": "read", "unscored": "unread"}
"""Word for an outcome in reports → the outcome that it stands for."""


@click.command()
@RUN
@JSON
def show(run: Path, as_json: bool) -> None:
    """Show what a run asked, how far it got, and what it cost.

    \b
    geobias show geobias-runs/run.geobias
    """
    with open_run(run) as reader:
        facts = _facts(reader)
        if as_json:
            print_json(facts)
        else:
            _print_facts(reader, facts)


def _facts(reader: RunReader) -> dict[str, Any]:
    manifest = reader.manifest()
    done = reader.done()
    return {
        "file": str(reader.path),
        "bytes": reader.path.stat().st_size,
        "manifest": msgspec.to_builtins(manifest),
        "answered_as": reader.models_answered(),
        "planned": manifest.planned,
        "done": manifest.done(done),
        "outcomes": done,
        "spent": msgspec.to_builtins(reader.spent()),
        "reused": reader.reused(),
        "failed_attempts": reader.failed_attempts(),
        "sessions": msgspec.to_builtins(reader.sessions()),
        "batches": msgspec.to_builtins(reader.batches()),
        "waiting_in_files": reader.waiting_in_files(),
    }


def _print_facts(reader: RunReader, facts: dict[str, Any]) -> None:
    manifest = reader.manifest()

    def line(head: str, text: str) -> None:
        for part in wrapped(f"{one_line(head):<{_HEAD - 1}} ", one_line(text)):
            click.echo(part)

    for head, text in _models(manifest, facts["answered_as"]):
        line(head, text)
    titles = record_titles()
    for name, planned in manifest.planned.items():
        probe = record_owner(name)
        done, counts = facts["done"][name], facts["outcomes"].get(name, {})
        word = outcome_words if probe else str
        outcomes = ", ".join(f"{n:,} {word(outcome)}" for outcome, n in counts.items())
        unit = probe.showing.counted if probe and name == probe.name else "trials"
        line(titles.get(name, name), f"{done:,} of {planned:,} {unit}: {outcomes}")
        settings = manifest.probes.get(name, {})
        if said := settings_text({key: value for key, value in settings.items() if value}):
            line("", said)
    if manifest.elsewhere:
        line("Replies", manifest.elsewhere.in_words())
    print_spending(reader)
    if failed := facts["failed_attempts"]:
        kinds = one_line(", ".join(f"{n:,} {kind}" for kind, n in failed.items()))
        total = sum(failed.values())
        line("Failed", f"{counted(total, 'attempts')} more failed and may be billed: {kinds}")
    for one in reader.batches():
        if one.state not in ("files", "reused"):
            line("Batch", f"{one.batch or 'not confirmed'}, {one.state}")
    for file, count in reader.reused().items():
        line("Taken", f"{count:,} replies, from {file}")
    for file, count in reader.waiting_in_files().items():
        line("Waits for", f"{count:,} results, of {file}")
    for number, session in enumerate(reader.sessions(), start=1):
        began = datetime.fromtimestamp(session.started, UTC).strftime("%Y-%m-%d %H:%M UTC")
        length = f"{session.ended - session.started:,.0f} s" if session.ended else "not ended"
        counts = ", ".join(f"{n:,} {word}" for word, n in session.counts.items() if n)
        line(f"Session {number}", ": ".join(filter(None, (f"{began}, {length}", counts))))
    line("Made by", f"geobias {manifest.geobias}, {manifest.created}")
    if manifest.command:
        line("", manifest.command)


def _models(manifest: Manifest, answered_as: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield each role and its model, and then how the model is asked."""
    for role, model in manifest.models.items():
        answered = ", ".join(answered_as.get(role, []))
        alias = f" (answered as {answered})" if answered and answered != model else ""
        yield role.capitalize(), model + alias
        if role in manifest.by_text:
            yield "", "asked by text"
        asked = {
            "served as" if name == "model" else name: value
            for name, value in manifest.asked.get(role, {}).items()
        }
        if asked:
            yield "", settings_text(asked)


_HEAD = 14


@click.command()
@RUN
@click.option("--country", help="ISO-3 code or name of a country.")
@click.option("--probe", help="Only this probe.")
@click.option("--role", help="Only replies of this role (guesser, judge …).")
@click.option("--outcome", help="Only trials with this outcome: read, unscored, declined …")
@click.option("--trial", help="Only this trial.")
@click.option(
    "--grep", "pattern", help="Only replies that match this pattern, or whose question does."
)
@click.option("--dialogue", is_flag=True, help="Show the whole dialogue before each reply.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Maximum replies to print.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def replies(
    run: Path, pattern: str | None, dialogue: bool, limit: int, as_json: bool, **filters: str | None
) -> None:
    """Read what the model actually said.

    \b
    geobias replies RUN --country Kenya
    geobias replies RUN --outcome unscored --limit 200
    geobias replies RUN --role guesser --grep 'Africa' --dialogue
    """
    try:
        wanted = re.compile(pattern, re.I) if pattern else None
    except re.error as error:
        raise BadRequest(f"--grep {pattern!r} is not a regular expression: {error}") from None
    shown, last = 0, None
    with open_run(run) as reader:
        for trial, reply in _chosen_replies(reader, filters):
            if wanted and not any(map(wanted.search, (reply.text, reply.question()))):
                continue
            if shown == limit:
                click.echo(f"… more than {limit}; raise --limit to see them", err=True)
                break
            shown += 1
            if trial != last and not as_json:
                _print_trial(reader, trial)
            last = trial
            transcript = reader.transcript(reply) if dialogue else []
            if as_json:
                row = msgspec.to_builtins(reply) | {"trial": trial}
                del row["digest"], row["parent"], row["opening"]
                if dialogue:
                    row["dialogue"] = [list(message) for message in transcript]
                print_json(row)
            else:
                _print_reply(reply, transcript)
        if not shown:
            done = reader.done().values()
            outcomes = dict.fromkeys(outcome_words(one) for counts in done for one in counts)
            there = ", ".join(map(one_line, outcomes))
            also = f"; the outcomes in this run: {there}" if filters["outcome"] and there else ""
            click.echo(f"no such replies{also}", err=True)


def _print_trial(run: RunReader, trial: str) -> None:
    """Print a trial's subject, its figure or right answer, and what was read from its reply."""
    rows = run.query("SELECT probe, record FROM records WHERE trial = ?", (trial,))
    name, record = next(iter(rows), ("", ""))
    click.echo(click.style(one_line(trial or "(trial not finished)"), bold=True))
    if probe := record_owner(name):
        about = probe.showing.describe(run.decoded(record, StoredRecord))
        click.echo(f"  {one_line(about.title)}. Read as: {one_line(about.read) or 'no answer'}.")


def _print_reply(reply: SavedReply, transcript: list[Message]) -> None:
    """Print a reply after its question, or after the whole dialogue if `transcript` has one."""
    before = [f"{one_line(one.role)}: {_indented(one.content)}" for one in transcript[:-1]]
    for text in before if transcript else [_indented(reply.question())]:
        click.echo(click.style(f"  {text}", dim=True))
    mark = "" if reply.outcome == "ok" else f"[{one_line(reply.outcome)}] "
    click.echo(f"  {one_line(reply.role)}: {mark}{_indented(reply.text)}")


def _indented(text: str) -> str:
    return printable(text).replace("\n", "\n  ")


@click.command()
@RUN
@click.option(
    "--to", "out", type=FILE, required=True, help="The file to write: x.parquet, x.csv or x.jsonl."
)
@click.option("--probe", help="Only this probe's records.")
@click.option("--replies", "of_replies", is_flag=True, help="Write replies instead of records.")
@click.option(
    "--verdicts", is_flag=True, help="Write reviewers' verdicts instead (see geobias view)."
)
@click.option("--texts", is_flag=True, help="Add each record's last question and reply.")
def export(
    run: Path, out: Path, probe: str | None, of_replies: bool, verdicts: bool, texts: bool
) -> None:
    """Write the records (one row per trial) as Parquet, CSV or JSON lines.

    \b
    geobias export RUN --to records.parquet
    geobias export RUN --to records.csv --texts
    geobias export RUN --to replies.jsonl --replies
    geobias export RUN --to verdicts.csv --verdicts
    """
    if of_replies + verdicts + (probe is not None) > 1:
        raise BadRequest("--probe, --replies and --verdicts are mutually exclusive")
    check_suffix(out)
    with open_run(run) as reader:
        probes = {**reader.manifest().probes, **reader.done()}
        if probe is not None and probe not in probes:
            raise unknown("probe in this run", probe, probes)
        if verdicts:
            frame = reader.verdicts_frame()
        else:
            frame = reader.replies_frame() if of_replies else reader.frame(probe, texts=texts)
    write_frame(frame, out)
    click.echo(f"{frame.height:,} rows in {out}")


def _chosen_replies(
    run: RunReader, given: Mapping[str, str | None]
) -> Iterator[tuple[str, SavedReply]]:
    """Yield each trial and reply that the filters choose, as `RunReader.replies` does.

    An outcome may be a word of the reports that stands for several, such as "unscored".
    """
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if "country" in chosen:
        chosen["country"] = economy(chosen["country"]).iso3
    if word := chosen.get("outcome"):
        alike = {name for name, how in SYNONYMS.items() if how == SYNONYMS.get(word)}
        chosen["outcome"] = sorted({word} | alike)
    return run.replies(**chosen)
