from __future__ import annotations

import polars as pl
import pytest

from geobias.probes.namebbq.published import published, tables_among_published
from geobias.probes.namebbq.scores import frame_of
from tests.probes.namebbq.running import row
from tests.shared_data import shared_data


def wide() -> pl.DataFrame:
    cell = pl.concat_str("metric", "context", pl.col("dataset").fill_null(""), separator=" ")
    table = published().with_columns(cell=cell.str.strip_chars())
    return table.pivot("cell", index="model", values="mean")


def run() -> pl.DataFrame:
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
    tables = tables_among_published(run())
    assert list(tables) == ["accuracy", "bias", "bias unscaled", "error retention"]
    mine = tables["accuracy"].filter(pl.col("here")).row(0, named=True)
    assert (mine["model"], mine["ambiguous nationality"], mine["ambiguous name"]) == (
        "mine",
        0.5,
        0.75,
    )
    assert tables["bias"].filter(pl.col("here"))["ambiguous nationality"].item() == 0.5
    # Undefined under twenty errors, here as everywhere.
    retention = tables["error retention"].filter(pl.col("here"))
    assert retention.select("ambiguous", "disambiguated").row(0) == (None, None)


def test_the_shipped_table_is_the_transcription() -> None:
    assert pl.read_csv(shared_data("../published/namebbq_models.csv")).equals(published())
