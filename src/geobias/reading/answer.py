"""The part of a reply that is the model's own answer: after its thinking, before what follows it.

A reply may open with a thinking block, and a base model goes on after its answer: it writes the
next question and answers that too. What is left has no markup; its places are not those of the
reply.

    fields   what the reply itself calls its answer: a line "Answer: …", a field of JSON, a box
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

import msgspec

from geobias.reading.words import words

Outcome = Literal["read", "declined", "unread", "cut"]

MOST_READ = 20_000
"""Characters of a reply that are looked at, from its end: an answer comes after the thinking."""

_DEBRIS = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</s>|<eos>|<end_of_turn>|\[/?INST\]"
    r"|\n\s*[#*>]*\s*(?:next question|question|context|user|human|instruction|input|q)\b"
    r"\s?\d*\s?:|\n\s*#+\s*(?:question|instruction|user|input)\b"
    r"|\n[^\n]{1,300}\?[*_ ]*\n\W*answer\s*:",
    re.IGNORECASE,
)
"""Where the next turn begins, as the model invents it or its template leaves it."""
_FIELD = re.compile(
    r"""["'](?:final[_ ]?)?(?:answer|choice|option|label|letter|value|number|rating|result"""
    r"""|response|prediction)["']\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\[,}\n\]]+))""",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"(?:^|\n|(?<=[.!?] ))(?:[\W_]{0,20}(?:[^\n:.!?]{0,40}[ \t])?"
    r"(?:answer|respuesta|resposta|réponse|antwoord|cevap|yanıt|jawaban|ответ|odpověď"
    r"|答案|回答|答え|उत्तर|الإجابة|الجواب)(?:\s+(?:final|correcta|correta))?\s*[*_]*\s*[:：]"
    r"[*_\s]*)+([^\n]*)",
    re.IGNORECASE,
)
_BOXED = re.compile(
    r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}|<answer>([^<]*)</answer>", re.IGNORECASE
)
_MARKUP = re.compile(
    r"\*\*|__|`+|(?m:^\s*#+\s*)|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)"
    r"|\\(?:text(?:bf)?|mathrm|mathbf|left|right|approx|quad)\b|\\[()\[\]]|\\(?=[%$,])"
)
_SIGNS = str.maketrans("’‘“”−–—٫٬", "''\"\"---.,")


class Answer(msgspec.Struct, frozen=True):
    """The model's own answer.

    text     plain, without markup
    fields   what the reply calls its answer, in order; empty where it does not
    thought  the reply is a thought that did not end
    """

    text: str
    fields: tuple[str, ...] = ()
    thought: bool = False


def own_answer(reply: str) -> Answer:
    """Never fails: any text has an answer, which may be empty."""
    text = reply[-MOST_READ:]
    ends = [text.rfind(mark) + len(mark) for mark in words("thought_ends") if mark in text]
    if ends:
        text = text[max(ends) :]
    elif any(mark in text[:200] for mark in words("thought_starts")):
        return Answer("", thought=True)
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS).strip()
    if text and (next_turn := _DEBRIS.search(text, _first_word(text))):
        text = text[: next_turn.start()]
    named = (*_FIELD.finditer(text), *_BOXED.finditer(text))
    fields = [next(filter(None, found.groups()), "") for found in named]
    if not fields:
        fields = [found[1] for found in _LINE.finditer(text)]
    return Answer(plain(text), tuple(one for field in fields if (one := plain(field))))


def plain(text: str) -> str:
    return _MARKUP.sub("", text).replace("{,}", ",").replace(r"\times", "x").strip()


def _first_word(text: str) -> int:
    """Where a next turn may begin at the earliest: what opens a reply is no second turn."""
    opening = re.match(r"\W*(?:question|context|q|answer)?\W*", text, re.IGNORECASE)
    return opening.end() if opening else 0


_STOP = re.compile(
    r"(?<!\d)(?<!\b\w)(?<!\b(?:[Ss]t|[Dd]r|[Mm]r))[.!?](?=\s|$)"
    r"|(?<=\d)[.](?=\s+[A-ZÀ-ÞŠČŘŽ]|\s*$)|(?<=\d)[!?]|[。！？।؟]|\n+"
)
"""A stop after a number may be that of an ordinal ("18. května"): a capital must follow."""


def sentences(text: str) -> list[str]:
    """The sentences of a text, without empty ones. A line is a sentence of its own."""
    return [one.strip() for one in _STOP.split(text) if one and one.strip()]
