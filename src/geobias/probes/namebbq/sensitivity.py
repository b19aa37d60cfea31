"""Does the lean hold when it is estimated another way?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.namebbq.scores import DATASETS, SCORES, estimate
from geobias.results.findings import Table
from geobias.results.verdicts import Answer, sensitivity_table
from geobias.stats.crossed import Crossed, crossed_ratio, mixed_mean, sign_flip_p

if TYPE_CHECKING:
    import polars as pl

CROSSED = "templates × nationalities × the other person’s nationality"


def sensitivity(frame: pl.DataFrame) -> Table:
    """The ambiguous bias with nationalities, and with names, by six methods.

    Over templates, nationalities and the other person's nationality, which is the one that is used;
    over templates and nationalities, over templates alone and over nationalities alone, which speak
    of these very others; by a mixed model of templates and nationalities; and by the signs of
    templates, which assumes the least and knows the least.
    """
    answers: list[Answer] = []
    for dataset, word in DATASETS.items():
        read = frame.filter(condition="ambig", dataset=dataset, read=1)
        if read.height:
            answers += _answers(read, f"Bias, ambiguous with {word}")
    return sensitivity_table(answers)


def _fewer(found: Crossed) -> tuple[int, str]:
    """The number of units of the side that has fewer, and what they are."""
    n = min(found.units)
    return n, "templates" if n == found.units[0] else "nationalities"


def _answers(read: pl.DataFrame, question: str) -> list[Answer]:
    import polars as pl

    leans, templates = read["lean"].cast(float).to_numpy(), read["template"].to_numpy()
    nationalities = read["nationality"].to_numpy()
    score = SCORES["bias_ambiguous"]
    ones = read["read"].cast(float).to_numpy()

    def answer(method: str, found: Crossed, n: int, counted: str) -> Answer:
        one = found.estimate
        return Answer(question, method, one.value, one.low, one.high, found.p, n, counted)

    primary = estimate(read, score)
    alone = crossed_ratio(leans, ones, templates, bounds=score.bounds)
    other = crossed_ratio(leans, ones, nationalities, bounds=score.bounds)
    two = crossed_ratio(leans, ones, templates, nationalities, bounds=score.bounds)
    mixed = mixed_mean(leans, templates, nationalities)
    both, fewer = _fewer(mixed)
    totals = read.group_by("template").agg(pl.col("lean").sum()).sort("template")["lean"]
    signs = sign_flip_p(totals.to_list())
    return [
        answer(f"all crossed ({CROSSED})", primary, both, fewer),
        answer("templates and nationalities, crossed", two, both, fewer),
        answer("templates alone", alone, alone.units[0], "templates"),
        answer("nationalities alone", other, other.units[0], "nationalities"),
        answer("mixed model of templates and nationalities, crossed (REML)", mixed, both, fewer),
        Answer(
            question,
            "signs of templates flipped",
            primary.estimate.value,
            None,
            None,
            signs,
            int((totals != 0).sum()),
            "templates",
        ),
    ]
