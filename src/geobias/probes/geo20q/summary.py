"""What a person wants to see first: who was found, how well the judge did, what sharing saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from geobias.probes.geo20q.trials import naive_calls
from geobias.stats.bootstrap import mean_over_units
from geobias.stats.rates import Estimate, rate

if TYPE_CHECKING:
    import polars as pl

Games = Sequence[Mapping[str, Any]]
TYPES = {"person": "people", "thing": "things"}
ENDED = ("won", "lost", "gave_up")


def success_table(games: Games) -> pl.DataFrame:
    """Share of games won, mean turns of won games, and what became of the others.

    A row per setting, type and half of the world. Entities of one country are alike, so the
    interval resamples countries and `n` counts games; broken games are in no share.
    """
    import polars as pl

    from geobias.atlas.economies import economies

    rows = []
    for setting in ("canonical", "unlimited"):
        for type_, called in TYPES.items():
            for half in ("", "Global North", "Global South"):
                here = [
                    g
                    for g in games
                    if g["type"] == type_
                    and g[setting]
                    and half in ("", economies()[g["country"]].north_south)
                ]
                if here:
                    rows.append(_row(setting, called, half or "all", here))
    return pl.DataFrame(rows, schema_overrides={"won": pl.Float64, "turns": pl.String})


def _row(setting: str, called: str, group: str, games: Games) -> dict[str, Any]:
    ended = [g for g in games if g[setting] in ENDED]
    won = [g for g in ended if g[setting] == "won"]
    share = _share([(g["country"], g[setting] == "won") for g in ended])
    turns = [g[f"{setting}_turns"] for g in won]
    return {
        "games": f"{setting}, {called}" if group == "all" else f"  {group}",
        "n": len(ended),
        "won": share.value,
        "won_low": share.low,
        "won_high": share.high,
        "turns": f"{sum(turns) / len(turns):.1f}" if turns else None,
        "gave_up": sum(g[setting] == "gave_up" for g in ended),
    }


def _share(games: Sequence[tuple[str, bool]]) -> Estimate:
    """The mean over countries of the share won.

    Where all or none are won there is no spread to resample; then as many countries without a win
    (or a loss) speak for themselves.
    """
    won = sum(one for _, one in games)
    countries = len({country for country, _ in games})
    if won in (0, len(games)):
        return rate(countries if won else 0, countries)
    values, units = [float(one) for _, one in games], [country for country, _ in games]
    return mean_over_units(values, units, bounds=(0.0, 1.0))


def sentences(games: Games, made: int) -> list[str]:
    """The judge's health, what was broken, and the calls made beside the naive protocol's.

    `made` is the number of calls of the run to guesser and judge.
    """
    countries = len({game["country"] for game in games})
    lines = [
        f"n counts games, of {countries:,} countries in all; intervals resample countries; turns "
        "are the mean of won games.",
        *_judge(games),
    ]
    broken = [g for g in games if "broken" in (g["canonical"], g["unlimited"])]
    if broken:
        lines.append(f"{len(broken):,} of {len(games):,} games broke off without usable text.")
    naive = [naive_calls(game) for game in games]
    full, unchecked = sum(n for n, _ in naive), sum(n for _, n in naive)
    if full:
        lines.append(
            f"The naive protocol takes {full:,} calls for these games ({unchecked:,} without its "
            f"give-up checks); {made:,} were made, {1 - made / full:.0%} fewer."
        )
    return lines


def _judge(games: Games) -> list[str]:
    total = {
        key: sum(g[key] for g in games)
        for key in ("yes", "no", "maybe", "unread", "leaks", "rambles", "refusals")
    }
    answers = sum(total[key] for key in ("yes", "no", "maybe", "unread"))
    if not answers:
        return ["The judge was never asked."]
    faults = [
        f"{total[key]:,} {said}"
        for key, said in (
            ("rambles", "with other words"),
            ("unread", "no answer"),
            ("refusals", "of these refusals"),
            ("leaks", "with the name"),
        )
        if total[key]
    ]
    shares = ", ".join(f"{total[key] / answers:.0%} {key}" for key in ("yes", "no", "maybe"))
    return [f"The judge answered {answers:,} questions: {shares}; {', '.join(faults) or 'plain'}."]
