"""The findings as LaTeX tables, to be \\input into a paper.

Needs the packages booktabs, longtable and textcomp, and T1 fonts. Letters in other scripts than
Latin, and signs that T1 fonts lack, need XeLaTeX or LuaLaTeX and a font that has them; pdfLaTeX
prints their numbers instead and goes on.
"""

from __future__ import annotations

from collections.abc import Iterable

from geobias.probes.screens import because
from geobias.report.findings import Findings, Section
from geobias.report.grid import Grid, grid, metrics_grid, runs_grid
from geobias.report.text import one_line

_MEANING = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "−": "$-$", "–": "--", "…": r"\ldots{}", "·": r"\textperiodcentered{}", "[": "{[}",
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
_OTHER = (
    '\\DeclareRobustCommand{\\geobiaschar}[1]{\\ifdefined\\directlua\\symbol{"#1}\\else'
    '\\ifdefined\\XeTeXrevision\\symbol{"#1}\\else[U+#1]\\fi\\fi}'
)


def escaped(text: str) -> str:
    """Text that is typeset as itself, whatever it holds; what a font lacks as its number."""
    return "".join(_set(character) for character in one_line(text))


def _set(character: str) -> str:
    if character in _MEANING:
        return _MEANING[character]
    return character if character in _T1 else f"\\geobiaschar{{{ord(character):04X}}}"


def latex(findings: Findings) -> str:
    """What was found as a list, then every table of every section."""
    lines = [
        "% Made by geobias. Needs \\usepackage{booktabs,longtable,textcomp} and [T1]{fontenc}.",
        _OTHER,
        *_list(
            f"{one.model}, {one.probe}: {one.text}" for one in findings.sentences if one.opening
        ),
    ]
    lines += _table(runs_grid(findings), "Runs", "runs")
    for number, section in enumerate(findings.sections, start=1):
        lines += _section(section, number, findings.details(section))
    return "\n".join(lines) + "\n"


def _list(texts: Iterable[str]) -> list[str]:
    items = [f"\\item {escaped(text)}" for text in texts]
    return ["\\begin{itemize}", *items, "\\end{itemize}"] if items else []


def _section(section: Section, number: int, details: list[str]) -> list[str]:
    where = f"{section.probe}, {section.model}"
    lines = [f"\n% {escaped(where)}"]
    if section.why_not:
        lines.append(f"\\paragraph{{{escaped(where)}}} {escaped(because(section.why_not))}")
    lines += _list(details)
    for check in section.checks:
        lines.append(f"\\paragraph{{Checked by people}} {escaped(check.text)}")
    label = f"{section.probe}-{number}"
    lines += _table(metrics_grid(section.metrics), f"Measures: {where}", f"{label}-measures")
    for name, table in section.tables.items():
        if table.rows:
            caption = f"{table.title}: {where}. {table.note.replace('`', '')}"
            lines += _table(grid(table), caption, f"{label}-{name}")
    return lines


def _table(one: Grid, caption: str, label: str) -> list[str]:
    """A longtable, since some have a row for every economy."""
    columns = "".join("r" if numeric else "l" for numeric in one.numeric)
    heading = _row(one.headings)
    return [
        f"\\begin{{longtable}}{{{columns}}}",
        f"\\caption{{{escaped(caption)}\\label{{tab:{label}}}}}\\\\",
        f"\\toprule\n{heading}\n\\midrule\n\\endfirsthead",
        f"\\toprule\n{heading}\n\\midrule\n\\endhead",
        "\\bottomrule\n\\endlastfoot",
        *(_row(row) for row in one.rows),
        "\\end{longtable}",
    ]


def _row(cells: list[str]) -> str:
    return " & ".join(escaped(cell) for cell in cells) + r" \\"
