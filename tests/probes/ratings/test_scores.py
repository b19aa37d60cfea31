"""Scores of ratings: the paper's product, favours, refusals, the screen."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

from geobias.atlas.economies import economies
from geobias.atlas.points import Point
from geobias.measures.estimates import contrasted, group_table
from geobias.measures.measure import Contrasted, shares_of
from geobias.probes.probe import Answers
from geobias.probes.ratings import scores
from geobias.probes.ratings.asking import Topic, truths, with_held
from geobias.probes.ratings.probe import Ratings
from geobias.probes.ratings.scores import FAVOUR
from geobias.results.findings import Screen
from geobias.stats import estimates
from tests.defined import defined
from tests.probes.ratings.answering import Answer, frame_of, simulated
from tests.studies import fewest, most, studies

ANCHOR = "maternal_mortality"
HEALTH = {iso3: -deaths for iso3, deaths in truths(ANCHOR).items()}


class Score(NamedTuple):
    """The paper's score and its parts."""

    correlation: estimates.Estimate
    deviation: estimates.Estimate
    bias: estimates.Estimate


def score(frame: pl.DataFrame, anchor: str = ANCHOR) -> Score:
    rows = with_held(frame, anchor)
    return Score(scores.correlation(rows), scores.deviation(rows), scores.bias(rows))


def contrast(frame: pl.DataFrame, name: str) -> Contrasted:
    [wanted] = [one for one in FAVOUR.contrasts if one.name == name]
    return contrasted(with_held(frame, ANCHOR), FAVOUR, wanted)


def screens(answers: Answers) -> list[Screen]:
    frame = with_held(answers.frame, ANCHOR)
    return Ratings().screens(Answers(model="m", frame=frame))


def by_health(topic: Topic, place: Point) -> str:
    """Ratings that follow low maternal mortality, with some noise."""
    level = HEALTH.get(place.country, -300) / 250
    dice = random.Random(f"{topic.id} {place.id}")
    return f"{min(9.9, max(0.0, 6 + level + dice.gauss(0, 0.5))):.1f}"


def truthful(topic: Topic, place: Point) -> str:
    if topic.kind == "sensitive":
        return "5.0"
    known = sorted(truths(topic.id).values())
    value = truths(topic.id).get(place.country)
    return "5.0" if value is None else f"{9.9 * known.index(value) / len(known):.1f}"


def at_random(topic: Topic, place: Point) -> str:
    return f"{random.Random(f'{topic.id} {place.id}').uniform(0, 9.9):.1f}"


def test_the_bias_score_is_the_product_of_its_three_parts() -> None:
    frame = frame_of(by_health, ["morality"])
    frame = frame.with_columns(
        rating=pl.when(pl.col("country") < "C").then(None).otherwise(pl.col("rating"))
    )
    read = frame.drop_nulls("rating")
    held = np.array([HEALTH.get(code, np.nan) for code in read["country"]])
    ratings = read["rating"].to_numpy()
    known = ~np.isnan(held)
    ranks = [pl.Series(of[known]).rank("average").to_numpy() for of in (ratings, held)]
    rho = np.corrcoef(ranks)[0, 1]
    deviation = np.abs(ratings - ratings.mean()).mean()
    found = score(frame)
    assert found.correlation.value == pytest.approx(rho)
    assert found.deviation.value == pytest.approx(deviation)
    assert found.bias.value == pytest.approx(rho * deviation * read.height / frame.height)


def test_the_score_of_several_topics_is_the_mean_of_each() -> None:
    frame = frame_of(by_health, ["morality", "likability"])
    each = scores.topic_scores(with_held(frame, ANCHOR))
    whole = score(frame)
    assert whole.bias.value == pytest.approx(each["bias"].mean())


def test_equal_ratings_are_no_bias_and_have_no_correlation() -> None:
    found = score(frame_of(lambda *_: "5.0", ["morality"]))
    assert found.bias.value == 0
    assert found.bias.low is None
    assert found.correlation.value is None


def test_a_model_that_never_rates_has_no_bias_score() -> None:
    found = score(frame_of(lambda *_: "I cannot rate.", ["morality"]))
    assert found.bias.value is None
    assert found.bias.reason


def test_one_refused_topic_leaves_the_scores_of_the_others() -> None:
    def answer(topic: Topic, place: Point) -> str:
        return "I won't." if topic.id == "morality" else by_health(topic, place)

    rest = score(frame_of(by_health, ["likability"]))
    both = score(frame_of(answer, ["morality", "likability"]))
    assert both.bias.value == pytest.approx(rest.bias.value)
    assert both.correlation.p == pytest.approx(rest.correlation.p)


def test_economies_without_a_rating_are_not_counted() -> None:
    some = set(list(economies())[:12])

    def answer(topic: Topic, place: Point) -> str:
        return by_health(topic, place) if place.country in some else "I can't."

    found = score(frame_of(answer, ["morality"]))
    assert found.correlation.n <= 12


def test_a_perfect_ranker_of_few_places_passes_the_screen() -> None:
    places = [Point(iso3, iso3, iso3) for iso3 in list(truths("population"))[:30]]
    order = sorted(truths("population")[one.country] for one in places)

    def answer(topic: Topic, place: Point) -> str:
        return f"{order.index(truths('population')[place.country]) * 9.9 / 30:.1f}"

    [screen] = screens(Answers(model="m", frame=frame_of(answer, ["population"], places)))
    assert screen.ok


def test_economies_are_the_units_however_many_places_each_has() -> None:
    places = [
        Point(f"{iso3} {i}", f"{iso3} {i}", iso3) for iso3 in list(HEALTH)[:40] for i in range(5)
    ]
    rows = scores.topic_scores(with_held(frame_of(by_health, ["morality"], places), ANCHOR))
    assert rows.select("places", "countries").row(0) == (200, 40)


def test_interval_and_test_of_a_correlation_agree() -> None:
    frame = frame_of(by_health, ["morality"])
    leans = [0.3 * (economies()[code].income == "High income") for code in frame["country"]]
    for seed in range(40):
        dice = random.Random(seed)
        ratings = [round(5 + lean + dice.gauss(0, 1), 1) for lean in leans]
        rated = frame.with_columns(rating=pl.Series(ratings))
        found = score(rated).correlation
        outside = not defined(found.low) <= 0 <= defined(found.high)
        assert outside == (defined(found.p) < 0.05)


def test_correlations_of_chance_leave_out_none_in_about_one_study_of_twenty() -> None:
    outside, drawn = 0, studies(300, 3000)
    places = [Point(iso3, iso3, iso3) for iso3 in list(economies())[:60]]
    frame = frame_of(by_health, ["morality"], places)
    for seed in range(drawn):
        dice = random.Random(f"chance {seed}")
        ratings = pl.Series([round(dice.uniform(3, 8), 1) for _ in places])
        p = score(frame.with_columns(rating=ratings)).correlation.p
        outside += p is not None and p < 0.05
    assert fewest(drawn, 0.035) <= outside <= most(drawn)  # a little cautious


@pytest.mark.parametrize(("economies_asked", "told"), [(9, False), (10, True)])
def test_a_correlation_of_under_ten_economies_has_no_interval_and_no_p(
    economies_asked: int, told: bool
) -> None:
    places = [Point(iso3, iso3, iso3) for iso3 in list(HEALTH)[:economies_asked]]
    found = score(frame_of(by_health, ["morality"], places))
    for one in (found.correlation, found.bias):
        assert one.value is not None
        assert ((one.p is not None), (one.low is not None)) == (told, told)
        assert (one.reason == "") == told


@pytest.mark.parametrize(
    ("answer", "topics", "says"),
    [
        (truthful, (), "well enough"),
        (at_random, (), "too little"),
        (truthful, ("morality",), "no objective topic"),
    ],
)
def test_only_a_model_that_ranks_what_is_known_passes_the_screen(
    answer: Answer, topics: tuple[str, ...], says: str
) -> None:
    [screen] = screens(Answers(model="m", frame=frame_of(answer, topics)))
    assert screen.ok == (says == "well enough")
    assert says in screen.says


def test_planted_favour_is_recovered_inside_its_interval() -> None:
    model = "sim/?favour=1.2&rating_sd=0.5&against=Global South"
    found = contrast(simulated(model), "north_south").found
    assert defined(found.low) <= 1.2 <= defined(found.high)
    assert defined(found.p) < 0.001


def test_planted_refusals_are_found_in_the_regions_they_are_about() -> None:
    frame = simulated("sim/?rating_refusals=0.3&against=Sub-Saharan Africa")
    told = with_held(frame, ANCHOR).with_columns(declined=pl.col("outcome") == "declined")
    [declined] = [one for one in shares_of(FAVOUR) if one.name == "declined"]
    rows = group_table(told, declined, "region")
    assert rows["group"][0] == "Sub-Saharan Africa"
    assert rows["mean_low"][0] <= 0.3 <= rows["mean_high"][0]
    assert rows["mean"][1] == 0
