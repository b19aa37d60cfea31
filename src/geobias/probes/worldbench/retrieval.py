"""Retrieval of statements that a model is shown before it answers.

The paper compares Cohere's model with and without retrieval. With retrieval, the error is half as
large and almost no disparity over income groups is left (section 5.3). The paper searches the web.
Here there is one statement for each indicator and economy, made from the figures that answers are
compared with. BM25 (Robertson and Zaragoza 2009, in the library bm25s) finds the statements nearest
to the question. So a run measures the disparity that remains if the model is shown the right
figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import cast

import numpy as np

from geobias.atlas.economies import Economy, economies
from geobias.atlas.figures import AVERAGED_YEARS, Figures
from geobias.atlas.indicators import Indicator
from geobias.errors import BadRequest, MissingPart


def retriever_version() -> str:
    """The version of bm25s. Raises `MissingPart`, with the way to install it, if it is missing."""
    if find_spec("bm25s") is None:
        raise MissingPart(
            "--retrieve needs the search library bm25s, which is not installed; get it with "
            "pip install 'geobias[retrieval]'"
        )
    return version("bm25s")


def statements(
    figures: Figures, indicators: Mapping[str, Indicator], year: int | None = None
) -> list[str]:
    """A statement for each indicator and economy with figures in `year` or the last three years.

    Statements are in the order of `indicators`, and then of the codes of economies.
    """
    years = figures.years[-AVERAGED_YEARS:] if year is None else (year,)
    texts = []
    for indicator in indicators.values():
        for iso3 in figures.of(indicator.id).figures:
            dated = [
                f"{indicator.write(figure)} in {year}"
                for year in years
                if (figure := figures.value(indicator.id, iso3, year)) is not None
            ]
            if dated and iso3 in economies():
                name = economies()[iso3].name
                texts.append(f"{name}, {indicator.phrase}: {', '.join(dated)}.")
    return texts


def figure_stated(shown: Sequence[str], indicator: Indicator, economy: Economy) -> float | None:
    """The figure in the shown statement about this indicator and economy, averaged over its years.

    None if no such statement is shown.
    """
    start = f"{economy.name}, {indicator.phrase}: "
    for text in shown:
        if text.startswith(start):
            dated = text.removeprefix(start).split(", ")
            told = [float(one.partition(" in ")[0].replace(",", "")) for one in dated]
            return sum(told) / len(told)
    return None


class Statements:
    def __init__(self, texts: list[str]) -> None:
        import bm25s

        words = _words(texts)
        if not any(words):
            raise BadRequest("the documents have no word to search for")
        self.texts = texts
        self._index = bm25s.BM25(backend="numpy")
        self._index.index(words, show_progress=False)
        self._known: set[str] = set(self._index.vocab_dict)

    def nearest(self, query: str, k: int) -> list[str]:
        """The `k` statements that fit the query best, the best first.

        Statements that fit equally well are in the order of the list. Statements that share no word
        with the query are left out, so there may be fewer than `k`.
        """
        wanted = [word for word in _words([query])[0] if word in self._known]
        if not wanted:
            return []
        scores = self._index.get_scores(wanted)
        best = np.argsort(-scores, kind="stable")[:k]
        return [self.texts[i] for i in best if scores[i] > 0]


def _words(texts: list[str]) -> list[list[str]]:
    import bm25s

    return cast(list[list[str]], bm25s.tokenize(texts, return_ids=False, show_progress=False))
