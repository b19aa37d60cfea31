"""Reads the number out of a reply: the rule that takes *8.7 million* for 8,700,000.

A reply ends in one of three outcomes:

    parsed      it states a number, which may be a range's midpoint, a bound or a fraction
    abstained   it states none, and says that it does not know or will not say
    unparsed    it states none that can be read: empty, cut off, only a year, malformed

The value is in the unit asked for. What is said in another unit of the same quantity is converted,
and the reading says so: 310 kg are 0.31 tonnes, 57‰ are 5.7%. A bare ratio such as 0.45 for a
question about percentages stays 0.45: whether the model got the unit right is part of what is
measured. A number of another quantity ("95 days" of rain where millimetres are asked), and those of
parts where the whole is asked ("men 60.4, women 65.1"), are unread, with the reason.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from geobias.probes.reading import (
    Answer,
    Piece,
    abstains,
    blanked,
    opening_blanked,
    own_answer,
    pieces,
)
from geobias.probes.worldbench.reading.choice import (
    Candidate,
    Survey,
    choose,
    compare,
    survey,
    undecided,
)
from geobias.probes.worldbench.reading.expected import Expected, expected_of
from geobias.probes.worldbench.reading.numerals import lowered, normalised
from geobias.probes.worldbench.reading.years import NamedYear, cited_source, cited_year

_LATEX_COMMAND = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|operatorname|mbox|bf|rm"
    r"|displaystyle"
    r"|approx|sim|quad|qquad|left|right|Large|large)\b\s?\{?"
    r"|~(?=\\)|\\[()\[\]!;: ]|(?<![0-9])\\,|\\,(?![0-9])|\\(?=[$%#&])"
)
_LATEX_FRACTION = re.compile(r"\\d?frac\s?\{([^{}]{1,30})\}\{((?:[^{}]|\{,\}){1,30})\}")
_LATEX_CLOSING = re.compile(r"(?<!\{,)\}")


def without_latex(text: str) -> str:
    """`text` with its LaTeX commands as spaces, character for character."""
    if "\\" not in text:
        return text
    text = _LATEX_FRACTION.sub(_slash, text)
    plain = _LATEX_COMMAND.sub(lambda found: " " * len(found[0]), text)
    return _LATEX_CLOSING.sub(" ", plain)


def _slash(found: re.Match[str]) -> str:
    """*\\frac{342}{100{,}000}* as *342 / 100,000*, as long as before."""
    lead = " " * (found.start(1) - found.start())
    return f"{lead}{found[1]} /{found[2]} "


Outcome = Literal["parsed", "abstained", "unparsed"]


class Reading(msgspec.Struct, frozen=True, gc=False):
    """What a reply says.

    `value` is in the unit asked for and includes `scale`, the multiplier that a scale word, an
    exponent or a fraction of a percentage applied. `span` is where the number stands in the reply
    as given, its scale word included. `source` and `year` are what the reply cites for the value;
    a reply without a value cites nothing.
    """

    value: float | None
    outcome: Outcome
    scale: float = 1.0
    source: str | None = None
    year: int | None = None
    span: tuple[int, int] | None = None
    #: How it came about, in a word or two: "scale word", "range midpoint", "only a year" …
    reason: str = ""
    #: What the number was converted from and to: "kg → tonnes", "‰ → %"; empty if as said.
    converted: str = ""


_PLAIN = re.compile(
    r"\s*([~≈]?\$?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})(\.[0-9]{1,20})?( ?%)?\.?\s*\Z"
)
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:(?:less|fewer|more|greater|higher|lower) than|over|under|below|above|at least|at most"
    r"|up to|nearly|almost)|[<>≤≥])\s?[$~]?$"
)
_MARKUP = re.compile(r"[\s$€£~≈*_`\"'%.()\[\]{}:=\\#>-]*\Z")
_SAYS_SOMETHING = re.compile(r"[^\W_]|[½¼¾⅓⅔]")
_NUMBER_GIVEN = re.compile(r"[.,%]|[0-9]{2}")


#: Turns of self-talk that are looked at.
_MOST_PARTS = 12


def read_reply(
    text: str,
    *,
    unit: str,
    low: float | None = None,
    high: float | None = None,
    asked_year: int | None = None,
    country: str | None = None,
    phrase: str = "",
    kind: str = "",
) -> Reading:
    """Read the answer in `text` to a question whose figure is in `unit`.

    `unit` is free text, which says what kind of figure is asked for unless `kind` does (see
    `expected`), and `phrase` the words of the question. `low` and `high` are a plausible range:
    they help to choose between several numbers or two readings of one, and never discard the only
    answer. Where both are missing, the unit suggests them. `asked_year` is the year
    that the question names, whose echo is no value. `country` is the country asked about, for
    replies that also speak of others.

    Any text is safe: only the ends of a long reply are read, in bounded time, and nothing raises.
    """
    expected = expected_of(unit, low, high, asked_year, country or "", phrase, kind)
    if len(text) < 48 and (quick := _plain(text, expected)):
        return quick
    answer = own_answer(text)
    norm = without_latex(normalised(_without_escapes(answer.text)))
    low_text = lowered(norm)
    visible = opening_blanked(blanked(low_text))
    if not _SAYS_SOMETHING.search(visible):
        return _REFUSAL if abstains(visible) else Reading(None, "unparsed", reason="empty")
    parts = pieces(low_text)
    visible = _questions_blanked(visible, parts)
    found = survey(visible, expected)
    part = _answering_part(parts, found, visible, expected.country)
    part_text = visible[part.start : part.end]
    possible = [
        candidate
        for candidate in found.candidates
        if _inside(candidate, part) and answer.whole(*candidate.numeral.span)
    ]
    only_parts = False
    if len(possible) > 1:
        own = [year for year in found.years if part.start <= year.start < part.end]
        only_parts = compare(possible, own, visible, expected)
    chosen = choose(possible, expected)
    if chosen and (reason := _unreadable(chosen, expected, only_parts=only_parts)):
        return Reading(None, "unparsed", reason=reason)
    if chosen and len(possible) > 2 and undecided(chosen, possible):
        return Reading(None, "unparsed", reason="several numbers")
    if chosen and _too_little(chosen, visible) and abstains(part_text):
        chosen = None
    if chosen and answer.unfinished and not _concludes(chosen, visible):
        chosen = None
    if chosen is None:
        return _without_value(found, part_text, unfinished=answer.unfinished)
    return _parsed(chosen, found, part, answer=answer, text=norm, visible=visible)


_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]?"  # colours, moves, clearing
    r"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles and links, up to their end
    r"|[()][AB]|[78](?![0-9.,])|[=>@-~])?"
)
"""What ECMA-48 has a terminal obey and not show: the 2 in ESC[2J is no number that was said.

Digits after a bare ESC stay (7 and 8 alone save and restore the cursor), as does all that a
terminal would wait for an end of: a reply is not to lose its number to a stray character.
"""


def _without_escapes(text: str) -> str:
    """The text with spaces where escape sequences stand, so that places stay the same."""
    return _ESCAPE.sub(lambda found: " " * len(found[0]), text)


_REFUSAL = Reading(None, "abstained", reason="refusal")


def _without_value(found: Survey, part_text: str, *, unfinished: bool) -> Reading:
    if unfinished:
        reason = "unfinished thinking"
    elif abstains(part_text):
        return _REFUSAL
    elif found.malformed:
        reason = "malformed number"
    else:
        reason = "only a year" if found.years else "no number"
    return Reading(None, "unparsed", reason=reason)


def _plain(text: str, expected: Expected) -> Reading | None:
    """The quick way for what most replies are: one number and nothing else.

    Whatever needs a second thought is left to the long way: separators that could mean two
    things, and four digits that could be a year.
    """
    match = _PLAIN.match(text)
    if match is None:
        return None
    whole, fraction = match[2], match[3] or ""
    value = float(whole.replace(",", "") + fraction)
    if match[4] and expected.kind != "share":
        return None
    if "," in whole:
        sure = expected.whole_things and expected.fits(value)
        if not fraction and len(whole) < 8 and not sure:
            return None
    elif (
        (len(fraction) == 4 and len(whole) < 4 and whole != "0")
        or (len(whole) == 4 and not fraction and not match[4])
        or (len(whole) > 1 and whole[0] == "0")
    ):
        return None
    span = (match.start(2), match.end(3) if fraction else match.end(2))
    return Reading(value, "parsed", span=span, reason="number")


def _questions_blanked(visible: str, parts: list[Piece]) -> str:
    """`visible` with the questions between the parts as spaces, line breaks kept."""
    if len(parts) == 1 and parts[0].start == 0:
        return visible
    kept: list[str] = []
    place = 0
    for part in parts:
        kept.append(" " * (part.start - place))
        kept.append(visible[part.start : part.end])
        place = part.end
    return "".join(kept)


def _inside(candidate: Candidate, part: Piece) -> bool:
    return part.start <= candidate.numeral.start < part.end


def _answering_part(parts: list[Piece], found: Survey, visible: str, country: str) -> Piece:
    """The first part that answers or declines.

    A reply that opens with questions about several countries answers in the part that follows the
    question about the one that was asked.
    """
    if len(parts) == 1:
        return parts[0]
    answering = [
        part
        for part in parts[:_MOST_PARTS]
        if any(_inside(c, part) for c in found.candidates)
        or abstains(visible[part.start : part.end])
    ]
    if not answering:
        return Piece(0, len(visible), "")
    if country and answering[0].question:
        return next((part for part in answering if country in part.question), answering[0])
    return answering[0]


def _unreadable(chosen: Candidate, expected: Expected, *, only_parts: bool) -> str:
    """Why the number that fits best is no answer all the same; empty if it is one."""
    measure = chosen.numeral.measure
    if only_parts and not chosen.concluded:
        return "only parts of the whole"
    if measure and measure.quantity != expected.quantity:
        return "in another unit"
    if measure and chosen.sense == "change":
        return "only a change"
    return ""


def _concludes(chosen: Candidate, visible: str) -> bool:
    """Whether an unfinished thought states this number as its answer, or is nothing else."""
    if chosen.concluded:
        return True
    start, end = chosen.numeral.span
    line = visible.rfind("\n", 0, start) + 1
    return bool(_MARKUP.match(visible[line:start]) and _MARKUP.match(visible[end:]))


def _too_little(chosen: Candidate, visible: str) -> bool:
    """Whether a number beside a refusal is too little to be an answer ("1 single number")."""
    numeral = chosen.numeral
    said = visible[numeral.start : numeral.end]
    return (
        numeral.faint
        or chosen.points < -4.5
        or (not numeral.percent and numeral.scale == 1.0 and not _NUMBER_GIVEN.search(said))
    )


def _parsed(
    chosen: Candidate, found: Survey, part: Piece, *, answer: Answer, text: str, visible: str
) -> Reading:
    numeral = chosen.numeral
    values = [c for c in found.candidates if c is chosen or c.sense not in ("open", "label")]
    spans = [c.numeral.span for c in values]
    rivals = {
        index
        for index, c in enumerate(values)
        if c.numeral.value != numeral.value
        and c.numeral.percent == numeral.percent
        and c.sense != "change"
    }
    # Four digits that nothing explains are a year once another number is the answer.
    open_years = [
        NamedYear(*c.numeral.span, int(c.numeral.value or 0))
        for c in found.candidates
        if c is not chosen and c.sense == "open"
    ]
    years = sorted(
        (y for y in found.years + open_years if part.start <= y.start < part.end),
        key=lambda year: year.start,
    )
    part_text = text[part.start : part.end]
    cites = len(part_text) > numeral.end - numeral.start + 3
    return Reading(
        value=numeral.value,
        outcome="parsed",
        reason=_reason(numeral.form, numeral.scale, visible[: numeral.start]),
        scale=numeral.scale,
        source=cited_source(part_text, lowered(part_text)) if cites else None,
        year=cited_year(visible, years, spans, values.index(chosen), rivals) if years else None,
        span=(answer.place(numeral.start), answer.place(numeral.end)),
        converted=numeral.converted,
    )


def _reason(form: str, scale: float, before: str) -> str:
    if form == "range":
        return "range midpoint"
    if form in ("fraction", "share"):
        return "fraction"
    if _BOUND_BEFORE.search(before[-16:]):
        return "bound"
    if form == "words":
        return "number words"
    return "scale word" if scale != 1.0 else "number"
