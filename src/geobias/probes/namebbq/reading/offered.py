"""The three answers on offer, and where a text names the people in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

import msgspec
from rapidfuzz.distance import OSA

from geobias.atlas.spelling import unaccented
from geobias.probes.namebbq.reading.peoples import (
    People,
    demonyms,
    latinized,
    one_spelling,
    people_of,
    sound_alike,
)
from geobias.probes.namebbq.reading.phrases import word_list
from geobias.probes.namebbq.reading.predicates import ENGLISH, Asked

# -- parts of a text: statements, the first clause, words ------------------------------------------

CONTENT = re.compile(r"[^\W_]")
"""Something is said."""
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_WORD_OR_ENDING = re.compile(r"[^\W_]+(?:'[^\W_]*)?")
ARTICLES = frozenset(("the", "a", "an", "my", "our", "his", "her", "their"))
_STATEMENT = re.compile(
    r"[.;:!?\n]+(?:\s|$)|,\s|\s-\s|\bi mean\b"
    r"|\b(?:while|whereas|but|because|since|and|so|therefore|thus|hence)\b"
    r"|(?<!described )(?<!known )(?<!seen )(?<!portrayed )(?<!regarded )\bas\b",
    re.I,
)
"""Where one thing that is said ends and the next begins."""
_CLAUSE_ENDS = re.compile(
    r"\n|[.;!](?:\s|$)|,? (?:because|since|so|rather than|instead of)\b|,|:(?=\s)"
    r"|(?<!described)(?<!known)(?<!seen)(?<!portrayed)(?<!regarded) as\b"
)


@lru_cache(maxsize=64)
def statements(low: str) -> list[tuple[int, int]]:
    """Where each statement begins and ends."""
    cuts = [0, *(match.end() for match in _STATEMENT.finditer(low)), len(low)]
    return list(pairwise(cuts))


def first_clause(text: str) -> str:
    """Up to the first full stop, comma or reason, but not nothing."""
    end = _CLAUSE_ENDS.search(text, 1)
    return text[: end.start()] if end else text


def lowered(text: str) -> str:
    """In lower case, with straight apostrophes."""
    return text.lower().replace("’", "'")


def words_of(text: str) -> set[str]:
    """The words of an answer, possessive endings taken off."""
    words = WORD.findall(lowered(text).replace("-", " "))
    return {word.removesuffix("'s") for word in words}


def main_words(text: str) -> str:
    """An answer without its article, stops and marks: "The Kenyan driver." → "kenyan driver"."""
    words: list[str] = _WORD_OR_ENDING.findall(lowered(text))
    while words and words[0] in ARTICLES:
        words.pop(0)
    return " ".join(words)


# -- the answers -----------------------------------------------------------------------------------

_WORDS_THAT_ARE_NAMES = word_list("names_too")
"""Words of English that are first names too: they count only where nothing else can be meant."""
IT_IS = (
    r"\b(?:it|that|this)(?:'s| is| was| (?:must|would|can only|could only|has to|had to|has got to)"
    r" (?:be|have been))"
)
_SAYS_IT_IS = re.compile(rf"^\W*(?:i (?:think|believe|guess|suppose)(?: that)? )?{IT_IS} ", re.I)
_NEVER = r"(?!)"
_LEAST_QUESTION = 12
"""Signs beyond which a question is looked for in a reply."""
_ORDER_WORD = re.compile(r"\bthe (former|latter)\b", re.I)
_THE_OTHER = re.compile(
    r"\b(?:it (?:is|was|has to be|must be|must have been)|so|hence|therefore|thus|answer is)"
    r" (?P<who>the other(?: one| person| man| woman)?)(?=\W*$)",
    re.I,
)
_WITH_ACCENT = re.compile(r"[\u00c0-\u024f\u1e00-\u1eff]")


class Mention(msgspec.Struct, frozen=True):
    """A person, and where in a text they are named."""

    start: int
    end: int
    person: int


class OfferedAnswers:
    """Three answers, and the words by which a reply may mean each.

    A person is meant by the words that only that answer has ("Kenyan" of "The Kenyan driver"), by
    the name or nationality, by the nationality's country or people, or by the answer as a whole.
    `genders` ("F", "M" or "") tell whether "she" can mean only one of the two. `shown` says whether
    the model has seen the answers, so that a letter or "the first option" can mean one.
    """

    def __init__(
        self,
        answers: Sequence[str],
        unknown: int,
        people: Sequence[str] = (),
        question: str = "",
        genders: Sequence[str] = (),
        shown: bool = True,
    ) -> None:
        self.unknown = unknown
        self.shown = shown
        self._known: dict[str, list[Mention]] = {}
        self.denials: dict[tuple[str, int], bool] = {}
        """By text and by where in it a person is named: whether they are said not to be the one."""
        self.accented = self.no_english = False
        self.persons = [place for place in range(len(answers)) if place != unknown]
        self._people = list(people) or [""] * len(answers)
        self._folds = not self._same_without_accents(answers)
        self._answers = [self.spelled(answer) for answer in answers]
        self._named = [self.spelled(name) for name in self._people]
        self.question = lowered(self.spelled(question))
        self.own_unknown = main_words(self._answers[unknown])
        self.longest = max(map(len, self._answers))
        self._whole = {
            p: {main_words(self._answers[p]), main_words(self._named[p])} - {""}
            for p in self.persons
        }
        by_gender = dict(zip(genders, range(len(answers)), strict=False))
        self.woman, self.man = by_gender.get("F"), by_gender.get("M")

    # Most replies are a letter or an answer's own words, and need nothing of what follows.

    @cached_property
    def peoples(self) -> dict[int, People | None]:
        return {p: people_of(self._people[p]) for p in self.persons}

    @cached_property
    def _words(self) -> dict[int, set[str]]:
        """With a nationality or name of two words as one too: "Srilankan", "Eunhee"."""
        return {
            p: words_of(f"{self._answers[p]} {self._named[p]} {_joined(self._named[p])}")
            for p in self.persons
        }

    @cached_property
    def shared(self) -> set[str]:
        """Words that both people have: the noun, mostly."""
        return set.intersection(*self._words.values())

    @cached_property
    def tokens(self) -> dict[int, list[str]]:
        """Words that one person alone has."""
        return {p: sorted(self._words[p] - self.shared - ARTICLES) for p in self.persons}

    @cached_property
    def _all_tokens(self) -> set[str]:
        return {token for tokens in self.tokens.values() for token in tokens}

    @cached_property
    def _patterns(self) -> dict[int, re.Pattern[str]]:
        return {p: _pattern(tuple(self.tokens[p])) for p in self.persons}

    @cached_property
    def asked(self) -> Asked:
        return Asked(self.question, self.shared)

    def _same_without_accents(self, answers: Sequence[str]) -> bool:
        """Whether two people would have the same words once accents are taken off."""
        texts = [f"{answers[p]} {self._people[p]}" for p in self.persons]
        if all(text.isascii() for text in texts):
            return False
        one, other = (words_of(text) for text in texts[:2])
        plain, other_plain = (words_of(unaccented(text)) for text in texts[:2])
        return len(plain - other_plain) < len(one - other)

    def spelled(self, text: str) -> str:
        """The text without accents, unless accents alone tell the two people apart."""
        return one_spelling(text) if self._folds else text

    def latinized(self, text: str) -> str:
        """The text with the people's names in it in Latin letters, whatever script it has them in;
        text in `one_spelling`."""
        names = {p: self._named[p] for p in self.persons if self._named[p]}
        if text.isascii() or any(self.peoples.values()):
            return text
        return latinized(text, names)

    def without_question(self, text: str) -> str:
        """The text without the question, which a reply may repeat."""
        start = text.lower().find(self.question) if len(self.question) > _LEAST_QUESTION else -1
        if start < 0:
            return text
        before = re.sub(r"(?:^|(?<=\n))\W*question\W*$", "", text[:start], flags=re.I)
        return f"{before} {text[start + len(self.question) :]}".strip() or text

    def begin(self, reply: str) -> None:
        """Takes a new reply, whose parts are looked at again and again, and forgets the last."""
        self._known.clear()
        self.denials.clear()
        words = () if reply.isascii() else words_of(reply)
        self.accented = any(
            _WITH_ACCENT.search(word) and one_spelling(word) not in self._all_tokens
            for word in words
        )
        # "Thế" without its accents looks like English.
        self.no_english = self.accented and ENGLISH.isdisjoint(words)

    def found(self, text: str) -> list[Mention]:
        """Every place where one of the people is named, in order."""
        if (known := self._known.get(text)) is not None:
            return known
        self._known[text] = self._found(text)
        return self._known[text]

    def _found(self, text: str) -> list[Mention]:
        low = text.lower()
        spans: list[Mention] = []
        for person in self.persons:
            # Most texts have none of the words, which is seen faster without a pattern.
            patterns = []
            for token in self.tokens[person]:
                if token in low:
                    patterns.append(self._patterns[person])
                    break
            people = self.peoples[person]
            if people and (pattern := people.pattern_for(low)):
                patterns.append(pattern)
            spans += [
                Mention(match.start(), match.end(), person)
                for pattern in patterns
                for match in pattern.finditer(text)
            ]
        joined: list[Mention] = []
        for one in sorted(spans, key=lambda one: (one.start, one.end)):
            last = joined[-1] if joined else None
            # 印度尼西亚 is Indonesia, and India's 印度 is only a part of the word.
            if last and last.person != one.person and one.start < last.end:
                if one.end - one.start > last.end - last.start:
                    joined[-1] = one
                continue
            # "Sri" and "Lankan" are one mention, as are "Saudi" and "Saudi Arabia".
            if last and last.person == one.person and one.start <= last.end + 1:
                joined[-1] = Mention(last.start, max(last.end, one.end), one.person)
            else:
                joined.append(one)
        return joined

    def mentions(self, text: str) -> set[int]:
        """The people whom a text names."""
        return {one.person for one in self.found(text)}

    def whole(self, text: str) -> int | None:
        """The answer whose own words the text is, and nothing else."""
        if (bare := main_words(text)) == self.own_unknown:
            return self.unknown
        if said := _SAYS_IT_IS.match(text):
            bare = main_words(text[said.end() :])
        bare = bare.removesuffix("'s")
        if bare == self.own_unknown:
            return self.unknown
        return self.person_called(bare)

    def person_called(self, bare: str) -> int | None:
        """The person whose own words these are; as `main_words` has them."""
        return next((p for p, whole in self._whole.items() if bare in whole), None)

    def without_order_words(self, text: str) -> str:
        """The text with the person's own words for "the former" and "the latter" of the two, and
        for "the other one" where it concludes on them."""
        match = _ORDER_WORD.search(text)
        if match is None:
            if "the other" in text and (other := _THE_OTHER.search(text)):
                known = self.mentions(text[: other.start()])
                [*left] = set(self.persons) - known
                if len(left) == 1:
                    words = max(self._whole[left[0]], key=len)
                    return text[: other.start("who")] + words + text[other.end() :]
            return text
        order = list(dict.fromkeys(one.person for one in self.found(text[: match.start()])))
        if len(order) != len(self.persons):
            return text
        both = [max(self._whole[order[place]], key=len) for place in (0, -1)]
        return _ORDER_WORD.sub(lambda found: both[found[1].lower() == "latter"], text)


@lru_cache(maxsize=2048)
def _pattern(tokens: tuple[str, ...]) -> re.Pattern[str]:
    """Finds any of a person's own words."""
    plain = [t for t in tokens if t not in _WORDS_THAT_ARE_NAMES]
    doubtful = [t for t in tokens if t in _WORDS_THAT_ARE_NAMES]
    parts = [rf"\b{re.escape(token)}(?:'s?)?(?![^\W_])(?!')" for token in plain]
    # Case tells the name Can from the word, but not at the start of a sentence; there a verb
    # form or an ending must follow.
    parts += [
        rf"(?<![^\W_])(?-i:{re.escape(t.capitalize())})(?:'s\b|(?= (?:or|nor|and) )"
        rf"|(?= (?!(?:not|be|i|we|you|it|the|this|that)\b)[^\W_]+(?:t|ed|s)\b))"
        for t in doubtful
    ]
    parts += [
        rf"(?:was|is|nor|or|and|neither|not) (?-i:{re.escape(t.capitalize())})\b" for t in doubtful
    ]
    return re.compile("|".join(parts) or _NEVER, re.I)


def _joined(name: str) -> str:
    return re.sub(r"[\s-]", "", name)


# -- names but for one slip of the keyboard --------------------------------------------------------

_SLIP = 4
"""Letters that a name needs before a slip of the keyboard can be told from another word."""


def nearly_named(words: Sequence[str], offered: OfferedAnswers) -> set[int]:
    """The people whose names the words are but for one slip."""
    words = [word.removesuffix("'s") for word in words]
    return {
        person
        for person in offered.persons
        for word in words
        if (word[0].isupper() or len(words) <= _SLIP)
        and not (offered.peoples[person] and word.lower() in demonyms())
        for token in offered.tokens[person]
        if min(len(word), len(token)) >= _SLIP
        and (
            _one_slip(word.lower(), token)
            or (offered.peoples[person] is None and sound_alike(word, token))
        )
    }


def without_slips(said: str, person: int, offered: OfferedAnswers) -> str:
    """Without words that are a person's own but for a slip: "Lankam" beside "Sri"."""
    return " ".join(
        word
        for word in WORD.findall(said)
        if not any(
            min(len(word), len(token)) >= _SLIP and word != token and _one_slip(word, token)
            for token in (*offered.tokens[person], *offered.shared)
        )
    )


def _one_slip(word: str, other: str) -> bool:
    """Whether at most one letter was put in, left out, mistaken, or swapped with the next."""
    return OSA.distance(word, other, score_cutoff=1) <= 1
