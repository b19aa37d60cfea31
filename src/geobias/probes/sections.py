"""What every probe's section has, made once: counts of replies, first sentences, verdicts in words,
and whether groups of economies differ by other methods than the primary test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from geobias.atlas.economies import INCOMES, subregions
from geobias.atlas.outlines import outlines
from geobias.probes.probe import Answers, Probe, RunRecords
from geobias.probes.settings import SMALLEST_GAP
from geobias.results.findings import (
    Metric,
    Replies,
    Screen,
    Section,
    Sentence,
    SentenceKind,
    Table,
    because,
    reasons,
)
from geobias.results.formatting import estimate, p_phrase
from geobias.results.verdicts import LABELS, Answer, is_significant, word_of
from geobias.stats.contrasts import (
    anova,
    difference,
    kruskal,
    moran,
    pairs,
    trend,
    welch_f,
    widest,
)
from geobias.stats.estimates import LEVEL, Estimate, Tested, undefined
from geobias.stats.over_units import mean_test
from geobias.stats.regression import slope_over_clusters


def run_of(answers: Answers) -> RunRecords:
    """The run that answers come from; findings are of runs."""
    if answers.records is None:
        raise ValueError("these answers come from no run")
    return answers.records


def replies_of(probe: Probe[Any, Any], frame: pl.DataFrame, planned: int) -> Replies:
    """What became of the replies, from the records' outcomes."""
    frame = frame.unique("trial")  # a game has a row for each of its settings
    count = dict(frame["outcome"].value_counts().iter_rows())
    read, declined, unread = (count.get(word, 0) for word in probe.showing.read_as)
    return Replies(
        planned=planned,
        asked=frame.height,
        read=read,
        declined=declined,
        unread=unread,
        no_text=frame.height - read - declined - unread,
        missing=max(0, planned - frame.height),
    )


def section_of(
    probe: Probe[Any, Any],
    answers: Answers,
    *,
    screens: list[Screen],
    metrics: list[Metric],
    tables: dict[str, Table],
    replies: Replies | None = None,
    notes: Sequence[str] = (),
) -> Section:
    """The section of one run. `replies` is given where outcomes of records do not tell them."""
    run = run_of(answers)
    why = reasons(screens)
    planned = run.planned.get(probe.name, answers.frame.height)
    return Section(
        probe=probe.name,
        title=f"{probe.title}: what the model {probe.verb}",
        model=answers.model,
        run=run.run,
        measurable=not why,
        why_not=why,
        screens=screens,
        replies=replies or replies_of(probe, answers.frame, planned),
        metrics=metrics,
        tables=tables,
        notes=[*run.notes, *notes],
    )


class Sentences:
    """The sentences of a section, in the order in which they are said."""

    def __init__(self, section: Section) -> None:
        self._section = section
        self.said: list[Sentence] = []
        if section.why_not:
            self.say("unmeasurable", because(section.why_not))

    def say(self, kind: SentenceKind, text: str, *, opening: bool = True) -> None:
        """One more; nothing where the text is empty."""
        if text:
            self.said.append(
                Sentence(
                    kind=kind,
                    probe=self._section.probe,
                    model=self._section.model,
                    text=text,
                    opening=opening,
                )
            )

    def say_unscored(self, parts: str, wanted: str) -> None:
        """How many of the questions that were asked gave no score, and why: "13 declined"."""
        replies = self._section.replies
        why = {
            "declined": replies.declined,
            f"without {wanted}": replies.unread,
            "without text": replies.no_text,
        }
        listed = ", ".join(f"{count:,} {words}" for words, count in why.items() if count)
        if left := replies.asked - replies.read:
            self.say("caution", f"{left:,} of {replies.asked:,} {parts} gave no score: {listed}.")

    def say_missing(self, counted: str, done: str = "asked") -> None:
        """How much of the plan is still to be done."""
        replies = self._section.replies
        if replies.missing:
            part = f"{replies.missing:,} of {replies.planned:,} {counted}"
            self.say("caution", f"{part} are not {done} yet.")


def interest_of(answers: Answers, scale: float = 1.0) -> float:
    """The smallest gap of interest that the run declares, in the measure's own unit."""
    return float(run_of(answers).settings.get("smallest_gap", SMALLEST_GAP)) * scale


def gap_verdict(gap: Metric) -> tuple[str, bool] | None:
    """What a test says of a difference, in two or three words, and whether it is significant; None
    without a test."""
    if gap.primary:
        word = word_of(gap)
        return None if word == "untested" else (LABELS[word].lower(), word == "found")
    if gap.p is None:
        return None
    return ("differs", True) if is_significant(gap) else ("open", False)


def trend_answers(
    question: str,
    means: pl.DataFrame,
    rows: pl.DataFrame,
    most: float,
) -> Iterator[Answer]:
    """What other methods say of the trend over incomes, which comes first.

    `means` has one `value` for each country, `rows` one for each country and `item`; both have the
    countries' incomes. `most` is the largest that means differ by.
    """
    known = means.drop_nulls(["value", "income"])
    values, incomes = known["value"].to_numpy(), known["income"].to_list()
    whole = trend(values, incomes, INCOMES, most=most)
    yield _answer(question, "linear trend over income groups (Welch–Satterthwaite)", whole)
    poor, rich = (
        known.filter(income=group)["value"].to_numpy() for group in (INCOMES[0], INCOMES[-1])
    )
    yield _answer(
        question, "low minus high income alone (Welch)", difference(poor, rich, most=most)
    )
    clustered = _clustered_trend(known, most)
    by_subregion = "trend over countries, clustered by subregion (CR2)"
    yield _answer(question, by_subregion, clustered, "subregions")
    items = rows.drop_nulls(["value", "income"])
    by_item = [
        trend(part["value"].to_numpy(), part["income"].to_list(), INCOMES).estimate.value
        for _, part in items.group_by("item", maintain_order=True)
    ]
    told = np.array([one for one in by_item if one is not None])
    yield _answer(question, "mean of the items’ own trends, over items", mean_test(told), "items")


def alike_neighbours(means: pl.DataFrame, most: float) -> str:
    """A caution for a trend over countries whose neighbours are alike, which it takes them not to
    be: in simulations its test then rejects up to 53% where nothing is. "" where they are not."""
    known = means.drop_nulls(["value", "income", "region"])
    near = moran(known["value"].to_numpy(), known["region"].to_list(), _places(known))
    if near.p is None or near.p >= LEVEL:
        return ""
    found = _clustered_trend(known, most).estimate
    return (
        f"neighbours are alike (Moran's test, {p_phrase(near.p)}); with subregions as units it is "
        f"{estimate(found.value, found.low, found.high)}"
    )


def _places(known: pl.DataFrame) -> list[tuple[float, float] | None]:
    return [place_on_map(iso3) for iso3 in known["country"]]


def _clustered_trend(known: pl.DataFrame, most: float) -> Tested:
    """The trend over countries, with errors clustered by subregion."""
    steps = [(len(INCOMES) - 1) / 2 - INCOMES.index(name) for name in known["income"]]
    clusters = [subregions()[iso3] for iso3 in known["country"]]
    return slope_over_clusters(
        known["value"].to_numpy(), steps, clusters, times=len(INCOMES) - 1, most=most
    )


def region_answers(question: str, means: pl.DataFrame, most: float) -> Iterator[Answer]:
    """Whether regions differ: Welch's test, the widest pair, subregions in place of countries; and
    whether neighbours are alike, which all but the last of these take them not to be."""
    known = means.drop_nulls(["value", "region"])
    values, regions = known["value"].to_numpy(), known["region"].to_list()
    test = welch_f(values, regions)
    nothing = undefined(test.n, test.reason)
    yield _answer(question, "Welch’s F test over countries", Tested(nothing, test.p))
    widest_pair = widest(pairs(values, regions, most=most))
    if widest_pair is not None:
        told = Tested(widest_pair.difference, widest_pair.p)
        yield _answer(question, "largest minus smallest mean (Games and Howell)", told)
    of_ranks = kruskal(values, regions)
    yield _answer(question, "Kruskal–Wallis test of ranks", Tested(nothing, of_ranks))
    places = known.select("country", "region", "value").with_columns(
        subregion=pl.Series([subregions()[iso3] for iso3 in known["country"]])
    )
    parts = places.group_by("region", "subregion", maintain_order=True).agg(pl.col("value").mean())
    clustered = anova(parts["value"].to_numpy(), parts["region"].to_list())
    yield _answer(
        question,
        "F test over subregions (neighbours count as one)",
        Tested(undefined(parts.height, ""), clustered),
        "subregions",
    )
    near = moran(values, regions, _places(known))
    likeness = Estimate(near.i, None, None, near.n)
    alike = "Are neighbours alike within regions?"
    yield _answer(alike, "Moran’s I, shuffled within regions", Tested(likeness, near.p))


def place_on_map(iso3: str) -> tuple[float, float] | None:
    """The middle of an economy on the equal-area map; None where it is not drawn."""
    drawn = outlines().get(iso3)
    return None if drawn is None else (float(drawn.x), float(drawn.y))


def _answer(question: str, method: str, found: Tested, counted: str = "economies") -> Answer:
    one = found.estimate
    return Answer(question, method, one.value, one.low, one.high, found.p, one.n, counted)
