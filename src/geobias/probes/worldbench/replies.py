"""How single replies about figures are read outside of a run."""

from __future__ import annotations

from geobias.atlas.economies import economy
from geobias.atlas.indicators import Indicator, indicator
from geobias.probes.readers import Line, number_reader, text_of
from geobias.probes.worldbench.trials import number_asked
from geobias.reading.again import Asker, number_asker
from geobias.reading.numerals import Asked


def _indicator(line: Line) -> Indicator:
    return indicator(text_of(line, "indicator"))


def _asked(line: Line) -> Asked:
    year = line.get("year")
    place = economy(text_of(line, "country"))
    return number_asked(_indicator(line), place, None if year is None else int(year))


def _asker(line: Line) -> Asker:
    one, place = _indicator(line), economy(text_of(line, "country")).name
    return number_asker(f"What is the {one.phrase} for {place}?", one.unit, place)


READER = number_reader(_asked, _asker)
