"""How fast names are counted in a corpus, beside GNU grep, ripgrep and a plain Python loop.

    python bench/count.py                 200 MB of text, 500 and 20,000 names
    python bench/count.py --mb 50 --rounds 2

The text is the documentation inside this Python's library with names sprinkled in. Every
contender looks for the same names in the same file on one core. What is compared is CPU time (the
machine may be busy), the best of several rounds, in MB of text a second; wall-clock time stands
beside it. grep and ripgrep count lines that hold any name, we count every name by itself, with
whole words, capitals and accents: more work, not less. Exits with 1 where we are slower than grep
at 20,000 names, or more than 30% slower there than at 500.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Mapping
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity, read_entities
from geobias.atlas.entities import entities as shipped
from geobias.corpus.counting import tally_file
from geobias.corpus.matching import Matcher, names_of
from geobias.probes.namebbq.names import names

MOST_SLOWDOWN = 0.30
DOLMA_TOKENS = 3e12
BYTES_A_TOKEN = 11.5e12 / 3e12
"""Dolma 1.7's 2.6 trillion Llama tokens are about 11 TB of text, and its 3 trillion of the paper
11 to 12: 3.8 bytes a token, as English in UTF-8 has with such a vocabulary."""
CORES = 64


def entities(number: int, table: Path | None) -> dict[str, Entity]:
    """Entities with as many names as asked for, aliases included.

    Those of the table (ours, or another), evenly from all of it; where it has too few, people whose
    names are put together of its words and of the first names that come with geobias.
    """
    dice = random.Random(20)
    known = list((read_entities(table) if table else shipped()).values())
    dice.shuffle(known)
    found: dict[str, Entity] = {}
    left = number
    for one in known:
        kept = one.aliases[: max(0, left - 1)]
        if left > 0:
            found[one.id] = msgspec.structs.replace(one, aliases=kept, names={})
            left -= 1 + len(kept)
    first = [one.name for cells in names().values() for cell in cells.values() for one in cell]
    last = [name.split()[-1] for one in known for name in (one.name, *one.aliases)]
    last += [one.name.split()[-1] for one in economies().values()]
    made: dict[str, None] = {}
    while len(made) < left:
        made[f"{dice.choice(first)} {dice.choice(first)[0]}. {dice.choice(last)}"] = None
        made[f"{dice.choice(first)} {dice.choice(last)}"] = None
    for name in list(made)[: max(0, left)]:
        found[name] = Entity(id=name, name=name, type="person", category="art", country="FRA")
    return found


def spelled(table: dict[str, Entity]) -> list[str]:
    return [name for one in table.values() for name in (one.name, *one.aliases)]


def prose() -> list[bytes]:
    """Lines of English: the documentation inside this Python's own library."""
    lines: list[str] = []
    for file in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if {"site-packages", "lib2to3", "test"} & set(file.parts):
            continue
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                lines += [line.strip() for line in node.value.splitlines() if len(line) > 30]
    return [line.encode(errors="replace") for line in lines]


def write_text(path: Path, size: int, names: list[str]) -> None:
    """That documentation over and over, with a name in every 160th line (some 10 kB).

    Few names are met often and most seldom, as in any corpus (Zipf's law). Where names are denser,
    every contender is slower: each stands in another corner of a big table.
    """
    dice = random.Random(0)
    lines = prose()
    weights = list(accumulate(1 / rank for rank in range(1, len(names) + 1)))
    with path.open("wb") as out:
        while out.tell() < size:
            for number, line in enumerate(lines):
                out.write(line)
                if number % 160 == 0:
                    out.write(f" {dice.choices(names, cum_weights=weights)[0]} ".encode())
                out.write(b"\n")
                if out.tell() >= size:
                    return


def spent(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def timed(work: Callable[[], object], who: int = resource.RUSAGE_SELF) -> tuple[float, float]:
    """CPU and wall seconds."""
    cpu, wall = spent(who), time.perf_counter()
    work()
    return spent(who) - cpu, time.perf_counter() - wall


def program(*words: str) -> Callable[[], object]:
    # To a pipe: grep stops at the first match when it sees that its output is thrown away.
    return lambda: subprocess.run(words, stdout=subprocess.PIPE, check=False)


def python_loop(names: list[str], path: Path) -> Callable[[], object]:
    """What one writes first: `str.count` of every name, on a small part of the text."""
    text = path.read_bytes()[: part(names)].decode(errors="replace")
    return lambda: [text.count(name) for name in names]


def part(names: list[str]) -> int:
    """Bytes that a plain loop gets through in some seconds."""
    return 10_000_000_000 // len(names) // 10


class Contender(NamedTuple):
    """Something to be measured: what it does, on how many bytes, and whose CPU time it takes."""

    label: str
    size: float
    work: Callable[[], object]
    who: int = resource.RUSAGE_SELF
    once: bool = False


def race(title: str, contenders: Mapping[str, Contender], rounds: int) -> dict[str, float]:
    """MB of text per CPU second of each, the best of the rounds; printed with median and wall.

    One round of everyone after the other, so that a busy minute of the machine hits all alike.
    """
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    for number in range(rounds):
        for name, one in contenders.items():
            if not (one.once and number):
                times[name].append(timed(one.work, one.who))
    print(f"\n{title:<38} CPU MB/s: best    median  wall best")
    found = {}
    for name, one in contenders.items():
        cpu = [seconds for seconds, _ in times[name]]
        found[name] = one.size / 1e6 / min(cpu)
        median = one.size / 1e6 / statistics.median(cpu)
        wall = one.size / 1e6 / min(seconds for _, seconds in times[name])
        print(f"  {one.label:<40} {found[name]:>9,.1f} {median:>9,.1f} {wall:>9,.1f}", flush=True)
    return found


def ours(label: str, number: int, own: Path | None, path: Path) -> Contender:
    """A count of a file for so many names, the matcher built beforehand, once for all text."""
    matcher = Matcher(names_of(entities(number, own)))

    def work() -> None:
        tally_file(path, "text", matcher)

    return Contender(label, path.stat().st_size, work)


def peers(number: int, own: Path | None, path: Path, folder: Path) -> dict[str, Contender]:
    spellings = spelled(entities(number, own))
    size = path.stat().st_size
    listed = folder / f"names-{number}.txt"
    listed.write_text("\n".join(spellings) + "\n", "utf-8")
    found = {}
    for name, words in {"grep": ["grep"], "rg": ["rg", "-j1"]}.items():
        if shutil.which(name):
            work = program(*words, "-a", "-F", "-c", "-f", str(listed), str(path))
            label = f"{number:,} names: {' '.join(words)} -a -F -c -f"
            found[f"{name} {number}"] = Contender(label, size, work, resource.RUSAGE_CHILDREN)
    label = f"{number:,} names: Python, str.count"
    loop = python_loop(spellings, path)
    found[f"python {number}"] = Contender(label, part(spellings), loop, once=True)
    return found


def growth(own: Path | None, path: Path, folder: Path, rounds: int) -> None:
    """How it grows with text and with names."""
    whole = path.read_bytes()
    texts = {}
    for share in (8, 4, 2, 1):
        piece = folder / f"part-{share}.txt"
        piece.write_bytes(whole[: len(whole) // share])
        label = f"20,000 names, {piece.stat().st_size / 1e6:,.0f} MB"
        texts[label] = ours(label, 20_000, own, piece)
    race("how it grows with the text", texts, rounds)
    texts.clear()
    sizes = (500, 2_000, 5_000, 10_000, 20_000, 40_000)
    by_number = {
        str(number): ours(
            f"{number:,} names, {len(whole) / 8e6:,.0f} MB", number, own, folder / "part-8.txt"
        )
        for number in sizes
    }
    race("how it grows with the names", by_number, rounds)


def kinds(own: Path | None, path: Path, folder: Path, rounds: int) -> float:
    """The same text as documents of forty lines in JSON, plain and packed; MB/s of .jsonl.gz."""
    import gzip

    import zstandard

    lines = path.read_bytes()[: 50 << 20].decode(errors="replace").split("\n")
    documents = ["\n".join(lines[at : at + 40]) for at in range(0, len(lines), 40)]
    raw = "".join(json.dumps({"id": n, "text": one}) + "\n" for n, one in enumerate(documents))
    size = sum(len(one.encode()) for one in documents)
    found = {}
    for name, content in {
        "a.jsonl": raw.encode(),
        "a.jsonl.gz": gzip.compress(raw.encode(), 6),
        "a.jsonl.zst": zstandard.compress(raw.encode(), 3),
    }.items():
        (folder / name).write_bytes(content)
        found[name] = ours(name, 20_000, own, folder / name)._replace(size=size)
    return race("by kind of file, 20,000 names", found, rounds)["a.jsonl.gz"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--all", action="store_true", help="also how it grows, and kinds of files")
    parser.add_argument("--entities", type=Path, help="a table of your own; default: ours")
    options = parser.parse_args()
    own: Path | None = options.entities
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    packed = 0.0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path = folder / "text.txt"
        write_text(path, options.mb * 1_000_000, spelled(entities(20_000, own)))
        everyone = {"few": ours("500 names: geobias count", 500, own, path)}
        everyone |= peers(500, own, path, folder)
        everyone["many"] = ours("20,000 names: geobias count", 20_000, own, path)
        everyone |= peers(20_000, own, path, folder)
        speed = race(f"{path.stat().st_size / 1e6:,.0f} MB of text", everyone, options.rounds)
        everyone.clear()
        if options.all:
            growth(own, path, folder, options.rounds)
            packed = kinds(own, path, folder, options.rounds)
    slower = 1 - speed["many"] / speed["few"]
    print(f"\nfrom 500 to 20,000 names: {slower:.0%} slower")
    text = DOLMA_TOKENS * BYTES_A_TOKEN
    print(f"Dolma's 3 trillion tokens, {text / 1e12:.1f} TB of text:")
    for label, rate in (("plain text", speed["many"]), ("as it comes, .json.gz", packed)):
        if rate:
            hours = text / 1e6 / rate / 3600
            print(
                f"  {label}: {hours:,.0f} core-hours, {hours / CORES:,.1f} hours on {CORES} cores"
            )
    beaten = speed["many"] < speed.get("grep 20000", 0.0)
    if beaten or slower > MOST_SLOWDOWN:
        print("not fast enough")
        sys.exit(1)


if __name__ == "__main__":
    main()
