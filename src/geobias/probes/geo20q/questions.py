"""Parse the guesser's questions, and analyse how the guesser plays a game.

A question is *firm* if, apart from places, it has only words that add nothing ("is it located in
…"). "Is it larger than France?" is not firm, since it names a place and does not ask whether the
target lies there. The words are in `languages/questions.toml`.

Only certain cases count: a question that is not firm contradicts nothing, nor does a "maybe".
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import cache, lru_cache, reduce
from operator import and_, or_
from typing import Any, TypeAlias

import msgspec

from geobias.atlas.entities import LANGUAGES, Entity
from geobias.atlas.places import Place, bit, everywhere, lexicon
from geobias.atlas.spelling import detached
from geobias.atlas.words import split_tokens, split_words
from geobias.probes.geo20q.languages import Language, shipped
from geobias.probes.geo20q.replies import is_yes_no

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

    key     equal for questions that differ only in form
    places  the places that the question names
    firm    whether all words are understood and a yes to one place would exclude others ("located
            in", not "found in")
    either  whether the question offers alternatives
    """

    key: str
    places: tuple[Place, ...] = ()
    firm: bool = False
    either: bool = False

    @property
    def possible(self) -> int:
        """The economies that a yes leaves possible."""
        return self._joined([one.possible for one in self.places])

    @property
    def sure(self) -> int:
        """The economies for which yes is certainly the right answer."""
        return self._joined([one.sure for one in self.places])

    def _joined(self, masks: list[int]) -> int:
        return reduce(or_, masks, 0) if self.either else reduce(and_, masks, -1)


@cache
def question_words(language: str) -> Mapping[str, frozenset[str]]:
    table = shipped("languages/questions.toml")[language]
    return {name: frozenset(split_words(words)) for name, words in table.items()}


@cache
def _known(language: str) -> frozenset[str]:
    phrases = (entry.words for entries in lexicon(language).values() for entry in entries)
    return frozenset().union(*question_words(language).values(), *phrases)


_LEAD = re.compile(
    r"^\W*(?:(?:(?:question|turn|q|pregunta|pergunta|السؤال|سؤال)\s*)?\d{1,3}\s*[.:)\]-]+)?\W*",
    re.I,
)
"""Text that a model writes before its question: "Question 7:", "3)", an opening mark."""
_A_NOT_A = re.compile(r"([是在有来])[不没]\1")
"""是不是 asks whether it is, and negates nothing."""

Said: TypeAlias = list[tuple[str, bool]]
"""Words, and whether they begin with a capital."""


@lru_cache(maxsize=_CACHED)
def parse_question(text: str, language: str) -> ParsedQuestion:
    """Return the meaning of a question, from its first `READ` characters.

    In a language that geobias has no words for, no place is found.
    """
    asked = _A_NOT_A.sub(r"\1", _LEAD.sub("", text[:READ], count=1))
    said = [(one.word, one.raw[:1].isupper()) for one in split_tokens(asked)]
    if language == "ar":
        said = [(part, large) for word, large in said for part in detached([word], _known("ar"))]
    key = " ".join(word for word, _ in said)
    if language not in LANGUAGES:
        return ParsedQuestion(key=key)
    words = question_words(language)
    named, left = _mentions(said, language)
    understood = None not in named and left <= words["plain"] - words["loose"]
    return ParsedQuestion(
        key=key,
        places=tuple(dict.fromkeys(filter(None, named))),
        firm=bool(named) and understood and len(text) <= READ,
        either=bool(left & words["either"]),
    )


def _mentions(said: Said, language: str) -> tuple[list[Place | None], frozenset[str]]:
    """Return the places named (None for words that only look like one), and the other words."""
    phrases, plain = lexicon(language), question_words(language)["plain"]
    named: list[Place | None] = []
    left = set()
    index = 0
    while index < len(said):
        word, _ = said[index]
        for entry in phrases.get(word, ()):
            end = index + len(entry.words)
            same = tuple(word for word, _ in said[index:end]) == entry.words
            if same and (_is_name(index, said, plain) or not entry.capital):
                named.append(entry.place)
                index = end
                break
        else:
            left.add(word)
            index += 1
    return named, frozenset(left)


def _is_name(index: int, said: Said, plain: frozenset[str]) -> bool:
    """Whether a word is a place here: "Jordan", but not "Michael Jordan"."""
    before, large_before = said[index - 1] if index > 1 else ("", False)
    return said[index][1] and not (large_before and before not in plain)


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
    here, possible = bit(entity.country), everywhere()
    continents: set[Place] = set()  # that the judge has affirmed
    moves: Moves = defaultdict(int)
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
        elif question.firm:
            left = possible & question.possible
            # A yes to one continent excludes all others, although Egypt may count as part of two.
            own = {place for place in question.places if place.kind == "continent"}
            elsewhere = bool(continents and own == {*question.places} and not continents & own)
            contradicts = not left or elsewhere
            moves["contradicted"] += contradicts
            # An answer that contradicts earlier ones is ignored.
            if answer == "yes" and (here & left or not contradicts):
                possible = left
                continents |= own
            elif answer == "no":
                possible = possible & ~question.sure or possible
        asked.add(question.key)
        if turn <= shared:
            moves["bits"] = math.log2(everywhere().bit_count() / possible.bit_count())
        yield moves
