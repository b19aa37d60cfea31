from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import geobias
from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.probes import worldbench
from geobias.probes.registry import find_probe
from geobias.report.comparing import Compared, differing
from geobias.results.changes import Change, direction
from geobias.results.findings import Findings
from geobias.runfile import Manifest
from tests.cli.running import geobias as command
from tests.defined import defined
from tests.report.made import change as made_change
from tests.report.made import changed

few = partial(worldbench.plan, indicators=["population"], countries=["Kenya", "France", "Peru"])


@pytest.fixture(scope="module")
def compared(fair: Path, biased: Path) -> Compared:
    return geobias.compare(fair, biased)


def change(compared: Compared, metric: str, by: str = "all", group: str = "all") -> Change:
    return next(
        one
        for pair in compared.pairs
        for one in pair.changes
        if (one.metric, one.by, one.group) == (metric, by, group)
    )


def test_a_planted_loss_of_knowledge_is_found_where_it_is(compared: Compared) -> None:
    poor = change(compared, "worldbench.error", "income", "Low income")
    rich = change(compared, "worldbench.error", "region", "North America")
    assert defined(poor.difference_low) > 0.1
    assert defined(poor.p_adjusted) < 0.05
    assert rich.p_adjusted is None or rich.p_adjusted > 0.05


def test_on_the_same_questions_mean_errors_are_those_of_the_report(
    compared: Compared, findings: Findings
) -> None:
    # Some countries lack the harder indicator: the report allows for that.
    section = findings.sections[0]
    whole = next(one for one in section.metrics if one.name == "worldbench.error")
    assert change(compared, "worldbench.error").second == pytest.approx(whole.value)
    for by in ("region", "income"):
        for row in section.tables[f"error_by_{by}"].rows:
            own = change(compared, "worldbench.error", by, str(row["group"]))
            assert own.second == pytest.approx(row["mean"]), row["group"]


def test_a_planted_stereotype_is_found(compared: Compared) -> None:
    lean = change(compared, "namebbq.bias_ambiguous")
    assert (lean.first, lean.counted) == (0, "nationalities")
    assert defined(lean.difference_low) > 0.5


def test_a_planted_gap_between_incomes_grew_surely(compared: Compared) -> None:
    between = "low income minus high income, by the trend"
    gap = change(compared, "worldbench.income_trend", "gap", between)
    assert defined(gap.difference_low) > 0.05
    assert defined(gap.p_adjusted) < 0.05
    assert gap.counted == "countries"
    assert gap.n > 200


def test_poor_countries_are_named_only_if_they_were_asked_about(tmp_path: Path) -> None:
    by_income = defaultdict(list)
    for one in economies().values():
        by_income[one.income].append(one.iso3)
    asked = by_income["Lower middle income"][:8] + by_income["High income"][:8]
    runs = [tmp_path / f"{name}.geobias" for name in ("fair", "biased")]
    for run in runs:
        plan = worldbench.plan(indicators=["population"], countries=asked)
        geobias.run([plan], f"sim/{run.stem}", run)
    words = "lower-middle-income minus rich"
    assert f"error, {words} countries" in " ".join(command("compare", *runs).out.split())
    between = "lower middle income minus high income, by the trend"
    change(geobias.compare(*runs), "worldbench.income_trend", "gap", between)
    sentences = [one.text for one in geobias.findings(*runs).sentences]
    assert any(f"Over all models, {words}" in one for one in sentences)
    assert not any("poor" in one for one in sentences)


def test_items_that_turned_right_and_wrong_are_counted(compared: Compared) -> None:
    right = change(compared, "namebbq.accuracy_ambiguous")
    assert right.gained == 0
    assert defined(right.lost) > 5
    assert change(compared, "worldbench.error").gained is None


def test_a_run_that_is_not_finished_is_said_to_be(tmp_path: Path, fair: Path) -> None:
    half = changed(fair, tmp_path / "half.geobias", "DELETE FROM records WHERE id % 2")
    pair = geobias.compare(fair, half).pairs[0]
    assert pair.missing_first == 0
    assert pair.missing_second == pair.only_first > 100
    said = command("compare", fair, half).out
    assert f"{pair.missing_second} are still" in " ".join(said.split())


def test_items_that_both_asked_and_those_that_both_read_are_told_apart(
    tmp_path: Path, fair: Path
) -> None:
    mute = changed(
        fair,
        tmp_path / "mute.geobias",
        "UPDATE records SET record = json_set(record, '$.value', NULL, '$.error', NULL) "
        "WHERE probe = 'worldbench' AND country = 'KEN'",
    )
    found = geobias.compare(fair, mute)
    pair = found.pairs[0]
    assert pair.shared - pair.read == 2
    assert change(found, "worldbench.error").items == pair.read
    said = f"{pair.read} of {pair.shared} shared items were scored in both"
    assert said in command("compare", fair, mute).out


def test_a_run_does_not_differ_from_itself(fair: Path) -> None:
    for pair in geobias.compare(fair, fair).pairs:
        alike = [one for one in pair.changes if one.by == "alike"]
        assert {one.difference for one in pair.changes if one not in alike} == {0.0}
        assert {one.p for one in alike} <= {1.0}


def test_only_shared_items_are_compared(tmp_path: Path, fair: Path) -> None:
    other = geobias.run([few()], "sim/biased", tmp_path / "few.geobias").path
    pair = geobias.compare(fair, other).pairs[0]
    assert (pair.shared, pair.only_second) == (3, 0)
    assert pair.only_first > 400
    assert any(said.startswith("countries") for said in pair.differs.choosing)


def test_runs_with_another_truth_are_refused_unless_asked_for(tmp_path: Path) -> None:
    runs = [
        geobias.run([few(ground_truth=rule)], "sim/fair", tmp_path / f"{rule}.geobias")
        for rule in ("average", "2020")
    ]
    paths = [one.path for one in runs]
    with pytest.raises(BadRequest, match=r"not comparable.*ground truth: average and 2020"):
        geobias.compare(*paths)
    pair = geobias.compare(*paths, anyway=True).pairs[0]
    assert [one.split()[-1] for one in pair.differs.forbidding] == ["2020"]


manifest: Callable[..., Manifest] = partial(
    Manifest, geobias="0", created="", probes={}, models={"model": "m"}
)


@pytest.mark.parametrize(
    ("probe", "field", "first", "second", "forbidding"),
    [
        ("worldbench", "editions", {"figures": "a"}, {"figures": "b"}, ["edition of figures"]),
        ("namebbq", "editions", {"figures": "a"}, {"figures": "b"}, []),
        ("geo20q", "editions", {"entities": "a"}, {"entities": "b"}, []),
        ("namebbq", "prompts", {"namebbq": "a"}, {"namebbq": "b"}, ["prompt of namebbq"]),
        ("worldbench", "prompts", {"namebbq": "a"}, {"namebbq": "b"}, []),
        ("geo20q", "prompts", {"geo20q.hi": "a"}, {"geo20q.hi": "b"}, ["prompt of geo20q.hi"]),
        ("worldbench", "prompts", {"geo20q.hi": "a"}, {"geo20q.hi": "b"}, []),
    ],
)
def test_only_editions_and_prompts_of_the_probe_itself_forbid_a_comparison(
    probe: str, field: str, first: dict[str, str], second: dict[str, str], forbidding: list[str]
) -> None:
    one, other = (manifest(**{field: value}) for value in (first, second))
    assert differing(find_probe(probe), one, other).forbidding == forbidding


@pytest.mark.parametrize(
    ("value", "said"), [(0.0, "0.0"), (0, "0"), (None, "none"), ("", "none"), (False, "none")]
)
def test_a_temperature_of_zero_is_a_temperature(value: object, said: str) -> None:
    one, other = (manifest(probes={"worldbench": {"temperature": t}}) for t in (value, 0.8))
    assert differing(find_probe("worldbench"), one, other).telling == [
        f"temperature: {said} and 0.8"
    ]


def test_runs_may_be_named_in_a_list(tmp_path: Path) -> None:
    models = ("sim/fair", "sim/biased")
    runs = [
        geobias.run([few()], one, tmp_path / f"{n}.geobias").path for n, one in enumerate(models)
    ]
    assert geobias.findings(runs).models == geobias.findings(*runs).models == list(models)
    assert len(geobias.compare(runs).pairs) == len(geobias.compare(*runs).pairs) == 1


def test_every_change_of_every_group_goes_to_a_file(
    fair: Path, biased: Path, compared: Compared, tmp_path: Path
) -> None:
    out = tmp_path / "changes.csv"
    assert command("compare", fair, biased, "--to", out).code == 0
    frame = pl.read_csv(out)
    assert frame.height == sum(len(pair.changes) for pair in compared.pairs)
    assert {"income", "region", "all"} <= set(frame["by"])


@pytest.mark.parametrize(
    ("first", "second", "better", "p", "expected"),
    [
        (0.5, 0.4, "low", 0.01, "better"),
        (0.5, 0.4, "high", 0.01, "worse"),
        (-0.4, -0.1, "zero", 0.01, "better"),
        (0.1, 0.4, "zero", 0.01, "worse"),
        (-0.2, 0.2, "zero", 0.01, "reversed"),
        (-0.3, 0.05, "zero", 0.01, "better"),
        (0.5, 0.4, "low", 0.2, "no clear change"),
        (0.5, 0.4, "low", None, "no clear change"),
    ],
)
def test_a_change_is_better_or_worse_only_where_it_is_clear(
    first: float, second: float, better: Any, p: float | None, expected: str
) -> None:
    one = made_change(first=first, second=second, difference=second - first, p=p, p_adjusted=p)
    assert direction(one, better) == expected
