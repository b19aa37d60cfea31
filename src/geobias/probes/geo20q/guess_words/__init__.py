"""How a guess is put in each language: words about names, and patterns of sentences.

One file for each language; `en.toml` explains the keys. A language without a file has none: there a
bare name is a guess, and of any other sentence only a reader could say.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, get_args

import msgspec

from geobias.atlas.arabic import without_article
from geobias.atlas.chinese import simplified
from geobias.probes.geo20q.naming import folded

Sort = Literal["person", "one", "kind"]
"""What a target is: a person, a single thing, or a kind of which there are many."""
FOLDER = Path(__file__).parent
_PLACE = re.compile(r"(?<!\?)<(\w+)>")


class _Patterns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fillers: tuple[str, ...] = ()
    hanging: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    surely: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    yes: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()
    withdraw: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    retract: tuple[str, ...] = ()
    second: tuple[str, ...] = ()


_QUESTION = """
In a game of 20 Questions about {entity}, the player who has to guess says:
"{text}"
Does the player propose {entity} as the answer, and not only mention it? Answer only Yes or No."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    question: str = _QUESTION
    gives_up: tuple[str, ...] = ()
    articles: str = ""
    indefinite: str = ""
    titles: str = ""
    generic: str = ""
    plain: str = ""
    common: str = ""
    openers: str = ""
    named_after: str = ""
    after_name: str = ""
    abbreviations: Mapping[str, str] = {}
    ordinals: Mapping[str, int] = {}
    links: str = ""
    or_: str = msgspec.field(name="or", default="")
    ten: str = ""
    after_number: str = ""
    before_number: tuple[str, ...] = ()
    endings: str = ""
    cases: bool = False
    spaces: bool = True
    nouns: Mapping[str, str] = {}
    of: str = ""
    noun_first: bool = False
    parts: Mapping[str, str] = {}
    patterns: _Patterns = _Patterns()


_SETS = (
    *("articles", "indefinite", "links", "titles", "generic", "plain", "common", "openers"),
    "named_after",
)


class GuessWords:
    """What a file holds, ready to be used. Words are without case and accents."""

    def __init__(self, code: str, file: _File) -> None:
        self.code = code
        self._file = file
        self.question = file.question.strip()
        self.gives_up = file.gives_up
        for name in _SETS:
            setattr(self, name, frozenset(fold_words(getattr(file, name))))
        self.abbreviations = file.abbreviations
        self.after_name = frozenset(file.after_name)
        self.ordinals = {
            without_article(fold_all(word)): number for word, number in file.ordinals.items()
        }
        self.ten = file.ten
        self.after_number = file.after_number
        self.before_number = file.before_number
        self.cases = file.cases
        self.spaces = file.spaces
        self.nouns = {kind: fold_words(nouns) for kind, nouns in file.nouns.items()}
        self.of = file.of
        self.noun_first = file.noun_first
        self.endings = re.compile(file.endings or r"(?!)")
        self.beside = self.titles | self.generic | self.plain | self.common | self.openers
        self.known = bool(file.patterns.yes)

    articles: frozenset[str]
    indefinite: frozenset[str]
    links: frozenset[str]
    titles: frozenset[str]
    generic: frozenset[str]
    plain: frozenset[str]
    common: frozenset[str]
    openers: frozenset[str]
    named_after: frozenset[str]

    @cached_property
    def lists(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.lists, self._places())

    @cached_property
    def fillers(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.fillers, {})

    @cached_property
    def hanging(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.hanging, self._places())

    @cached_property
    def never(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.never, self._places())

    @cached_property
    def whole(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.whole, self._places())

    @cached_property
    def but(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.but, self._places())

    @cached_property
    def answers(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.answers, self._places())

    @cached_property
    def choice(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.choice, self._places())

    @cached_property
    def withdraw(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.withdraw, self._places())

    @cached_property
    def instead(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.instead, {})

    @cached_property
    def names_in_a_row(self) -> re.Pattern[str]:
        """Names (§ the target's, ¤ and ¬ others) with only commas, articles and "or" between."""
        articles = "|".join(sorted(map(re.escape, self.articles), key=len, reverse=True))
        name = rf"(?:(?:{articles or '(?!)'})[ '])?[§¤¬](?:\+\w+)?"
        comma = " ?[,，、،] ?"
        between = rf"(?:{comma})?(?:{self.alternatives.pattern})|{comma}"
        return re.compile(rf"{name}(?:(?:{between}){name})+(?![\w'’+])")

    @cached_property
    def alternatives(self) -> re.Pattern[str]:
        """An "or" between two names."""
        words = self._file.or_ or "(?!)"
        return re.compile(rf" ?(?:{words}) " if self.spaces else f"(?:{words})")

    @cached_property
    def retract(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.retract, self._places())

    @cached_property
    def second(self) -> re.Pattern[str]:
        return self._any(self._file.patterns.second, self._places())

    @cached_property
    def sentences(self) -> Mapping[Sort, tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]]:
        """What the target is → patterns: surely, no, yes."""
        return {
            sort: (
                self._any(self._file.patterns.surely, self._places(sort)),
                self._any(self._file.patterns.no, self._places(sort)),
                self._any(self._file.patterns.yes, self._places(sort)),
            )
            for sort in get_args(Sort)
        }

    def _places(self, sort: Sort = "one") -> dict[str, str]:
        """The parts of patterns; one whose name ends in _person, _one or _kind is that target's.

        Before a name of a person or single thing anything may stand ("the Jamaican sprinter").
        Before a kind's only plain words, since others make another kind of it ("Neapolitan pizza").
        """
        parts = dict(self._file.parts)
        for name, part in self._file.parts.items():
            bare, _, whose = name.rpartition("_")
            if whose in get_args(Sort):
                del parts[name]
                if whose == sort or (
                    (whose, sort) == ("one", "person") and f"{bare}_person" not in self._file.parts
                ):
                    parts[bare] = part
        places = {
            "generic": "|".join(sorted(map(re.escape, self.generic), key=len, reverse=True))
            or "(?!)",
            "plain": "|".join(sorted(map(re.escape, self.plain), key=len, reverse=True)) or "(?!)",
            "named_after": "|".join(sorted(map(re.escape, self.named_after), key=len, reverse=True))
            or "(?!)",
            "titles": "|".join(sorted(map(re.escape, self.titles), key=len, reverse=True))
            or "(?!)",
        }
        while any(map(_PLACE.search, parts.values())):
            parts = {name: _filled(part, places | parts) for name, part in parts.items()}
        return places | parts

    @staticmethod
    def _any(patterns: tuple[str, ...], places: Mapping[str, str]) -> re.Pattern[str]:
        whole = "|".join(f"(?:{_filled(pattern, places)})" for pattern in patterns)
        return re.compile(whole or r"(?!)")


def _filled(pattern: str, places: Mapping[str, str]) -> str:
    for name, part in places.items():
        pattern = pattern.replace(f"<{name}>", f"(?:{part})")
    return pattern


def fold_all(text: str) -> str:
    return "".join(map(folded, text)).strip()


def fold_words(text: str) -> list[str]:
    return (
        fold_all(text.replace("_", " ")).split()
        if "_" not in text
        else [fold_all(word.replace("_", " ")) for word in text.split()]
    )


@cache
def guess_words(code: str) -> GuessWords:
    path = FOLDER / f"{code}.toml"
    if not path.is_file():
        return GuessWords(code, _File())
    text = path.read_text("utf-8")
    said = msgspec.convert(tomllib.loads(text), _File)
    # What is compared with texts has one form of each Chinese character; what is said has its own.
    compared = text.translate({ord(one): other for one, other in simplified().items()})
    file = msgspec.convert(tomllib.loads(compared), _File)
    file = msgspec.structs.replace(file, question=said.question, gives_up=said.gives_up)
    return GuessWords(code, file)
