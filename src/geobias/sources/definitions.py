"""Which indicators to pull: the shipped ones, a user's own, and those that replaced another.

What the audit must know of an indicator is its code, the phrase of the question and the unit. The
eleven shipped ones come with these; for any other series a user gives them, on the command line
or in a TOML file as `geobias.atlas.indicators.read_indicators` reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

from geobias.atlas.indicators import Indicator, indicators, read_indicators
from geobias.atlas.table import read_structs
from geobias.errors import BadRequest
from geobias.sources.worldbank import checked_code

SHIPPED = "shipped"
"""Stands for the eleven shipped indicators where indicators are named."""


class Successor(msgspec.Struct, frozen=True):
    """A series that replaced a discontinued one. It is another series, with other figures."""

    code: str
    successor: str
    id: str
    unit: str


class WantedIndicator(msgspec.Struct, frozen=True):
    """An indicator to pull; one that was not asked for by name may be missing from the service."""

    indicator: Indicator
    by_name: bool


@cache
def successors() -> Mapping[str, Successor]:
    """What replaced a shipped indicator's series, by the old code."""
    rows = read_structs(Path(__file__).with_name("successors.csv"), Successor)
    return MappingProxyType({successor.code: successor for _, successor in rows})


def wanted_indicators(
    names: Sequence[str] = (),
    *,
    phrases: Sequence[str] = (),
    units: Sequence[str] = (),
    file: Path | None = None,
) -> list[WantedIndicator]:
    """The indicators a user asks for, each once.

    `names` are ids or codes of shipped indicators or of those in `file`, the word "shipped", or
    codes of other series; the phrases and units belong to those others, in their order (a
    successor has its predecessor's phrase, so it needs none). Without names it is everything in
    `file`, or without that the shipped ones.
    """
    own = dict(read_indicators(file)) if file is not None else {}
    if not names:
        if phrases or units:
            raise BadRequest("--phrase and --unit say how to ask about an --indicator: name it.")
        chosen = [WantedIndicator(one, True) for one in own.values()]
        return chosen or [WantedIndicator(one, False) for one in indicators().values()]

    known = {**indicators(), **own}
    by_word = {word.casefold(): one for one in known.values() for word in (one.id, one.code)}
    new = _new_indicators(
        [name for name in _once(names) if name.casefold() not in {SHIPPED, *by_word}],
        phrases,
        units,
    )
    wanted: dict[str, WantedIndicator] = {}
    for name in _once(names):
        word = name.casefold()
        if word == SHIPPED:
            for one in indicators().values():
                wanted.setdefault(one.id, WantedIndicator(one, False))
            continue
        one = by_word.get(word) or new[word]
        clash = wanted.get(one.id)
        if clash is not None and clash.indicator.code != one.code:
            raise BadRequest(
                f"{clash.indicator.code} and {one.code} would both be called {one.id}: "
                "give them ids in a TOML file (--indicators)."
            )
        wanted[one.id] = WantedIndicator(one, True)
    return list(wanted.values())


def _once(names: Iterable[str]) -> list[str]:
    return list({name.strip().casefold(): name.strip() for name in names}.values())


def _new_indicators(
    codes: Sequence[str], phrases: Sequence[str], units: Sequence[str]
) -> dict[str, Indicator]:
    """Definitions of series nobody has defined yet, by code in small letters."""
    inherited = {one.successor.casefold(): one for one in successors().values()}
    for code in codes:
        checked_code(code)
    described = list(codes)
    if len(phrases) != len(codes):
        described = [code for code in codes if code.casefold() not in inherited]
    if not len(phrases) == len(units) == len(described):
        raise BadRequest(_ask_for_words(described, phrases, units))
    new = {
        code.casefold(): _defined(indicator_id(code), code, phrase, unit)
        for code, phrase, unit in zip(described, phrases, units, strict=True)
    }
    for code in codes:
        if code.casefold() not in new:
            heir = inherited[code.casefold()]
            old = next(one for one in indicators().values() if one.code == heir.code)
            new[code.casefold()] = msgspec.structs.replace(
                old, id=heir.id, code=heir.successor, unit=heir.unit, series="", edition=None
            )
    return new


def _ask_for_words(codes: Sequence[str], phrases: Sequence[str], units: Sequence[str]) -> str:
    if not codes:
        return "--phrase and --unit are for series of your own; the ones named have theirs."
    if not phrases and not units:
        return (
            f"{codes[0]} is none of the shipped indicators ({', '.join(indicators())}): "
            "to pull it, say how it is asked for, for example "
            '--phrase "life expectancy at birth in years" --unit years.'
        )
    return (
        f"{', '.join(codes)} need{'s' if len(codes) == 1 else ''} one --phrase and one --unit "
        f"each, in the same order: there are {len(phrases)} and {len(units)}."
    )


def _defined(name: str, code: str, phrase: str, unit: str) -> Indicator:
    given = {"id": name, "code": code, "phrase": phrase.strip(), "unit": unit.strip()}
    if name in indicators():
        raise BadRequest(f"{code} would be called {name}, as a shipped indicator is.")
    try:
        return msgspec.convert(given, Indicator)
    except msgspec.ValidationError as error:
        raise BadRequest(f"{code}: {error}.") from None


def indicator_id(code: str) -> str:
    """A plain word for a series: SP.DYN.LE00.IN is sp_dyn_le00_in."""
    word = re.sub(r"[^a-z0-9]+", "_", code.lower()).strip("_")
    return word if word[:1].isalpha() else f"wb_{word}"


def definitions_toml(defined: Iterable[Indicator]) -> str:
    """Definitions as `read_indicators` reads them; what nobody said is left out."""
    lines: list[str] = []
    for one in defined:
        lines.append(f"[{one.id}]")
        for field in ("code", "phrase", "unit", "label", "low", "high", "decimals", "series"):
            value = getattr(one, field)
            if value is not None and value != "":
                lines.append(f"{field} = {_toml(value)}")
        lines.append("")
    return "\n".join(lines)


def _toml(value: str | float) -> str:
    """A JSON string is a TOML string, but for the one control character JSON leaves bare."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
