"""Language files on their pages: read, edited, saved, and tried in a game."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.plugins import geo20q_prompt_files as languages
from geobias.probes.geo20q.languages import FOLDER, LanguageError, load_language
from tests.probes.geo20q.scripts import Script
from tests.view.conftest import Site, serving
from tests.waiting import until


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "runs"
    folder.mkdir()
    with serving(tmp_path / "cache") as start:
        yield start(folder)


@pytest.mark.parametrize("code", list(LANGUAGE_NAMES))
def test_a_language_file_written_by_us_reads_as_the_one_it_was_made_from(code: str) -> None:
    text = languages.edited_text(code, None, {})
    made = tomllib.loads(text)
    shipped = tomllib.loads((FOLDER / f"{code}.toml").read_text("utf-8"))

    def stripped(value: object) -> object:
        if isinstance(value, dict):
            return {key: stripped(one) for key, one in value.items()}
        return value.strip("\n") if isinstance(value, str) else value

    assert stripped(made) == stripped(shipped)
    assert languages.checked(code, text).name == load_language(code).name


def test_an_edited_language_is_saved_in_its_folder_and_used(site: Site) -> None:
    form = {"key:people.yes": "Oui !", "key:answers.yes": "oui\nouais\n"}
    answer = site.send("/languages/fr/save", **form)
    assert answer.status == 303
    folder = site.runs / "prompts"
    assert [path.name for path in folder.iterdir()] == ["fr.toml"]
    assert load_language("fr", folder).people.yes == "Oui !"
    assert load_language("fr", folder).answers.yes == ("oui", "ouais")
    assert "your file, 2 keys changed" in site.ask("/languages").text
    assert "Oui !" in site.ask("/languages/fr").text


def test_a_language_that_no_game_could_use_is_not_saved(site: Site) -> None:
    answer = site.send("/languages/fr/save", **{"key:people.judge": "sans place"})
    assert answer.status == 422
    assert "people.judge lacks the place {entity}" in answer.text
    assert "sans place" in answer.text
    assert not (site.runs / "prompts").exists()


def test_a_game_is_played_with_what_is_in_the_fields(site: Site) -> None:
    begun = site.send("/languages/en/play", model="sim/fair", turns="4", entity="eiffel-tower")
    live = over(site, json.loads(begun.text)["id"])
    assert live["state"] == "over"
    assert live["ending"] in ("won", "lost", "gave up")
    assert 1 <= len(live["turns"]) <= 4


def test_a_live_game_shows_the_line_that_the_judge_was_asked(
    tmp_path: Path, raw_server: Callable[..., Any]
) -> None:
    script = Script(["I have thought about it\nThe Taj Mahal then"])
    url = raw_server(script).url
    with serving(tmp_path / "cache") as start:
        live = played(start(tmp_path, models=[url]), url)
    assert live["turns"][0]["asked"] == "The Taj Mahal then"


def played(site: Site, url: str) -> Any:
    begun = site.send("/languages/en/play", model=url, turns="2", entity="eiffel-tower")
    return over(site, json.loads(begun.text)["id"])


def over(site: Site, game: str) -> Any:
    """The game when it has come to its end."""
    live: Any = {}

    def ended() -> bool:
        live.update(json.loads(site.ask(f"/game/{game}.json").text))
        return bool(live["over"])

    until(ended)
    return live


@pytest.mark.parametrize(
    "model", ["SERVER", "openai/gpt-4o-mini", "embedded:/etc/passwd", "sim/?entities=/etc/passwd"]
)
def test_no_model_is_asked_that_the_viewer_was_not_started_with(
    site: Site,
    raw_server: Callable[..., Any],
    model: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GEOBIAS_API_KEY", "sk-geobias-this-is-a-secret")
    script = Script(["Is it a person?"])
    server = raw_server(script)
    refused = site.send("/languages/en/play", model=model.replace("SERVER", server.url))
    assert refused.status == 422
    assert "started with" in json.loads(refused.text)["fault"]
    assert script.prompts == []
    shown = site.ask("/languages/en").text
    assert re.findall('<option value="([^"]*)">', shown.partition('name="model"')[2])[:2] == [
        "sim/fair",
        "embedded",
    ]


def test_a_game_that_cannot_be_played_says_why(tmp_path: Path) -> None:
    with serving(tmp_path / "cache") as start:
        _refusals(start(tmp_path, models=["sim/none"]))


def _refusals(site: Site) -> None:
    refused = site.send("/languages/en/play", model="sim/fair", entity="atlantis")
    assert refused.status == 422
    assert "atlantis" in json.loads(refused.text)["fault"]
    begun = json.loads(site.send("/languages/en/play", model="sim/none").text)["id"]
    live = over(site, begun)
    assert live["state"] == "failed"
    assert "no simulated model" in live["ending"]


def test_toml_that_is_broken_is_named() -> None:
    with pytest.raises(LanguageError, match="not TOML"):
        languages.checked("fr", "name = ")
