"""Run files of simulated models, small and quick to make."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec

import geobias
from geobias.probes import namebbq, worldbench
from geobias.report.findings import collect
from geobias.results.changes import Change
from geobias.results.findings import (
    Column,
    Findings,
    Metric,
    Replies,
    Run,
    Screen,
    Section,
    Sentence,
    Table,
)
from geobias.runfile import RunReader

INDICATORS = ("population", "gdp")
_REAL = Path(__file__).parent / "real"
REAL = sorted(path.name.removesuffix(".json.gz") for path in _REAL.glob("*.json.gz"))
"""Reports of real models, as `geobias report --format json` wrote them, compressed."""


def of_real_model(name: str) -> Findings:
    packed = (_REAL / f"{name}.json.gz").read_bytes()
    return msgspec.json.decode(gzip.decompress(packed), type=Findings)


def made(path: Path, model: str, **settings: Any) -> Path:
    """Two indicators of every economy, and the quick items of Name-BBQ."""
    plans = [
        worldbench.plan(size="paper", indicators=INDICATORS, **settings),
        namebbq.plan(size="quick"),
    ]
    return geobias.run(plans, model, path).path


@cache
def found_in(run: Path, *, brief: bool = False) -> Findings:
    """What is found in a run, which takes a while: once for all tests."""
    with RunReader(run) as reader:
        return collect([reader], brief=brief)


def answering(path: Path, url: str) -> Path:
    """The quick questions of WorldBench, put to a server."""
    return geobias.run([worldbench.plan(size="quick")], url, path).path


metric = partial(
    Metric,
    name="worldbench.error",
    label="Mean error",
    value=0.2,
    low=0.1,
    high=0.3,
    n=30,
    counted="countries",
    unit="error, 0 to 1",
    better="low",
)


change = partial(
    Change,
    metric="worldbench.error",
    by="all",
    group="all",
    first=0.2,
    second=0.3,
    difference=0.1,
    difference_low=0.02,
    difference_high=0.2,
    p=0.01,
    p_adjusted=0.01,
    n=20,
    counted="countries",
    items=60,
)


def changed(path: Path, to: Path, sql: str, *values: object) -> Path:
    """A copy of a run file after a change to its tables, as another program makes it."""
    shutil.copyfile(path, to)
    with closing(sqlite3.connect(to)) as file, file:
        file.execute(sql, values)
    return to


def findings(
    *metrics: Metric, text: str = "m", why: tuple[str, ...] = (), missing: int = 0
) -> Findings:
    """Findings in which every text that can come from elsewhere is `text`."""
    columns = [
        Column(name="group", label=text, kind="text"),
        *(Column(name=name, label=name, kind="number") for name in ("x", "x_low", "x_high")),
    ]
    table = Table(
        title=text,
        note=text,
        columns=columns,
        rows=[{"group": text, "x": -0.5, "x_low": -0.7, "x_high": None}],
    )
    section = Section(
        probe="worldbench",
        title="WorldBench",
        model=text,
        run="run1",
        measurable=not why,
        why_not=list(why),
        screens=[Screen(name="parse rate", ok=not why, value=1, threshold=0.5, n=3, says=text)],
        replies=Replies(
            planned=3 + missing, asked=3, read=3, declined=0, unread=0, no_text=0, missing=missing
        ),
        metrics=list(metrics or [metric()]),
        tables={"error_by_region": table},
        notes=[text],
    )
    run = msgspec.convert(
        {
            **dict.fromkeys(("file", "model", "created", "geobias"), text),
            **dict.fromkeys(("calls", "tokens_in", "tokens_out", "sessions"), 1),
            **dict.fromkeys(("cost", "started", "ended"), None),
            **{key: {} for key in ("planned", "done", "outcomes", "editions", "prompts")},
            "id": "run1",
            "models": {"model": text},
            "answered_as": {"model": [text]},
            "probes": {"worldbench": {"system": text}},
            "done": {"worldbench": 3},
        },
        Run,
    )
    said = Sentence(kind="finding", probe="worldbench", model=text, text=text)
    return Findings(
        schema=1,
        geobias="0",
        models=[text],
        runs=[run],
        sections=[section],
        countries=[],
        sentences=[said],
    )
