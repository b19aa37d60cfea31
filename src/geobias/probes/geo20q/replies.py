"""Reading the judge's replies (yes, no or maybe) and the guesser's (its question, or its guess).

A judge's reply is `plain` if it is only an answer word, a `ramble` if it has other words ("No, it
is not a food."), a `refusal`, or `unread`. The guesser is always told the plain word of the answer,
so a ramble tells it no more than yes or no.

A guesser may think aloud, number its questions, ask several, or answer itself and continue alone.
Its turn is the first question. If it asks nothing, its turn is the first line that has the form of
a question, gives up or names somebody. Only the turn goes to the judge and into the dialogue. The
final guess is read as a whole. A question is recognised by the words in the language's file
(`languages`), or without such words by a question mark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Set
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from geobias.probes.geo20q.languages import AnswerWords, Language, Questions
from geobias.probes.geo20q.tokens import Words, phrases_of, readings, split_words
from geobias.reading.answer import own_answer

Kind = Literal["plain", "ramble", "refusal", "unread"]
Answer = Literal["yes", "no", "maybe", ""]

_CLAUSES = re.compile(r"[\n.,;:!?…。，、；：！？।،؛؟|()（）\[\]<>«»“”\"*—–/／]+")
_READ_WITHIN = 6
"""Maximum number of clauses of a reply in which an answer is searched."""
_KNOW = re.compile(r"\bsé\b", re.I)
"""Spanish "I know" is "sé" and "itself" is "se": the only accent that must not be removed."""


class JudgeVerdict(msgspec.Struct, frozen=True):
    """The reading of a judge's reply.

    `answer` is "" if there is none. `leak` says whether the reply contains the target's name.
    """

    answer: Answer
    kind: Kind
    leak: bool = False


def read_verdict(
    reply: str, language: Language, names_target: Callable[[str], bool] = lambda text: False
) -> JudgeVerdict:
    text = own_answer(reply).text
    answer, kind = _read(text, language.answers, language.refusals)
    return JudgeVerdict(answer, kind, leak=kind != "plain" and names_target(text))


@lru_cache(maxsize=2_000)
def _read(text: str, answers: AnswerWords, refusals: tuple[str, ...]) -> tuple[Answer, Kind]:
    """The answer in a judge's reply, and the kind of the reply.

    A word for yes that is used as a filler ("Right, no") counts only if there is no other answer.
    Yes and no together are no answer.
    """
    split = map(split_words, _CLAUSES.split(_with_know_marked(text)))
    clauses = [words for words in split if words]
    found = [_answer_of(words, answers) for words in clauses[:_READ_WITHIN]]
    whole = [one for one in found if one.whole]
    refuses = phrases_of(refusals).any(text)
    said = whole if refuses else [one for one in found if one.answer]
    firm = [one for one in said if not one.weak]
    if not said:
        return "", "refusal" if refuses else "unread"
    denied = not firm and any(_vocabulary(answers).negators & {*words} for words in clauses)
    if denied or {"yes", "no"} <= {one.answer for one in firm} or any(one.mixed for one in found):
        return "", "unread"
    answer = (firm or said)[0].answer
    alone = len(clauses) == sum(one.answer == answer for one in whole)
    return answer, "plain" if alone else "ramble"


class _Found(NamedTuple):
    """The answer in a clause.

    whole  whether the answer is the whole clause
    weak   whether the answer may be a filler
    mixed  whether the clause has several answers
    """

    answer: Answer = ""
    whole: bool = False
    weak: bool = False
    mixed: bool = False


class _Vocabulary(NamedTuple):
    answers: Mapping[Words, Answer]
    weak: Set[Words]
    fillers: Set[Words]
    negators: Set[str]


@lru_cache(maxsize=64)
def _vocabulary(answers: AnswerWords) -> _Vocabulary:
    found: dict[Words, Answer] = {}
    for answer in ("yes", "no", "maybe"):
        for phrase in _phrases(getattr(answers, answer)):
            found.setdefault(phrase, answer)
    weak = frozenset(_phrases(answers.weak))
    negators = {word for phrase in _phrases(answers.negators) for word in phrase}
    return _Vocabulary(found, weak, weak.union(_phrases(answers.alone)), negators)


def _answer_of(clause: Words, language: AnswerWords) -> _Found:
    """The answer that a clause consists of or begins with.

    There is none if the clause also has another answer or a negation.
    """
    answers, weak, fillers, negators = _vocabulary(language)
    if whole := answers.get(clause):
        return _Found(whole, whole=True, weak=clause in weak)
    begun = (clause[:length] for length in range(len(clause) - 1, 0, -1))
    phrase = next((one for one in begun if one in answers), ())
    if not phrase or phrase in fillers:
        return _Found()
    answer, rest = answers[phrase], clause[len(phrase) :]
    if answer == "yes" and negators & {*rest}:
        return _Found()
    mixed = {answers.get((word,), answer) for word in rest} != {answer}
    return _Found(mixed=True) if mixed else _Found(answer)


def _with_know_marked(text: str) -> str:
    return _KNOW.sub("seknow", unicodedata.normalize("NFC", text))


def _phrases(texts: tuple[str, ...]) -> list[Words]:
    return [words for text in texts for words in readings(_with_know_marked(text)) if words]


QUESTION_MARK = re.compile(r"[?？؟]+[\"'”’»」』)\]*_]*")
_SENTENCES = re.compile(r"(?<=[.!。．！…;；؛])\s*")
_TOKEN = re.compile(r"[^\W_]+")
_EARLY = 4
"""Maximum position of the question word in an open question: "In what country …?"."""

QuestionForm = Literal["no", "mark", "yes"]


def is_yes_no(text: str, language: Language) -> bool:
    """Whether a sentence of the text can be answered with yes or no."""
    return question_form(text, language) != "no"


def question_form(text: str, language: Language) -> QuestionForm:
    """Whether a text asks a yes/no question, by its words or only by a question mark."""
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
    if _begins(words, forms.open) or _is_open(text, forms, begins=begins):
        return "no"
    if begins or _ends(words, forms.end) or phrases_of(forms.hold).any(text):
        return "yes"
    return "mark" if QUESTION_MARK.search(text) else "no"


def _is_open(text: str, forms: Questions, *, begins: bool) -> bool:
    """Whether a sentence asks what, where or who among its first words.

    "Is it known for what it did?" does not. Accents count: French "où" asks, "ou" does not.
    """
    plain = text.casefold()
    for unlike in forms.unlike:
        plain = plain.replace(unlike, " ")
    if phrases_of(forms.open_within).any(plain):
        return True
    single = {one.casefold() for one in forms.open if " " not in one}
    return not begins and not single.isdisjoint(_TOKEN.findall(plain)[:_EARLY])


def _begins(words: Words, phrases: tuple[str, ...]) -> bool:
    return any(words[: len(phrase)] == phrase for phrase in map(split_words, phrases))


def _ends(words: Words, phrases: tuple[str, ...]) -> bool:
    return any(words[-len(phrase) :] == phrase for phrase in map(split_words, phrases))


LONGEST = 400
"""Maximum characters of a question that the judge and the dialogue get. 64 tokens are about 250."""

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

    question  the question only, on one line, for the judge
    text      the reply up to the end of the question, since a name before the question counts too
              ("It is the Nile. Right?")
    """

    question: str
    text: str


def turn_of(
    reply: str,
    language: Language,
    names_entity: Callable[[str], bool] = lambda line: False,
    *,
    final: bool = False,
) -> GuesserTurn | None:
    """Return the first question of a reply, or the first line that can be a turn.

    None if the reply has no words. `names_entity` tells whether a line names an entity. Without
    this function, the turn of a reply that asks nothing is its first line. If the turn is `final`,
    the guess that ends a game, its `text` is the whole reply.
    """
    own = own_answer(reply)
    text = "" if own.thought else _DEBRIS.sub(" ", own.text).strip()
    if end := QUESTION_MARK.search(text):
        kept = text[: end.end()]
        line = kept[kept.rstrip().rfind("\n") + 1 :]
    else:
        line = kept = _first_meaningful_line(text, language, names_entity)
    question = " ".join(_NUMBERING.sub("", line, count=1).split())[:LONGEST].rstrip(' *_"”»」')
    if not split_words(question):
        return None
    return GuesserTurn(question, text[: 4 * LONGEST] if final else kept[-4 * LONGEST :])


def _first_meaningful_line(
    text: str, language: Language, names_entity: Callable[[str], bool]
) -> str:
    """The text up to the end of the first line that asks, gives up or names an entity.

    If there is no such line, the first line. A line that only announces the next line is read
    together with the next line.
    """
    lines = [line.strip() for line in text.split("\n", 20) if line.strip()] or [""]
    gives_up = phrases_of(language.give_up.clear)
    for line in lines:
        for sentence in _STOPS.split(line):
            if is_yes_no(sentence, language):
                return line[: line.index(sentence) + len(sentence)]
        if gives_up.any(line) or (len(lines) > 1 and names_entity(line)):
            return line
    announces = len(lines) > 1 and lines[0].rstrip("*_ ").endswith((":", "："))
    return f"{lines[0]} {lines[1]}" if announces else lines[0]


def gives_up(
    turn: GuesserTurn,
    language: Language,
    names_entity: Callable[[str], bool] = lambda text: True,
) -> GivesUp:
    """Whether a turn gives up; "doubtful" if only a reader could tell.

    A turn that asks a yes/no question never gives up. Clear words of giving up are doubtful in a
    text that is a question only by its question mark ("I give up, and you?"). A turn that asks
    nothing and names nobody is also doubtful.
    """
    form = question_form(turn.question, language)
    if phrases_of(language.give_up.clear).any(turn.text):
        return {"yes": "no", "mark": "doubtful", "no": "yes"}[form]  # type: ignore[return-value]
    if form != "no":
        return "no"
    if phrases_of(language.give_up.doubtful).any(turn.text):
        return "doubtful"
    asks = QUESTION_MARK.search(turn.question) is not None
    return "no" if asks or names_entity(turn.text) else "doubtful"
