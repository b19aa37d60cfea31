"""The report as one HTML file, which works from disk, without network, on paper, in light and dark.

The page's content security policy allows only its own style and script, by their hashes. Replies of
models are escaped by the template, or are in packed data that the script inserts as text.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl
import vl_convert
from jinja2 import Environment
from markupsafe import Markup

from geobias.errors import BadRequest, meant
from geobias.files import write_whole
from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.formats import as_csv, csv_of
from geobias.report.grids import Grid, metrics_grid, screens_grid
from geobias.report.page import contents
from geobias.report.page.comparison import comparison, of_model
from geobias.report.page.countries import (
    MOST_REPLIES,
    Excerpt,
    country_excerpts,
    country_profiles,
    country_table,
    first_excerpt,
)
from geobias.report.page.drawing import (
    colour_style,
    draw,
    panel_words,
    shared_definitions,
    whole_svg,
)
from geobias.report.page.opening import Card, about_line, banner, cards, lead_of, map_for
from geobias.report.page.text import packed, readable, template_environment
from geobias.report.records import probes_of
from geobias.report.verdicts import MANY, key_of, title_of
from geobias.results.figures import Figure
from geobias.results.findings import Findings, Section
from geobias.results.formatting import with_true_minus
from geobias.results.verdicts import MEANINGS
from geobias.runfile import RunReader

HERE = Path(__file__).parent
FIRST_TURNS = 4
"""Turns of a game at the beginning of a chapter."""


def figures(findings: Findings) -> dict[str, list[Figure]]:
    """Probe → the figures of the models that it could measure.

    A model that could not be measured gets no figure, since a map would convince readers even with
    a warning above it.
    """
    made = {}
    for name, every in contents.by_probe(findings).items():
        sections = [one for one in every if one.measurable]
        hidden = ", ".join(one.model for one in every if not one.measurable)
        note = f" Not shown, because not measurable: {hidden}." if hidden else ""
        if sections:
            made[name] = [
                msgspec.structs.replace(
                    figure,
                    source=contents.figure_source(findings, sections, on_map=figure.wide),
                    note=figure.note + note,
                )
                for figure in derived.figures(all_probes()[name], findings, sections)
            ]
    return made


def rendered(
    findings: Findings, runs: Sequence[RunReader], *, home: tuple[str, str] | None = None
) -> str:
    """The page as text.

    `runs` are the runs of `findings`, in that order. The page shows replies from them. `home` has
    the address and the name of the page that leads here.
    """
    many, several = len(findings.models) >= MANY, len(findings.models) > 1
    # If there are many models, each has its own chapters, which are read one at a time.
    parts = [of_model(findings, model) for model in findings.models] if many else [findings]
    by_run = {run: _examples(run) for run in dict.fromkeys(runs)}
    examples = {fact.id: by_run[run] for fact, run in zip(findings.runs, runs, strict=True)}
    first, *others = (_Details.of(part, examples, many=many) for part in parts)
    probes = [all_probes()[name] for name in contents.by_probe(findings)]
    chapters = {one.name: contents.chapter_of(one, several=several) for one in probes}
    page = templates().get_template("page.html")
    return page.render(
        **_first_screen(findings, first),
        **page_assets((HERE / "page.js").read_text("utf-8")),
        many=many,
        several=several,
        home=home,
        chapters=chapters,
        titles={one.name: contents.probe_title(one, several=several) for one in probes},
        models=findings.models,
        made_on=contents.run_days(findings.runs),
        contents=[
            ("found", "Findings"),
            *chapters.items(),
            ("countries", "Countries"),
            ("methods", "Methods"),
        ],
        details=Markup(first.html),  # noqa: S704
        others=[packed(one.html) for one in others],
        data=_data(findings, runs),
        runs=[contents.run_facts(run) for run in findings.runs],
        probes=probes,
        screened=any(section.screens for section in findings.sections),
        figured=any("figures" in probe.editions for probe in probes),
        methods={one.name: derived.methods(one) for one in probes},
        words=contents.glossary(),
        version=findings.geobias,
        outlines=shared_definitions(),
    )


def page_assets(script: str) -> dict[str, str]:
    style = page_style()
    return {
        "style": Markup(style),  # noqa: S704
        "style_hash": hash_of(style),
        "script": Markup(script),  # noqa: S704
        "script_hash": hash_of(script),
    }


@cache
def templates(*further: Path) -> Environment:
    """Templates of the page and of `further` folders. Compiling takes as long as making a page."""
    environment = template_environment([HERE / "templates", *further])
    environment.globals |= {"draw": draw, "panel_words": panel_words, "meanings": MEANINGS}
    return environment


class _Details(NamedTuple):
    """What one model, or two side by side, show below the first screen: chapters and countries as
    `html`, each probe's cards, and the figures in its chapter.
    """

    html: str
    cards: dict[str, list[Card]]
    figures: dict[str, list[Figure]]

    @classmethod
    def of(
        cls, findings: Findings, examples: Mapping[str, Mapping[str, Excerpt]], *, many: bool
    ) -> _Details:
        sections = contents.by_probe(findings)
        told = {name: cards(findings, own) for name, own in sections.items()}
        # No map of the mean over models, which shows no model: each model has figures.
        every = figures(msgspec.structs.replace(findings, over_models=[]))
        shown = {name: _shown_figures(told[name], every.get(name, [])) for name in sections}
        chapters = [
            _chapter(findings, told[name], shown[name], len(every.get(name, [])), examples)
            for name in sections
        ]
        html = (
            templates()
            .get_template("details.html")
            .render(
                many=many,
                several=len(findings.models) > 1,
                probes=chapters,
                countries=country_table(findings),
            )
        )
        return cls(html, told, shown)


def _chapter(
    findings: Findings,
    told: Sequence[Card],
    shown: Sequence[Figure],
    figures: int,
    examples: Mapping[str, Mapping[str, Excerpt]],
) -> dict[str, object]:
    """Data of a probe's chapter for the template. `figures` is how many figures the probe has."""
    section, one = told[0]
    name = section.probe
    probe, sections = all_probes()[name], [card.section for card in told]
    title = contents.probe_title(probe, several=len(findings.models) > 1)
    finding = ""
    if len(told) == 1:
        finding = f"It {one.found}" if one.found else ""
        if one.word == "untested" and not section.measurable:
            finding = f"{title} cannot be measured"
    of_model = [(fact.model, examples[fact.id]) for fact in findings.runs]
    return {
        "about": probe,
        "title": title,
        "finding": finding or title,
        "key": one.figure if finding else "",
        "cards": told,
        "examples": [(model, own[name]) for model, own in of_model if name in own],
        "first_turns": FIRST_TURNS,
        "sections": sections,
        "opening": contents.opening_of(findings, sections),
        "numbers": [(section, _numbers(section)) for section in sections],
        "screens": [(section, screens_grid(section)) for section in sections],
        "figures": shown,
        "elsewhere": figures - len(shown),
        "pooled": _pooled(findings, name),
        "tables": len({table for section in sections for table in section.tables}),
    }


def _numbers(section: Section) -> Grid:
    grid = metrics_grid(section.metrics).without_empty_columns()
    return grid._replace(rows=[[with_true_minus(text) for text in row] for row in grid.rows])


def _pooled(findings: Findings, name: str) -> list[tuple[str, list[str], list[str]]]:
    return [
        (all_probes()[name].title, contents.detail_texts(findings, section), section.notes)
        for section in findings.over_models
        if section.probe == name
    ]


def _shown_figures(told: Sequence[Card], every: Sequence[Figure]) -> list[Figure]:
    """Choose the figures for the page: the one that shows the finding, and a map if there is a gap.

    Without a gap, the shades of a hundred countries would catch the eye and contradict the text. If
    nothing could be tested, no figure is shown. `--save-figures` writes all figures.
    """
    words = {card.verdict.word for card in told}
    if words == {"untested"}:
        return []
    named = {one.name: one for one in every}
    key = next((one for card in told if (one := card.verdict.figure) in named), "")
    maps = [one.name for one in every if one.wide and words & {"found", "depends"}][:1]
    found = list(filter(None, (key, *maps))) or list(named)[:1]
    return [named[name] for name in dict.fromkeys(found)]


def _examples(run: RunReader) -> dict[str, Excerpt]:
    """Probe → one question of the run with its reply."""
    found = {probe.name: first_excerpt(run, probe) for probe in probes_of(run)}
    return {name: excerpt for name, excerpt in found.items() if excerpt is not None}


def _first_screen(findings: Findings, details: _Details) -> dict[str, object]:
    """Data of the first screen: a finding and its picture, or a comparison of models."""
    shown: dict[str, object] = {
        "about": about_line(findings),
        "banner": banner(findings),
        "heading": title_of(findings),
        "lead": None,
        "key": key_of(findings),
        "not_asked": contents.not_asked(findings),
        "cards": details.cards,
    }
    if len(findings.models) > 1:
        pooled = [one for name in details.cards for one in _pooled(findings, name)]
        return shown | {"comparison": comparison(findings, list(details.cards)), "pooled": pooled}
    lead = lead_of([own[0] for own in details.cards.values()])
    return shown | {"lead": lead, "map": map_for(details.figures[lead.section.probe])}


def _data(findings: Findings, runs: Sequence[RunReader]) -> str:
    place = {model: i for i, model in enumerate(findings.models)}
    readers = [(run, place[fact.model]) for run, fact in zip(runs, findings.runs, strict=True)]
    return packed(
        {
            "models": [readable(model, 200) for model in findings.models],
            "probes": {
                name: (probe.title, probe.showing.counted if probe.showing.in_turns else "replies")
                for name, probe in all_probes().items()
            },
            "files": [readable(run.file, 200) for run in findings.runs],
            "numbers": as_csv(findings),
            "countries": country_profiles(findings),
            "replies": country_excerpts(readers, MOST_REPLIES // len(place)),
        }
    )


def page_style() -> str:
    rules = (HERE / "page.css").read_text("utf-8")
    return colour_style("screen and (prefers-color-scheme:dark)") + rules


def hash_of(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


def write_figures(findings: Findings, folder: Path) -> list[Path]:
    paths = []
    for figure in (one for own in figures(findings).values() for one in own):
        for ending, make in FIGURE_FORMATS.items():
            path = folder / f"{figure.name}.{ending}"
            write_whole(path, make(figure, whole_svg(figure)), BadRequest)
            paths.append(path)
    return paths


def one_figure(findings: Findings, name: str, ending: str, *, bare: bool) -> bytes:
    """One figure as a file. If `bare`, it has no title, note or source."""
    known = {one.name: one for own in figures(findings).values() for one in own}
    if name not in known:
        raise BadRequest(f"no figure is called {name!r}.{meant(name, list(known))}")
    return FIGURE_FORMATS[ending](known[name], whole_svg(known[name], bare=bare))


def _in_any_font(svg: str) -> str:
    """Replace the small digit of CO₂, which common sans-serif fonts lack."""
    return svg.replace("₂", "2")


FIGURE_FORMATS: dict[str, Callable[[Figure, str], bytes]] = {
    "svg": lambda _, svg: svg.encode(),
    "pdf": lambda _, svg: vl_convert.svg_to_pdf(_in_any_font(svg)),
    "png": lambda _, svg: vl_convert.svg_to_png(_in_any_font(svg), scale=2),
    "csv": lambda figure, _: csv_of(pl.DataFrame(figure.data, infer_schema_length=None)).encode(),
}
"""Format of a saved figure → the function that makes it from the figure and its drawing."""
