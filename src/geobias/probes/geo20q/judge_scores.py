"""How well a judge knows what the entity table knows, by region and half of the world.

All functions take the frame that `judge_frame_of` makes (one row per question) and return a frame.

    accuracy       right answers among those that could be read; a maybe is not right
    on_yes, on_no  the same where yes, and where no, is right: a judge that always says yes has
                   1 and 0
    maybe          share of readable answers; unread is a share of all questions
    contradictory  pairs about one fact that were answered so that both cannot be true: yes to
                   Africa and yes to Asia, or no to both "a person" and "no person"

The interval of the accuracy is over entities and kinds of question at once (`stats.crossed`):
answers about one entity are alike, and so are answers to one kind of question. The others come from
resampling countries. Pairs count only where both answers were yes or no.

A judge is unfit where it is right on under `LEAST_ACCURACY` of the facts and its interval stays
below `GOOD_ACCURACY`: so few facts that a good judge could have done as badly make no judge unfit.
Where the interval holds `LEAST_ACCURACY` it cannot be told on which side the judge is, and the
report says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from geobias.probes.geo20q.analyses import HALVES, compare_sides, halves_frame
from geobias.probes.geo20q.record import JudgeRecord
from geobias.probes.geo20q.scores import PLACES, TYPES, PlaceBy, groups_of, share, table_frame
from geobias.probes.lazy import pl
from geobias.probes.tables import fields_of_record, frame_from
from geobias.stats.crossed import crossed_ratio
from geobias.stats.estimates import LEAST_UNITS, Estimate

JudgeBy = Literal[PlaceBy, "question", "type"]
"""What questions to the judge are grouped by."""
LEAST_ACCURACY = 0.9
"""What a judge must know of what the table knows."""
GOOD_ACCURACY = 0.95
OPPOSITES = ("type", "gender")
"""Facts whose two forms cannot both be false either."""


def judge_frame_of(records: Iterable[Mapping[str, Any]], model: str = "") -> pl.DataFrame:
    """Records of questions to the judge as a frame, with 0 or 1 for read, right, maybe, unread."""
    frame = frame_from(records, fields_of_record(JudgeRecord), model, PLACES)
    answer = pl.col("answer").fill_null("")
    return frame.with_columns(
        pl.col("type").replace(TYPES),
        read=(answer != "").cast(pl.Int64),
        unread=(answer == "").cast(pl.Int64),
        right=((answer != "") & (answer == pl.col("truth"))).cast(pl.Int64),
        maybe=(answer == "maybe").cast(pl.Int64),
    )


def pairs(frame: pl.DataFrame) -> pl.DataFrame:
    """One row for each fact that got yes or no to both of its forms: `contradictory` 0 or 1."""
    keys = ["model", "entity", "language", "question", "type", "country", *PLACES]
    sure = frame.filter(pl.col("answer").is_in(["yes", "no"]))
    both = sure.group_by(keys, maintain_order=True).agg(
        pl.col("truth").n_unique().alias("forms"),
        pl.col("answer").n_unique().alias("answers"),
        pl.col("answer").first(),
    )
    excluded = (pl.col("answer") == "yes") | pl.col("question").is_in(OPPOSITES)
    alike = (pl.col("answers") == 1) & excluded
    return both.filter(forms=2).with_columns(contradictory=alike.cast(pl.Int64))


def accuracy_of(read: pl.DataFrame) -> Estimate:
    """The share of these answers that are right, over entities and kinds of question.

    `n` counts entities. With under three kinds of question, or where no answer differs from
    another, the interval is over countries.
    """
    if not crossed(read):
        return share(read, "right")
    right = read["right"].cast(float).to_numpy()
    found = crossed_ratio(
        right,
        [1.0] * len(right),
        read["entity"].to_numpy(),
        read["question"].to_numpy(),
        null=LEAST_ACCURACY,
        bounds=(0.0, 1.0),
    )
    return msgspec.structs.replace(found.estimate, n=read["entity"].n_unique())


def crossed(read: pl.DataFrame) -> bool:
    """Whether entities and kinds of question are enough, and differ, for an interval over both."""
    if read["right"].n_unique() < 2:
        return False
    return min(read[side].n_unique() for side in ("entity", "question")) >= LEAST_UNITS


def is_fit(accuracy: Estimate) -> bool:
    """Whether a judge of this accuracy may judge; see the head of the module."""
    if accuracy.value is None:
        return False
    high = accuracy.value if accuracy.high is None else accuracy.high
    return accuracy.value >= LEAST_ACCURACY or high >= GOOD_ACCURACY


def judge_groups(frame: pl.DataFrame, by: JudgeBy = "all") -> pl.DataFrame:
    """Accuracy, maybe, unread and self-contradiction of each group, the least accurate first."""
    facts = pairs(frame)
    facts_by_group = dict(groups_of(facts, by))
    rows = []
    for group, asked in groups_of(frame, by):
        read = asked.filter(read=1)
        own = facts_by_group.get(group, facts.clear())
        rows.append(
            {"group": group}
            | accuracy_of(read).columns("accuracy")
            | share(read.filter(truth="yes"), "right").columns("on_yes")
            | share(read.filter(truth="no"), "right").columns("on_no")
            | share(read, "maybe").columns("maybe")
            | share(asked, "unread").columns("unread")
            | share(own, "contradictory").columns("contradictory")
            | {"read": read.height, "asked": asked.height, "pairs": own.height}
            | {"entities": read["entity"].n_unique(), "countries": read["country"].n_unique()}
        )
    return table_frame(
        rows,
        ["group"],
        estimates=("accuracy", "on_yes", "on_no", "maybe", "unread", "contradictory"),
        counts=("read", "asked", "pairs", "entities", "countries"),
    ).sort(["accuracy", "group"], nulls_last=True)


def judge_halves(frame: pl.DataFrame) -> pl.DataFrame:
    """Accuracy of North and South, West and East on country means, with the gap's test.

    Columns as in `analyses.halves`.
    """
    means = (
        frame.filter(read=1)
        .group_by("country", *HALVES, maintain_order=True)
        .agg(pl.col("right").mean().alias("value"), pl.len().alias("questions"))
    )
    rows = [compare_sides(means, half, "questions") for half in HALVES]
    return halves_frame(rows, ("halves",), ("countries", "questions"))
