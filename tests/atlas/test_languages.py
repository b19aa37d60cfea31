from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from geobias.atlas.entities import LANGUAGES
from geobias.probes.geo20q.languages import CONTINENTS, FOLDER, LanguageError, load_language


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_prompts_answers_and_continents(code: str) -> None:
    language = load_language(code)
    assert language.code == code
    assert set(language.continents) == set(CONTINENTS)
    for prompts in (language.people, language.things):
        told = prompts.to_judge("X", "Y?")
        assert "{" not in told
        assert told.rstrip().splitlines()[-1].count("Y?") == 1


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_words_of_its_own(code: str) -> None:
    language, english = load_language(code), load_language("en")
    if code != "en":
        assert language.people.guesser != english.people.guesser
        assert language.final_guess != english.final_guess
        assert language.people.no == language.things.no
    assert len({language.people.yes, language.people.no, language.people.maybe}) == 3


def test_the_paper_prints_dunno_after_telling_the_judge_of_things_to_say_maybe() -> None:
    english = load_language("en")
    assert english.prompts("thing").judge.endswith("(Yes/No/Maybe)")
    assert english.prompts("thing", "paper").judge.endswith("(Yes/No/Dunno)")
    assert english.prompts("person", "paper") == english.prompts("person")


def test_braces_in_a_question_stay_as_they_are() -> None:
    told = load_language("en").things.to_judge("X", "Is it {entity} or {0}?")
    assert "Is it {entity} or {0}?" in told


def test_an_edited_copy_goes_before_ours_and_other_languages_stay(tmp_path: Path) -> None:
    text = (FOLDER / "fr.toml").read_text("utf-8").replace("Bingo !", "Gagné !")
    (tmp_path / "fr.toml").write_text(text, "utf-8")
    assert load_language("fr", tmp_path).bingo == "Gagné !"
    assert load_language("es", tmp_path) == load_language("es")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{question}", "", r"fr\.toml: people\.judge lacks the place \{question\}"),
        ('yes = "Oui."', 'yes = ""', r"people\.yes is empty"),
        ('yes = "Oui."', "yes = 3", r"yes"),
        ("Africa =", "Afrika =", r"continents .* Africa"),
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


def test_a_misspelt_file_name_is_not_passed_over(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "fr.toml", tmp_path / "fr.toml")
    shutil.copy(FOLDER / "fr.toml", tmp_path / "french.toml")
    with pytest.raises(LanguageError, match=r"french\.toml"):
        load_language("fr", tmp_path)
    with pytest.raises(LanguageError, match="no folder"):
        load_language("fr", tmp_path / "nowhere")
