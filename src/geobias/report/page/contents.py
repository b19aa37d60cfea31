"""Words for the page other than verdicts: chapters, facts of runs, glossary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from geobias.atlas.table import published_editions
from geobias.probes import derived
from geobias.probes.questions import outcome_words
from geobias.probes.registry import AnyProbe, all_probes, record_titles, usual_probes
from geobias.report.grids import runs_grid
from geobias.report.page.text import readable
from geobias.results.findings import Findings, Run, Section
from geobias.results.formatting import NOTHING, setting_text, with_true_minus, words


@cache
def glossary() -> list[tuple[str, str]]:
    """Word and meaning, in alphabetical order. docs/glossary.md has the same list."""
    text = (Path(__file__).parent / "glossary.toml").read_bytes()
    found = msgspec.toml.decode(text, type=dict[str, str])
    return [(word, found[word]) for word in sorted(found, key=str.casefold)]


class Edition(NamedTuple):
    name: str
    edition: str
    hash: str


class Chapter(NamedTuple):
    """The text of a probe's chapter: what the results do not show, and what the probe found."""

    limits: list[str]
    words: list[str]


class RunFacts(NamedTuple):
    title: str
    facts: list[tuple[str, str]]
    settings: list[tuple[str, list[tuple[str, str]]]]
    editions: list[Edition]


_OTHER = "another edition than this geobias ships"


def run_editions(run: Run) -> list[Edition]:
    rows = []
    for name, digest in sorted(run.editions.items()):
        probe = _owner(name, run)
        words = probe.editions[name].words(digest, run.probes[probe.name]) if probe else ""
        label = probe.editions[name].title if probe else name
        rows.append((label, words or _shipped(name, digest), digest))
    rows += [(f"Prompts, {name}", "", digest) for name, digest in sorted(run.prompts.items())]
    return [Edition(*(readable(text, 200) for text in row)) for row in rows]


def _owner(name: str, run: Run) -> AnyProbe | None:
    probes = (all_probes().get(probe) for probe in run.probes)
    return next((one for one in probes if one is not None and name in one.editions), None)


def _shipped(name: str, digest: str) -> str:
    """The edition of a table that geobias ships. "" for any other table."""
    known = {one.table: one for one in published_editions()}
    if name not in known:
        return ""
    same = known[name].sha256.startswith(digest)
    return known[name].edition if same and digest else _OTHER


def figure_source(findings: Findings, sections: Sequence[Section], *, on_map: bool) -> str:
    """The source line of a figure of one probe: model, probe, data, version and date.

    "m · WorldBench · World Bank (CC BY 4.0) · geobias 0.1.0, 2026-11-16". Runs of different dates
    give a range of dates, and runs with different data a list of data.
    """
    probe = all_probes()[sections[0].probe]
    runs = [run for run in findings.runs if run.id in {section.run for section in sections}]
    models = ", ".join(dict.fromkeys(section.model for section in sections))
    every = [run.probes.get(probe.name, {}) for run in runs]
    told = [one.source(settings) for settings in every for one in probe.editions.values()]
    data = list(dict.fromkeys(filter(None, told)))
    if on_map:
        data.append("outlines Natural Earth")
    made = ", ".join(filter(None, (f"geobias {findings.geobias}", run_days(runs))))
    # A line breaks after a full stop, not before it.
    return "\N{NO-BREAK SPACE}· ".join(filter(None, (models, probe.title, ", ".join(data), made)))


def run_days(runs: Iterable[Run]) -> str:
    """The day on which the runs were made, or the first and the last. "" without runs."""
    days = sorted(run.created[:10] for run in runs)
    return " to ".join(dict.fromkeys((*days[:1], *days[-1:])))


def probe_title(probe: AnyProbe, *, several: bool) -> str:
    """The title of a chapter: "What it knows", or for `several` models "What they know"."""
    return f"What they {derived.verb_of_several(probe)}" if several else f"What it {probe.verb}"


def chapter_of(probe: AnyProbe, *, several: bool) -> str:
    """The short name of a chapter for the line of sections: "Knows"."""
    return (derived.verb_of_several(probe) if several else probe.verb).capitalize()


def not_asked(findings: Findings) -> str:
    """The parts of an audit in which no model was asked: "what it assumes, what it favours"."""
    asked, several = by_probe(findings), len(findings.models) > 1
    rest = (probe for name, probe in usual_probes().items() if name not in asked)
    return ", ".join(f"w{probe_title(one, several=several)[1:]}" for one in rest)


def by_probe(findings: Findings) -> dict[str, list[Section]]:
    groups: dict[str, list[Section]] = {}
    for section in findings.sections:
        groups.setdefault(section.probe, []).append(section)
    return groups


MOST_LIMITS = 2
"""Maximum limits of a part that are shown; further ones are folded."""


def opening_of(findings: Findings, sections: Sequence[Section]) -> Chapter:
    """The text of a probe's chapter. A sentence that does not hold for all models names them."""
    said: dict[str, dict[str, list[str]]] = {}
    for one in findings.sentences:
        if one.opening and one.probe == sections[0].probe:
            models = said.setdefault(one.kind, {}).setdefault(with_true_minus(one.text), [])
            models.append(one.model)

    def told(kind: str) -> list[str]:
        return [
            text if len(models) == len(sections) else f"{', '.join(models)}: {text}"
            for text, models in said.get(kind, {}).items()
        ]

    limits = told("limit")
    details = [
        f"{one.model}: {text}" if len(sections) > 1 else text
        for one in sections
        for text in detail_texts(findings, one)
    ]
    return Chapter(
        limits=[*limits[:MOST_LIMITS], *told("caution")],
        words=[*told("unmeasurable"), *told("finding"), *details, *limits[MOST_LIMITS:]],
    )


def detail_texts(findings: Findings, section: Section) -> list[str]:
    return [with_true_minus(text) for text in findings.details(section)]


def run_facts(run: Run) -> RunFacts:
    titles = record_titles()
    named = {name: titles.get(name, name) for name in (*run.probes, *run.outcomes)}
    outcomes = (
        f"{named[name]}: "
        + ", ".join(f"{outcome_words(one)} {count:,}" for one, count in counts.items())
        for name, counts in run.outcomes.items()
    )
    grid = runs_grid([run])
    lines = [
        *zip(grid.headings, grid.rows[0], strict=True),
        ("asked of", ", ".join(f"{role} {model}" for role, model in run.models.items())),
        ("outcomes", "; ".join(outcomes)),
        ("replies", run.elsewhere),
        ("parameters not sent", ", ".join(run.not_sent)),
    ]
    return RunFacts(
        title=f"{run.model} ({', '.join(named[name] for name in run.probes)})",
        facts=[(name, readable(value, 400)) for name, value in lines if value],
        settings=[
            (named[probe], [(words(key), _setting(value)) for key, value in settings.items()])
            for probe, settings in run.probes.items()
        ],
        editions=run_editions(run),
    )


def _setting(value: object) -> str:
    if value is None or value in ("", [], {}):
        return NOTHING
    if isinstance(value, list | tuple):
        value = ", ".join(setting_text(one).replace("_", " ") for one in value)
    return readable(str(value), 600)
