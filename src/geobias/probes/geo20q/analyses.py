"""Success against allowed turns, and between the halves of the world.

All functions take the frame of `scores.frame_of` and return a frame; the rules of `scores` hold
here too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from geobias.probes.geo20q.estimating import two_groups
from geobias.probes.geo20q.scores import (
    By,
    by_setting,
    country_means,
    fields,
    grouped,
    over_countries,
)
from geobias.stats import rate
from geobias.stats.bootstrap import DRAWS, resampled
from geobias.stats.multiple import holm
from geobias.stats.student import quantile_95

if TYPE_CHECKING:
    import polars as pl

Half = Literal["north_south", "west_east"]
HALVES: dict[Half, tuple[str, str]] = {
    "north_south": ("Global North", "Global South"),
    "west_east": ("Global West", "Global East"),
}
MOST_TURNS = 150


def curve(frame: pl.DataFrame, by: By = "all", *, seed: int = 0) -> pl.DataFrame:
    """Success against allowed turns, 1 to 150 (the paper's Figure 4), with a 95% band.

    Of games without a limit where there are any, else of canonical ones up to their 20 turns. A
    game won at turn t counts as won for every limit from t on. The band is for each limit alone.
    """
    import numpy as np
    import polars as pl

    rows = []
    games = by_setting(frame).filter(pl.col("won").is_not_null())
    for group, part in grouped(games, by):
        both = games.filter(type=group["type"])["setting"].n_unique() > 1
        if both and group["setting"] == "canonical":
            continue
        most = MOST_TURNS if group["setting"] == "unlimited" else 20
        ended = part["turns"].fill_null(most).to_numpy()
        won = part["won"].to_numpy() == 1
        limits = np.arange(1, most + 1)
        reached = (won[:, None] & (ended[:, None] <= limits)).astype(float)
        names, index = np.unique(part["country"].to_numpy(), return_inverse=True)
        totals = np.zeros((len(names), most + 1))
        np.add.at(totals, index, np.column_stack([reached, np.ones(len(won))]))
        half = _half_widths(totals, seed)
        for limit, value in zip(limits.tolist(), reached.mean(axis=0).tolist(), strict=True):
            wide = half[limit - 1] if half is not None else 0.0
            wilson = rate(round(value * len(won)), len(won))
            low, high = wilson.low, wilson.high
            if wide > 1e-12:
                low, high = max(0.0, value - wide), min(1.0, value + wide)
            rows.append(
                group
                | {"allowed_turns": limit, "success": value, "success_low": low}
                | {"success_high": high, "played": len(won), "countries": len(names)}
            )
    schema: dict[str, Any] = dict.fromkeys(("type", "setting", "group"), pl.String)
    schema |= {"allowed_turns": pl.Int64}
    schema |= dict.fromkeys(("success", "success_low", "success_high"), pl.Float64)
    return pl.DataFrame(rows, schema=schema | {"played": pl.Int64, "countries": pl.Int64})


def _half_widths(totals: Any, seed: int) -> Any:
    """Half of each limit's interval, from resampling countries; None for a single country."""
    import numpy as np

    n = len(totals)
    if n < 2:
        return None
    drawn = np.concatenate([counts @ totals for counts in resampled(n, DRAWS, seed)])
    spread = (drawn[:, :-1] / drawn[:, -1:]).std(axis=0)
    return quantile_95(n - 1) * math.sqrt(n / (n - 1)) * spread


def halves(frame: pl.DataFrame, *, seed: int = 0) -> pl.DataFrame:
    """North against South and West against East on country means (the paper's Table 5).

    first, second    mean over countries of each country's success, with intervals over countries
    difference       of the two means (Welch's interval)
    shift            Hodges–Lehmann: the median difference over all pairs of countries
    effect           rank-biserial, −1 to 1; u and p are Mann–Whitney's, p_holm for all tests of the
                     same `games` at once
    games            "all", or "judge right": without games in which the judge said something that
                     the entity table contradicts. If the judge knows less about one half, that
                     half's games are lost through no fault of the guesser, and the two rows differ
    """
    import polars as pl

    rows = []
    everything = by_setting(frame).filter(pl.col("won").is_not_null())
    right = everything.filter(pl.col("errors").fill_null(0) == 0)
    for half, (first, second) in HALVES.items():
        for group, part in grouped(everything, "all"):
            kept = right.filter(type=group["type"], setting=group["setting"])
            for said, games in (("all", part), ("judge right", kept)):
                means = country_means(games)
                sides = [means.filter(pl.col(half) == name) for name in (first, second)]
                found = two_groups(*(side["value"].to_list() for side in sides))
                row: dict[str, Any] = {"halves": half} | group | {"games": said}
                for name, side in zip(("first", "second"), sides, strict=True):
                    row |= fields(name, over_countries(side, seed=seed))
                rows.append(
                    row
                    | fields("difference", found.difference)
                    | fields("shift", found.shift)
                    | {"effect": found.effect, "u": found.u, "p": found.p}
                    | {
                        f"{name}_{what}": int(side["games"].sum()) if what == "games" else len(side)
                        for name, side in zip(("first", "second"), sides, strict=True)
                        for what in ("countries", "games")
                    }
                )
    for said in ("all", "judge right"):
        tests = [row for row in rows if row["games"] == said]
        for row, adjusted in zip(tests, holm([row["p"] for row in tests]), strict=True):
            row["p_holm"] = adjusted
    names = ("first", "second", "difference", "shift")
    numbers = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    schema: dict[str, Any] = dict.fromkeys(("halves", "type", "setting", "games"), pl.String)
    schema |= dict.fromkeys((*numbers, "effect", "u", "p", "p_holm"), pl.Float64)
    counts = [f"{name}_{what}" for name in ("first", "second") for what in ("countries", "games")]
    schema |= dict.fromkeys(counts, pl.Int64)
    clean = [{name: row[name] for name in schema} for row in rows]
    return pl.DataFrame(clean, schema=schema)
