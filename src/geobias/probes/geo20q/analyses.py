"""Success against allowed turns, and between the halves of the world.

All functions take the frame of `scores.frame_of` and return a frame; the rules of `scores` hold
here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from geobias.probes.geo20q.grouping import By
from geobias.probes.geo20q.moves import EARLY
from geobias.probes.geo20q.scores import (
    DRAWS,
    by_setting,
    country_means,
    grouped,
    over_countries,
    units_of,
)
from geobias.stats import Estimate, rate, two_groups
from geobias.stats.multiple import holm
from geobias.stats.ratios import rates_over_units

if TYPE_CHECKING:
    import polars as pl

Half = Literal["north_south", "west_east"]
HALVES: dict[Half, tuple[str, str]] = {
    "north_south": ("Global North", "Global South"),
    "west_east": ("Global West", "Global East"),
}
COUNTS = ("countries", "games", "few")


def curve(frame: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Success against allowed turns, 1 to the games' limit (Figure 4), with a 95% band.

    Of games without a limit of 20 where there are any, else of canonical ones. A game won at turn t
    counts as won for every limit from t on. The band is for each limit alone; at the
    last turn it is the interval of `scores.success`.
    """
    import polars as pl

    rows = []
    games = by_setting(frame).filter(pl.col("won").is_not_null())
    for group, part in grouped(games, by):
        both = games.filter(type=group["type"])["setting"].n_unique() > 1
        if both and group["setting"] == "canonical":
            continue
        counted = {"played": part.height, "countries": part["country"].n_unique()}
        for limit, found in enumerate(_band(part), start=1):
            rows.append(group | {"allowed_turns": limit} | found.columns("success") | counted)
    schema: dict[str, Any] = dict.fromkeys(("type", "setting", "group"), pl.String)
    schema |= {"allowed_turns": pl.Int64}
    schema |= dict.fromkeys(("success", "success_low", "success_high"), pl.Float64)
    return pl.DataFrame(rows, schema=schema | {"played": pl.Int64, "countries": pl.Int64})


def _band(games: pl.DataFrame) -> list[Estimate]:
    """Success with its interval for each number of allowed turns, 1 to the games' limit."""
    import numpy as np

    most = int(games["limit"].max())  # type: ignore[arg-type]
    won = games["won"].to_numpy() == 1
    ended = games["turns"].fill_null(most).to_numpy()
    unit, units = units_of(games)
    names, index = np.unique(np.arange(len(won)) if unit == "games" else units, return_inverse=True)
    hits = np.zeros((len(names), most))
    np.add.at(hits, (index.ravel()[won], ended[won] - 1), 1)
    hits = hits.cumsum(axis=1)  # a game won at turn t is won for every limit from t on
    if unit == "games":
        return [rate(int(count), len(won)) for count in hits.sum(axis=0)]
    return rates_over_units(hits, np.bincount(index.ravel()).astype(float), draws=DRAWS)


def halves(frame: pl.DataFrame, *, seed: int = 0) -> pl.DataFrame:
    """North against South and West against East on country means (the paper's Table 5).

    first, second    mean over countries of each country's success, with intervals over countries
    difference       of the two means (Welch's interval)
    shift            Hodges–Lehmann: the median difference over all pairs of countries
    effect           rank-biserial, −1 to 1; u and p are Mann–Whitney's, p_holm for all tests of the
                     same `games` at once
    games            "all", or "judge right": without games in which one of the judge's first
                     `moves.EARLY` checkable answers goes against the entity table. If the judge
                     knows less about one half, that half's games are lost through no fault of the
                     guesser, and the two rows differ. Later answers do not count: lost games have
                     more of them, and leaving out every game with an error would leave out losses
    first_few, …     games with fewer checkable answers than that; they are kept where none is wrong
    """
    import polars as pl

    rows: list[dict[str, Any]] = []
    everything = by_setting(frame).filter(pl.col("won").is_not_null())
    right = everything.filter(pl.col("early_errors").fill_null(0) == 0)
    for half, (first, second) in HALVES.items():
        for group, part in grouped(everything, "all"):
            kept = right.filter(type=group["type"], setting=group["setting"])
            for said, games in (("all", part), ("judge right", kept)):
                means = country_means(games)
                sides = [means.filter(pl.col(half) == name) for name in (first, second)]
                found = two_groups(*(side["value"].to_list() for side in sides), bounds=(-1, 1))
                row: dict[str, Any] = {"halves": half} | group | {"games": said}
                for name, side in zip(("first", "second"), sides, strict=True):
                    row |= over_countries(side, seed=seed).columns(name)
                rows.append(
                    row
                    | found.difference.columns("difference")
                    | found.shift.columns("shift")
                    | found.effect.columns("effect")
                    | {"u": found.u, "p": found.p}
                    | _counts(games, half, (first, second), sides)
                )
    for said in ("all", "judge right"):
        tests = [row for row in rows if row["games"] == said]
        for row, adjusted in zip(tests, holm([row["p"] for row in tests]), strict=True):
            row["p_holm"] = adjusted
    names = ("first", "second", "difference", "shift", "effect")
    numbers = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    schema: dict[str, Any] = dict.fromkeys(("halves", "type", "setting", "games"), pl.String)
    schema |= dict.fromkeys((*numbers, "u", "p", "p_holm"), pl.Float64)
    counts = [f"{name}_{what}" for name in ("first", "second") for what in COUNTS]
    schema |= dict.fromkeys(counts, pl.Int64)
    clean = [{name: row[name] for name in schema} for row in rows]
    return pl.DataFrame(clean, schema=schema)


def _counts(
    games: pl.DataFrame, half: str, names: tuple[str, str], sides: list[pl.DataFrame]
) -> dict[str, int]:
    """Countries and games of either side, and games whose judge could hardly be checked."""
    import polars as pl

    found: dict[str, int] = {}
    for column, name, side in zip(("first", "second"), names, sides, strict=True):
        few = games.filter(pl.col(half) == name, pl.col("early_checked").fill_null(0) < EARLY)
        counted = (len(side), int(side["games"].sum()), few.height)
        found |= {f"{column}_{what}": n for what, n in zip(COUNTS, counted, strict=True)}
    return found
