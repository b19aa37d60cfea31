"""Pack runs of one real model as the example that comes with geobias (src/geobias/api/example).

    python tools/pack_example.py RUN... --as NAME --model "Name, Q4_K_M" --licence Apache-2.0 \\
        --source URL
    python tools/pack_example.py            the report alone, anew: before each release

The runs must be complete, of one model, each of probes of its own. They become one run file, which
is written as xz beside example.json, which says what it is. Command lines are left out, since they
may name folders of whoever ran them; everything else is as it was recorded. The report is packed
too, so that `geobias example` has it at once.
"""

from __future__ import annotations

import argparse
import lzma
import sqlite3
import sys
import tempfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import msgspec

from geobias.api.example import HERE, PACKED, PAGE, Example, example_run
from geobias.probes.registry import record_titles
from geobias.report.findings import collect
from geobias.report.page import rendered
from geobias.runfile import Manifest
from geobias.running import open_run

MOST_BYTES = 1_500_000
"""Of what is packed: it goes into every wheel."""
JOINED = ("openings", "replies", "records", "sessions")
EMPTY = ("attempts", "batches", "batch_asks", "probabilities")


def manifest_of(run: Path) -> Manifest:
    """What a run is; one that is not complete, or simulated, ends the program."""
    with open_run(run) as reader:
        manifest = reader.manifest()
        done = manifest.done(reader.done())
    if any(done.get(name, 0) != planned for name, planned in manifest.planned.items()):
        sys.exit(f"{run} is not complete")
    if manifest.models["model"].startswith("sim/"):
        sys.exit(f"{run} is of a simulated model")
    return manifest


def joined(manifests: list[Manifest]) -> Manifest:
    first = manifests[0]
    probes = [name for one in manifests for name in one.probes]
    if len(probes) != len(set(probes)) or any(one.models != first.models for one in manifests):
        sys.exit("the runs must be of one model, each of probes of its own")
    names = ("probes", "editions", "prompts", "planned", "notes", "given")
    whole = {
        name: {key: value for one in manifests for key, value in (getattr(one, name) or {}).items()}
        for name in names
    }
    created = min(one.created for one in manifests)
    return msgspec.structs.replace(first, **whole, created=created, command="")


def one_file(runs: list[Path], manifest: Manifest, copy: Path) -> bytes:
    with closing(sqlite3.connect(f"file:{runs[0]}?mode=ro", uri=True)) as db:
        db.execute("VACUUM INTO ?", (str(copy),))
    with closing(sqlite3.connect(copy)) as db:
        for run in runs[1:]:
            db.execute("ATTACH ? AS other", (str(run),))
            for table in JOINED:
                columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
                named = ", ".join(column for column in columns if column != "id")
                db.execute(f"INSERT INTO {table} ({named}) SELECT {named} FROM other.{table}")  # noqa: S608
            db.commit()
            db.execute("DETACH other")
        for table in EMPTY:
            if db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]:  # noqa: S608
                sys.exit(f"a run has {table}, which this program does not join")
        text = msgspec.json.encode(manifest).decode()
        db.execute("UPDATE manifest SET value = ?", (text,))
        db.commit()
        db.execute("PRAGMA journal_mode=DELETE")
        db.execute("VACUUM")
    return copy.read_bytes()


def sizes(manifest: Manifest) -> str:
    """ "size standard", or each probe with its own."""
    found = {name: str(settings.get("size")) for name, settings in manifest.probes.items()}
    if len(set(found.values())) == 1:
        return f"size {next(iter(found.values()))}"
    titles = record_titles()
    return ", ".join(f"{titles.get(name, name)} at size {size}" for name, size in found.items())


def pack(name: str, content: bytes) -> None:
    packed = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
    (HERE / (name + PACKED)).write_bytes(packed)
    print(f"{name}: {len(content):,} bytes, packed {len(packed):,}")


def write(about: Example) -> None:
    text = msgspec.json.format(msgspec.json.encode(about), indent=2)
    (HERE / "example.json").write_bytes(text + b"\n")


def pack_runs(given: argparse.Namespace) -> None:
    manifest = joined([manifest_of(run) for run in given.runs])
    file = f"{given.name}.geobias"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / file
        content = one_file(given.runs, manifest, copy)
        with open_run(copy) as reader:
            replies = sum(one.calls for one in reader.spent().values())
    for old in HERE.glob(f"*{PACKED}"):
        old.unlink()
    pack(file, content)
    about = Example(
        model=given.model,
        licence=given.licence,
        source=given.source,
        recorded=manifest.created[:10],
        size=sizes(manifest),
        replies=replies,
        file=file,
        sha256=sha256(content).hexdigest(),
    )
    write(about)
    print(about.in_words)


def pack_page() -> None:
    with open_run(example_run()) as reader:
        pack(PAGE, rendered(collect([reader]), [reader]).encode(errors="replace"))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="*")
    parser.add_argument("--as", dest="name", help="Of the run file, no suffix.")
    parser.add_argument("--model", help="In words, with the quantisation.")
    parser.add_argument("--licence")
    parser.add_argument("--source", help="Where the weights are from.")
    given = parser.parse_args()
    if given.runs:
        if not all((given.name, given.model, given.licence, given.source)):
            parser.error("--as, --model, --licence and --source go with runs")
        pack_runs(given)
    pack_page()
    total = sum(path.stat().st_size for path in HERE.glob(f"*{PACKED}"))
    if total > MOST_BYTES:
        sys.exit(f"{total:,} bytes are more than {MOST_BYTES:,}")


main()
