"""Which country is it from? Entities are kept whose country all models agree on.

The paper asks each model for the country that an entity is most strongly associated with, among
those its article names, and keeps an entity when the models are unanimous.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from geobias.atlas.economies import economies, find_economy
from geobias.atlas.table import TableError, read_records, write_rows
from geobias.errors import BadRequest
from geobias.probes.geo20q.tokens import Phrases
from geobias.probes.plan import Plan, fingerprint
from geobias.reading.answer import own_answer
from geobias.stats.estimates import Estimate, rate
from geobias.trials import Ask, Dialogue, Record, Steps, Trial

CANDIDATES = ("countries", "candidates", "country")
PROMPT = (
    "Which country is {name} most strongly associated with?\n"
    "Choose one of: {countries}.\n"
    "Answer with the name of that country only."
)
MAX_TOKENS = 24


class Row(msgspec.Struct, frozen=True):
    """An entity with the countries it may be from; `cells` is the row of the file."""

    line: int
    name: str
    countries: tuple[str, ...]
    cells: dict[str, str]


class AgreeRecord(Record, frozen=True, kw_only=True):
    """One entity and the country each model gives it.

    outcome    agreed, disagreed, or unread where a model named none or several of the candidates;
               the reply's own outcome where there was no text
    answers    role → ISO-3 code, "" where unread
    country    the agreed country, else empty
    """

    name: str
    line: int
    candidates: list[str]
    answers: dict[str, str]


def read_candidates(path: Path) -> list[Row]:
    """The rows of a CSV file with a name and the countries it may be from, parted by "|"."""
    records = read_records(path)
    line, header = next(records, (1, []))
    column = next((name for name in CANDIDATES if name in header), None)
    if "name" not in header or column is None:
        raise TableError(path, line, "should have a column name and a column countries")
    rows = []
    for line, record in records:
        if not record:
            continue
        cells = dict(zip(header, record, strict=False))
        codes = []
        for text in cells.get(column, "").split("|"):
            if not text.strip():
                continue
            home = find_economy(text)
            if home is None:
                raise TableError(path, line, f"{text.strip()!r} is no country")
            codes.append(home.iso3)
        if not codes:
            raise TableError(path, line, "names no country")
        rows.append(Row(line, cells["name"], tuple(dict.fromkeys(codes)), cells))
    return rows


def roles_of(models: Sequence[str]) -> dict[str, str]:
    """A role for each model; the first is "model", as every run has one."""
    if len(models) < 2 or len(set(models)) < len(models):
        raise BadRequest("name at least two different models to agree: --models A,B,C")
    return {"model" if i == 0 else f"model {i + 1}": model for i, model in enumerate(models)}


def plan(rows: Sequence[Row], roles: Sequence[str]) -> Plan:
    """A question to every model about every entity with more than one candidate."""
    asked = [row for row in rows if len(row.countries) > 1]

    def trials() -> Iterator[Trial]:
        for row in asked:
            yield Trial(f"agree/{row.line}", partial(_ask_all, row, roles))

    facts = [(row.line, row.name, row.countries) for row in asked]
    return Plan(
        probe="agree",
        settings={"models": len(roles)},
        count=len(asked),
        calls=(len(asked) * len(roles), len(asked) * len(roles)),
        trials=trials,
        editions={"candidates": fingerprint(msgspec.json.encode(facts).decode())},
        prompts={"agree": fingerprint(PROMPT)},
    )


def _ask_all(row: Row, roles: Sequence[str]) -> Steps:
    names = [economies()[code].name for code in row.countries]
    question = PROMPT.format(name=row.name, countries="; ".join(names))
    answers: dict[str, str] = {}
    outcome = ""
    for role in roles:
        reply = yield Ask(dialogue=Dialogue().user(question), max_tokens=MAX_TOKENS, role=role)
        if reply.outcome != "ok":
            outcome = reply.outcome
        answers[role] = chosen(reply.text, row.countries) if reply.outcome == "ok" else ""
    countries = set(answers.values())
    if not outcome:
        outcome = "unread" if "" in countries else "agreed" if len(countries) == 1 else "disagreed"
    return AgreeRecord(
        trial=f"agree/{row.line}",
        probe="agree",
        country=countries.pop() if outcome == "agreed" else "",
        outcome=outcome,
        name=row.name,
        line=row.line,
        candidates=list(row.countries),
        answers=answers,
    )


def chosen(reply: str, countries: Sequence[str]) -> str:
    """The one candidate that a reply names, by its longest names; "" for none or several."""
    text = own_answer(reply).text
    lengths = {code: Phrases(_names(code)).longest(text) for code in countries}
    longest = max(lengths.values())
    named = [code for code, length in lengths.items() if length == longest]
    return named[0] if longest and len(named) == 1 else ""


def _names(code: str) -> list[str]:
    """A country's names, with and without a "The" before them."""
    names = (economies()[code].name, economies()[code].worldbank_name)
    return [*names, *(name.removeprefix("The ") for name in names)]


class Agreement(msgspec.Struct):
    """The result: what is kept, with its country, of which share of the file, what is left out, and
    how many rows had one candidate only or were asked about."""

    kept: list[tuple[Row, str]]
    share: Estimate
    left_out: list[dict[str, Any]]
    single: int
    asked: int


def agreement(rows: Sequence[Row], records: Sequence[Mapping[str, Any]]) -> Agreement:
    """Unanimous entities, and those with one candidate only, which nobody had to be asked about."""
    by_line = {record["line"]: record for record in records}
    single = [row for row in rows if len(row.countries) == 1]
    asked = [(row, by_line[row.line]) for row in rows if row.line in by_line]
    kept = [(row, row.countries[0]) for row in single]
    kept += [(row, found["country"]) for row, found in asked if found["outcome"] == "agreed"]
    kept.sort(key=lambda one: one[0].line)
    left_out = [
        {"name": row.name, "outcome": found["outcome"], **found["answers"]}
        for row, found in asked
        if found["outcome"] != "agreed"
    ]
    return Agreement(kept, rate(len(kept), len(rows)), left_out, len(single), len(asked))


def write_kept(result: Agreement, path: Path) -> None:
    """The kept rows as they were, with the agreed country in the column `country`."""
    rows = [row.cells | {"country": country} for row, country in result.kept]
    columns = list(dict.fromkeys(name for row in [*rows, {"country": ""}] for name in row))
    write_rows(path, [columns, *([row.get(name) for name in columns] for row in rows)])
