"""The findings as LaTeX tables, to be \\input into a paper.

Needs the packages booktabs and longtable. Names in other scripts than Latin need XeLaTeX or
LuaLaTeX and a font that has them.
"""

from __future__ import annotations

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
    "₂": r"\textsubscript{2}", "-": "{-}", "\ufffd": "?",
}  # fmt: skip
"""Every character that TeX, or one of its ligatures, gives a meaning."""


def escaped(text: str) -> str:
    """Text that is typeset as itself, whatever it holds."""
    return "".join(_MEANING.get(character, character) for character in one_line(text))


def latex(findings: Findings) -> str:
    """What was found as a list, then every table of every section."""
    lines = [
        "% Made by geobias. Needs \\usepackage{booktabs,longtable,textcomp} and [T1]{fontenc}.",
        "\\begin{itemize}",
    ]
    for one in findings.sentences:
        lines.append(f"\\item {escaped(one.model)}, {escaped(one.probe)}: {escaped(one.text)}")
    lines += ["\\end{itemize}"] if findings.sentences else []
    if not findings.sentences:
        lines.remove("\\begin{itemize}")
    lines += _table(runs_grid(findings), "Runs", "runs")
    for number, section in enumerate(findings.sections, start=1):
        lines += _section(section, number)
    return "\n".join(lines) + "\n"


def _section(section: Section, number: int) -> list[str]:
    where = f"{section.probe}, {section.model}"
    lines = [f"\n% {escaped(where)}"]
    if section.why_not:
        lines.append(f"\\paragraph{{{escaped(where)}}} {escaped(because(section.why_not))}")
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
