"""What is asked: each item with nationalities and with names, ours or the user's own."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from geobias.atlas.table import TableError
from geobias.errors import BadRequest
from geobias.probes.namebbq import plan
from geobias.probes.namebbq.items import Item
from geobias.probes.namebbq.names import NoNames, country_of, names
from geobias.probes.namebbq.questions import dialogue, read, version_name
from geobias.probes.namebbq.versions import ItemSource
from geobias.reading.choices import Options, read_choice
from geobias.trials import Reply
from tests.cli.running import geobias
from tests.probes.answering import answered
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


@pytest.mark.parametrize(("name", "step"), [("builtin", 7), ("bbq", 11)])
def test_every_answer_of_every_item_is_read_as_itself(
    name: str, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a letter, in its own words, and by nationality or name alone."""
    monkeypatch.setenv("GEOBIAS_BBQ", str(shared_data("bbq/Nationality.jsonl")))
    source = ItemSource.of(name)
    assert all(item.social_value for item in source.items)
    for item in source.items[::step]:
        for version in (source.version(item, None), source.version(item, 1)):
            shown = version.item
            people = version.names if version.seed else shown.nationalities
            options = Options(shown.answers, shown.unknown, tuple(people))
            for place, words in enumerate(shown.answers):
                letter = f"({'abc'[place]})"
                for reply in (letter, words, f"The answer is {words}.", f"{letter} {words}"):
                    assert read_choice(reply, options).value == place, (reply, shown.answers)
                if people[place] and name == "builtin":
                    assert read_choice(people[place], options).value == place


def test_every_nationality_has_a_country() -> None:
    assert {n for n in names() if not country_of(n)} == set()
    assert (country_of("Korean"), country_of("Kenyan"), country_of("Martian")) == ("KOR", "KEN", "")
    assert country_of("Congolese") == ""


# -- own names -------------------------------------------------------------------------------------

CATALAN = {
    "F": ("Mireia", "Queralt Soler", "Mercè", "Meritxell", "Neus"),
    "M": ("Guifré", "Oriol d'Abadal", "Jaume", "Arnau", "Ferran"),
}


def own_names(folder: Path, nationality: str = "Catalan") -> Path:
    rows = [
        f"{nationality},ESP,{gender},{name},own knowledge,high,"
        for gender, called in CATALAN.items()
        for name in called
    ]
    path = folder / "mine.csv"
    head = "nationality,iso3,gender,name,source,exclusive,note"
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    return path


def own_items(folder: Path) -> Path:
    path = write(folder / "mine.jsonl", [line(), line(example_id=8)])
    path.write_text(path.read_text("utf-8").replace("Danish", "Catalan"), "utf-8")
    return path


def test_items_about_a_new_nationality_run_with_names_of_ones_own(tmp_path: Path) -> None:
    items, table = own_items(tmp_path), own_names(tmp_path)
    with pytest.raises(NoNames, match="Catalan"):
        list(plan(items=str(items)).trials())
    made = plan(items=str(items), names_file=table)
    found = answered(made, lambda ask: "(a)")
    named = [one for one in found if one.dataset == "name"]
    assert {one.name for one in named} <= {*CATALAN["F"], *CATALAN["M"]}
    assert {one.country for one in found} == {"ESP"}
    assert made.settings["names_file"] == "mine.csv"
    assert made.editions["names"] != plan().editions["names"]
    assert "names_file" not in plan().settings


def test_names_of_ones_own_take_the_place_of_the_shipped_ones(tmp_path: Path) -> None:
    table = own_names(tmp_path, "Thai")
    made = plan(items="builtin", size="standard", names_file=table)
    found = answered(made, lambda ask: "(a)")
    thai = {one.name for one in found if one.nationality == "Thai" and one.name}
    assert thai
    assert thai <= {*CATALAN["F"], *CATALAN["M"]}
    other = next(one for one in found if one.nationality != "Thai" and one.name)
    assert other.name in {n.name for cell in names()[other.nationality].values() for n in cell}


def test_a_table_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    table = own_names(tmp_path, "Thai")
    table.write_text("name\nMireia\n", "utf-8")
    with pytest.raises(TableError, match="header"):
        plan(names_file=table)


def test_names_that_no_item_is_about_are_refused(tmp_path: Path) -> None:
    table = own_names(tmp_path)
    with pytest.raises(BadRequest, match=r"mine\.csv changes nothing: no item is about Catalan"):
        plan(names_file=table)


def test_a_source_with_names_of_ones_own_travels_to_another_process(tmp_path: Path) -> None:
    source = ItemSource.of("builtin", own_names(tmp_path, "Thai"))
    there = pickle.loads(pickle.dumps(source))
    assert there.version(there.items[0], 1) == source.version(source.items[0], 1)
    assert there.names_digest == source.names_digest != plan().editions["names"]


def test_the_command_takes_the_table_and_another_table_is_another_run(tmp_path: Path) -> None:
    table, items, run = own_names(tmp_path), own_items(tmp_path), tmp_path / "run.geobias"
    words = ["run", "namebbq", "sim/fair", "--items", items, "--out", run, "--names-file", table]
    assert geobias(*words).code == 0
    table.write_text(table.read_text("utf-8").replace("Guifré", "Pol"), "utf-8")
    again = geobias(*words)
    assert again.code == 2
    assert "names" in again.err
    show = ("plan", "namebbq", "--items", items, "--names-file", table, "--show", 2, "--json")
    told, named = geobias(*show).out.splitlines()
    assert "Catalan" in told
    assert "Catalan" not in named
