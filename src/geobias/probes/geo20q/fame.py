"""North against South: of targets that the guesser knows, and at equal fame.

**Among people that the guesser knows, is the share of games won lower for those of the South?**
People of the North are about four times as often looked up as those of the South, so that a plain
difference mixes not looking somewhere with not knowing who is there. Every target is asked about
directly (`knowledge`), and success is compared among those that are known: least squares on the
half of the world, with countries as units (`stats.regression.difference_at_equal`). Games about one
country count as somewhat alike, so that a country with ninety of them does not decide for its half.

Beside it stands the gap at equal fame, known or not: people are compared at equal log page views. A
figure that half of one side lacks would leave out its obscure ones: there is then no such gap.
People without the figure are left out and counted, and beside the gap stands the one at equal
standing, which leaves out nobody, and the one at equal frequency in a corpus. Things have no known
page views. They are compared at equal standing, the level of vital article, which is not fame.

Beside these stand those of other methods (`methods`): does the conclusion hold?
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.entities import STANDINGS, Entity, entities
from geobias.errors import BadRequest
from geobias.measures.estimates import NO_RESULT, NOTHING
from geobias.measures.measure import HALVES, Contrast, Contrasted, Planned, by_half
from geobias.probes.geo20q.analyses import mann_whitney, sides_of
from geobias.probes.geo20q.scores import (
    RULES,
    by_setting,
    country_means,
    grouped,
    table_frame,
)
from geobias.results.verdicts import Answer
from geobias.stats.contrasts import Ends
from geobias.stats.estimates import Estimate, Tested, untested
from geobias.stats.regression import (
    LEAST_CHANCE,
    difference_at_equal,
    freedom_at_equal,
    overlap,
    pulls,
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

Known = Literal["page views", "standing", "frequency", "knowledge"]
Unknown = Literal["left out", "median of the half"]
Weights = Literal["alike", "rows", "clusters"]


NOT_ASKED = "whether the model knows its targets was not asked"


def among_known(half: str, type_: str, setting: str) -> Contrast:
    """One half of the world minus the other, of targets that the guesser knows."""
    first, second = (name.removeprefix("Global ") for name in HALVES[half])
    people = type_ == "people"
    question = f"{first} minus {second}, {type_}, {setting}, of targets it knows"
    return by_half(
        half,
        question,
        "Difference of the shares of games won among targets that the model knows when it is asked "
        "directly. Games of one country count as somewhat alike.",
        name=f"{half}_gap_known_{type_}_{setting}",
        short=f"{first}–{second} gap, {type_} it knows",
        between=f"between the {' and the '.join(HALVES[half])} that it knows",
        estimate=partial(gap_among_known, half=half),
        methods=partial(methods, half=half, question=question, known="knowledge")
        if people
        else None,
        planned=partial(planned, half=half, known="knowledge") if people else None,
        which="among people it knows",
        asked={"knowledge": ("ask",)},
    )


def gap_among_known(rows: pl.DataFrame, value: str, most: float, *, half: str) -> Contrasted:
    """The first half's share of games won minus the second's, of targets that the guesser knows
    (in both runs, of changes)."""
    own = rows.drop_nulls(half)
    if "knows_2" in own.columns:
        own = own.with_columns(knows=pl.col("knows") & pl.col("knows_2"))
    played = own.drop_nulls(value)
    if not played["knows"].is_not_null().any():
        why = NOT_ASKED if played.height else NO_RESULT if rows.height else NOTHING
        return Contrasted(untested(0, why))
    unknown = played.filter(~pl.col("knows"))
    counts = ", ".join(
        f"{one.height:,} games of the {name} ({int(one['won'].sum()):,} won)"
        for name in HALVES[half]
        for one in [unknown.filter(pl.col(half) == name)]
    )
    unread = played["knows"].null_count()
    note = f"Not known: {counts}." + (f" Without a readable answer: {unread:,}." if unread else "")
    games = fitted(played, half, "knowledge", value=value)
    found = _fit(games, most=most)
    if not len(games.won):
        found = untested(0, "the model knows none of its targets")
    return Contrasted(
        found,
        _ends(own, half, "knowledge", value, found.estimate.value),
        counted="countries",
        note=note,
        rows=len(games.won),
        missing=own.filter(_has("knowledge"))[value].null_count(),
    )


def at_equal(half: str, type_: str, setting: str) -> Contrast:
    """One half of the world minus the other, people at equal fame and things at equal standing."""
    first, second = (name.removeprefix("Global ") for name in HALVES[half])
    people = type_ == "people"
    question = f"{first} minus {second}, {type_}, {setting}, at equal {EQUAL[type_]}"
    return by_half(
        half,
        question,
        "Games of one country count as somewhat alike; p belongs to the interval.",
        name=f"{half}_gap_equal_{EQUAL[type_]}_{type_}_{setting}",
        short=f"{first}–{second} gap, {type_} at equal {EQUAL[type_]}",
        between=f"between the {' and the '.join(HALVES[half])} at equal {EQUAL[type_]}",
        estimate=partial(gap_at_equal, half=half, known="page views" if people else "standing"),
        methods=partial(methods, half=half, question=question, known="page views")
        if people
        else None,
        planned=partial(planned, half=half, known="page views") if people else None,
        which=f"at equal {EQUAL[type_]}",
    )


def gap_at_equal(
    rows: pl.DataFrame, value: str, most: float, *, half: str, known: Known
) -> Contrasted:
    """The first half's share of games won minus the second's, at equal fame or standing. `n` counts
    countries."""
    own = rows.drop_nulls(half)
    played = own.drop_nulls(value)
    if not played.height:
        return Contrasted(untested(0, NO_RESULT if rows.height else NOTHING))
    found = _gap(played, half, known, value, most)
    unknown = {
        name: played.filter(~_has(known) & (pl.col(half) == name)).height for name in HALVES[half]
    }
    left_out = ", ".join(f"{count:,} games of the {name}" for name, count in unknown.items())
    return Contrasted(
        found,
        _ends(own, half, known, value, found.estimate.value),
        counted="countries",
        note=f"Left out, with {known} unknown: {left_out}." if any(unknown.values()) else "",
        rows=played.filter(_has(known)).height,
        missing=own.filter(_has(known))[value].null_count(),
    )


def _gap(played: pl.DataFrame, half: str, known: Known, value: str, most: float) -> Tested:
    games = fitted(played, half, known, value=value)
    if known == "standing":
        return _cautioned(_fit(games, most=most), _shared_standings(played, half), known)
    if not len(games.won):
        return untested(0, NO_FAME)
    if not _most_viewed(played, half):
        return untested(len(set(games.countries.tolist())), TOO_FEW_FIGURES)
    return _cautioned(_fit(games, most=most), overlap(games.fame[FAME], games.second), "fame")


def _ends(own: pl.DataFrame, half: str, known: Known, value: str, gap: float | None) -> Ends:
    """The gap had all games that broke off been lost, or all been won."""
    if gap is None or value == "moved":
        return Ends(None, None, None, None)
    games = fitted(own, half, known, value=value)
    broken = np.isnan(games.won)
    lost, won = (_fit(games._replace(won=np.where(broken, end, games.won))) for end in (0, 1))
    return Ends.of(lost, won, gap)


class Fitted(NamedTuple):
    """Games of one type and setting as a regression wants them: 1 for the second half."""

    won: Any
    second: Any
    fame: Mapping[str, Any]
    countries: Any


def fitted(
    games: pl.DataFrame,
    half: str,
    known: Known,
    unknown: Unknown = "left out",
    *,
    curve: bool = True,
    value: str = "won",
) -> Fitted:
    """The games of either half whose fame is known."""
    own = games.drop_nulls(half)
    if unknown == "median of the half":
        views = pl.col("views")
        median = views.filter(views > 0).median().over(half)
        own = own.with_columns(views=pl.when(views > 0).then(views).otherwise(median))
    own = own.filter(_has(known))
    second = (own[half] == HALVES[half][1]).cast(float).to_numpy()
    won = own[value].cast(pl.Float64).fill_null(np.nan).to_numpy()
    fame: dict[str, Any] = {}
    if known == "standing":
        fame = standing_covariates(own["standing"].to_numpy())
    elif known != "knowledge":
        column = "views" if known == "page views" else "frequency"
        fame = views_covariates(own[column].to_numpy(), curve)
    return Fitted(won, second, fame, own["country"].to_numpy())


def _has(known: Known) -> pl.Expr:
    has = {
        "page views": pl.col("views") > 0,
        "frequency": pl.col("frequency") > 0,
        "standing": pl.col("standing").is_not_null(),
        "knowledge": pl.col("knows"),
    }
    return has[known].fill_null(value=False)


def _most_viewed(games: pl.DataFrame, half: str) -> bool:
    sides = [games["views"].filter(games[half] == name) for name in HALVES[half]]
    return all((side > 0).sum() >= MOST * len(side) for side in sides)


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


def _cautioned(gap: Tested, shared: float | None, figure: str) -> Tested:
    """The gap with a caution where the halves hardly overlap."""
    if gap.estimate.value is None or shared is None or shared >= LEAST_OVERLAP:
        return gap
    says = f"only {shared:.0%} of the games have a {figure} that both halves have"
    caution = "; ".join(one for one in (gap.estimate.caution, says) if one)
    return Tested(msgspec.structs.replace(gap.estimate, caution=caution), gap.p)


def _shared_standings(games: pl.DataFrame, half: str) -> float | None:
    """The share of games in standings of which either half has a tenth."""
    own = games.drop_nulls([half, "standing"])
    second = (pl.col(half) == HALVES[half][1]).mean().over("standing")
    share: float | None = own.select(
        second.is_between(LEAST_CHANCE, 1 - LEAST_CHANCE).mean()
    ).item()
    return share


def _fit(games: Fitted, *, weights: Weights = "alike", most: float = 1) -> Tested:
    if not len(games.won):
        return untested(0, NO_FAME)
    return difference_at_equal(
        games.won, games.second, games.fame, games.countries, weights=weights, most=most
    )


# Other methods, and plans -------------------------------------------------------------------------

_RULES = {
    "guess": "a turn wins that proposes the target",
    "mention": "any mention of the target wins (the published rule)",
}


def methods(rows: pl.DataFrame, *, half: str, question: str, known: Known) -> Iterator[Answer]:
    """What other methods say of the gap of people, which comes first: among those that are known,
    or at equal fame."""
    played = rows.drop_nulls(["won", half])
    if known == "knowledge":
        games = fitted(played, half, known)
        yield _answer(question, "countries by what is known of them", _fit(games))
        yield _answer(question, "each game once", _fit(games, weights="rows"))
        yield _answer(question, "each country once", _fit(games, weights="clusters"))
        means = _plain(played.filter(_has(known)), half)
        yield _answer(question, "means over countries, of targets it knows", means)
        at_fame = _gap(played, half, "page views", "won", 1)
        yield _answer(question, "at equal fame, known or not", at_fame)
        yield _answer(question, "as they are: means over countries", _plain(played, half))
        return
    for method, found in _methods(played, half):
        yield _answer(question, method, found)
    for rule in RULES:
        own = rows.with_columns(won=pl.col(f"won_{rule}"))
        if not own["won"].equals(rows["won"]):
            played = own.drop_nulls(["won", half])
            yield _answer(question, _RULES[rule], _gap(played, half, "page views", "won", 1))


def _methods(games: pl.DataFrame, half: str) -> Iterator[tuple[str, Tested]]:
    own = games.drop_nulls(half)
    famed = fitted(own, half, "page views")
    yield "countries by what is known of them", _gap(own, half, "page views", "won", 1)
    yield "each game once", _fit(famed, weights="rows")
    yield "each country once", _fit(famed, weights="clusters")
    line = fitted(own, half, "page views", curve=False)
    yield "fame as a straight line (its log alone)", _fit(line)
    unknown = own.filter(~_has("page views")).height
    if unknown:
        everyone = fitted(own, half, "page views", "median of the half")
        yield "unknown fame taken as the median of the half", _fit(everyone)
    if games["standing"].is_not_null().any():
        by_standing = _gap(own, half, "standing", "won", 1)
        yield "at equal standing, games of unknown fame too", by_standing
    yield "as they are: means over countries", _plain(games, half)
    if unknown:
        named = "the same, of games with known page views"
        yield named, _plain(games.filter(_has("page views")), half)
    ranks = mann_whitney(country_means(games), half)
    effect = Estimate(ranks.effect, None, None, ranks.n)  # of ranks, and without an interval
    yield "the paper's Mann–Whitney test: rank-biserial correlation", Tested(effect, ranks.p)


def _plain(games: pl.DataFrame, half: str) -> Tested:
    return sides_of(country_means(games), half).difference


def _answer(question: str, method: str, found: Tested) -> Answer:
    one = found.estimate
    return Answer(question, method, one.value, one.low, one.high, found.p, one.n, "countries")


LEAST = 3
"""Countries of a half without which there is no test."""


def planned(
    asked: Collection[tuple[str, str]],
    between: float,
    within: float,
    *,
    half: str,
    known: Known = "page views",
) -> Planned:
    """The people of a plan, at equal fame those whose fame is known, and by what the variance of
    the gap is larger than that of plain country means. Either is a weighted sum of games, whose
    variance is that of its weights."""
    table = entities()
    people = [table[id_] for id_, _ in asked if id_ in table]
    sides = [[one for one in people if _half(one, half) == name] for name in HALVES[half]]
    famed = [[one for one in side if one.views or known == "knowledge"] for side in sides]
    views = "" if known == "knowledge" else " whose page views are known,"
    for side, own in zip(sides, famed, strict=True):
        if len({one.country for one in own}) < LEAST or len(own) < MOST * len(side):
            raise BadRequest(
                f"planning needs games about people{views} from {LEAST} countries of the North and "
                "of the South: try --size standard"
            )
    games = [one for side in famed for one in side]
    _, country = np.unique([one.country for one in games], return_inverse=True)
    second = np.array([_half(one, half) == HALVES[half][1] for one in games], dtype=float)
    fame: dict[str, Any] = {}
    if known != "knowledge":
        fame = views_covariates(np.array([one.views or 1.0 for one in games]))

    def variance(weights: Any) -> float:
        scale = float(weights @ second)
        shared = np.bincount(country, weights) / scale
        return float(between**2 * (shared @ shared) + within**2 * (weights @ weights) / scale**2)

    once = 1 / np.bincount(country)[country]
    plain = once * (second - float(once @ second) / once.sum())
    inflation = variance(pulls(second, fame, country)) / variance(plain)
    pairs = [(one.id, one.country) for one in games]
    return Planned(pairs, inflation, freedom_at_equal(second, fame, country))


def _half(entity: Entity, half: str) -> str | None:
    return getattr(economies().get(entity.country), half, None)


# A table of every gap -----------------------------------------------------------------------------


def equal_fame(games: pl.DataFrame) -> pl.DataFrame:
    """The gap among targets that the guesser knows; and, known or not, of people at equal fame and
    of things at equal standing, for each pair of halves and each setting.

    known        first minus second half of targets that are known; known_games are in it
    unknown_games  those of targets that are not known; unknown_success is the share of them won
    difference   first minus second half, with its interval; p as it is
    at_standing  the difference at equal standing, which leaves out none of our entities
    at_frequency the difference at equal frequency in a corpus (`--frequency`); no_frequency counts
                 the games left out
    games        in the regression
    no_figure    games of either half left out because their fame is unknown, and how many of them
                 were won
    note         why a number is missing, or its interval may be too narrow
    """
    rows: list[dict[str, Any]] = []
    row: dict[str, Any]
    for half in HALVES:
        for group, part in grouped(by_setting(games).drop_nulls("won")):
            known: Known = "page views" if group["type"] == "people" else "standing"
            own = part.drop_nulls(half)
            found = _gap(own, half, known, "won", 1)
            row = group | {"halves": half, "fame": known, "p": found.p}
            row |= found.estimate.columns("difference") | {"note": found.estimate.note}
            row["at_standing"] = _gap(own, half, "standing", "won", 1).estimate.value
            among = gap_among_known(own, "won", 1, half=half).found
            lost_on = own.filter(~pl.col("knows"))
            row |= among.estimate.columns("known") | {"known_p": among.p}
            row |= {"known_games": int(own["knows"].sum()), "unknown_games": lost_on.height}
            row["unknown_success"] = lost_on["won"].mean()
            counted = _fit(fitted(own, half, "frequency"))
            row |= counted.estimate.columns("at_frequency") | {"at_frequency_p": counted.p}
            row["no_frequency"] = own.filter(~_has("frequency")).height
            row["games"] = own.filter(_has(known)).height
            for side, name in zip(("first", "second"), HALVES[half], strict=True):
                unknown = own.filter(~_has(known) & (pl.col(half) == name))
                row[f"{side}_no_figure"] = unknown.height
                row[f"{side}_no_figure_won"] = int(unknown["won"].sum())
            rows.append(row)
    return table_frame(
        rows,
        ("halves", "type", "setting", "fame"),
        estimates=["known", "difference", "at_frequency"],
        numbers=("known_p", "unknown_success", "p", "at_standing", "at_frequency_p"),
        counts=(
            *("known_games", "unknown_games", "games", "no_frequency"),
            *(f"{side}_no_figure{won}" for side in ("first", "second") for won in ("", "_won")),
        ),
        notes=["note"],
    )
