"""Audit two simulated models, read what was found, and compare them. Takes about ten seconds.

In `sim/biased` an error is planted for the Global South, so there is something to find.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import geobias

with tempfile.TemporaryDirectory() as folder:
    audit = geobias.audit(["sim/fair", "sim/biased"], probes=["worldbench"], out=Path(folder))

    for section in audit.findings.sections:
        print(f"\n{section.model}, {section.title}")
        for metric in section.metrics:
            if metric.value is not None and metric.low is not None and metric.high is not None:
                print(f"  {metric.label}: {metric.value:.2f} [{metric.low:.2f}, {metric.high:.2f}]")

    with geobias.open_run(audit.runs["sim/biased"]) as run:
        print("\nThe first replies of sim/biased:")
        print(run.frame("worldbench").select("country", "indicator", "truth", "value").head(5))

    compared = geobias.compare(*audit.runs.values())
    for change in compared.pairs[0].changes:
        if change.by == "all":
            low, high = change.difference_low or 0, change.difference_high or 0
            print(f"\n{change.metric}: {change.difference:+.3f} [{low:+.3f}, {high:+.3f}]")
