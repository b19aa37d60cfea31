"""The model's own answer within a reply.

Thinking before the answer is removed, and so are further questions that a base model invents after
the answer. Markup is removed too, so positions differ from those in the reply.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

import msgspec

from geobias.reading.words import words

Outcome = Literal["read", "declined", "unread", "cut"]

MOST_READ = 20_000
"""Maximum characters that are read of a reply, counted from its end."""

_DEBRIS = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</s>|<eos>|<end_of_turn>|\[/?INST\]"
    r"|\n\s*[#*>]*\s*(?:next question|question|context|user|human|instruction|input|q)\b"
    r"\s?\d*\s?:|\n\s*#+\s*(?:question|instruction|user|input)\b"
    r"|\n[^\n]{1,300}\?[*_ ]*\n\W*answer\s*:",
    re.IGNORECASE,
)
"""The beginning of another turn: an invented question, or a mark of the chat template."""
_BARE = re.compile(r"[0-9.,% ]+|\(?[A-Ja-j]\)?\.?")
"""A number or a letter alone, the commonest replies, which need no further search."""
_FIELD = re.compile(
    r"""["'](?:final[_ ]?)?(?:answer|choice|option|label|letter|value|number|rating|result"""
    r"""|response|prediction)["']\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\[,}\n\]]+))""",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"(?:^|\n|(?<=[.!?] ))(?:[\W_]{0,20}(?:[^\n:.!?]{0,40}[ \t])?"
    r"(?:answer|(?<!opciones de )respuesta|resposta|réponse|antwoord|cevap|yanıt|jawaban|ответ"
    r"|odpověď|答案|回答|答え|उत्तर|الإجابة|الجواب)(?:\s+(?:final|correcta|correta))?\s*[*_]*\s*[:：]"
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
    """The model's own answer, without markup.

    fields   what the reply calls its answer: a line "Answer: …", a JSON field, a box
    thought  whether the reply is unfinished thinking
    """

    text: str
    fields: tuple[str, ...] = ()
    thought: bool = False


def own_answer(reply: str) -> Answer:
    text = reply[-MOST_READ:]
    if _BARE.fullmatch(text):
        return Answer(text.strip())
    ends = [text.rfind(mark) + len(mark) for mark in words("thought_ends") if mark in text]
    if ends:
        text = text[max(ends) :]
    elif any(mark in text[:200] for mark in words("thought_starts")):
        return Answer("", thought=True)
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS).strip()
    if next_turn := _DEBRIS.search(text, 1):  # a mark at the beginning ends nothing
        text = text[: next_turn.start()]
    named = [*_FIELD.finditer(text), *_BOXED.finditer(text)] or [*_LINE.finditer(text)]
    fields = (next(filter(None, found.groups()), "") for found in named)
    return Answer(plain(text), tuple(one for field in fields if (one := plain(field))))


def plain(text: str) -> str:
    return _MARKUP.sub("", text).replace("{,}", ",").replace(r"\times", "x").strip()


_STOP = re.compile(
    r"(?<!\d)(?<!\b\w)(?<!\b(?:[Ss]t|[Dd]r|[Mm]r))[.!?](?=\s|$)"
    r"|(?<=\d)[.](?=\s+[A-ZÀ-ÞŠČŘŽ]|\s*$)|(?<=\d)[!?]|[。！？।؟]|\n+"
)
"""The end of a sentence. After a number, a capital must follow: "18. května" is one date."""


def sentences(text: str) -> list[str]:
    return [one.strip() for one in _STOP.split(text) if one and one.strip()]
