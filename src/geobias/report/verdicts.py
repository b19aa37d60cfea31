"""What is said first of each section, and of several models, on the page and on a terminal."""

from __future__ import annotations

from geobias.probes.registry import all_probes
from geobias.results.findings import Findings, Section
from geobias.results.verdicts import Verdict, Word

MANY = 3
"""Models from which on they are compared rather than told one after the other."""


def verdict_of(findings: Findings, section: Section) -> Verdict:
    """What is said first of a section; its first sentence, where its probe has no more to say."""
    told = all_probes()[section.probe].verdict(section)
    if told is not None:
        return told
    texts = [
        one.text
        for one in findings.sentences
        if (one.probe, one.model) == (section.probe, section.model)
    ]
    word: Word = "not clear" if section.measurable else "not measurable"
    return Verdict(word=word, found="", matters=texts[0] if texts else "")


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
    """How many of the models show clear bias anywhere."""
    count, words = len(findings.models), words_of(findings)
    clear = len({model for (_, model), word in words.items() if word == "clear"})
    if set(words.values()) == {"not measurable"}:
        return f"None of {count} models can be measured"
    if clear == count:
        return f"All {count} models show clear geographic bias"
    if clear == 0:
        return f"None of {count} models shows clear geographic bias"
    return f"{clear} of {count} models {'shows' if clear == 1 else 'show'} clear geographic bias"
