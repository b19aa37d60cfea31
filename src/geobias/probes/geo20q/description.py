"""What a game, or a question to the judge, looks like to a reader; what people check by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geobias.atlas.economies import economy_name
from geobias.atlas.entities import entities
from geobias.probes.geo20q.judging import JUDGE_RECORDS
from geobias.probes.geo20q.scores import ENDINGS, SETTINGS
from geobias.results.descriptions import CheckQuestion, Description, Facts, Key, ReadAs, Sample
from geobias.results.formatting import counted

_MARKS = {
    "repeated": "asked before",
    "contradicted": "against an earlier answer",
    "not_yes_no": "not a yes/no question",
    "flips": "flips",
    "leaks": "leaks",
    "rambles": "rambles",
    "refusals": "refusals",
}
"""What is counted of a game → in words."""
_ANSWERS = ("yes", "no", "maybe", "unread")


def describe(record: Mapping[str, Any]) -> Description:
    return (_fact if record["probe"] == JUDGE_RECORDS else _game)(record)


def _game(record: Mapping[str, Any]) -> Description:
    played = [setting for setting in SETTINGS if record.get(setting)]
    words = {setting: str(record[setting]).replace("_", " ") for setting in played}
    turns = {setting: record.get(f"{setting}_turns") or 0 for setting in played}
    endings = {one: f"{words[one]} after {counted(turns[one], 'turns')}" for one in played}
    return Description(
        title=f"{record.get('name', '')} ({economy_name(str(record.get('country', '')))})",
        topic=str(record.get("category", "")),
        language=str(record.get("language") or "en"),
        read=", ".join(dict.fromkeys(endings.values())),
        result=words[played[-1]] if played else "",
        correct=record[played[-1]] == "won" if played and record[played[-1]] in ENDINGS else None,
        facts=_facts(record, endings),
        turns=max(turns.values(), default=0),
    )


def _facts(record: Mapping[str, Any], endings: Mapping[str, str]) -> Facts:
    facts = [
        ("Answer", f"{record['name']} ({record.get('category')})"),
        ("Country", economy_name(str(record.get("country")))),
        ("Language", str(record.get("language"))),
        *((setting.capitalize(), ending) for setting, ending in endings.items()),
    ]
    if record.get("guessed"):
        where = economy_name(str(record.get("guessed_country")))
        other = entities().get(str(record["guessed"]))
        facts.append(("Guessed instead", f"{other.name if other else record['guessed']}, {where}"))
    marks = [f"{record[key]} {words}" for key, words in _MARKS.items() if record.get(key)]
    facts.append(("Marks", ", ".join(marks) or "none"))
    if record.get("checked"):
        share = f"{record.get('errors')} of {record['checked']} that the table can check"
        facts.append(("Judge wrong", share))
    if place := record.get("first_place"):
        facts.append(("First place asked", f"{place}, turn {record.get('first_place_turn')}"))
    return facts


def _fact(record: Mapping[str, Any]) -> Description:
    answer, truth = record.get("answer") or "", record.get("truth") or ""
    result = ("right" if answer == truth else "wrong") if answer else ""
    return Description(
        title=f"{record.get('name', '')}: {record.get('text', '')}",
        topic=str(record.get("category", "")),
        language=str(record.get("language") or "en"),
        read=f"{answer or 'no answer'}, the table says {truth}",
        result=result,
        bad=result == "wrong",
        correct=result == "right" if result else None,
        facts=[("Outcome", ReadAs().words(str(record["outcome"])))],
    )


def _answered(record: Mapping[str, Any]) -> int:
    if record["probe"] == JUDGE_RECORDS:
        return 0
    return sum(int(record.get(word) or 0) for word in _ANSWERS)


SAMPLES = (
    Sample(
        name="geo20q.judge",
        title="Answers of the judge",
        question="Is the judge's answer right?",
        keys=(
            Key("1r", "right", "Right"),
            Key("2w", "wrong", "Wrong"),
            Key("3u", "unsure", "Cannot be said"),
        ),
        items=_answered,
        shows="answer",
    ),
)
CHECKS = (
    CheckQuestion(
        name="geo20q.judge_right",
        sample="geo20q.judge",
        label="Judge's answers that are right",
        right=lambda word: word == "right",
        sentence="Judge checked on {n} answers: {share} right.",
    ),
)
