"""Read single replies about the figure of a country, outside of a run."""

from __future__ import annotations

from geobias.atlas.economies import economy
from geobias.atlas.indicators import indicator
from geobias.probes.readers import Line, number_reader, text_of
from geobias.probes.worldbench.trials import asked_number
from geobias.reading.again import Asker, number_asker
from geobias.reading.numbers import read_number
from geobias.reading.numerals import Asked


def _asked(line: Line) -> Asked:
    year = line.get("year")
    place = economy(text_of(line, "country"))
    figure = indicator(text_of(line, "indicator"))
    return asked_number(figure, place, None if year is None else int(year))


def _asker(line: Line) -> Asker:
    figure, place = indicator(text_of(line, "indicator")), economy(text_of(line, "country")).name
    return number_asker(f"What is the {figure.phrase} for {place}?", figure.unit, place)


READER = number_reader(_asked, _asker, read_number)
