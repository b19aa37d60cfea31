"""Real replies of four base models, which answer and then go on asking themselves questions."""

from __future__ import annotations

import json
import re

import pytest

from geobias.probes.worldbench.reading import read_reply
from tests.shared_data import shared_data

_FIRST = re.compile(
    r"\s*Answer:\s*\$?((?:[0-9]{1,3}(?:, ?[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)( million| billion)?"
)
_SCALES = {None: 1.0, " million": 1e6, " billion": 1e9}


def test_a_base_model_s_first_answer_is_read() -> None:
    lines = shared_data("replies/numerfacts.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 900
    for line in lines:
        row = json.loads(line)
        reading = read_reply(row["reply"], unit=row["unit"], country=row["country"])
        said = _FIRST.match(row["reply"])
        if said is None or len(said[1]) > 60:  # a 1 with a page of zeros
            assert reading.outcome == "unparsed", row
            continue
        value = float(said[1].replace(",", "").replace(" ", "")) * _SCALES[said[2]]
        assert reading.value == pytest.approx(value), row
