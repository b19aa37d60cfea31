"""Settings are declared once, and turned into options, arguments and manifest entries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click
import pytest

from geobias.cli.options import options_of, with_options
from geobias.errors import BadRequest
from geobias.probes.registry import all_probes
from geobias.probes.settings import (
    OMITTED,
    Setting,
    Settings,
    bearing,
    fields_of,
    parted,
    settings_from,
)


class Own(Settings, frozen=True, kw_only=True):
    """Every kind of setting."""

    places: Annotated[tuple[str, ...], Setting("Which.", bears="items")] = ()
    kind: Annotated[Literal["a", "b"], Setting("A or b.")] = "a"
    most: Annotated[int | None, Setting("At most.", least=1, most=9)] = None
    file: Annotated[Path | None, Setting("A table.", bears="truth")] = None
    loud: Annotated[bool, Setting("Say more.")] = False
    where: Annotated[str, Setting("For the eye.", bears="nothing")] = ""


def made(**given: object) -> Own:
    return settings_from(Own, given, "own")


def test_text_from_a_command_line_and_values_from_python_make_the_same_settings() -> None:
    text = made(places="Kenya, Nauru", most="3", file="x.csv", loud="true", seed="7")
    assert text == made(places=["Kenya", "Nauru"], most=3, file=Path("x.csv"), loud=True, seed=7)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "c"}, "no kind is called 'c': choose from a, b"),
        ({"size": "huge"}, "no size is called 'huge': choose from quick, standard, paper"),
        ({"most": 0}, "most cannot be 0: it is a whole number, at least 1, at most 9"),
        ({"most": "many"}, "most cannot be 'many': it is a whole number"),
        ({"temperature": float("nan")}, "temperature cannot be nan"),
        ({"repeats": 0}, "repeats cannot be 0"),
        ({"colour": "red"}, "own has no option 'colour'; choose from size, repeats"),
        ({"places": " , "}, "' , ' names nothing"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(given: dict[str, object], said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        made(**given)


def test_names_with_commas_are_parted_by_semicolons() -> None:
    assert parted("Bahamas, The; Kenya") == ("Bahamas, The", "Kenya")


def test_repeats_are_sampled_unless_a_temperature_is_given() -> None:
    assert (made().sampled_at, made(repeats=5).sampled_at) == (0.0, 0.8)
    assert made(repeats=5, temperature=0.3).sampled_at == 0.3


def test_the_manifest_has_every_setting_that_bears_on_results() -> None:
    entries = made(places=["Kenya"], where="corner").entries(file="shipped")
    assert entries["places"] == ["Kenya"], "as JSON gives it back"
    assert (entries["file"], entries["temperature"]) == ("shipped", 0.0)
    assert "where" not in entries
    assert "file" not in made().entries(file=OMITTED)


def test_an_entry_that_nobody_declares_is_about_replies() -> None:
    found = {name: bearing(fields_of(Own), name) for name in ("places", "file", "unheard")}
    assert found == {"places": "items", "file": "truth", "unheard": "replies"}


def test_options_of_a_command_are_the_declared_settings() -> None:
    given: dict[str, object] = {}
    command = with_options(options_of(Own), click.Command("x", callback=given.update))
    command.main(["--places", "Kenya,Nauru", "--most", "4", "--loud"], standalone_mode=False)
    assert made(**given) == made(places=["Kenya", "Nauru"], most=4, loud=True)


@pytest.mark.parametrize("name", all_probes())
def test_the_defaults_of_a_command_line_are_those_of_python(name: str) -> None:
    given: dict[str, object] = {}
    probe = all_probes()[name]
    command = with_options(options_of(probe.Settings), click.Command("x", callback=given.update))
    command.main([], standalone_mode=False)
    assert settings_from(probe.Settings, given, name) == probe.Settings()


@pytest.mark.parametrize("name", all_probes())
def test_every_setting_of_a_probe_has_help(name: str) -> None:
    assert all(field.setting.help for field in fields_of(all_probes()[name].Settings))
