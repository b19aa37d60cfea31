"""A table of figures of any World Bank indicators, from the cache or from the service.

What the audit must know of an indicator is its code, the phrase of the question and the unit. The
eleven shipped ones come with these; for another series a user gives them on the command line, for
several in a TOML file as `geobias.atlas.indicators.read_indicators` reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.figures import Figures
from geobias.atlas.importing import Series, write_figures
from geobias.atlas.indicators import Indicator, indicators, read_indicators
from geobias.atlas.table import read_structs
from geobias.errors import BadRequest
from geobias.files import check_folder, write_whole
from geobias.sources.cache import Cache, CacheEntry
from geobias.sources.download import LIMITS, Downloader, RequestLimits
from geobias.sources.worldbank import (
    FALLBACK,
    EconomyRow,
    NoSuchSeries,
    checked_code,
    economies_only,
    economies_source,
    fetch_economies,
    fetch_series,
    series_source,
    service_url,
)

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
    names: Sequence[str] = (), *, phrase: str = "", unit: str = "", file: Path | None = None
) -> list[WantedIndicator]:
    """The indicators a user asks for, each once.

    `names` are ids or codes of shipped indicators, of successors or of those in `file`, the word
    "shipped", or the code of one other series, which `phrase` and `unit` belong to. Without names
    it is everything in `file`, or without that the shipped ones.
    """
    own = dict(read_indicators(file)) if file is not None else {}
    if not names:
        if phrase or unit:
            raise BadRequest("--phrase and --unit say how to ask about an --indicator: name it.")
        chosen = [WantedIndicator(one, True) for one in own.values()]
        return chosen or [WantedIndicator(one, False) for one in indicators().values()]

    known = {**_heirs(), **indicators(), **own}
    by_word = {word.casefold(): one for one in known.values() for word in (one.id, one.code)}
    words = {name.strip().casefold(): name.strip() for name in names}
    new = [name for word, name in words.items() if word not in {SHIPPED, *by_word}]
    if not new and (phrase or unit):
        raise BadRequest("--phrase and --unit are for a series of your own; those named have them.")
    if len(new) > 1 or (new and not (phrase and unit)):
        raise BadRequest(
            f"{checked_code(new[0])} is none of the shipped indicators "
            f"({', '.join(indicators())}): to pull it, say how it is asked for, for example "
            '--phrase "life expectancy at birth in years" --unit years; for several series, in a '
            "TOML file (--indicators)."
        )
    by_word |= {code.casefold(): _defined(checked_code(code), phrase, unit) for code in new}
    wanted: dict[str, WantedIndicator] = {}
    for word in words:
        if word == SHIPPED:
            for one in indicators().values():
                wanted.setdefault(one.id, WantedIndicator(one, False))
        else:
            wanted[by_word[word].id] = WantedIndicator(by_word[word], True)
    return list(wanted.values())


def _heirs() -> dict[str, Indicator]:
    """Successors of shipped indicators, asked about as these are."""
    found = {}
    for old in indicators().values():
        if heir := successors().get(old.code):
            found[heir.id] = msgspec.structs.replace(
                old, id=heir.id, code=heir.successor, unit=heir.unit, series="", edition=None
            )
    return found


def _defined(code: str, phrase: str, unit: str) -> Indicator:
    name = indicator_id(code)
    if name in indicators():
        raise BadRequest(f"{code} would be called {name}, as a shipped indicator is.")
    given = {"id": name, "code": code, "phrase": phrase.strip(), "unit": unit.strip()}
    try:
        return msgspec.convert(given, Indicator)
    except msgspec.ValidationError as error:
        raise BadRequest(f"{code}: {error}.") from None


def indicator_id(code: str) -> str:
    """A plain word for a series: SP.DYN.LE00.IN is sp_dyn_le00_in."""
    word = re.sub(r"[^a-z0-9]+", "_", code.lower()).strip("_")
    return word if word[:1].isalpha() else f"wb_{word}"


def definitions_toml(defined: Iterable[Indicator]) -> str:
    """Definitions as `read_indicators` reads them; what nobody said is left out.

    A JSON string is a TOML string, but for the one control character JSON leaves bare.
    """
    lines: list[str] = []
    for one in defined:
        lines.append(f"[{one.id}]")
        for field in ("code", "phrase", "unit", "label", "low", "high", "decimals", "series"):
            value = getattr(one, field)
            if isinstance(value, str) and value:
                quoted = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
                lines.append(f"{field} = {quoted}")
            elif value not in (None, ""):
                lines.append(f"{field} = {value!r}")
        lines.append("")
    return "\n".join(lines)


Progress = Callable[[str, int, int], None]
"""Called with a code, how many series are here and how many there will be."""

ECONOMIES = "worldbank-economies"


class PulledFigures(msgspec.Struct, frozen=True):
    figures: Figures
    out: Path
    definitions: Path | None
    """Where the indicators that are not shipped are defined; None if all are shipped."""
    entries: Mapping[str, CacheEntry]
    """By id of the indicator, what its figures were read from."""
    cached: frozenset[str]
    """The ids that were in the cache already."""
    missing: tuple[str, ...]
    """A sentence for each indicator the service no longer has."""
    unknown: Mapping[str, str]
    """Economies with figures that geobias does not know, by code; left out."""
    aggregates: int
    """Aggregates that were left out, such as "World"; the most of any of the series."""


async def pull(
    wanted: Sequence[WantedIndicator],
    out: Path,
    *,
    defined_in: Path | None = None,
    refresh: bool = False,
    limits: RequestLimits = LIMITS,
    progress: Progress | None = None,
) -> PulledFigures:
    """Write the figures of these indicators to `out`, in the format of the shipped table.

    All years there are, economies only. Definitions of indicators that are not shipped go to a
    TOML file beside it (figures.csv, figures.toml), unless they were read from that very file.
    Whatever fails, `out` and the cache stay as they were, but for series that came whole before
    the failure, which the cache keeps.
    """
    definitions = _definitions(out, wanted, defined_in)
    url = service_url()
    store = Cache()
    series: dict[str, Series] = {}
    entries: dict[str, CacheEntry] = {}
    cached: set[str] = set()
    missing: list[str] = []
    async with Downloader(limits, fallback=FALLBACK) as download:
        source = economies_source(url)
        kept_list = None if refresh else store.read(ECONOMIES, list[EconomyRow], source=source)
        if kept_list is not None:
            listed = kept_list[1]
        else:
            listed = await fetch_economies(download, source)
            store.keep(ECONOMIES, msgspec.json.encode(listed), source=source)
        for here, one in enumerate(wanted):
            id_, code = one.indicator.id, one.indicator.code
            source, name = series_source(url, code), f"worldbank-{code}"
            kept = None if refresh else store.read(name, Series, source=source)
            if kept is not None:
                entries[id_], series[id_] = kept
                cached.add(id_)
                continue
            if progress:
                progress(code, here, len(wanted))
            try:
                fetched = await fetch_series(download, source, code)
            except NoSuchSeries as no:
                sentence = _with_successor(str(no), one)
                if one.by_name:
                    raise NoSuchSeries(sentence) from None
                missing.append(sentence)
                continue
            content = msgspec.json.encode(fetched)
            entries[id_] = store.keep(name, content, source=source, edition=fetched.edition)
            series[id_] = fetched

    if not series:
        raise NoSuchSeries(" ".join(missing))
    unknown: dict[str, str] = {}
    aggregates = 0
    for id_, served in series.items():
        national, strangers, left_out = economies_only(served, listed, economies())
        if not national.figures:
            raise BadRequest(f"{served.code} has figures of no country geobias knows.")
        series[id_] = national
        unknown |= strangers
        aggregates = max(aggregates, left_out)
    figures = write_figures(series, out)
    if definitions is not None and not _same(definitions, defined_in):
        own = [
            _as_served(one.indicator, series[one.indicator.id])
            for one in wanted
            if one.indicator.id in series and one.indicator.id not in indicators()
        ]
        write_whole(definitions, definitions_toml(own).encode(), BadRequest)
    return PulledFigures(
        figures=figures,
        out=out,
        definitions=definitions,
        entries=entries,
        cached=frozenset(cached),
        missing=tuple(missing),
        unknown=dict(sorted(unknown.items())),
        aggregates=aggregates,
    )


def _as_served(indicator: Indicator, series: Series) -> Indicator:
    """The definition with the World Bank's own spelling of the code and name of the series."""
    return msgspec.structs.replace(
        indicator,
        code=series.code,
        label=indicator.label or series.name,
        series=indicator.series or series.name,
    )


def _definitions(
    out: Path, wanted: Sequence[WantedIndicator], defined_in: Path | None
) -> Path | None:
    """Where definitions will stand, settled before anything is asked for; None if none will."""
    check_folder(out)
    if out.suffix.lower() == ".toml":
        raise BadRequest(f"{out} is for the figures, a CSV file: the definitions go beside it.")
    own = [one.indicator for one in wanted if one.indicator.id not in indicators()]
    if not own:
        return None
    definitions = out.with_suffix(".toml")
    if defined_in is not None and _same(definitions, defined_in):
        there = read_indicators(defined_in)
        if more := [one.code for one in own if one.id not in there]:
            raise BadRequest(
                f"The definition of {more[0]} would overwrite {definitions}: "
                "add it there, or choose another --out."
            )
    return definitions


def _same(path: Path, other: Path | None) -> bool:
    return other is not None and path.resolve() == other.resolve()


def _with_successor(sentence: str, wanted: WantedIndicator) -> str:
    """The sentence, and what to pull instead where a series has been replaced."""
    heir = successors().get(wanted.indicator.code)
    if heir is None:
        return sentence
    others = "" if wanted.by_name else f"--indicator {SHIPPED} "
    return (
        f"{sentence.removesuffix('.')}: it was replaced by {heir.successor}, another series with "
        f"other figures; pull that with {others}--indicator {heir.successor}."
    )
