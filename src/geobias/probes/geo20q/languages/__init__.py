"""The languages of Geo20Q+: prompts, answer words and phrases, one file for each.

`en.toml` explains the keys. A reviewer edits a copy of a file and passes its folder. A file with
another code adds a language. `facts.toml` has the judge's test questions in each language,
`questions` the words by which a guesser's question is understood, and `frames.toml` the words that
frame a guess.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from geobias.atlas.entities import LANGUAGES, EntityType
from geobias.errors import AtlasError
from geobias.untrusted import Json, Undecodable, in_words, text_of, toml_value

FOLDER = Path(__file__).parent


def shipped(name: str) -> Json:
    return tomllib.loads((FOLDER.parent / name).read_text("utf-8"))


class Prompts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The prompts in games about people, or about things.

    `judge` has the fields {entity} and {question}. The guesser is told `yes`, `no` or `maybe`, and
    `final_guess` when it must guess ("who is it?" or "what is it?").
    """

    guesser: str
    judge: str
    yes: str
    no: str
    maybe: str
    final_guess: str

    def answer_word(self, answer: str) -> str:
        word: str = getattr(self, answer or "maybe")
        return word

    def to_judge(self, entity: str, question: str) -> str:
        """The judge's prompt. Braces in a question come from the model and are kept."""
        parts = self.judge.strip().split("{question}")
        return question.join(part.replace("{entity}", entity) for part in parts)


class AnswerWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words and phrases for each answer. Those in `alone` count only as a whole reply: "Right."."""

    yes: tuple[str, ...]
    no: tuple[str, ...]
    maybe: tuple[str, ...]
    alone: tuple[str, ...] = ()


class GiveUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that mean giving up. `question` is the prompt that asks a model about a turn
    ({text})."""

    clear: tuple[str, ...]
    question: str


class Questions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to recognise a yes/no question: by its question mark, or by phrases of `asks`.

    Questions with phrases of `open` ask for more than yes or no, or for a hint. These phrases count
    at the beginning, or `anywhere`. A text that ends with a phrase of `end` is always a yes/no
    question.
    """

    asks: tuple[str, ...]
    open: tuple[str, ...]
    end: tuple[str, ...] = ()
    anywhere: bool = False


class Language(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The prompts and phrases of games in one language. Case of phrases does not matter."""

    name: str
    """The language's English name."""
    people: Prompts
    things: Prompts
    paper: Mapping[Literal["people", "things"], Prompts] = {}
    """Prompts as printed in the paper, where ours differ."""
    answers: AnswerWords
    give_up: GiveUp
    questions: Questions
    code: str = ""
    source: str = ""

    def prompts(self, type: EntityType, *, as_printed: bool = False) -> Prompts:
        if type == "person":
            return self.paper.get("people", self.people) if as_printed else self.people
        return self.paper.get("things", self.things) if as_printed else self.things


class LanguageError(AtlasError):
    """A language file cannot be used; the message names the file and the key."""


@lru_cache(maxsize=64)
def load_language(code: str, folder: Path | None = None) -> Language:
    if folder is None and code not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise LanguageError(f"no language {code!r}: choose from {known}; --prompts DIR adds one")
    if folder is not None:
        names = sorted(path.name for path in folder.glob("*.toml"))
        if f"{code}.toml" not in names:
            only = f", only {', '.join(names)}" if names else ""
            raise LanguageError(f"{folder} has no {code}.toml{only}")
    return _read((folder or FOLDER) / f"{code}.toml", code)


def _read(path: Path, code: str) -> Language:
    try:
        source = text_of(path)
        language = toml_value(source, Language)
    except Undecodable as error:
        raise LanguageError(f"{path}: {in_words(error)}") from None
    if fault := next(_faults(language), ""):
        raise LanguageError(f"{path}: {fault}")
    return msgspec.structs.replace(language, code=code, source=source)


def _faults(language: Language) -> Iterator[str]:
    """Yield each fault of a file that would make a game impossible, with its key."""
    sides = {"people": language.people, "things": language.things}
    sides |= {f"paper.{side}": printed for side, printed in language.paper.items()}
    for key, prompts in sides.items():
        for name in prompts.__struct_fields__:
            text = getattr(prompts, name)
            if not text.strip():
                yield f"{key}.{name} is empty"
            for place in ("{entity}", "{question}") if name == "judge" else ():
                if place not in text:
                    yield f"{key}.judge lacks the place {place}"
    if "{text}" not in language.give_up.question:
        yield "give_up.question lacks the place {text}"
    for answer in ("yes", "no", "maybe"):
        if not getattr(language.answers, answer):
            yield f"answers.{answer} names no word"
