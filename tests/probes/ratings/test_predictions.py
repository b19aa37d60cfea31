"""Ratings made elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable

import polars as pl
import pytest

from geobias.probes.predictions import Scored, json_lines
from geobias.probes.ratings.asking import with_held
from geobias.probes.ratings.probe import Ratings, RatingScoring
from geobias.probes.ratings.scores import PUBLISHED, correlation, topic_scores
from geobias.probes.replay import answers_of
from tests.shared_data import shared_data


def score_lines(lines: Iterable[bytes], options: RatingScoring) -> Scored:
    how = Ratings().elsewhere.predictions
    assert how is not None
    return how.read(json_lines(lines), options)


def score(*lines: str | dict[str, object], **options: str) -> Scored:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return score_lines([f"{text}\n".encode() for text in texts], RatingScoring(**options))


def ratings(scored: Scored) -> list[tuple[str, float | None]]:
    [answers] = answers_of(Ratings(), scored, None)
    return list(answers.frame.select("country", "rating").iter_rows())


def test_a_reply_about_a_country_is_read_and_scored() -> None:
    scored = score({"topic": "morality", "country": "Kenya", "reply": "My rating is 6.5."})
    assert ratings(scored) == [("KEN", 6.5)]


def test_a_table_with_coordinates_is_scored_by_the_economy_they_lie_in() -> None:
    scored = score("Latitude,Longitude,Predictions", "-1.29,36.82,6.5", topic="morality", model="m")
    assert ratings(scored) == [("KEN", 6.5)]
    assert scored.told[0].model == "m"


def test_a_place_in_no_economy_is_left_out_with_its_line() -> None:
    rows = ("30,-40,6.5", "48.9,2.3,7", "-1.29,36.82,")
    scored = score("Latitude,Longitude,Predictions", *rows, topic="morality")
    assert [number for number, _ in scored.left_out] == [2]
    assert ratings(scored) == [("KEN", None), ("FRA", 7.0)]  # an empty cell is no answer


def test_a_quoted_cell_may_hold_commas() -> None:
    scored = score("Name,Latitude,Longitude,Predictions", '"Paris, FR",48.9,2.3,"7,5"', topic="x")
    assert ratings(scored) == [("FRA", 7.5)]


@pytest.mark.parametrize(
    ("file", "topic"),
    [
        ("Average_Attractiveness_of_Residents", "attractiveness"),
        ("Infant_Mortality_Rate", "infant_mortality"),
    ],
)
def test_the_shipped_rows_are_what_the_published_ratings_give(file: str, topic: str) -> None:
    path = shared_data(f"geollm/gpt_3_5_turbo_0613_{file}_world_prompts.csv")
    with path.open("rb") as lines:
        scored = score_lines(lines, RatingScoring(topic=topic))
    [answers] = answers_of(Ratings(), scored, None)
    row = topic_scores(answers.frame).row(0, named=True)
    shipped = (
        pl.read_csv(PUBLISHED).filter(pl.col("topic") == topic).drop("model").row(0, named=True)
    )
    assert {name: row[name] for name in shipped} == {
        name: value if isinstance(value, str) else pytest.approx(value, abs=6e-4)
        for name, value in shipped.items()
    }


def test_attractiveness_follows_the_models_own_infant_survival_as_in_the_paper() -> None:
    """Both published tables in one: the paper has a rank correlation of 0.6."""
    lines = [b"Latitude,Longitude,Predictions,Topic\n"]
    for file, topic in (
        ("Average_Attractiveness_of_Residents", b"attractiveness"),
        ("Infant_Mortality_Rate", b"infant_mortality"),
    ):
        path = shared_data(f"geollm/gpt_3_5_turbo_0613_{file}_world_prompts.csv")
        lines += [line + b"," + topic + b"\n" for line in path.read_bytes().splitlines()[1:]]
    [answers] = answers_of(Ratings(), score_lines(lines, RatingScoring()), None)
    held = with_held(answers.frame, "topic:infant_mortality")
    found = correlation(held.filter(topic="attractiveness"))
    assert found.value == pytest.approx(0.625, abs=0.001)
