"""Language files: ours, edited copies of them, and languages that a user adds."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import geobias
from geobias.atlas.entities import LANGUAGES
from geobias.probes import geo20q
from geobias.probes.geo20q.languages import FOLDER, LanguageError, load_language
from geobias.probes.geo20q.questions import moves_by_turn
from tests.cli.running import geobias as command
from tests.probes.geo20q.scripts import NAMES, Play, Script, few, write_table
from tests.wording import reads_as

GERMAN = Path(__file__).parents[3] / "examples" / "languages" / "de.toml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of prompts with the example of a language."""
    path = tmp_path / "my-prompts"
    path.mkdir()
    shutil.copy(GERMAN, path)
    return path


class German(Script):
    def __init__(self, folder: Path, *lines: str, judge: str) -> None:
        super().__init__(list(lines), judge)
        self.language = load_language("de", folder)


def test_a_game_in_german_is_played_with_german_words(play: Play, folder: Path) -> None:
    script = German(folder, "Liegt es in Europa?", "Wo steht es?", "Eiffel Tower?", judge="Ja!")
    record = play(script, prompts=folder)
    assert (record["canonical"], record["canonical_turns"]) == ("won", 3)
    assert (record["yes"], record["not_yes_no"], record["language"]) == (2, 1, "de")
    assert script.prompts[-1][-1]["content"] == "Ja."


def test_a_german_name_of_the_table_is_what_the_game_is_about(
    folder: Path, tmp_path: Path, raw_server: Callable[..., Any]
) -> None:
    table = write_table(tmp_path)
    names = NAMES + "eiffel-tower,de,Eiffelturm,\n"
    table.with_name("few_names.csv").write_text(names, "utf-8")
    made = geo20q.plan(entities=str(table), language="de", prompts=folder)
    assert made.notes[0].startswith("3 of 4")
    assert (made.parts["geo20q"], made.parts["geo20q_judge"]) == (4, 0)
    script = German(folder, "Ist es der Eiffelturm?", judge="Nein.")
    run = geobias.run([made], raw_server(script).url, tmp_path / "de.geobias").path
    with geobias.open_run(run) as reader:
        won = {r["entity"]: r["canonical"] for r in reader.records("geo20q")}
    assert won["eiffel-tower"] == "won"
    assert won["taj-mahal"] == "lost"


def test_a_run_in_another_language_is_compared_by_entity(folder: Path, tmp_path: Path) -> None:
    table, runs = write_table(tmp_path), [tmp_path / "fr.geobias", tmp_path / "de.geobias"]
    words = ["run", "geo20q", f"sim/?play=1&entities={table}", "--entities", table]
    said = [
        command(*words, "--language", path.stem, "--out", path, *more)
        for path, more in zip(runs, ([], ["--prompts", folder]), strict=True)
    ]
    assert [one.code for one in said] == [0, 0], said[1].err
    reads_as("Names in other languages, before a run", "\n".join(one.err for one in said))
    found = command("compare", *runs, "--json").json()
    assert found["pairs"][0]["shared"] == 1
    assert "language: fr and de" in found["pairs"][0]["differs"]["telling"]
    rows = command("table", *runs, "success_canonical", "--by", "home", "--json").json()
    assert {row["group"] for row in rows} == {"home", "elsewhere"}


def test_the_same_entities_in_two_languages_are_not_other_items(tmp_path: Path) -> None:
    runs = [tmp_path / "hi.geobias", tmp_path / "en.geobias"]
    words = ["run", "geo20q", "sim/?play=1", "--entities", "Taj Mahal", "--judge-questions", "0"]
    assert [command(*words, "--language", one.stem, "--out", one).code for one in runs] == [0, 0]
    said = " ".join(command("compare", *runs).out.split())
    assert "they asked otherwise: entities" in said


@pytest.mark.parametrize(("language", "tested"), [("es", {"region", "home"}), ("en", {"region"})])
def test_a_change_of_language_is_tested_between_its_own_countries_and_others(
    tmp_path: Path, language: str, tested: set[str]
) -> None:
    names = "Frida Kahlo,Jorge Luis Borges,Wangari Maathai"
    words = ["run", "geo20q", "sim/?play=1", "--judge-questions", "0", "--entities", names]
    runs = {tmp_path / "one.geobias": language, tmp_path / "two.geobias": "en"}
    for path, spoken in runs.items():
        assert command(*words, "--language", spoken, "--out", path).code == 0
    [pair] = command("compare", *runs, "--json").json()["pairs"]
    assert {one["group"] for one in pair["changes"] if one["by"] == "alike"} == tested


def test_a_language_without_a_file_is_refused_with_a_hint(folder: Path) -> None:
    with pytest.raises(LanguageError, match=r"no language 'de'.*--prompts DIR"):
        geo20q.plan(language="de")
    with pytest.raises(LanguageError, match=r"has no nl\.toml, only de\.toml"):
        geo20q.plan(language="nl", prompts=folder)
    with pytest.raises(LanguageError, match=r"nowhere has no fr\.toml"):
        geo20q.plan(language="fr", prompts=folder / "nowhere")
    with pytest.raises(LanguageError, match=r"has no \.\./my-prompts/de\.toml"):
        geo20q.plan(language="../my-prompts/de", prompts=folder)
    with pytest.raises(LanguageError, match=r"no language '\.\./x'"):
        geo20q.plan(language="../x")


def test_english_words_find_no_places_in_a_language_of_ones_own(
    folder: Path, tmp_path: Path
) -> None:
    tower = few(tmp_path)["eiffel-tower"]
    german = load_language("de", folder)
    *_, moves = moves_by_turn(tower, german, ["Liegt es in Japan?"], ["yes"])
    assert ("first_place" in moves, moves["not_yes_no"]) == (False, 0)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_words_of_its_own(code: str) -> None:
    language, english = load_language(code), load_language("en")
    for prompts in (language.people, language.things):
        told = prompts.to_judge("X", "Is it {entity}?")
        assert told.count("{") == 1  # braces in a question stay as they are
        assert told.rstrip().splitlines()[-1].count("Is it {entity}?") == 1
    if code != "en":
        assert language.people.guesser != english.people.guesser
        assert language.people.final_guess != english.people.final_guess
        assert language.people.no == language.things.no
    assert len({language.people.yes, language.people.no, language.people.maybe}) == 3


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_last_question_asks_who_of_people_and_what_of_things(code: str) -> None:
    """The words of every language, read by a person who did not write the prompts."""
    who = {"en": "who", "es": "quién", "fr": "qui est", "pt": "quem", "zh": "谁", "ja": "誰"}
    who |= {"hi": "कौन", "tr": "kim?", "ar": "من هذه"}
    language = load_language(code)
    assert who[code] in language.people.final_guess
    assert who[code] not in language.things.final_guess


def test_the_paper_prints_dunno_after_telling_the_judge_of_things_to_say_maybe() -> None:
    english = load_language("en")
    assert english.prompts("thing").judge.endswith("(Yes/No/Maybe)")
    assert english.prompts("thing", as_printed=True).judge.endswith("(Yes/No/Dunno)")
    assert english.prompts("person", as_printed=True).judge == english.prompts("person").judge
    assert english.prompts("person", as_printed=True).final_guess.endswith("what's it?")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{question}", "", r"fr\.toml: people\.judge lacks the place \{question\}"),
        ('yes = "Oui."', 'yes = ""', r"people\.yes is empty"),
        ('yes = "Oui."', "yes = 3", r"yes"),
        ("[answers]", "[reponses]", r"reponses|answers"),
        ('name = "French"', 'name = "French', r"is not TOML"),
    ],
)
def test_a_bad_file_is_named_with_its_key(tmp_path: Path, old: str, new: str, words: str) -> None:
    shutil.copy(FOLDER / "fr.toml", tmp_path)
    file = tmp_path / "fr.toml"
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(LanguageError, match=words):
        load_language("fr", tmp_path)
