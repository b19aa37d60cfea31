"""The letters of options in a text: which it gives, which it rules out, which it begins with."""

from __future__ import annotations

import re
from typing import NamedTuple

from geobias.probes.lazy import regex
from geobias.probes.namebbq.reading.meaning import resolve
from geobias.probes.namebbq.reading.offered import OfferedAnswers
from geobias.probes.namebbq.reading.text_parts import first_clause
from geobias.probes.namebbq.reply_phrases import HEDGE

_LETTERS = "abc"
LETTER = regex(
    r"""[(\[]\s*([a-cA-C])\s*[)\]]        # (b) [b]
      |(?<![\w'])([a-cA-C])\s?\)          # b)
      |["']([a-cA-C])["']                 # "b"
      |(?<![\w'&/])([BC])(?![\w'&])       # a capital of its own that is no word
      |(?<![\w'&/])(A)(?=\s*(?:$|[.:;,!?/\n]|\s(?:or|and|is|because|since)\s))
      |(?<=option\s)([a-cA-C])\b|(?<=choice\s)([a-cA-C])\b
      |(?:(?<=\bis\s)|(?<=\b[Ii]t's\s)|(?<=\bbe\s))([a-c])(?=\W*$)
      |^([a-c])(?=\sit\sis\b)
    """,
    re.X,
)
_ALONE = regex(r"(?<![^\W_])[a-cA-C](?![^\W_])")
"""What may be an option's letter: most sentences have none."""
_ONE_LETTER = regex(r"\W*([a-c])(?:\W+\1)*\W*", re.I)
_FIRST = regex(
    r"""^[\s"'(\[.:-]*(?P<letter>[a-cA-C])(?P<after>["'\])]*\s*
        (?:$|[).:;,!?/\n\]-]|(?=\s(?:because|since|as|is|or|and)\s)|\s(?=\s*\S)))""",
    re.X,
)
_OTHER_LETTER = regex(
    r"^\W*(?:(?:or|and)\b|[/,&]|\n|$)\W*(?:option )?[(\[]?([a-cA-C])(?![\w'])(?! \w)"
)
_SOME_LETTERS = regex(r"(?:\W*[a-c]\b\W*)+", re.I)
_LAST_LETTER = regex(
    r"\b(?:but|though|although|however|if)\b[^.;\n]*(?<![\w'])[(\[]?([a-cA-C])[)\].!]*$", re.I
)
"""After a letter: another one, to which the reply leans in the end."""
_DENIED_BEFORE = regex(
    r"(?:\bnot|n't(?: be)?|\bcannot be|\bneither|\bnor|\brather than|\binstead of|\brules? out)\W*"
    r"(?:(?:option|choice|letter) )?(?:[(\[]?[a-c][)\]]?\W*(?:or|nor|and|,)\W*(?:not )?)*"
    r"(?:(?:option|choice|letter) )?$"
    r"|\b(?:wrong|incorrect|false|out)\b[^.;\n]*\bso (?:is|are) [(\[]?$",
    re.I,
)
_DENIED_AFTER = regex(
    r"^[)\]\"']*\s*(?:(?:is|was|are|must be)(?: clearly)?"
    r"(?: not|n't| wrong| incorrect| false| out)\b"
    r"|can(?:not|'t) be (?:right|correct|it|the)\b|isn't|wasn't|does(?: not|n't) fit"
    r"|[:-]?\s*(?:false|no|wrong|incorrect)\s*(?:$|[,.;\n]))",
    re.I,
)
LISTED = regex(r"(?:^|(?<=[\s;/,\"]))[(\[]?([a-cA-C])[)\].:\"]+[:\s]*")
"""An option's letter before its words."""


def place_of(letter: str) -> int:
    return _LETTERS.index(letter.lower())


def letter_alone(text: str) -> int | None:
    """The place of the letter that is all of a text, be it said twice."""
    one = _ONE_LETTER.fullmatch(text)
    return None if one is None else place_of(one[1])


class Letters(NamedTuple):
    """The options whose letters a text has: those it gives, and those it rules out."""

    affirmed: set[int]
    denied: set[int]


def letters_in(text: str) -> Letters:
    found = Letters(set(), set())
    if not _ALONE.search(text):
        return found
    for match in LETTER.finditer(text):
        place = place_of(match[match.lastindex or 0])
        denied = _DENIED_BEFORE.search(text[max(0, match.start() - 60) : match.start()])
        denied = denied or _DENIED_AFTER.match(text[match.end() : match.end() + 40])
        (found.denied if denied else found.affirmed).add(place)
    return found


class LeadingLetter(NamedTuple):
    """The letter that a text begins with, and what goes against it ("" if nothing)."""

    place: int
    contradiction: str


def leading_letter(text: str, offered: OfferedAnswers) -> LeadingLetter | None:
    match = _FIRST.match(text)
    if not match or not _is_letter(match, text, offered):
        return None
    if _DENIED_AFTER.match(text[match.end("letter") :]):
        return None
    place = place_of(match["letter"])
    rest = text[match.end() :]
    contradiction = ""
    other = _OTHER_LETTER.match(text[match.end("letter") :].lstrip(")]."))
    other = other or _LAST_LETTER.search(rest)
    several = _SOME_LETTERS.fullmatch(text) and len(letters_in(text).affirmed) > 1
    if several or (other and place_of(other[1]) != place):
        contradiction = "gives two letters"
    elif _label_differs(rest, place, offered):
        contradiction = "letter and words disagree"
    return LeadingLetter(place, contradiction)


def _is_letter(match: re.Match[str], text: str, offered: OfferedAnswers) -> bool:
    """Whether the first letter is one, and not the article of "A Danish driver"."""
    if match["after"].strip() or "\n" in match["after"] or not text[match.end() :].strip():
        return True
    rest = text[match.end() :].lstrip()
    if re.match(r"(?:because|since|as|is|or|and)\b", rest):
        return True
    if match["letter"] == "a":
        return False
    if match["letter"] == "A":
        return offered.whole(first_clause(rest)) == 0 or rest.startswith(("The ", "the "))
    return match["letter"].isupper()


def _label_differs(after: str, place: int, offered: OfferedAnswers) -> bool:
    """Whether the words right after a letter are those of another answer."""
    label = first_clause(after.lstrip(" \n\"').:-,](["))
    if not label or HEDGE.match(label.lower()):
        return False
    named = resolve(label, offered, loosely=True).answer
    return named is not None and named != place


def lists_all(text: str) -> bool:
    """An echo of the options: several letters, each at the start of a line or part."""
    lines = re.findall(r"(?:^|[;\n])\s*[(\[]?([a-cA-C])[)\].:]", text)
    return len({line.lower() for line in lines}) > 1
