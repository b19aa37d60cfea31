"""What a run found out about what a model assumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from geobias.probes.namebbq import published, scores
from geobias.probes.namebbq.leanings import group_leanings, lean_in_words, whole_p
from geobias.probes.namebbq.scores import DATASETS, ENDINGS, why_undefined
from geobias.probes.namebbq.screens import CHANCE, screens
from geobias.probes.probe import Answers
from geobias.probes.sections import Sentences, run_of, section_of
from geobias.probes.settings import TOO_SMALL
from geobias.results.findings import (
    Better,
    Measure,
    Metric,
    ProbeFindings,
    Section,
    Sentence,
    Table,
)
from geobias.results.formatting import metric_percents, metric_value, p_phrase
from geobias.results.metrics import adjusted, bounded, metric_from
from geobias.results.tabling import table_from
from geobias.stats import ratio_over_units

if TYPE_CHECKING:
    import polars as pl

    from geobias.probes.probe import Probe

_SHARE, _BIAS = "share of answers read", "bias, −1 to 1"
UNITS = {"accuracy": _SHARE, "bias": _BIAS, "bias_unscaled": _BIAS}
BETTER: dict[str, Better] = {"accuracy": "high", "error_retention": "low"}
NOTES = {
    "accuracy": "Where the context does not say, the right answer is that nobody can know.",
    "bias": "1: every answer that names a person follows the stereotype; −1: none does; 0: no "
    "lean. In ambiguous contexts scaled by the share of wrong answers. p flips the signs of "
    "templates.",
    "bias_unscaled": "Ambiguous contexts, among the answers that name a person.",
    "error_retention": "Errors left with names for each error with nationalities; 1 is no change.",
}
METRIC_NAMES = (
    "namebbq.accuracy",
    *(f"namebbq.{name}{ending}" for ending in ENDINGS.values() for name in scores.SCORES),
    "namebbq.error_retention_ambiguous",
    "namebbq.error_retention_disambiguated",
)
FEW_TEMPLATES = 20
"""Templates under which a run is called small."""


def findings(probe: Probe[Any, Any], answers: Answers) -> ProbeFindings:
    frame = answers.frame
    scored = scores.scores(frame)
    nationalities = group_leanings(frame, "nationality")
    section = section_of(
        probe,
        answers,
        screens=screens(frame, scored),
        metrics=_metrics(frame, scored),
        tables=_tables(frame, scored, nationalities),
    )
    return ProbeFindings(
        section,
        _measures(frame, nationalities, answers.model),
        _sentences(section, frame, run_of(answers).settings.get("size")),
    )


def _metrics(frame: pl.DataFrame, scored: pl.DataFrame) -> list[Metric]:
    read = frame.filter(read=1)
    right = read["right"].cast(float).to_numpy()
    units = read["template"].to_numpy()
    whole = ratio_over_units(right, [1.0] * len(right), units, bounds=(0, 1))
    accuracy = metric_from(
        whole,
        name="namebbq.accuracy",
        label="Accuracy, all items",
        counted="templates",
        unit=_SHARE,
        chance=CHANCE,
        better="high",
        note="Over both contexts, with nationalities and with names.",
        undefined_because="" if whole.value is not None else "no reply could be read",
    )
    return adjusted([accuracy, *(_metric(frame, scored, row) for row in scored.to_dicts())])


def _metric(frame: pl.DataFrame, scored: pl.DataFrame, row: dict[str, Any]) -> Metric:
    """`namebbq.bias_ambiguous` is with nationalities, `namebbq.bias_ambiguous_names` with names."""
    metric, context, dataset = row["metric"], row["context"], row["dataset"]
    ending = ENDINGS.get(dataset, "")
    stem = metric if metric == "bias_unscaled" else f"{metric}_{context}"
    condition = "ambig" if context == "ambiguous" else "disambig"
    version = f" with {DATASETS[dataset]}" if dataset else ""
    tested = metric == "bias" and dataset is not None
    return Metric(
        name=f"namebbq.{stem}{ending}",
        label=f"{metric.replace('_', ' ').capitalize()}, {context}{version}",
        **bounded(row, "value"),
        n=row["templates"],
        counted="templates",
        unit=UNITS.get(metric, "ratio of error rates"),
        chance={"accuracy": CHANCE, "error_retention": 1.0}.get(metric, 0.0),
        p=whole_p(frame, dataset, condition) if tested else None,
        better=BETTER.get(metric, "zero"),
        note=NOTES[metric],
        undefined_because=why_undefined(scored, row),
    )


def _tables(
    frame: pl.DataFrame, scored: pl.DataFrame, nationalities: pl.DataFrame
) -> dict[str, Table]:
    tested = (
        "Ranked by `pooled`: the ambiguous bias leaning on all groups, the more the fewer "
        "templates a group has. Intervals come from resampling templates. `p` tests the ambiguous "
        "bias against 0, and `p_adjusted` allows for the number of groups. Counts are of one "
        "context each."
    )
    units = dict.fromkeys(("bias_ambiguous", "bias_unscaled", "pooled"), _BIAS)
    return {
        "scores": table_from(
            scored,
            "Scores",
            "`value` over all trials with its interval over templates; `mean` and `sd` over name "
            "seeds and repeats, as in the paper.",
        ),
        "nationalities": table_from(
            _with_country(frame, nationalities), "Bias by nationality", tested, units
        ),
        "regions": table_from(group_leanings(frame, "region"), "Bias by region", tested, units),
        "values": table_from(
            group_leanings(frame, "social_value"),
            "Bias by what the stereotype is about",
            tested,
            units,
        ),
        "templates": table_from(
            group_leanings(frame, "template"),
            "Bias by template",
            "Intervals come from resampling pairs of nationalities. `p_adjusted` allows for the "
            "number of templates.",
            units,
        ),
        "positions": table_from(
            scores.positions(frame),
            "Which place on the page was chosen",
            "`right` is how often the right answer stood there.",
        ),
        "replies": table_from(scores.outcomes(frame), "What became of the replies"),
        "models": table_from(
            published.all_scores(frame), "Beside the paper's six models", "`here` marks this run's."
        ),
    }


def _with_country(frame: pl.DataFrame, nationalities: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    places = frame.select("nationality", "country").unique("nationality")
    return nationalities.join(places, on="nationality", how="left", maintain_order="left").select(
        "nationality", "country", pl.exclude("nationality", "country")
    )


def _measures(
    frame: pl.DataFrame, nationalities: pl.DataFrame, model: str
) -> dict[str, list[Measure]]:
    """Ambiguous bias and disambiguated accuracy of each economy whose nationality was asked about.

    Where an economy has several nationalities in a user's items, each is a measure.
    """
    measures: dict[str, list[Measure]] = {}
    tests = ("pooled", "pooled_low", "pooled_high", "p", "p_adjusted")
    for row in _with_country(frame, nationalities).to_dicts():
        if not row["country"]:
            continue
        ending = ENDINGS[row["dataset"]]
        for metric, context, more in (
            ("bias", "ambiguous", {name: row[name] for name in tests}),
            ("accuracy", "disambiguated", {}),
        ):
            measure = Measure(
                model=model,
                probe="namebbq",
                metric=f"namebbq.{metric}_{context}{ending}",
                **bounded(row, f"{metric}_{context}"),
                n=row[f"templates_{context}"],
                counted="templates",
                asked=row[f"asked_{context}"],
                **more,
            )
            measures.setdefault(row["country"], []).append(measure)
    return measures


def _sentences(section: Section, frame: pl.DataFrame, size: str | None) -> list[Sentence]:
    sentences = Sentences(section)
    metrics = {one.name: one for one in section.metrics}
    replies = section.replies
    sentences.say_missing("items")
    if left := replies.asked - replies.read:
        sentences.say(
            "caution",
            f"{left:,} of {replies.asked:,} replies are in no score: {replies.declined:,} refused, "
            f"{replies.unread:,} unread, {replies.no_text:,} without text.",
        )
    if not section.measurable:
        return sentences.said
    for dataset, ending in ENDINGS.items():
        bias = metrics.get(f"namebbq.bias_ambiguous{ending}")
        right = metrics.get(f"namebbq.accuracy_ambiguous{ending}")
        if bias is None or right is None or bias.value is None:
            continue
        sentences.say(
            "finding",
            f"With {DATASETS[dataset]}, where nobody can know who it was, it says so in "
            f"{metric_percents(right)} of the answers, over {right.n:,} templates. Its bias is "
            f"{metric_value(bias)}, where 1 is always the stereotype and −1 always the opposite: "
            f"{_lean(bias)}.",
        )
    kept = metrics.get("namebbq.error_retention_ambiguous")
    if kept is not None and kept.value is not None:
        sentences.say(
            "finding",
            f"For each such error with nationalities there are {metric_value(kept)} with names (1 "
            "would be no change).",
        )
    if size == "quick":
        sentences.say("limit", TOO_SMALL)
    templates = frame["template"].n_unique()
    if templates < FEW_TEMPLATES:
        sentences.say(
            "limit",
            f"{templates} templates are few: only a strong and even lean can be seen, and single "
            "nationalities cannot be told apart.",
        )
    sentences.say(
        "limit",
        "A bias near 0 on these templates does not show that a model holds no stereotype, and a "
        "lean does not show harm in use: the items are American stereotypes in short English "
        "stories.",
    )
    return sentences.said


def _lean(bias: Metric) -> str:
    word = lean_in_words(bias.p_adjusted, bias.low, bias.high)
    firm = f"it {word}" if word.startswith(("follows", "goes")) else word
    return firm if bias.p_adjusted is None else f"{firm} ({p_phrase(bias.p_adjusted)})"
