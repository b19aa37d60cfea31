"""Whole audits of simulated models: how often does a page say that a gap was found?

    python bench/pages.py                           sim/fair, seeds 1 to 40, size standard
    python bench/pages.py --model sim/biased --seeds 10
    python bench/pages.py --size paper --probes worldbench,namebbq,ratings

Prints a row for each seed with the verdict of each probe and the sign of its number, and in the end
in how many pages, and in how many probes' sections, a gap was found. Every audit is a real run
file, read by the code that makes the report.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from geobias import api
from geobias.probes.registry import all_probes, plan_of
from geobias.report.findings import collect
from geobias.report.verdicts import verdict_of
from geobias.results.verdicts import Word, primary_of


def page(model: str, size: str, probes: list[str]) -> dict[str, tuple[Word, float | None]]:
    """Each probe's word, and the number that it rests on."""
    plans = [plan_of(all_probes()[name], {"size": size}) for name in probes]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.geobias"
        api.run(plans, model, path)
        with api.open_run(path) as run:
            findings = collect([run], brief=True)
    told: dict[str, tuple[Word, float | None]] = {}
    for section in findings.sections:
        primary = primary_of(section)
        word = verdict_of(findings, section).word
        told[section.probe] = (word, primary.value if primary else None)
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="sim/fair")
    parser.add_argument("--size", default="standard")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--probes", default="worldbench,namebbq,geo20q,ratings")
    chosen = parser.parse_args()
    probes = chosen.probes.split(",")
    pages, words = 0, Counter[str]()
    mark = "&" if "?" in chosen.model else "?"
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        told = page(f"{chosen.model}{mark}seed={seed}", chosen.size, probes)
        pages += any(word == "found" for word, _ in told.values())
        words.update(f"{probe} {word}" for probe, (word, _) in told.items())
        shown = "; ".join(
            f"{probe} {word}" + ("" if value is None else f" {value:+.3f}")
            for probe, (word, value) in told.items()
        )
        print(f"{seed:>3}  {shown}", flush=True)
    print(f"\n{pages} of {chosen.seeds} pages say that a gap was found")
    for name, count in sorted(words.items()):
        print(f"{count:>4}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
