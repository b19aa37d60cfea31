"""How many names a model takes for what they stand for, and what its scores are where it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from geobias.probes.frames import fields_of_record, frame_from, schema_of
from geobias.probes.namebbq import scores
from geobias.probes.namebbq.recognition import RecognitionRecord
from geobias.stats.crossed import Crossed, crossed_ratio
from geobias.stats.rates import Estimate, rate

if TYPE_CHECKING:
    import polars as pl

By = Literal["nationality", "region", "gender"]
LEAST_RECOGNISED = 2 / 3
"""Share of names under which it is said that fewer errors with names may be ignorance."""
LEAST_NAMES = 3
"""Of a nationality, for an interval."""
KINDS = {True: "recognised", False: "not recognised"}


def frame_of(records: Iterable[Mapping[str, Any]], model: str = "") -> pl.DataFrame:
    """Records as a frame; `read` and `known` are 0 or 1: something was read, the name is known."""
    import polars as pl

    frame = frame_from(records, fields_of_record(RecognitionRecord), model, ["region"])
    return frame.with_columns(
        read=pl.col("recognised").is_not_null().cast(int),
        known=pl.col("recognised").fill_null(False).cast(int),
        named=pl.col("among").fill_null(False).cast(int),
    )


def recognition(frame: pl.DataFrame, column: str = "known") -> Crossed:
    """The share of names that are recognised, with its interval over nationalities.

    With the column `named`, the share whose own nationality is anywhere in the reply.
    """
    return _share(frame, "nationality", column)


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


def by_group(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """Each group's share of recognised names, the smallest first.

    Intervals are over names within a nationality, over nationalities in other groups. `names` were
    asked, `read` answers could be read; `taken_for` are the countries that the names of the group
    were taken for instead, the most frequent first.
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
                "names": part["name"].n_unique(),
                "asked": part.height,
                "read": int(part["read"].sum()),
                "taken_for": ", ".join(others["said"].head(3)),
                "note": found.note,
            }
        )
    numbers = ("recognised", "recognised_low", "recognised_high", "named")
    schema = schema_of((by,), numbers, ("names", "asked", "read"))
    schema |= dict.fromkeys(("taken_for", "note"), pl.String)
    return pl.DataFrame(rows, schema).sort("recognised", by, nulls_last=True)


def by_recognition(frame: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The scores with names where both names of an item are recognised, and where one is not.

    A name counts as recognised where it was in most of its answers; items with a name of which
    nothing could be read are in neither. Retention and difference are to the same items with
    nationalities.
    """
    import polars as pl

    known = (
        asked.filter(read=1)
        .group_by("nationality", "name")
        .agg(known=pl.col("known").mean() > 1 / 2)
    )
    joined = frame.filter(dataset="name").join(known, on=["nationality", "name"], how="inner")
    joined = joined.join(
        known.rename(
            {"nationality": "other_nationality", "name": "other_name", "known": "other_known"}
        ),
        on=["other_nationality", "other_name"],
        how="inner",
    )
    tables = []
    for both, word in KINDS.items():
        part = joined.filter((pl.col("known") & pl.col("other_known")) == both)
        if part.height:
            named = part.select(frame.columns)
            # An item is set against each of its versions with names, so that both sides of a
            # ratio have the same items as often.
            versions = named.select("item")
            plain = frame.filter(dataset="nationality").join(versions, on="item", how="inner")
            table = scores.scores(pl.concat([plain, named]))
            told = table.filter((pl.col("dataset") != "nationality").fill_null(True))
            tables.append(told.select(pl.lit(word).alias("names"), pl.exclude("dataset")))
    empty = scores.scores(frame.clear()).drop("dataset")
    return pl.concat(tables) if tables else empty.select(pl.lit("").alias("names"), pl.all())
