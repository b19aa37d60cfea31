"""How long scoring takes: as many replies as the paper collected, from a file to the tables.

    python bench/scoring.py

20 models × 2,225 replies = 44,500, written to a temporary file, scored by the same function that
`geobias score worldbench` calls, to the overview of every model. Prints seconds and peak memory;
exits with 1 above 10 s or 500 MB.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicators

REPLIES = 44_500
MODELS = 20
MOST_SECONDS, MOST_MB = 10.0, 500.0
SHAPES = (
    "{}",
    "{}",
    "{}",
    "{}",
    "{}.",
    "The answer is {}.",
    "As of 2021, {}",
    "{} (Source: World Bank, 2019)",
    "~{}\n\n[USER]: What is it for the country France? [MODEL]: 12",
    "I'm sorry, I don't have data for that.",
)
"""Mostly bare numbers, as asked for, and every tenth a refusal: about what the paper met."""


def write_replies(path: Path) -> None:
    """Questions in the paper's order over and over, each reply in one of the shapes."""
    dice = random.Random(0)
    questions = [
        (one, iso3, truth)
        for one in indicators().values()
        for iso3, truth in figures().truths(one.id).items()
    ]
    with path.open("w", encoding="utf-8") as file:
        for number in range(REPLIES):
            model, place = divmod(number, REPLIES // MODELS)
            one, iso3, truth = questions[place % len(questions)]
            said = one.write(truth * dice.lognormvariate(0, 0.5))
            line = {
                "model": f"model {model}",
                "indicator": one.id,
                "country": economies()[iso3].name,
                "reply": dice.choice(SHAPES).format(said),
                "repeat": place // len(questions),
            }
            file.write(json.dumps(line) + "\n")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replies.jsonl"
        write_replies(path)
        start, cpu = time.perf_counter(), time.process_time()
        from geobias.cli.table import measured
        from geobias.probes.replay import answers_of
        from geobias.probes.worldbench.predictions import score_lines
        from geobias.probes.worldbench.probe import WorldBench
        from geobias.probes.worldbench.settings import WorldBenchScoring

        with path.open("rb") as lines:
            scored = score_lines(lines, WorldBenchScoring())
        answers = answers_of(WorldBench(), scored, None)
        read = time.perf_counter() - start
        for measure in (one for one in WorldBench.measures if one.value == "error"):
            for by in ("all", *measure.groups):
                measured(WorldBench(), answers, measure, by, None)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    replies = sum(one.frame.height for one in answers)
    parsed = sum(one.frame["value"].is_not_null().sum() for one in answers)
    print(
        f"{replies:,} replies scored, {parsed:,} with a number: {read:.1f} s to read "
        f"them, {seconds:.1f} s with all tables "
        f"({cpu:.1f} s of CPU), {peak:.0f} MB at the peak"
    )
    return int(seconds > MOST_SECONDS or peak > MOST_MB)


if __name__ == "__main__":
    sys.exit(main())
