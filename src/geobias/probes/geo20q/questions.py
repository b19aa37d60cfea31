"""Parse the guesser's questions, and analyse how the guesser plays a game.

A question is *firm* if, apart from places and kinds, it has only words that add nothing ("is it
located in …"). "Is it larger than France?" is not firm, since it names a place and does not ask
whether the target lies there. The words are in `languages/questions`, one file per language.
`kinds.toml` says what each kind implies.

The guesser's repeated questions and the places that it asked about are computed from the game's
questions and answers, without a model. Only certain cases count: a question that is not firm
contradicts nothing, and neither does an answer of "maybe".
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, lru_cache, reduce
from operator import and_, or_
from typing import Any, TypeAlias

import msgspec

from geobias.atlas.entities import CATEGORIES, LANGUAGES, Entity
from geobias.atlas.places import Place, bit, everywhere, lexicon, words
from geobias.atlas.spelling import detached
from geobias.probes.geo20q.languages import Language, shipped
from geobias.probes.geo20q.replies import is_yes_no

_KIND_BITS = {kind: 1 << index for index, kind in enumerate(("F", "M", *CATEGORIES))}
_EITHER_GENDER = _KIND_BITS["F"] | _KIND_BITS["M"]
ALL_KINDS = (1 << len(_KIND_BITS)) - 1


class Kind(msgspec.Struct, frozen=True):
    """The meaning of a word for a kind of thing or person. Sets of kinds are bits of an integer.

    sure      the kinds of which the word is certainly true
    possible  these, and the kinds of which the word may be true
    """

    name: str
    sure: int
    possible: int
    professions: tuple[str, ...] = ()

    def truth(self, entity: Entity) -> bool | None:
        """Return whether an entity is of this kind; None if the table does not say."""
        if self.professions:
            return True if entity.type == "person" and entity.category in self.professions else None
        here = _bits([entity.category if entity.type == "thing" else entity.gender])
        here = here or _EITHER_GENDER
        if not here & ~self.sure:
            return True
        return None if here & self.possible else False


@cache
def kinds() -> Mapping[str, Kind]:
    found = {}
    for name, row in shipped("kinds.toml").items():
        sure = _bits(row.get("yes", ()))
        possible = _EITHER_GENDER if "professions" in row else sure | _bits(row.get("open", ()))
        found[name] = Kind(name, sure, possible, tuple(row.get("professions", ())))
    return found


def _bits(names: Iterable[str]) -> int:
    return sum(_KIND_BITS[name] for name in names if name)


READ = 400
"""Maximum characters of a question that are read."""
_CACHED = 50_000
"""Maximum number of parsed questions in the cache, which only sampled runs reach."""

ONE_COUNTRY = frozenset({"landmark", "building", "museum", "university", "park", "island"})
"""Categories of things that are in one country only."""
STANDING = ONE_COUNTRY | {"mountain", "river", "lake", "nature"}
"""Categories of things that lie on one continent but may cross borders."""
SPREAD = frozenset({"animal", "plant"})
"""Categories of things that may also be in other countries than the table says."""


class ParsedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """The meaning of a question.

    key            equal for questions that differ only in form
    places, kinds  the places and kinds that the question names
    firm           whether all words are understood and a yes to one place would exclude others
                   ("located in", not "found in")
    either         whether the question offers alternatives
    """

    key: str
    places: tuple[Place, ...] = ()
    kinds: tuple[Kind, ...] = ()
    firm: bool = False
    either: bool = False

    def possible(self, named: Sequence[Place | Kind]) -> int:
        """The economies (or kinds) that a yes leaves possible; `named` are those asked about."""
        return self._joined([one.possible for one in named])

    def sure(self, named: Sequence[Place | Kind]) -> int:
        """The economies (or kinds) for which yes is certainly the right answer."""
        return self._joined([one.sure for one in named])

    def _joined(self, masks: list[int]) -> int:
        return reduce(or_, masks, 0) if self.either else reduce(and_, masks, -1)


class QuestionVocabulary(msgspec.Struct, frozen=True, kw_only=True):
    """The words of questions in a language.

    `phrases` maps a word to the phrases that begin with it. A phrase has its words, its meaning
    (None if it only looks like a place), and whether it needs a capital. Places come before kinds,
    and long phrases before short ones.
    """

    plain: frozenset[str]
    loose: frozenset[str]
    either: frozenset[str]
    phrases: Mapping[str, Sequence[tuple[tuple[str, ...], Place | Kind | None, bool]]]


@cache
def question_vocabulary(language: str) -> QuestionVocabulary:
    table = shipped(f"languages/questions/{language}.toml")
    named: list[tuple[tuple[str, ...], Place | Kind | None, bool]] = [
        (entry.words, entry.place, entry.capital)
        for entries in lexicon(language).values()
        for entry in entries
    ]
    of_kinds = [(tuple(words(one)), kinds()[name], False)
                for name, phrases in table["kinds"].items() for one in phrases]  # fmt: skip
    phrases: dict[str, list[tuple[tuple[str, ...], Place | Kind | None, bool]]] = {}
    for one in (*named, *sorted(of_kinds, key=lambda one: -len(one[0]))):
        phrases.setdefault(one[0][0], []).append(one)
    return QuestionVocabulary(
        phrases=phrases,
        **{name: frozenset(words(table[name])) for name in ("plain", "loose", "either")},
    )


_LEAD = re.compile(
    r"^\W*(?:(?:(?:question|turn|q|pregunta|pergunta|السؤال|سؤال)\s*)?\d{1,3}\s*[.:)\]-]+)?\W*",
    re.I,
)
"""Text that a model writes before its question: "Question 7:", "3)", an opening mark."""
_A_NOT_A = re.compile(r"([是在有来])[不没]\1")
"""是不是 asks whether it is, and negates nothing."""
_SURROGATES = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=_CACHED)
def parse_question(text: str, language: str) -> ParsedQuestion:
    """Return the meaning of a question, from its first `READ` characters.

    In a language that geobias has no words for, no place or kind is found.
    """
    shown = _LEAD.sub("", _SURROGATES.sub("", text[: READ + 40])[:READ], count=1)
    if language == "zh":
        shown = _A_NOT_A.sub(r"\1", shown)
    tokens = words(shown)
    if language not in LANGUAGES:
        return ParsedQuestion(key=" ".join(tokens))
    vocabulary = question_vocabulary(language)
    if language == "ar":
        tokens = detached(tokens, _known_words(language))
    named, left = _mentions(tokens, _capitals(shown, tokens), vocabulary)
    return ParsedQuestion(
        key=" ".join(tokens),
        places=tuple(dict.fromkeys(one for one in named if isinstance(one, Place))),
        kinds=tuple(dict.fromkeys(one for one in named if isinstance(one, Kind))),
        firm=bool(tokens)
        and len(text) <= READ
        and None not in named
        and left <= vocabulary.plain - vocabulary.loose,
        either=bool(left & vocabulary.either),
    )


@cache
def _known_words(language: str) -> frozenset[str]:
    """Return all words of a language whose meaning in a question is known."""
    vocabulary = question_vocabulary(language)
    phrases = (phrase for found in vocabulary.phrases.values() for phrase, *_ in found)
    return vocabulary.plain.union(vocabulary.loose, *phrases)


def _mentions(
    tokens: list[str], capital: frozenset[int], vocabulary: QuestionVocabulary
) -> tuple[list[Place | Kind | None], frozenset[str]]:
    """Return the meanings that the words of a question have, and the remaining words."""
    named: list[Place | Kind | None] = []
    left = set()
    index = 0
    while index < len(tokens):
        for phrase, meaning, needs_capital in vocabulary.phrases.get(tokens[index], ()):
            end = index + len(phrase)
            if tuple(tokens[index:end]) == phrase and not (
                needs_capital and not _is_name(index, tokens, capital, vocabulary)
            ):
                named.append(meaning)
                index = end
                break
        else:
            left.add(tokens[index])
            index += 1
    return named, frozenset(left)


def _is_name(
    index: int, tokens: list[str], capital: frozenset[int], vocabulary: QuestionVocabulary
) -> bool:
    """Return whether a word is a place here: "Jordan", but not "Michael Jordan"."""
    part_of_name = index > 1 and index - 1 in capital and tokens[index - 1] not in vocabulary.plain
    return index in capital and not part_of_name


def _capitals(text: str, tokens: list[str]) -> frozenset[int]:
    """Return the positions of words with a capital. If words cannot be matched, return all
    positions.
    """
    shapes = re.findall(r"[^\W_]+", text)
    if len(shapes) != len(tokens):
        return frozenset(range(len(tokens)))
    return frozenset(i for i, shape in enumerate(shapes) if shape[:1].isupper())


Moves: TypeAlias = dict[str, Any]
"""Counts of how the guesser played a game. `GameRecord` has fields of the same names."""


def moves_by_turn(
    entity: Entity,
    language: Language,
    questions: Sequence[str],
    answers: Sequence[str],
    *,
    shared: int = 19,
) -> Iterator[Moves]:
    """Yield how the guesser has played (`Moves`) before the first turn and after each turn.

    Answers are "yes", "no", "maybe" or "". A repeated question is never counted as contradicting.
    Turns count from 1. Only the first `shared` turns count for `bits`.
    """
    here = bit(entity.country)
    moves: Moves = defaultdict(int)
    possible = _Possible(here)
    yield moves
    asked: set[str] = set()
    for turn, (text, answer) in enumerate(zip(questions, answers, strict=True), start=1):
        moves = copy(moves)
        question = parse_question(text, language.code)
        moves["not_yes_no"] += not is_yes_no(text, language)
        if question.places and "first_place" not in moves:
            moves |= {"first_place": question.places[0].name, "first_place_turn": turn}
        if question.places and "entered" not in moves:
            if any(here & place.possible for place in question.places):
                moves["entered"] = turn
            else:
                moves["outside"] += 1
        if question.key in asked:
            moves["repeated"] += bool(question.key)
        else:
            moves["contradicted"] += possible.excludes(question)
            possible.take_in(question, answer)
        asked.add(question.key)
        if turn <= shared:
            left = possible.places.bit_count()
            moves["bits"] = math.log2(everywhere().bit_count() / left)
        yield moves


class _Possible:
    """The economies and kinds that are possible for the target after the answers so far."""

    def __init__(self, here: int) -> None:
        self.here = here
        self.places = everywhere()
        self.kinds = ALL_KINDS
        self.continents: set[Place] = set()

    def excludes(self, question: ParsedQuestion) -> bool:
        """Return whether a yes to the question would contradict what the judge has said.

        A yes to one continent excludes all others, although Egypt may count as part of two.
        """
        if not question.firm:
            return False
        if question.places and not self.places & question.possible(question.places):
            return True
        if self.continents and question.places and _continents(question) == {*question.places}:
            return not self.continents & {*question.places}
        return bool(question.kinds) and not self.kinds & question.possible(question.kinds)

    def take_in(self, question: ParsedQuestion, answer: str) -> None:
        """Narrow the possible economies and kinds by an answer.

        An answer that contradicts earlier answers is ignored.
        """
        places, kinds = question.places, question.kinds
        if not question.firm:
            return
        if answer == "yes":
            on_both = places and self.here & self.places & question.possible(places)
            if on_both or not self.excludes(question):
                self.places &= question.possible(places) if places else -1
                self.kinds &= question.possible(kinds) if kinds else -1
                self.continents |= _continents(question)
        elif answer == "no" and bool(places) != bool(kinds):
            # Of two claims, a no does not say which is wrong.
            left = self.places & ~question.sure(places) if places else self.places
            left_kinds = self.kinds & ~question.sure(kinds) if kinds else self.kinds
            if left and left_kinds:
                self.places, self.kinds = left, left_kinds


def _continents(question: ParsedQuestion) -> set[Place]:
    return {place for place in question.places if place.kind == "continent"}
