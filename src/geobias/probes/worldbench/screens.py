"""Whether WorldBench's errors say anything about what a model knows.

A model that says one number for every country answers nearly every question, and its disparity is
then that of the world's figures, not of its knowledge. So besides numbers that can be read, there
must be variety, and the answers must fit the countries they were given for better than answers
dealt at random among countries would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from geobias.probes.worldbench.shuffled_baseline import ShuffledBaseline, shuffled_baseline
from geobias.results.screens import Screen

if TYPE_CHECKING:
    import polars as pl

LEAST_READ = 0.5
LEAST_VARIETY = 0.25
"""Of the variety the figures have, the mean over indicators. A model of 135 million parameters that
says 4.04 for 43 of 44 countries has 14%, one of 1.5 billion that rounds a lot 52%."""
FEW = 10
"""Answers of an indicator under which variety says nothing."""
LEAST_COUNTRIES = 4
"""Of three countries' answers every sixth deal gives each its own back: nobody could do better than
5% of the deals."""


def screens(frame: pl.DataFrame, found: ShuffledBaseline | None = None) -> list[Screen]:
    """The screens of a run, most basic first. A later one may fail because an earlier one does."""
    import polars as pl

    asked = frame.height
    read = frame.filter(pl.col("value").is_not_null()).height
    share = read / asked if asked else None
    parsed = Screen(
        name="parse rate",
        ok=share is not None and share >= LEAST_READ,
        value=share,
        threshold=LEAST_READ,
        n=asked,
        says=f"a number could be read from {_only(share)}{read:,} of {asked:,} replies"
        if asked
        else "nothing has been asked yet",
    )
    return [parsed, _variety_screen(frame), _chance_screen(found or shuffled_baseline(frame))]


def _only(share: float | None) -> str:
    return "" if share is not None and share >= LEAST_READ else "only "


def _variety_screen(frame: pl.DataFrame) -> Screen:
    table = variety(frame)
    ratios = table["ratio"].drop_nulls().to_list()
    mean = sum(ratios) / len(ratios) if ratios else None
    if mean is None:
        # Too few answers to tell: this screen then holds nothing against the model.
        says = f"under {FEW} answers to each indicator: too few to see whether they vary"
    else:
        least = table.drop_nulls("ratio").sort("ratio").to_dicts()[0]
        says = (
            f"the answers vary {mean:.0%} as much as the figures do; least for "
            f"{least['indicator']}, where {least['commonest']:,} of {least['answers']:,} answers "
            f"are {least['value']:,.6g}"
        )
    return Screen(
        name="variety of answers",
        ok=mean is None or mean >= LEAST_VARIETY,
        value=mean,
        threshold=LEAST_VARIETY,
        n=len(ratios),
        says=says,
    )


def variety(frame: pl.DataFrame) -> pl.DataFrame:
    """How much the answers to each indicator vary, beside the figures.

    distinct          different answers; `distinct_figures` of the same questions
    effective         1 / Σ share², the number of equally frequent answers that vary as much
    ratio             effective number of answers over that of the figures, at most 1
    value, commonest  the most frequent answer, and how often it was given

    Figures are rounded to two digits first, since models round; where half the world has 100%
    (access to electricity), half the answers may say so. Null under ten answers.
    """
    import polars as pl

    rows = []
    for (indicator,), part in frame.filter(pl.col("value").is_not_null()).group_by(
        "indicator", maintain_order=True
    ):
        said = (
            part["value"].value_counts(sort=True).sort(["count", "value"], descending=[True, False])
        )
        figures = part["truth"].round_sig_figs(2)
        effective, of_figures = (
            _effective(said["count"]),
            _effective(figures.value_counts()["count"]),
        )
        rows.append(
            {
                "indicator": indicator,
                "answers": part.height,
                "distinct": said.height,
                "distinct_figures": figures.n_unique(),
                "effective": effective,
                "ratio": min(1.0, effective / of_figures) if part.height >= FEW else None,
                "value": said["value"][0],
                "commonest": said["count"][0],
            }
        )
    counts = ("answers", "distinct", "distinct_figures", "commonest")
    numbers = ("effective", "ratio", "value")
    kinds: dict[str, Any] = dict.fromkeys(counts, pl.Int64) | dict.fromkeys(numbers, pl.Float64)
    columns = ("indicator", *counts[:3], "effective", "ratio", "value", "commonest")
    return pl.DataFrame(rows, schema={name: kinds.get(name, pl.String) for name in columns})


def _effective(counts: pl.Series) -> float:
    total = float(counts.sum())
    return total**2 / float((counts.cast(float) ** 2).sum())


def _chance_screen(found: ShuffledBaseline) -> Screen:
    if found.n < LEAST_COUNTRIES or found.value is None or found.chance_low is None:
        # As with variety, too few to tell is nothing against the model, unless there is nothing.
        few = f"answers about {found.n:,} countries" if found.n else "no answers"
        return Screen(
            name="better than dealt answers",
            ok=found.n > 0,
            value=None,
            threshold=1.0,
            n=found.n,
            says=f"{few}: too few to tell what a model knows from what it says of any country",
        )
    word = "no better" if found.value >= found.chance_low else "better"
    return Screen(
        name="better than dealt answers",
        ok=found.value < found.chance_low,
        value=found.value,
        threshold=found.chance_low,
        n=found.n,
        says=f"the mean error of {found.value:.3f} is {word} than that of the same answers dealt "
        f"at random among the countries ({found.chance:.3f} on average, under "
        f"{found.chance_low:.3f} in 5% of deals)",
    )
