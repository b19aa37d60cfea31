"""The prompt files of Geo20Q+ beside the English one: read, edited, checked, written.

A file is shown key by key. What is written is the same TOML that `--prompts DIR` reads; only what
the reader of such files accepts is written, and only into the one folder that was chosen at the
start.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from geobias.atlas.entities import LANGUAGE_NAMES, LANGUAGES
from geobias.files import write_whole
from geobias.probes.geo20q.languages import FOLDER, Language, LanguageError, load_language
from geobias.untrusted import Undecodable, text_of, toml_table

GROUPS = (
    ("Said to the players", ("people.", "things.", "bingo", "paper.")),
    ("How the judge is understood", ("answers.", "refusals")),
    ("How the guesser is understood", ("questions.", "give_up.")),
    ("Continents", ("continents.",)),
)


class Field(msgspec.Struct, frozen=True):
    """One key of a language file. A list is shown with one entry a line."""

    key: str
    english: str
    shipped: str
    value: str
    is_list: bool
    long: bool

    @property
    def changed(self) -> bool:
        return self.value != self.shipped


def file_of(code: str, folder: Path | None) -> Path:
    """The file in use: the reviewer's where there is one, else ours."""
    own = folder / f"{code}.toml" if folder is not None else None
    return own if own is not None and own.exists() else FOLDER / f"{code}.toml"


def values(path: Path) -> dict[str, str | list[str]]:
    """A file as one flat mapping: "people.judge" → text, "answers.yes" → list of texts."""
    try:
        return dict(_flat(toml_table(text_of(path))))
    except Undecodable as error:
        raise LanguageError(f"{path}: {error}") from None


def _flat(table: Mapping[str, Any], head: str = "") -> Iterator[tuple[str, str | list[str]]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{head}{key}.")
        else:
            yield f"{head}{key}", value


def fields(code: str, folder: Path | None, edited: Mapping[str, str] = {}) -> list[Field]:
    """Every key of a language, beside English; `edited` goes before what is in the file."""
    english, shipped = values(FOLDER / "en.toml"), values(FOLDER / f"{code}.toml")
    now = values(file_of(code, folder))
    listed = []
    for key in dict.fromkeys([*english, *shipped, *now]):
        if key == "name" or (key.startswith("paper.") and key not in now):
            continue
        kind = now.get(key, english.get(key, ""))
        listed.append(
            Field(
                key,
                shown(english.get(key, "")),
                shown(shipped.get(key, "")),
                edited.get(key, shown(now.get(key, ""))),
                isinstance(kind, list),
                isinstance(kind, list) or len(shown(kind)) > 90,
            )
        )
    return listed


def grouped(listed: list[Field]) -> list[tuple[str, list[Field]]]:
    """The fields under headings, in the order a reviewer reads them."""
    return [
        (title, [one for start in starts for one in listed if one.key.startswith(start)])
        for title, starts in GROUPS
    ]


def shown(value: str | list[str]) -> str:
    return "\n".join(value) if isinstance(value, list) else value.strip("\n")


def edited_text(code: str, folder: Path | None, edited: Mapping[str, str]) -> str:
    now = values(file_of(code, folder))
    made: dict[str, str | list[str]] = {}
    for key, old in now.items():
        text = edited.get(key, shown(old)).replace("\r\n", "\n")
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        made[key] = lines if isinstance(old, list) else text
    head = (
        f"# Geo20Q+ in {LANGUAGE_NAMES[code]}, edited with geobias view. "
        "Give its folder with --prompts.\n"
    )
    return head + toml(made)


def toml(flat: Mapping[str, str | list[str]]) -> str:
    tables: dict[str, list[str]] = {"": []}
    for key, value in flat.items():
        table, _, name = key.rpartition(".")
        written = (
            "[" + ", ".join(map(_string, value)) + "]"
            if isinstance(value, list)
            else _string(value)
        )
        tables.setdefault(table, []).append(f"{_key(name)} = {written}")
    parts = ["\n".join(tables.pop(""))]
    parts += [f"[{table}]\n" + "\n".join(lines) for table, lines in tables.items()]
    return "\n\n".join(parts) + "\n"


def _key(name: str) -> str:
    plain = name.replace("_", "").replace("-", "")
    return name if plain.isascii() and plain.isalnum() else _string(name)


def _string(text: str) -> str:
    """A basic string. JSON's escapes are TOML's, but for the solidus, which JSON leaves alone."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")


def checked(code: str, text: str) -> Language:
    """The language that a text makes, or a LanguageError that names the key."""
    with tempfile.TemporaryDirectory(prefix="geobias-view-") as folder:
        path = Path(folder) / f"{code}.toml"
        path.write_text(text, "utf-8")
        try:
            return load_language(code, Path(folder))
        except LanguageError as error:
            raise LanguageError(str(error).replace(f"{path}: ", "")) from None


def save(code: str, text: str, folder: Path) -> Path:
    """Write a language file that was found good into the folder of prompts, whole or not at all."""
    checked(code, text)
    path = folder / f"{code}.toml"
    write_whole(path, text.encode())
    load_language.cache_clear()
    return path


def overview(folder: Path | None) -> list[dict[str, Any]]:
    """The nine languages: where each comes from, and how much of it was changed."""
    languages = []
    for code in LANGUAGES:
        own = file_of(code, folder).parent != FOLDER
        try:
            listed = fields(code, folder)
            changed, fault = sum(one.changed for one in listed), ""
            load_language(code, folder if own else None)
        except LanguageError as error:
            changed, fault = 0, str(error)
        languages.append(
            {
                "code": code,
                "name": LANGUAGE_NAMES[code],
                "own": own,
                "changed": changed,
                "fault": fault,
            }
        )
    return languages
