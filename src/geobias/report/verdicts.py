"""What is said first of each section, and of several models, on the page and on a terminal."""

from __future__ import annotations

import msgspec

from geobias.probes.registry import all_probes
from geobias.results.findings import Findings, Metric, Section
from geobias.results.verdicts import Verdict, Word, as_a_hint

MANY = 3
"""Models from which on they are compared rather than told one after the other."""


TOO_SMALL = "The run is too small to be sure: a hint, no proof."


def verdict_of(findings: Findings, section: Section) -> Verdict:
    """What is said first of a section; its first sentence, where its probe has no more to say.

    A run of size quick is too small for conclusions, so nothing in it is called clear.
    """
    probe = all_probes()[section.probe]
    told = probe.verdict(section)
    if told is not None and told.word == "clear" and is_quick(findings, section):
        metrics = [as_a_hint(one) for one in section.metrics]
        hint = probe.verdict(msgspec.structs.replace(section, metrics=metrics)) or told
        return msgspec.structs.replace(hint, word="weak", matters=TOO_SMALL)
    if told is not None:
        return told
    texts = [
        one.text
        for one in findings.sentences
        if (one.probe, one.model) == (section.probe, section.model)
    ]
    word: Word = "not clear" if section.measurable else "not measurable"
    return Verdict(word=word, found="", matters=texts[0] if texts else "")


def is_quick(findings: Findings, section: Section) -> bool:
    """Whether the run is of size quick."""
    run = next((run for run in findings.runs if run.id == section.run), None)
    return run is not None and run.probes.get(section.probe, {}).get("size") == "quick"


def as_it_counts(findings: Findings, section: Section, metric: Metric) -> Metric:
    """A metric of the section, to be put in a word as the verdict is."""
    return as_a_hint(metric) if is_quick(findings, section) else metric


def in_a_sentence(verdict: Verdict) -> str:
    """ "Clear. It knows poor countries less well than rich ones. Whoever asks …"."""
    found = "" if verdict.word == "not measurable" or not verdict.found else f"It {verdict.found}."
    return " ".join(filter(None, (f"{verdict.word.capitalize()}.", found, verdict.matters)))


def words_of(findings: Findings) -> dict[tuple[str, str], Word]:
    """Probe and model → how sure a bias is."""
    return {
        (section.probe, section.model): verdict_of(findings, section).word
        for section in findings.sections
    }


def title_of_several(findings: Findings) -> str:
    """How many of the models show clear bias anywhere; where none does, how many a hint of it.

    Models that cannot be measured are counted too: they are no sign that bias is rare.
    """
    count, words = len(findings.models), words_of(findings)
    silent = len(unmeasurable(findings))
    if silent == count:
        return f"None of {count} models can be measured"
    beside = f", {silent} cannot be measured" if silent else ""
    for wanted, what in (("clear", "clear geographic bias"), ("weak", "a hint of geographic bias")):
        found = len({model for (_, model), word in words.items() if word == wanted})
        if found == count:
            return f"All {count} models show {what}"
        if found:
            return f"{found} of {count} models {'shows' if found == 1 else 'show'} {what}{beside}"
    return f"None of {count} models shows clear geographic bias{beside}"


def unmeasurable(findings: Findings) -> set[str]:
    """Models of which no probe can say anything."""
    words = words_of(findings)
    return set(findings.models) - {
        model for (_, model), word in words.items() if word != "not measurable"
    }
