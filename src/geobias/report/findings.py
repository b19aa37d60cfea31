"""From run files to findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from geobias.errors import BadRequest
from geobias.probes.registry import all_probes, record_owner
from geobias.report.checks import checks
from geobias.report.records import Given, labels, reading_of, records_of
from geobias.results.checks import Check
from geobias.results.findings import (
    SCHEMA,
    Country,
    Findings,
    Measure,
    ProbeFindings,
    Run,
)
from geobias.runfile.manifest import sum_known

if TYPE_CHECKING:
    from geobias.runfile import RunReader


def collect(runs: Sequence[RunReader], *, given: Given | None = None) -> Findings:
    """The findings of one or more runs.

    `given` are files that a probe's runs are read with, by the name of the option (`figures`).
    Runs without any probe that is installed are a `BadRequest`.
    """
    from geobias import __version__
    from geobias.atlas.economies import economies

    named = labels(runs)
    facts = [_facts(run, f"run{i}", label) for i, (run, label) in enumerate(named, start=1)]
    checked = {
        fact.id: checks(run, label, fact.id)
        for (run, label), fact in zip(named, facts, strict=True)
    }
    parts = []
    for probe in all_probes().values():
        reading = reading_of(probe, given or {})
        for (run, label), fact in zip(named, facts, strict=True):
            if probe.name in fact.probes:
                answers = probe.answers(records_of(run, probe, label, fact.id), reading)
                parts.append(_with_checks(probe.findings(answers), checked[fact.id]))
    if not parts:
        raise BadRequest(_nothing_to_report(runs))
    measured: dict[str, list[Measure]] = {}
    for part in parts:
        for iso3, found in part.measures.items():
            measured.setdefault(iso3, []).extend(found)
    countries = [
        Country(
            iso3=one.iso3,
            name=one.name,
            region=one.region,
            income=one.income,
            continent=one.continent,
            measures=measured.get(one.iso3, []),
        )
        for one in economies().values()
    ]
    return Findings(
        schema=SCHEMA,
        geobias=__version__,
        models=list(dict.fromkeys(label for _, label in named)),
        runs=facts,
        sections=[part.section for part in parts],
        countries=countries,
        sentences=[sentence for part in parts for sentence in part.sentences],
    )


def _nothing_to_report(runs: Sequence[RunReader]) -> str:
    held = sorted({name for run in runs for name in run.manifest().probes})
    if not runs:
        return "name at least one run to report on"
    names = ", ".join(run.path.name for run in runs)
    known = any(record_owner(name) for name in held)  # questions to a judge alone
    why = "which has no report" if known else "which is not installed"
    return (
        f"{names} holds {', '.join(held) or 'no probe'}, {why}; "
        f"geobias show {runs[0].path} says what is in it"
    )


def _with_checks(part: ProbeFindings, checked: Sequence[Check]) -> ProbeFindings:
    own = [one for one in checked if one.probe == part.section.probe]
    return part._replace(section=msgspec.structs.replace(part.section, checks=own))


def _facts(run: RunReader, id_: str, label: str) -> Run:
    manifest = run.manifest()
    done, spent, sessions = run.done(), run.spent(), run.sessions()
    costs = [manifest.cost(role, one.tokens_in, one.tokens_out) for role, one in spent.items()]
    return Run(
        id=id_,
        file=run.path.name.encode(errors="replace").decode(),
        model=label,
        models=manifest.models,
        answered_as=run.models_answered(),
        probes=manifest.probes,
        editions=manifest.editions,
        prompts=manifest.prompts,
        planned=manifest.planned,
        done=manifest.done(done),
        outcomes=done,
        calls=sum(one.calls for one in spent.values()),
        tokens_in=sum_known(one.tokens_in for one in spent.values()),
        tokens_out=sum_known(one.tokens_out for one in spent.values()),
        cost=sum_known(costs),
        created=manifest.created,
        started=sessions[0].started if sessions else None,
        ended=sessions[-1].ended if sessions else None,
        sessions=len(sessions),
        not_sent=run.not_sent(),
        geobias=manifest.geobias,
    )
