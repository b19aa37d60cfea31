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
from geobias.report.naming import with_short_names
from geobias.results.findings import Findings, Section
from geobias.results.formatting import NOTHING
from geobias.results.screens import because
from geobias.results.text import one_line

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
_TYPES = (
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
    return "".join(_set(character) for character in one_line(text))


def _set(character: str) -> str:
    if character in _MEANING:
        return _MEANING[character]
    return character if character in _T1 else f"\\geobiaschar{{{ord(character):04X}}}"


def latex(findings: Findings, *, all_tables: bool = False) -> str:
    """What was found as a list, then the tables that papers print, or every table.

    Columns that say nothing, and the names of measures for programs, are left to the other formats.
    Models go by short names; the table of runs has their whole ones.
    """
    runs = runs_grid(findings)
    findings = with_short_names(findings)
    lines = [
        "% Made by geobias. Needs \\usepackage{booktabs,longtable,array,lscape,textcomp},",
        "% and \\usepackage[T1]{fontenc} with pdfLaTeX.",
        "\\providecommand{\\geobiasbreak}{\\hskip0pt\\relax}",
        _OTHER,
        *_list(
            f"{one.model}, {one.probe}: {one.text}" for one in findings.sentences if one.opening
        ),
        "\\begingroup\\setlength{\\tabcolsep}{3pt}",
        "\\setlength{\\LTleft}{0pt plus 1fill}\\setlength{\\LTright}{0pt plus 1fill}",
    ]
    lines += _table(runs, "Runs", "runs")
    for number, section in enumerate(findings.sections, start=1):
        lines += _section(section, number, findings.details(section), all_tables)
    return "\n".join([*lines, "\\endgroup"]) + "\n"


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
    measures = _without(metrics_grid(section.metrics), "name")
    lines += _table(measures, f"Measures: {where}", f"{label}-measures")
    probe = all_probes()[section.probe]
    for name, table in section.tables.items():
        printed = name in probe.printed_tables or name.startswith("published")
        if table.rows and (all_tables or printed):
            caption = f"{table.title}: {where}. {table.note.replace('`', '')}"
            left_out = frozenset[str]() if all_tables else probe.minor_columns
            shown = [one for one in table.columns if one.name not in left_out]
            rows = grid(msgspec.structs.replace(table, columns=shown))
            lines += _table(rows, caption, f"{label}-{name}")
    return lines


def _without(one: Grid, heading: str) -> Grid:
    kept = [i for i, word in enumerate(one.headings) if word != heading]
    return _columns(one, kept)


def _filled(one: Grid) -> Grid:
    """The grid without columns that say nothing in any row."""
    kept = [
        i
        for i in range(len(one.headings))
        if not one.rows or any(row[i] not in ("", NOTHING) for row in one.rows)
    ]
    return _columns(one, kept)


def _columns(one: Grid, kept: list[int]) -> Grid:
    return Grid(
        [one.headings[i] for i in kept],
        [one.numeric[i] for i in kept],
        [[row[i] for i in kept] for row in one.rows],
        one.left_out,
    )


def _table(given: Grid, caption: str, label: str) -> list[str]:
    """A longtable, since some have a row for every economy, in type that fits the line."""
    one = _filled(given)
    on_its_side, size, widths = _fitted(one)
    heading = _row(one.headings)
    return [
        *(["\\begin{landscape}"] if on_its_side else []),
        f"{{\\{size}",
        f"\\begin{{longtable}}{{{widths}}}",
        f"\\caption{{{escaped(caption)}\\label{{tab:{label}}}}}\\\\",
        f"\\toprule\n{heading}\n\\midrule\n\\endfirsthead",
        f"\\toprule\n{heading}\n\\midrule\n\\endhead",
        "\\bottomrule\n\\endlastfoot",
        *(_row(row) for row in one.rows),
        "\\end{longtable}}",
        *(["\\end{landscape}"] if on_its_side else []),
    ]


def _fitted(one: Grid) -> tuple[bool, str, str]:
    """Whether the table stands on its side, in which type, and its columns.

    Where whole cells do not fit, columns are set in lines: each gets what its longest number or
    syllable needs, and a share of the rest by how much longer its texts are.
    """
    cells = [[row[i] for row in one.rows] for i in range(len(one.headings))]
    longest = [
        max(map(len, [head, *texts])) for head, texts in zip(one.headings, cells, strict=True)
    ]
    gaps = _GAP * len(cells)
    _, best, letter = _TYPES[0]
    if sum(longest) * letter + gaps <= _LINE[False] and max(longest) <= _WIDEST:
        return False, best, "".join("r" if numeric else "l" for numeric in one.numeric)
    least = [
        max(_needed(head, numeric=False), *(_needed(text, numeric=numeric) for text in texts), 2)
        for head, texts, numeric in zip(one.headings, cells, one.numeric, strict=True)
    ]
    wanted = [max(need, min(long, _WIDEST)) for need, long in zip(least, longest, strict=True)]
    on_its_side, size, letter = next(
        (way for way in _TYPES if sum(least) * way[2] + gaps <= _LINE[way[0]]), _TYPES[-1]
    )
    room = (_LINE[on_its_side] - gaps) / letter
    spare = min(1.0, max(0.0, room - sum(least)) / max(1, sum(wanted) - sum(least)))
    widths = [need + spare * (want - need) for need, want in zip(least, wanted, strict=True)]
    whole = max(room, sum(widths))
    columns = [
        _column(width / whole, len(cells), numeric)
        for width, numeric in zip(widths, one.numeric, strict=True)
    ]
    return on_its_side, size, "".join(columns)


def _needed(text: str, *, numeric: bool) -> int:
    """Letters of the longest piece that cannot be parted; words are, at their syllables."""
    if not numeric:
        for mark in _BREAKS:
            text = text.replace(mark, f"{mark} ")
    pieces = [len(word) for word in text.split()]
    most = max(pieces, default=0)
    return most if numeric else min(most, _SYLLABLES)


def _column(share: float, columns: int, numeric: bool) -> str:
    ragged = "raggedleft" if numeric else "raggedright"
    gaps = f"{share * _GAP * columns:.2f}pt"
    # The empty space lets TeX part the first word of a cell, too.
    return (
        f">{{\\{ragged}\\hspace{{0pt}}\\arraybackslash}}"
        f"p{{\\dimexpr{share:.4f}\\linewidth-{gaps}\\relax}}"
    )


def _row(cells: list[str]) -> str:
    return " & ".join(_breakable(cell) for cell in cells) + r" \\"


def _breakable(text: str) -> str:
    """A cell's text; a long name may go on in the next line after a point, a dash or a slash."""
    return " ".join(_parted(word) for word in one_line(text).split())


def _parted(word: str) -> str:
    if len(word) <= _SYLLABLES or not any(letter.isalpha() for letter in word):
        return escaped(word)
    pieces = re.split(rf"(?<=[{re.escape(_BREAKS)}])(?!$)", word)
    return r"\geobiasbreak{}".join(map(escaped, pieces))
