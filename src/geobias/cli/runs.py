"""`geobias show`, `geobias replies`, `geobias export`: looking into a run file."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geobias.errors import BadRequest
from geobias.results.text import one_line, printable

if TYPE_CHECKING:
    from geobias.runfile import RunReader

RUN = click.Path(path_type=Path)


@click.command()
@click.argument("run", type=RUN)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def show(run: Path, as_json: bool) -> None:
    """What a run is, how far it got, and what it cost.

    \b
    geobias show geobias-runs/run.geobias
    """
    import msgspec

    from geobias.cli.opening import open_run

    with open_run(run) as reader:
        facts = _facts(reader)
        if as_json:
            click.echo(msgspec.json.encode(facts))
        else:
            _print_facts(reader, facts)


def _facts(reader: RunReader) -> dict[str, Any]:
    import msgspec

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
        "sessions": msgspec.to_builtins(reader.sessions()),
    }


def _print_facts(reader: RunReader, facts: dict[str, Any]) -> None:
    from rich.console import Console

    from geobias.cli.summary import print_spending

    console = Console(highlight=False, soft_wrap=True)
    manifest = reader.manifest()
    for role, model in manifest.models.items():
        answered = ", ".join(facts["answered_as"].get(role, []))
        alias = f" (answered as {answered})" if answered and answered != model else ""
        console.print(f"{role:<9} {one_line(model + alias)}", markup=False)
    for name, planned in manifest.planned.items():
        done = facts["done"][name]
        found = facts["outcomes"].get(name, {})
        outcomes = ", ".join(f"{n:,} {word}" for word, n in found.items())
        settings = manifest.probes.get(name, {})
        console.print(f"{name:<9} {done:,} of {planned:,} trials: {outcomes}", markup=False)
        if said := ", ".join(f"{k}={v}" for k, v in settings.items() if v):
            console.print(f"{'':<9} {said}", markup=False)
    print_spending(console, reader)
    for number, session in enumerate(reader.sessions(), start=1):
        began = datetime.fromtimestamp(session.started, UTC).strftime("%Y-%m-%d %H:%M UTC")
        length = f"{session.ended - session.started:,.0f} s" if session.ended else "not ended"
        counts = ", ".join(f"{word} {n:,}" for word, n in session.counts.items() if n)
        console.print(f"session {number} {began}, {length}: {counts}", markup=False)
    console.print(f"made by   geobias {manifest.geobias}, {manifest.created}")
    if manifest.command:
        console.print(f"          {manifest.command}", markup=False)


@click.command()
@click.argument("run", type=RUN)
@click.option("--country", help="ISO-3 code or name of a country.")
@click.option("--probe", help="Only this probe.")
@click.option("--role", help="Only replies of this role (guesser, judge …).")
@click.option("--outcome", help="Only trials with this outcome: read, unread, declined …")
@click.option("--trial", help="Only this trial.")
@click.option("--grep", "pattern", help="Only replies that match this regular expression.")
@click.option("--dialogue", is_flag=True, help="Show the whole dialogue before each reply.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def replies(
    run: Path,
    country: str | None,
    probe: str | None,
    role: str | None,
    outcome: str | None,
    trial: str | None,
    pattern: str | None,
    dialogue: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Read what the model actually said.

    \b
    geobias replies RUN --country Kenya
    geobias replies RUN --outcome unread --limit 200
    geobias replies RUN --role guesser --grep 'Africa' --dialogue
    """
    import msgspec

    from geobias.cli.choosing import chosen_replies
    from geobias.cli.opening import open_run

    try:
        wanted = re.compile(pattern, re.I) if pattern else None
    except re.error as error:
        raise BadRequest(f"--grep {pattern!r} is not a regular expression: {error}") from None
    shown = 0
    with open_run(run) as reader:
        for name, reply in chosen_replies(
            reader, probe=probe, country=country, role=role, outcome=outcome, trial=trial
        ):
            if wanted and not wanted.search(reply.text):
                continue
            if shown == limit:
                click.echo(f"… more than {limit}; raise --limit to see them", err=True)
                break
            shown += 1
            if as_json:
                row = msgspec.to_builtins(reply) | {"trial": name}
                del row["digest"], row["parent"], row["opening"]
                if dialogue:
                    row["dialogue"] = [list(m) for m in reader.transcript(reply)]
                click.echo(msgspec.json.encode(row))
                continue
            heading = one_line(f"{name or '(trial not finished)'} · {reply.role}")
            click.echo(click.style(heading, bold=True))
            if dialogue:
                for message in reader.transcript(reply)[:-1]:
                    click.echo(
                        click.style(
                            f"  {one_line(message.role)}: {_indented(message.content)}", dim=True
                        )
                    )
            else:
                click.echo(click.style(f"  {_indented(reply.question())}", dim=True))
            mark = "" if reply.outcome == "ok" else f"[{one_line(reply.outcome)}] "
            click.echo(f"  {mark}{_indented(reply.text)}")
    if not shown:
        click.echo("no such replies", err=True)


def _indented(text: str) -> str:
    return printable(text).replace("\n", "\n  ")


@click.command()
@click.argument("run", type=RUN)
@click.option("--to", "out", type=click.Path(path_type=Path), required=True, help="x.parquet, …")
@click.option("--probe", help="Only this probe's records.")
@click.option("--replies", "what_was_said", is_flag=True, help="Replies instead of records.")
@click.option("--verdicts", is_flag=True, help="What reviewers said (geobias view) instead.")
def export(run: Path, out: Path, probe: str | None, what_was_said: bool, verdicts: bool) -> None:
    """Write the records (one row per trial) as Parquet, CSV or JSON lines.

    \b
    geobias export RUN --to records.parquet
    geobias export RUN --to replies.jsonl --replies
    geobias export RUN --to verdicts.csv --verdicts
    """
    if what_was_said and verdicts:
        raise BadRequest("--replies and --verdicts are two exports; ask for one at a time")
    from geobias.cli.choosing import check_probe
    from geobias.cli.opening import open_run
    from geobias.cli.tables import FRAMES, write_frame

    if out.suffix not in FRAMES:
        raise BadRequest(f"--to {out}: the name must end in .parquet, .csv or .jsonl")
    with open_run(run) as reader:
        if probe is not None:
            check_probe(reader, probe)
        if verdicts:
            frame = reader.verdicts_frame()
        else:
            frame = reader.replies_frame() if what_was_said else reader.frame(probe)
    write_frame(frame, out)
    click.echo(f"{frame.height:,} rows in {out}")
