"""What do the readers of replies cost, what do they read, and which patterns do they need?

    python bench/ablate.py                 the tables, for all readers
    python bench/ablate.py numbers turns   all but the first, for some of the labelled sets

Lines and patterns are those of the reading room and of what each probe reads by itself. Read are
the labelled real replies in tests/data/real; choices only with GEOBIAS_DATA, since their questions
are items of BBQ. The next lines add the replies that a perfect reader model would settle: it names
the right option, or quotes the right words if any will do. Then every pattern (a compiled regular
expression that a module holds) is taken out in turn, which is to say replaced by one that matches
nothing.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from geobias.probes.readers import NUMBER, ReplyReader, judged
from geobias.probes.registry import all_probes
from geobias.reading.choices import LETTERS

REPOSITORY = Path(__file__).parent.parent
REAL = REPOSITORY / "tests" / "data" / "real"
SETS = ("numbers", "choices", "turns")
OWN = (
    "readers", "worldbench.cited", "namebbq.replies", "ratings.replies",
    "geo20q.naming", "geo20q.replies", "geo20q.winning",
)  # fmt: skip
"""Modules of the probes that read replies, beside the reading room."""
LONGEST_QUOTE = 9
NOTHING = re.compile(r"(?!)")
Replies = Sequence[tuple[Mapping[str, Any], Any]]
"""Lines with their labels."""


def modules() -> list[ModuleType]:
    room = Path(importlib.import_module("geobias.reading").__file__ or "").parent
    names = [f"geobias.reading.{path.stem}" for path in sorted(room.glob("[a-z]*.py"))]
    names += [f"geobias.probes.{name}" for name in OWN]
    return [importlib.import_module(name) for name in names]


def size(module: ModuleType) -> tuple[int, int]:
    """Lines of a module, and regular expressions: calls of a function of `re` in its text."""
    text = Path(module.__file__ or "").read_text("utf-8")
    calls = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    named = [one for one in calls if isinstance(one, ast.Attribute) and one.attr != "escape"]
    found = sum(isinstance(one.value, ast.Name) and one.value.id == "re" for one in named)
    return len(text.splitlines()), found


@cache
def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def labelled(name: str) -> Replies:
    """The labelled replies of a set, with their questions; no choices without GEOBIAS_DATA."""
    if name == "choices":
        folder = os.environ.get("GEOBIAS_DATA")
        lines = [*choices(Path(folder) / "replies" / "real")] if folder else []
    else:
        lines = json_lines(REAL / "replies" / f"{name}.jsonl")
    label = reader_of(name).label
    return [(line, label(line)) for line in lines]


def choices(folder: Path) -> Iterator[dict[str, Any]]:
    """The labelled choices among three options, with their questions out of the shared folder."""
    for label in json_lines(REAL / "choices.jsonl"):
        name = label["file"]
        row = json_lines(folder / name)[label["row"]]
        options = row.get("options") or ["option A", "option B", "option C"]
        if len(options) != 3 or name.startswith("likert"):
            continue
        question = re.search(r"Question: ([^\n]*)", row.get("prompt") or "")
        thought = " (thought alone)" * (row.get("variant") == "reasoning only")
        yield label | {
            "options": options,
            "unknown": row.get("unknown"),
            "question": question[1] if question else "",
            "reply": row["reply"],
            "source": name.removesuffix(".jsonl") + thought,
        }


def reader_of(name: str) -> ReplyReader:
    if name == "numbers":
        return NUMBER
    found = all_probes()["namebbq" if name == "choices" else "geo20q"].elsewhere.replies
    assert found is not None
    return found


def outcomes(name: str, replies: Replies) -> list[str]:
    read = reader_of(name).read
    return [judged(read(line), label) for line, label in replies]


def print_size() -> None:
    total = Counter[str]()
    for module in modules():
        lines, found = size(module)
        total.update(lines=lines, patterns=found)
        print(f"{lines:>6} lines {found:>4} patterns   {module.__name__}")
    print(f"{total['lines']:>6} lines {total['patterns']:>4} patterns   together\n")


def print_results(name: str, replies: Replies) -> None:
    """Right, wrong and unread by draw and by source of the draw."""
    counts: dict[str, Counter[str]] = {}
    for (line, _), how in zip(replies, outcomes(name, replies), strict=True):
        draw = f"{name} {line.get('draw', 1)}"
        for key in (draw, f"{draw} {line['source']}"):
            counts.setdefault(key, Counter())[how] += 1
    for key, found in sorted(counts.items()):
        n = found.total()
        told = "  ".join(f"{found[how]:>4} {how}" for how in ("right", "wrong", "unread"))
        print(f"{told}  {found['right'] / n:7.1%} right {found['wrong'] / n:6.1%} wrong   {key}")
    print()


def print_with_reader(names: Sequence[str], sets: Mapping[str, Replies]) -> None:
    """Right by the rules, and with a perfect reader model for the replies that they leave."""
    for name in names:
        found = Counter(outcomes(name, sets[name]))
        left = [
            (line, label)
            for (line, label), how in zip(sets[name], outcomes(name, sets[name]), strict=True)
            if how == "unread"
        ]
        found["pointed"] = sum(can_be_pointed_at(name, line, label) for line, label in left)
        both = (found["right"] + found["pointed"]) / max(1, len(sets[name]))
        print(
            f"{found['right']:>4} + {found['pointed']:>3} right  {both:7.1%}   {name} with a reader"
        )
    print()


def can_be_pointed_at(name: str, line: Mapping[str, Any], label: Any) -> bool:
    """Whether a reader model could say something by which the reply is read right."""
    words = str(line.get("reply")).split()
    said = {
        "choices": [LETTERS[label]] if isinstance(label, int) else [],
        "turns": ["yes" if label else "no"],
        "numbers": [
            " ".join(words[first:last])
            for first in range(len(words))
            for last in range(first + 1, first + LONGEST_QUOTE + 1)
        ],
    }
    return any(judged(reader_of(name).settle(line, one), label) == "right" for one in said[name])


@contextmanager
def taken_out(pattern: re.Pattern[str]) -> Iterator[None]:
    """The readers without a pattern, wherever a module holds it by name."""
    held = [
        (vars(module), name)
        for module in modules()
        for name, value in vars(module).items()
        if value is pattern
    ]
    for names, name in held:
        names[name] = NOTHING
    forget()
    try:
        yield
    finally:
        for names, name in held:
            names[name] = pattern
        forget()


def forget() -> None:
    """Clear what functions remember, in which the pattern may have had a part."""
    for module in modules():
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def print_ablation(names: Sequence[str], sets: Mapping[str, Replies]) -> None:
    before = {name: outcomes(name, sets[name]) for name in names}
    patterns: dict[re.Pattern[str], str] = {}
    for module in modules():
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                patterns.setdefault(value, f"{module.__name__.removeprefix('geobias.')}.{name}")
    for pattern, where in patterns.items():
        changed, wrong = 0, 0
        with taken_out(pattern):
            for name in names:
                pairs = list(zip(before[name], outcomes(name, sets[name]), strict=True))
                changed += sum(one != other for one, other in pairs)
                wrong += sum(other == "wrong" != one for one, other in pairs)
        print(f"{changed:>4} read otherwise, {wrong:>3} of them wrong   {where}", flush=True)


def main(chosen: Sequence[str]) -> None:
    names = chosen or SETS
    sets = {name: labelled(name) for name in names}
    if not chosen:
        print_size()
    for name in names:
        print_results(name, sets[name])
    print_with_reader(names, sets)
    print_ablation(names, sets)


if __name__ == "__main__":
    main(sys.argv[1:])
