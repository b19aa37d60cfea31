"""WorldBench's answers: questions with their errors, the figures they are compared with, and
the runs of several models pooled.

What decides the truth (year, ground truth, figures) or the wording must be the same in all runs
that are pooled. Where runs asked different questions, those that all of them asked are pooled. What
else differs is named. Several runs of one model under the same conditions are one model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from geobias.atlas.economies import economy_name
from geobias.atlas.figures import Figures, Rule, ground_truth_rule
from geobias.atlas.figures import figures as shipped_figures
from geobias.atlas.table import published_editions
from geobias.errors import BadRequest
from geobias.probes.probe import Answers, RunRecords
from geobias.probes.settings import bearing, fields_of
from geobias.probes.worldbench.choosing import STANDARD_EXAMPLE, figures_from
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.settings import WorldBenchReading, WorldBenchSettings
from geobias.probes.worldbench.trials import figures_digest
from geobias.results.formatting import counted


class FigureAnswers(Answers, frozen=True, kw_only=True):
    """`figures` is None where those that the run was made with are not at hand."""

    figures: Figures | None
    rule: Rule = "average"

    def known_figures(self) -> Figures:
        """The figures the answers were compared with, which a table may need."""
        if self.figures is None:
            raise BadRequest(
                f"{self.model} was not run with these figures; give --figures FILE with the table "
                "that was used"
            )
        return self.figures


def read_answers(run: RunRecords, reading: WorldBenchReading) -> FigureAnswers:
    """A run's answers. Trials end in whatever order; sums of floats must not depend on it."""
    figures = figures_from(reading.figures)
    same = run.editions.get("figures") == figures_digest(figures)
    return FigureAnswers(
        model=run.model,
        frame=frame_of(run.rows("worldbench"), run.model).sort("trial"),
        records=run,
        figures=figures if same else None,
        rule=ground_truth_rule(run.settings.get("ground_truth", "average")),
    )


def figures_edition(digest: str, settings: Mapping[str, Any]) -> str:
    """The figures' publisher, rule and date."""
    if settings.get("figures", "shipped") != "shipped":
        return "the user’s own table"
    shipped = shipped_figures()
    if digest != figures_digest(shipped):
        return "World Bank, another edition than this geobias ships"
    files = next(one.edition for one in published_editions() if one.table == "figures.csv")
    rule = ground_truth_rule(str(settings.get("ground_truth", "average")))
    first, last = shipped.years[-3], shipped.years[-1]
    used = {"average": f"average of {first}–{last % 100:02d}", "latest": "most recent year"}
    return f"World Bank, {used.get(str(rule), f'year {rule}')}, files of {files}"


ALL_MODELS = "all models"
"""In the column of models, whose the pooled rows are."""
_UNHEARD = ("seed", "size", "repeats")
"""Settings that say nothing which the questions, or their number, do not say."""


_WORDING = ("prompts", "own_wording")
"""Settings that say in what words questions were asked."""


class Pool(NamedTuple):
    """The answers of several models to the questions that all of them were asked.

    frame   as `scores.frame_of` makes it; `model` is the model as asked, whatever the run
    notes   what was left out, and what the runs differ in
    first   the answers of the first run, with the figures of all
    """

    frame: pl.DataFrame
    models: list[str]
    notes: list[str]
    first: FigureAnswers


def pooled_in_spite_of(weak: Sequence[str]) -> list[str]:
    """A note on models whose answers say little and are pooled all the same."""
    named = ", ".join(weak)
    return (
        [f"Not measurable by themselves, and counted in what is pooled: {named}."] if weak else []
    )


def pool_of(answers: Sequence[FigureAnswers]) -> Pool:
    """What can be pooled of these runs. Runs that must not be are a `BadRequest` that says why."""
    if why := forbidding(answers):
        raise BadRequest(f"these runs are not pooled, since they differ in {'; '.join(why)}")
    names = _models(answers)
    frames = [
        one.frame.with_columns(model=pl.lit(name)) for one, name in zip(answers, names, strict=True)
    ]
    columns = [name for name in frames[0].columns if all(name in one.columns for one in frames)]
    asked = [frame.select("indicator", "country").unique() for frame in frames]
    shared = asked[0]
    for one in asked[1:]:
        shared = shared.join(one, on=("indicator", "country"))
    if not shared.height:
        raise BadRequest("these runs are not pooled, since they asked no question in common")
    whole = pl.concat(frame.select(columns) for frame in frames)
    frame = whole.join(shared, on=("indicator", "country"), how="semi")
    models = list(dict.fromkeys(frame["model"]))
    notes = []
    most = max(one.height for one in asked)
    if shared.height < most:
        notes.append(
            f"Pooled over the {counted(shared.height, 'questions')} that all runs asked; one of "
            f"them asked {most:,}."
        )
    asked_models = dict.fromkeys(map(model_of, answers))
    if len(models) < len(answers):
        notes.append(
            f"{len(answers)} runs of {counted(len(models), 'models')}: runs of one model count as "
            "one model."
        )
    if len(asked_models) < len(models):
        notes.append(
            "A model that was run under several conditions counts once for each, as the paper "
            "counts Cohere with and without retrieval. Such runs are no independent sample."
        )
    if differ := telling(answers):
        notes.append(f"The pooled runs differ in {'; '.join(differ)}.")
    if len(models) < 3:
        notes.append(
            f"With {counted(len(models), 'models')} nothing is known of how models vary: pooled "
            "intervals are over countries, for these very models. Three models or more give "
            "intervals over models and countries."
        )
    return Pool(frame, models, notes, answers[0])


def model_of(one: FigureAnswers) -> str:
    """The model as asked; runs of it under other names of columns are still its."""
    return one.records.models.get("model", one.model) if one.records else one.model


def _models(answers: Sequence[FigureAnswers]) -> list[str]:
    """The model of each run, with its conditions where other runs of it had others."""
    by_model: dict[str, list[FigureAnswers]] = {}
    for one in answers:
        by_model.setdefault(model_of(one), []).append(one)
    names = []
    for one in answers:
        model = model_of(one)
        differ = [words.split(":")[0] for words in telling(by_model[model])]
        settings = one.records.settings if one.records else {}
        own = [f"{words} {_short(settings.get(words.replace(' ', '_')))}" for words in differ]
        names.append(f"{model} ({', '.join(own)})" if own else model)
    return names


def forbidding(answers: Sequence[FigureAnswers]) -> list[str]:
    """What differs between runs that must not be mixed."""
    found = _differing(answers, "truth") + _differing(answers, "replies", _WORDING)
    runs = [one.records for one in answers if one.records is not None]
    for kind, entries in (
        ("edition of", [run.editions for run in runs]),
        ("wording of", [run.prompts for run in runs]),
    ):
        names = sorted({name for one in entries for name in one})
        for name in names:
            values = {one[name] for one in entries if name in one}
            ours = name.partition(".")[0] == "worldbench" or name in ("figures", "indicators.csv")
            if len(values) > 1 and ours:
                found.append(f"the {kind} {name}")
    return found


def telling(answers: Sequence[FigureAnswers]) -> list[str]:
    """What differs between runs that may be mixed, and may explain a difference."""
    return _differing(answers, "replies")


def _differing(answers: Sequence[FigureAnswers], bears: str, only: Sequence[str] = ()) -> list[str]:
    settings = [one.records.settings for one in answers if one.records is not None]
    fields = fields_of(WorldBenchSettings)
    found = []
    for key in sorted({key for one in settings for key in one}):
        if bearing(fields, key) != bears or key in _UNHEARD or (only and key not in only):
            continue
        values = dict.fromkeys(_short(one.get(key)) for one in settings)
        if len(values) > 1:
            found.append(f"{key.replace('_', ' ')}: {' and '.join(values)}")
    return found


def _short(value: Any) -> str:
    words = "none" if value is None or value is False or value in ("", []) else str(value)
    return words if len(words) <= 30 else words[:29] + "…"


class PaperColumn(NamedTuple):
    """A column of the paper's Tables 4 and 5.

    condition   its name in the shipped table; "" where none matches, and `why_none` says why
    """

    condition: str
    words: str
    why_none: str = ""


def paper_column(settings: Mapping[str, Any]) -> PaperColumn:
    """The column of the paper that was made as a run with these settings was."""
    year, example = settings.get("year"), settings.get("example_country", STANDARD_EXAMPLE)
    truth = str(settings.get("ground_truth", "average"))
    why = ""
    if settings.get("retrieve"):
        why = "the paper's tables have no column with retrieval (Cohere + RAG is among the models)"
    elif settings.get("prompts", "paper") != "paper":
        why = f"the run was asked in another wording ({settings['prompts']})"
    elif settings.get("paraphrases", 1) > 1:
        why = "the run was asked in several wordings, the paper's models in one"
    elif settings.get("figures", "shipped") != "shipped":
        why = "the run was made with figures of one's own"
    elif year is not None and example != STANDARD_EXAMPLE:
        why = "the paper names no year with another example country than Switzerland"
    elif year is not None and (year not in (2016, 2021) or truth != str(year)):
        why = "the paper names the years 2016 and 2021, each with that year's figures as the truth"
    elif year is None and truth != "average":
        why = f"the paper's truth is the average of 2020–22, the run's is {truth}"
    elif example not in _EXAMPLES:
        why = "the paper's example countries are Switzerland, Colombia and Mali, not " + (
            economy_name(str(example))
        )
    if why:
        return PaperColumn("", "none", why)
    if year is not None:
        condition = f"year {year} in the question"
        return PaperColumn(condition, f"Table 4, {year} named in the question")
    if example != STANDARD_EXAMPLE:
        condition = f"example {_EXAMPLES[str(example)]}, open models"
        return PaperColumn(condition, f"Table 5, example {_EXAMPLES[str(example)]}")
    return PaperColumn("default", "Table 4, no year named, example Switzerland")


_EXAMPLES = {"CHE": "Switzerland", "COL": "Colombia", "MLI": "Mali"}


def asked_otherwise(answers: Sequence[FigureAnswers]) -> dict[str, str]:
    """What models were asked otherwise than the paper's of its Figures 12 to 14."""
    found = {}
    for one in answers:
        column = paper_column(one.records.settings if one.records else {})
        if column.condition != "default":
            found[one.model] = f"asked otherwise ({column.why_none or column.words})"
    return found
