"""What the page's tables show where they are long."""

from __future__ import annotations

import msgspec
import pytest

import geobias
from geobias.probes import namebbq as name_items
from geobias.report.documents import markdown
from geobias.report.findings import collect
from geobias.report.page.contents import MOST_ROWS, tables
from geobias.results.findings import Findings, Section
from geobias.runfile import RunReader
from tests.report.made import findings as made


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """Two models that were asked the quick items of Name-BBQ."""
    folder = tmp_path_factory.mktemp("two")
    plan = name_items.plan(size="quick")
    runs = [
        geobias.run([plan], model, folder / f"{i}.geobias").path
        for i, model in enumerate(("sim/biased?stereotype=0.9", "sim/fair"))
    ]
    with RunReader(runs[0]) as one, RunReader(runs[1]) as other:
        return collect([one, other])


def namebbq(found: Findings) -> list[Section]:
    return [section for section in found.sections if section.probe == "namebbq"]


def with_rows(found: Findings, count: int) -> Section:
    """The section with a table of so many rows."""
    section = found.sections[0]
    table = section.tables["error_by_region"]
    long = msgspec.structs.replace(table, rows=table.rows * count)
    return msgspec.structs.replace(section, tables={"regions": long})


def test_a_run_stands_before_the_papers_models_where_not_all_rows_fit(findings: Findings) -> None:
    section = namebbq(findings)[0]
    own = [row for row in section.tables["published"].rows if row["here"]]
    (shown,) = (one for one in tables([section]) if one["name"] == "published")
    assert own
    assert {row[0] for row in shown["rows"][: len(own)]} == {section.model}
    assert len(shown["rows"]) == MOST_ROWS
    assert shown["more_rows"] == len(section.tables["published"].rows) - MOST_ROWS


def test_markdown_shows_the_runs_own_rows_beside_the_papers(findings: Findings) -> None:
    text = markdown(findings)
    _, _, after = text.partition("### Beside the paper's six models")
    shown = after.partition("###")[0]
    assert "| sim/biased" in shown
    assert "more rows are left out here; `--format csv` or `json` has all of `published`" in shown


def test_two_models_get_the_same_number_of_rows_of_a_long_table(two: Findings) -> None:
    shown = {one["name"]: one for one in tables(namebbq(two))}
    models = [row[0] for row in shown["bias_ambiguous_by_template"]["rows"]]
    assert [models.count(one) for one in two.models] == [MOST_ROWS // 2] * 2
    beside = [row[0] for row in shown["published"]["rows"]]
    assert set(two.models) <= set(beside)


def test_the_papers_rows_stand_once_beside_several_models(two: Findings) -> None:
    (shown,) = (one for one in tables(namebbq(two)) if one["name"] == "published")
    rows = [tuple(row) for row in shown["rows"]]
    assert len(set(rows)) == len(rows)


def test_no_model_is_without_a_row_however_many_there_are() -> None:
    sections = [with_rows(made(text=f"m{i}"), 5) for i in range(30)]
    (shown,) = tables(sections)
    assert [row[0] for row in shown["rows"]] == [f"m{i}" for i in range(30)]
    assert shown["more_rows"] == 30 * 4
