"""Make a run file of replies that another program collected: one JSON object a line.

The command line does the same:
geobias score worldbench --predictions replies.jsonl --to run.geobias
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from geobias import open_run
from geobias.probes.registry import find_probe
from geobias.probes.replay import answers_of, save_runs
from geobias.runfile import Elsewhere

REPLIES = b"""\
{"indicator": "population", "country": "Kenya", "reply": "About 53 million people.", "model": "m"}
{"indicator": "population", "country": "Nauru", "reply": 12500, "model": "m"}
{"indicator": "gdp", "country": "KEN", "reply": "US$ 110 billion (World Bank, 2021)", "model": "m"}
{"indicator": "gdp", "country": "Atlantis", "reply": "none", "model": "m"}
"""

probe = find_probe("worldbench")
how = probe.elsewhere.predictions
assert how is not None
scored = how.read(REPLIES.splitlines(), how.Options())
for line, reason in scored.left_out:
    print(f"line {line} is left out: {reason}")
for answers in answers_of(probe, scored, how.Options()):
    print(answers.frame.select("country", "indicator", "value", "truth", "error"))

with tempfile.TemporaryDirectory() as folder:
    source = Elsewhere(file="replies.jsonl", lines=4, left_out=len(scored.left_out))
    (path,) = save_runs("worldbench", scored, Path(folder) / "run.geobias", source)
    with open_run(path) as run:
        print(run.manifest().notes["worldbench"][0])
