"""What an audit would cost and could show, for each model and probe, with nothing asked."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

import click

from geobias.api.config import AuditConfig
from geobias.cli.forecast import aim_of, cost_of, gap_text, in_batches
from geobias.cli.options import print_json
from geobias.errors import BadRequest
from geobias.probes.plan import Plan
from geobias.probes.registry import find_probe
from geobias.stats import planning

POWER = 0.8
_COUNTS = ("calls", "tokens_in", "tokens_out")


def print_forecast(config: AuditConfig, as_json: bool) -> None:
    """The forecast of an audit, and the file that would run it."""
    from geobias.api.config import write_beside

    config.check_asks()
    where = write_beside(config, "Written by `geobias audit --dry-run`; run it with --config.")
    print_plan(config, POWER, as_json)
    click.echo(f"Nothing was asked. To run it:\n  geobias audit --config {where}", err=as_json)


def print_plan(config: AuditConfig, power: float, as_json: bool) -> None:
    forecast = forecast_of(config, power)
    if as_json:
        print_json(forecast)
        return
    for line in _lines(forecast):
        click.echo(line)


def forecast_of(config: AuditConfig, power: float) -> dict[str, Any]:
    """Rows by model and probe. `probes` and `total` are those of the first model."""
    plans = config.plans()
    sights = {plan.probe: _sight(plan, power) for plan in plans}
    names = [one.name for one in config.models] or [""]
    models: list[dict[str, Any]] = []
    for name in dict.fromkeys(names):
        options = config.options_of(name)
        rows: list[dict[str, Any]] = [
            cost_of(plan, name, options.prices, batch=options.batch)
            | sights[plan.probe]
            | {"probe": plan.probe}
            for plan in plans
        ]
        models.append({"model": name, "batch": options.batch, "probes": rows, "total": _sum(rows)})
    first, together = models[0], _sum([one["total"] for one in models], at_once=True)
    return {
        "probes": first["probes"],
        "total": first["total"],
        "power": power,
        "models": models,
        "all": together,
        "beyond": _beyond(config, together),
    }


def _beyond(config: AuditConfig, total: dict[str, Any]) -> str | None:
    """The limit that such an audit would reach, in words."""
    limits = config.options_of()
    tokens = total["tokens_in"] + total["tokens_out"]
    if limits.max_calls is not None and total["calls"] > limits.max_calls:
        return f"max-calls {limits.max_calls:,}"
    if limits.max_tokens is not None and tokens > limits.max_tokens:
        return f"max-tokens {limits.max_tokens:,}"
    if limits.max_cost is not None and (total["usd"] or 0.0) > limits.max_cost:
        return f"max-cost {limits.max_cost:g}"
    return None


def _sight(plan: Plan, power: float) -> dict[str, Any]:
    """The smallest gap that the plan sees, whatever the model."""
    try:
        aim = aim_of(find_probe(plan.probe), plan, None)
    except BadRequest as why:
        return {"smallest_gap": None, "says": f"no test: {why}"}
    gap = planning.smallest_gap(aim.design, wanted=power, most=aim.most_gap)
    seen = f"not even {aim.most_gap:g}" if gap is None else gap_text(gap)
    return {"smallest_gap": gap, "says": f"{seen} {aim.gap}", "assumptions": aim.assumptions}


def _sum(rows: list[dict[str, Any]], *, at_once: bool = False) -> dict[str, Any]:
    """All together; no money where that of one is not known. Models are asked at once."""
    bill, times = [row["usd"] for row in rows], [row["seconds"] for row in rows]
    known = [one for one in times if one is not None]
    seconds = None if len(known) < len(times) else max(known) if at_once else sum(known)
    total: dict[str, Any] = {name: sum(row[name] for row in rows) for name in _COUNTS}
    total |= {"usd": None if None in bill else sum(bill), "seconds": seconds}
    if rounds := [row["rounds"] for row in rows if "rounds" in row]:
        total["rounds"] = max(rounds)  # all probes and models share them
    return total


def _lines(forecast: dict[str, Any]) -> Iterator[str]:
    """A table that fits 80 columns, and what each probe sees below it."""
    heads = ("calls", "tokens in", "tokens out", "US$")
    models = forecast["models"]
    yield f"{'':<12}" + "".join(f"{head:>13}" for head in heads)
    for one in models:
        if one["model"]:
            yield f"{one['model']}, {in_batches(one['model'])}" if one["batch"] else one["model"]
        for row in [*one["probes"], {"probe": "together"} | one["total"]]:
            yield _row(row)
    if len(models) > 1:
        yield _row({"probe": "all models"} | forecast["all"])
    unpriced = [one["model"] for one in models if one["total"]["usd"] is None]
    if unpriced:
        yield (
            f"no price is known for {unpriced[0]}: --prices FILE gives one"
            if unpriced[0]
            else "--model NAME says what it would cost"
        )
    yield _time(forecast["all"])
    if forecast["beyond"]:
        yield f"beyond --{forecast['beyond']}: the audit would stop before its end"
    yield ""
    yield f"The smallest gap that is seen {forecast['power']:.0%} of the time:"
    for row in forecast["probes"]:
        yield from wrap(
            f"{row['probe']:<12}{row['says']}", 79, initial_indent="  ", subsequent_indent=" " * 14
        )
    yield "What this assumes: geobias plan PROBE --power 0.8"


def _row(row: dict[str, Any]) -> str:
    usd = "" if row["usd"] is None else f"{row['usd']:,.2f}"
    counts = [f"{row[name]:,}" for name in _COUNTS]
    return f"{row['probe']:<12}" + "".join(f"{cell:>13}" for cell in [*counts, usd])


def _time(total: dict[str, Any]) -> str:
    if total["seconds"] is None:
        rounds = total["rounds"]
        words = f"about {rounds:,} rounds" if rounds > 1 else "one round"
        return f"time: {words} of batches, within a day each"
    minutes = max(1, round(total["seconds"] / 60))
    return f"time: about {minutes:,} minute{'s' if minutes > 1 else ''}"
