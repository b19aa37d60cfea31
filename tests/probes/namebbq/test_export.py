from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from geobias.cli import cli
from geobias.probes.namebbq.items import item_from
from geobias.probes.namebbq.questions import prompt_lines
from geobias.probes.namebbq.versions import ItemSource

BUILTIN = ItemSource.of("builtin")
LINES = list(prompt_lines(BUILTIN, BUILTIN.items[:40], 2))


def test_every_version_of_every_item_is_a_line() -> None:
    assert len(LINES) == 40 * 3
    assert [(one["dataset"], one["seed"]) for one in LINES[:3]] == [
        ("nationality", None),
        ("name", 1),
        ("name", 2),
    ]


def test_a_line_is_an_item_of_bbqs_scheme_with_the_same_right_and_stereotyped_answer() -> None:
    for line in LINES:
        read = item_from(line)
        item = BUILTIN.by_id[line["example_id"]]
        assert (read.label, read.target, read.unknown) == (item.label, item.target, item.unknown)
        assert (read.person, read.polarity) == (item.person, item.polarity)
        assert read.by_nationality == (line["dataset"] == "nationality")


def test_the_tag_of_a_named_person_is_gender_and_nationality() -> None:
    named = LINES[1]
    item = BUILTIN.by_id[named["example_id"]]
    for index in item.people:
        word, tag = named["answer_info"][f"ans{index}"]
        assert word == named["names"][index]
        assert tag == f"{named['genders'][index]}-{item.nationalities[index]}"


def test_the_prompt_is_what_a_run_asks() -> None:
    assert LINES[0]["context"] in LINES[0]["prompt"]
    assert LINES[0]["prompt"].endswith("(a), (b) or (c).")


def test_exported_prompts_with_replies_can_be_scored(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    arguments = ["namebbq", "prompts", "--size", "quick", "--names", "1", "--out", str(path)]
    done = CliRunner().invoke(cli, arguments)
    assert done.output.strip() == f"{path}: 120 prompts"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    replies = [line | {"reply": f"({'abc'[line['label']]})"} for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in replies))
    scored = CliRunner().invoke(cli, ["score", "namebbq", "--predictions", str(path), "--json"])
    assert scored.exit_code == 0, scored.output
    right = [row for row in json.loads(scored.stdout)["scores"] if row["metric"] == "accuracy"]
    assert [row["value"] for row in right] == [1.0] * 4


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_preview_shows_the_right_and_the_stereotyped_answer(
    more: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(LINES[0]) + "\n")
    done = CliRunner().invoke(cli, ["namebbq", "preview", "--items", str(path), *more])
    assert done.exit_code == 0, done.output
    if more:
        [row] = json.loads(done.stdout)
        assert (row["label"], row["target"]) == (LINES[0]["label"], LINES[0]["target"])
        assert row["polarity"] == LINES[0]["question_polarity"]
    else:
        assert "negative question, stereotype about British" in done.stdout


def test_the_page_on_own_replies_shows_a_program_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = Path(__file__).parents[3] / "docs" / "own-replies.md"
    section = docs.read_text(encoding="utf-8").split("## Name-BBQ")[1]
    monkeypatch.chdir(tmp_path)
    asked, program, scored = (
        block.split("\n", 1)[1] for block in section.split("```")[1:6:2]
    )  # fmt: skip
    runner = CliRunner()
    assert runner.invoke(cli, asked.split()[1:]).exit_code == 0
    exec(program, {"my_model": lambda prompt: "(a)" if prompt else ""})
    done = runner.invoke(cli, scored.splitlines()[0].split()[1:])
    assert done.exit_code == 0
    assert "100% of the answers are (a), whatever the question" in done.output
    assert Path("mine.geobias").exists()
