"""The preregistration of an audit: what it will test, written before anything is asked.

A test that is chosen after seeing the answers can find gaps that do not exist. So this page fixes
the questions, the numbers that answer them, the family of tests and the rule for every verdict.
Anybody can compare the report with it. `preregistration.md` is its template.
"""

from __future__ import annotations

from pathlib import Path

from jinja2 import StrictUndefined, Template

from geobias.api.config import AuditConfig
from geobias.cli.forecast import Forecast
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.registry import find_probe
from geobias.results.formatting import number, settings_text
from geobias.stats.estimates import LEVEL
from geobias.version import __version__


def preregistration(config: AuditConfig, forecast: Forecast) -> str:
    sights = {part.probe: part.sight.words for part in forecast.models[0].probes}
    template = Path(__file__).with_name("preregistration.md").read_text("utf-8")
    page: str = Template(
        template, trim_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    ).render(
        version=__version__,
        models=config.names,
        roles=config.roles,
        parts=[_part(plan) | {"sight": sights[plan.probe]} for plan in config.plans()],
        power=f"{forecast.power:.0%}",
        level=f"{LEVEL:g}",
    )
    return page


def _part(plan: Plan) -> dict[str, object]:
    probe = find_probe(plan.probe)
    settings = {name: one for name, one in plan.settings.items() if one not in (None, "", [])}
    return {
        "probe": probe,
        "question": derived.primary_question(probe),
        "metric": derived.primary_metric(probe),
        "method": derived.methods(probe),
        "asked": f"{plan.planned[probe.name]:,}",
        "interest": number(derived.scale(probe) * plan.settings["smallest_gap"], 2),
        "data": ", ".join(f"{name} {digest}" for name, digest in sorted(plan.editions.items())),
        "settings": settings_text(settings),
    }
