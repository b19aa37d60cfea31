from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from geobias import open_run, run
from geobias.cli import cli
from geobias.probes.namebbq import plan
from geobias.probes.namebbq.published import family_of
from geobias.report.findings import collect
from geobias.report.page import figures
from geobias.results.charts import Scatter
from geobias.results.figures import Figure


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
        "Anthropic: Claude 3 Sonnet (large)",
        "Anthropic: Claude 3 Haiku (small)",
        "Google: Gemini 1.5 Pro (large)",
        "Google: Gemini 1.5 Flash (small)",
        "OpenAI: GPT-4o (large)",
        "OpenAI: GPT-4o-mini (small)",
        "sim: biased",
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
        assert "biased" in [row["label"] for row in panel.chart.rows if row["here"]]


def test_the_figures_are_written_from_the_command_line(run_file: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["namebbq", "figures", str(run_file), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    names = {
        f"namebbq-paper-{n}.{end}" for n in range(3, 9) for end in ("svg", "pdf", "png", "csv")
    }
    assert {path.name for path in tmp_path.iterdir()} == names


@pytest.mark.parametrize(
    ("model", "provider", "size"),
    [
        ("openai/gpt-4o-mini", "OpenAI", "small"),
        ("anthropic/claude-3-opus", "Anthropic", "large"),
        ("qwen2.5-1.5b-instruct", "", "1.5B"),
        ("together/meta-llama/Llama-3-70b-chat", "together", "70B"),
        ("http://127.0.0.1:8000/v1/own", "", ""),
        ("sim/biased", "sim", ""),
    ],
)
def test_a_name_tells_provider_and_size_or_nothing(model: str, provider: str, size: str) -> None:
    found = family_of(model)
    assert (found.provider, found.size) == (provider, size)
