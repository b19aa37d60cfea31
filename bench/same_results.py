"""Did a change of the code change a number? Every output of two simulated models, before and after.

    python bench/same_results.py make FOLDER       runs, reports, figures and tables, by the geobias
                                                   that `python -m geobias` finds (PYTHONPATH)
    python bench/same_results.py compare A B       what differs between two such folders

Times, dates, versions and file paths are left out of the comparison. Names that were changed on
purpose are listed in RENAMED and compared under their new name.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

MODELS = ("sim/fair", "sim/biased")
WORLDBENCH = (
    ["errors", "--limit", "20"],
    *(["groups", "--by", by] for by in ("region", "income", "indicator", "country", "all")),
    *(["disparity", "--by", by] for by in ("region", "income")),
    *(["ranks", "--by", by] for by in ("region", "income")),
    ["countries"],
    *(["rates", "--by", by] for by in ("region", "income", "indicator", "country", "all")),
    ["citations"],
    ["years-fit"],
    ["correlations"],
    ["published"],
)
NAMEBBQ = (["scores"], ["nationalities"], ["values"], ["positions"], ["published"])
GEO20Q = (
    *(
        [table, "--by", by]
        for table in ("success", "turns", "curve", "questions", "places")
        for by in ("all", "continent", "region", "north_south", "category")
    ),
    ["success", "--by", "country"],
    ["groups"],
    ["regression"],
    ["instead"],
    ["published"],
    ["judging"],
)
TABLES = {"worldbench": WORLDBENCH, "namebbq": NAMEBBQ, "geo20q": GEO20Q}
FORMATS = ("json", "csv", "md", "latex")
PASSING = frozenset(
    {
        "created",
        "started",
        "ended",
        "geobias",
        "seconds",
        "sessions",
        "file",
        "command",
        "path",
        "at",
    }
)
"""Keys whose values differ from one making to the next."""
RENAMED: dict[str, str] = {}
"""File of a folder made before → the file that has the same after."""


def geobias(*words: str) -> subprocess.CompletedProcess[str]:
    """One command of the geobias under test."""
    return subprocess.run(
        [sys.executable, "-m", "geobias", *words], text=True, capture_output=True, check=False
    )


def make(folder: Path) -> None:
    """Runs, and every table, figure and format that can be had of them."""
    folder.mkdir(parents=True, exist_ok=True)
    done = geobias("audit", *MODELS, "--size", "standard", "--out", str(folder / "runs"),
                   "--probes", "worldbench,namebbq,geo20q")  # fmt: skip
    print(done.stderr, end="", file=sys.stderr)
    runs = sorted((folder / "runs").glob("*.geobias"))

    def keep(name: str, *words: str) -> None:
        done = geobias(*words)
        text = done.stdout if done.returncode == 0 else f"exit {done.returncode}: {done.stderr}"
        (folder / name).write_text(text, "utf-8")

    for run, model in zip(runs, ("biased", "fair"), strict=True):
        for probe, tables in TABLES.items():
            for table in tables:
                name = "-".join([model, probe, *(word.strip("-") for word in table)])
                keep(f"{name}.json", probe, *table, str(run), "--json")
        for name in ("records.jsonl", "replies.jsonl"):
            more = ["--replies"] if name.startswith("replies") else []
            geobias("export", str(run), "--to", str(folder / f"{model}-{name}"), *more)
    both = [str(run) for run in runs]
    for format_ in FORMATS:
        keep(f"report.{format_}", "report", *both, "--format", format_)
    geobias("report", *both, "--out", str(folder / "report.html"),
            "--save-figures", str(folder / "figures"))  # fmt: skip
    keep("compare.json", "compare", *both, "--json")
    keep("gate.json", "gate", *both, "--list", "--json")
    for probe in TABLES:
        for size in ("quick", "standard", "paper"):
            keep(f"plan-{probe}-{size}.json", "plan", probe, "--size", size, "--json")


def compare(before: Path, after: Path) -> int:
    """The differences on standard output; how many files differ."""
    names = sorted(
        path.relative_to(before)
        for path in before.rglob("*")
        if path.suffix in (".json", ".jsonl", ".csv", ".md", ".tex", ".latex")
    )
    differ = 0
    for name in names:
        other = after / RENAMED.get(str(name), str(name))
        if not other.exists():
            print(f"{name}: missing after")
            differ += 1
            continue
        a, b = (_content(path) for path in (before / name, other))
        if a != b:
            differ += 1
            print(f"{name}: {_first_difference(a, b)}")
    print(f"{len(names)} files compared, {differ} differ")
    return differ


def _content(path: Path) -> Any:
    text = path.read_text("utf-8")
    if path.suffix == ".json" and text[:1] in "[{":
        return _lasting(json.loads(text))
    if path.suffix == ".jsonl":
        return _lasting([json.loads(line) for line in text.splitlines()])
    return [line for line in text.splitlines() if not _names_a_time(line)]


def _names_a_time(line: str) -> bool:
    return "geobias 0." in line or ".geobias" in line or ",run," in line


def _lasting(value: Any) -> Any:
    """The value without what differs from one making to the next.

    Sums of floats depend on the order of their terms in the last digits: ten are compared. Rows of
    a table are compared in any order.
    """
    if isinstance(value, dict):
        return {key: _lasting(one) for key, one in value.items() if key not in PASSING}
    if isinstance(value, float):
        return float(f"{value:.10g}") if abs(value) > 1e-12 else 0.0
    if isinstance(value, list):
        rows = [_lasting(one) for one in value]
        is_table = all(isinstance(one, dict) for one in rows)
        return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True)) if is_table else rows
    return value


def _first_difference(a: Any, b: Any, path: str = "") -> str:
    if isinstance(a, dict) and isinstance(b, dict):
        if gone := a.keys() ^ b.keys():
            return f"{path}: only one has {sorted(gone)[:5]}"
        return next(
            (_first_difference(a[k], b[k], f"{path}.{k}") for k in a if a[k] != b[k]), "equal"
        )
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"{path}: {len(a)} and {len(b)} entries"
        return next(
            (
                _first_difference(x, y, f"{path}[{i}]")
                for i, (x, y) in enumerate(zip(a, b, strict=True))
                if x != y
            ),
            "equal",
        )
    return f"{path}: {str(a)[:150]!r} and {str(b)[:150]!r}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["compare"]:
        sys.exit(1 if compare(Path(sys.argv[2]), Path(sys.argv[3])) else 0)
    else:
        sys.exit(__doc__)
