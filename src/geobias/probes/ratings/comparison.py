"""What changed from one run of ratings to another, question by question."""

from __future__ import annotations

from geobias.probes.lazy import pl
from geobias.probes.ratings.findings import HALVES
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.scores import of_kind
from geobias.results.changes import (
    Change,
    ComparisonRule,
    Lead,
    changed_disparities,
    changed_gaps,
    changed_halves,
    paired_changes,
)


def _read() -> pl.Expr:
    return pl.col("rating").is_not_null() & pl.col("rating_2").is_not_null()


def _changes(both: pl.DataFrame) -> list[Change]:
    sensitive = of_kind(both, "sensitive")
    rated = sensitive.filter(_read())
    found = []
    for by in ("all", "topic", "region", "income"):
        found += paired_changes(
            rated,
            "ratings.rating",
            by,
            unit="country",
            column="rating",
            bounds=(-HIGHEST, HIGHEST),
        )
    answered = sensitive.with_columns(
        pl.col(f"rating{end}").is_not_null().cast(pl.Float64).alias(f"answered{end}")
        for end in ("", "_2")
    )
    for by in ("all", "region", "income"):
        found += paired_changes(answered, "ratings.answered", by, unit="country", column="answered")
    # Every topic weighs the same, whichever places were rated on it.
    centred = rated.with_columns(
        pl.col(name) - pl.col(name).mean().over("topic") for name in ("rating", "rating_2")
    )
    gaps = [
        changed_halves(centred, f"ratings.{half}", half, sides, "rating")
        for half, sides in HALVES.items()
    ]
    for by in ("region", "income"):
        spread = f"ratings.{by}_spread"
        gaps += changed_disparities(
            centred, by, "rating", spread=spread, within="topic", most=HIGHEST
        )
    return found + changed_gaps(gaps)


COMPARISON = ComparisonRule(
    ("topic", "country", "place", "latitude", "longitude", "repeat"),
    _read,
    _changes,
    metrics=(
        "ratings.answered",
        "ratings.region_spread",
        "ratings.income_spread",
        *(f"ratings.{half}" for half in HALVES),
    ),
    leads=(
        Lead("ratings.income_spread", "spread over income groups", "low"),
        Lead("ratings.region_spread", "spread over regions", "low"),
    ),
    labels={
        "ratings.rating": "Mean sensitive rating",
        "ratings.answered": "Share of sensitive questions answered",
        "ratings.region_spread": "Spread over regions",
        "ratings.income_spread": "Spread over income groups",
        **{f"ratings.{half}": f"{a} above {b}" for half, (a, b) in HALVES.items()},
    },
)
