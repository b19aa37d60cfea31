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

from geobias.errors import CannotWrite, GeobiasError
from geobias.files import write_whole
from geobias.probes.registry import all_probes
from geobias.report.model_names import with_short_names
from geobias.report.page import contents
from geobias.report.page.colours import colour_style, with_colour_names
from geobias.report.page.drawing import DrawnFigure, csv_of, draw_figure, whole_svg
from geobias.report.page.economies import country_profiles, country_table
from geobias.report.page.excerpts import country_excerpts, trim_to_bytes
from geobias.report.page.provenance import citations, figure_source
from geobias.report.page.summary import headline_table
from geobias.report.page.text import packed, readable, template_environment, with_true_minuses
from geobias.report.page.worldmap import shared_outlines, with_shared_outlines
from geobias.results.figures import Figure
from geobias.results.findings import Findings, Section

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
    sections = contents.by_probe(findings)
    return {
        name: [
            msgspec.structs.replace(
                figure, source=figure_source(findings, sections[name], on_map=figure.wide)
            )
            for figure in probe.figures(findings, sections[name])
        ]
        for name, probe in all_probes().items()
        if name in sections
    }


def write(findings: Findings, runs: Sequence[RunReader], out: Path) -> None:
    """Write the page. `runs` are those of the findings, in their order; their replies are shown."""
    write_whole(out, rendered(findings, runs).encode(errors="replace"))


def rendered(findings: Findings, runs: Sequence[RunReader], *, most: int = MOST_BYTES) -> str:
    """The page as text, of at most so many bytes if leaving out figures and replies can do that."""
    from markupsafe import Markup

    whole_names = findings.models
    findings = with_short_names(findings)
    sections = contents.by_probe(findings)
    drawn = {name: [draw_figure(one) for one in own] for name, own in figures(findings).items()}
    placed = {name: [_placed(one) for one in own] for name, own in drawn.items()}
    titles = {name: contents.probe_title(findings, name) for name in drawn}
    style = _style(["found", *drawn, "countries", "methods"])
    script = (HERE / "page.js").read_text("utf-8")
    template = template_environment([HERE]).get_template("page.html")

    def filled(omitted: Set[str]) -> str:
        return template.render(
            heading=contents.heading(findings),
            facts=contents.facts(findings),
            several=len(findings.models) > 1,
            whole=dict(zip(findings.models, whole_names, strict=True)),
            summary=with_true_minuses(headline_table(findings, titles)),
            unfinished=contents.unfinished(findings),
            contents=[
                ("found", "What was found"),
                *titles.items(),
                ("countries", "Countries"),
                ("methods", "Methods"),
            ],
            opening=contents.opening(findings),
            probes=[
                {"id": name, "title": title}
                | _probe(findings, sections[name], placed[name], omitted)
                for name, title in titles.items()
            ],
            countries=with_true_minuses(country_table(findings)),
            runs=[contents.run_facts(run) for run in findings.runs],
            methods=[
                (all_probes()[name].title, all_probes()[name].methods)
                for name in titles
                if all_probes()[name].methods
            ],
            papers=[
                (all_probes()[name].title, paper)
                for name in titles
                for paper in all_probes()[name].papers
            ],
            citations=citations(list(titles), findings.geobias),
            version=findings.geobias,
            outlines=Markup(shared_outlines()),  # noqa: S704
            style=Markup(style),  # noqa: S704
            style_hash=_hash(style),
            script=Markup(script),  # noqa: S704
            script_hash=_hash(script),
        )

    page = filled(frozenset())
    every = [one for own in drawn.values() for one in own]
    omitted = _figures_to_omit(every, _bytes(page) + ROOM_FOR_DATA - most)
    if omitted:
        page = filled(omitted)
    kept = [one.figure for one in every if one.figure.name not in omitted]
    data = _data(findings, runs, kept, room=most - _bytes(page))
    before, after = page.split(_DATA)
    return f"{before}{_DATA}{data}{after}"


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


def _figures_to_omit(drawn: Sequence[DrawnFigure], over: int) -> frozenset[str]:
    """Figures whose omission makes a page smaller by `over` bytes, the optional ones first."""
    ranked = []
    for one in drawn:
        rank = float("inf") if one.figure.optional is None else one.figure.optional
        ranked.append((rank, -sum(len(panel.svg) for panel in one.panels), one.figure.name))
    omitted = []
    for _, less, name in sorted(ranked, key=lambda figure: figure[:2]):
        if over <= 0:
            break
        omitted.append(name)
        over += less
    return frozenset(omitted)


def _probe(
    findings: Findings,
    sections: Sequence[Section],
    placed: Sequence[dict[str, Any]],
    omitted: Set[str],
) -> dict[str, Any]:
    probe = all_probes()[sections[0].probe]
    return {
        "name": probe.title,
        "standfirst": probe.standfirst,
        "question": probe.question,
        "sections": sections,
        "details": contents.details(findings, sections),
        "metrics": with_true_minuses(contents.metrics(sections)),
        "figures": [figure for figure in placed if figure["name"] not in omitted],
        "omitted": [figure["title"] for figure in placed if figure["name"] in omitted],
        "tables": contents.tables(sections),
        "checks": [check for section in sections for check in section.checks],
        "notes": list(dict.fromkeys(note for section in sections for note in section.notes)),
    }


def _placed(drawn: DrawnFigure) -> dict[str, Any]:
    """A figure as the template wants it: colours by name, a description on every drawing."""
    from markupsafe import Markup, escape

    figure = drawn.figure

    def inline(svg: str, words: str) -> Markup:
        shown = with_colour_names(with_shared_outlines(svg) if figure.wide else svg)
        return Markup(shown.replace("<svg ", f'<svg role="group" aria-label="{escape(words)}" ', 1))  # noqa: S704

    classes = ["wide"] * figure.wide + ["many"] * (len(drawn.panels) > 1)
    return {
        "name": figure.name,
        "title": figure.title,
        "note": figure.note,
        "classes": " ".join(classes),
        "legend": inline(drawn.legend, "Legend") if drawn.legend else "",
        "panels": [
            {
                "label": panel.label,
                "measurable": panel.measurable,
                "svg": inline(panel.svg, f"{figure.title}. {figure.alt} {panel.label}".strip()),
            }
            for panel in drawn.panels
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
        "csv": {figure.name: csv_of(figure.data) for figure in kept},
        "sources": {figure.name: figure.source for figure in kept},
        "countries": with_true_minuses(country_profiles(findings)),
    }
    excerpts = country_excerpts(readers)
    most = MOST_REPLIES
    data = packed(rest | {"replies": trim_to_bytes(excerpts, most)})
    while len(data) > room and most:
        most = most // 2 if most > LEAST_REPLIES else 0
        data = packed(rest | {"replies": trim_to_bytes(excerpts, most)})
    return data


def _style(sections: Sequence[str]) -> str:
    """Colours and rules; without a script, the section that was jumped to is marked by a rule."""
    jumped_to = ",".join(f'.no-script:has(#{id_}:target) [href="#{id_}"]' for id_ in sections)
    return (
        colour_style("screen and (prefers-color-scheme:dark)")
        + (HERE / "page.css").read_text("utf-8")
        + f"{jumped_to}{{color:var(--ink);box-shadow:0 0.15rem 0 var(--accent)}}"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


def write_figures(
    findings: Findings, folder: Path, refusal: type[GeobiasError] = CannotWrite
) -> list[Path]:
    """Every figure as SVG, PNG (twice the size) and CSV, named as in the page."""
    import vl_convert

    paths: list[Path] = []
    for figure in (one for own in figures(with_short_names(findings)).values() for one in own):
        svg = whole_svg(draw_figure(figure))
        contents_by_ending = {
            "svg": svg.encode(),
            # Common sans-serif fonts lack the small digit of CO₂.
            "png": vl_convert.svg_to_png(svg.replace("₂", "2"), scale=2),
            "csv": csv_of(figure.data).encode(),
        }
        for ending, content in contents_by_ending.items():
            paths.append(folder / f"{figure.name}.{ending}")
            write_whole(paths[-1], content, refusal)
    return paths
