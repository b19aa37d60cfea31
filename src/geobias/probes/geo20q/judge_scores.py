"""How well a judge knows what the entity table knows, by region and half of the world.

All functions take the frame that `judge_frame_of` makes (one row per question) and return a frame.

    accuracy       right answers among those that could be read; a maybe is not right
    on_yes, on_no  the same where yes, and where no, is right: a judge that always says yes has
                   1 and 0
    maybe          share of readable answers; unread is a share of all questions
    contradictory  pairs about one fact that were answered so that both cannot be true: yes to
                   Africa and yes to Asia, or no to both "a person" and "no person"

Intervals come from resampling countries. Pairs count only where both answers were yes or no.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from geobias.atlas.economies import economies
from geobias.probes.geo20q.analyses import HALVES
from geobias.probes.geo20q.scores import TYPES, over_countries, share
from geobias.stats import holm, two_groups

if TYPE_CHECKING:
    import polars as pl

OPPOSITES = ("type", "gender")
"""Facts whose two forms cannot both be false either."""
_FIELDS = ("trial", "country", "outcome", "entity", "type", "category", "language", "question")


def judge_frame_of(records: Iterable[Mapping[str, Any]], model: str = "") -> pl.DataFrame:
    """Records of questions to the judge as a frame, with 0 or 1 for read, right, maybe, unread."""
    import polars as pl

    columns: dict[str, list[Any]] = {name: [] for name in (*_FIELDS, "text", "truth", "answer")}
    groups = ("continent", "region", "north_south", "west_east")
    added: dict[str, list[Any]] = {name: [] for name in (*groups, "model")}
    for record in records:
        for name, column in columns.items():
            column.append(record.get(name))
        here = economies().get(record.get("country") or "")
        for name in groups:
            added[name].append(getattr(here, name) if here else None)
        added["model"].append(record.get("model", model))
    frame = pl.DataFrame(columns | added, schema=dict.fromkeys((*columns, *added), pl.String))
    read = pl.col("answer").fill_null("") != ""
    whole = pl.Int64
    return frame.with_columns(
        pl.col("type").replace(TYPES),
        read=read.cast(whole),
        unread=(~read).cast(whole),
        right=(read & (pl.col("answer") == pl.col("truth"))).cast(whole),
        maybe=(pl.col("answer") == "maybe").fill_null(False).cast(whole),
    ).select("model", pl.exclude("model"))


def pairs(frame: pl.DataFrame) -> pl.DataFrame:
    """One row for each fact that got yes or no to both of its forms: `contradictory` 0 or 1."""
    import polars as pl

    keys = ["model", "entity", "language", "question", "type", "country"]
    keys += ["continent", "region", "north_south", "west_east"]
    sure = frame.filter(pl.col("answer").is_in(["yes", "no"]))
    both = sure.group_by(keys, maintain_order=True).agg(
        pl.col("truth").n_unique().alias("forms"),
        pl.col("answer").n_unique().alias("said"),
        pl.col("answer").first().alias("word"),
    )
    alike = (pl.col("said") == 1) & (
        (pl.col("word") == "yes") | pl.col("question").is_in(OPPOSITES)
    )
    return both.filter(forms=2).with_columns(contradictory=alike.cast(pl.Int64))


def judge_groups(frame: pl.DataFrame, by: str = "all", *, seed: int = 0) -> pl.DataFrame:
    """Accuracy, maybe, unread and self-contradiction of each group, the least accurate first."""
    import polars as pl

    column = pl.lit("all") if by == "all" else pl.col(by)
    named = frame.with_columns(group=column)
    facts = pairs(frame).with_columns(group=column)
    rows = []
    for (group,), part in named.filter(pl.col("group").fill_null("") != "").group_by(
        "group", maintain_order=True
    ):
        read = part.filter(read=1)
        own = facts.filter(group=group)
        name = str(group)
        if by == "country" and name in economies():
            name = economies()[name].name
        rows.append(
            {"group": name}
            | share(read, "right", seed=seed)[0].columns("accuracy")
            | share(read.filter(truth="yes"), "right", seed=seed)[0].columns("on_yes")
            | share(read.filter(truth="no"), "right", seed=seed)[0].columns("on_no")
            | share(read, "maybe", seed=seed)[0].columns("maybe")
            | share(part, "unread", seed=seed)[0].columns("unread")
            | share(own, "contradictory", seed=seed)[0].columns("contradictory")
            | {"read": read.height, "asked": part.height, "pairs": own.height}
            | {"countries": read["country"].n_unique()}
        )
    names = ("accuracy", "on_yes", "on_no", "maybe", "unread", "contradictory")
    numbers = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    schema: dict[str, Any] = {"group": pl.String} | dict.fromkeys(numbers, pl.Float64)
    schema |= dict.fromkeys(("read", "asked", "pairs", "countries"), pl.Int64)
    return pl.DataFrame(rows, schema=schema).sort(["accuracy", "group"], nulls_last=True)


def judge_halves(frame: pl.DataFrame, *, seed: int = 0) -> pl.DataFrame:
    """Accuracy of North and South, West and East on country means, with the gap's test.

    Columns as in `analyses.halves`.
    """
    import polars as pl

    rows = []
    means = (
        frame.filter(read=1)
        .group_by("country", *HALVES, maintain_order=True)
        .agg(pl.col("right").mean().alias("value"), pl.len().alias("asked"))
    )
    for half, both in HALVES.items():
        sides = [means.filter(pl.col(half) == name) for name in both]
        found = two_groups(*(side["value"].to_list() for side in sides), bounds=(-1, 1))
        row: dict[str, Any] = {"halves": half}
        for name, side in zip(("first", "second"), sides, strict=True):
            row |= over_countries(side, seed=seed).columns(name)
            row |= {f"{name}_countries": side.height, f"{name}_questions": int(side["asked"].sum())}
        rows.append(
            row
            | found.difference.columns("difference")
            | found.shift.columns("shift")
            | found.effect.columns("effect")
            | {"u": found.u, "p": found.p}
        )
    for row, adjusted in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = adjusted
    names = ("first", "second", "difference", "shift", "effect")
    numbers = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    schema: dict[str, Any] = {"halves": pl.String} | dict.fromkeys(numbers, pl.Float64)
    schema |= dict.fromkeys(("u", "p", "p_holm"), pl.Float64)
    counts = [f"{n}_{what}" for n in names[:2] for what in ("countries", "questions")]
    schema |= dict.fromkeys(counts, pl.Int64)
    return pl.DataFrame([{name: row[name] for name in schema} for row in rows], schema=schema)
