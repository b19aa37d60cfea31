"""The parts of a text: the statements it makes, its first clause, its words."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from geobias.probes.lazy import regex

WORD = regex(r"[^\W_]+(?:'[^\W_]+)*")
_WORD_OR_ENDING = regex(r"[^\W_]+(?:'[^\W_]*)?")
ARTICLES = frozenset(("the", "a", "an", "my", "our", "his", "her", "their"))
_STATEMENT = regex(
    r"[.;:!?\n]+(?:\s|$)|,\s|\s-\s|\bi mean\b"
    r"|\b(?:while|whereas|but|because|since|and|so|therefore|thus|hence)\b"
    r"|(?<!described )(?<!known )(?<!seen )(?<!portrayed )(?<!regarded )\bas\b",
    re.I,
)
"""Where one thing that is said ends and the next begins."""
_CLAUSE_ENDS = regex(
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
