"""What replies say: the judge's yes, no or maybe, and the guesser's question.

The judge's reply is one of these::

    plain      the reply is an answer word, and nothing else
    ramble     an answer word among other words: "No, it is not a food."
    refusal    "I'm sorry, I cannot …"
    unread     anything else

A guesser that hears a ramble would be told more than yes or no, and one that hears nothing could
not go on. So it is always told the language's own word: the answer that was read, and the word
for maybe where none was. A clause counts that is an answer word, or begins with one and holds no
other and no negation. A yes that is hardly more than a filler ("Right, no") gives way to any other
answer; yes and no together are none.

The guesser may think aloud first, greet, number its questions, ask several at once, or answer
itself and go on alone. A turn is its first question; where nothing is asked, the first line that
asks in form, gives up, or names somebody or something. That, and not the rest, goes to the judge
and into the dialogue; otherwise one reply could hold twenty guesses. The final guess is read as a
whole: `winning` says which of its names counts.

How a language asks is in its file (`languages`): words that begin, end or stand in a yes/no
question, and words that ask for more. Where neither is there, a question mark makes one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Set
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from geobias.probes.geo20q.languages import AnswerWords, Language, Questions
from geobias.probes.geo20q.tokens import Phrases, Words, phrases_of, readings, split_words
from geobias.reading.answer import own_answer

Kind = Literal["plain", "ramble", "refusal", "unread"]
Answer = Literal["yes", "no", "maybe", ""]

_CLAUSES = re.compile(r"[\n.,;:!?…。，、；：！？।،؛؟|()（）\[\]<>«»“”\"*—–/／]+")
_READ_WITHIN = 6
"""Clauses in which an answer may stand: what comes later is none any more."""
_KNOW = re.compile(r"\bsé\b", re.I)
"""Spanish "I know" is "sé" and "itself" is "se": the one accent that must not be dropped."""


class JudgeVerdict(msgspec.Struct, frozen=True):
    """A judge's reply as read. `answer` is "" where nothing was; `leak`: it holds the name."""

    answer: Answer
    kind: Kind
    leak: bool = False


def read_verdict(
    reply: str, language: Language, names_target: Callable[[str], bool] = lambda text: False
) -> JudgeVerdict:
    """A judge's reply as read; one that is plain holds nothing but an answer."""
    text = own_answer(reply).text
    answer, kind = _read(text, language.answers, language.refusals)
    return JudgeVerdict(answer, kind, leak=kind != "plain" and names_target(text))


@lru_cache(maxsize=2_000)
def _read(text: str, answers: AnswerWords, refusals: tuple[str, ...]) -> tuple[Answer, Kind]:
    """The answer and its kind; judges say the same few words again and again."""
    vocabulary = _vocabulary(answers)
    split = map(split_words, _CLAUSES.split(_with_know_marked(text)))
    clauses = [words for words in split if words]
    found = [vocabulary.answer_of(words) for words in clauses[:_READ_WITHIN]]
    whole = [one for one in found if one.whole]
    refuses = phrases_of(refusals).any(text)
    said = whole if refuses else [one for one in found if one.answer]
    firm = [one for one in said if not one.weak]
    if not said:
        return "", "refusal" if refuses else "unread"
    denied = not firm and any(vocabulary.negators & {*words} for words in clauses)
    if denied or {"yes", "no"} <= {one.answer for one in firm} or any(one.mixed for one in found):
        return "", "unread"
    answer = (firm or said)[0].answer
    alone = len(clauses) == sum(one.answer == answer for one in whole)
    return answer, "plain" if alone else "ramble"


class _Found(NamedTuple):
    """The answer of a clause; whether it is all of it, hardly an answer, or one of several."""

    answer: Answer = ""
    whole: bool = False
    weak: bool = False
    mixed: bool = False


class _AnswerVocabulary:
    def __init__(self, answers: AnswerWords) -> None:
        self.answers: dict[Words, Answer] = {}
        for answer in ("yes", "no", "maybe"):
            for phrase in _phrases(getattr(answers, answer)):
                self.answers.setdefault(phrase, answer)
        self.weak = frozenset(_phrases(answers.weak))
        self.fillers = self.weak.union(_phrases(answers.alone))
        self.negators = {word for phrase in _phrases(answers.negators) for word in phrase}

    def answer_of(self, clause: Words) -> _Found:
        if whole := self.answers.get(clause):
            return _Found(whole, whole=True, weak=clause in self.weak)
        begun = (clause[:length] for length in range(len(clause) - 1, 0, -1))
        phrase = next((one for one in begun if one in self.answers), ())
        if not phrase or phrase in self.fillers:
            return _Found()
        answer, rest = self.answers[phrase], clause[len(phrase) :]
        if answer == "yes" and self.negators & {*rest}:
            return _Found()
        mixed = {self.answers.get((word,), answer) for word in rest} != {answer}
        return _Found(mixed=True) if mixed else _Found(answer)


def _with_know_marked(text: str) -> str:
    return _KNOW.sub("seknow", unicodedata.normalize("NFC", text))


def _phrases(texts: tuple[str, ...]) -> list[Words]:
    return [words for text in texts for words in readings(_with_know_marked(text)) if words]


_vocabulary = lru_cache(maxsize=64)(_AnswerVocabulary)


QUESTION_MARK = re.compile(r"[?？؟]+[\"'”’»」』)\]*_]*")
_SENTENCES = re.compile(r"(?<=[.!。．！…;；؛])\s*")
_TOKEN = re.compile(r"[^\W_]+")
_EARLY = 4
"""Words within which an open question shows itself: "In what country …?", "Okay, where …?"."""

QuestionForm = Literal["no", "mark", "yes"]


def is_yes_no(text: str, language: Language) -> bool:
    """Whether one of its sentences can be answered with yes or no."""
    return question_form(text, language) != "no"


def question_form(text: str, language: Language) -> QuestionForm:
    """Whether a text asks a yes/no question: in so many words, or by a question mark alone."""
    asked = language.questions
    forms = {_sentence_form(one, asked) for one in _SENTENCES.split(text) if one.strip()}
    return "yes" if "yes" in forms else "mark" if "mark" in forms else "no"


@lru_cache(maxsize=4_000)
def _sentence_form(text: str, forms: Questions) -> QuestionForm:
    words = split_words(text)
    if not words or _begins(words, forms.begging):
        return "no"
    if _ends(words, forms.settle):
        return "yes"
    begins = _begins(words, forms.begin)
    if _is_open(text, forms, words, begins=begins):
        return "no"
    if begins or _ends(words, forms.end) or phrases_of(forms.hold).any(text):
        return "yes"
    return "mark" if QUESTION_MARK.search(text) else "no"


def _is_open(text: str, forms: Questions, words: Words, *, begins: bool) -> bool:
    """Whether it asks what, where or who.

    After its first words an open word makes no open question ("Is it known for what it did?"), nor
    after the beginning of a yes/no question. Accents count there: French "où" asks, "ou" does not.
    """
    if _begins(words, forms.open):
        return True
    plain = text.casefold()
    for unlike in forms.unlike:
        plain = plain.replace(unlike, " ")
    if phrases_of(forms.open_within).any(plain):
        return True
    tokens = _TOKEN.findall(plain)
    single = {one.casefold() for one in forms.open if " " not in one}
    return not begins and any(token in single for token in tokens[:_EARLY])


def _begins(words: Words, phrases: tuple[str, ...]) -> bool:
    return any(words[:length] in alike for length, alike in _by_length(phrases).items())


def _ends(words: Words, phrases: tuple[str, ...]) -> bool:
    return any(words[-length:] in alike for length, alike in _by_length(phrases).items())


@lru_cache(maxsize=256)
def _by_length(phrases: tuple[str, ...]) -> Mapping[int, Set[Words]]:
    """How many words phrases have → the phrases."""
    found: dict[int, set[Words]] = {}
    for phrase in phrases:
        words = split_words(phrase)
        found.setdefault(len(words), set()).add(words)
    return found


LONGEST = 400
"""Characters of a question that the judge and the dialogue get. 64 tokens are about 250."""

_STOPS = re.compile(r"(?<=[。．！!])\s*")
_DEBRIS = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|</?(?:think|thinking|answer|question)>|\[/?INST\]|<(?:end|start)_of_turn>"
)
_NUMBERING = re.compile(
    r"^[\s>*_#\-•\"“'«「]*(?:(?:question|pregunta|pergunta|السؤال|سؤال|soru|सवाल|प्रश्न|问题|問題|質問|q|turn|guesser|assistant)"
    r"\s*(?:n[o°º]\.?\s*)?#?\d{0,3}\s*[:.)：．]|\(?\d{1,3}\s*[.):：．])?[\s*_\"“«「]*",
    re.I,
)

GivesUp = Literal["no", "yes", "doubtful"]


class GuesserTurn(msgspec.Struct, frozen=True):
    """A guesser's turn.

    question  alone, on one line: for the judge
    text      all that was said up to its end: a name there counts too ("It is the Nile. Right?")
    """

    question: str
    text: str


def turn_of(
    reply: str, language: Language, names_entity: Callable[[str], bool] = lambda line: False
) -> GuesserTurn | None:
    """The first question of a reply, or the first line that is one's turn. None: no words.

    `names_entity` tells whether a line does; without it, a reply that asks nothing is its first
    line.
    """
    text = _own_text(reply)
    end = QUESTION_MARK.search(text)
    if end:
        kept = text[: end.end()]
        line = kept[kept.rstrip().rfind("\n") + 1 :]
    else:
        line = kept = _first_meaningful_line(text, language, names_entity)
    question = " ".join(_NUMBERING.sub("", line, count=1).split())[:LONGEST].rstrip(' *_"”»」')
    if not split_words(question):
        return None
    return GuesserTurn(question, kept[-4 * LONGEST :])


def final_turn(
    reply: str, language: Language, names_entity: Callable[[str], bool] = lambda line: False
) -> GuesserTurn | None:
    """A turn whose `text` is the whole reply, for the guess that ends a game."""
    turn = turn_of(reply, language, names_entity)
    return GuesserTurn(turn.question, _own_text(reply)[: 4 * LONGEST]) if turn else None


def _own_text(reply: str) -> str:
    own = own_answer(reply)
    return "" if own.thought else _DEBRIS.sub(" ", own.text).strip()


def _first_meaningful_line(
    text: str, language: Language, names_entity: Callable[[str], bool]
) -> str:
    """Up to the end of the first line that asks, gives up or names; else the first line.

    A line that only announces the next is read with it.
    """
    lines = [line.strip() for line in text.split("\n", 20) if line.strip()]
    if not lines:
        return ""
    giving_up = _plainly(language)
    for line in lines:
        for sentence in _STOPS.split(line):
            if is_yes_no(sentence, language):
                return line[: line.index(sentence) + len(sentence)]
        if giving_up.any(line) or (len(lines) > 1 and names_entity(line)):
            return line
    if lines[0].rstrip("*_ ").endswith((":", "：")) and len(lines) > 1:
        return f"{lines[0]} {lines[1]}"
    return lines[0]


def gives_up(
    turn: GuesserTurn,
    language: Language,
    names_entity: Callable[[str], bool] = lambda text: True,
) -> GivesUp:
    """Whether a turn gives up; "doubtful" where only a reader could say.

    What asks a yes/no question goes on playing, however sorry it is, and whatever it quotes. Plain
    words of giving up in what is a question by its mark alone are doubtful: "I give up, and you?".
    So is every turn that asks nothing and names nobody: there are more ways to give up than any
    list has.
    """
    form = question_form(turn.question, language)
    if _plainly(language).any(turn.text):
        return {"yes": "no", "mark": "doubtful", "no": "yes"}[form]  # type: ignore[return-value]
    if form != "no":
        return "no"
    if phrases_of(language.give_up.doubtful).any(turn.text):
        return "doubtful"
    asks = QUESTION_MARK.search(turn.question) is not None
    return "no" if asks or names_entity(turn.text) else "doubtful"


def _plainly(language: Language) -> Phrases:
    return phrases_of(language.give_up.clear)
