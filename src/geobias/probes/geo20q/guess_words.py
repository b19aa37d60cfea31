"""How a guess is put in each language: words about names, and patterns of sentences.

One file for each language; `en.toml` explains the keys. A language without a file has none: there a
bare name is a guess, and of any other sentence only a reader could say.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, get_args

import msgspec

from geobias.atlas.spelling import PLAIN_ARABIC, simplified, without_article
from geobias.probes.geo20q.tokens import fold

Sort = Literal["person", "one", "kind"]
"""What a target is: a person, a single thing, or a kind of which there are many."""
FOLDER = Path(__file__).parent / "languages" / "guesses"
_PLACE = re.compile(r"(?<!\?)<(\w+)>")


PatternName = Literal[
    "adverbs", "namely", "fillers", "hanging", "never", "denied", "surely", "no", "yes", "lists",
    "whole", "but", "answers", "choice", "withdraw", "instead", "retract", "second",
]  # fmt: skip
"""What a file may have patterns for."""
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
    patterns: Mapping[PatternName, tuple[str, ...]] = {}


_SETS = (
    *("articles", "indefinite", "links", "titles", "generic", "plain", "common", "openers"),
    "named_after",
)


_IN_PATTERNS = ("generic", "plain", "named_after", "titles", "articles")


class GuessWords:
    """What a file holds, ready to be used. Words are without case and accents."""

    def __init__(self, code: str, file: _File) -> None:
        self.code = code
        self._file = file
        self.question = file.question.strip()
        self.gives_up = file.gives_up
        for name in _SETS:
            written = fold_words(getattr(file, name))
            # Texts are compared without the article that Arabic joins to a word.
            setattr(self, name, frozenset([*written, *map(without_article, written)]))
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
        said_first = [self._patterns(name) for name in ("adverbs", "namely", "fillers")]
        self.openers |= {one for some in said_first for one in some if one.isalpha()}
        self.beside = self.titles | self.generic | self.plain | self.common | self.openers
        self.known = bool(self._patterns("yes"))
        self._sentences: dict[Sort, Mapping[str, tuple[re.Pattern[str], ...]]] = {}

    articles: frozenset[str]
    indefinite: frozenset[str]
    links: frozenset[str]
    titles: frozenset[str]
    generic: frozenset[str]
    plain: frozenset[str]
    common: frozenset[str]
    openers: frozenset[str]
    named_after: frozenset[str]

    def _patterns(self, name: PatternName) -> tuple[str, ...]:
        return self._file.patterns.get(name, ())

    @cached_property
    def adverbs(self) -> re.Pattern[str]:
        """Words that say how sure a guess is, and nothing else: they may stand anywhere in it."""
        return self._apart(self._patterns("adverbs"), after=" ?")

    @cached_property
    def namely(self) -> re.Pattern[str]:
        """What joins a name to its description: "the first woman in space, i.e. §"."""
        return self._apart(self._patterns("namely"), before="[ ,，、،:：]*", after="[ ,，、،:：]*")

    def _apart(
        self, phrases: tuple[str, ...], *, before: str = "", after: str = ""
    ) -> re.Pattern[str]:
        """Any of these phrases, not within a word; `before` and `after` it more may be taken."""
        longest_first = "|".join(sorted(phrases, key=len, reverse=True)) or "(?!)"
        start, end = (r"(?<![^\s,:])", r"(?![^\s,:?])") if self.spaces else ("", "")
        return re.compile(f"{before}{start}(?:{longest_first}){end}{after}")

    @cached_property
    def names_in_a_row(self) -> re.Pattern[str]:
        """Names (§ the target's, ¤ and ¬ others) with only commas, articles and "or" between."""
        name = rf"(?:(?:{_any_word(self.articles)})[ '])?[§¤¬](?:\+\w+)?"
        comma = " ?[,，、،] ?"
        between = rf"(?:{comma})?(?:{self.alternatives.pattern})|{comma}"
        return re.compile(rf"{name}(?:(?:{between}){name})+(?![\w'’+])")

    @cached_property
    def alternatives(self) -> re.Pattern[str]:
        """An "or" between two names."""
        words = self._file.or_ or "(?!)"
        return re.compile(rf" ?(?:{words}) " if self.spaces else f"(?:{words})")

    def sentences(self, sort: Sort) -> Mapping[str, tuple[re.Pattern[str], ...]]:
        """The patterns surely, no and yes for a target of this sort, made when first wanted.

        Of each, first those that every sort shares, which are compiled once.
        """
        if sort not in self._sentences:
            self._sentences[sort] = {
                name: self._parted(self._patterns(name), sort) for name in ("surely", "no", "yes")
            }
        return self._sentences[sort]

    def _parted(self, patterns: tuple[str, ...], sort: Sort) -> tuple[re.Pattern[str], ...]:
        places = {one: self._places(one) for one in get_args(Sort)}
        shared: list[str] = []
        own: list[str] = []
        for pattern in patterns:
            alike = len({_filled(pattern, places[one]) for one in places}) == 1
            (shared if alike else own).append(pattern)
        return tuple(_any(some, places[sort]) for some in (shared, own) if some)

    @cache  # noqa: B019 - there is one of each language, for good
    def pattern(self, name: PatternName) -> re.Pattern[str]:
        """Any of the patterns of this name in the file, compiled when first wanted."""
        return _any(self._patterns(name), self._places())

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
        places = {name: _any_word(getattr(self, name)) for name in _IN_PATTERNS}
        while any(map(_PLACE.search, parts.values())):
            parts = {name: _filled(part, places | parts) for name, part in parts.items()}
        return places | parts


def _any(patterns: Iterable[str], places: Mapping[str, str]) -> re.Pattern[str]:
    """One pattern for all of these. What many of them end with alike, a described name and what
    may follow it, is long, and stands in it once."""
    heads: dict[str, list[str]] = {}
    for pattern in patterns:
        head, name, rest = pattern.partition(_NAMED)
        end = name + rest if name and _is_whole(head) else ""
        heads.setdefault(end, []).append(head if end else pattern)
    whole = "|".join(
        f"(?:{'|'.join(f'(?:{head})' for head in own)}){end}" for end, own in heads.items()
    )
    return _compiled(_filled(whole, places) or r"(?!)")


_compiled = cache(re.compile)
_NAMED = "<described>§"
_IN_PATTERN = re.compile(r"\\.|\[(?:\\.|[^\]])*\]|([()|])")
"""What a pattern is made of, as far as brackets and "or" go: escapes and classes count for none."""


def _is_whole(head: str) -> bool:
    """Whether the beginning of a pattern is one by itself: no bracket open, no "or" outside one."""
    depth = 0
    for sign in _IN_PATTERN.findall(head):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth < 0 or (sign == "|" and not depth):
            return False
    return not depth


def _any_word(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)) or "(?!)"


def _filled(pattern: str, places: Mapping[str, str]) -> str:
    for name, part in places.items():
        pattern = pattern.replace(f"<{name}>", f"(?:{part})")
    return pattern


def fold_all(text: str) -> str:
    return fold(text).strip()


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
    # What is compared with texts has one form of each character; what is said has its own.
    compared = text.translate({ord(one): other for one, other in simplified().items()})
    compared = compared.translate(PLAIN_ARABIC)
    file = msgspec.convert(tomllib.loads(compared), _File)
    file = msgspec.structs.replace(file, question=said.question, gives_up=said.gives_up)
    return GuessWords(code, file)
