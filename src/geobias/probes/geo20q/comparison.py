"""What changed from one Geo20Q+ run to another, game by game."""

from __future__ import annotations

import polars as pl

from geobias.probes.geo20q.analyses import HALVES, Half
from geobias.probes.geo20q.fame import change_at_equal_fame, label
from geobias.probes.geo20q.scores import ENDINGS, SETTINGS, TYPES
from geobias.results.changes import (
    Change,
    ComparisonRule,
    Gap,
    Lead,
    changed_disparities,
    changed_gaps,
    changed_halves,
    paired_changes,
)


def _ended(*settings: str) -> pl.Expr:
    """Whether a game came to an end in both runs, in one of the settings."""
    return pl.any_horizontal(
        pl.col(name).is_in(ENDINGS) & pl.col(f"{name}_2").is_in(ENDINGS) for name in settings
    )


def _changes(both: pl.DataFrame) -> list[Change]:
    changes, gaps = [], []
    for setting in SETTINGS:
        played = both.filter(_ended(setting)).with_columns(
            (pl.col(f"{setting}{end}") == "won").cast(pl.Float64).alias(f"won{end}")
            for end in ("", "_2")
        )
        for by in ("all", "type", "north_south", "region", "country"):
            changes += paired_changes(
                played,
                f"geo20q.success_{setting}",
                by,
                unit="entity" if by == "country" else "country",
                column="won",
                right_or_wrong=True,
            )
        names = {name: f"geo20q.region_{name}_{setting}" for name in ("spread", "disparity")}
        gaps += changed_disparities(
            played, "region", "won", spread=names["spread"], gap=names["disparity"]
        )
        for half, sides in HALVES.items():
            for kind in TYPES.values():
                name = f"geo20q.{half}_gap_{kind}_{setting}"
                games = played.filter(type=kind)
                gaps.append(changed_halves(games, name, half, sides, "won"))
                gaps.append(_at_equal_fame(games, half, kind, setting))
    return changes + changed_gaps(gaps)


def _at_equal_fame(games: pl.DataFrame, half: Half, kind: str, setting: str) -> Gap:
    """The change of the gap at equal fame, from what each game's ending changed by."""
    changed, first, second = change_at_equal_fame(games, half)
    return Gap(
        f"geo20q.{half}_gap_equal_fame_{kind}_{setting}",
        f"{' minus '.join(HALVES[half])}, at equal fame",
        first,
        second,
        changed.estimate,
        changed.p,
        games.filter(pl.col("views") > 0).drop_nulls(half).height,
    )


COMPARISON = ComparisonRule(
    # Users' tables number their entities as they like: an id alone is not the same entity.
    ("entity", "name", "type", "country", "language", "repeat"),
    lambda: _ended(*SETTINGS),
    _changes,
    turned=("won", "lost"),
    metrics=tuple(
        f"geo20q.{name}_{setting}"
        for setting in SETTINGS
        for name in (
            "success",
            "region_spread",
            "region_disparity",
            *(
                f"{half}_{gap}_{kind}"
                for gap in ("gap_equal_fame", "gap")
                for half in HALVES
                for kind in TYPES.values()
            ),
        )
    ),
    leads=tuple(
        lead
        for setting in SETTINGS
        for lead in (
            Lead(f"geo20q.success_{setting}", f"share of games won, {setting}", "high"),
            *(
                Lead(
                    f"geo20q.{half}_gap_equal_fame_{kind}_{setting}",
                    f"gap {' minus '.join(sides)} at equal fame, {kind}, {setting}",
                    "zero",
                )
                for half, sides in HALVES.items()
                for kind in TYPES.values()
            ),
        )
    ),
    labels={
        name: words
        for setting in SETTINGS
        for name, words in (
            (f"geo20q.success_{setting}", f"Games won, {setting}"),
            (f"geo20q.region_spread_{setting}", f"Spread over regions, {setting}"),
            (f"geo20q.region_disparity_{setting}", f"Highest minus lowest region, {setting}"),
            *(
                (f"geo20q.{half}_{gap}_{kind}_{setting}", f"{label(half, kind, setting)}{fame}")
                for half in HALVES
                for kind in TYPES.values()
                for gap, fame in (("gap", ""), ("gap_equal_fame", ", at equal fame"))
            ),
        )
    },
)
