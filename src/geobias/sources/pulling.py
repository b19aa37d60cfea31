"""From indicators someone wants to a table of figures: from the cache, or from the World Bank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.figures import Figures
from geobias.atlas.importing import Series, write_figures
from geobias.atlas.indicators import Indicator, indicators, read_indicators
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.sources.cache import Cache, CacheEntry
from geobias.sources.definitions import SHIPPED, WantedIndicator, definitions_toml, successors
from geobias.sources.download import Downloader, RequestLimits
from geobias.sources.worldbank import (
    FALLBACK,
    NoSuchSeries,
    economies_only,
    economies_source,
    fetch_economies,
    fetch_series,
    series_source,
    service_url,
)
from geobias.sources.worldbank_json import ServedEconomy

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with a code, the pages that are here and the pages there are."""

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
    limits: RequestLimits | None = None,
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
    pulled: dict[str, _PulledSeries] = {}
    missing: list[str] = []
    async with Downloader(limits, fallback=FALLBACK) as download:
        service = _CachedWorldBank(Cache(), download, url, refresh)
        listed = await service.economies()
        for one in wanted:
            try:
                pulled[one.indicator.id] = await service.series(one.indicator, progress)
            except NoSuchSeries as no:
                sentence = _with_successor(str(no), one)
                if one.by_name:
                    raise NoSuchSeries(sentence) from None
                missing.append(sentence)

    if not pulled:
        raise NoSuchSeries(" ".join(missing))
    series: dict[str, Series] = {}
    unknown: dict[str, str] = {}
    aggregates = 0
    for name, one_series in pulled.items():
        series[name], strangers, left_out = economies_only(one_series.series, listed, economies())
        if not series[name].figures:
            raise BadRequest(f"{one_series.series.code} has figures of no economy geobias knows.")
        unknown |= strangers
        aggregates = max(aggregates, left_out)
    figures = write_figures(series, out)
    if definitions is not None and not _same(definitions, defined_in):
        own = [one.defined() for one in pulled.values() if one.indicator.id not in indicators()]
        write_whole(definitions, definitions_toml(own).encode(), BadRequest)
    return PulledFigures(
        figures=figures,
        out=out,
        definitions=definitions,
        entries={name: one.entry for name, one in pulled.items()},
        cached=frozenset(name for name, one in pulled.items() if one.cached),
        missing=tuple(missing),
        unknown=dict(sorted(unknown.items())),
        aggregates=aggregates,
    )


class _PulledSeries(msgspec.Struct, frozen=True):
    indicator: Indicator
    series: Series
    entry: CacheEntry
    cached: bool

    def defined(self) -> Indicator:
        """The definition with the World Bank's own spelling of the code and name of the series."""
        one, name = self.indicator, self.series.name
        return msgspec.structs.replace(
            one, code=self.series.code, label=one.label or name, series=one.series or name
        )


class _CachedWorldBank:
    """Takes things from the cache if they are there, and else fetches and keeps them."""

    def __init__(self, cache: Cache, download: Downloader, url: str, refresh: bool) -> None:
        self._cache = cache
        self._download = download
        self._url = url
        self._refresh = refresh

    async def economies(self) -> Mapping[str, ServedEconomy]:
        source = economies_source(self._url)
        if (kept := self._read(ECONOMIES, dict[str, ServedEconomy], source)) is not None:
            return kept[1]
        listed = await fetch_economies(self._download, source)
        self._cache.keep(ECONOMIES, msgspec.json.encode(listed), source=source, edition="")
        return listed

    async def series(self, indicator: Indicator, progress: Progress | None) -> _PulledSeries:
        code = indicator.code
        source = series_source(self._url, code)
        name = f"worldbank-{code}"
        if (kept := self._read(name, Series, source)) is not None:
            return _PulledSeries(indicator, kept[1], kept[0], cached=True)
        page = partial(progress, code) if progress else None
        series = await fetch_series(self._download, source, code, page)
        content = msgspec.json.encode(series)
        entry = self._cache.keep(name, content, source=source, edition=series.edition)
        return _PulledSeries(indicator, series, entry, cached=False)

    def _read(self, name: str, kind: type[T], source: str) -> tuple[CacheEntry, T] | None:
        return None if self._refresh else self._cache.read(name, kind, source=source)


def _definitions(
    out: Path, wanted: Sequence[WantedIndicator], defined_in: Path | None
) -> Path | None:
    """Where definitions will stand, settled before anything is asked for; None if none will."""
    if not out.name or not out.parent.is_dir():
        raise BadRequest(f"{out} cannot be written: there is no folder {out.parent}.")
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
