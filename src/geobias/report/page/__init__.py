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
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.errors import CannotWrite
from geobias.probes.audited import AUDITED, TITLES
from geobias.report.findings import Findings
from geobias.report.naming import with_short_names
from geobias.report.page import contents
from geobias.report.page.colours import by_name, variables
from geobias.report.page.drawing import Figure, composed, csv_of
from geobias.report.page.economies import countries, profiles
from geobias.report.page.editions import PAPERS, citations
from geobias.report.page.origin import origin
from geobias.report.page.replies import fitted, replies
from geobias.report.page.summary import summary
from geobias.report.page.text import finalized, packed, readable
from geobias.report.page.worldmap import shared_outlines, with_shared_outlines

if TYPE_CHECKING:
    from geobias.runfile import RunReader

HERE = Path(__file__).parent
MOST_BYTES = 2_950_000
"""Of a page: under 3 MB."""
ROOM_FOR_DATA = 350_000
"""Bytes of a page that are kept for profiles and replies when figures are chosen."""
DETAILS = (
    *("geo20q-map-2", "worldbench-indicators-by-region", "worldbench-ranks-regions"),
    *("namebbq-values", "geo20q-professions", "geo20q-categories", "namebbq-scatter"),
    *("geo20q-curve-things", "geo20q-curve-people", "worldbench-ranks-incomes"),
    *("worldbench-disparity-incomes", "worldbench-disparity-regions", "geo20q-continents"),
)
"""Figures that are left out first where many models would make the page too large; then the
largest of the others."""
MOST_REPLIES, LEAST_REPLIES = 6_000_000, 50_000
"""Bytes of replies before they are packed."""
_DATA = '<script type="text/plain" id="page-data">'
"""Nothing else in the page can read like this: all other text is escaped."""


def figures(findings: Findings) -> dict[str, list[Figure]]:
    """The figures of each probe that was run, in reading order."""
    made = {}
    for probe in AUDITED:
        sections = [section for section in findings.sections if section.probe == probe]
        if sections:
            draw = import_module(f"{__name__}.{probe}").figures
            made[probe] = [
                msgspec.structs.replace(one, source=origin(findings, sections, on_map=one.wide))
                for one in draw(findings, sections)
            ]
    return made


def write(findings: Findings, runs: Sequence[RunReader], out: Path) -> None:
    """Write the page. `runs` are those of the findings, in their order; their replies are shown."""
    page = rendered(findings, runs)
    draft = out.with_name(out.name + "-new")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(page.encode(errors="replace"))
        draft.replace(out)
    except OSError as error:
        raise CannotWrite(f"cannot write the report {out}: {error.strerror or error}") from None


def rendered(findings: Findings, runs: Sequence[RunReader], *, most: int = MOST_BYTES) -> str:
    """The page as text, of at most so many bytes if leaving out figures and replies can do that."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    whole_names = findings.models
    findings = with_short_names(findings)
    whole = dict(zip(findings.models, whole_names, strict=True))
    drawn = figures(findings)
    style = _style()
    script = (HERE / "page.js").read_text("utf-8")
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalized,
    )

    placed = {probe: [_placed(figure) for figure in made] for probe, made in drawn.items()}

    def filled(left_out: Set[str]) -> str:
        probes = [_probe(findings, probe, made, left_out) for probe, made in placed.items()]
        return environment.get_template("page.html").render(
            heading=contents.heading(findings),
            facts=contents.facts(findings),
            several=len(findings.models) > 1,
            whole=whole,
            summary=summary(
                findings, {probe: contents.title(findings, probe) for probe in AUDITED}
            ),
            unfinished=contents.unfinished(findings),
            contents=[
                ("found", "What was found"),
                *((one["id"], one["title"]) for one in probes),
                ("countries", "Countries"),
                ("methods", "Methods"),
            ],
            answers=contents.answers(findings),
            probes=probes,
            countries=countries(findings),
            runs=contents.runs(findings),
            papers={one.probe: one.link for one in PAPERS},
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
    left_out = _left_out([one for made in placed.values() for one in made], over)
    if left_out:
        page = filled(left_out)
        drawn = {
            probe: [one for one in made if one.name not in left_out]
            for probe, made in drawn.items()
        }
    data = _data(findings, runs, drawn, room=most - _bytes(page))
    before, after = page.split(_DATA)
    return f"{before}{_DATA}{data}{after}"


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


def _left_out(made: Sequence[dict[str, Any]], over: int) -> frozenset[str]:
    """Which figures to leave out, to make a page smaller by `over` bytes."""
    rank = {name: i for i, name in enumerate(DETAILS)}
    sizes = {one["name"]: sum(len(panel["svg"]) for panel in one["panels"]) for one in made}
    chosen = []
    for name in sorted(sizes, key=lambda name: (rank.get(name, len(rank)), -sizes[name])):
        if over <= 0:
            break
        chosen.append(name)
        over -= sizes[name]
    return frozenset(chosen)


def _probe(
    findings: Findings, probe: str, made: Sequence[dict[str, Any]], left_out: Set[str]
) -> dict[str, Any]:
    sections = [section for section in findings.sections if section.probe == probe]
    return {
        "id": probe,
        "name": TITLES[probe],
        "title": contents.title(findings, probe),
        "standfirst": contents.STANDFIRSTS[probe],
        "sections": sections,
        "details": contents.details(findings, sections),
        "metrics": contents.metrics(sections),
        "figures": [figure for figure in made if figure["name"] not in left_out],
        "left_out": [figure["title"] for figure in made if figure["name"] in left_out],
        "tables": contents.tables(sections),
        "checks": [check for section in sections for check in section.checks],
        "notes": list(dict.fromkeys(note for section in sections for note in section.notes)),
    }


def _placed(figure: Figure) -> dict[str, Any]:
    """A figure as the template wants it: colours by name, a description on every drawing."""
    from markupsafe import Markup, escape

    def inline(svg: str, words: str) -> Markup:
        shown = by_name(with_shared_outlines(svg) if figure.wide else svg)
        return Markup(shown.replace("<svg ", f'<svg role="group" aria-label="{escape(words)}" ', 1))  # noqa: S704

    kinds = [
        kind for kind, wanted in (("wide", figure.wide), ("many", len(figure.panels) > 1)) if wanted
    ]
    return {
        "name": figure.name,
        "title": figure.title,
        "note": figure.note,
        "classes": " ".join(kinds),
        "legend": inline(figure.legend, "Legend") if figure.legend else "",
        "panels": [
            {
                "label": panel.label,
                "measurable": panel.measurable,
                "svg": inline(panel.shown, f"{figure.title}. {figure.alt} {panel.label}".strip()),
            }
            for panel in figure.panels
        ],
    }


def _data(
    findings: Findings, runs: Sequence[RunReader], drawn: dict[str, list[Figure]], room: int
) -> str:
    """What the script needs, packed. Where it does not fit the room, there are fewer replies."""
    place = {model: i for i, model in enumerate(findings.models)}
    readers = [(run, place[fact.model]) for run, fact in zip(runs, findings.runs, strict=True)]
    rest = {
        "models": findings.models,
        "probes": {name: TITLES[name] for name in AUDITED},
        "files": [readable(run.file, 200) for run in findings.runs],
        "csv": {one.name: csv_of(one.data) for made in drawn.values() for one in made},
        "sources": {one.name: one.source for made in drawn.values() for one in made},
        "countries": profiles(findings),
    }
    told = replies(readers)
    most = MOST_REPLIES
    while True:
        data = packed(rest | {"replies": fitted(told, most)})
        if len(data) <= room or most == 0:
            return data
        most = most // 2 if most > LEAST_REPLIES else 0


def _style() -> str:
    light, dark = variables(dark=False), variables(dark=True)
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}" + (
        HERE / "page.css"
    ).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


def write_figures(findings: Findings, folder: Path) -> list[Path]:
    """Every figure as SVG, PNG (twice the size) and CSV, named as in the page."""
    import vl_convert

    found: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for made in figures(with_short_names(findings)).values():
            for figure in made:
                svg = composed(figure)
                for ending, content in (
                    ("svg", svg.encode()),
                    # Common sans-serif fonts lack the small digit of CO₂.
                    ("png", vl_convert.svg_to_png(svg.replace("₂", "2"), scale=2)),
                    ("csv", csv_of(figure.data).encode()),
                ):
                    path = folder / f"{figure.name}.{ending}"
                    path.write_bytes(content)
                    found.append(path)
    except OSError as error:
        raise CannotWrite(f"cannot write figures to {folder}: {error.strerror or error}") from None
    return found
