from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from geobias import open_run, run
from geobias.probes.namebbq import plan
from geobias.probes.namebbq.published import (
    among_published_models,
    as_printed,
    differing_items,
    public_replies,
    published,
)
from geobias.probes.namebbq.replicates import scores
from geobias.probes.namebbq.scores import Assumptions, frame_of
from geobias.report.findings import collect
from geobias.report.page import figures
from geobias.results.charts import Scatter
from geobias.results.figures import Figure
from tests.probes.namebbq.running import row
from tests.shared_data import shared_data


def wide() -> pl.DataFrame:
    cell = pl.concat_str("metric", "context", pl.col("dataset").fill_null(""), separator=" ")
    table = published().with_columns(cell=cell.str.strip_chars())
    return table.pivot("cell", index="model", values="mean")


def a_run() -> pl.DataFrame:
    """Of four ambiguous items two wrong with nationalities and one with names; the rest right."""
    records = []
    for dataset, words in {
        "nationality": ("target", "target", "unknown", "unknown"),
        "name": ("other", "unknown", "unknown", "unknown"),
    }.items():
        for number, word in enumerate(words):
            records.append(row(word, dataset=dataset, template=f"t{number}"))
            truth = ("target", "other")[number % 2]
            records.append(
                row(
                    truth, truth=truth, condition="disambig", dataset=dataset, template=f"t{number}"
                )
            )
    return frame_of(records, "mine")


def test_six_models_are_published_with_all_their_scores() -> None:
    table = published()
    assert table["model"].n_unique() == 6
    assert table.height == 6 * 12
    assert table["mean"].null_count() == 0


def test_the_printed_scaled_bias_is_the_unscaled_one_times_the_errors() -> None:
    """The paper's tables 1, 3 and 5 agree with each other to their rounding."""
    for line in wide().to_dicts():
        for dataset in ("nationality", "name"):
            error = 1 - line[f"accuracy ambiguous {dataset}"]
            scaled = error * line[f"bias_unscaled ambiguous {dataset}"]
            assert scaled == pytest.approx(line[f"bias ambiguous {dataset}"], abs=0.002)


def test_the_printed_error_retention_follows_from_the_printed_accuracy() -> None:
    for line in wide().to_dicts():
        for context in ("ambiguous", "disambiguated"):
            named, plain = (
                1 - line[f"accuracy {context} {dataset}"] for dataset in ("name", "nationality")
            )
            rounding = 0.006 + 0.0005 / plain * (1 + named / plain)
            printed = line[f"error_retention {context}"]
            assert named / plain == pytest.approx(printed, abs=rounding)


def test_a_run_stands_beside_the_six() -> None:
    table = among_published_models({"mine": scores(a_run())})
    mine = table.filter(pl.col("here"), context="ambiguous")
    means = {(row["metric"], row["dataset"]): row["mean"] for row in mine.to_dicts()}
    assert means["accuracy", "nationality"] == means["bias", "nationality"] == 0.5
    assert means["accuracy", "name"] == 0.75
    assert means["error_retention", None] is None, "undefined under twenty errors"


def test_the_shipped_table_is_the_transcription() -> None:
    assert pl.read_csv(shared_data("../published/namebbq_models.csv")).equals(published())


def test_people_read_means_and_sds_in_one_cell() -> None:
    tables = as_printed({"published": among_published_models({"mine": scores(a_run())})})
    assert list(tables) == ["accuracy", "bias", "bias unscaled", "error retention"]
    shown = {row["model"]: row for row in tables["bias"].to_dicts()}
    assert shown["GPT-4o"]["ambiguous nationality"] == "0.035 ± 0.001"
    assert shown["GPT-3.5 Turbo (0125)"]["ambiguous nationality"] == "0.109"
    assert shown["GPT-3.5 Turbo (0125)"]["ambiguous name"] is None


def test_a_run_on_other_items_is_said_to_be_another_test() -> None:
    [note] = differing_items([Assumptions(model="mine", frame=a_run())])
    assert "1 item" in note


def test_the_two_models_with_public_replies_are_as_computed_from_them() -> None:
    computed = pl.read_csv(shared_data("../published/namebbq_public_replies.csv"))
    for column in ("accuracy_ambiguous", "bias_ambiguous", "bias_disambiguated"):
        metric, context = column.split("_")
        own = public_replies().filter(metric=metric, context=context)["mean"]
        assert own.to_list() == computed[column].to_list()


# -- paper figures ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "biased.geobias"
    run([plan(size="quick", names=2)], "sim/biased", path)
    return path


@pytest.fixture(scope="module")
def drawn(run_file: Path) -> dict[str, Figure]:
    with open_run(run_file) as reader:
        return {figure.name: figure for figure in figures(collect([reader]))["namebbq"]}


def test_figures_3_to_8_are_in_the_report(drawn: dict[str, Figure]) -> None:
    assert [name for name in drawn if "paper" in name] == [
        f"namebbq-paper-{number}" for number in range(3, 9)
    ]


def test_figure_3_has_the_mean_of_four_accuracies_and_the_sd_of_that_mean(
    drawn: dict[str, Figure],
) -> None:
    [printed] = [row for row in drawn["namebbq-paper-3"].data if row["model"] == "GPT-4o"]
    assert printed["value"] == pytest.approx((0.950 + 0.966 + 0.964 + 0.994) / 4)
    sd = (0.002**2 + 0.003**2 + 0.001**2 + 0.002**2) ** 0.5 / 4
    assert printed["sd"] == pytest.approx(sd)
    assert printed["low"] == pytest.approx(printed["value"] - sd)


def test_figure_5_has_what_names_take_away(drawn: dict[str, Figure]) -> None:
    [printed] = [row for row in drawn["namebbq-paper-5"].data if row["model"] == "Claude 3 Haiku"]
    assert (printed["x"], printed["y"]) == pytest.approx((0.290 - 0.091, 0.029 - 0.008))
    assert printed["x_sd"] == pytest.approx((0.004**2 + 0.011**2) ** 0.5)


def test_models_stand_by_provider_and_size(drawn: dict[str, Figure]) -> None:
    rows = [row["row"] for row in drawn["namebbq-paper-4"].data]
    assert rows == [
        "Claude 3 Sonnet (Anthropic, large)",
        "Claude 3 Haiku (Anthropic, small)",
        "Gemini 1.5 Pro (Google, large)",
        "Gemini 1.5 Flash (Google, small)",
        "GPT-4o (OpenAI, large)",
        "GPT-4o-mini (OpenAI, small)",
        "sim/biased",
    ]


def test_models_without_names_stand_in_figures_7_and_8_alone(drawn: dict[str, Figure]) -> None:
    held = {
        name for name, figure in drawn.items()
        if any(row.get("model") == "GPT-3.5 Turbo (0125)" for row in figure.data)
    }  # fmt: skip
    assert held == {"namebbq-paper-7", "namebbq-paper-8"}


def test_the_reports_own_model_has_its_name_in_every_scatter_plot(
    drawn: dict[str, Figure],
) -> None:
    for number in (5, 6, 7, 8):
        [panel] = drawn[f"namebbq-paper-{number}"].panels
        assert isinstance(panel.chart, Scatter)
        assert "sim/biased" in [row["label"] for row in panel.chart.rows if row["here"]]
