"""Wordings of questions, as templates that users can write.

A wording is a TOML file, of which only `question` is required. `agreement` is a reply to the
instruction, shown as if the model had given it. By default `question` also asks the example; an
empty `example_answer` leaves the example out. `language` is that of countries' names. `phrases` has
the phrases that differ from the standard wording, by indicator.

Fields are replaced by name only. Python's other formatting is not applied, since templates may come
from strangers.

The default wording is the paper's (Figure 4), with the phrases of its Table 1. Countries are called
by the atlas's `name`. The paper uses `worldbank_name` ("Egypt, Arab Rep."), which is a database key
rather than a name to ask with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import msgspec

from geobias.atlas.economies import Economy, economies
from geobias.atlas.figures import Figures, Rule
from geobias.atlas.indicators import Indicator
from geobias.atlas.places import names_in
from geobias.errors import BadRequest
from geobias.probes import settings
from geobias.probes.plan import fingerprint
from geobias.probes.questions import opened
from geobias.probes.worldbench.choosing import OTHER_EXAMPLES, STANDARD_EXAMPLE
from geobias.trials import Dialogue
from geobias.untrusted import Undecodable, in_words, text_of, toml_value

STANDARD = "standard"
"""The default wording, in prompts.toml: the paper's sentences, and everyday names of countries."""
IN_LANGUAGES = ("es", "fr", "pt", "zh", "ja", "hi", "tr", "ar")
"""Languages into which the default wording is translated, with phrases and names of countries."""
SHIPPED = (STANDARD, "paper", "zero-shot", "sentence", "form", *IN_LANGUAGES)
_FIELDS = {
    "instruction": ("phrase", ""),
    "agreement": ("", ""),
    "question": ("phrase country", "phrase country"),
    "question_of_year": ("phrase country year", "phrase country year"),
    "example_question": ("phrase country year", "country"),
    "example_answer": ("phrase country figure", "figure"),
    "country": ("name worldbank_name iso3 iso2", ""),
    "retrieved": ("statements question", "statements question"),
}
"""Template → the fields that it may have, and the fields that it must have."""
_RETRIEVED = "Statements that may help:\n{statements}\n\n{question}"


class Wording(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The templates of a question, with the fields that `_FIELDS` allows."""

    question: str
    question_of_year: str = ""
    instruction: str = ""
    agreement: str = ""
    example_question: str = ""
    example_answer: str = "{figure}"
    country: str = "{name}"
    language: str = ""
    retrieved: str = _RETRIEVED
    phrases: dict[str, str] = {}

    def phrase(self, indicator: Indicator) -> str:
        return self.phrases.get(indicator.id, indicator.phrase)

    def country_name(self, economy: Economy) -> str:
        fields = {name: getattr(economy, name) for name in _FIELDS["country"][0].split()}
        if local := names_in(self.language, economy.iso3).partition("|")[0]:
            fields["name"] = local
        return self.country.format(**fields)

    def asks(self, year: int | None) -> str:
        """The template of the question, with a field for the year unless `year` is None.

        Raises `BadRequest` if the wording has no template with a year.
        """
        if year is not None and not self.question_of_year:
            raise BadRequest("this wording cannot name a year: give it a question_of_year")
        return self.question if year is None else self.question_of_year


def find_wording(named: str) -> Wording:
    """The shipped wording with this name, or the wording in the TOML file with this path."""
    return _made(_source(named), named)


def wordings_of(base: Wording, count: int) -> list[Wording]:
    """The wording `base` followed by its paraphrases, `count` wordings in all."""
    others = [
        msgspec.structs.replace(
            base,
            question=one["question"],
            question_of_year=one["question_of_year"],
            instruction=one["instruction"] if base.instruction else "",
            example_question="",
        )
        for one in paraphrases()
    ]
    if count > 1 and base.language:
        raise BadRequest("paraphrases are in English: leave out --paraphrases")
    return [one for _, one in settings.wordings_of((base, *others), count)]


@cache
def paraphrases() -> Sequence[Mapping[str, str]]:
    """The shipped paraphrases, each with `instruction`, `question` and `question_of_year`."""
    tables = toml_value(_source("paraphrases"), dict[str, list[dict[str, str]]])["paraphrase"]
    return [{name: text.strip() for name, text in one.items()} for one in tables]


def prompt_digests(named: str, count: int) -> dict[str, str]:
    """Digests of the files that a run's questions are made from.

    All wordings use the default wording's template of statements.
    """
    digests = {"worldbench": fingerprint(_source(STANDARD))}
    if named != STANDARD:
        digests[f"worldbench.{Path(named).stem}"] = fingerprint(_source(named))
    if count > 1:
        digests["worldbench.paraphrases"] = fingerprint(_source("paraphrases"))
    return digests


def _source(named: str) -> str:
    """The text of a shipped file, or of a user's file of templates."""
    if named not in (*SHIPPED, "paraphrases"):
        path = Path(named)
        if not path.exists():
            raise BadRequest(
                f"no wording is called {named!r}: choose from {', '.join(SHIPPED)}, or give the "
                "path of a TOML file"
            )
        try:
            return text_of(path)
        except Undecodable as error:
            raise BadRequest(f"{path} is not a wording: {error}") from None
    name = "prompts.toml" if named == STANDARD else f"wordings/{named}.toml"
    return files("geobias.probes.worldbench").joinpath(name).read_text("utf-8")


def _made(text: str, where: str) -> Wording:
    try:
        made = msgspec.convert(_trimmed(toml_value(text, dict[str, object])), Wording)
        for template in _FIELDS:
            _check(template, getattr(made, template))
        if made.language not in ("", "en", *IN_LANGUAGES):
            known = f"in {made.language!r}, only in {', '.join(IN_LANGUAGES)}"
            raise Undecodable(f"geobias has no names of countries {known}")
        for name, phrase in made.phrases.items():
            if not phrase:
                raise Undecodable(f"the phrase of {name!r} is empty")
    except (Undecodable, msgspec.ValidationError) as error:
        raise BadRequest(f"{where} is not a wording: {in_words(error)}") from None
    return made


def _trimmed(table: Mapping[str, object]) -> dict[str, object]:
    return {name: text.strip() if isinstance(text, str) else text for name, text in table.items()}


def _check(name: str, template: str) -> None:
    """Raise `Undecodable` if a template has a field that is not allowed, or lacks a needed one."""
    known, needed = map(str.split, _FIELDS[name])
    try:
        parts = [part[1:] for part in Formatter().parse(template) if part[1] is not None]
    except ValueError as error:
        raise Undecodable(f"{name}: {error} (write a literal brace twice)") from None
    for field, spec, conversion in parts:
        if field not in known or spec or conversion:
            there = ", ".join(f"{{{one}}}" for one in sorted(known)) or "nothing to fill in"
            raise Undecodable(f"{name} has {{{str(field)[:40]}}}, but can only have {there}")
    found = {field for field, *_ in parts}
    if name == "country" and not found:
        raise Undecodable("country must contain one of {name}, {worldbank_name}, {iso3} or {iso2}")
    if (name == "question" or template) and (lacking := sorted({*needed} - found)):
        raise Undecodable(f"{name} lacks {{{lacking[0]}}}")


class Example(NamedTuple):
    economy: Economy
    figure: float


def examples(
    figures: Figures, indicators: Mapping[str, Indicator], chosen: Economy, rule: Rule
) -> dict[str, Example]:
    """The worked examples; if the `chosen` country has no figure under `rule`, of another one."""
    found: dict[str, Example] = {}
    for name in indicators:
        known = figures.truths(name, rule)
        tried = (chosen.iso3, STANDARD_EXAMPLE, *OTHER_EXAMPLES, *sorted(known))
        place = next((iso3 for iso3 in tried if iso3 in known), None)
        if place is None:
            raise BadRequest(
                f"no country has a figure for {name} under the rule {rule}, so none can be the "
                "example there: choose other --indicators"
            )
        found[name] = Example(economies()[place], known[place])
    return found


def other_examples(found: Mapping[str, Example], chosen: Economy) -> list[str]:
    others = [
        f"{one.economy.name} for {name}"
        for name, one in found.items()
        if one.economy.iso3 != chosen.iso3
    ]
    lacks = f"{chosen.name} lacks figures, so another country is the example, and not asked about"
    return [f"{lacks}: {', '.join(others)}."] if others else []


def opening(
    indicator: Indicator,
    example: Example | None,
    *,
    year: int | None,
    system: str,
    wording: Wording,
) -> Dialogue:
    """The dialogue before the question, which is the same for all economies of an indicator."""
    dialogue = opened(system)
    phrase = wording.phrase(indicator)
    if wording.instruction:
        dialogue = dialogue.user(wording.instruction.format(phrase=phrase))
        if wording.agreement:
            dialogue = dialogue.assistant(wording.agreement)
    if example is None:
        return dialogue
    name = wording.country_name(example.economy)
    template = wording.example_question or wording.asks(year)
    answer = {"phrase": phrase, "country": name, "figure": indicator.write(example.figure)}
    asked = with_question(dialogue, template.format(phrase=phrase, country=name, year=year))
    return asked.assistant(wording.example_answer.format(**answer))


def with_question(before: Dialogue, words: str) -> Dialogue:
    """The dialogue with the question `words` added.

    If the dialogue ends with an instruction, the question is added to that message, since some
    servers refuse two messages of the user in a row.
    """
    if before.role == "user" and before.parent is not None:
        return before.parent.user(f"{before.content}\n\n{words}")
    return before.user(words)


def question(
    indicator: Indicator,
    economy: Economy,
    *,
    year: int | None,
    statements: Sequence[str] = (),
    wording: Wording | None = None,
) -> str:
    words = wording or find_wording(STANDARD)
    asked = words.asks(year).format(
        phrase=words.phrase(indicator), country=words.country_name(economy), year=year
    )
    if not statements:
        return asked
    lines = "\n".join(f"- {statement}" for statement in statements)
    return words.retrieved.format(statements=lines, question=asked)
