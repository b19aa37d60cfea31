"""The preregistration of an audit: what it will test, written before anything is asked.

A test that is chosen after seeing the answers can find gaps that do not exist. So this page fixes
the questions, the numbers that answer them, the family of tests and the rule for every verdict.
Anybody can compare the report with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from geobias.api.config import AuditConfig
from geobias.cli.forecast import Forecast
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.registry import find_probe
from geobias.results.formatting import number, settings_text
from geobias.stats.estimates import LEVEL
from geobias.version import __version__

RULES = """\
## When a gap counts as found

- **Gap found**: the p-value of the primary test, adjusted over the primary tests of the audit
  (Holm), is under {level}, and so are those of three checks:
  1. with all missing answers (declined, unread, empty) as good as possible, and with all as bad as
     possible; the sign must stay the same;
  2. with subregions as units, if neighbouring countries are alike (Moran's p under {level});
  3. for WorldBench, with the nearest figure of any year or edition as the truth; this gap must be
     at least the smallest gap of interest X too.
- **No gap larger than X**: the whole 95% interval lies within the smallest gap of interest X, and
  so do the intervals of checks 1 and 2.
- **Depends on what it declined**: all conditions of one of the two hold, except check 1.
- **Open**: none of these.
- **Could not be tested**: too few answers, or a screen failed.

Everything else in the report is secondary: it describes, and proves nothing by itself. A title over
several models counts gaps after Holm's adjustment over the primary tests of all models.
"""


def preregistration(config: AuditConfig, forecast: Forecast) -> str:
    return "\n".join(_lines(config, forecast)) + "\n"


def _lines(config: AuditConfig, forecast: Forecast) -> Iterator[str]:
    plans = config.plans()
    sights = {part.probe: part.sight.words for part in forecast.models[0].probes}
    yield "# What this audit will test"
    yield ""
    roles = "".join(f"; {role}: {model}" for role, model in config.roles.items())
    yield f"geobias {__version__}; models: {', '.join(config.names)}{roles}."
    yield ""
    yield "## Primary tests"
    yield ""
    yield (
        f"Tests, one for each part: {len(plans)}. They are one family: p-values are adjusted over "
        f"them (Holm), and {LEVEL:g} is the level of the family. A part that could not be tested "
        "does not count as a test."
    )
    for plan in plans:
        yield ""
        yield from _part(plan, sights[plan.probe], forecast.power)
    yield ""
    yield RULES.format(level=f"{LEVEL:g}").rstrip()


def _part(plan: Plan, sight: str, power: float) -> Iterator[str]:
    probe = find_probe(plan.probe)
    interest = derived.scale(probe) * plan.settings["smallest_gap"]
    yield f"### {probe.title}"
    yield ""
    yield f"- Question: {derived.primary_question(probe)}"
    yield f"- Number: `{derived.primary_metric(probe)}`"
    yield f"- Method: {derived.methods(probe)}"
    yield f"- Asked: {plan.planned[probe.name]:,} {probe.showing.counted}"
    yield f"- Smallest gap of interest: {number(interest, 2)}"
    yield f"- Smallest gap that is seen {power:.0%} of the time: {sight}"
    editions = ", ".join(f"{name} {digest}" for name, digest in sorted(plan.editions.items()))
    yield f"- Data: {editions or 'none'}"
    settings = {name: one for name, one in plan.settings.items() if one not in (None, "", [])}
    yield f"- Settings: {settings_text(settings)}"
