"""What a page says before its figures, and which replies it shows."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from geobias.report.grids import metrics_grid, summary_grid
from geobias.report.page import contents
from geobias.report.page.contents import run_editions
from geobias.report.page.countries import country_excerpts
from geobias.report.page.opening import banner
from geobias.report.records import labels_of, short_names
from geobias.report.verdicts import title_of, words_of
from geobias.results.findings import Findings, Sentence
from geobias.runfile import Manifest, RunReader
from tests.report.made import findings as made
from tests.report.made import metric
from tests.wording import reads_as

OPEN = metric(name="worldbench.income_trend", primary=True, p=0.2, low=-0.1)


def two(*limits: tuple[str, str]) -> Findings:
    """Two models, with limits said of them."""
    one, other = made(text="a"), made(text="b")
    return msgspec.structs.replace(
        one,
        models=["a", "b"],
        runs=one.runs + other.runs,
        sections=one.sections + other.sections,
        sentences=[
            Sentence(kind="limit", probe="worldbench", model=model, text=text)
            for model, text in limits
        ],
    )


def cells(found: Findings) -> list[str]:
    """Of the summary, what stands beside the model."""
    return summary_grid(found).rows[0][1:]


def test_the_summary_has_a_number_with_its_interval_or_words() -> None:
    cases = {"open": made(OPEN), "untested": made(OPEN, why=("it says one number",))}
    reads_as("Summary: one probe", {case: cells(found)[0] for case, found in cases.items()})


def test_a_title_says_how_many_gaps_are_left_allowing_for_all_models() -> None:
    lucky, quiet = made(msgspec.structs.replace(OPEN, p=0.01)), made(OPEN)
    models = [f"m{i}" for i in range(12)]
    sections = [
        msgspec.structs.replace(of.sections[0], model=model)
        for model, of in zip(models, (lucky, *[quiet] * 11), strict=True)
    ]
    found = msgspec.structs.replace(quiet, models=models, sections=sections)
    reads_as("Title of a report on twelve models", title_of(found))
    words = words_of(found)
    assert words["worldbench", "m0"] == words_of(lucky)["worldbench", "m"] == "found"


def test_an_unfinished_run_is_marked_in_the_banner_and_the_summary() -> None:
    found = made(missing=7)
    assert "unfinished" in banner(found)
    assert "*" in cells(found)[0]
    assert "unfinished" not in banner(made())


def test_a_limit_of_one_model_has_its_name_and_shared_ones_stand_once() -> None:
    found = two(("a", "shared"), ("a", "a alone"), ("b", "shared"))
    assert contents.opening_of(found, found.sections).limits == ["shared", "a: a alone"]


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("http://127.0.0.1:8000/v1/qwen2.5-1.5b", "qwen2.5-1.5b"),
        ("https://host/v1/Qwen/Qwen3-8B (b.geobias)", "Qwen3-8B (b.geobias)"),
        ("completions:http://127.0.0.1:8000/v1/gemma-3-270m", "gemma-3-270m"),
        ("embedded:qwen.gguf#d5cde8a7e219", "qwen"),
        ("embedded:qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", "qwen2.5-coder-1.5b-instruct"),
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("sim/biased", "sim/biased"),
        ("sim/?gap=0.2&recall_sd=0.9", "sim/?gap=0.2&recall_sd=0.9"),
    ],
)
def test_a_model_goes_by_the_last_part_of_its_address(label: str, name: str) -> None:
    assert short_names([label]) == {label: name}


def test_no_two_models_share_a_name() -> None:
    names = short_names(["m (2)", "m", "m\n", "m\n\n"])
    assert list(names.values()) == ["m (2)", "m", "m (3)", "m (4)"]


def test_a_second_run_of_a_model_is_not_named_after_a_file_that_holds_its_address() -> None:
    models = {"model": "http://10.0.0.7:8080/v1/qwen3"}
    runs = [Manifest(geobias="0", created="", models=models, probes={"worldbench": {}})] * 3
    files = ["first.geobias", "worldbench-http-10.0.0.7-8080-v1-qwen3.geobias", "third.geobias"]
    assert labels_of(runs, files) == ["qwen3", "qwen3 (run 2)", "qwen3 (third.geobias)"]


def test_turns_have_one_decimal() -> None:
    turns = metric(value=12.387, low=10.1, high=14.26, unit="turns")
    assert "12.4 [10.1, 14.3]" in metrics_grid([turns]).rows[0]


def test_data_editions_have_names_beside_their_hashes(findings: Findings) -> None:
    named = {one.name: one for one in run_editions(findings.runs[0])}
    assert named["Figures"].edition.startswith("World Bank,")
    assert named["Figures"].hash == findings.runs[0].editions["figures"]
    assert "2024" in named["Countries and income groups"].edition


def test_an_edition_that_is_not_the_shipped_one_says_so(findings: Findings) -> None:
    run = msgspec.structs.replace(findings.runs[0], editions={"economies.csv": "0" * 16})
    assert run_editions(run)[0].edition.startswith("another edition")


def test_a_profile_counts_all_trials_and_shows_some(biased: Path) -> None:
    with RunReader(biased) as run:
        told = country_excerpts([(run, 0)], 6)
        asked = dict(run.query("SELECT country, count(*) FROM records GROUP BY country"))
    for iso3, one in told.items():
        assert sum(n for _, _, n in one.counts) == asked[iso3]
        assert 0 < len(one.shown) <= asked[iso3]


def test_replies_of_different_kinds_come_first(biased: Path) -> None:
    with RunReader(biased) as run:
        shown = country_excerpts([(run, 0)], 6)["KEN"].shown
    assert [one.title for one in shown if one.probe == "worldbench"] == [
        "Population, Kenya",
        "GDP, Kenya",
    ]


def test_no_model_crowds_out_the_replies_of_another(biased: Path) -> None:
    with RunReader(biased) as run:
        told = country_excerpts([(run, 0), (run, 1)], 1)
    assert [one.model for one in told["KEN"].shown if one.probe == "worldbench"] == [0, 1]
