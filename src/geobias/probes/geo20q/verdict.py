"""What the judge's reply says: yes, no or maybe; and whether it is fit to be passed on.

::

    plain      the reply is an answer word, and nothing else
    ramble     an answer word among other words: "No, it is not a food."
    refusal    "I'm sorry, I cannot …"
    unread     anything else

A guesser that hears a ramble would be told more than yes or no, and one that hears nothing could
not go on. So it is always told the language's own word: the answer that was read, and the word
for maybe where none was.

A reply is read clause by clause. A negator turns a yes of its clause into a no ("Absolutely not",
"Ce n'est pas vrai"), and alone is one ("It is not."); a yes that is hardly more than a filler
gives way to any other answer ("Right, no"). A clause that asks, or repeats the options, says
nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from geobias.atlas.languages import AnswerWords, Language
from geobias.probes.geo20q.naming import NameMatcher, phrases, split_words
from geobias.probes.lazy import regex
from geobias.probes.reading import own_answer

Kind = Literal["plain", "ramble", "refusal", "unread"]
Answer = Literal["yes", "no", "maybe", ""]

_CLAUSES = regex(r"([\n.,;:!?…。，、；：！？।،؛؟|()（）\[\]<>«»“”\"*—–]+)")
_OPTIONS = regex(r"[/／]")
_MOST_CLAUSES = 40
_READ_WITHIN = 6
"""Clauses in which an answer may stand among other words: what comes later is none any more."""
_KNOW = regex(r"\bsé\b", re.I)
"""Spanish "I know" is "sé" and "itself" is "se": the one accent that must not be dropped."""
_A_NOT_A = regex(r"[他她它这那]?(.)[不没]\1")
"""How Chinese asks: 是不是, 有没有."""


class JudgeVerdict(msgspec.Struct, frozen=True):
    """A judge's reply as read. `answer` is "" where nothing was; `leak`: it holds the name."""

    answer: Answer
    kind: Kind
    leak: bool = False


def read_verdict(reply: str, language: Language, name: NameMatcher) -> JudgeVerdict:
    text = own_answer(reply).text
    answer, kind = _read(text, language.answers, language.refusals)
    return JudgeVerdict(answer, kind, leak=name.any(text))


@lru_cache(maxsize=2_000)
def _read(text: str, answers: AnswerWords, refusals: tuple[str, ...]) -> tuple[Answer, Kind]:
    """The answer and its kind; judges say the same few words again and again."""
    vocabulary = _vocabulary(answers)
    clauses = _clauses(text, vocabulary, phrase_matcher(refusals))
    whole = [one.whole for one in clauses if one.whole]
    if len(set(whole)) == len(_ANSWERS):
        return "", "unread"
    firm = [one.whole for one in clauses if one.whole and not one.weak]
    if firm:
        alone = len(set(whole)) == 1 and len(whole) == len(clauses)
        return firm[0], "plain" if alone else "ramble"
    if phrase_matcher(refusals).any(text):
        return "", "refusal"
    partial = [vocabulary.answer_among(one.words) for one in clauses if not (one.whole or one.asks)]
    partial = sorted(
        (one for one in partial[:_READ_WITHIN] if one.answer), key=lambda one: one.rank
    )
    firm_partial = [one.answer for one in partial if not one.weak]
    if firm_partial or whole or partial:
        answer = firm_partial[0] if firm_partial else whole[0] if whole else partial[0].answer
        alone = not firm_partial and len(whole) == len(clauses)
        return answer, "plain" if alone else "ramble"
    return "", "unread"


class _Clause(msgspec.Struct, frozen=True):
    """A clause's words; the answer that it is as a whole; and whether it asks."""

    words: list[str]
    whole: Answer
    weak: bool
    asks: bool


class _FoundAnswer(msgspec.Struct, frozen=True):
    """An answer among other words. Lower ranks come first: at the beginning of a clause, at its
    end, in its middle, and last what is only denied."""

    answer: Answer = ""
    rank: int = 0
    weak: bool = False


_ANSWERS: tuple[Answer, ...] = ("yes", "no", "maybe")
Words = tuple[str, ...]


def _clauses(text: str, vocabulary: _AnswerVocabulary, refusals: NameMatcher) -> list[_Clause]:
    clauses: list[_Clause] = []
    parts = _CLAUSES.split(_with_know_marked(text), maxsplit=_MOST_CLAUSES)
    for clause, stop in zip(parts[::2], [*parts[1::2], ""], strict=True):
        options = {
            vocabulary.whole_answer(split_words(one).words) for one in _OPTIONS.split(clause)
        }
        if len(options - {""}) > 1:
            continue  # "(Yes/No/Dunno)": the prompt's own words
        asks = bool({*"?？؟"} & {*stop}) or _A_NOT_A.match(clause.strip()) is not None
        for words in vocabulary.split_at_but(split_words(clause).words):
            if vocabulary.lists_options(words):
                while clauses and clauses[-1].whole:
                    clauses.pop()  # "Yes, no or maybe": the first of them are on the list too
                continue
            rest = words[refusals.prefix_length(words) :]  # "Sorry, no" without its comma
            whole = vocabulary.whole_answer(words) or vocabulary.whole_answer(rest)
            clauses.append(_Clause(words, whole, tuple(words) in vocabulary.weak, asks))
    return clauses


def _with_know_marked(text: str) -> str:
    return _KNOW.sub("se1", unicodedata.normalize("NFC", text))


class _AnswerVocabulary:
    def __init__(self, answers: AnswerWords) -> None:
        self.answers: dict[Words, Answer] = {}
        for answer in _ANSWERS:
            for phrase in _phrases(getattr(answers, answer)):
                self.answers.setdefault(phrase, answer)
        self.weak = frozenset(_phrases(answers.weak))
        self.alone = frozenset(_phrases(answers.alone))
        self.negators = frozenset(_phrases(answers.negators))
        self.but = frozenset(_phrases(answers.but))
        self.longest = max(map(len, [*self.answers, *self.negators, *self.but, ()]))

    def whole_answer(self, clause: Sequence[str]) -> Answer:
        """The answer that a clause is, with no other word."""
        return self.answers.get(tuple(clause), "")

    def split_at_but(self, words: list[str]) -> Iterator[list[str]]:
        """Clauses between the words for "but"."""
        start = 0
        for place, length in self._places(words, self.but):
            if words[start:place]:
                yield words[start:place]
            start = place + length
        if words[start:]:
            yield words[start:]

    def lists_options(self, clause: list[str]) -> bool:
        """Whether a clause repeats the options: "Yes or no"."""
        if self.whole_answer(clause):
            return False
        answers = self._answers_in(clause)
        listed_answers = {answer for _, phrase, answer in answers if phrase not in self.weak}
        other = len(clause) - sum(len(phrase) for _, phrase, _ in answers)
        listed = {"yes", "no"} <= listed_answers or (len(listed_answers) > 1 and other)
        return bool(listed) and other <= 2 and answers[0][0] == 0

    def answer_among(self, clause: list[str]) -> _FoundAnswer:
        """The answer that a clause holds among other words."""
        answers = self._answers_in(clause)
        # "No doubt" and "I don't know" deny nothing.
        covered = {
            place + i
            for place, phrase, answer in answers
            if answer != "no"
            for i in range(len(phrase))
        }
        denied = [place for place, _ in self._places(clause, self.negators) if place not in covered]
        for rank, here in enumerate(
            (
                [one for one in answers if one[0] == 0],
                [one for one in answers if one[0] + len(one[1]) == len(clause)],
                # In the middle of a sentence a single word is too little.
                [one for one in answers if len(one[1]) > 1],
            )
        ):
            for place, phrase, answer in here:
                if answer == "yes" and denied:
                    return _FoundAnswer("no", rank)
                if answer == "maybe" and any(one < place for one in denied):
                    return _FoundAnswer("no", rank)
                return _FoundAnswer(answer, rank, phrase in self.weak)
        return _FoundAnswer("no", 3) if denied else _FoundAnswer()

    def _answers_in(self, clause: list[str]) -> list[tuple[int, Words, Answer]]:
        """Answers in a clause from left to right, the longest at each place, none in another."""
        return [
            (place, phrase, self.answers[phrase])
            for place, length in self._places(clause, self.answers)
            if (phrase := tuple(clause[place : place + length])) not in self.alone
        ]

    def _places(self, words: list[str], wanted: Collection[Words]) -> Iterator[tuple[int, int]]:
        place = 0
        while place < len(words):
            for length in range(min(self.longest, len(words) - place), 0, -1):
                if tuple(words[place : place + length]) in wanted:
                    yield place, length
                    place += length - 1
                    break
            place += 1


def _phrases(texts: tuple[str, ...]) -> list[Words]:
    return [tuple(phrase) for phrase in phrases(map(_with_know_marked, texts))]


_vocabulary = lru_cache(maxsize=64)(_AnswerVocabulary)


@lru_cache(maxsize=64)
def phrase_matcher(texts: tuple[str, ...]) -> NameMatcher:
    return NameMatcher([("", texts)])
