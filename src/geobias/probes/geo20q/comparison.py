"""What changed from one Geo20Q+ run to another, game by game."""

from __future__ import annotations

from itertools import product

import polars as pl

from geobias.probes.geo20q.analyses import HALVES, Half
from geobias.probes.geo20q.fame import (
    EQUAL,
    change_among_known,
    change_at_equal_fame,
    gap_name,
    known_gap_name,
    label,
    measure_of,
    plain_gap_name,
    without_figure,
)
from geobias.probes.geo20q.scores import ENDINGS, SETTINGS, TYPES
from geobias.results.changes import (
    Change,
    ComparisonRule,
    Gap,
    Lead,
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
        for half, sides in HALVES.items():
            for kind in TYPES.values():
                name = plain_gap_name(half, kind, setting)
                games = played.filter(type=kind)
                gaps.append(changed_halves(games, name, half, sides, "won"))
                gaps.append(_among_known(games, half, kind, setting))
                gaps.append(_at_equal_fame(games, half, kind, setting))
    return changes + changed_gaps(gaps)


def _among_known(games: pl.DataFrame, half: Half, kind: str, setting: str) -> Gap:
    """The change of the gap among targets that both runs' guessers know."""
    changed, first, second = change_among_known(games, half)
    return Gap(
        known_gap_name(half, kind, setting),
        f"{' minus '.join(HALVES[half])}, of targets known in both runs",
        first,
        second,
        changed.estimate,
        changed.p,
        games.drop_nulls(half).filter(pl.col("knows") & pl.col("knows_2")).height,
    )


def _at_equal_fame(games: pl.DataFrame, half: Half, kind: str, setting: str) -> Gap:
    """The change of the gap at equal fame or standing, from what each game's ending changed by."""
    changed, first, second = change_at_equal_fame(games, half)
    known = games.drop_nulls(half)
    return Gap(
        gap_name(half, kind, setting),
        f"{' minus '.join(HALVES[half])}, at equal {EQUAL[kind]}",
        first,
        second,
        changed.estimate,
        changed.p,
        known.height - without_figure(known, measure_of(known)),
    )


GAPS: tuple[tuple[Half, str, str], ...] = tuple(product(HALVES, TYPES.values(), SETTINGS))
"""North against South, people, first: the primary gap."""


COMPARISON = ComparisonRule(
    # Users' tables number their entities as they like: an id alone is not the same entity.
    ("entity", "name", "type", "country", "language", "repeat"),
    lambda: _ended(*SETTINGS),
    _changes,
    turned=("won", "lost"),
    metrics=(
        *(f"geo20q.success_{setting}" for setting in SETTINGS),
        *(known_gap_name(*gap) for gap in GAPS),
        *(gap_name(*gap) for gap in GAPS),
        *(plain_gap_name(*gap) for gap in GAPS),
    ),
    leads=(
        *(
            Lead(f"geo20q.success_{setting}", f"share of games won, {setting}", "high")
            for setting in SETTINGS
        ),
        *(
            Lead(known_gap_name(*gap), f"gap {label(*gap)}, of targets known in both runs", "zero")
            for gap in GAPS
        ),
        *(
            Lead(gap_name(*gap), f"gap {label(*gap)}, at equal {EQUAL[gap[1]]}", "zero")
            for gap in GAPS
        ),
    ),
    labels={
        **{f"geo20q.success_{setting}": f"Games won, {setting}" for setting in SETTINGS},
        **{known_gap_name(*gap): f"{label(*gap)}, of targets it knows" for gap in GAPS},
        **{gap_name(*gap): f"{label(*gap)}, at equal {EQUAL[gap[1]]}" for gap in GAPS},
        **{plain_gap_name(*gap): label(*gap) for gap in GAPS},
    },
)
