"""The findings as LaTeX tables, to be \\input into a paper.

Needs the packages booktabs, longtable, array and textcomp, lscape for tables that are too wide for
an upright page, and T1 fonts. Letters in other scripts than Latin, and signs that T1 fonts lack,
need XeLaTeX or LuaLaTeX and a font that has them; pdfLaTeX prints their numbers and goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from geobias.probes.registry import all_probes
from geobias.report.grid import Grid, grid, metrics_grid, runs_grid
from geobias.report.headlines import headline_grid, headline_notes
from geobias.report.model_names import with_short_names
from geobias.results.findings import Findings, Section
from geobias.results.screens import because
from geobias.results.text import one_line

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
"""Every character that TeX, one of its ligatures or a table's rows give a meaning (a star or a
bracket after a row's end), and signs that not every engine has under their number."""
_T1 = {chr(code) for code in (*range(0x20, 0x7F), *range(0xA1, 0x180))} - set("¸ĦħĸĿŀŉŦŧſ")
"""What any engine prints in a T1 font."""
_OTHER_CHARACTERS = (
    '\\DeclareRobustCommand{\\geobiaschar}[1]{\\ifdefined\\directlua\\symbol{"#1}\\else'
    '\\ifdefined\\XeTeXrevision\\symbol{"#1}\\else[U+#1]\\fi\\fi}'
)
_PREAMBLE = (
    "% Made by geobias. Needs \\usepackage{booktabs,longtable,array,lscape,textcomp},",
    "% and \\usepackage[T1]{fontenc} with pdfLaTeX.",
    "\\providecommand{\\geobiasbreak}{\\hskip0pt\\relax}",
    _OTHER_CHARACTERS,
)
_BEGIN = (
    "\\begingroup\\setlength{\\tabcolsep}{3pt}",
    "\\setlength{\\LTleft}{0pt plus 1fill}\\setlength{\\LTright}{0pt plus 1fill}",
)
_LAYOUTS = (
    (False, "footnotesize", 4.4),
    (False, "scriptsize", 4.0),
    (True, "footnotesize", 4.4),
    (True, "scriptsize", 4.0),
    (True, "tiny", 3.2),
)
"""How a table may be set, the best way first: whether on its side, in which type, and the points
that a letter of it takes."""
_LINE, _GAP = {False: 345, True: 550}, 6
"""Points of a line of LaTeX's article, upright and on its side, and between two columns."""
_WIDEST = 26
"""Letters of a text before it is set in several lines."""
_SYLLABLES = 8
"""Letters of a word of text that stay together where a column is narrow."""
_BREAKS = "-/._#:"
"""After these a name may go on in the next line."""


def escaped(text: str) -> str:
    """Text that is typeset as itself, whatever it holds; what a font lacks as its number."""
    return "".join(
        _ESCAPES.get(c, c if c in _T1 else f"\\geobiaschar{{{ord(c):04X}}}") for c in one_line(text)
    )


def latex(findings: Findings, *, all_tables: bool = False) -> str:
    """What was found as a list, then the tables that papers print, or every table.

    Columns that say nothing, and the names of measures for programs, are left to the other formats.
    Models go by short names; the table of runs has their whole ones.
    """
    runs = runs_grid(findings)
    findings = with_short_names(findings)
    lines = [
        *_PREAMBLE,
        *_list(
            f"{one.model}, {one.probe}: {one.text}" for one in findings.sentences if one.opening
        ),
        *_BEGIN,
        *_table(runs, "Runs", "runs"),
    ]
    for number, section in enumerate((*findings.over_models, *findings.sections), start=1):
        lines += _section(section, number, findings.details(section), all_tables)
    return "\n".join([*lines, "\\endgroup"]) + "\n"


def latex_summary(findings: Findings) -> str:
    """One table for a paper: a row for each model, a column for each headline number."""
    findings = with_short_names(findings)
    caption = " ".join(("Geographic bias.", *filter(None, headline_notes(findings))))
    table = _table(headline_grid(findings), caption, "geobias-summary")
    return "\n".join([*_PREAMBLE, *_BEGIN, *table, "\\endgroup"]) + "\n"


def _list(texts: Iterable[str]) -> list[str]:
    items = [f"\\item {escaped(text)}" for text in texts]
    return ["\\begin{itemize}", *items, "\\end{itemize}"] if items else []


def _section(section: Section, number: int, details: list[str], all_tables: bool) -> list[str]:
    where = f"{section.probe}, {section.model}"
    lines = [f"\n% {escaped(where)}"]
    if section.why_not:
        lines.append(f"\\paragraph{{{escaped(where)}}} {escaped(because(section.why_not))}")
    lines += _list(details)
    for check in section.checks:
        lines.append(f"\\paragraph{{Checked by people}} {escaped(check.text)}")
    label = f"{section.probe}-{number}"
    metrics = metrics_grid(section.metrics)
    metrics = metrics.only_columns(
        i for i, text in enumerate(metrics.headings) if text not in ("name", "beside it")
    )
    lines += _table(metrics, f"Measures: {where}", f"{label}-measures")
    probe = all_probes()[section.probe]
    for name, table in section.tables.items():
        printed = name in probe.printed_tables or name.startswith("published")
        if table.rows and (all_tables or printed):
            caption = f"{table.title}: {where}. {table.note.replace('`', '')}"
            columns = [
                column
                for column in table.columns
                if all_tables or column.name not in probe.minor_columns
            ]
            cells = grid(msgspec.structs.replace(table, columns=columns))
            lines += _table(cells, caption, f"{label}-{name}")
    return lines


def _table(cells: Grid, caption: str, label: str) -> list[str]:
    """A longtable, since some have a row for every economy, in type that fits the line."""
    cells = cells.without_empty_columns()
    on_its_side, size, columns = _layout(cells)
    heading = _row(cells.headings)
    lines = [
        f"{{\\{size}",
        f"\\begin{{longtable}}{{{columns}}}",
        f"\\caption{{{escaped(caption)}\\label{{tab:{label}}}}}\\\\",
        f"\\toprule\n{heading}\n\\midrule\n\\endfirsthead",
        f"\\toprule\n{heading}\n\\midrule\n\\endhead",
        "\\bottomrule\n\\endlastfoot",
        *(_row(row) for row in cells.rows),
        "\\end{longtable}}",
    ]
    return ["\\begin{landscape}", *lines, "\\end{landscape}"] if on_its_side else lines


def _layout(cells: Grid) -> tuple[bool, str, str]:
    """Whether the table stands on its side, in which type, and its columns.

    Where whole cells do not fit, columns are set in lines: each gets what its longest number or
    syllable needs, and a share of the rest by how much longer its texts are.
    """
    columns = [list(texts) for texts in zip(cells.headings, *cells.rows, strict=True)]
    longest = [max(map(len, texts)) for texts in columns]
    gaps = _GAP * len(columns)
    _, best, letter = _LAYOUTS[0]
    if sum(longest) * letter + gaps <= _LINE[False] and max(longest) <= _WIDEST:
        return False, best, "".join("r" if numeric else "l" for numeric in cells.numeric)
    least = [
        max(_unbreakable(head, False), *(_unbreakable(text, numeric) for text in texts), 2)
        for (head, *texts), numeric in zip(columns, cells.numeric, strict=True)
    ]
    wanted = [max(need, min(long, _WIDEST)) for need, long in zip(least, longest, strict=True)]
    on_its_side, size, letter = next(
        (way for way in _LAYOUTS if sum(least) * way[2] + gaps <= _LINE[way[0]]), _LAYOUTS[-1]
    )
    room = (_LINE[on_its_side] - gaps) / letter
    spare = min(1.0, max(0.0, room - sum(least)) / max(1, sum(wanted) - sum(least)))
    widths = [need + spare * (want - need) for need, want in zip(least, wanted, strict=True)]
    whole = max(room, sum(widths))
    shares = zip((width / whole for width in widths), cells.numeric, strict=True)
    return on_its_side, size, "".join(_column(share, gaps, numeric) for share, numeric in shares)


def _unbreakable(text: str, numeric: bool) -> int:
    """Letters of the longest piece that cannot be parted; words are, at their syllables."""
    if numeric:
        return max(map(len, text.split()), default=0)
    pieces = re.split(rf"\s+|(?<=[{re.escape(_BREAKS)}])", text)
    return min(max(map(len, pieces)), _SYLLABLES)


def _column(share: float, gaps: int, numeric: bool) -> str:
    ragged = "raggedleft" if numeric else "raggedright"
    # The empty space lets TeX part the first word of a cell, too.
    return (
        f">{{\\{ragged}\\hspace{{0pt}}\\arraybackslash}}"
        f"p{{\\dimexpr{share:.4f}\\linewidth-{share * gaps:.2f}pt\\relax}}"
    )


def _row(cells: list[str]) -> str:
    return " & ".join(" ".join(map(_breakable, cell.split())) for cell in cells) + r" \\"


def _breakable(word: str) -> str:
    """A word; a long name may go on in the next line after a point, a dash or a slash."""
    if len(word) <= _SYLLABLES or not any(letter.isalpha() for letter in word):
        return escaped(word)
    pieces = re.split(rf"(?<=[{re.escape(_BREAKS)}])(?!$)", word)
    return r"\geobiasbreak{}".join(map(escaped, pieces))
