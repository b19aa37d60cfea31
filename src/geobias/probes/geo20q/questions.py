"""What the guesser's questions ask about, and how the guesser plays a game.

A question is *firm* if, apart from places and kinds, it has only words that add nothing ("is it
located in …"). "Is it larger than France?" is not firm, since it names a place and does not ask
whether the target lies there. The words are in `languages/questions`, one file per language.
`kinds.toml` says what each kind implies.

What the guesser repeated and where it looked is computed from the game's questions and answers,
without asking a model. Only certain cases count: a question that is not firm contradicts nothing,
and neither does an answer of "maybe".
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from geobias.atlas.entities import CATEGORIES, LANGUAGES, Entity
from geobias.atlas.places import Place, bit, everywhere, folded, lexicon, words
from geobias.atlas.spelling import detached
from geobias.probes.geo20q.languages import Language, load_language
from geobias.probes.geo20q.replies import QUESTION_MARK, is_yes_no

_KIND_BITS = {kind: 1 << index for index, kind in enumerate(("F", "M", *CATEGORIES))}
_EITHER_GENDER = _KIND_BITS["F"] | _KIND_BITS["M"]
ALL_KINDS = (1 << len(_KIND_BITS)) - 1


class Kind(msgspec.Struct, frozen=True):
    """The meaning of a word for a kind of thing or person. Sets of kinds are bits of an integer.

    sure  the kinds of which the word is certainly true
    open  the kinds of which the word may be true
    """

    name: str
    sure: int
    open: int
    professions: tuple[str, ...] = ()

    def truth(self, entity: Entity) -> bool | None:
        """Return whether an entity is of this kind; None if the table does not say."""
        if self.professions:
            return True if entity.type == "person" and entity.category in self.professions else None
        here = _kind_of(entity)
        if not here & ~self.sure:
            return True
        return None if here & (self.sure | self.open) else False

    @property
    def possible(self) -> int:
        return _EITHER_GENDER if self.professions else self.sure | self.open


@cache
def kinds() -> Mapping[str, Kind]:
    table: dict[str, Any] = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text("utf-8"))
    return {
        name: Kind(
            name,
            _bits(row.get("yes", ())),
            _bits(row.get("open", ())),
            tuple(row.get("professions", ())),
        )
        for name, row in table.items()
    }


def _bits(names: Iterable[str]) -> int:
    return sum(_KIND_BITS[name] for name in names)


def _kind_of(entity: Entity) -> int:
    if entity.type == "thing":
        return _KIND_BITS[entity.category]
    return _KIND_BITS[entity.gender] if entity.gender else _EITHER_GENDER


READ = 400
"""Maximum characters of a question that are read."""
_CACHED = 50_000
"""Maximum number of parsed questions in the cache, which only sampled runs reach."""

_HERE = Path(__file__).parent
_WORDS = _HERE / "languages" / "questions"
ONE_COUNTRY = frozenset({"landmark", "building", "museum", "university", "park", "island"})
"""Categories of things that are in one country only."""
STANDING = ONE_COUNTRY | {"mountain", "river", "lake", "nature"}
"""Categories of things that are on one continent, though a border may cross them."""
SPREAD = frozenset({"animal", "plant"})
"""Categories of things that may also be in other countries than the table says."""


class ParsedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """The meaning of a question.

    key            equal for questions that differ only in form
    places, kinds  the places and kinds that the question names
    firm           whether all words are understood, and a yes to a place excludes other places
                   ("located in", not "found in")
    either         whether the question offers alternatives
    yes_no         whether the question can be answered with yes or no
    """

    key: str
    yes_no: bool = False
    places: tuple[Place, ...] = ()
    kinds: tuple[Kind, ...] = ()
    firm: bool = False
    either: bool = False

    def possible_places(self) -> int:
        """Economies for which a yes may be true."""
        return _join([place.possible for place in self.places], self.either)

    def sure_places(self) -> int:
        """Economies for which a yes is certainly true."""
        return _join([place.sure for place in self.places], self.either)

    def possible_kinds(self) -> int:
        """Kinds for which a yes may be true."""
        return _join([kind.possible for kind in self.kinds], self.either)

    def sure_kinds(self) -> int:
        """Kinds for which a yes is certainly true."""
        sure = [0 if kind.professions else kind.sure for kind in self.kinds]
        return _join(sure, self.either)


def _join(masks: list[int], either: bool) -> int:
    joined = 0 if either else -1
    for mask in masks:
        joined = joined | mask if either else joined & mask
    return joined


class QuestionVocabulary(msgspec.Struct, frozen=True, kw_only=True):
    plain: frozenset[str]
    loose: frozenset[str]
    either: frozenset[str]
    guess: tuple[str, ...]
    kinds: Mapping[str, Sequence[tuple[tuple[str, ...], Kind]]]
    """First word of a phrase → phrases with that first word, the longest first, and their kinds."""


@cache
def question_vocabulary(language: str) -> QuestionVocabulary:
    table = tomllib.loads((_WORDS / f"{language}.toml").read_text("utf-8"))
    kinds_by_word: dict[str, list[tuple[tuple[str, ...], Kind]]] = {}
    for name, phrases in table["kinds"].items():
        for phrase in map(words, phrases):
            kinds_by_word.setdefault(phrase[0], []).append((tuple(phrase), kinds()[name]))
    for named in kinds_by_word.values():
        named.sort(key=lambda one: -len(one[0]))
    return QuestionVocabulary(
        guess=tuple(map(folded, table["guess"])),
        kinds=kinds_by_word,
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
    asked = shown
    if language == "zh":
        shown = _A_NOT_A.sub(r"\1", shown)
    tokens = words(shown)
    if language not in LANGUAGES:
        return ParsedQuestion(key=" ".join(tokens))
    vocabulary = question_vocabulary(language)
    if language == "ar":
        tokens = detached(tokens, _known_words(language))
    found_places, found_kinds, rest = _mentions(
        tokens, _capitals(shown, tokens), vocabulary, language
    )
    left = set(rest)
    return ParsedQuestion(
        key=" ".join(tokens),
        yes_no=_can_be_confirmed(asked, tokens, vocabulary, language),
        places=tuple(dict.fromkeys(found_places)),
        kinds=tuple(dict.fromkeys(found_kinds)),
        firm=bool(tokens) and len(text) <= READ and left <= vocabulary.plain - vocabulary.loose,
        either=bool(left & vocabulary.either),
    )


@cache
def _known_words(language: str) -> frozenset[str]:
    """Return all words of a language whose meaning in a question is known."""
    vocabulary = question_vocabulary(language)
    named = (entry.words for entries in lexicon(language).values() for entry in entries)
    kinds_named = (phrase for phrases in vocabulary.kinds.values() for phrase, _ in phrases)
    return vocabulary.plain.union(vocabulary.loose, *named, *kinds_named)


def _mentions(
    tokens: list[str], capital: frozenset[int], vocabulary: QuestionVocabulary, language: str
) -> tuple[list[Place], list[Kind], list[str]]:
    """Return the places and kinds that the words name, and the words left."""
    named = lexicon(language)
    found_places: list[Place] = []
    found_kinds: list[Kind] = []
    rest: list[str] = []
    index = 0
    while index < len(tokens):
        word, length = tokens[index], 0
        for entry in named.get(word, ()):
            length = len(entry.words)
            if tuple(tokens[index : index + length]) == entry.words and not (
                entry.capital and not _is_name(index, tokens, capital, vocabulary)
            ):
                if entry.place is None:
                    rest.append("")  # looks like a place but is not: something else is asked
                else:
                    found_places.append(entry.place)
                break
            length = 0
        if not length:
            for phrase, kind in vocabulary.kinds.get(word, ()):
                if tuple(tokens[index : index + len(phrase)]) == phrase:
                    length = len(phrase)
                    found_kinds.append(kind)
                    break
        if not length:
            rest.append(word)
        index += length or 1
    return found_places, found_kinds, rest


def _is_name(
    index: int, tokens: list[str], capital: frozenset[int], vocabulary: QuestionVocabulary
) -> bool:
    """Return whether a word is a place here: "Jordan", but not "Michael Jordan"."""
    part_of_name = index > 1 and index - 1 in capital and tokens[index - 1] not in vocabulary.plain
    return index in capital and not part_of_name


def _capitals(text: str, tokens: list[str]) -> frozenset[int]:
    """Return the positions of words with a capital; all positions if the split is ambiguous."""
    shapes = re.findall(r"[^\W_]+", text)
    if len(shapes) != len(tokens):
        return frozenset(range(len(tokens)))
    return frozenset(i for i, shape in enumerate(shapes) if shape[:1].isupper())


def _can_be_confirmed(
    text: str, tokens: list[str], vocabulary: QuestionVocabulary, language: str
) -> bool:
    """Return whether yes or no answers a text: it is a yes/no question or a guess."""
    if is_yes_no(text, load_language(language)):
        return True
    if QUESTION_MARK.search(text):
        return False
    if language in ("zh", "ja"):
        return any(guess in folded(text) for guess in vocabulary.guess)
    return " ".join(tokens).startswith(vocabulary.guess)


class Moves(msgspec.Struct, kw_only=True):
    """Counts of how the guesser played a game. `GameRecord` has these fields and explains them."""

    repeated: int = 0
    not_yes_no: int = 0
    contradicted: int = 0
    first_place: str = ""
    first_place_turn: int | None = None
    outside: int = 0
    entered: int | None = None
    bits: float = 0.0


def analyse_moves(
    entity: Entity,
    language: Language,
    questions: Sequence[str],
    answers: Sequence[str],
    *,
    shared: int = 19,
) -> Moves:
    """Return how a game was played, from its questions and answers ("yes", "no", "maybe", "").

    Turns count from 1. A repeated question does not also count as contradicting. `shared` is the
    number of first turns that `bits` is computed from.
    """
    here = bit(entity.country)
    moves, possible = Moves(), _Possible(here)
    asked: set[str] = set()
    for turn, (text, answer) in enumerate(zip(questions, answers, strict=True), start=1):
        question = parse_question(text, language.code)
        moves.not_yes_no += not (question.yes_no or is_yes_no(text, language))
        if question.places and moves.first_place_turn is None:
            moves.first_place, moves.first_place_turn = question.places[0].name, turn
        if question.places and moves.entered is None:
            if any(here & place.possible for place in question.places):
                moves.entered = turn
            else:
                moves.outside += 1
        if question.key in asked:
            moves.repeated += bool(question.key)
        else:
            moves.contradicted += possible.excludes(question)
            possible.take_in(question, answer)
        asked.add(question.key)
        if turn <= shared:
            left = possible.places.bit_count()
            moves.bits = math.log2(everywhere().bit_count() / left)
    return moves


class _Possible:
    """The economies and kinds that are possible for the target after the answers so far."""

    def __init__(self, here: int) -> None:
        self.here = here
        self.places = everywhere()
        self.kinds = ALL_KINDS
        self.continents: tuple[Place, ...] = ()

    def excludes(self, question: ParsedQuestion) -> bool:
        """Return whether a yes to the question would contradict what the judge has said.

        A yes to one continent excludes all others, although Egypt may be counted to two.
        """
        if not question.firm:
            return False
        if question.places and not self.places & question.possible_places():
            return True
        others = {p for p in question.places if p.kind == "continent"}
        if self.continents and len(others) == len(question.places) > 0:
            return not others & set(self.continents)
        return bool(question.kinds) and not self.kinds & question.possible_kinds()

    def take_in(self, question: ParsedQuestion, answer: str) -> None:
        """Narrow the possible economies and kinds by an answer.

        An answer that contradicts earlier answers is ignored.
        """
        if not question.firm:
            return
        if answer == "yes":
            on_both = question.places and self.here & self.places & question.possible_places()
            if self.excludes(question) and not on_both:
                return
            if question.places:
                self.places &= question.possible_places()
                self.continents += tuple(p for p in question.places if p.kind == "continent")
            if question.kinds:
                self.kinds &= question.possible_kinds()
        elif answer == "no" and bool(question.places) != bool(question.kinds):
            # Of two claims, a no does not say which is wrong.
            places = self.places & ~question.sure_places() if question.places else self.places
            kinds = self.kinds & ~question.sure_kinds() if question.kinds else self.kinds
            if places and kinds:
                self.places, self.kinds = places, kinds
