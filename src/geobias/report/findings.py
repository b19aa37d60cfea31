"""From run files to findings.

Models under names that fit a heading, a column and a panel.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import compress
from typing import Any

import msgspec

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.probes import derived
from geobias.probes.registry import all_probes, record_owner
from geobias.report.checks import run_checks
from geobias.report.records import (
    Given,
    is_simulated,
    labelled,
    probes_of,
    reading_of,
    records_of,
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
    Section,
    Table,
)
from geobias.results.formatting import one_line
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
    """The findings of one or more runs, of these probes alone where some are named.

    `given` are files that a probe's runs are read with, by the name of the option (`figures`).
    Where it is `brief`, there is only what the end of a run and a gate need (`Probe.in_brief`).
    Runs without any probe that is installed are a `BadRequest`.
    """
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
        every, first, real = [], len(parts), []
        for run, fact in facts:
            if probe.name in fact.probes:
                records = records_of(run, probe, fact.model, fact.id, given)
                answers = derived.answers_of(probe, records, reading)
                every.append(answers)
                real.append(not is_simulated(fact))
                part = derived.findings_of(probe, answers, brief=brief)
                own_checks = [check for check in checked[fact.id] if check.probe == probe.name]
                section = msgspec.structs.replace(part.section, checks=own_checks)
                parts.append(part._replace(section=section))
        # Simulated models say nothing about real ones: they are pooled among themselves alone.
        alike = [own == any(real) for own in real]
        every = list(compress(every, alike))
        sections = [part.section for part in compress(parts[first:], alike)]
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


MOST_LETTERS = 60
"""Of a model's name anywhere on a page or in a table."""
_PLACE = re.compile(r"[/:\\]")
_FILE = re.compile(r"(.+?)\.gguf(?:#\w+)?")
"""Of the last part of a path alone: searched for from every letter, long names take minutes."""
_QUANTIZED = re.compile(r"[-._](?:i?q\d\w*|bf16|f(?:p)?(?:16|32))$", re.I)
"""How a file's weights are rounded, which the report's runs tell."""
_ADDRESS = re.compile(r"(?:completions:)?https?://\S*/([^/\s]+)/?")
_RUN = re.compile(r" \((?:[^()]+\.geobias|run \d+)\)$")
"""What a second run of the same model adds to its name."""


def with_short_names(findings: Findings) -> Findings:
    """The findings with models named by the last part of an address, or by a file's name.

    Where two models would get one name, they keep their whole ones; where those are cut to the
    same letters, they are numbered. Names stay different in any case.
    """
    short = short_names(findings.models)

    def renamed(struct: Any, **changes: Any) -> Any:
        name = short.get(struct.model, struct.model)
        return msgspec.structs.replace(struct, model=name, **changes)

    def renamed_rows(table: Table) -> Table:
        if not any(column.name == "model" for column in table.columns):
            return table
        rows = [row | {"model": short.get(str(row["model"]), row["model"])} for row in table.rows]
        return msgspec.structs.replace(table, rows=rows)

    def renamed_section(one: Section) -> Any:
        return renamed(
            one, tables={name: renamed_rows(table) for name, table in one.tables.items()}
        )

    return msgspec.structs.replace(
        findings,
        models=[short[label] for label in findings.models],
        runs=[renamed(run) for run in findings.runs],
        sections=list(map(renamed_section, findings.sections)),
        over_models=list(map(renamed_section, findings.over_models)),
        countries=[
            msgspec.structs.replace(one, measures=[renamed(measure) for measure in one.measures])
            for one in findings.countries
        ],
        sentences=[renamed(sentence) for sentence in findings.sentences],
    )


def short_names(labels: list[str]) -> dict[str, str]:
    wanted = {label: _last_part(label) for label in labels}
    counts = Counter(wanted.values())
    names: dict[str, str] = {}
    for label in labels:
        name = one_line(wanted[label] if counts[wanted[label]] == 1 else label)
        name = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
        names[label] = name if name not in names.values() else f"{name} ({len(names) + 1})"
    return names


def short_name(label: str) -> str:
    """One model's name by itself."""
    return short_names([label])[label]


def _last_part(label: str) -> str:
    run = _RUN.search(label)
    name, ending = (label[: run.start()], run[0]) if run else (label, "")
    if file := _FILE.match(_PLACE.split(name)[-1]):
        return _QUANTIZED.sub("", file[1]) + ending
    address = _ADDRESS.fullmatch(name)
    return _QUANTIZED.sub("", address[1] if address else name) + ending
