"""The report's metrics for trials that Inspect AI drove."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from geobias import __version__
from geobias.probes.registry import probe_names
from geobias.report.findings import collect
from geobias.runfile import Manifest, RunReader, RunWriter

REPLIES = "geobias_replies"
"""Where a sample's store keeps all replies that led to its record, in order."""


def metrics_of(records: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The report's metrics for these records, by name; undefined ones are left out.

    `PROBE.measurable` is 1, or 0 where the screens say that the probe cannot be measured on this
    model. Then only what is known of any model is there, such as how often it declined.
    """
    rows = list(records)
    if not any(row["probe"] in probe_names() for row in rows):
        return {}
    found_in = Counter(str(row["probe"]) for row in rows)
    manifest = Manifest(
        geobias=__version__,
        created="",
        probes={probe: {} for probe in probe_names() if probe in found_in},
        models={"model": "model"},
        planned=dict(found_in),
    )
    with tempfile.TemporaryDirectory(prefix="geobias-") as folder:
        path = Path(folder) / "records.geobias"
        file = RunWriter.open(path, manifest)
        for row in rows:
            file.save_row(row)
        file.close()
        with RunReader(path) as run:
            found = collect([run])
    known = {f"{one.probe}.measurable": float(one.measurable) for one in found.sections}
    return known | {
        metric.name: metric.value
        for section in found.sections
        for metric in section.metrics
        if metric.value is not None and (section.measurable or not metric.screened)
    }
