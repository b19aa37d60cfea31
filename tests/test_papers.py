"""What the page of the papers' tables says of printed numbers is what they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.probes import worldbench
from geobias.probes.geo20q import published as geo20q
from geobias.probes.namebbq.published import published as printed_scores
from geobias.probes.worldbench.published import GROUPS_TABLE, MODELS_TABLE, published
from geobias.probes.worldbench.years import PAPER_YEARS, years_table

PAGE = (Path(__file__).parents[1] / "docs" / "papers.md").read_text("utf-8")


def row(begins: str) -> str:
    (found,) = (line for line in PAGE.splitlines() if line.startswith(f"| {begins} |"))
    return found


def test_the_number_of_questions() -> None:
    assert f"{worldbench.plan(size='paper').count:,} here" in row("2,225 questions")


def test_table_3_agrees_to_its_third_decimal() -> None:
    ours = {one["indicator"]: one for one in years_table(figures()).to_dicts()}
    apart = [
        abs(ours[printed["indicator"]][str(year)] - printed[str(year)])
        for printed in published("published_worldbench_years.csv").to_dicts()
        for year in PAPER_YEARS
        if printed[str(year)] is not None
    ]
    assert len(apart) == 48
    assert f"{max(apart):.4f}: all 48 cells" in row("Table 3")


def test_means_of_figure_12_are_not_the_texts_errors() -> None:
    cells = published(MODELS_TABLE).group_by("model").agg(pl.col(pl.Float64).mean())
    means = {one["model"]: one for one in cells.to_dicts()}
    plain, helped = (means[name]["abs_rel_error"] for name in ("Cohere", "Cohere + RAG"))
    assert f"have the means {plain:.3f} and {helped:.3f}" in row("Fig. 7, errors")
    assert f"{max(abs(plain - 0.416), abs(helped - 0.231)):.3f}" in row("Fig. 7, errors")
    gaps = [means[name]["disparity_incomes"] for name in ("Cohere", "Cohere + RAG")]
    assert f"({gaps[0]:.3f}, {gaps[1]:.3f})" in row("Fig. 7, disparities")


def test_table_4_and_figure_12_give_nearly_the_same_mean() -> None:
    asked = Counter(
        economies()[trial.name.split("/")[2]].region
        for trial in worldbench.plan(size="paper").trials()
    )
    table = published(GROUPS_TABLE).filter(condition="default", statistic="mean")
    regions = dict(table.filter(pl.col("group").is_in(list(asked))).select("group", "value").rows())
    of_table = sum(regions[name] * count for name, count in asked.items()) / asked.total()
    cells = published(MODELS_TABLE).filter(pl.col("model") != "OpenAI GPT 4")
    errors = dict(cells.group_by("indicator").agg(pl.col("abs_rel_error").mean()).rows())
    questions = Counter(
        trial.name.split("/")[1] for trial in worldbench.plan(size="paper").trials()
    )
    of_cells = sum(errors[name] * count for name, count in questions.items()) / questions.total()
    assert f"{of_cells - of_table:.3f}, because" in row("Table 4")
    assert f"gives {of_table:.3f} over all regions" in row("Table 4")
    assert f"gives {of_cells:.3f} for the same 19 models" in row("Table 4")


def test_as_many_printed_numbers_are_shipped_as_the_page_says() -> None:
    groups = published(GROUPS_TABLE)
    conditions = groups["condition"]
    of_table_4 = groups.filter(conditions.is_in(["default"]) | conditions.str.starts_with("year"))
    of_table_5 = groups.filter(conditions.str.contains("Mali|Colombia"))
    assert f"{of_table_4.height} cells" in row("Table 4")
    assert f"{of_table_5.height} cells" in row("Table 5")
    models = published(MODELS_TABLE)
    assert f"{models.height} cells" in row("Fig. 12, errors")
    assert f"{2 * models.height} cells" in row("Figs. 13, 14, disparities")
    scores = printed_scores().drop_nulls("mean")
    accuracy = scores.filter(metric="accuracy").height
    assert f"{accuracy} cells" in row("Tables 1, 2, accuracy")
    disambiguated = scores.filter(metric="bias", context="disambiguated").height
    assert f"{disambiguated} cells" in row("Table 4, disambiguated bias")
    assert f"{scores.height} cells" in row("Figs. 3, 4")


def test_name_bbqs_tables_follow_from_each_other_to_their_rounding() -> None:
    table = printed_scores()
    score = {tuple(one[:4]): one[4] for one in table.select(
        "model", "metric", "context", "dataset", pl.col("mean")
    ).rows()}  # fmt: skip
    scaled, retained = [], []
    for (model, metric, context, dataset), value in score.items():
        if metric == "bias" and context == "ambiguous":
            error = 1 - score[model, "accuracy", context, dataset]
            scaled.append(abs(value - error * score[model, "bias_unscaled", context, dataset]))
        if metric == "error_retention":
            named, plain = (
                1 - score[model, "accuracy", context, one] for one in ("name", "nationality")
            )
            retained.append(abs(value - named / plain))
    assert f"{max(scaled):.4f}" in row("Tables 3, 5, ambiguous bias")
    assert f"{max(retained):.4f}" in row("Table 6, error retention")


def test_geo20q_s_tables_repeat_each_other_but_for_what_the_page_says() -> None:
    printed = geo20q.published().with_columns(pl.col("success") * 100)
    continents = printed.filter(table=6)
    keys = ["type", "setting", "language", "model", "group"]
    both = printed.filter(table=8).join(continents, on=keys, suffix="_6")
    success, turns = (
        both.select((pl.col(name) - pl.col(f"{name}_6")).abs()).to_series().drop_nulls().to_list()
        for name in ("success", "turns")
    )
    apart = [sum(cell > 0.05 for cell in one) for one in (success, turns)]
    most = f"{max(success):.0f} point"
    said = f"{sum(apart)} English cells of Table 8 differ from Table 6, one by {most}"
    assert said in row("Tables 4, 8, languages")
    assert f"{apart[1]} by up to {max(turns):.1f} turns" in row("Tables 4, 8, languages")
    means = continents.group_by("setting", "model").agg(pl.col("success", "turns").mean())
    averages = printed.filter(table=1).join(means, on=["setting", "model"], suffix="_6")
    for name, unit in (("success", "points"), ("turns", "turns")):
        most = averages.select((pl.col(name) - pl.col(f"{name}_6")).abs().max()).item()
        assert f"{most:.2f} {unit}" in row("Tables 1, 2, 6, success and turns")
