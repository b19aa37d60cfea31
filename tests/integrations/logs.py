"""Logs of Inspect's, made by hand: what was said about which sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from geobias.integrations.inspect_logs import REPLIES
from geobias.trials import Reply


def write_log(
    path: Path,
    task: str,
    said: Sequence[tuple[str, Sequence[str]]],
    *,
    args: dict[str, Any],
    epochs: int = 1,
    dataset: Sequence[str] = (),
) -> Path:
    """A log at `path` in which each sample got these replies. `dataset` is what was meant."""
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalSample,
        EvalSpec,
        write_eval_log,
    )

    kept = msgspec.to_builtins(Reply("")) | {"digest": ""}
    samples = [
        EvalSample(
            id=sample,
            epoch=1,
            input="",
            target="",
            store={REPLIES: [kept | {"text": text, "tokens_out": 1} for text in texts]},
        )
        for sample, texts in said
    ]
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task=f"geobias/{task}",
        task_args=args,
        model="openai/m",
        dataset=EvalDataset(sample_ids=list(dataset or dict.fromkeys(one[0] for one in said))),
        config=EvalConfig(epochs=epochs),
    )
    write_eval_log(EvalLog(eval=spec, samples=samples, status="success"), str(path))
    return path
