"""Fame and success: the primary question, and regressions on page views and corpus frequency.

**Among people that the guesser knows, is the share of games won lower for those of the South?**
People of the North are about four times as often looked up as those of the South, so that a plain
difference mixes not looking somewhere with not knowing who is there. Every target is asked about
directly (`knowledge`), and success is compared among those that are known: least squares on the
half of the world, with countries as units (`stats.regression.difference_at_equal`). Games about one
country count as somewhat alike, so that a country with ninety of them does not decide for its half.

Beside it stands the gap at equal fame, known or not: people are compared at equal log page views. A
figure that half of one side lacks would leave out its obscure ones: there is then no such gap.
People without the figure are left out and counted, with how many were won, and beside the gap
stands the one at equal standing, which leaves out nobody, and the one at equal frequency in a
corpus. Things have no known page views. They are compared at equal standing, the level of vital
article, which is not fame.

Beside that answer stand those of other methods (`answers`): does the conclusion hold? Standard
errors of the paper's regressions are clustered by country.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import polars as pl

from geobias.atlas.entities import STANDINGS
from geobias.probes.geo20q.analyses import HALVES, Half, mann_whitney, sides_of
from geobias.probes.geo20q.scores import (
    SETTINGS,
    TYPES,
    by_setting,
    country_means,
    grouped,
    table_frame,
    under_rule,
)
from geobias.probes.geo20q.settings import Rule
from geobias.results.verdicts import Answer
from geobias.stats.contrasts import Ends
from geobias.stats.estimates import Estimate, Tested, untested
from geobias.stats.pooling import holm
from geobias.stats.regression import (
    LEAST_CHANCE,
    Regression,
    difference_at_equal,
    linear,
    logistic,
    overlap,
)

LOG, HALF = "log", "half"
NO_FIGURE = "no game has a figure"
ALL_ZERO = "every figure is 0, which has no log"


class _Fit:
    """One predictor's part in a regression, and why it is missing."""

    def __init__(self, fit: Regression, predictor: str = LOG) -> None:
        part = fit.coefficients.get(predictor)
        self.slope = part.estimate if part else Estimate(None, None, None, fit.clusters)
        self.p = part.p if part else None
        self.r_squared = fit.r_squared
        self.rows, self.clusters = fit.rows, fit.clusters
        self.reason = (fit.reason or self.slope.reason) if fit.rows else NO_FIGURE

    def odds_ratio(self, column: str, rise: float = 1) -> dict[str, float | None]:
        slopes = self.slope.columns(column).items()
        return {end: None if slope is None else math.exp(rise * slope) for end, slope in slopes}

    def signed_r_squared(self) -> float | None:
        """With the sign of the slope."""
        if self.r_squared is None or self.slope.value is None:
            return None
        return math.copysign(self.r_squared, self.slope.value)


def regression(frame: pl.DataFrame) -> pl.DataFrame:
    """Success and turns on the log of page views and of corpus frequency (the paper's Table 3).

    odds_ratio            for a rise of 1%, e^(0.01 β) with β per unit of natural log: near 1 even
                          for strong effects, since 1% is little
    odds_ratio_doubling   for twice as much, 2^β, which a person can read
    r_squared             of turns to success on the log; it cannot be negative. The paper prints it
                          with a minus sign where more fame means fewer turns, as it seems;
                          `r_squared_signed` has the sign of the slope
    turns_per_doubling    turns more (or fewer) to success when fame doubles
    games, won            in the regression, and won among them
    zero                  games left out because the figure is 0 (a corpus never names the entity):
                          0 has no log, and no doubling leads away from it. A slope in log x is not
                          biased by leaving rows out by x; log(1 + x) would make the slope hang on
                          the size of the corpus
    zero_won              won among those
    no_figure             games left out because nobody counted
    undefined             why a number is missing
    """
    rows = []
    for group, part in grouped(by_setting(frame), "all"):
        played = part.drop_nulls("won")
        for predictor, column in (("popularity", "views"), ("frequency", "frequency")):
            logs = played[column].to_numpy().astype(float)
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.where(logs > 0, np.log(logs), np.nan)
            countries = played["country"].to_numpy()
            won = played["won"].to_numpy() == 1
            success = _Fit(logistic(won.astype(float), {LOG: logs}, countries.tolist()))
            taken = played["turns"].to_numpy().astype(float)
            turns = _Fit(linear(taken[won], {LOG: logs[won]}, countries[won].tolist()))
            left_out = _left_out(played, column)
            if success.reason == NO_FIGURE and left_out["zero"]:
                success.reason = turns.reason = ALL_ZERO
            row: dict[str, Any] = group | {"predictor": predictor} | left_out
            row |= {"success_p": success.p, "games": success.rows, "countries": success.clusters}
            row |= success.odds_ratio("odds_ratio", 0.01)
            row |= success.odds_ratio("odds_ratio_doubling", math.log(2))
            row |= {"turns_p": turns.p, "won": turns.rows, "r_squared": turns.r_squared}
            row["r_squared_signed"] = turns.signed_r_squared()
            for end, slope in turns.slope.columns("turns_per_doubling").items():
                row[end] = None if slope is None else slope * math.log(2)
            rows.append(row | {"undefined": _undefined(success, turns)})
    text = ("type", "predictor", "setting")
    ratios = table_frame(
        rows,
        text,
        estimates=("odds_ratio", "odds_ratio_doubling"),
        numbers=["success_p"],
        counts=("games", "countries"),
    )
    pace = table_frame(
        rows,
        estimates=["turns_per_doubling"],
        numbers=("r_squared", "r_squared_signed", "turns_p"),
        counts=("won", "zero", "zero_won", "no_figure"),
        notes=["undefined"],
    )
    return ratios.hstack(pace)


def _left_out(played: pl.DataFrame, column: str) -> dict[str, int]:
    zero = played.filter(played[column] <= 0)
    none = played.height - played.filter(played[column].is_finite()).height
    return {"zero": zero.height, "zero_won": int(zero["won"].sum()), "no_figure": none}


def _undefined(success: _Fit, turns: _Fit) -> str | None:
    if success.reason and success.reason == turns.reason:
        return success.reason
    reasons = {"success": success.reason, "turns": turns.reason}
    return "; ".join(f"{what}: {reason}" for what, reason in reasons.items() if reason) or None


def gap_at_equal_views(frame: pl.DataFrame) -> pl.DataFrame:
    """Does fame explain the gap? The South's odds of success, as they are and at equal page views.

    Logistic regressions of success on being of the Global South (of the Global East), alone and
    with log page views beside it, over the same games: those with a figure. An odds ratio of 1 is
    no gap; one that stays below 1 at equal views is a gap that fame does not explain.
    """
    rows = []
    for group, part in grouped(by_setting(frame), "all"):
        played = part.drop_nulls("won").filter(pl.col("views") > 0)
        for half, (_, second) in HALVES.items():
            games = played.drop_nulls(half)
            there = (games[half] == second).cast(float).to_numpy()
            logs = np.log(games["views"].to_numpy().astype(float))
            won, countries = games["won"].to_numpy().astype(float), games["country"].to_list()
            plain = _Fit(logistic(won, {HALF: there}, countries), HALF)
            at_equal_views = _Fit(logistic(won, {HALF: there, LOG: logs}, countries), HALF)
            rows.append(
                group
                | plain.odds_ratio("odds_ratio")
                | at_equal_views.odds_ratio("odds_ratio_equal_views")
                | {
                    "half": second,
                    "p": plain.p,
                    "equal_views_p": at_equal_views.p,
                    "games": at_equal_views.rows,
                    "countries": at_equal_views.clusters,
                    "undefined": plain.reason or at_equal_views.reason or None,
                }
            )
    return table_frame(
        rows,
        ("type", "setting", "half"),
        estimates=("odds_ratio", "odds_ratio_equal_views"),
        numbers=("p", "equal_views_p"),
        counts=("games", "countries"),
        notes=["undefined"],
    )


NO_FAME = "no game has a figure of fame"
FAME = "fame"
TOO_FEW_FIGURES = "page views are known of under half of the people of one side"
LEAST_OVERLAP = 0.75
"""Share of games with a fame (`stats.regression.overlap`), or a standing, that both halves have.
Below it a caution says that the gap rests on the shape of the curve, or on few games. For the
people of our own table it is at least 0.87."""
MOST = 0.5
"""Share of either half's games that must have page views, for a gap at equal fame."""
EQUAL = {"people": "fame", "things": "standing"}
"""What games about each are compared at."""


def gap_name(half: Half, type_: str, setting: str) -> str:
    """The metric of a gap at equal fame, or at equal standing."""
    return f"geo20q.{half}_gap_equal_{EQUAL[type_]}_{type_}_{setting}"


def plain_gap_name(half: Half, type_: str, setting: str) -> str:
    """The metric of a gap as it is."""
    return f"geo20q.{half}_gap_{type_}_{setting}"


NOT_ASKED = "whether the model knows its targets was not asked"


def known_gap_name(half: Half, type_: str, setting: str) -> str:
    """The metric of a gap among entities that the guesser knows."""
    return f"geo20q.{half}_gap_known_{type_}_{setting}"


def _among_known(games: pl.DataFrame, half: Half) -> Fitted:
    known = games.drop_nulls(half).filter(pl.col("knows"))
    second = (known[half] == HALVES[half][1]).cast(float).to_numpy()
    won = known["won"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return Fitted(won, second, {}, known["country"].to_numpy())


def gap_among_known(games: pl.DataFrame, half: Half) -> Tested:
    """The first half's share of games won minus the second's, of targets that the guesser knows.
    `n` counts countries."""
    played = games.drop_nulls("won")
    if not played["knows"].is_not_null().any():
        return untested(0, NOT_ASKED)
    found = _among_known(played, half)
    if not len(found.won):
        return untested(0, "the model knows none of its targets")
    return _fit(found)


def change_among_known(
    games: pl.DataFrame, half: Half
) -> tuple[Tested, float | None, float | None]:
    """The change of the gap among targets known in both runs, and the gap in each."""
    both = games.filter(pl.col("knows") & pl.col("knows_2"))
    return _changed([_among_known(both.with_columns(won=name), half) for name in ("won", "won_2")])


Measure = Literal["page views", "standing", "frequency"]
Unknown = Literal["left out", "median of the half"]
Weights = Literal["alike", "rows", "clusters"]


class Fitted(NamedTuple):
    """Games of one type and setting as a regression wants them: 1 for the second half."""

    won: Any
    second: Any
    fame: Mapping[str, Any]
    countries: Any


def measure_of(games: pl.DataFrame) -> Measure:
    """What games of one type are equal in: see above."""
    return "standing" if (games["type"] == "things").any() else "page views"


def _most_viewed(games: pl.DataFrame, half: Half) -> bool:
    sides = [games["views"].filter(games[half] == name) for name in HALVES[half]]
    return all((side > 0).sum() >= MOST * len(side) for side in sides)


def _known(measure: Measure) -> pl.Expr:
    if measure == "standing":
        return pl.col("standing").is_not_null()
    return pl.col("views" if measure == "page views" else "frequency") > 0


def without_figure(games: pl.DataFrame, measure: Measure) -> int:
    """Games that the regression leaves out because nobody knows that fame."""
    return games.height - games.filter(_known(measure)).height


def _fitted(
    games: pl.DataFrame,
    half: Half,
    measure: Measure,
    unknown: Unknown = "left out",
    *,
    curve: bool = True,
) -> Fitted:

    known = games.drop_nulls(half)
    if unknown == "median of the half":
        known = known.with_columns(
            views=pl.when(pl.col("views") > 0)
            .then(pl.col("views"))
            .otherwise(pl.col("views").filter(pl.col("views") > 0).median().over(half))
        )
    known = known.filter(_known(measure))
    second = (known[half] == HALVES[half][1]).cast(float).to_numpy()
    won = known["won"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    if measure != "standing":
        column = "views" if measure == "page views" else "frequency"
        fame = views_covariates(known[column].to_numpy(), curve)
    else:
        fame = standing_covariates(known["standing"].to_numpy())
    return Fitted(won, second, fame, known["country"].to_numpy())


def views_covariates(views: Any, curve: bool = True) -> dict[str, Any]:
    """Log views and their square: success levels off where nearly all, or nearly no, games are won,
    and halves that differ much in fame would take that for a gap."""
    fame = np.log2(views)
    centred = fame - fame.mean() if len(fame) else fame
    return {FAME: centred} | ({"its square": centred**2} if curve else {})


def standing_covariates(standing: Any) -> dict[str, Any]:
    """A level of its own for each standing but the commonest."""
    counts = {name: int((standing == name).sum()) for name in STANDINGS}
    common = max(counts, key=lambda name: counts[name])
    return {
        f"standing {name}": (standing == name).astype(float)
        for name, count in counts.items()
        if count and name != common
    }


def gap_at_equal_fame(games: pl.DataFrame, half: Half) -> Tested:
    """The first half's share of games won minus the second's, people at equal fame and things at
    equal standing. `n` counts countries."""
    played = games.drop_nulls("won")
    if measure_of(played) == "standing":
        return gap_at_equal_standing(played, half)
    found = _fitted(played, half, "page views")
    if len(found.won) and not _most_viewed(played, half):
        return untested(len(set(found.countries.tolist())), TOO_FEW_FIGURES)
    shared = overlap(found.fame[FAME], found.second) if len(found.won) else None
    return _cautioned(_fit(found), shared, "fame")


def _cautioned(gap: Tested, shared: float | None, measure: str) -> Tested:
    """The gap with a caution where the halves hardly overlap."""
    if gap.estimate.value is None or shared is None or shared >= LEAST_OVERLAP:
        return gap
    says = f"only {shared:.0%} of the games have a {measure} that both halves have"
    caution = "; ".join(one for one in (gap.estimate.caution, says) if one)
    return Tested(msgspec.structs.replace(gap.estimate, caution=caution), gap.p)


def _shared_standings(games: pl.DataFrame, half: Half) -> float | None:
    """The share of games in standings of which either half has a tenth."""
    known = games.drop_nulls([half, "standing"])
    second = (pl.col(half) == HALVES[half][1]).mean().over("standing")
    share: float | None = known.select(
        second.is_between(LEAST_CHANCE, 1 - LEAST_CHANCE).mean()
    ).item()
    return share


def change_at_equal_fame(
    games: pl.DataFrame, half: Half
) -> tuple[Tested, float | None, float | None]:
    """How the gap changed between two runs that played the same games, and the gap in each.

    `games` ended in both; the second run's ending is `won_2`. The gap is linear in endings, so its
    change is the gap of what each ending changed by: the same model, fitted to that.
    """
    measure = measure_of(games)
    return _changed(
        [_fitted(games.with_columns(won=pl.col(name)), half, measure) for name in ("won", "won_2")]
    )


def _changed(runs: Sequence[Fitted]) -> tuple[Tested, float | None, float | None]:
    first, second = (_fit(run).estimate.value for run in runs)
    moved = runs[1].won - runs[0].won
    if len(moved) and not moved.any() and first is not None:
        n = len(set(runs[0].countries.tolist()))
        nothing = Estimate(0.0, None, None, n, "no game changed")
        return Tested(nothing, 1.0), first, second
    # An ending changes by 1 at most either way, so two groups' changes differ by 2 at most.
    return _fit(runs[0]._replace(won=moved), most=2), first, second


def gap_at_equal_standing(games: pl.DataFrame, half: Half) -> Tested:
    """The same at equal standing, which leaves out nobody of our table."""
    played = games.drop_nulls("won")
    gap = _fit(_fitted(played, half, "standing"))
    return _cautioned(gap, _shared_standings(played, half), "standing")


def furthest(games: pl.DataFrame, half: Half, *, known: bool = False) -> dict[str, Any]:
    """The gap had all games that broke off been lost, or all been won: `missing`, `lowest`,
    `highest` and `p_missing` (`stats.contrasts.Ends`); of `known` targets, or at equal fame."""
    found = _among_known(games, half) if known else _fitted(games, half, measure_of(games))
    broken = np.isnan(found.won)
    gap = gap_among_known if known else gap_at_equal_fame
    value = gap(games, half).estimate.value
    if value is None:
        return {"missing": int(broken.sum())}
    lost, won = (_fit(found._replace(won=np.where(broken, end, found.won))) for end in (0, 1))
    ends = Ends.of(lost, won, value)
    return {
        "missing": int(broken.sum()),
        "lowest": ends.lowest,
        "highest": ends.highest,
        "p_missing": ends.p,
        "reach": ends.reach,
    }


def equal_fame(frame: pl.DataFrame) -> pl.DataFrame:
    """The gap among targets that the guesser knows; and, known or not, of people at equal fame and
    of things at equal standing, for each pair of halves and each setting.

    known           first minus second half of targets that are known, with interval and p; North
                    minus South of people in the first setting is the primary one
    known_games     games in it; unknown_games are of targets that are not known, and
                    unknown_success is the share of these that was won
    difference      first minus second half, with the interval and the p that belong together;
                    p_holm allows for the number of rows
    fame            what games are equal in: page views or standing
    games           in the regression; countries, of either half
    no_figure       games of either half left out because that is unknown; no_figure_success is the
                    share of them that was won
    at_standing     the difference at equal standing, which leaves out none of our entities
    at_frequency    the difference at equal frequency in a corpus (`--frequency`), with its interval
                    and p; no_frequency counts the games left out, of either half
    note            why a number is missing, or its interval may be too narrow
    """
    rows: list[dict[str, Any]] = []
    played = by_setting(frame).drop_nulls("won")
    for half, type_, setting in product(HALVES, TYPES.values(), SETTINGS):
        games = played.filter(type=type_, setting=setting)
        if not games.height:
            continue
        found, p = gap_at_equal_fame(games, half)
        measure = measure_of(games)
        row: dict[str, Any] = {"halves": half, "type": type_, "setting": setting, "p": p}
        row["fame"] = measure
        among = gap_among_known(games, half)
        lost_on = games.drop_nulls(half).filter(~pl.col("knows"))
        row |= among.estimate.columns("known") | {
            "known_p": among.p,
            "known_games": games.drop_nulls(half)["knows"].sum(),
            "unknown_games": lost_on.height,
            "unknown_success": lost_on["won"].mean(),
        }
        row |= found.columns("difference") | {"note": found.note}
        row["at_standing"] = gap_at_equal_standing(games, half).estimate.value
        counted = _fit(_fitted(games, half, "frequency"))
        row |= counted.estimate.columns("at_frequency") | {"at_frequency_p": counted.p}
        row["no_frequency"] = without_figure(games.drop_nulls(half), "frequency")
        for side, name in zip(("first", "second"), HALVES[half], strict=True):
            own = games.filter(pl.col(half) == name)
            known = own.filter(_known(measure))
            unknown = own.filter(~_known(measure).fill_null(value=False))
            row |= {
                f"{side}_countries": known["country"].n_unique(),
                f"{side}_games": known.height,
                f"{side}_no_figure": unknown.height,
                f"{side}_no_figure_success": int(unknown["won"].sum()) / unknown.height
                if unknown.height
                else None,
            }
        rows.append(row)
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = p
    sides = ("first", "second")
    return table_frame(
        rows,
        ("halves", "type", "setting"),
        estimates=["known", "difference", "at_frequency"],
        numbers=(
            *("known_p", "unknown_success", "p", "p_holm", "at_standing", "at_frequency_p"),
            *(f"{side}_no_figure_success" for side in sides),
        ),
        counts=[
            *("known_games", "unknown_games"),
            *(f"{side}_{what}" for side in sides for what in COUNTED),
            "no_frequency",
        ],
        notes=["fame", "note"],
    )


COUNTED = ("countries", "games", "no_figure")


_RULES: dict[Rule, str] = {
    "guess": "a turn wins that proposes the target",
    "mention": "any mention of the target wins (the published rule)",
}


def answers(frame: pl.DataFrame) -> list[Answer]:
    """What other methods say of each gap at equal fame or standing, which comes first."""
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
            question = f"{label(half, type_, setting)}, at equal {EQUAL[type_]}"
            found += [_answer(question, *one) for one in _methods(games, half)]
            found += [
                _answer(question, method, gap_at_equal_fame(own, half))
                for method, other in by_other_rule.items()
                if (own := other.filter(type=type_, setting=setting)).height
            ]
    return found


def label(half: Half, type_: str, setting: str) -> str:
    """A gap in words."""
    first, second = HALVES[half]
    short = " minus ".join(half.removeprefix("Global ") for half in (first, second))
    return f"{short}, {type_}, {setting}"


def _methods(games: pl.DataFrame, half: Half) -> list[tuple[str, Tested]]:
    measure = measure_of(games)
    own, unknown = _fitted(games, half, measure), without_figure(games, measure)
    ranks = mann_whitney(country_means(games), half)
    # Its size is of ranks and has no interval.
    effect = Estimate(ranks.effect, None, None, ranks.n)
    methods = [
        ("countries by what is known of them", gap_at_equal_fame(games, half)),
        ("each game once", _fit(own, weights="rows")),
        ("each country once", _fit(own, weights="clusters")),
    ]
    if games["knows"].is_not_null().any():
        methods.append(("of targets that it knows", gap_among_known(games, half)))
    if measure == "standing" and _most_viewed(games, half):
        methods.append(("at equal fame (page views)", _fit(_fitted(games, half, "page views"))))
    if measure == "page views":
        line = _fitted(games, half, measure, curve=False)
        methods.append(("fame as a straight line (its log alone)", _fit(line)))
        if unknown:
            everyone = _fitted(games, half, measure, "median of the half")
            methods.append(("unknown fame taken as the median of the half", _fit(everyone)))
        if games["standing"].is_not_null().any():
            by_standing = gap_at_equal_standing(games, half)
            methods.append(("at equal standing, games of unknown fame too", by_standing))
    methods.append(("as they are: means over countries", _plain(games, half)))
    if unknown:
        known = _plain(games.filter(_known(measure)), half)
        methods.append((f"the same, of games with known {measure}", known))
    paper = "the paper's Mann–Whitney test: rank-biserial correlation"
    return [*methods, (paper, Tested(effect, ranks.p))]


def _fit(games: Fitted, *, weights: Weights = "alike", most: float = 1) -> Tested:
    if not len(games.won):
        return untested(0, NO_FAME)
    return difference_at_equal(
        games.won, games.second, games.fame, games.countries, weights=weights, most=most
    )


def _plain(games: pl.DataFrame, half: Half) -> Tested:
    return sides_of(country_means(games), half).difference


def _answer(question: str, method: str, found: Tested) -> Answer:
    one = found.estimate
    return Answer(question, method, one.value, one.low, one.high, found.p, one.n, "countries")
