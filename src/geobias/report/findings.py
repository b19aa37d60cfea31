"""Collect the findings from run files."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.checks import run_checks
from geobias.report.records import (
    Given,
    holds_address,
    labelled,
    probes_of,
    reading_of,
    records_of,
    short_name,
    spending,
)
from geobias.report.verdicts import in_a_sentence, verdict_of
from geobias.results.findings import (
    SCHEMA,
    Country,
    CountryNumber,
    Findings,
    ProbeFindings,
    Run,
)
from geobias.results.tables import adjusted_over_audit
from geobias.runfile import RunReader
from geobias.version import __version__

_OF_ECONOMY = ("iso3", "name", "region", "income", "continent")


def collect(
    runs: Sequence[RunReader],
    *,
    given: Given | None = None,
    probes: Collection[str] = (),
    brief: bool = False,
) -> Findings:
    """Collect the findings of one or more runs, for all probes or only for `probes`.

    `given` maps an option's name (`figures`) to a file that a probe needs to read its runs. If
    `brief`, only what the end of a run and a gate need is computed (`derived.findings_of`). Raises
    `BadRequest` if no probe of the runs is installed.
    """
    need_probes(runs)
    facts = [
        (run, _run_facts(run, f"run{i}", label))
        for i, (run, label) in enumerate(labelled(runs), start=1)
    ]
    parts: list[ProbeFindings] = []
    together: list[ProbeFindings] = []
    for probe in all_probes().values():
        if probes and probe.name not in probes:
            continue
        reading = reading_of(probe, given or {})
        every, first = [], len(parts)
        for run, fact in facts:
            if probe.name in fact.probes:
                records = records_of(run, probe, fact.model, fact.id, given)
                answers = derived.answers_of(probe, records, reading)
                every.append(answers)
                part = derived.findings_of(probe, answers, brief=brief)
                checks = run_checks(run, probe.showing.checks)
                section = msgspec.structs.replace(part.section, checks=checks)
                parts.append(part._replace(section=section))
        sections = [part.section for part in parts[first:]]
        pooled = (
            derived.over_models(probe, every, sections) if len(every) > 1 and not brief else None
        )
        together += [pooled] if pooled else []
    models = list(dict.fromkeys(fact.model for _, fact in facts))
    audited = {
        (section.probe, section.model, section.run): section
        for model in models
        for section in adjusted_over_audit(
            [part.section for part in parts if part.section.model == model]
        )
    }
    measures: dict[str, list[CountryNumber]] = {}
    for part in parts:
        for iso3, own in part.measures.items():
            measures.setdefault(iso3, []).extend(own)
    findings = Findings(
        schema=SCHEMA,
        geobias=__version__,
        models=models,
        runs=[fact for _, fact in facts],
        sections=[audited[one.section.probe, one.section.model, one.section.run] for one in parts],
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
    told = [
        msgspec.structs.replace(one, verdict=in_a_sentence(verdict_of(findings, one)))
        for one in findings.sections
    ]
    return msgspec.structs.replace(findings, sections=told)


def need_probes(runs: Sequence[RunReader]) -> None:
    if not runs:
        raise BadRequest("name at least one run to report on")
    if any(map(probes_of, runs)):
        return
    probes = sorted({name for run in runs for name in run.manifest().probes})
    names = ", ".join(run.path.name for run in runs)
    raise BadRequest(
        f"{names} holds {', '.join(probes) or 'no probe'}, which is not installed; geobias show "
        f"{runs[0].path} lists what it holds"
    )


def _run_facts(run: RunReader, id_: str, label: str) -> Run:
    """The facts of a run, without the addresses of its models: reports are published."""
    manifest, done, sessions = run.manifest(), run.done(), run.sessions()
    file = run.path.name.encode(errors="replace").decode()
    return Run(
        id=id_,
        file=id_ if holds_address(file, manifest.models) else file,
        model=label,
        models={role: short_name(name) for role, name in manifest.models.items()},
        answered_as=run.models_answered(),
        probes=manifest.probes,
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
