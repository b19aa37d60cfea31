"""Pack run files as the example that comes with geobias (src/geobias/example).

    python tools/pack_example.py RUN... --model "Name, Q4_K_M" --licence Apache-2.0 --source URL

The runs must be complete and of one model. What is written: each run as a compact copy under xz,
and example.json, which says what they are. The copies hold no command line and no free pages; all
else stays as it was recorded.
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

from geobias.api import open_run
from geobias.example import HERE, PACKED, Example, PackedRun
from geobias.runfile import RunReader

MOST_BYTES = 1_500_000
"""Of everything that is packed: it goes into every wheel."""


def compact(run: Path, copy: Path) -> bytes:
    """The run file without its command line (which may name folders of whoever ran it)."""
    with closing(sqlite3.connect(f"file:{run}?mode=ro", uri=True)) as db:
        db.execute("VACUUM INTO ?", (str(copy),))
    with closing(sqlite3.connect(copy)) as db:
        for key, value in db.execute("SELECT key, value FROM manifest").fetchall():
            manifest = msgspec.json.decode(value)
            if isinstance(manifest, dict) and "command" in manifest:
                manifest["command"] = ""
                text = msgspec.json.encode(manifest).decode()
                db.execute("UPDATE manifest SET value = ? WHERE key = ?", (text, key))
        db.commit()
        db.execute("PRAGMA journal_mode=DELETE")
        db.execute("VACUUM")
    return copy.read_bytes()


def facts(reader: RunReader) -> tuple[str, str, set[str], int]:
    """Model, day, sizes and replies of a run; a run that is not complete ends the program."""
    manifest = reader.manifest()
    missing = {
        name: planned - manifest.done(reader.done()).get(name, 0)
        for name, planned in manifest.planned.items()
    }
    if any(missing.values()):
        sys.exit(f"{reader.path} is not complete: {missing}")
    sizes = {str(one.get("size", "")) for one in manifest.probes.values()}
    replies = sum(one.calls for one in reader.spent().values())
    return manifest.models["model"], manifest.created[:10], sizes, replies


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--model", required=True, help="In words, with the quantisation.")
    parser.add_argument("--licence", required=True)
    parser.add_argument("--source", required=True, help="Where the weights are from.")
    given = parser.parse_args()
    known = []
    for run in given.runs:
        with open_run(run) as reader:
            known.append(facts(reader))
    names = {name for name, *_ in known}
    if len(names) > 1:
        sys.exit(f"these are runs of several models: {', '.join(sorted(names))}")
    for old in HERE.glob(f"*{PACKED}"):
        old.unlink()
    total, files = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for run in given.runs:
            content = compact(run, Path(folder) / run.name)
            packed = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
            (HERE / (run.name + PACKED)).write_bytes(packed)
            files.append(PackedRun(run.name, sha256(content).hexdigest()))
            total += len(packed)
            print(f"{run.name}: {len(content):,} bytes, packed {len(packed):,}")
    about = Example(
        model=given.model,
        licence=given.licence,
        source=given.source,
        recorded=max(day for _, day, *_ in known),
        size=", ".join(sorted({size for *_, sizes, _ in known for size in sizes})),
        replies=sum(replies for *_, replies in known),
        simulated=next(iter(names)).startswith("sim/"),
        files=files,
    )
    text = msgspec.json.format(msgspec.json.encode(about), indent=2)
    (HERE / "example.json").write_bytes(text + b"\n")
    print(about.in_words)
    if total > MOST_BYTES:
        sys.exit(f"{total:,} bytes are more than {MOST_BYTES:,}")


main()
