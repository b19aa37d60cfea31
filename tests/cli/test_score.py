from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import geobias

REPLIES = [
    {"indicator": "population", "country": country, "reply": reply}
    for country, reply in [
        ("Kenya", "53 million"),
        ("Uganda", "20 million"),
        ("France", "67,000,000 (Source: World Bank, 2019)"),
        ("Germany", "83 million"),
        ("India", "I do not know."),
    ]
]


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in REPLIES))
    return path


def test_replies_from_elsewhere_get_the_same_tables(replies: Path) -> None:
    [found] = geobias("score", "worldbench", "--predictions", replies, "--json").json()
    assert found["answered"] == 4
    assert found["declined"] == 0.2


def test_a_csv_table_may_begin_with_an_empty_line_and_be_read_by_a_model(tmp_path: Path) -> None:
    path = tmp_path / "replies.csv"
    path.write_text("\nindicator,country,reply\npopulation,Kenya,53 million\ngdp,Kenya,much\n")
    done = geobias("score", "worldbench", "--predictions", path, "--unread", "sim/fair", "--json")
    assert (done.json()[0]["answered"], done.json()[0]["asked"]) == (1, 2)


def test_models_are_set_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text(
        "".join(json.dumps(one | {"model": m}) + "\n" for m in ("a", "b") for one in REPLIES)
    )
    rows = geobias("score", "worldbench", "--predictions", path, "--json").json()
    assert {row["model"] for row in rows} == {"a", "b", "all models"}


def test_scored_rows_can_be_written(replies: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    assert geobias("score", "worldbench", "--predictions", replies, "--to", out).code == 0
    assert out.read_text().startswith("model,trial,country,repeat,outcome,read_by,contradicts,")
