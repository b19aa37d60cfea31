"""Whether WorldBench's errors say anything about what a model knows.

A model that says one number for every country answers nearly every question, and its disparity is
then that of the world's figures, not of its knowledge; so it is with one typical figure for each
indicator, a little up or down. So besides numbers that can be read, there must be variety, answers
must not crowd around one figure, and they must fit the countries they were given for better than
answers shuffled among countries would.
"""

from __future__ import annotations

from typing import Any

from geobias.probes.lazy import pl
from geobias.probes.worldbench.scores import grouped
from geobias.probes.worldbench.shuffled_baseline import LEVEL, ShuffledBaseline, shuffled_baseline
from geobias.results.findings import Screen
from geobias.results.formatting import words_in_a_sentence

LEAST_READ = 0.6
"""A model that declines every second question is below it, whatever its luck."""
LEAST_VARIETY = 0.25
"""Of the variety the figures have, the mean over indicators. A model of 135 million parameters that
says 4.04 for 43 of 44 countries has 14%, one of 1.5 billion that rounds a lot 52%."""
FEW = 10
"""Answers of an indicator under which variety says nothing."""
NEAR = 0.1
MOST_CROWDED = 0.75
"""Share of answers within 10% of the median answer, beyond the share of figures that lie so near to
theirs, the mean over indicators. A model that knows half of the countries and gives a typical
figure for the others has about half."""


def screens(frame: pl.DataFrame, found: ShuffledBaseline | None = None) -> list[Screen]:
    """The screens of a run, most basic first. A later one may fail because an earlier one does."""
    asked = frame.height
    read = frame["value"].count()
    share = read / asked if asked else None
    varied = variety(frame)
    enough = share is not None and share >= LEAST_READ
    says = f"a number could be read from {'' if enough else 'only '}{read:,} of {asked:,} replies"
    parsed = Screen(
        name="parse rate",
        ok=enough,
        value=share,
        threshold=LEAST_READ,
        n=asked,
        says=says if asked else "nothing has been asked yet",
    )
    return [
        parsed,
        _variety_screen(varied),
        _crowded_screen(varied),
        _chance_screen(found or shuffled_baseline(frame)),
    ]


def _variety_screen(table: pl.DataFrame) -> Screen:
    ratios = table["ratio"].drop_nulls().to_list()
    mean = sum(ratios) / len(ratios) if ratios else None
    if mean is None:
        # Too few answers to tell: this screen then holds nothing against the model.
        says = f"under {FEW} answers to each indicator: too few to see whether they vary"
    else:
        least = table.drop_nulls("ratio").sort("ratio").to_dicts()[0]
        says = (
            f"the answers vary {mean:.0%} as much as the figures do; least for "
            f"{words_in_a_sentence(least['indicator'])}, where {least['commonest']:,} "
            f"of {least['answers']:,} answers are {_plain(least['value'])}"
        )
    return Screen(
        name="variety of answers",
        ok=mean is None or mean >= LEAST_VARIETY,
        value=mean,
        threshold=LEAST_VARIETY,
        n=len(ratios),
        says=says,
    )


def _plain(value: float) -> str:
    """A figure as people write it: 1,000,000,000,000, and 0.25."""
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:,.6g}"


def variety(frame: pl.DataFrame) -> pl.DataFrame:
    """How much the answers to each indicator vary, beside the figures.

    distinct          different answers; `distinct_figures` of the same questions
    effective         1 / Σ share², the number of equally frequent answers that vary as much
    ratio             effective number of answers over that of the figures, at most 1
    value, commonest  the most frequent answer, and how often it was given

    Answers and figures are rounded to one digit first, since models round; where half the world
    has 100% (access to electricity), half the answers may say so. Null under ten answers.
    `crowded` is the share of answers within 10% of their median, from 0 (as many as of the figures)
    to 1 (all).
    """
    rows = []
    for indicator, part in grouped(frame.drop_nulls("value"), "indicator"):
        values = (
            part["value"]
            .round_sig_figs(1)
            .value_counts()
            .sort(["count", "value"], descending=[True, False])
        )
        figures = part["truth"].round_sig_figs(1)
        effective = _effective(values["count"])
        of_figures = _effective(figures.value_counts()["count"])
        rows.append(
            {
                "indicator": indicator,
                "answers": part.height,
                "distinct": values.height,
                "distinct_figures": figures.n_unique(),
                "effective": effective,
                "ratio": min(1.0, effective / of_figures) if part.height >= FEW else None,
                "value": values["value"][0],
                "commonest": values["count"][0],
                "crowded": _crowded(part) if part.height >= FEW else None,
            }
        )
    schema: dict[str, Any] = {"indicator": pl.String}
    schema |= dict.fromkeys(("answers", "distinct", "distinct_figures"), pl.Int64)
    schema |= dict.fromkeys(("effective", "ratio", "value"), pl.Float64)
    schema |= {"commonest": pl.Int64, "crowded": pl.Float64}
    return pl.DataFrame(rows, schema=schema)


def _crowded(part: pl.DataFrame) -> float | None:
    """None where figures crowd so much themselves that answers hardly could more."""
    answers, figures = (_near_median(part[name]) for name in ("value", "truth"))
    return max(0.0, (answers - figures) / (1 - figures)) if figures < 0.9 else None


def _near_median(values: pl.Series) -> float:
    middle = float(values.median())  # type: ignore[arg-type]
    near = (values - middle).abs() <= NEAR * abs(middle)
    return float(near.mean())  # type: ignore[arg-type]


def _crowded_screen(table: pl.DataFrame) -> Screen:
    shares = table["crowded"].drop_nulls().to_list()
    mean = sum(shares) / len(shares) if shares else None
    if mean is None:
        says = f"under {FEW} answers to each indicator: too few to see whether they are one figure"
    else:
        says = (
            f"{mean:.0%} of the answers to an indicator are nearly the same number, whatever the "
            f"country (within {NEAR:.0%} of the median, true figures allowed for)"
        )
    return Screen(
        name="one typical figure",
        ok=mean is None or mean < MOST_CROWDED,
        value=mean,
        threshold=MOST_CROWDED,
        n=len(shares),
        says=says,
    )


def _effective(counts: pl.Series) -> float:
    total = float(counts.sum())
    return total**2 / float((counts.cast(float) ** 2).sum())


def _chance_screen(found: ShuffledBaseline) -> Screen:
    value, threshold = found.value, found.chance_low
    ok = found.p is not None and found.p <= LEVEL
    if value is None or threshold is None or not found.can_tell:
        # As with variety, too few to tell is nothing against the model, unless there is nothing.
        ok, value, threshold = found.n > 0, None, 1.0
        few = f"answers about {found.n:,} countries" if found.n else "no answers"
        says = f"{few}: too few to tell what a model knows from what it says of any country"
    else:
        says = (
            f"the mean error of {value:.3f} is {'better' if ok else 'no better'} than that of the "
            f"same answers shuffled among the countries ({found.chance:.3f} on average, "
            f"under {threshold:.3f} in {LEVEL:.0%} of shuffles)"
        )
    name = "better than shuffled answers"
    return Screen(name=name, ok=ok, value=value, threshold=threshold, n=found.n, says=says)
