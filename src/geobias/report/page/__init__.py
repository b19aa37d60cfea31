"""The report as one HTML file, which works from disk, without network, on paper, in light and dark.

    write(findings, runs, out)          the page
    write_figures(findings, folder)     its figures as SVG, PDF, PNG and CSV

The page's content security policy allows only its own style and script, by their hashes. Replies of
models are escaped by the template, or are in packed data that the script inserts as text.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import vl_convert
from jinja2 import Environment
from markupsafe import Markup

from geobias.errors import BadRequest, CannotWrite, GeobiasError, meant
from geobias.files import write_whole
from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.formats import tidy_csv
from geobias.report.grids import Grid, metrics_grid, screens_grid
from geobias.report.page import contents
from geobias.report.page.charts import shared_outlines
from geobias.report.page.comparison import comparison, of_model
from geobias.report.page.contents import figure_source, glossary
from geobias.report.page.countries import (
    Excerpt,
    at_most,
    country_excerpts,
    country_profiles,
    country_table,
    typical_excerpt,
)
from geobias.report.page.drawing import (
    csv_of,
    draw_figure,
    inlined_figure,
    panel_words,
    whole_svg,
)
from geobias.report.page.opening import about_line, banner, cards, chapter_of, lead_of, map_for
from geobias.report.page.svg import colour_style
from geobias.report.page.text import packed, readable, template_environment, with_true_minuses
from geobias.report.records import probes_of
from geobias.report.verdicts import MANY, simulated_models, title_of, unmeasurable
from geobias.results.figures import Figure
from geobias.results.findings import Findings, Section
from geobias.results.formatting import interval, number, with_true_minus
from geobias.runfile import RunReader

HERE = Path(__file__).parent
MOST_BYTES = 2_950_000
"""Maximum size of a page: under 3 MB."""
REPLIES = (6, 4, 3, 2, 1)
"""Replies about a country from each model and probe; the page takes the largest number
that fits.
"""
FIRST_TURNS = 4
"""Turns of a game shown at the beginning of a chapter."""
_DATA = '<script type="text/plain" id="page-data">'
"""Occurs nowhere else in the page, since all other text is escaped."""


def figures(findings: Findings) -> dict[str, list[Figure]]:
    """The figures of each probe that could be measured: a map catches the eye, whatever is written
    above it."""
    every = contents.by_probe(findings)
    sections = {name: [one for one in own if one.measurable] for name, own in every.items()}
    sections = {name: own for name, own in sections.items() if own}
    return {
        name: [
            msgspec.structs.replace(
                figure,
                source=figure_source(findings, sections[name], on_map=figure.wide),
                note=figure.note + _not_shown(every[name]),
            )
            for figure in derived.figures(probe, findings, sections[name])
        ]
        for name, probe in all_probes().items()
        if name in sections
    }


def _not_shown(sections: Sequence[Section]) -> str:
    """The models that a figure leaves out."""
    models = [one.model for one in sections if not one.measurable]
    return f" Not shown, because not measurable: {', '.join(models)}." if models else ""


def write(findings: Findings, runs: Sequence[RunReader], out: Path) -> None:
    """Write the page. `runs` are those of the findings, in their order; the page shows their
    replies.
    """
    write_whole(out, rendered(findings, runs).encode(errors="replace"))


def rendered(
    findings: Findings,
    runs: Sequence[RunReader],
    *,
    home: tuple[str, str] | None = None,
) -> str:
    """The page as text. `home` is the address and name of a page to return to."""
    many = len(findings.models) >= MANY
    if many:  # The details open with the first model, which should have something to show.
        last, silent = simulated_models(findings), unmeasurable(findings)
        in_order = sorted(findings.models, key=lambda model: (model in last, model in silent))
        findings = msgspec.structs.replace(findings, models=in_order)
    template = _templates()
    shared = {"many": many}
    # Of many models each has details of its own, which are read one model at a time.
    parts = [of_model(findings, model) for model in findings.models] if many else [findings]
    by_run = {run: _examples(run) for run in dict.fromkeys(runs)}
    examples = {fact.id: by_run[run] for fact, run in zip(findings.runs, runs, strict=True)}
    details = [_Details(part, examples, template, shared) for part in parts]
    titles = {name: contents.probe_title(findings, name) for name in contents.by_probe(findings)}
    style = page_style()
    script = (HERE / "page.js").read_text("utf-8")

    page = template.get_template("page.html").render(
        **shared,
        **_first_screen(findings, details[0], titles),
        home=home,
        chapters={name: chapter_of(name, len(findings.models)) for name in titles},
        models=findings.models,
        several=len(findings.models) > 1,
        titles=titles,
        made_on=about_line(findings)[-1],
        unfinished=contents.unfinished(findings),
        contents=[
            ("found", "Findings"),
            *((name, chapter_of(name, len(findings.models))) for name in titles),
            ("countries", "Countries"),
            ("methods", "Methods"),
        ],
        details=Markup(details[0].html()),  # noqa: S704
        runs=[contents.run_facts(run) for run in findings.runs],
        probes=[all_probes()[name] for name in titles],
        methods={name: derived.methods(all_probes()[name]) for name in titles},
        words=glossary(),
        version=findings.geobias,
        outlines=Markup(shared_outlines()),  # noqa: S704
        style=Markup(style),  # noqa: S704
        style_hash=hash_of(style),
        script=Markup(script),  # noqa: S704
        script_hash=hash_of(script),
    )
    scripts = "".join(
        f'<script type="text/plain" id="model-{i}">{one.packed()}</script>\n'
        for i, one in enumerate(details[1:], start=1)
    )
    room = MOST_BYTES - _bytes(page) - len(scripts)
    data = _data(findings, runs, details[0].drawn_figures(), room=room)
    before, after = page.split(_DATA)
    return f"{before}{scripts}{_DATA}{data}{after}"


@cache
def _templates() -> Environment:
    """Compiled once. Compiling takes as long as rendering a page of size quick."""
    environment = template_environment([HERE / "templates"])
    environment.globals |= {
        "inlined_figure": inlined_figure,
        "interval": interval,
        "number": number,
        "panel_words": panel_words,
    }
    environment.filters["true_minus"] = with_true_minus
    return environment


class _Details:
    """The chapters of a page and its table of countries, for one model or two side by side."""

    def __init__(
        self,
        findings: Findings,
        examples: Mapping[str, Mapping[str, Excerpt]],
        template: Environment,
        shared: Mapping[str, Any],
    ) -> None:
        self.findings = findings
        self.sections = contents.by_probe(findings)
        self.cards = {name: cards(findings, own) for name, own in self.sections.items()}
        # A map of a mean over models shows no model: each has figures of its own.
        every = figures(msgspec.structs.replace(findings, over_models=[]))
        self.count = {name: len(own) for name, own in every.items()}
        self.drawn = {
            name: [draw_figure(one) for one in _shown_figures(self.cards[name], own)]
            for name, own in every.items()
        }
        self._examples, self._template, self._shared = examples, template, shared

    def html(self) -> str:
        return self._template.get_template("details.html").render(
            **self._shared,
            several=len(self.findings.models) > 1,
            probes=[self._chapter(name) for name in self.sections],
            countries=country_table(self.findings),
        )

    def packed(self) -> str:
        """The same for the script, which shows it when its model is chosen."""
        return packed({"html": self.html()} | _figure_files(self.drawn_figures()))

    def drawn_figures(self) -> list[Figure]:
        return [one.figure for own in self.drawn.values() for one in own]

    def _chapter(self, name: str) -> dict[str, Any]:
        probe, sections = all_probes()[name], self.sections[name]
        told, drawn = self.cards[name], self.drawn.get(name, [])
        one = told[0] if len(told) == 1 else None
        title = contents.probe_title(self.findings, name)
        finding = f"It {one['found']}" if one and one["found"] else ""
        if one and one["word"] == "untested" and not one["measurable"]:
            finding = f"{title} cannot be measured"
        examples = [(fact.model, self._examples[fact.id]) for fact in self.findings.runs]
        return {
            "about": probe,
            "title": title,
            "finding": finding or title,
            "key": one["figure"] if one and finding else "",
            "cards": told,
            "examples": [(model, own[name]) for model, own in examples if name in own],
            "first_turns": FIRST_TURNS,
            "sections": sections,
            **contents.opening_of(self.findings, sections),
            "numbers": [(section, _numbers(section)) for section in sections],
            "screens": [(section, screens_grid(section)) for section in sections],
            "figures": drawn,
            "elsewhere": self.count.get(name, 0) - len(drawn),
            "pooled": _pooled(self.findings, name),
            "tables": len({table for section in sections for table in section.tables}),
        }


def _numbers(section: Section) -> Grid:
    grid = metrics_grid(section.metrics).without_empty_columns()
    return grid._replace(rows=with_true_minuses(grid.rows))


def _pooled(findings: Findings, name: str) -> list[dict[str, Any]]:
    """What a probe found over all models together."""
    return [
        {
            "name": all_probes()[name].title,
            "details": contents.detail_texts(findings, section),
            "notes": section.notes,
        }
        for section in findings.over_models
        if section.probe == name
    ]


def _shown_figures(told: Sequence[Mapping[str, Any]], every: Sequence[Figure]) -> list[Figure]:
    """The figure that shows the finding, and the map if there is a gap to see; files have the
    others.

    A map catches the eye, whatever text stands above it. Its shades would contradict "no gap", and
    if nothing could be tested there is no figure at all.
    """
    words = {card["word"] for card in told}
    if words == {"untested"}:
        return []
    named = {one.name: one for one in every}
    key = next((card["figure"] for card in told if card["figure"] in named), "")
    gap = words & {"found", "depends"}
    maps = [one.name for one in every if one.wide and gap][:1]
    found = [name for name in (key, *maps) if name] or list(named)[:1]
    return [named[name] for name in dict.fromkeys(found)]


def _examples(run: RunReader) -> dict[str, Excerpt]:
    """One real question and reply of each probe."""
    found = {probe.name: typical_excerpt(run, probe) for probe in probes_of(run)}
    return {name: excerpt for name, excerpt in found.items() if excerpt is not None}


def _first_screen(
    findings: Findings, details: _Details, titles: Mapping[str, str]
) -> dict[str, Any]:
    """The content of the first screen: a finding and its picture, two models side by side, or a
    table.
    """
    shown: dict[str, Any] = {
        "about": about_line(findings),
        "banner": banner(findings),
        "heading": title_of(findings),
        "lead": None,
        "cards": details.cards,
    }
    if len(findings.models) > 1:
        pooled = [one for name in titles for one in _pooled(findings, name)]
        return shown | {"comparison": comparison(findings, list(titles)), "pooled": pooled}
    lead = lead_of([own[0] for own in details.cards.values()])
    world, legend = map_for(details.drawn.get(lead["probe"], []))
    return shown | {"lead": lead, "map": world, "legend": legend}


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


def _data(findings: Findings, runs: Sequence[RunReader], kept: Sequence[Figure], room: int) -> str:
    """The script's data, packed. If it is too large for the room, it holds fewer replies."""
    place = {model: i for i, model in enumerate(findings.models)}
    readers = [(run, place[fact.model]) for run, fact in zip(runs, findings.runs, strict=True)]
    rest = {
        "models": findings.models,
        "probes": {
            name: [probe.title, probe.showing.counted if probe.showing.in_turns else "replies"]
            for name, probe in all_probes().items()
        },
        "files": [readable(run.file, 200) for run in findings.runs],
        **_figure_files(kept),
        "numbers": tidy_csv(findings).encode(errors="replace").decode(),
        "countries": with_true_minuses(country_profiles(findings)),
    }
    excerpts = country_excerpts(readers)
    for most in REPLIES:
        data = packed(rest | {"replies": at_most(excerpts, most)})
        if len(data) <= room:
            return data
    return packed(rest | {"replies": {}})


def _figure_files(kept: Sequence[Figure]) -> dict[str, Any]:
    """The data that a figure needs when it is saved."""
    return {
        "csv": {figure.name: csv_of(figure.data) for figure in kept},
        "sources": {figure.name: figure.source for figure in kept},
    }


def page_style() -> str:
    rules = (HERE / "page.css").read_text("utf-8")
    return colour_style("screen and (prefers-color-scheme:dark)") + rules


def hash_of(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


def write_figures(
    findings: Findings,
    folder: Path,
    refusal: type[GeobiasError] = CannotWrite,
    *,
    named: str = "",
) -> list[Path]:
    """Write every figure as SVG, PDF, PNG (twice the size) and CSV, named as in the page.

    `named` selects figures whose name begins so.
    """
    drawn = figures(findings)
    paths = []
    for figure in (one for own in drawn.values() for one in own if one.name.startswith(named)):
        for ending, make in FIGURE_FORMATS.items():
            path = folder / f"{figure.name}.{ending}"
            write_whole(path, make(figure, whole_svg(draw_figure(figure))), refusal)
            paths.append(path)
    return paths


def one_figure(findings: Findings, name: str, ending: str, *, bare: bool = False) -> bytes:
    """A figure of the page as a file; a `bare` one has no title, note or source."""
    drawn = figures(findings)
    known = {one.name: one for own in drawn.values() for one in own}
    if name not in known:
        raise BadRequest(f"no figure is called {name!r}.{meant(name, list(known))}")
    return FIGURE_FORMATS[ending](known[name], whole_svg(draw_figure(known[name]), bare=bare))


def _in_any_font(svg: str) -> str:
    """The SVG without the small digit of CO₂, which common sans-serif fonts lack."""
    return svg.replace("₂", "2")


FIGURE_FORMATS: dict[str, Callable[[Figure, str], bytes]] = {
    "svg": lambda _, svg: svg.encode(),
    "pdf": lambda _, svg: vl_convert.svg_to_pdf(_in_any_font(svg)),
    "png": lambda _, svg: vl_convert.svg_to_png(_in_any_font(svg), scale=2),
    "csv": lambda figure, _: csv_of(figure.data).encode(),
}
"""Format of a saved figure → the function that makes it from the figure and its drawing."""
