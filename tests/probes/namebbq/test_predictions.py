from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from geobias.cli import cli
from geobias.probes.namebbq.predictions import score_lines
from geobias.probes.namebbq.probe import NameBBQ
from geobias.probes.namebbq.replicates import scores
from geobias.probes.namebbq.scores import frame_of
from geobias.probes.namebbq.settings import NameBBQScoring
from geobias.probes.namebbq.versions import ItemSource
from geobias.probes.predictions import Scored
from geobias.probes.replay import answers_of
from tests.probes.namebbq.made import line, write

BUILTIN = ItemSource.of("builtin")


def lines(*rows: object) -> list[bytes]:
    return [json.dumps(row).encode() for row in rows]


def score(given: list[bytes], items: str = "builtin") -> Scored:
    return score_lines(given, NameBBQScoring(items=items))


def whole(scored: Scored) -> pl.DataFrame:
    """The answers of all models in one frame."""
    frames: list[pl.DataFrame] = [one.frame for one in answers_of(NameBBQ(), scored, None)]
    return pl.concat([frame_of([]), *frames])


def right(item_id: str, seed: int | None = None, *, words: bool = False) -> dict[str, object]:
    version = BUILTIN.version(BUILTIN.by_id[item_id], seed)
    label = version.item.label
    reply = version.item.answers[label] if words else "abc"[label]
    return {"example_id": item_id, "reply": reply} | ({} if seed is None else {"seed": seed})


@pytest.mark.parametrize("words", [True, False])
def test_right_answers_as_letters_or_words_score_one(words: bool) -> None:
    rows = [right(i, seed, words=words) for i in list(BUILTIN.by_id)[:24] for seed in (None, 1, 2)]
    scored = score(lines(*rows))
    assert scored.left_out == []
    table = scores(whole(scored)).filter(metric="accuracy")
    assert table["value"].to_list() == [1.0] * 4
    assert table.filter(dataset="name")["replicates"].to_list() == [2, 2]


def test_an_item_that_is_not_there_or_is_answered_before_is_told_by_its_line() -> None:
    usual = {"example_id": "10000", "reply": "a"}
    again = {"example_id": 10000, "reply": "a", "repeat": 1}
    given = [usual, usual | {"example_id": "no-such"}, {"reply": "a"}, usual, again]
    scored = score(lines(*given, usual | {"reply": 3}))
    assert whole(scored).height == 2
    reasons = dict(scored.left_out)
    assert list(reasons) == [2, 3, 4, 6]
    assert "no-such" in reasons[2]
    assert "in line 1" in reasons[4]


def test_a_file_of_items_is_scored_by_its_own_ids(tmp_path: object) -> None:
    path = write(Path(str(tmp_path)) / "mine.jsonl", [line(example_id=f"mine-{i}") for i in (0, 1)])
    rows = [
        {"example_id": "mine-0", "reply": "a"},
        {"example_id": "mine-1", "seed": 1, "reply": "b"},
    ]
    scored = score(lines(*rows), items=str(path))
    assert scored.left_out == []
    assert whole(scored)["dataset"].to_list() == ["nationality", "name"]
    assert whole(scored).filter(pl.col("name") != "").height == 1


def test_replies_to_names_of_ones_own_are_read_by_those_names(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    columns = "nationality,iso3,gender,name,source,exclusive,note\n"
    rows = [f"British,GBR,{gender},{name},own,high,\n" for gender, name in
            (("F", "Zzelda"), ("M", "Zzorro"))]  # fmt: skip
    own.write_text(columns + "".join(rows))
    item = next(i for i in BUILTIN.items if "British" in i.nationalities and i.condition == "ambig")
    source = ItemSource.of("builtin", own)
    name = source.version(item, 1).names[item.nationalities.index("British")]
    given = lines({"example_id": item.example_id, "seed": 1, "reply": name})
    scored = score_lines(given, NameBBQScoring(names_file=own))
    assert name.startswith("Zz")
    assert whole(scored)["outcome"].to_list() == ["read"]
    assert whole(score(given))["outcome"].to_list() == ["unread"]


def test_a_line_may_name_a_trial_of_the_plan() -> None:
    rows = [right("10000"), right("10001", 2)]
    named = [
        {"trial": "namebbq/10000/nationality/0", "reply": rows[0]["reply"]},
        {"trial": "namebbq/10001/name-2/0", "reply": rows[1]["reply"]},
    ]
    assert whole(score(lines(*named))).equals(whole(score(lines(*rows))))


def test_the_page_on_own_replies_shows_a_program_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = Path(__file__).parents[3] / "docs" / "reading.md"
    section = docs.read_text(encoding="utf-8").split("### Name-BBQ")[1]
    monkeypatch.chdir(tmp_path)
    asked, program, scored = (
        block.split("\n", 1)[1] for block in section.split("```")[1:6:2]
    )  # fmt: skip
    runner = CliRunner()
    words, _, file = asked.partition(" > ")
    shown = runner.invoke(cli, words.split()[1:])
    assert shown.exit_code == 0
    Path(file.strip()).write_text(shown.stdout, "utf-8")
    exec(program, {"my_model": lambda prompt: "(a)" if prompt else ""})
    done = runner.invoke(cli, scored.splitlines()[0].split()[1:])
    assert done.exit_code == 0
    assert "answers are (a)" in done.output
    assert Path("mine.geobias").exists()
