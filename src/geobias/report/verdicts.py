"""Verdicts on sections, and the title over several models, for page and terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.results.findings import Findings, Section
from geobias.results.tables import adjusted_over_audit, metric_value
from geobias.results.verdicts import (
    LABELS,
    MEANINGS,
    SURENESS,
    Verdict,
    Word,
    primary_of,
    untestable,
)

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
    told, metric = verdict_of(findings, section), primary_of(section)
    said = told.matters
    if section.measurable and metric is not None and metric.value is not None:
        large = f" ({told.large})" if told.large else ""
        said = f"{metric_value(metric)}, {told.n}{large}"
    return " ".join(filter(None, (told.first, f"{told.label}{mark}: {said}")))


def words_of(findings: Findings) -> dict[tuple[str, str], Word]:
    """(Probe, model) → the word of its verdict, which does not depend on other models."""
    return {
        (section.probe, section.model): verdict_of(findings, section).word
        for section in findings.sections
    }


def key_of(findings: Findings) -> dict[Word, str]:
    """The verdicts in a report with their meanings, the surest first.

    With one model, every verdict is printed in words. Only those that need a meaning are listed.
    """
    given = set(words_of(findings).values())
    if len(findings.models) == 1:
        given &= MEANINGS.keys()
    return {
        word: ": ".join(filter(None, (LABELS[word], MEANINGS.get(word))))
        for word in SURENESS
        if word in given
    }


def title_of(findings: Findings) -> str:
    """The title of a report.

    For one or two models it says in how many parts a gap was found; for more, in how many models.
    It follows from the primary tests alone. Parts that could not be tested are counted too, since
    they do not show that bias is rare.
    """
    words = words_of(findings)
    of_model = {
        model: [word for (_, of), word in words.items() if of == model] for model in findings.models
    }
    if len(of_model) >= MANY:
        return _title_of_many(findings, of_model)
    about = ""
    if len(findings.sections) == 1:
        about = f", what it {all_probes()[findings.sections[0].probe].verb}"
    return "; ".join(f"{one}{about}: {parts_found(own)}" for one, own in of_model.items())


def parts_found(words: Sequence[Word]) -> str:
    """Count a model's verdicts: "gap found in 1 of 4 parts, open in 3".

    If all parts have the same verdict, return only this verdict.
    """
    kinds = list(dict.fromkeys(words))
    return LABELS[kinds[0]].lower() if len(kinds) == 1 else listed(Counter(words), "parts")


def listed(counts: Mapping[Word, int], of: str) -> str:
    """Counts of verdicts, the most certain first: "gap found in 1 of 4 parts, open in 3"."""
    known = [(word, counts[word]) for word in SURENESS if counts.get(word)]
    if sum(counts.values()) == 1:
        return LABELS[known[0][0]].lower()
    first, *rest = [f"{LABELS[word].lower()} in {count}" for word, count in known]
    return ", ".join([f"{first} of {sum(counts.values())} {of}", *rest])


def spread_of_words(findings: Findings, probe: str) -> tuple[dict[Word, int], str]:
    """How many models have each verdict on a probe, surest first, and a sentence of this."""
    own = Counter(word for (name, _), word in words_of(findings).items() if name == probe)
    counts = {word: own[word] for word in SURENESS if own[word]}
    if not counts:
        return {}, ""
    return counts, listed(counts, "models")


def _title_of_many(findings: Findings, words: Mapping[str, Sequence[Word]]) -> str:
    """Say in how many models a gap was found, before and after adjustment for all models' tests.

    After the adjustment, the chance that any of many fair models is found biased is at most 5%.
    """
    surest = [min(own, key=SURENESS.index) for own in words.values()]
    count, silent, found = len(surest), surest.count("untested"), surest.count("found")
    if silent == count:
        return f"None of {count} models could be tested"
    sure = len(found_over_all(findings))
    where = {0: f"none of {count}", count: f"all {count}"}.get(found, f"{found} of {count}")
    allowing = f" ({sure or 'none'} if p is adjusted over all models)" if sure < found else ""
    beside = f"; {silent} could not be tested" if silent else ""
    return f"A gap was found in {where} models{allowing}{beside}"


def found_over_all(findings: Findings) -> list[str]:
    """The models that have a gap even if p is adjusted over the tests of all models."""
    sections = adjusted_over_audit(findings.sections)
    one_family = msgspec.structs.replace(findings, sections=sections)
    words = words_of(one_family).items()
    return list(dict.fromkeys(model for (_, model), word in words if word == "found"))
