"""How many names a model takes for what they stand for, and what its scores are where it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from geobias.atlas.economies import economies
from geobias.probes.namebbq import scores
from geobias.probes.namebbq.recognition import SUGGESTS_NONE, RecognitionRecord
from geobias.probes.tables import fields_of_record, frame_from, schema_of
from geobias.stats.crossed import Crossed, crossed_ratio
from geobias.stats.estimates import Estimate, rate

if TYPE_CHECKING:
    import polars as pl

By = Literal["nationality", "region", "gender"]
LEAST_RECOGNISED = 2 / 3
"""Share of names under which it is said that fewer errors with names may be ignorance."""
LEAST_NAMES = 3
"""Of a nationality, for an interval."""
KINDS = ("recognised", "not recognised")
NEITHER = "neither"
"""Answers to items with a name of which nothing could be read, or that was not asked about."""


def frame_of(records: Iterable[Mapping[str, Any]], model: str = "") -> pl.DataFrame:
    """Records as a frame.

    0 or 1: `read`, something was read; `known`, the name is recognised; `named`, its nationality
    is anywhere in the reply; `unknown`, the reply says that it suggests none.
    """
    import polars as pl

    frame = frame_from(records, fields_of_record(RecognitionRecord), model, ["region"])
    return frame.with_columns(
        read=pl.col("recognised").is_not_null().cast(int),
        known=pl.col("recognised").fill_null(False).cast(int),
        named=pl.col("among").fill_null(False).cast(int),
        unknown=(pl.col("reason") == SUGGESTS_NONE).fill_null(False).cast(int),
    )


def recognition(frame: pl.DataFrame, column: str = "known") -> Crossed:
    """The share of names that are recognised, with its interval over nationalities.

    With the column `named`, the share whose own nationality is anywhere in the reply; with
    `unknown`, the share of which it says that they suggest none.
    """
    return _share(frame, "nationality", column)


def overall(asked: pl.DataFrame) -> pl.DataFrame:
    """All names together: the shares of those read, with intervals over nationalities, and what
    could not be read."""
    import polars as pl

    shares = {"recognised": "known", "named": "named", "unknown": "unknown"}
    estimates = {word: recognition(asked, column).estimate for word, column in shares.items()}
    numbers = {
        name: value for word, one in estimates.items() for name, value in one.columns(word).items()
    }
    counts = {
        "names": asked.select("nationality", "name").n_unique(),
        "asked": asked.height,
        "read": int(asked["read"].sum()),
        "refused": asked.filter(outcome="refused").height,
    }
    counts["unread"] = counts["asked"] - counts["read"] - counts["refused"]
    schema = schema_of((), tuple(numbers), tuple(counts))
    return pl.DataFrame([numbers | counts], schema)


def _share(part: pl.DataFrame, unit: str, column: str = "known") -> Crossed:
    read = part.filter(read=1)
    return crossed_ratio(
        read[column].cast(float).to_numpy(),
        read["read"].cast(float).to_numpy(),
        read[unit].to_numpy(),
        bounds=(0, 1),
    )


def _share_of_names(part: pl.DataFrame) -> Estimate:
    """The same within a nationality: names that are asked once each are independent of another."""
    read = part.filter(read=1)
    if read.height >= LEAST_NAMES and read["name"].is_unique().all():
        return rate(int(read["known"].sum()), read.height)
    return _share(part, "name").estimate


def _nationality(iso3: str) -> str:
    known = economies().get(iso3)
    return known.demonym if known and known.demonym else iso3


def by_group(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """Each group's share of recognised names, the smallest first.

    Intervals are over names within a nationality, over nationalities in other groups. `names` were
    asked, `read` answers could be read; of `unknown` it says that they suggest none; `taken_for`
    are the nationalities that the names of the group were taken for instead, the most frequent
    first.
    """
    import polars as pl

    unit = "name" if by == "nationality" else "nationality"
    rows = []
    for (group,), part in frame.filter(pl.col(by) != "").group_by(by, maintain_order=True):
        found = _share_of_names(part) if by == "nationality" else _share(part, unit).estimate
        wrong = part.filter((pl.col("read") == 1) & (pl.col("known") == 0) & (pl.col("said") != ""))
        others = wrong["said"].str.split(";").list.first().value_counts(sort=True, name="times")
        rows.append(
            {by: group}
            | found.columns("recognised")
            | {
                "named": _share(part, unit, "named").estimate.value,
                "unknown": _share(part, unit, "unknown").estimate.value,
                "names": part["name"].n_unique(),
                "asked": part.height,
                "read": int(part["read"].sum()),
                "taken_for": ", ".join(map(_nationality, others["said"].head(3))),
                "note": found.note,
            }
        )
    numbers = ("recognised", "recognised_low", "recognised_high", "named", "unknown")
    schema = schema_of((by,), numbers, ("names", "asked", "read"))
    schema |= dict.fromkeys(("taken_for", "note"), pl.String)
    return pl.DataFrame(rows, schema).sort("recognised", by, nulls_last=True)


def by_recognition(frame: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The scores with names where both names of an item are recognised, and where one is not.

    Retention and difference are to the same items with nationalities.
    """
    import polars as pl

    named = _with_kinds(frame, asked)
    tables = []
    for kind in KINDS:
        part = named.filter(kind=kind)
        if part.height:
            # An item is set against each of its versions with names, so that both sides of a
            # ratio have the same items as often.
            versions = part.select("item")
            plain = frame.filter(dataset="nationality").join(versions, on="item", how="inner")
            table = scores.scores(pl.concat([plain, part.select(frame.columns)]))
            told = table.filter((pl.col("dataset") != "nationality").fill_null(True))
            tables.append(told.select(pl.lit(kind).alias("names"), pl.exclude("dataset")))
    empty = scores.scores(frame.clear()).drop("dataset")
    return pl.concat(tables) if tables else empty.select(pl.lit("").alias("names"), pl.all())


def answers_by_recognition(frame: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """How many answers with names stand in each group of `by_recognition`, and in neither."""
    import polars as pl

    named = _with_kinds(frame, asked)
    rows = [
        (kind, part.height, part["item"].n_unique(), part.filter(outcome="read").height)
        for kind in (*KINDS, NEITHER)
        for part in [named.filter(kind=kind)]
    ]
    schema = schema_of(("names",), (), ("answers", "items", "read"))
    return pl.DataFrame(rows, schema, orient="row")


def _with_kinds(frame: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The answers with names, and whether both names are recognised (`kind`).

    A name counts as recognised where it was in most of its answers.
    """
    import polars as pl

    known = (
        asked.filter(read=1)
        .group_by("nationality", "name")
        .agg(known=pl.col("known").mean() > 1 / 2)
    )
    other = known.rename({column: f"other_{column}" for column in known.columns})
    named = frame.filter(dataset="name")
    named = named.join(known, on=["nationality", "name"], how="left", maintain_order="left")
    keys = ["other_nationality", "other_name"]
    named = named.join(other, on=keys, how="left", maintain_order="left")
    both = pl.when(pl.col("known") & pl.col("other_known"))
    kinds = both.then(pl.lit(KINDS[0])).otherwise(pl.lit(KINDS[1]))
    missing = pl.col("known").is_null() | pl.col("other_known").is_null()
    return named.with_columns(kind=pl.when(missing).then(pl.lit(NEITHER)).otherwise(kinds))
