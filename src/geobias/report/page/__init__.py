"""The report as one HTML file: opened from disk, with no network, on paper, in light and dark.

    write(findings, runs, out)          the page
    write_figures(findings, folder)     its figures as SVG, PNG and CSV

The page carries a content security policy that allows its own style and script by their hashes and
nothing else. What models said reaches it through the template's escaping, or in packed data that
the script sets as text.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence, Set
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.files import write_whole
from geobias.probes.registry import all_probes
from geobias.report.naming import with_short_names
from geobias.report.page import contents
from geobias.report.page.colours import by_name, variables
from geobias.report.page.drawing import DrawnFigure, composed, csv_of, drawn
from geobias.report.page.economies import countries, profiles
from geobias.report.page.editions import citations
from geobias.report.page.origin import origin
from geobias.report.page.replies import replies, trim_to_bytes
from geobias.report.page.summary import summary
from geobias.report.page.text import finalized, packed, readable, with_true_minuses
from geobias.report.page.worldmap import shared_outlines, with_shared_outlines
from geobias.results.figures import Figure
from geobias.results.findings import Findings

if TYPE_CHECKING:
    from geobias.runfile import RunReader

HERE = Path(__file__).parent
MOST_BYTES = 2_950_000
"""Of a page: under 3 MB."""
ROOM_FOR_DATA = 350_000
"""Bytes of a page that are kept for profiles and replies when figures are chosen."""
MOST_REPLIES, LEAST_REPLIES = 6_000_000, 50_000
"""Bytes of replies before they are packed."""
_DATA = '<script type="text/plain" id="page-data">'
"""Nothing else in the page can read like this: all other text is escaped."""


def figures(findings: Findings) -> dict[str, list[Figure]]:
    """The figures of each probe that was run, in reading order."""
    made = {}
    for name, probe in all_probes().items():
        sections = [section for section in findings.sections if section.probe == name]
        if sections:
            made[name] = [
                msgspec.structs.replace(one, source=origin(findings, sections, on_map=one.wide))
                for one in probe.figures(findings, sections)
            ]
    return made


def write(findings: Findings, runs: Sequence[RunReader], out: Path) -> None:
    """Write the page. `runs` are those of the findings, in their order; their replies are shown."""
    write_whole(out, rendered(findings, runs).encode(errors="replace"))


def rendered(findings: Findings, runs: Sequence[RunReader], *, most: int = MOST_BYTES) -> str:
    """The page as text, of at most so many bytes if leaving out figures and replies can do that."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    whole_names = findings.models
    findings = with_short_names(findings)
    whole = dict(zip(findings.models, whole_names, strict=True))
    made = {probe: [drawn(one) for one in listed] for probe, listed in figures(findings).items()}
    style = _style(["found", *made, "countries", "methods"])
    script = (HERE / "page.js").read_text("utf-8")
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalized,
    )

    placed = {probe: [_placed(one) for one in listed] for probe, listed in made.items()}
    titles = {probe: contents.title(findings, probe) for probe in placed}

    def filled(left_out: Set[str]) -> str:
        probes = [_probe(findings, probe, shown, left_out) for probe, shown in placed.items()]
        return environment.get_template("page.html").render(
            heading=contents.heading(findings),
            facts=contents.facts(findings),
            several=len(findings.models) > 1,
            whole=whole,
            summary=with_true_minuses(summary(findings, titles)),
            unfinished=contents.unfinished(findings),
            contents=[
                ("found", "What was found"),
                *((one["id"], one["title"]) for one in probes),
                ("countries", "Countries"),
                ("methods", "Methods"),
            ],
            answers=contents.answers(findings),
            probes=probes,
            countries=with_true_minuses(countries(findings)),
            runs=contents.runs(findings),
            papers=[
                (all_probes()[probe].title, paper)
                for probe in placed
                for paper in all_probes()[probe].papers
            ],
            citations=citations(list(placed), findings.geobias),
            version=findings.geobias,
            outlines=Markup(shared_outlines()),  # noqa: S704
            style=Markup(style),  # noqa: S704
            style_hash=_hash(style),
            script=Markup(script),  # noqa: S704
            script_hash=_hash(script),
        )

    page = filled(frozenset())
    over = _bytes(page) + ROOM_FOR_DATA - most
    every = [one for listed in made.values() for one in listed]
    left_out = _left_out(every, over)
    if left_out:
        page = filled(left_out)
    kept = [one.figure for one in every if one.figure.name not in left_out]
    data = _data(findings, runs, kept, room=most - _bytes(page))
    before, after = page.split(_DATA)
    return f"{before}{_DATA}{data}{after}"


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


def _left_out(made: Sequence[DrawnFigure], over: int) -> frozenset[str]:
    """Which figures to leave out, to make a page smaller by `over` bytes."""

    def size(one: DrawnFigure) -> int:
        return sum(len(panel.svg) for panel in one.panels)

    def place(one: DrawnFigure) -> tuple[float, int]:
        rank = one.figure.optional
        return (float("inf") if rank is None else rank, -size(one))

    chosen = []
    for one in sorted(made, key=place):
        if over <= 0:
            break
        chosen.append(one.figure.name)
        over -= size(one)
    return frozenset(chosen)


def _probe(
    findings: Findings, probe: str, made: Sequence[dict[str, Any]], left_out: Set[str]
) -> dict[str, Any]:
    sections = [section for section in findings.sections if section.probe == probe]
    return {
        "id": probe,
        "name": all_probes()[probe].title,
        "title": contents.title(findings, probe),
        "standfirst": all_probes()[probe].standfirst,
        "sections": sections,
        "details": contents.details(findings, sections),
        "metrics": with_true_minuses(contents.metrics(sections)),
        "figures": [figure for figure in made if figure["name"] not in left_out],
        "left_out": [figure["title"] for figure in made if figure["name"] in left_out],
        "tables": contents.tables(sections),
        "checks": [check for section in sections for check in section.checks],
        "notes": list(dict.fromkeys(note for section in sections for note in section.notes)),
    }


def _placed(one: DrawnFigure) -> dict[str, Any]:
    """A figure as the template wants it: colours by name, a description on every drawing."""
    from markupsafe import Markup, escape

    figure = one.figure

    def inline(svg: str, words: str) -> Markup:
        shown = by_name(with_shared_outlines(svg) if figure.wide else svg)
        return Markup(shown.replace("<svg ", f'<svg role="group" aria-label="{escape(words)}" ', 1))  # noqa: S704

    kinds = [
        kind for kind, wanted in (("wide", figure.wide), ("many", len(one.panels) > 1)) if wanted
    ]
    return {
        "name": figure.name,
        "title": figure.title,
        "note": figure.note,
        "classes": " ".join(kinds),
        "legend": inline(one.legend, "Legend") if one.legend else "",
        "panels": [
            {
                "label": panel.label,
                "measurable": panel.measurable,
                "svg": inline(panel.svg, f"{figure.title}. {figure.alt} {panel.label}".strip()),
            }
            for panel in one.panels
        ],
    }


def _data(findings: Findings, runs: Sequence[RunReader], kept: Sequence[Figure], room: int) -> str:
    """What the script needs, packed. Where it does not fit the room, there are fewer replies."""
    place = {model: i for i, model in enumerate(findings.models)}
    readers = [(run, place[fact.model]) for run, fact in zip(runs, findings.runs, strict=True)]
    rest = {
        "models": findings.models,
        "probes": {
            name: [probe.title, probe.counted if probe.in_turns else "replies"]
            for name, probe in all_probes().items()
        },
        "files": [readable(run.file, 200) for run in findings.runs],
        "csv": {one.name: csv_of(one.data) for one in kept},
        "sources": {one.name: one.source for one in kept},
        "countries": with_true_minuses(profiles(findings)),
    }
    told = replies(readers)
    most = MOST_REPLIES
    while True:
        data = packed(rest | {"replies": trim_to_bytes(told, most)})
        if len(data) <= room or most == 0:
            return data
        most = most // 2 if most > LEAST_REPLIES else 0


def _style(sections: Sequence[str]) -> str:
    """Colours and rules; without a script, the section that was jumped to is marked by a rule."""
    light, dark = variables(dark=False), variables(dark=True)
    jumped_to = ",".join(f'.no-script:has(#{id_}:target) [href="#{id_}"]' for id_ in sections)
    return (
        f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        + (HERE / "page.css").read_text("utf-8")
        + f"{jumped_to}{{color:var(--ink);box-shadow:0 0.15rem 0 var(--accent)}}"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


def write_figures(findings: Findings, folder: Path) -> list[Path]:
    """Every figure as SVG, PNG (twice the size) and CSV, named as in the page."""
    import vl_convert

    found: list[Path] = []
    for made in figures(with_short_names(findings)).values():
        for figure in made:
            svg = composed(drawn(figure))
            for ending, content in (
                ("svg", svg.encode()),
                # Common sans-serif fonts lack the small digit of CO₂.
                ("png", vl_convert.svg_to_png(svg.replace("₂", "2"), scale=2)),
                ("csv", csv_of(figure.data).encode()),
            ):
                path = folder / f"{figure.name}.{ending}"
                write_whole(path, content)
                found.append(path)
    return found
