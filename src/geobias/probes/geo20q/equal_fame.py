"""The primary question: is the share of games won lower for the South (the East) at equal fame?

Entities of the North are about four times as often looked up as those of the South, so that a plain
difference mixes where an entity is from with how well known it is. Here success is regressed on the
half of the world and on the log of page views (`stats.difference_at_equal`). Each game counts once;
countries are the units. Games about entities without a figure of fame are left out, and counted.

Beside that answer stand those of other methods (`answers`): does the conclusion hold?
"""

from __future__ import annotations

from itertools import product
from typing import Any, Literal, NamedTuple

from geobias.probes.geo20q.analyses import HALVES, Half, sides_of
from geobias.probes.geo20q.scores import (
    SETTINGS,
    TYPES,
    by_setting,
    country_means,
    table_frame,
    under_rule,
)
from geobias.probes.geo20q.settings import Rule
from geobias.probes.lazy import pl
from geobias.results.sensitivity import Answer
from geobias.stats import Difference, Estimate, difference_at_equal, mixed_difference, two_groups
from geobias.stats.multiple import holm

NO_FAME = "no game has a figure of fame"
FAME = "fame"
Unknown = Literal["left out", "median of the half"]


class Fitted(NamedTuple):
    """Games of one type and setting as a regression wants them: 1 for the second half."""

    won: Any
    second: Any
    fame: Any
    countries: Any


def _fitted(games: pl.DataFrame, half: Half, unknown: Unknown = "left out") -> Fitted:
    import numpy as np

    known = games.drop_nulls(half).with_columns(
        fame=pl.when(pl.col("views") > 0).then(pl.col("views").log(2))
    )
    if unknown == "median of the half":
        known = known.with_columns(pl.col("fame").fill_null(pl.col("fame").median().over(half)))
    known = known.drop_nulls("fame")
    second = (known[half] == HALVES[half][1]).cast(float).to_numpy()
    won = known["won"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return Fitted(won, second, known["fame"].to_numpy(), known["country"].to_numpy())


def gap_at_equal_fame(games: pl.DataFrame, half: Half) -> Difference:
    """The first half's share of games won minus the second's, at equal fame. `n` counts
    countries."""
    found = _fitted(games.drop_nulls("won"), half)
    return _fit(found)


def _covariates(fame: Any, curve: bool = True) -> dict[str, Any]:
    """Fame and its square: success levels off where nearly all, or nearly no, games are won, and
    halves that differ much in fame would take that for a gap."""
    centred = fame - fame.mean()
    return {FAME: centred} | ({"its square": centred**2} if curve else {})


def furthest(games: pl.DataFrame, half: Half) -> dict[str, Any]:
    """How far the gap could move with the games that broke off: `missing`, `lowest`, `highest`.

    The gap is a weighted sum of what games ended in. What is left of being in the second half when
    fame is accounted for has the sign of a game's weight (Frisch and Waugh 1933): each game that
    broke off takes the ending that moves the gap furthest.
    """
    import numpy as np

    found = _fitted(games, half)
    broken = np.isnan(found.won)
    if not broken.any() or gap_at_equal_fame(games, half).estimate.value is None:
        return {"missing": int(broken.sum())}
    others = np.column_stack([np.ones(len(found.fame)), *_covariates(found.fame).values()])
    pull = found.second - others @ np.linalg.lstsq(others, found.second, rcond=None)[0]
    ends = []
    for lost in (pull < 0, pull > 0):  # a won game of the first half raises the gap
        won = np.where(broken, ~lost, found.won)
        ends.append(_fit(found._replace(won=won)).estimate.value)
    return {"missing": int(broken.sum()), "lowest": ends[0], "highest": ends[1]}


def equal_fame(frame: pl.DataFrame) -> pl.DataFrame:
    """The gap at equal fame for each pair of halves, type and setting.

    difference   first minus second half, with the interval and the p that belong together; p_holm
                 for all rows at once
    games        in the regression; countries, of either half
    no_figure    games of either half left out because nobody counted page views
    note         why a number is missing, or its interval may be too narrow
    """
    rows: list[dict[str, Any]] = []
    played = by_setting(frame).drop_nulls("won")
    for half, type_, setting in product(HALVES, TYPES.values(), SETTINGS):
        games = played.filter(type=type_, setting=setting)
        if not games.height:
            continue
        found, p = gap_at_equal_fame(games, half)
        row = {"halves": half, "type": type_, "setting": setting, "p": p}
        row |= found.columns("difference") | {"note": found.note}
        for side, name in zip(("first", "second"), HALVES[half], strict=True):
            own = games.filter(pl.col(half) == name)
            known = own.filter(pl.col("views") > 0)
            row |= {
                f"{side}_countries": known["country"].n_unique(),
                f"{side}_games": known.height,
                f"{side}_no_figure": own.height - known.height,
            }
        rows.append(row)
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = p
    counts = [f"{side}_{what}" for side in ("first", "second") for what in _COUNTED]
    return table_frame(
        rows,
        ("halves", "type", "setting"),
        estimates=["difference"],
        numbers=("p", "p_holm"),
        counts=counts,
        notes=["note"],
    )


_COUNTED = ("countries", "games", "no_figure")


_RULES: dict[Rule, str] = {
    "guess": "a turn wins that proposes the target",
    "mention": "any mention of the target wins (the published rule)",
}


def answers(frame: pl.DataFrame) -> list[Answer]:
    """What other methods say of each primary gap, the primary one first."""
    found: list[Answer] = []
    played = by_setting(frame).drop_nulls("won")
    by_other_rule = {
        method: other.drop_nulls("won")
        for rule, method in _RULES.items()
        if not (other := by_setting(under_rule(frame, rule))).equals(by_setting(frame))
    }
    for half, type_, setting in product(HALVES, TYPES.values(), SETTINGS):
        games = played.filter(type=type_, setting=setting)
        if games.height:
            question = label(half, type_, setting)
            found += [_answer(question, *one) for one in _methods(games, half)]
            found += [
                _answer(question, method, gap_at_equal_fame(own, half))
                for method, other in by_other_rule.items()
                if (own := other.filter(type=type_, setting=setting)).height
            ]
    return found


def label(half: Half, type_: str, setting: str) -> str:
    """A primary gap in words."""
    first, second = HALVES[half]
    return f"{first} minus {second} at equal fame, {type_}, {setting}"


def _methods(games: pl.DataFrame, half: Half) -> list[tuple[str, Difference]]:
    own, all_games = _fitted(games, half), _fitted(games, half, "median of the half")
    known = games.filter(pl.col("views") > 0)
    ranks = two_groups(*(side["value"].to_list() for side in _sides(games, half)))
    # Its interval is of another pivot than its test: only what belongs together is shown.
    effect = Estimate(ranks.effect.value, None, None, sum(ranks.n))
    methods = [
        ("at equal fame, each game once", gap_at_equal_fame(games, half)),
        ("at equal fame, each country once", _fit(own, each_once=True)),
        ("mixed model: half, fame, countries", _fit(own, mixed=True)),
        ("fame as a straight line (its log alone)", _fit(own, curve=False)),
        ("unknown fame taken as the median of the half", _fit(all_games)),
        ("not at equal fame: means over countries", _plain(games, half)),
        ("the same, of games with known fame", _plain(known, half)),
        ("the paper's Mann–Whitney test: rank-biserial effect", Difference(effect, ranks.p)),
    ]
    return methods


def _fit(
    games: Fitted, *, each_once: bool = False, mixed: bool = False, curve: bool = True
) -> Difference:
    if not len(games.won):
        return Difference(Estimate(None, None, None, 0, NO_FAME), None)
    covariates = _covariates(games.fame, curve)
    if mixed:
        return mixed_difference(games.won, games.second, covariates, games.countries)
    return difference_at_equal(
        games.won, games.second, covariates, games.countries, clusters_alike=each_once
    )


def _sides(games: pl.DataFrame, half: Half) -> list[pl.DataFrame]:
    means = country_means(games)
    return [means.filter(pl.col(half) == name) for name in HALVES[half]]


def _plain(games: pl.DataFrame, half: Half) -> Difference:
    return sides_of(country_means(games), half).difference


def _answer(question: str, method: str, found: Difference) -> Answer:
    one = found.estimate
    return Answer(question, method, one.value, one.low, one.high, found.p, one.n, "countries")
