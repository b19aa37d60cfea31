"""Does a model rate people differently by region (income), asked in other ways."""

from __future__ import annotations

from geobias.probes.lazy import pl
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.scores import economy_ratings, of_kind, rated
from geobias.probes.sections import group_answers
from geobias.probes.tables import PLACES
from geobias.results.findings import Table
from geobias.results.sensitivity import Answer, sensitivity_table

GROUPINGS = ("region", "income")


def sensitivity(frame: pl.DataFrame) -> Table:
    """The table of a run. Places of one economy are averaged first."""
    means = economy_ratings(frame)
    rows = (
        rated(of_kind(frame, "sensitive"))
        .drop_nulls("rating")
        .group_by("topic", "country", *PLACES, maintain_order=True)
        .agg(pl.col("rating").mean().alias("value"))
        .rename({"topic": "item"})
    )
    answers: list[Answer] = []
    for by in GROUPINGS:
        question = f"Spread of sensitive ratings over {by}s"
        answers += group_answers(question, means, rows, by, {"item": "topic", "group": by}, HIGHEST)
    return sensitivity_table(answers)
