"""How replies were read, by group: by rules, after asking again, or not at all.

If more replies are read for one group than for another, a gap between the groups may come from
that. So the numbers of read replies are shown beside the results.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import polars as pl

from geobias.atlas.economies import economies
from geobias.probes.questions import OUTCOMES
from geobias.probes.settings import Setting
from geobias.probes.tables import Frames, TableSpec, each_model

COUNTS = ("read", "restated", "by_reader", "declined", "unread", "cut", "no_text")


class ReadingsOption(msgspec.Struct, frozen=True):
    by: Annotated[
        Literal["all", "income", "region", "north_south"], Setting("What to group by.")
    ] = "income"


def readings(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """Count the replies of each group by how they were read.

    A reply is plain, restated, read by a reader, declined, unread, cut off or without a text.
    Restated answers that contradict the first reply are also counted.
    """
    group = pl.lit("all")
    if by != "all":
        places = {iso3: getattr(one, by) for iso3, one in economies().items()}
        named = pl.col("country").replace_strict(places, default=None, return_dtype=pl.String)
        group = named.fill_null("(none)")
    became = pl.col("outcome").replace_strict(OUTCOMES, default="no_text")
    again = {"restated": "restated", "reader": "by_reader"}
    read = pl.col("read_by").replace_strict(again, default="read")
    how = pl.when(became == "read").then(read).otherwise(became)
    return (
        frame.with_columns(group=group, how=how)
        .group_by("group")
        .agg(
            replies=pl.len(),
            **{name: (pl.col("how") == name).sum() for name in COUNTS},
            contradicts=pl.col("contradicts").fill_null(value=False).sum(),
        )
        .sort("group")
    )


def _table(answers: Any, options: ReadingsOption) -> Frames:
    return {"readings": readings(answers.frame, options.by)}


READINGS: TableSpec[Any] = TableSpec(
    help="""How replies were read, by group.

    \b
    geobias table RUN readings
    geobias table RUN readings --by north_south

    read          by rules alone
    restated      by rules, after the same model was asked for the answer alone
    by_reader     by rules, from what another model pointed to
    contradicts   restated answers that the first reply did not name
    """,
    make=each_model(_table),
    Options=ReadingsOption,
)
