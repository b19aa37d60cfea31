"""What a rate is counted per: *23 per 100,000*, *5.7‰*, *0.23 per 1,000 people*.

A rate on another base than the one asked for converts, and so does ‰ for %. Rates per 100,000 stay
as said unless they are of people: what is given per 1,000 live births is infant mortality more
often than maternal.
"""

from __future__ import annotations

from geobias.probes.lazy import regex

_PERMILLE = regex(
    r"[ *_]{0,3}(?:‰|per ?mill?e?\b|pro ?mille\b|promille\b|pour mille\b|por mil\b|промилле|千分)"
)
_BASE = regex(
    r"[ *_]{0,3}(?:/ ?|(?:[^\W\d_]+[ ,]){0,5}?(?:per|for every|for each|pour|por(?: cada)?"
    r"|pro|je|na|su|auf"
    r"|out of(?: every)?|на) )"
    r"(?:(100[,. ]?000|10[,. ]?000|1[,. ]?000[,. ]?000|1[,. ]?000|100)(?![0-9.,]\d|\d)"
    r"|(thousand|mille|mil|million)\b)"
)
_THOUSANDS = regex(r" ?k\b| (?:mil|mille|thousand|tausend)\b")
_NAMED = {"thousand": 1e3, "mille": 1e3, "mil": 1e3, "million": 1e6}
_DIGITS = str.maketrans("", "", ",. ")


def base_after(low_text: str, position: int) -> float:
    """What the number that ends at `position` is counted per; 0 if nothing is said."""
    if _PERMILLE.match(low_text, position):
        return 1e3
    found = _BASE.match(low_text, position, position + 60)
    if found is None:
        return 0.0
    if not found[1]:
        return _NAMED[found[2]]
    said = float(found[1].translate(_DIGITS))
    return said * 1e3 if _THOUSANDS.match(low_text, found.end()) else said


def permille(low_text: str, position: int) -> bool:
    return _PERMILLE.match(low_text, position) is not None
