"""Do groups of economies differ, asked in other ways than by the primary test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from geobias.results.sensitivity import Answer
from geobias.stats.estimates import Estimate
from geobias.stats.group_differences import group_differences, kruskal_p, permuted_f_p
from geobias.stats.variance_components import nested_model

if TYPE_CHECKING:
    import polars as pl


def group_answers(
    question: str,
    means: pl.DataFrame,
    rows: pl.DataFrame,
    by: str,
    names: dict[str, str],
    most: float,
) -> Iterator[Answer]:
    """Five methods' answers, the primary one first; `most` is the largest that means differ by.

    `means` has one `value` for each country, `rows` one for each country and `item`; both have the
    countries' groups in the column `by`. `names` says what an item is, and a group.
    """
    known = means.drop_nulls(["value", by])
    values, groups = known["value"].to_numpy(), known[by].to_list()
    found = group_differences(values, groups, most=most, bounds=(0, most))
    n = found.spread.n
    welch = "Welch’s F test and shuffles; spread (SD of these groups) by Q-profile"
    yield _answer(question, welch, found.spread, found.p)
    used = rows.drop_nulls(["value", by])
    columns: Any = (used[name].to_numpy() for name in ("value", "item", "country", by))
    model = nested_model(*columns)
    mixed = f"mixed model: {names['item']}, country in {names['group']} (SD of such groups; REML)"
    yield _answer(question, mixed, model.spread, model.p)
    nothing = Estimate(None, None, None, n)
    yield _answer(
        question,
        "F test by permutation (assumes that groups vary alike)",
        nothing,
        permuted_f_p(values, groups),
    )
    yield _answer(question, "Kruskal–Wallis test of ranks", nothing, kruskal_p(values, groups))
    pairs = "largest minus smallest mean (a gap, no SD), by Games and Howell"
    yield _answer(question, pairs, found.gap, found.gap_p)


def _answer(question: str, method: str, found: Estimate, p: float | None) -> Answer:
    return Answer(question, method, found.value, found.low, found.high, p, found.n, "economies")
