"""Ratings made elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from geobias.errors import BadRequest
from geobias.probes.predictions import Scored, json_lines
from geobias.probes.ratings.probe import Ratings, RatingScoring
from geobias.probes.ratings.scores import topic_scores
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


FILES = {
    "attractiveness": "Average_Attractiveness_of_Residents",
    "infant_mortality": "Infant_Mortality_Rate",
}


def published(anchor: str) -> dict[str, dict[str, object]]:
    """The scores of both published tables of GPT-3.5, by topic."""
    lines = [b"Latitude,Longitude,Predictions,Topic\n"]
    for topic, name in FILES.items():
        path = shared_data(f"geollm/gpt_3_5_turbo_0613_{name}_world_prompts.csv")
        rows = path.read_bytes().splitlines()[1:]
        lines += [row + b"," + topic.encode() + b"\n" for row in rows]
    [answers] = answers_of(Ratings(), score_lines(lines, RatingScoring(anchor=anchor)), None)
    return {str(row["topic"]): row for row in topic_scores(answers.frame).to_dicts()}


def test_published_ratings_have_the_scores_that_the_docs_print() -> None:
    found = published("maternal_mortality")
    columns = ("places", "countries", "correlation", "deviation", "answered", "bias")
    assert {topic: [row[name] for name in columns] for topic, row in found.items()} == {
        "attractiveness": pytest.approx([1996, 168, 0.482, 0.574, 1, 0.277], abs=6e-4),
        "infant_mortality": pytest.approx([1995, 168, -0.808, 2.395, 1, -1.936], abs=6e-4),
    }


def test_attractiveness_follows_the_models_own_infant_survival_as_in_the_paper() -> None:
    """The paper has a rank correlation of 0.6."""
    found = published("topic:infant_mortality")["attractiveness"]
    assert found["correlation"] == pytest.approx(0.625, abs=0.001)


def test_a_topic_is_the_anchor_only_if_it_was_rated() -> None:
    with pytest.raises(BadRequest, match="ask about this topic too"):
        score({"topic": "x", "country": "KEN", "reply": "6"}, anchor="topic:infant_mortality")
