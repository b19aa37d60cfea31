"""Success against allowed turns, and between the halves of the world.

All functions take the frame of `scores.frame_of` and return a frame; the rules of `scores` hold
here too.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from geobias.probes.geo20q.moves import EARLY
from geobias.probes.geo20q.scores import (
    DRAWS,
    ONE_GAME,
    By,
    country_means,
    ended_games,
    grouped,
    over_countries,
    resampled_units,
    table_frame,
    units_column,
)
from geobias.probes.lazy import pl
from geobias.stats.estimates import Estimate, rate
from geobias.stats.groups import Difference, mover_difference, two_groups
from geobias.stats.over_units import rates_over_units
from geobias.stats.pooling import holm

Half = Literal["north_south", "west_east"]
HALVES: dict[Half, tuple[str, str]] = {
    "north_south": ("Global North", "Global South"),
    "west_east": ("Global West", "Global East"),
}
SIDES = ("first", "second")


def curve(frame: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Success against allowed turns, 1 to the games' limit (Figure 4), with a 95% band.

    Of games without a limit of 20 where there are any, else of canonical ones. A game won at turn t
    counts as won for every limit from t on. The band is for each limit alone; at the
    last turn it is the interval of `scores.success`.
    """
    rows = []
    games = ended_games(frame)
    for group, part in grouped(games, by):
        both = games.filter(type=group["type"])["setting"].n_unique() > 1
        if both and group["setting"] == "canonical":
            continue
        counts = {"played": part.height, "countries": part["country"].n_unique()}
        for limit, won in enumerate(band(part), start=1):
            rows.append(group | {"allowed_turns": limit} | won.columns("success") | counts)
    text = ("type", "setting", "group")
    table = table_frame(
        rows, text, estimates=["success"], counts=("allowed_turns", "played", "countries")
    )
    return table.select(*text, "allowed_turns", pl.exclude(*text, "allowed_turns"))


def band(games: pl.DataFrame) -> list[Estimate]:
    """Success with its interval for each number of allowed turns, 1 to the games' limit."""
    import numpy as np

    most = int(games["limit"].max())  # type: ignore[arg-type]
    won = games["won"].to_numpy() == 1
    ended = games["turns"].fill_null(most).to_numpy()
    names, index = np.unique(units_column(games), return_inverse=True)
    hits = np.zeros((len(names), most))
    np.add.at(hits, (index.ravel()[won], ended[won] - 1), 1)
    hits = hits.cumsum(axis=1)  # a game won at turn t is won for every limit from t on
    if games.height == 1:
        return [Estimate(float(hits[0, turn]), None, None, 1, ONE_GAME) for turn in range(most)]
    if resampled_units(games) == "games":
        return [rate(int(count), len(won)) for count in hits.sum(axis=0)]
    return rates_over_units(hits, np.bincount(index.ravel()).astype(float), draws=DRAWS)


def halves(frame: pl.DataFrame) -> pl.DataFrame:
    """North against South and West against East on country means (the paper's Table 5).

    first, second    mean over countries of each country's success, with intervals over countries
    difference       of the two means, its interval made of theirs (MOVER), and `difference_p` read
                     off it; `difference_p_holm` for all tests of the same `games` at once
    u, p, p_holm     the paper's Mann–Whitney test, which is about ranks: whether a country of one
                     half tends to lie above one of the other. Equal means can differ in that
    shift            Hodges–Lehmann: the median difference over all pairs of countries
    effect           rank-biserial, −1 to 1
    games            "all", or "judge right": without games in which one of the judge's first
                     `moves.EARLY` checkable answers goes against the entity table. If the judge
                     knows less about one half, that half's games are lost through no fault of the
                     guesser, and the two rows differ. Later answers do not count: lost games have
                     more of them, and leaving out every game with an error would leave out losses
    first_few, …     games with fewer checkable answers than that; they are kept where none is wrong
    note             why there is no interval, or why it may be too narrow
    """
    rows: list[dict[str, Any]] = []
    played = ended_games(frame)
    for half in HALVES:
        for group, everything in grouped(played, "all"):
            judged_right = everything.filter(pl.col("early_errors").fill_null(0) == 0)
            for name, games in (("all", everything), ("judge right", judged_right)):
                row = compare_sides(country_means(games), half, "games")
                rows.append(row | group | {"games": name} | _few(games, half))
    return halves_frame(rows, ("halves", "type", "setting", "games"), ("countries", "games", "few"))


class Sides(NamedTuple):
    """The means over countries of either half, and their difference."""

    first: Estimate
    second: Estimate
    difference: Difference


def sides_of(means: pl.DataFrame, half: Half, counted: str = "entities") -> Sides:
    """The two sides of a half on country means (`value`), each country counting once; `counted` is
    the column that says how many trials a country's mean rests on."""
    first, second = (
        over_countries(means.filter(pl.col(half) == name), counted) for name in HALVES[half]
    )
    return Sides(first, second, mover_difference(first, second))


def furthest(games: pl.DataFrame, half: Half) -> dict[str, Any]:
    """How far the difference could move with the games (`by_setting`) that broke off: `missing`,
    `lowest` had all of the first half been lost and all of the second won, `highest` the reverse.
    """
    games = games.drop_nulls(half)
    missing = games["won"].null_count()
    if not missing or games["won"].null_count() == games.height:
        return {"missing": missing}
    ends = []
    for first in (0, 1):
        won = pl.when(pl.col(half) == HALVES[half][0]).then(first).otherwise(1 - first)
        means = country_means(games.with_columns(pl.col("won").fill_null(won)))
        sides = [means.filter(pl.col(half) == name)["value"].mean() for name in HALVES[half]]
        ends.append(None if None in sides else sides[0] - sides[1])  # type: ignore[operator]
    return {"missing": missing, "lowest": ends[0], "highest": ends[1]}


def compare_sides(means: pl.DataFrame, half: Half, counted: str) -> dict[str, Any]:
    """The two sides of a half on country means (`value`), with their tests; `counted` is the column
    that is summed for either side, and says how much a country's mean rests on where there are no
    entities."""
    found = sides_of(means, half, "entities" if "entities" in means.columns else counted)
    sides = [means.filter(pl.col(half) == name) for name in HALVES[half]]
    test = two_groups(*(side["value"].to_list() for side in sides), bounds=(-1, 1))
    row: dict[str, Any] = {"halves": half, "u": test.u, "p": test.p}
    row |= found.difference.estimate.columns("difference")
    row |= {"difference_p": found.difference.p, "note": found.difference.estimate.note}
    row |= test.shift.columns("shift") | test.effect.columns("effect")
    row |= found.first.columns("first") | found.second.columns("second")
    for name, side in zip(SIDES, sides, strict=True):
        row |= {f"{name}_countries": side.height, f"{name}_{counted}": int(side[counted].sum())}
    return row


def halves_frame(
    rows: list[dict[str, Any]], text: tuple[str, ...], counts: tuple[str, ...]
) -> pl.DataFrame:
    """Rows of `compare_sides` as a frame, with p-values adjusted over all rows of the same `games`.

    `counts` are of either side.
    """
    for games in {row.get("games") for row in rows}:
        family = [row for row in rows if row.get("games") == games]
        for name in ("p", "difference_p"):
            for row, p in zip(family, holm([row[name] for row in family]), strict=True):
                row[f"{name}_holm"] = p
    return table_frame(
        rows,
        text,
        estimates=(*SIDES, "difference", "shift", "effect"),
        numbers=("difference_p", "difference_p_holm", "u", "p", "p_holm"),
        counts=[f"{side}_{count}" for side in SIDES for count in counts],
        notes=("note",),
    )


def _few(games: pl.DataFrame, half: Half) -> dict[str, int]:
    """Games of either side whose judge could hardly be checked."""
    few = games.filter(pl.col("early_checked").fill_null(0) < EARLY)[half].to_list()
    return {f"{side}_few": few.count(name) for side, name in zip(SIDES, HALVES[half], strict=True)}
