"""From run files to findings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from geobias.errors import BadRequest
from geobias.probes.registry import all_probes, record_owner
from geobias.report.checks import run_checks
from geobias.report.records import (
    Given,
    labelled,
    probes_of,
    reading_of,
    records_of,
    settings_of,
    spending,
)
from geobias.results.findings import SCHEMA, Country, Findings, Measure, ProbeFindings, Run

if TYPE_CHECKING:
    from geobias.runfile import RunReader

_OF_ECONOMY = ("iso3", "name", "region", "income", "continent")


def collect(
    runs: Sequence[RunReader],
    *,
    given: Given | None = None,
    probes: Collection[str] = (),
    brief: bool = False,
) -> Findings:
    """The findings of one or more runs, of these probes alone where some are named.

    `given` are files that a probe's runs are read with, by the name of the option (`figures`).
    Where it is `brief`, there is only what the end of a run and a gate need (`Probe.in_brief`).
    Runs without any probe that is installed are a `BadRequest`.
    """
    from geobias import __version__
    from geobias.atlas.economies import economies

    need_probes(runs)
    facts = [
        (run, _run_facts(run, f"run{i}", label))
        for i, (run, label) in enumerate(labelled(runs), start=1)
    ]
    checked = {fact.id: run_checks(run, fact.model, fact.id) for run, fact in facts}
    parts: list[ProbeFindings] = []
    together: list[ProbeFindings] = []
    for probe in all_probes().values():
        if probes and probe.name not in probes:
            continue
        reading = reading_of(probe, given or {})
        every, first = [], len(parts)
        for run, fact in facts:
            if probe.name in fact.probes:
                answers = probe.answers(records_of(run, probe, fact.model, fact.id), reading)
                every.append(answers)
                part = probe.in_brief(answers) if brief else probe.findings(answers)
                own_checks = [check for check in checked[fact.id] if check.probe == probe.name]
                section = msgspec.structs.replace(part.section, checks=own_checks)
                parts.append(part._replace(section=section))
        sections = [part.section for part in parts[first:]]
        if (
            len(every) > 1
            and not brief
            and (pooled := probe.over_models(every, sections)) is not None
        ):
            together.append(pooled)
    measures: dict[str, list[Measure]] = {}
    for part in parts:
        for iso3, own in part.measures.items():
            measures.setdefault(iso3, []).extend(own)
    return Findings(
        schema=SCHEMA,
        geobias=__version__,
        models=list(dict.fromkeys(fact.model for _, fact in facts)),
        runs=[fact for _, fact in facts],
        sections=[part.section for part in parts],
        countries=[
            Country(
                **{name: getattr(economy, name) for name in _OF_ECONOMY},
                measures=measures.get(iso3, []),
            )
            for iso3, economy in economies().items()
        ],
        sentences=[sentence for part in (*parts, *together) for sentence in part.sentences],
        over_models=[part.section for part in together],
    )


def need_probes(runs: Sequence[RunReader]) -> None:
    """Refuse runs of which there is nothing to report, and say why."""
    if not runs:
        raise BadRequest("name at least one run to report on")
    if any(map(probes_of, runs)):
        return
    probes = sorted({name for run in runs for name in run.manifest().probes})
    names = ", ".join(run.path.name for run in runs)
    known = any(record_owner(name) for name in probes)  # questions to a judge alone
    why = "which has no report" if known else "which is not installed"
    raise BadRequest(
        f"{names} holds {', '.join(probes) or 'no probe'}, {why}; "
        f"geobias show {runs[0].path} says what is in it"
    )


def _run_facts(run: RunReader, id_: str, label: str) -> Run:
    manifest, done, sessions = run.manifest(), run.done(), run.sessions()
    return Run(
        id=id_,
        file=run.path.name.encode(errors="replace").decode(),
        model=label,
        models=manifest.models,
        answered_as=run.models_answered(),
        probes=settings_of(manifest),
        editions=manifest.editions,
        prompts=manifest.prompts,
        planned=manifest.planned,
        done=manifest.done(done),
        outcomes=done,
        **spending(run),
        created=manifest.created,
        started=sessions[0].started if sessions else None,
        ended=sessions[-1].ended if sessions else None,
        sessions=len(sessions),
        not_sent=run.not_sent(),
        elsewhere=manifest.elsewhere.in_words() if manifest.elsewhere else "",
        geobias=manifest.geobias,
    )
