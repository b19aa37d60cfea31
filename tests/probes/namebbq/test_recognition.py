from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias import open_run, run
from geobias.measures.estimates import whole
from geobias.probes.namebbq import plan
from geobias.probes.namebbq.measures import measure
from geobias.probes.namebbq.recognition import (
    RECOGNITION_RECORDS,
    frame_of,
    nationality_in,
    read,
    with_recognition,
)
from geobias.probes.namebbq.scores import frame_of as items_of
from geobias.report.findings import collect
from geobias.stats.estimates import Estimate
from geobias.trials import Reply
from tests.cli.running import geobias
from tests.defined import defined
from tests.labelled import table_beside
from tests.probes.answering import rows
from tests.probes.namebbq.test_names import a_name

NKECHI = a_name("Nkechi", "Nigerian", "NGA")


@pytest.mark.parametrize("row", table_beside(__file__, "recognised.csv"))
def test_a_nationality_a_country_or_a_people_is_read(row: dict[str, str]) -> None:
    outcome, said, _ = nationality_in(row["reply"])
    assert (outcome, " ".join(said)) == (row["outcome"], row["said"])


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert nationality_in(text)[0] in ("read", "unread", "refused")


def test_the_first_nationality_counts_and_the_others_are_kept() -> None:
    right, late = (read("x/0", 0, NKECHI, Reply(t)) for t in ("Nigerian", "Ghanaian or Nigerian"))
    assert right.recognised is True
    assert (late.recognised, late.said) == (False, "GHA;NGA")


def test_a_nationality_that_only_a_users_table_has_is_read() -> None:
    record = read("x/0", 0, a_name("Neus", "Ladin", "ITA"), Reply("Ladin"))
    assert record.recognised is True
    group = read("x/0", 0, a_name("Neus", "Old Believer", ""), Reply("Old Believer"))
    assert group.recognised is True


def test_recognition_is_asked_only_where_it_is_wanted() -> None:
    usual, asked = plan(), plan(recognition=True)
    assert usual.settings["recognition"] is False
    assert RECOGNITION_RECORDS not in usual.planned
    names = asked.planned[RECOGNITION_RECORDS]
    assert 0 < names <= 2 * asked.planned["namebbq"]
    assert asked.count == usual.count + names == len(list(asked.trials()))
    assert plan(recognition=True, names=0).planned[RECOGNITION_RECORDS] == 0


def share(replies: dict[str, str]) -> Estimate:
    """The share of Danish names recognised, of what was replied about them."""
    people = [a_name(name, "Danish", "DNK") for name in replies]
    records = [read(f"x/{one.name}", 0, one, Reply(replies[one.name])) for one in people]
    return whole(frame_of(rows(records)), measure("recognition")).found


def test_names_of_one_nationality_have_wilsons_interval() -> None:
    found = share({"A": "Danish"} | dict.fromkeys("BCDEFGHIJ", "Swedish"))
    assert (found.low, found.high) == pytest.approx((0.0179, 0.4042), abs=1e-4)


def test_a_share_is_of_the_names_that_were_read() -> None:
    replies = {
        "A": "Danish",
        "B": "Unknown.",
        "C": "Swedish",
        "D": "Tell us more.",
        "E": "I can't assume that.",
    }
    found = share(replies)
    assert found.value == pytest.approx(1 / 3)
    assert found.n == 3


@pytest.mark.parametrize(
    ("planted", "retention", "cautioned"),
    [(0.0, (0.0, 0.0), True), (0.5, (0.1, 0.45), True), (1.0, (0.7, 1.2), False)],
)
def test_planted_recognition_comes_out_and_explains_retention(
    tmp_path: Path, planted: float, retention: tuple[float, float], cautioned: bool
) -> None:
    path = tmp_path / "run.geobias"
    model = f"sim/fair?stereotype=0.9&name_recognition={planted}"
    run([plan(size="quick", names=4, recognition=True)], model, path)
    with open_run(path) as reader:
        found = collect([reader], brief=True)
        [section] = found.sections
        metrics = {one.name: one for one in section.metrics}
        share, kept = metrics["namebbq.recognition"], metrics["namebbq.error_retention_ambiguous"]
        assert defined(share.low) <= planted <= defined(share.high)
        assert retention[0] <= defined(kept.value) <= retention[1]
        said = [one.text for one in found.sentences if one.kind == "caution"]
        assert any("that it does not recognise" in text for text in said) is cautioned
        frame = items_of(reader.records("namebbq"))
        parted = with_recognition(frame, frame_of(reader.records(RECOGNITION_RECORDS)))
    leans = parted.filter(dataset="name", condition="ambig").group_by("both_recognised")
    means = dict(leans.agg(pl.col("lean").mean()).iter_rows())
    assert None not in means
    assert means.get(False, 0) == 0, "of names that it does not know it assumes nothing"
    assert means.get(True, 0.9) > 0.7


def test_a_run_without_it_has_no_share(tmp_path: Path) -> None:
    path = tmp_path / "run.geobias"
    run([plan()], "sim/fair", path)
    done = geobias("table", "namebbq.recognition", path)
    assert done.code == 2
    assert "was not asked what recognition is about" in done.err
