from __future__ import annotations

import json
from typing import Any

import polars as pl

from geobias.probes.predictions import Scored
from geobias.probes.replay import answers_of
from geobias.probes.worldbench.predictions import score_lines
from geobias.probes.worldbench.probe import WorldBench
from geobias.probes.worldbench.scores import frame_of, with_further
from geobias.probes.worldbench.settings import WorldBenchScoring
from tests.wording import reads_as


def line(**fields: object) -> bytes:
    usual = {"indicator": "population", "country": "Kenya", "reply": "53 million"}
    return json.dumps(usual | fields).encode() + b"\n"


def score(lines: list[bytes], **options: Any) -> Scored:
    return score_lines(lines, WorldBenchScoring(**options))


def whole(scored: Scored) -> pl.DataFrame:
    """The answers of all models in one frame."""
    frames: list[pl.DataFrame] = [
        with_further(frame_of([])),
        *(one.frame for one in answers_of(WorldBench(), scored, None)),
    ]
    return pl.concat(frames, how="diagonal")


def reasons(scored: Scored) -> dict[int, str]:
    return dict(scored.left_out)


def test_bad_lines_are_named_and_the_rest_is_scored() -> None:
    scored = score(
        [
            b"not json\n",
            b"\n",
            line(country="Kenia"),
            line(indicator="happiness"),
            line(country="Taiwan"),
            b'{"indicator": "population", "country": "Kenya"}\n',
            line(reply=None),
            b'{"indicator": "population", "country": "Kenya", "reply": "\xff"}\n',
            line(),
        ]
    )
    found = reasons(scored)
    assert sorted(found) == [1, 3, 4, 5, 6, 7, 8]
    reads_as("Lines of replies to WorldBench", {f"line {at}": found[at] for at in (3, 4, 5, 6)})
    assert whole(scored).height == 1


def test_the_same_question_twice_needs_a_repeat() -> None:
    scored = score([line(), line(), line(repeat=1)])
    assert list(reasons(scored)) == [2]
    assert "in line 1" in reasons(scored)[2]
    assert whole(scored).height == 2


def test_another_ground_truth_rule_may_be_chosen() -> None:
    scored = score([line(reply="47,894,670")], ground_truth="2016")
    assert whole(scored)["error"].to_list() == [0.0]
