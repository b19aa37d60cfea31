r"""The findings as Markdown and LaTeX, and citations as BibTeX.

Markdown is for pull requests and model cards. LaTeX tables are to be \input into a paper. They need
the packages booktabs, longtable, array and textcomp, lscape for tables that are too wide for an
upright page, and T1 fonts. Letters of scripts other than Latin, and signs that T1 fonts lack, need
XeLaTeX or LuaLaTeX and a font that has them; pdfLaTeX prints their code points instead. BibTeX has
geobias and the papers whose benchmarks were run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, metadata

import msgspec

from geobias.probes import derived
from geobias.probes.probe import Citation
from geobias.probes.registry import all_probes
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

SUMMARY_NOTE = "95% intervals in brackets, then what they rest on. A star: not complete."
_INTERVAL = r"\[[-−]?[\d.,]+, [-−]?[\d.,]+\](?![(\[:])"
_MARK = re.compile(
    rf"(?P<kept>{_INTERVAL})|[\\`*_\[\]<>|~$@#^]|&(?=#?\w{{1,32}};)|(?<=:)//|(?<=www)\.", re.I
)


def in_markdown(text: str) -> str:
    """Text escaped for Markdown: no markup, HTML, link or table cell of its own.

    It is meant for the middle of a line, so characters that only count at its start stay, and so
    does an interval, which cannot be read as a link.
    """
    return _MARK.sub(lambda mark: mark["kept"] or "\\" + mark[0], one_line(text))


def markdown(findings: Findings) -> str:
    """The findings, screens and metrics; tables are in the other formats."""
    blocks = ["# Geographic bias audit", "## What was found", *_opening(findings)]
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


def markdown_summary(findings: Findings) -> str:
    """One table with a row for each model and a column for each probe's primary number."""
    return f"{markdown_table(summary_grid(findings))}\n\n{SUMMARY_NOTE}\n"


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
    "% Made by geobias. Needs \\usepackage{booktabs,longtable,array,lscape,textcomp},",
    "% and \\usepackage[T1]{fontenc} with pdfLaTeX.",
    _OTHER_CHARACTERS,
)
_BEGIN = (
    "\\begingroup\\setlength{\\tabcolsep}{3pt}",
    "\\setlength{\\LTleft}{0pt plus 1fill}\\setlength{\\LTright}{0pt plus 1fill}",
)
_WIDEST = 26
"""Maximum letters of a text on one line."""
_FITS, _FITS_ON_ITS_SIDE = 78, 130
"""Maximum letters of a row in footnotesize, upright and on its side."""


def in_latex(text: str) -> str:
    """Text escaped for LaTeX. A character that no font has becomes its code point."""
    return "".join(
        _ESCAPES.get(c, c if c in _T1 else f"\\geobiaschar{{{ord(c):04X}}}") for c in one_line(text)
    )


def latex(findings: Findings, *, all_tables: bool = False) -> str:
    """The findings as a list, then the tables that papers print, or every table.

    Empty columns, and the names of measures for programs, are only in the other formats.
    """
    runs = runs_grid(findings.runs)
    lines = [
        *_PREAMBLE,
        *_list(
            f"{one.model}, {one.probe}: {one.text}" for one in findings.sentences if one.opening
        ),
        *_BEGIN,
        *_table(runs, "Runs", "runs"),
    ]
    for number, section in enumerate((*findings.over_models, *findings.sections), start=1):
        lines += _latex_section(section, number, findings.details(section), all_tables)
    return "\n".join([*lines, "\\endgroup"]) + "\n"


def latex_table(table: Table) -> str:
    """One table by itself, with the packages it needs in a comment."""
    lines = _table(grid(table), table.title, "geobias-table")
    return "\n".join([*_PREAMBLE, *_BEGIN, *lines, "\\endgroup"]) + "\n"


def latex_summary(findings: Findings) -> str:
    """The summary table for a paper."""
    caption = f"Geographic bias. {SUMMARY_NOTE}"
    table = _table(summary_grid(findings), caption, "geobias-summary")
    return "\n".join([*_PREAMBLE, *_BEGIN, *table, "\\endgroup"]) + "\n"


def _list(texts: Iterable[str]) -> list[str]:
    items = [f"\\item {in_latex(text)}" for text in texts]
    return ["\\begin{itemize}", *items, "\\end{itemize}"] if items else []


def _latex_section(
    section: Section, number: int, details: list[str], all_tables: bool
) -> list[str]:
    where = f"{section.probe}, {section.model}"
    lines = [f"\n% {in_latex(where)}"]
    if section.why_not:
        lines.append(f"\\paragraph{{{in_latex(where)}}} {in_latex(because(section.why_not))}")
    lines += [in_latex(section.verdict)] if section.verdict else []
    lines += _list(details)
    for check in section.checks:
        lines.append(f"\\paragraph{{Checked by people}} {in_latex(check.text)}")
    label = f"{section.probe}-{number}"
    metrics = metrics_grid(section.metrics)
    short = metrics.only_columns(range(len(metrics.headings) - 1))  # without the notes
    lines += _table(short, f"Measures: {where}", f"{label}-measures")
    probe = all_probes()[section.probe]
    of_paper = derived.printed_tables(probe)
    minor = derived.MINOR_COLUMNS
    for name, table in section.tables.items():
        printed = name in of_paper or name.startswith("published")
        if table.rows and (all_tables or printed):
            caption = f"{table.title}: {where}. {table.note.replace('`', '')}"
            columns = [column for column in table.columns if all_tables or column.name not in minor]
            cells = grid(msgspec.structs.replace(table, columns=columns))
            lines += _table(cells, caption, f"{label}-{name}")
    return lines


def _table(cells: Grid, caption: str, label: str) -> list[str]:
    """A longtable, since some tables have a row for every economy, in type that fits the line."""
    cells = cells.without_empty_columns()
    on_its_side, size, columns = _layout(cells)
    heading = _row(cells.headings)
    lines = [
        f"{{\\{size}",
        f"\\begin{{longtable}}{{{columns}}}",
        f"\\caption{{{in_latex(caption)}\\label{{tab:{label}}}}}\\\\",
        f"\\toprule\n{heading}\n\\midrule\n\\endfirsthead",
        f"\\toprule\n{heading}\n\\midrule\n\\endhead",
        "\\bottomrule\n\\endlastfoot",
        *(_row(row) for row in cells.rows),
        "\\end{longtable}}",
    ]
    return ["\\begin{landscape}", *lines, "\\end{landscape}"] if on_its_side else lines


def _layout(cells: Grid) -> tuple[bool, str, str]:
    """Whether the table stands on its side, its type size, and its columns.

    A column of long texts gets a width in proportion to its share of the row.
    """
    columns = zip(cells.headings, *cells.rows, strict=True)
    wide = [min(_WIDEST, max(map(len, texts))) + 2 for texts in columns]
    on_its_side = sum(wide) > _FITS
    room = max(sum(wide), _FITS_ON_ITS_SIDE if on_its_side else _FITS)
    size = "footnotesize" if room <= _FITS_ON_ITS_SIDE else "tiny"
    specs = [
        _lines(letters / room, numeric) if letters > _WIDEST else "r" if numeric else "l"
        for letters, numeric in zip(wide, cells.numeric, strict=True)
    ]
    return on_its_side, size, "".join(specs)


def _lines(share: float, numeric: bool) -> str:
    # The empty space lets TeX part the first word of a cell, too.
    ragged = "raggedleft" if numeric else "raggedright"
    return f">{{\\{ragged}\\hspace{{0pt}}\\arraybackslash}}p{{{share:.3f}\\linewidth}}"


def _row(cells: list[str]) -> str:
    return " & ".join(map(in_latex, cells)) + r" \\"


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_BIBTEX_MARK = re.compile(r"[&%$#_]")
_ARXIV = "https://arxiv.org/abs/"
_DOI = "https://doi.org/"


def bibtex(papers: Sequence[Citation], version: str, year: str = "") -> str:
    """An entry for geobias and one for each paper, each under a unique key.

    `year` is that of the runs. The address is the package's own, if it has one.
    """
    own = {
        "title": "{geobias: an audit of geographic bias in language models}",
        "author": "{The geobias authors}",
        "year": year,
        "note": f"Version {version}",
        "url": _home(),
    }
    entries = {"geobias": _entry("software", "geobias", own)}
    for paper in dict.fromkeys(papers):
        key = _free_key(paper, entries)
        entries[key] = _paper(paper, key)
    return "\n".join(entries.values())


def _paper(paper: Citation, key: str) -> str:
    place = _YEAR.sub("", paper.where).strip(" ,")
    fields = {
        "title": f"{{{_plain(paper.title)}}}",
        "author": " and ".join(map(_plain, paper.authors.split(", "))),
        "booktitle": _plain(place),
        "year": _year(paper),
        "doi": paper.link.removeprefix(_DOI) if paper.link.startswith(_DOI) else "",
        "eprint": paper.link.removeprefix(_ARXIV) if paper.link.startswith(_ARXIV) else "",
        "archiveprefix": "arXiv" if paper.link.startswith(_ARXIV) else "",
        "url": paper.link,
    }
    return _entry("inproceedings" if place else "misc", key, fields)


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def _free_key(paper: Citation, taken: Iterable[str]) -> str:
    """The first author's last name and the year, with a letter added if the key is taken."""
    name = re.sub(r"[^a-z]", "", paper.authors.split(", ")[0].split()[-1].lower()) or "paper"
    key = name + _year(paper)
    letters = ("", *"abcdefghijklmnopqrstuvwxyz")
    return next((f"{key}{more}" for more in letters if f"{key}{more}" not in taken), key)


def _year(paper: Citation) -> str:
    """The year in the paper's place of publication, or in its arXiv number, which begins
    with it.
    """
    if found := _YEAR.search(paper.where):
        return found[0]
    numbered = re.match(r"(\d\d)\d\d\.", paper.link.removeprefix(_ARXIV))
    return f"20{numbered[1]}" if numbered and paper.link.startswith(_ARXIV) else ""


def _home() -> str:
    """The first address in the package's metadata."""
    try:
        addresses = metadata("geobias").get_all("Project-URL") or [""]
    except PackageNotFoundError:
        return ""
    return str(addresses[0]).rpartition(", ")[2]


def _plain(text: str) -> str:
    """Text that BibTeX and LaTeX read literally."""
    safe = re.sub(r"[\\{}]", "", one_line(text))
    return _BIBTEX_MARK.sub(lambda mark: f"\\{mark[0]}", safe)
