"""What a guesser's question asks: which places, which kind of thing, and whether that is all.

A question is *understood* when, apart from places and kinds, only words are left that add nothing
("is it located in …"). Only such a question can be compared with the entity table: in "is it larger
than France?" a place is named, and nothing is said about where the target lies. The words are in
`words/`, one file per language; what each kind settles is in the atlas.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from geobias.atlas.arabic import detached
from geobias.atlas.entities import LANGUAGES, Entity
from geobias.atlas.kinds import Kind, kinds
from geobias.atlas.languages import load_language
from geobias.atlas.places import Place, bit, folded, lexicon, words
from geobias.probes.geo20q.yes_no_questions import QUESTION_MARK, is_yes_no
from geobias.probes.lazy import regex

READ = 400
"""Characters of a question that are looked at: nobody needs more, and a model may write more."""
_CACHED = 50_000
"""Questions remembered: greedy games ask the same ones, and a sampled run must not fill memory."""

_HERE = Path(__file__).parent
ONE_COUNTRY = frozenset({"landmark", "building", "museum", "university", "park", "island"})
"""Things that stand in one country and nowhere else."""
STANDING = ONE_COUNTRY | {"mountain", "river", "lake", "nature"}
"""Things that stand on one continent, though a border may run through them."""
SPREAD = frozenset({"animal", "plant"})
"""Things of which nobody can say from the table where they are not."""


class ParsedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question as understood; `key` is the same for questions that differ only in looks.

    places, kinds  those it names
    understood     whether nothing else is in it
    firm           understood, and of a place that excludes others ("located in", not "found in")
    either         whether it offers alternatives
    origin         whether it asks where somebody is from rather than where something is
    impersonal     "is it in …?", which of a person can only mean where they are from
    yes_no         whether yes or no is an answer to it
    """

    key: str
    yes_no: bool
    places: tuple[Place, ...] = ()
    kinds: tuple[Kind, ...] = ()
    understood: bool = False
    firm: bool = False
    either: bool = False
    origin: bool = False
    impersonal: bool = False

    def possible_places(self) -> int:
        """Economies of which a yes may be true."""
        return _join([place.possible for place in self.places], self.either)

    def sure_places(self) -> int:
        """Economies of which a yes is surely true."""
        return _join([place.sure for place in self.places], self.either)

    def possible_kinds(self) -> int:
        """Kinds of which a yes may be true."""
        return _join([kind.possible for kind in self.kinds], self.either)

    def sure_kinds(self) -> int:
        """Kinds of which a yes is surely true."""
        sure = [0 if kind.professions else kind.sure for kind in self.kinds]
        return _join(sure, self.either)

    def truth(self, entity: Entity) -> bool | None:
        """The answer that the entity table gives; None where it does not settle the question."""
        if not self.understood:
            return None
        of_places = [self._place_truth(place, entity) for place in self.places]
        of_kinds = [kind.truth(entity) for kind in self.kinds]
        named = [truths for truths in (of_places, of_kinds) if truths]
        return _combined([_combined(truths, self.either) for truths in named], False)

    def _place_truth(self, place: Place, entity: Entity) -> bool | None:
        here = bit(entity.country)
        if entity.type == "person" and not (self.origin or self.impersonal):
            return None  # people live and work abroad
        if here & place.sure:
            return True
        if here & place.open or not self.firm:
            return None
        whole = place.kind in ("continent", "region")
        if entity.type == "person":
            # Some have two passports; hardly any come from two continents.
            return False if whole else None
        if entity.category in STANDING:
            return False if whole or entity.category in ONE_COUNTRY else None
        return False if whole and self.origin and entity.category not in SPREAD else None


def _join(masks: list[int], either: bool) -> int:
    joined = 0 if either else -1
    for mask in masks:
        joined = joined | mask if either else joined & mask
    return joined


def _combined(truths: list[bool | None], either: bool) -> bool | None:
    """All of them, or with `either` at least one; None where what is not known decides, or there
    are none."""
    if either in truths:
        return either
    return None if None in truths or not truths else not either


class QuestionVocabulary(msgspec.Struct, frozen=True, kw_only=True):
    plain: frozenset[str]
    loose: frozenset[str]
    origin: frozenset[str]
    position: frozenset[str]
    either: frozenset[str]
    guess: tuple[str, ...]
    kinds: Mapping[str, Sequence[tuple[tuple[str, ...], Kind]]]
    """First word → the phrases that begin with it, the longest first, and the kinds they name."""


@cache
def question_vocabulary(language: str) -> QuestionVocabulary:
    table = tomllib.loads((_HERE / "words" / f"{language}.toml").read_text("utf-8"))
    kinds_by_word: dict[str, list[tuple[tuple[str, ...], Kind]]] = {}
    for name, phrases in table["kinds"].items():
        for phrase in map(words, phrases):
            kinds_by_word.setdefault(phrase[0], []).append((tuple(phrase), kinds()[name]))
    for named in kinds_by_word.values():
        named.sort(key=lambda one: -len(one[0]))
    return QuestionVocabulary(
        guess=tuple(map(folded, table["guess"])),
        kinds=kinds_by_word,
        **{
            name: frozenset(words(table[name]))
            for name in ("plain", "loose", "origin", "position", "either")
        },
    )


_LEAD = regex(
    r"^\W*(?:(?:(?:question|turn|q|pregunta|pergunta|السؤال|سؤال)\s*)?\d{1,3}\s*[.:)\]-]+)?\W*",
    re.I,
)
"""What a model puts before its question: "Question 7:", "3)", a mark that opens it."""
_A_NOT_A = regex(r"([是在有来])[不没]\1")
"""是不是 asks whether it is, and denies nothing."""
_SURROGATES = regex("[\ud800-\udfff]")


@lru_cache(maxsize=_CACHED)
def parse_question(text: str, language: str) -> ParsedQuestion:
    """What a question says. Any text is allowed; only its first `READ` characters count.

    In a language that is none of ours no place or kind is found: English words would find those
    that happen to be spelled alike, and pass over the rest. There a question mark asks for yes or
    no.
    """
    shown = _LEAD.sub("", _SURROGATES.sub("", text[: READ + 40])[:READ], count=1)
    asked = shown
    if language == "zh":
        shown = _A_NOT_A.sub(r"\1", shown)
    tokens = words(shown)
    if language not in LANGUAGES:
        return ParsedQuestion(key=" ".join(tokens), yes_no=bool(QUESTION_MARK.search(asked)))
    vocabulary = question_vocabulary(language)
    if language == "ar":
        tokens = detached(tokens, _known_words(language))
    found_places, found_kinds, rest = _mentions(
        tokens, _capitals(shown, tokens), vocabulary, language
    )
    left = set(rest)
    loose = left & vocabulary.loose
    understood = (
        bool(tokens) and len(text) <= READ and not left - vocabulary.plain - vocabulary.loose
    )
    position = left & vocabulary.position
    return ParsedQuestion(
        key=" ".join(tokens),
        yes_no=_can_be_confirmed(asked, tokens, vocabulary, language),
        places=tuple(dict.fromkeys(found_places)),
        kinds=tuple(dict.fromkeys(found_kinds)),
        understood=understood,
        firm=understood and not loose,
        either=bool(left & vocabulary.either),
        origin=bool(left & vocabulary.origin) or not position,
        impersonal="it" in left and position == {"in"},
    )


@cache
def _known_words(language: str) -> frozenset[str]:
    """Every word that a question may be understood by."""
    vocabulary = question_vocabulary(language)
    named = (entry.words for entries in lexicon(language).values() for entry in entries)
    kinds_named = (phrase for phrases in vocabulary.kinds.values() for phrase, _ in phrases)
    return vocabulary.plain.union(vocabulary.loose, *named, *kinds_named)


def _mentions(
    tokens: list[str], capital: frozenset[int], vocabulary: QuestionVocabulary, language: str
) -> tuple[list[Place], list[Kind], list[str]]:
    """The places and kinds that the words name, the longest name first, and the words left."""
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
                    rest.append("")  # looks like a place and is none: something else is asked
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
    """Whether a word that may be a place is one here: "Jordan", but not "Michael Jordan"."""
    part_of_name = index > 1 and index - 1 in capital and tokens[index - 1] not in vocabulary.plain
    return index in capital and not part_of_name


def _capitals(text: str, tokens: list[str]) -> frozenset[int]:
    """Which words begin with a capital; none where the two ways to part words disagree."""
    shapes = re.findall(r"[^\W_]+", text)
    if len(shapes) != len(tokens):
        return frozenset(range(len(tokens)))
    return frozenset(i for i, shape in enumerate(shapes) if shape[:1].isupper())


def _can_be_confirmed(
    text: str, tokens: list[str], vocabulary: QuestionVocabulary, language: str
) -> bool:
    """Whether yes or no answers it: a yes/no question, or a guess, however that is put."""
    if is_yes_no(text, load_language(language)):
        return True
    if QUESTION_MARK.search(text):
        return False
    if language in ("zh", "ja"):
        return any(guess in folded(text) for guess in vocabulary.guess)
    return " ".join(tokens).startswith(vocabulary.guess)
