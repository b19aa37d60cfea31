"""The words that belong to each number of a reply: what stands before it, and what after it.

Between two numbers the words are parted at the first sign or word that turns to something new;
where there is none, they belong to the number before, unless they lead up to the next one.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec

from geobias.probes.lazy import regex

_SIGNS = regex(r"[,;(|\n\t•]|[.:!?](?=\s)|(?<=\s)[–—-](?=\s)")
_TURNS = regex(
    _SIGNS.pattern
    + r"|\b(?:and|but|while|whereas|or|so|with|versus|vs|which|giving|though|although|y|pero|et"
    r"|mais|und|aber|e|mas|и|а)\b"
)
_LEADS_UP = regex(r"(?:[:=]|\b(?:is|was|are|at|of|to|has|have|about|only|i\.e\.))\W{0,5}$")
#: A bracket right behind a number speaks of it: "24% (electricity)".
_OWN_BRACKET = regex(r"[%\s]{0,3}(?:[a-z°²]{1,10} )?\([^()0-9]{1,40}\)")
#: How far words belong to a number, in characters.
_REACH = 90


class Segment(msgspec.Struct, gc=False):
    """The words before and after a number, up to where they turn to something else."""

    before: str
    after: str

    def __contains__(self, word: str) -> bool:
        return word in self.before or word in self.after


def segments(low_text: str, spans: list[tuple[int, int]]) -> list[Segment]:
    """The words of each of the numbers at `spans`, which stand in order."""
    # "urban 100 rural 99.7 total 99.9": the text begins with a word and ends with a number.
    labels_first = not low_text[spans[-1][1] :].strip(" %.\n)") and bool(
        low_text[: spans[0][0]].strip()
    )
    edges = [
        0,
        *(_parting(low_text, a[1], b[0], labels_first=labels_first) for a, b in pairwise(spans)),
    ]
    found: list[Segment] = []
    for index, (start, end) in enumerate(spans):
        opening = max(edges[index], start - _REACH)
        sentence = max(low_text.rfind("\n", opening, start), low_text.rfind(". ", opening, start))
        opening = max(opening, sentence + 1)
        closing = edges[index + 1] if index + 1 < len(spans) else len(low_text)
        after = low_text[end : min(closing, end + _REACH)]
        bracket = _OWN_BRACKET.match(after)
        turn = _TURNS.search(after, bracket.end() if bracket else 3)
        found.append(Segment(low_text[opening:start], after[: turn.start()] if turn else after))
    return found


def _parting(low_text: str, end: int, start: int, *, labels_first: bool) -> int:
    gap = low_text[end:start]
    if len(gap) > 400:
        return start - _REACH
    bracket = _OWN_BRACKET.match(gap)
    own = bracket.end() if bracket else 0
    turn = _SIGNS.search(gap, own)
    if turn is None:
        # "11.7 nurses and midwives and 2.3 physicians"
        turn = next(iter(list(_TURNS.finditer(gap, own))[-1:]), None)
    if turn is not None:
        return end + turn.start()
    if bracket:
        return end + own
    return end if labels_first or _LEADS_UP.search(gap) else start
