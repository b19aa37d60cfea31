"""Verdicts on sections, and the title over several models, for page and terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.results.findings import Findings, Section
from geobias.results.tables import adjusted_over_audit
from geobias.results.verdicts import LABELS, MEANINGS, SURENESS, Verdict, Word, untestable

MANY = 3
"""From this number of models on, the report compares models instead of describing each in turn."""


def verdict_of(findings: Findings, section: Section) -> Verdict:
    """The verdict on a section.

    The verdict follows from the primary test. If the probe has none, the verdict is "Not tested"
    with the section's first sentence.
    """
    told = derived.verdict(all_probes()[section.probe], section)
    if told is not None:
        return told
    if not section.measurable:
        return untestable(section)
    where = (section.probe, section.model)
    texts = (one.text for one in findings.sentences if (one.probe, one.model) == where)
    return Verdict(word="untested", label="Not tested", found="", matters=next(texts, ""))


def in_a_sentence(verdict: Verdict) -> str:
    """A verdict as text: "Gap found. It knows poor countries less well than rich ones. …"."""
    found = "" if verdict.word == "untested" or not verdict.found else f"It {verdict.found}."
    caution = f"Caution: {verdict.caution}" if verdict.caution else ""
    said = (
        verdict.first, f"{verdict.label}.", found, verdict.matters, verdict.further, caution,
    )  # fmt: skip
    return " ".join(filter(None, said))


def in_a_line(findings: Findings, section: Section, mark: str = "") -> str:
    """A verdict with its number: "Gap found: 0.21 [0.16, 0.26], 215 countries".

    Without a number it gives the reason. `mark` follows the label.
    """
    told = verdict_of(findings, section)
    said = told.matters
    if told.value:
        beside = "; ".join(filter(None, (told.large, told.aside)))
        said = f"{told.value}, {told.n}{f' ({beside})' if beside else ''}"
    return " ".join(filter(None, (told.first, f"{told.label}{mark}: {said}")))


def words_of(findings: Findings) -> dict[tuple[str, str], Word]:
    """(Probe, model) → the word of its verdict, which does not depend on other models."""
    return {
        (section.probe, section.model): verdict_of(findings, section).word
        for section in findings.sections
    }


def key_of(findings: Findings) -> dict[Word, str]:
    """The verdicts in a report on several models with their meanings, the surest first."""
    given = set(words_of(findings).values()) if len(findings.models) > 1 else ()
    return {
        word: ": ".join(filter(None, (LABELS[word], MEANINGS.get(word))))
        for word in SURENESS
        if word in given
    }


def title_of(findings: Findings) -> str:
    """The title of a report.

    For one model it names the parts with each verdict; for two, those with each model's surest
    verdict; for more, it counts the models with a gap. It follows from the primary tests alone.
    """
    words = words_of(findings)
    of_model = {
        model: {probe: word for (probe, of), word in words.items() if of == model}
        for model in findings.models
    }
    if len(of_model) >= MANY:
        return _title_of_many(findings, [list(own.values()) for own in of_model.values()])
    told = {model: _parts_named(own) for model, own in of_model.items() if own}
    shown = None if len(told) == 1 else 1
    return "; ".join(f"{model}: {', '.join(own[:shown])}" for model, own in told.items())


def _parts_named(words: Mapping[str, Word]) -> list[str]:
    """Name a model's parts, surest verdict first: "gap found (knows)", "open (favours)"."""
    verbs: dict[str, list[str]] = {LABELS[word].lower(): [] for word in SURENESS}
    for probe, word in words.items():
        verbs[LABELS[word].lower()].append(all_probes()[probe].verb)
    first, *rest = [f"{said} ({', '.join(own)})" for said, own in verbs.items() if own]
    return [first, *(one.replace("could not be", "not") for one in rest)]


def spread_of_words(findings: Findings, probe: str) -> tuple[list[Word], str]:
    """Each model's verdict on a probe, and how many models have each, the surest first."""
    own = [word for (name, _), word in words_of(findings).items() if name == probe]
    counts = [f"{LABELS[word]} in {own.count(word)}" for word in SURENESS if word in own]
    first, *rest = counts or [""]
    return own, ", ".join([f"{first} of {len(own)} models", *map(str.lower, rest)])


def _title_of_many(findings: Findings, words: Sequence[Sequence[Word]]) -> str:
    """Say in how many models a gap was found, before and after adjustment for all models' tests.

    After the adjustment, the chance that any of many fair models is found biased is at most 5%.
    """
    surest = [min(own, key=SURENESS.index) for own in words]
    count, silent, found = len(surest), surest.count("untested"), surest.count("found")
    if silent == count:
        return f"None of {count} models could be tested"
    sure = len(found_over_all(findings))
    where = {0: f"none of {count}", count: f"all {count}"}.get(found, f"{found} of {count}")
    allowing = f" ({sure or 'none'} if corrected for all {count} models)" if sure < found else ""
    beside = f"; {silent} could not be tested" if silent else ""
    return f"A gap was found in {where} models{allowing}{beside}"


def found_over_all(findings: Findings) -> list[str]:
    """The models that have a gap even if p is adjusted over the tests of all models."""
    sections = adjusted_over_audit(findings.sections)
    one_family = msgspec.structs.replace(findings, sections=sections)
    words = words_of(one_family).items()
    return list(dict.fromkeys(model for (_, model), word in words if word == "found"))
