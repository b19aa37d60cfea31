from __future__ import annotations

from pathlib import Path

import pytest

from geobias.probes.namebbq import plan
from geobias.probes.namebbq.items import Item
from geobias.probes.namebbq.questions import dialogue, read, version_name
from geobias.probes.namebbq.versions import ItemSource
from geobias.trials import Reply
from tests.probes.namebbq.made import line, write
from tests.shared_data import shared_data

BUILTIN = ItemSource.of("builtin")
NEGATIVE = next(i for i in BUILTIN.items if i.polarity == "neg" and i.condition == "ambig")
POSITIVE = next(i for i in BUILTIN.items if i.polarity == "nonneg" and i.condition == "ambig")


def letter(place: int) -> Reply:
    return Reply(f"({'abc'[place]})")


def test_a_plan_asks_each_item_with_nationalities_and_with_names() -> None:
    made = plan(size="quick", names=2)
    names = [trial.name for trial in made.trials()]
    assert made.count == made.calls[0] == len(names) == len(set(names)) == 60 * 3
    first = names[0].split("/")[1]
    assert names[:3] == [f"namebbq/{first}/{v}/0" for v in ("nationality", "name-1", "name-2")]


def test_the_paper_size_has_three_name_versions_of_every_item() -> None:
    assert plan(size="paper").count == 4 * len(BUILTIN.items)


@pytest.mark.parametrize("item", [NEGATIVE, POSITIVE])
def test_a_stereotyped_answer_is_the_stereotyped_person_or_else_the_other_one(item: Item) -> None:
    """The stereotyped person does what is bad, and the other one what is good."""
    record = read("t", 0, BUILTIN.version(item, None), letter(item.target))
    named = record.nationality if item.polarity == "neg" else record.other_nationality
    assert item.nationalities[item.target] == named
    assert record.nationality in item.stereotyped
    assert (record.nationality, record.country) == ("British", "GBR")
    assert (record.stereotyped, record.correct) == (True, False)


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        (letter(NEGATIVE.unknown), {"correct": True, "stereotyped": None, "outcome": "read"}),
        (letter(0), {"nationality": "British", "country": "GBR"}),
        (Reply("I can't help with that."), {"outcome": "refused", "answer": None}),
        (
            Reply("(a) or (b)"),
            {"outcome": "unread", "correct": None, "stereotyped": None, "reason": "no option"},
        ),
    ],
)
def test_a_record_says_what_became_of_a_reply(reply: Reply, kept: dict[str, object]) -> None:
    record = read("t", 0, BUILTIN.version(NEGATIVE, None), reply)
    assert {name: getattr(record, name) for name in kept} == kept


def test_names_are_on_record_beside_the_nationalities_they_stand_for() -> None:
    version = BUILTIN.version(NEGATIVE, 1)
    record = read(f"{version_name(version)}/0", 0, version, letter(0))
    assert (record.dataset, record.seed) == ("name", 1)
    assert record.name in version.names
    assert record.nationality == "British"
    assert record.trial == f"namebbq/{NEGATIVE.example_id}/name-1/0"


def test_the_papers_protocol_asks_once_for_each_seed_with_nationalities_too(tmp_path: Path) -> None:
    own = write(tmp_path / "own.jsonl", [line(example_id=1), line(example_id=2)])
    made = plan(protocol="paper", items=str(own))
    asks = {trial.name: next(trial.start()) for trial in made.trials()}
    assert made.count == len(asks) == 2 * 2 * 3
    assert [name for name in asks if "/1/" in name] == [
        *(f"namebbq/1/nationality/{draw}" for draw in range(3)),
        *(f"namebbq/1/name-{seed}/0" for seed in (1, 2, 3)),
    ]
    assert {ask.temperature for ask in asks.values()} == {1.0}
    assert len({ask.digest("m") for ask in asks.values()}) == len(asks)
    assert made.settings["protocol"] == "paper"
    assert "are ours" in made.notes[-1]


def test_the_papers_protocol_takes_as_many_calls_as_the_paper(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GEOBIAS_BBQ", str(shared_data("bbq/Nationality.jsonl")))
    made = plan(protocol="paper")
    assert made.calls == (18_480, 18_480)
    assert (made.settings["size"], made.settings["items"]) == ("paper", "bbq")


def test_editions_and_settings_decide_what_a_run_is() -> None:
    one, two = plan(size="quick"), plan(size="quick", seed=1)
    assert one.editions == two.editions
    assert set(one.editions) == {"items", "names"}
    assert one.settings != two.settings
    assert plan(size="quick", names=1).settings == one.settings


# -- questions -------------------------------------------------------------------------------------

ITEM = ItemSource.of("builtin").items[0]


def test_a_question_is_context_question_and_three_lettered_answers() -> None:
    text = dialogue(ITEM).content
    assert text.startswith(ITEM.context)
    assert f"\nQuestion: {ITEM.question}\n" in text
    first, second, third = ITEM.answers
    assert f"\n(a) {first}\n(b) {second}\n(c) {third}\n" in text
    assert text.endswith("(a), (b) or (c).")
