"""A reply as plain text: the model's own first answer, without markup and in plain signs.

What is no part of the answer goes: thoughts, turns of a conversation that the model invents, what
is struck out, tags of chat templates, the last line of the prompt.
"""

from __future__ import annotations

import re
import unicodedata

from geobias.probes.lazy import regex
from geobias.probes.reading import own_answer

_ENDS_TURN = r"<\|(?:im_end|eot_id|end|endoftext|end_of_text|eom_id)\|>|</s>|<end_of_turn>|<eos>"
_NEXT_TURN = regex(
    r"\n\s*(?:[#*>]+\s*)?(?:question|context|passage|user|human|q)\s?\d*\s?:"
    r"|\n\s*#+\s*(?:question|instruction|input|user|human|exercise|problem)\b"
    r"|\n\s*\d{1,2}[.)] [^\n]{1,200}\?"
    r"|\[inst\]|<\|user\|>|<\|im_start\|>user|<start_of_turn>user|" + _ENDS_TURN,
    re.I,
)
_STRUCK = regex(r"~~[^~\n]{1,80}~~")
_BOLD = regex(r"<([bi])>(.{0,200}?)</\1>", re.I)
_TAGGED_LETTER = regex(r"<+([a-cA-C])>+")
_DEBRIS = regex(
    r"<\|[^|<>\n]{1,40}\|>|</?[a-zA-Z_]{1,20}>|\[/?(?:INST|ASSISTANT|MODEL)\]"
    "|[\U0001f000-\U0001faff\u2600-\u26ff\ufe0f]"
)
_INSTRUCTION = regex(r"answer with one letter only: \(a\), \(b\) or \(c\)\.?", re.I)
"""The last line of the prompt, which a base model may repeat."""
_MARKUP = regex(
    r"[*_`~#>|$]+|\\(?:boxed|text|mathbf|textbf|mathrm|begin|end|left|right)(?![a-z])|\\[()\[\]]"
    r"|[{}\\]"
)
_MARKUP_SIGNS = "*_`~#>|${}\\"
_SIGNS = str.maketrans({
    "’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-", "「": '"', "」": '"',
    "🅰": "(A)", "🅱": "(B)", "🅲": "(C)",
    "。": ". ", "、": ", ", "।": ". ", "؟": "? ", "،": ", ", "«": '"', "»": '"',
})  # fmt: skip
_SCRIPTS_MEET = regex(
    r"(?<=[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3])(?=[A-Za-z(])"
    r"|(?<=[A-Za-z)])(?=[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3])"
)
_ARROW = regex(r"(?:-{1,2}|=)>")
_SPACE = regex(r"[^\S\n]+")
_LINES = regex(r"(?: ?\n)+ ?")
CONTENT = regex(r"[^\W_]")
"""Something is said."""


def plain_text(reply: str) -> tuple[str, bool]:
    """The model's own first answer without markup; and whether it is an unfinished thought."""
    own = own_answer(reply)
    text = own.text
    # Most replies are one plain line, on which most of what follows would be time lost.
    signs = frozenset(text)
    for turn in () if signs.isdisjoint("\n<[") else _NEXT_TURN.finditer(text):
        if CONTENT.search(_DEBRIS.sub(" ", text[: turn.start()])):
            text = text[: turn.start()]
            break
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
        text = _SCRIPTS_MEET.sub(" ", text)
        signs = frozenset(text)
    if "<" in signs:
        text = _TAGGED_LETTER.sub(r"(\1)", _BOLD.sub(r"\2", text))
    if "~" in signs:
        text = _STRUCK.sub(" ", text)
    if not signs.isdisjoint("<[") or not text.isascii():
        text = _DEBRIS.sub(" ", text)
    if "only: (" in text:
        text = _INSTRUCTION.sub(" ", text)
    text = _LINES.sub("\n", _SPACE.sub(" ", text)) if "\n" in signs else text
    if ">" in signs:
        # An arrow points to an answer; its head is markup elsewhere.
        text = _ARROW.sub("→", text)
    text = text if signs.isdisjoint(_MARKUP_SIGNS) else _MARKUP.sub(" ", text)
    return _SPACE.sub(" ", text).strip(), own.unfinished
