"""`geobias read`, `geobias reread` and `geobias score`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import geobias
from geobias.probes import worldbench
from tests.cli.running import geobias as command
from tests.report.made import changed

LINES = [
    {"prompt": "How long is it?", "unit": "metres", "reply": "12 metres", "label": 12, "kind": "x"},
    {"prompt": "How long is it?", "unit": "metres", "reply": "I do not know.", "label": None},
    {"prompt": "How long is it?", "unit": "metres", "reply": "12 or 13 metres", "label": 13},
    {"prompt": "How long is it?", "unit": "metres", "reply": "12 metres", "label": "14"},
]


def written(folder: Path, lines: Sequence[object]) -> Path:
    path = folder / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


def test_replies_are_read_and_compared_with_their_labels(tmp_path: Path) -> None:
    said = command("read", "number", written(tmp_path, LINES), "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert [row["judged"] for row in found["readings"]] == ["right", "right", "unread", "wrong"]
    whole = found["scored"][0]
    assert (whole["right"], whole["wrong"], whole["unread"]) == (2, 1, 1)
    assert whole["share_right_low"] < 0.5 < whole["share_right_high"]


def test_a_line_that_cannot_be_used_is_named_and_is_no_success(tmp_path: Path) -> None:
    path = written(tmp_path, LINES)
    path.write_text(path.read_text("utf-8") + "\nno json\n", "utf-8")
    said = command("read", "number", path, "--json")
    assert said.code == 1
    assert len(json.loads(said.out)["readings"]) == 4
    assert "line 5" in said.err
    assert "1 line left" in said.err


def test_labels_of_choices_may_be_letters_places_or_words(tmp_path: Path) -> None:
    asked = {"options": ["The cook", "The guest", "Unknown"], "unknown": 2, "reply": "(b)"}
    lines = [asked | {"label": label} for label in ("B", "(b)", 1, "1", "the guest", "ans1")]
    said = command(
        "read", "namebbq", written(tmp_path, [*lines, asked | {"label": "none"}]), "--json"
    )
    judged = [row["judged"] for row in json.loads(said.out)["readings"]]
    assert judged == ["right"] * 6 + ["wrong"]


def test_turns_are_read_by_rules_alone_without_a_referee(tmp_path: Path) -> None:
    lines = [
        {"entity": "Eiffel Tower", "text": "Is it the Eiffel Tower?", "label": True},
        {"entity": "Eiffel Tower", "text": "Is it older than the Eiffel Tower?", "label": "none"},
        {"entity": "Eiffel Tower", "text": "The Eiffel Tower comes to mind.", "label": "guess"},
        {"entity": "taj-mahal", "text": "Is it the musician Taj Mahal?", "label": "guess"},
        {
            "entity": "Eiffel Tower",
            "text": "你在想的是埃菲尔铁塔吗？",
            "language": "zh",
            "label": True,
        },
    ]
    said = command("read", "geo20q", written(tmp_path, lines), "--json")
    judged = [row["judged"] for row in json.loads(said.out)["readings"]]
    assert judged == ["right", "right", "unread", "unread", "right"]


@pytest.mark.parametrize(
    "wrong",
    [
        "outcome = 'unparsed', record = json_set(record, '$.value', NULL)",
        "record = json_set(record, '$.error', 0.5)",
    ],
    ids=["reading", "score"],
)
def test_stored_replies_are_read_anew_without_a_call(tmp_path: Path, wrong: str) -> None:
    plan = worldbench.plan(indicators=["population"], countries=["Kenya", "Peru"])
    made = geobias.run([plan], "sim/fair", tmp_path / "run.geobias").path
    with geobias.open_run(made) as run:
        before = [*run.records()]
    path = changed(made, tmp_path / "wrong.geobias", f"UPDATE records SET {wrong}")
    said = command("reread", path, "--json")
    assert said.code == 0, said.err
    [row] = json.loads(said.out)
    assert (row["records"], row["read_anew"], row["changed"]) == (2, 2, 2)
    with geobias.open_run(path) as run:
        assert [*run.records()] == before


def test_records_whose_replies_are_not_stored_are_counted_and_kept(tmp_path: Path) -> None:
    plan = worldbench.plan(indicators=["population"], countries=["Kenya", "Peru"])
    made = geobias.run([plan], "sim/fair", tmp_path / "run.geobias").path
    renamed = "trial = trial || '/old', record = json_set(record, '$.trial', trial || '/old')"
    sql = f"UPDATE records SET {renamed} WHERE country = 'KEN'"
    path = changed(made, tmp_path / "renamed.geobias", sql)
    [row] = json.loads(command("reread", path, "--json").out)
    assert (row["records"], row["read_anew"]) == (2, 1)


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


def test_replies_from_elsewhere_get_the_same_tables(tmp_path: Path) -> None:
    replies = written(tmp_path, REPLIES)
    [found] = command("score", "worldbench", "--predictions", replies, "--json").json()
    assert found["answered"] == 4
    assert found["declined"] == 0.2


def test_a_csv_table_may_begin_with_an_empty_line_and_be_read_by_a_model(tmp_path: Path) -> None:
    path = tmp_path / "replies.csv"
    path.write_text("\nindicator,country,reply\npopulation,Kenya,53 million\ngdp,Kenya,much\n")
    done = command("score", "worldbench", "--predictions", path, "--unread", "sim/fair", "--json")
    assert (done.json()[0]["answered"], done.json()[0]["asked"]) == (1, 2)


def test_models_are_set_side_by_side(tmp_path: Path) -> None:
    path = written(tmp_path, [one | {"model": m} for m in ("a", "b") for one in REPLIES])
    rows = command("score", "worldbench", "--predictions", path, "--json").json()
    assert {row["model"] for row in rows} == {"a", "b", "all models"}


def test_scored_rows_can_be_written(tmp_path: Path) -> None:
    replies, out = written(tmp_path, REPLIES), tmp_path / "rows.csv"
    assert command("score", "worldbench", "--predictions", replies, "--to", out).code == 0
    assert out.read_text().startswith("model,trial,country,repeat,outcome,read_by,contradicts,")
