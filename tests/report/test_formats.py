from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geobias.report.documents import escapes, in_latex, in_markdown, latex, markdown
from geobias.report.formats import FORMATS, as_csv, as_json, csv_of, json_schema
from geobias.results.findings import Findings
from geobias.results.formatting import one_line
from tests.report.made import findings as made
from tests.report.made import metric

HOSTILE = (
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "[click](http://evil.example)",
    "a | b\n# heading\n* item",
    '=HYPERLINK("http://evil.example")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "＝1+1",
    "\\input{/etc/passwd} $x_1^2$ 100% & #1 ~ {} \\end{longtable}",
    "\x1b[31mred\x1b[0m \u202e drawkcab \x00",
    "``` `code` ~~gone~~ **bold** &lt;b&gt; www.evil.example",
    "y" * 100_000,
)
any_text = st.text(max_size=60) | st.sampled_from(HOSTILE)


def test_a_document_without_its_sections_is_none_of_the_schema() -> None:
    import jsonschema  # type: ignore[import-untyped]

    document = json.loads(as_json(made()))
    del document["sections"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, json.loads(json_schema()))


def test_every_format_says_why_nothing_was_measured_before_any_score() -> None:
    found = made(metric(value=0.123456), why=("nobody spoke",))
    for name in ("md", "latex"):
        text = FORMATS[name](found)
        assert text.index("because nobody spoke") < text.index("0.123")
    assert all(row["measurable"] == "false" for row in csv.DictReader(io.StringIO(as_csv(found))))
    assert json.loads(as_json(found))["sections"][0]["why_not"] == ["nobody spoke"]


@given(any_text)
def test_text_in_markdown_is_never_markup(text: str) -> None:
    shown = in_markdown(text)
    assert "\n" not in shown
    for found in re.finditer(r"[`*_<>|~$@#^]", shown):
        backslashes = re.search(r"\\*$", shown[: found.start()])
        assert backslashes is not None
        assert len(backslashes[0]) % 2 == 1
    assert not re.search(r"(?<!\\)\]\(|://|www\.", shown, re.I)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_adds_no_line_and_no_cell_to_markdown(text: str) -> None:
    plain, shown = (markdown(made(text=one)).splitlines() for one in ("m", text))
    assert len(plain) == len(shown)
    for a, b in zip(plain, shown, strict=True):
        if a.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", a)) == len(re.findall(r"(?<!\\)\|", b))


@given(any_text)
def test_text_in_latex_is_never_a_command(text: str) -> None:
    shown = in_latex(text)
    known = r"[{}$&#%_]|(?:text\w+|ldots)\{\}|text(?:super|sub)script\{2\}"
    known += r"|geobiaschar\{[0-9A-F]{4,6}\}"
    rest = re.sub(rf"\\(?:{known})|\{{[\[\]*-]\}}|\$(?:-|\\[a-z]+)\$", "", shown)
    assert not re.search(r"[\\{}$&#%_^~*]", rest)
    assert all(character < "\u0180" for character in shown)


SIGNS = st.sampled_from(
    [*"&%_#~^\\{}$[]*-–—−≥≤≠≈→…·'`\"<>|²₂€‘’“”éłŦß", "😀", "中", "ह", "?`", "---"]
)


@given(st.lists(SIGNS | st.text(max_size=5), max_size=20).map("".join))
@example("––")
def test_text_in_latex_can_be_read_back(text: str) -> None:
    """Nothing is lost and nothing runs together: no ligature, no accent, no command's argument."""
    back = {shown: sign for sign, shown in escapes().items() if sign != "\ufffd"}
    longest = sorted(map(re.escape, back), key=len, reverse=True)
    tokens = re.compile("|".join([r"\\geobiaschar\{(?P<code>[0-9A-F]+)\}", *longest]))
    read = tokens.sub(
        lambda found: chr(int(found["code"], 16)) if found["code"] else back[found[0]],
        in_latex(text),
    )
    assert read == one_line(text).replace("\ufffd", "?")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_a_report_with_any_name_can_be_typeset(tmp_path: Path) -> None:
    hostile = "".join(HOSTILE[:-1]) + "−0.5 ≥ 3 ≤ 4 → 😀 中文 हिन्दी *star [x] São Tomé Ŧ ?` !` €"
    body = latex(made(text=hostile))
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}"
        "\\usepackage{booktabs,longtable,textcomp}\\begin{document}" + body + "\\end{document}",
        encoding="utf-8",
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_leaves_the_latex_environments_whole(text: str) -> None:
    shown = latex(made(text=text))
    begun, ended = (re.findall(rf"(?<!\\)\\{w}{{(\w+)}}", shown) for w in ("begin", "end"))
    assert begun == ["longtable"] * 2
    assert sorted(ended) == sorted(begun)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_cell_of_the_csv_is_a_formula_and_numbers_stay_numbers(text: str) -> None:
    unlikely = metric(value=-0.5, low=-0.7, high=None, caution=text, label=text)
    rows = list(csv.DictReader(io.StringIO(as_csv(made(unlikely, text=text)))))
    for row in rows:
        for value in row.values():
            if value[:1] in ("=", "+", "-", "@", "\t", "\r", "＝"):
                float(value)
    assert [(row["value"], row["low"], row["high"]) for row in rows] == [("-0.5", "-0.7", "")]


@pytest.mark.parametrize(("text", "kept"), [("-5", "-5"), ("-5+1", "'-5+1"), (" =1", "' =1")])
def test_text_that_is_a_number_is_no_formula(text: str, kept: str) -> None:
    assert csv_of(pl.DataFrame({"x": [text]})) == f"x\n{kept}\n"


def test_the_csv_has_a_row_for_every_metric_and_every_country(findings: Findings) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(findings))))
    metrics = {row["name"]: row for row in rows if not row["country"]}
    for section in findings.sections:
        for one in section.metrics:
            assert metrics[one.name]["value"] == ("" if one.value is None else repr(one.value))
    countries = [row for row in rows if row["country"]]
    assert len(countries) == sum(len(one.measures) for one in findings.countries)


def test_an_undefined_number_is_said_to_be_undefined() -> None:
    none = metric(value=None, low=None, high=None, undefined_because="nothing was answered")
    assert "nothing was answered" in markdown(made(none))
    assert "nothing was answered" in latex(made(none))


def test_latex_begins_with_one_table_of_models(findings: Findings) -> None:
    text = latex(findings)
    assert text.index("Model &") < text.index("Measures: worldbench")
    assert "worldbench.error" not in text, "names for programs are in the other formats"
