r"""The findings as Markdown and as LaTeX tables (`templates`).

The LaTeX is to be \input into a paper. It needs the packages booktabs, longtable and textcomp, and
T1 fonts. pdfLaTeX prints letters of other scripts, and signs that T1 fonts lack, as their numbers;
XeLaTeX and LuaLaTeX print them where the font has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from geobias.report.grids import Grid, grid, metrics_grid, runs_grid, screens_grid, summary_grid
from geobias.results.findings import Findings, Table, because
from geobias.results.formatting import one_line

HERE = Path(__file__).parent
_INTERVAL = r"\[[-−]?[\d.,]+, [-−]?[\d.,]+\](?![(\[:])"
_MARK = re.compile(
    rf"(?P<kept>{_INTERVAL})|[\\`*_\[\]<>|~$@#^]|&(?=#?\w{{1,32}};)|(?<=:)//|(?<=www)\.", re.I
)
_T1 = {chr(code) for code in (*range(0x20, 0x7F), *range(0xA1, 0x180))} - set("¸ĦħĸĿŀŉŦŧſ")
"""Characters that any engine prints in a T1 font."""
_WIDEST = 26
"""Maximum letters of a text on one line of a cell."""


def in_markdown(text: str) -> str:
    """Escape a text for Markdown, so that it makes no markup, HTML, link or table cell.

    The text must stand inside a line, since characters that have a meaning only at its start are
    not escaped. The brackets of an interval are not escaped either, since they cannot form a link.
    """
    return _MARK.sub(lambda mark: mark["kept"] or "\\" + mark[0], one_line(text))


@cache
def escapes() -> dict[str, str]:
    """Character → how LaTeX prints it."""
    return msgspec.toml.decode((HERE / "latex.toml").read_bytes(), type=dict[str, str])


def in_latex(text: str) -> str:
    """Escape a text for LaTeX. A character that T1 fonts lack becomes its code point."""
    return "".join(
        escapes().get(c, c if c in _T1 else f"\\geobiaschar{{{ord(c):04X}}}")
        for c in one_line(text)
    )


def _column_kinds(cells: Grid) -> list[Markup]:
    """The specification of each column. Cells with long texts are set in several lines."""
    columns = zip(cells.headings, *cells.rows, strict=True)
    kinds = (
        "p{.2\\linewidth}" if max(map(len, texts)) > _WIDEST else "r" if numeric else "l"
        for texts, numeric in zip(columns, cells.numeric, strict=True)
    )
    return [*map(Markup, kinds)]


@cache
def _templates(escape: Callable[[str], str]) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        undefined=StrictUndefined,
        autoescape=True,  # so that what a macro returns is escaped once
        finalize=lambda value: Markup(escape(value)) if type(value) is str else value,  # noqa: S704
        trim_blocks=True,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
    )
    environment.filters["thousands"] = "{:,}".format
    environment.globals |= {
        "because": because,
        "column_kinds": _column_kinds,
        "metrics_grid": metrics_grid,
        "runs_grid": runs_grid,
        "screens_grid": screens_grid,
        "summary_grid": summary_grid,
    }
    return environment


def _document(name: str, escape: Callable[[str], str], **given: object) -> str:
    text = _templates(escape).get_template(name).render(given)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def markdown(findings: Findings) -> str:
    """The findings as Markdown: sentences, screens and metrics, without the tables."""
    return _document("report.md", in_markdown, findings=findings)


def latex(findings: Findings) -> str:
    """The findings as LaTeX: a table of models, then each part's verdict, findings and measures."""
    return _document("report.tex", in_latex, findings=findings)


def latex_table(table: Table) -> str:
    """One table as LaTeX, with the packages that it needs in a comment."""
    return _document("table.tex", in_latex, grid=grid(table), caption=table.title)
