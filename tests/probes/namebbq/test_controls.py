from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from geobias import open_run, run
from geobias.probes.namebbq import plan
from geobias.probes.namebbq.names import names
from geobias.probes.namebbq.questions import read
from geobias.probes.namebbq.scores import frame_of, over_controls
from geobias.probes.namebbq.versions import CONTROL_RECORDS, ItemSource, Version, control_versions
from geobias.report.findings import collect
from geobias.trials import Reply
from tests.cli.running import geobias
from tests.probes.namebbq.running import answered, row
from tests.shared_data import shared_data

BUILTIN = ItemSource.of("builtin")


@cache
def pairs(source: ItemSource, step: int = 1) -> list[tuple[Version, Version]]:
    versions = (tuple(control_versions(source, item)) for item in source.items[::step])
    return [(none, same) for none, same in versions]


def text(version: Version) -> str:
    item = version.item
    return " ".join((item.context, item.question, *item.answers))


@pytest.mark.parametrize("items", ["builtin", "bbq"])
def test_a_control_holds_no_sign_of_the_other_nationality(
    items: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEOBIAS_BBQ", str(shared_data("bbq/Nationality.jsonl")))
    for none, same in pairs(ItemSource.of(items), 17):
        assert not any(word in text(none) + text(same) for word in none.item.pair)
        assert {name for name in none.names if name} == {"Person X", "Person Y"}
        [nation] = [word for word in same.item.pair if word in same.item.stereotyped]
        own = {one.name for cell in names()[nation].values() for one in cell}
        first, second = (name for name in same.names if name)
        assert first != second
        assert {first, second} <= own


def test_either_person_is_the_stereotyped_answer_equally_often() -> None:
    counts = Counter(none.names[none.item.target] for none, _ in pairs(BUILTIN))
    assert counts["Person X"] == counts["Person Y"]


def test_the_stereotyped_person_keeps_the_name_of_the_first_seed() -> None:
    for item, (_, same) in zip(BUILTIN.items[::11], pairs(BUILTIN)[::11], strict=True):
        person = item.target if item.polarity == "neg" else sum(item.people) - item.target
        assert same.names[person] == BUILTIN.version(item, 1).names[person]


def test_answers_about_nobody_known_are_read() -> None:
    for none, same in pairs(BUILTIN)[::13]:
        for version in (none, same):
            for index in version.item.people:
                words = version.item.answers[index]
                for reply in (words, f"The answer is {words}.", version.names[index]):
                    assert read("x/0", 0, version, Reply(reply)).answer == index, (reply, version)


def test_controls_are_asked_only_where_they_are_wanted() -> None:
    usual, controlled = plan(), plan(controls=True)
    assert "controls" not in usual.settings
    items = usual.count // 2
    assert controlled.planned == {"namebbq": usual.count, CONTROL_RECORDS: 2 * items}
    found = answered(controlled, lambda ask: "(a)")
    assert Counter(one.probe for one in found) == controlled.planned
    assert {one.dataset for one in found if one.probe == CONTROL_RECORDS} == {"none", "same"}


def test_bias_less_that_of_the_control_is_over_the_same_items() -> None:
    told = [row("target", item=str(n), template=str(n)) for n in range(4)]
    told += [row("other", item="9", template="9")]
    bare = [
        row(said, item=str(n), template=str(n), dataset="none")
        for n, said in enumerate(["target", "unknown", "unknown", "nothing"])
    ]
    [found] = over_controls(frame_of(told), frame_of(bare)).to_dicts()
    assert (found["bias"], found["read"]) == (1.0, 3)
    assert (found["control_bias"], found["control_read"]) == (pytest.approx(1 / 3), 3)
    assert found["difference"] == pytest.approx(2 / 3)


def test_a_planted_stereotype_is_above_the_controls(tmp_path: Path) -> None:
    path = tmp_path / "run.geobias"
    run([plan(size="quick", names=1, controls=True)], "sim/fair?stereotype=0.6", path)
    with open_run(path) as reader:
        found = collect([reader], brief=True)
    metrics = {one.name: one for one in found.sections[0].metrics}
    for control in ("none", "same"):
        one = metrics[f"namebbq.bias_over_{control}"]
        assert one.low is not None
        assert one.high is not None
        assert 0 < one.low <= 0.6 <= one.high
    assert any("two names of one nationality" in one.text for one in found.sentences)
    assert "difference" in geobias("namebbq", "controls", path).out


def test_a_run_without_them_says_how_to_ask(tmp_path: Path) -> None:
    path = tmp_path / "run.geobias"
    run([plan()], "sim/fair", path)
    done = geobias("namebbq", "controls", path)
    assert done.code == 2
    assert "--controls" in done.err
