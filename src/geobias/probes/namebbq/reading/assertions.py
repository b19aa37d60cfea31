"""What a reply asserts: not what it sets aside, supposes, lists or asks itself."""

from __future__ import annotations

import re

from geobias.probes.lazy import regex
from geobias.probes.namebbq.reading.letters import LETTER, LISTED, letters_in, place_of
from geobias.probes.namebbq.reading.offered import OfferedAnswers
from geobias.probes.namebbq.reply_phrases import (
    HEDGE,
    NEGATED_AFTER,
    SET_ASIDE,
    SUPPOSING,
    SUPPOSITION,
    UNKNOWN,
)

_BRACKETS = regex(r" \([^()\n]{4,80}\)")
_CONCLUDES = regex(
    r"\b(?:so|therefore|thus|hence|is|be|answer|choose|pick|select|with|say|for)[:,]? *$", re.I
)
"""Before an option: it is chosen and not listed."""
_SETTING = regex(
    r"(?:^|(?<=[.:\n] ))(?:between|out of|among|amongst|of|comparing"
    r"|given the choice (?:of|between))\b[^.?\n]*?\b(?:and|or)\b[^,.?\n]*,",
    re.I,
)
_ASKED = regex(r"[^.!?\n]+\?+")
_SAID_YES = regex(r"\?+ +(?:yes|yep|yeah|yup|indeed|correct|right|true)\b", re.I)
_SURE = regex(r"\b(?:not (?:\w+ )?|un|n't (?:be )?)(?:sure|certain)\b")
_SAYS_MORE = regex(r"\?*\W*(?:\w+\W+){3}\w")


def without_asides(text: str, offered: OfferedAnswers) -> str:
    """The text without what is set between commas or in brackets and speaks of something else."""

    def kept(found: re.Match[str]) -> str:
        inside = found[0].lower()
        tells = LETTER.search(found[0]) or UNKNOWN.search(inside) or NEGATED_AFTER.search(inside)
        return found[0] if tells or offered.mentions(found[0]) else ""

    text = SET_ASIDE.sub("", text)
    return _BRACKETS.sub(kept, text) if "(" in text else text


def without_supposed(text: str, offered: OfferedAnswers) -> str:
    """The text without what is only supposed of a person, and what would follow from it.

    That the text would tell says that it does not.
    """

    def kept(found: re.Match[str]) -> str:
        if not offered.mentions(found["supposed"]):
            return found[0]
        return found["then"] + "." if UNKNOWN.search(found["then"].lower()) else " "

    # Most texts suppose nothing, which is seen faster without a pattern.
    low = text.lower()
    if not any(word in low for word in SUPPOSING):
        return text
    return SUPPOSITION.sub(kept, text).strip(" ,")


def asserted_in(text: str, offered: OfferedAnswers) -> str:
    """The text without the options that it quotes and the choice that it asks itself about."""
    text = offered.without_order_words(_without_listed(text, offered))

    def choices(part: str) -> int:
        return len(letters_in(part).affirmed) + len(offered.mentions(part))

    text = _SAID_YES.sub(".", text) if "?" in text else text
    for pattern, least in ((_SETTING, 2), (_ASKED, 1)):
        if pattern is _ASKED and "?" not in text:
            continue
        rest = pattern.sub(lambda m: " " if choices(m[0]) >= least else m[0], text)  # noqa: B023
        if rest == text:
            continue
        # Who asks and is "not sure" has guessed; who goes on to something else has not.
        says = _SURE.sub("", rest.lower())
        goes_on = pattern is _ASKED and _SAYS_MORE.search(says) and not HEDGE.search(says)
        if choices(rest) or UNKNOWN.search(says) or goes_on:
            text = rest.strip()
    return text


def _without_listed(text: str, offered: OfferedAnswers) -> str:
    """The text without its list of the options, if it has one: two or more in their own words."""
    marks = list(LISTED.finditer(text))
    if len(marks) < 2:
        return text
    quoted: dict[int, tuple[int, int]] = {}
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=False):
        line = re.split(r"[\n→]", text[mark.end() : end], maxsplit=1)[0]
        place = place_of(mark[1])
        if offered.whole(line) == place and not _CONCLUDES.search(text[: mark.start()]):
            quoted.setdefault(place, (mark.start(), mark.end() + len(line)))
    if len(quoted) < 2:
        return text
    for start, end in sorted(quoted.values(), reverse=True):
        text = text[:start] + text[end:]
    return text.strip()
