"""Whether WorldBench's errors say anything about what a model knows.

A model that says one number for every country answers nearly every question, and its disparity is
then that of the world's figures, not of its knowledge. So besides numbers that can be read, there
must be variety, and the answers must fit the countries they were given for better than answers
dealt at random among countries would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from geobias.probes.screens import Screen
from geobias.probes.worldbench.error import absolute_relative_errors

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

LEAST_READ = 0.5
LEAST_VARIETY = 0.25
"""Of the variety the figures have, the mean over indicators. A model of 135 million parameters that
says 4.04 for 43 of 44 countries has 14%, one of 1.5 billion that rounds a lot 52%."""
FEW = 10
"""Answers of an indicator under which variety says nothing."""
DRAWS = 2000


class Dealt(NamedTuple):
    """The mean error beside that of the same answers dealt at random among countries.

    chance_low is what 5% of the deals stay under; p the share of deals, this one counted, with a
    mean error as small. All None where under two countries have answers.
    """

    value: float | None
    chance: float | None
    chance_low: float | None
    p: float | None
    n: int


def screens(frame: pl.DataFrame, found: Dealt | None = None) -> list[Screen]:
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
    return [parsed, _variety_screen(frame), _chance_screen(found or dealt(frame))]


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


def _chance_screen(found: Dealt) -> Screen:
    if found.value is None or found.chance_low is None or found.chance is None:
        return Screen(
            name="better than dealt answers",
            ok=False,
            value=None,
            threshold=1.0,
            n=found.n,
            says="under two countries have answers",
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


def dealt(frame: pl.DataFrame, *, draws: int = DRAWS, seed: int = 0) -> Dealt:
    """The mean error over questions, and what it is when countries swap all their answers.

    A country's answers to all indicators go together, since a model may take a country for a small
    one throughout. Errors of repeats are averaged first. A swap leaves out an indicator where only
    one of the two countries was answered for.
    """
    import numpy as np
    import polars as pl

    answered = frame.filter(pl.col("value").is_not_null())
    countries = sorted(answered["country"].unique())
    n = len(countries)
    if n < 2:
        return Dealt(None, None, None, None, n)
    place = {iso3: i for i, iso3 in enumerate(countries)}
    tables = [
        _crossed(part, place)
        for _, part in answered.sort("trial").group_by("indicator", maintain_order=True)
    ]
    # Sums and counts over indicators of what the answers for one country (row) are worth for
    # another (column).
    sums = np.nansum(tables, axis=0)
    counts = (~np.isnan(tables)).sum(axis=0)
    own = np.arange(n)
    value = float(sums[own, own].sum() / counts[own, own].sum())
    dice = np.random.default_rng(seed)
    means = np.empty(draws)
    for draw in range(draws):
        order = dice.permutation(n)
        means[draw] = sums[own, order].sum() / max(1, counts[own, order].sum())
    reached = int((means <= value + 1e-12).sum())
    return Dealt(
        value,
        float(means.mean()),
        float(np.quantile(means, 0.05)),
        (1 + reached) / (1 + draws),
        n,
    )


def _crossed(part: pl.DataFrame, place: dict[str, int]) -> Floats:
    """One indicator: the mean error of each country's answers (row) against each one's figure."""
    import numpy as np

    n = len(place)
    rows = np.array([place[iso3] for iso3 in part["country"]])
    truth = np.full(n, np.nan)
    truth[rows] = part["truth"].to_numpy()
    errors = absolute_relative_errors(part["value"].to_numpy()[:, None], truth[None, :])
    table, asked = np.zeros((n, n)), np.bincount(rows, minlength=n)
    np.add.at(table, rows, errors)
    with np.errstate(invalid="ignore"):
        mean: Floats = table / asked[:, None]
    return mean
