"""What the end of a run shows is what its report shows, though not everything is worked out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import geobias
from geobias.probes import derived, namebbq, worldbench
from geobias.probes.registry import all_probes, find_probe, plan_of
from geobias.report.documents import markdown
from geobias.report.findings import collect
from geobias.report.page import contents
from geobias.results.findings import Findings, Metric
from geobias.results.formatting import p_phrase
from geobias.results.tables import metric_value
from geobias.runfile import RunReader
from tests.defined import defined
from tests.probes.geo20q.made import write_table
from tests.report.made import answering, changed, found_in
from tests.servers import RawStart, completion


def metric(findings: Findings, name: str, model: str | None = None) -> Metric:
    section = defined(findings.section(name.partition(".")[0], model or findings.models[0]))
    return next(one for one in section.metrics if one.name == name)


ONLY_IF_ASKED_FOR = {"namebbq.recognition", "namebbq.bias_over_none", "namebbq.bias_over_same"}
ONLY_IF_ASKED_FOR |= {"worldbench.wording_share", "namebbq.wording_share"}
"""Metrics of --recognition, --controls and --paraphrases."""


def test_the_names_of_metrics_are_those_of_the_findings(findings: Findings) -> None:
    sections = [one for one in findings.sections if one.model == findings.models[0]]
    assert sections
    for section in sections:
        declared = set(derived.metric_names(all_probes()[section.probe]))
        found = {one.name for one in section.metrics}
        lacking = declared - found - {"namebbq.letter_mass"}
        assert lacking == ONLY_IF_ASKED_FOR & declared
        assert found <= declared


def test_planted_biases_are_found_and_said_with_their_numbers(findings: Findings) -> None:
    trend = metric(findings, "worldbench.income_trend")
    assert trend.primary
    assert defined(trend.p) < 0.01
    assert defined(trend.p_adjusted) >= defined(trend.p), "adjusted over the audit"
    bias = metric(findings, "namebbq.bias_ambiguous")
    assert defined(bias.low) > 0.5
    assert defined(bias.p) < 0.001
    for one, probe in ((trend, "worldbench"), (bias, "namebbq")):
        said = [sentence.text for sentence in findings.sentences if sentence.probe == probe]
        assert any(metric_value(one) in text for text in said)


def test_a_fair_model_shows_no_more_than_chance(fair_findings: Findings) -> None:
    gap = metric(fair_findings, "worldbench.region_disparity")
    assert defined(gap.p) > 0.05
    assert all(section.measurable for section in fair_findings.sections)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    plans = [worldbench.plan(indicators=["population", "gdp"]), namebbq.plan()]
    return geobias.run(plans, "sim/biased", tmp_path_factory.mktemp("quick") / "r.geobias").path


def test_findings_do_not_depend_on_the_order_in_which_trials_were_done(
    quick: Path, tmp_path: Path
) -> None:
    turned = changed(quick, tmp_path / quick.name, "UPDATE records SET id = -id")
    with RunReader(quick) as one, RunReader(turned) as other:
        assert next(one.records())["trial"] != next(other.records())["trial"]
        assert collect([other]) == found_in(quick)


def test_every_metric_with_a_value_has_an_n_and_lies_in_its_interval(findings: Findings) -> None:
    for section in findings.sections:
        for one in section.metrics:
            assert (one.value is None) == bool(one.undefined_because)
            if one.value is not None:
                assert one.n > 0
            if one.low is not None and one.high is not None and one.value is not None:
                assert one.low <= one.value <= one.high


def test_all_economies_have_a_profile_across_probes(findings: Findings) -> None:
    assert len(findings.countries) == 218
    profiles = {one.iso3: {m.metric for m in one.measures} for one in findings.countries}
    assert profiles["TWN"] <= {m for m in profiles["TWN"] if m.startswith("namebbq")}
    both = [found for found in profiles.values() if "worldbench.error" in found]
    assert len(both) > 200
    assert any("namebbq.bias_ambiguous" in found for found in both)


def test_tables_of_many_tests_show_adjusted_p_values(findings: Findings) -> None:
    world, names = findings.sections
    for section, name, plain, adjusted in (
        (world, "error_by_country", "excess_p", "excess_p_adjusted"),
        (world, "income_trend_by_indicator", "p", "p_adjusted"),
        (world, "correlations", "pearson_p", "pearson_p_adjusted"),
        (names, "bias_ambiguous_by_nationality", "p", "p_adjusted"),
        (names, "bias_ambiguous_by_region", "p", "p_adjusted"),
    ):
        rows = section.tables[name].rows
        pairs = [(row[plain], row[adjusted]) for row in rows if row[plain] is not None]
        assert pairs
        assert all(a <= b for a, b in pairs)  # type: ignore[operator]


def test_a_run_that_is_not_complete_says_what_is_missing(tmp_path: Path) -> None:
    options = geobias.Options(max_calls=40)
    with pytest.raises(geobias.errors.Stopped):
        geobias.run([worldbench.plan()], "sim/fair", tmp_path / "a.geobias", options=options)
    findings = geobias.findings(tmp_path / "a.geobias")
    assert findings.sections[0].replies.missing == 40
    assert any("40 of 80" in one.text for one in findings.sentences)


def test_where_nothing_can_be_measured_the_reason_comes_first_and_no_finding_follows(
    tmp_path: Path, raw_server: RawStart
) -> None:
    server = raw_server(completion("I would rather not say."))
    findings = geobias.findings(answering(tmp_path / "r.geobias", server.url))
    assert findings.sentences[0].kind == "unmeasurable"
    assert findings.sentences[0].text.startswith("Not measurable, because")
    assert "finding" not in [one.kind for one in findings.sentences]
    assert metric(findings, "worldbench.error").value is None


def test_parameters_that_were_not_sent_stand_in_every_report(
    tmp_path: Path, raw_server: RawStart, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = raw_server(completion("It is 1,000,000."))
    monkeypatch.setenv("OPENAI_BASE_URL", server.url.removesuffix("/raw"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    plan = worldbench.plan(indicators=["gdp"], repeats=2, temperature=0.8)
    found = geobias.findings(geobias.run([plan], "openai/o3", tmp_path / "r.geobias").path)
    assert "temperature" not in server.requests[0]
    assert found.runs[0].not_sent == ["temperature"]
    assert "not sent: temperature" in markdown(found)
    assert ("parameters not sent", "temperature") in contents.run_facts(found.runs[0]).facts


def test_sentence_and_adjusted_p_value_agree_on_a_lean(tmp_path: Path) -> None:
    run = geobias.run([namebbq.plan()], "sim/?stereotype=0.08&seed=3", tmp_path / "n.geobias")
    findings = geobias.findings(run.path)
    bias = metric(findings, "namebbq.bias_ambiguous")
    assert defined(bias.p_adjusted) > 0.05
    [said] = [one.text for one in findings.sentences if "Its bias with nationalities" in one.text]
    assert p_phrase(bias.p or 0.0) in said


def test_a_nationality_counts_the_templates_of_its_own_context(findings: Findings) -> None:
    table = findings.sections[1].tables["bias_ambiguous_by_country"]
    rows = {row["country"]: row for row in table.rows}
    measured = {
        country.iso3: (one.n, one.asked)
        for country in findings.countries
        for one in country.measures
        if one.metric == "namebbq.bias_ambiguous"
    }
    assert measured
    for iso3, counts in measured.items():
        assert counts == (rows[iso3]["templates"], rows[iso3]["asked"])


def test_where_no_difference_is_clear_nobody_is_named_as_last(fair_findings: Findings) -> None:
    (said,) = [
        s.text for s in fair_findings.sentences if "Regions" in s.text and s.kind == "finding"
    ]
    assert said.startswith("Regions cannot")
    assert "Africa" not in said


COUNTRIES = "AUT;BEL;DEU;FRA;ITA;KEN;GHA;NGA;SEN;ZMB"
RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("worldbench", "sim/?recall_sd=0.3&gap=0.3", {"countries": COUNTRIES, "indicators": "gdp"}),
    ("worldbench", "sim/?slip=1", {"countries": COUNTRIES, "indicators": "gdp"}),
    ("namebbq", "sim/?stereotype=0.5", {"names": 1, "read": "logprobs"}),
    ("namebbq", "sim/?slip=1", {"names": 0}),
    ("geo20q", "sim/?play=0.9&play_gap=0.8&entities={table}", {"repeats": 2}),
    ("geo20q", "sim/?slip=1&entities={table}", {}),
    ("ratings", "sim/biased", {"topics": ["morality", "population"]}),
]


@pytest.mark.parametrize(("name", "model", "given"), RUNS)
def test_the_end_of_a_run_has_what_its_report_has(
    name: str, model: str, given: dict[str, Any], tmp_path: Path
) -> None:
    probe = find_probe(name)
    if name == "geo20q":
        table = write_table(tmp_path / "made.csv", 1, countries=12)
        given, model = given | {"entities": str(table), "turns": 5}, model.format(table=table)
    made = geobias.run([plan_of(probe, given)], model, tmp_path / "r.geobias")
    with RunReader(made.path) as run:
        whole, brief = collect([run]), collect([run], brief=True)
    (full,), (short,) = whole.sections, brief.sections
    for part in ("metrics", "screens", "replies", "measurable", "why_not"):
        assert getattr(short, part) == getattr(full, part)
    assert derived.verdict(probe, short) == derived.verdict(probe, full)
    assert derived.summary(probe, short) == derived.summary(probe, full)
    assert short.tables.keys() < full.tables.keys()
    said, shown = (
        [one for one in found.sentences if one.kind != "limit"] for found in (whole, brief)
    )
    assert shown == said
