"""Ask WorldBench about an indicator of your own: a definition and a table of figures.

The figures below are made up; put yours in a CSV file with a column for each year.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import geobias
from geobias.atlas.economies import economies
from geobias.probes import worldbench

DEFINITION = """
[bicycles]
code = "OWN.BICYCLES"
label = "Bicycles per 100 people"
phrase = "number of bicycles per 100 people"
unit = "per 100 people"
low = 0
high = 200
"""

with tempfile.TemporaryDirectory() as folder:
    indicators, figures = Path(folder) / "bicycles.toml", Path(folder) / "bicycles.csv"
    indicators.write_text(DEFINITION, encoding="utf-8")
    lines = ["indicator,iso3,edition,2020,2021,2022"]
    lines += [f"bicycles,{iso3},made up,{20 + i % 60},," for i, iso3 in enumerate(economies())]
    figures.write_text("\n".join(lines), encoding="utf-8")

    plan = worldbench.plan(indicators=["bicycles"], indicator_file=indicators, figures=figures)
    print(f"{plan.count} questions. The first:")
    first = next(iter(plan.trials())).start()
    for message in next(first).dialogue:
        print(f"  {message.role}: {message.content[:110]}")

    # A simulated model has never heard of these figures and says so; put a real model here.
    result = geobias.run([plan], "sim/fair", Path(folder) / "bicycles.geobias")
    with geobias.open_run(result.path) as run:
        print(run.frame("worldbench")["outcome"].value_counts())
