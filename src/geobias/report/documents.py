r"""The findings as Markdown and as LaTeX tables, and BibTeX of the papers behind them.

The LaTeX is to be \input into a paper. It needs the packages booktabs, longtable and textcomp, and
T1 fonts. pdfLaTeX prints letters of other scripts, and signs that T1 fonts lack, as their numbers;
XeLaTeX and LuaLaTeX print them where the font has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import metadata

from geobias.probes.probe import Citation
from geobias.report.grids import (
    Grid,
    grid,
    metrics_grid,
    runs_grid,
    screens_grid,
    summary_grid,
)
from geobias.results.findings import Findings, Section, Table, because
from geobias.results.formatting import one_line

SUMMARY_NOTE = (
    "Brackets hold 95% intervals; the number of units follows. A star marks what is not complete."
)
_INTERVAL = r"\[[-−]?[\d.,]+, [-−]?[\d.,]+\](?![(\[:])"
_MARK = re.compile(
    rf"(?P<kept>{_INTERVAL})|[\\`*_\[\]<>|~$@#^]|&(?=#?\w{{1,32}};)|(?<=:)//|(?<=www)\.", re.I
)


def in_markdown(text: str) -> str:
    """Escape a text for Markdown, so that it makes no markup, HTML, link or table cell.

    The text must stand inside a line, since characters that have a meaning only at its start are
    not escaped. The brackets of an interval are not escaped either, since they cannot form a link.
    """
    return _MARK.sub(lambda mark: mark["kept"] or "\\" + mark[0], one_line(text))


def markdown(findings: Findings) -> str:
    """The findings as Markdown: sentences, screens and metrics, without the tables."""
    summary = markdown_table(summary_grid(findings))
    blocks = ["# Geographic bias audit", summary, SUMMARY_NOTE]
    blocks += ["## What was found", *_opening(findings)]
    blocks += ["## Runs", markdown_table(runs_grid(findings.runs))]
    blocks += [
        f"{run.id}, not sent: {in_markdown(', '.join(run.not_sent))}"
        for run in findings.runs
        if run.not_sent
    ]
    for section in (*findings.over_models, *findings.sections):
        blocks += _markdown_section(section, findings.details(section))
    blocks.append(f"Made by geobias {in_markdown(findings.geobias)}.")
    return "\n\n".join(filter(None, blocks)) + "\n"


def _opening(findings: Findings) -> list[str]:
    blocks = []
    for model in findings.models:
        lines = []
        for sentence in findings.sentences:
            if sentence.model == model and sentence.opening:
                bold = "**" if sentence.kind == "unmeasurable" else ""
                lines.append(
                    f"{in_markdown(sentence.probe)}: {bold}{in_markdown(sentence.text)}{bold}"
                )
        blocks += [f"**{in_markdown(model)}**", _bullets(lines)]
    return blocks


def _markdown_section(section: Section, details: list[str]) -> list[str]:
    replies = section.replies
    blocks = [
        f"## {in_markdown(section.title)} · {in_markdown(section.model)}",
        f"**{in_markdown(because(section.why_not))}**" if section.why_not else "",
        in_markdown(section.verdict),
        f"Of {replies.planned:,} planned, {replies.asked:,} were asked and {replies.read:,} read; "
        f"{replies.declined:,} declined, {replies.unread:,} unread, {replies.no_text:,} without "
        f"text, {replies.missing:,} not asked yet.",
        _bullets(map(in_markdown, details)),
        *map(in_markdown, section.notes),
        markdown_table(screens_grid(section)),
        *(f"Checked by people: {in_markdown(check.text)}" for check in section.checks),
        markdown_table(metrics_grid(section.metrics)),
    ]
    return blocks


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def markdown_table(cells: Grid) -> str:
    ends = ["--:" if numeric else ":--" for numeric in cells.numeric]
    rows = [[in_markdown(text) for text in row] for row in (cells.headings, *cells.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], ends, *rows[1:]))


_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "−": "$-$", "–": r"\textendash{}", "…": r"\ldots{}", "·": r"\textperiodcentered{}", "[": "{[}",
    "]": "{]}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}", "²": r"\textsuperscript{2}",
    "₂": r"\textsubscript{2}", "-": "{-}", "\ufffd": "?", "*": "{*}",
    "≥": r"$\geq$", "≤": r"$\leq$", "≠": r"$\neq$", "≈": r"$\approx$", "→": r"$\rightarrow$",
    "△": r"$\triangle$",
    "—": "---", "‘": r"\textquoteleft{}", "’": r"\textquoteright{}", "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}", "€": r"\texteuro{}",
}  # fmt: skip
"""Every character that has a meaning in TeX, in one of its ligatures or in a table's rows (a star
or a bracket after the end of a row), and signs whose code points not every engine accepts.
"""
_T1 = {chr(code) for code in (*range(0x20, 0x7F), *range(0xA1, 0x180))} - set("¸ĦħĸĿŀŉŦŧſ")
"""Characters that any engine prints in a T1 font."""
_OTHER_CHARACTERS = (
    '\\DeclareRobustCommand{\\geobiaschar}[1]{\\ifdefined\\directlua\\symbol{"#1}\\else'
    '\\ifdefined\\XeTeXrevision\\symbol{"#1}\\else[U+#1]\\fi\\fi}'
)
_PREAMBLE = (
    "% Made by geobias. Needs \\usepackage{booktabs,longtable,textcomp},",
    "% and \\usepackage[T1]{fontenc} with pdfLaTeX.",
    _OTHER_CHARACTERS,
)
_BEGIN = (
    "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{3pt}",
    "\\setlength{\\LTleft}{0pt plus 1fill}\\setlength{\\LTright}{0pt plus 1fill}",
)
_WIDEST = 26
"""Maximum letters of a text on one line of a cell."""


def in_latex(text: str) -> str:
    """Escape a text for LaTeX. A character that T1 fonts lack becomes its code point."""
    return "".join(
        _ESCAPES.get(c, c if c in _T1 else f"\\geobiaschar{{{ord(c):04X}}}") for c in one_line(text)
    )


def latex(findings: Findings) -> str:
    """The findings as LaTeX: a table of models, then each part's verdict, findings and measures.

    For other tables use `geobias table`.
    """
    lines = _table(summary_grid(findings), f"Geographic bias. {SUMMARY_NOTE}", "geobias-summary")
    for number, section in enumerate((*findings.over_models, *findings.sections), start=1):
        lines += _latex_section(section, number, findings.details(section))
    return _document(lines)


def latex_table(table: Table) -> str:
    """One table as LaTeX, with the packages that it needs in a comment."""
    return _document(_table(grid(table), table.title, "geobias-table"))


def _document(tables: Iterable[str]) -> str:
    return "\n".join([*_PREAMBLE, *_BEGIN, *tables, "\\endgroup"]) + "\n"


def _list(texts: Iterable[str]) -> list[str]:
    items = [f"\\item {in_latex(text)}" for text in texts]
    return ["\\begin{itemize}", *items, "\\end{itemize}"] if items else []


def _latex_section(section: Section, number: int, details: list[str]) -> list[str]:
    where = f"{section.probe}, {section.model}"
    lines = [f"\n% {in_latex(where)}"]
    if section.why_not:
        lines.append(f"\\paragraph{{{in_latex(where)}}} {in_latex(because(section.why_not))}")
    lines += [in_latex(section.verdict)] if section.verdict else []
    lines += _list(details)
    for check in section.checks:
        lines.append(f"\\paragraph{{Checked by people}} {in_latex(check.text)}")
    metrics = metrics_grid(section.metrics)
    short = metrics.only_columns(range(len(metrics.headings) - 1))  # without the last column
    return lines + _table(short, f"Measures: {where}", f"{section.probe}-{number}-measures")


def _table(cells: Grid, caption: str, label: str) -> list[str]:
    """A longtable, which can break across pages, since some tables have a row for every economy.

    Cells with long texts are set in several lines.
    """
    cells = cells.without_empty_columns()
    columns = zip(cells.headings, *cells.rows, strict=True)
    specs = [
        "p{.2\\linewidth}" if max(map(len, texts)) > _WIDEST else "r" if numeric else "l"
        for texts, numeric in zip(columns, cells.numeric, strict=True)
    ]
    heading = f"\\toprule\n{_row(cells.headings)}\n\\midrule"
    return [
        f"\\begin{{longtable}}{{{''.join(specs)}}}",
        f"\\caption{{{in_latex(caption)}\\label{{tab:{label}}}}}\\\\",
        f"{heading}\n\\endfirsthead",
        f"{heading}\n\\endhead",
        "\\bottomrule\n\\endlastfoot",
        *map(_row, cells.rows),
        "\\end{longtable}",
    ]


def _row(cells: list[str]) -> str:
    return " & ".join(map(in_latex, cells)) + r" \\"


_YEAR = re.compile(r"\b(?:19|20)\d\d\b|(?<=arxiv\.org/abs/)\d\d")
_BIBTEX_MARK = re.compile(r"[&%$#_]")


def bibtex(papers: Sequence[Citation], version: str, year: str = "") -> str:
    """BibTeX entries for geobias and for each paper, with unique keys.

    `year` is the year of the runs. The address of geobias is the first in the package's metadata.
    """
    home = metadata("geobias").get_all("Project-URL") or [""]
    own = {
        "title": "{geobias: an audit of geographic bias in language models}",
        "author": "{The geobias authors}",
        "year": year,
        "note": f"Version {version}",
        "url": str(home[0]).rpartition(", ")[2],
    }
    entries = {"geobias": _entry("geobias", own)}
    for paper in dict.fromkeys(papers):
        found = _YEAR.search(f"{paper.where} {paper.link}")
        year = f"20{found[0]}"[-4:] if found else ""
        first = paper.authors.split(", ")[0].split()[-1].lower()
        key = (re.sub(r"[^a-z]", "", first) or "paper") + year
        while key in entries:
            key += "a"
        fields = {
            "title": f"{{{_plain(paper.title)}}}",
            "author": " and ".join(map(_plain, paper.authors.split(", "))),
            "howpublished": _plain(paper.where),
            "year": year,
            "url": paper.link,
        }
        entries[key] = _entry(key, fields)
    return "\n".join(entries.values())


def _entry(key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _plain(text: str) -> str:
    """Escape a text so that BibTeX and LaTeX read it literally."""
    safe = re.sub(r"[\\{}]", "", one_line(text))
    return _BIBTEX_MARK.sub(lambda mark: f"\\{mark[0]}", safe)
