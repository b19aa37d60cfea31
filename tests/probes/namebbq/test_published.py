from __future__ import annotations

import msgspec
import polars as pl

from geobias.probes.namebbq.published import (
    among_published_models,
    as_printed,
    differing_items,
    figures,
    public_replies,
    published,
)
from geobias.probes.namebbq.replicates import scores
from geobias.probes.namebbq.scores import Assumptions, frame_of
from geobias.results.charts import Plane
from geobias.results.tables import table_from
from tests.probes.namebbq.running import row
from tests.report.made import findings
from tests.shared_data import shared_data


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


def drawn() -> dict[str, Plane]:
    """The figures of two sections, each with one run among the published models."""
    (section,) = findings().sections
    sections = []
    for model in ("mine", "yours"):
        table = table_from(among_published_models({model: scores(a_run())}), "")
        sections.append(msgspec.structs.replace(section, tables={"published": table}))
    charts = {one.name: one.panels[0].chart for one in figures(sections)}
    return {name: chart for name, chart in charts.items() if isinstance(chart, Plane)}


def test_figure_7_draws_every_model_once_on_axes_from_0_to_1() -> None:
    chart = drawn()["namebbq-paper-7"]
    assert len(chart.points) == 8 + 2
    assert chart.points["mine"] == [(0.5, 1.0), (0.75, 1.0)], "nationalities, then names"
    assert chart.points["GPT-4o (published)"][1][0] == 0.966
    assert chart.ends == (0, 1)


def test_figure_6_draws_what_names_change() -> None:
    chart = drawn()["namebbq-paper-6"]
    assert chart.points["mine"] == [(-0.25, 0.0)]
    assert "GPT-3.5 Turbo (0125) (published)" not in chart.points, "it was not asked with names"
