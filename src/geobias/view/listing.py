"""What lists of trials share: filters in words, addresses that keep them, the words of a reply."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from geobias.atlas.economies import economy_name
from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.probes.registry import all_probes, record_owner, record_titles
from geobias.results.descriptions import ReadAs
from geobias.results.formatting import in_natural_order
from geobias.runfile import RunReader
from geobias.runfile.reading import split_digests
from geobias.view.index import FILTERS

LABELS = {name: name.capitalize() for name in FILTERS}
LABELS |= {"income": "Income group", "half": "North or South", "variant": "Version"}


def first_words(reader: RunReader, id_: int) -> str:
    """What the list shows of a trial: its last reply; of a conversation all that one side said."""
    row = next(reader.query("SELECT probe, replies FROM records WHERE id = ?", (id_,)), None)
    if row is None or not row[1]:
        return ""
    probe = record_owner(row[0])
    digests = split_digests(row[1])
    if probe is not None and probe.in_turns and row[0] == probe.name:
        replies = list(filter(None, map(reader.reply, digests[:160])))
        return " · ".join(one.text[:200] for one in replies if one.role == replies[0].role)
    reply = reader.reply(digests[-1])
    return "" if reply is None else reply.text[:400_000] or f"[{reply.outcome}]"


def facets(
    counted: Mapping[str, list[tuple[str, int]]], chosen: Mapping[str, str]
) -> dict[str, list[tuple[str, str, int]]]:
    """Filters that part the trials: value, words, count. One value alone parts nothing.

    Groups stand in their natural order, countries and topics by name, others by count."""
    parting: dict[str, list[tuple[str, str, int]]] = {}
    for name, values in counted.items():
        if len(values) > 1 or name in chosen:
            counts = dict(values)
            ordered = in_natural_order([{"value": value} for value in counts], "value")
            parting[name] = [
                (value, in_words(name, value), counts[value])
                for value in (row["value"] for row in ordered)
            ]
            if name in ("country", "topic"):
                parting[name].sort(key=lambda one: one[1].casefold())
    if "outcome" in parting:
        parting["outcome"] = _told_apart(parting["outcome"])
    return parting


def _told_apart(values: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    """Outcomes that two probes record under other names, each with the titles of its probes."""
    words = [one[1] for one in values]
    return [
        (value, f"{said}, {_who_says(value)}" if words.count(said) > 1 else said, count)
        for value, said, count in values
    ]


def _who_says(outcome: str) -> str:
    return ", ".join(probe.title for probe in all_probes().values() if outcome in probe.read_as)


def in_words(name: str, value: str) -> str:
    if name == "country":
        return economy_name(value)
    if name == "probe":
        return record_titles().get(value, value)
    if name == "outcome":
        own = next((one.read_as for one in all_probes().values() if value in one.read_as), ReadAs())
        return own.words(value)
    if name == "topic":
        return value.replace("_", " ")
    if name == "language":
        return LANGUAGE_NAMES.get(value, value)
    return value.replace("_", " ").replace("-", " ") if name == "variant" else value


def query(kept: Mapping[str, str], without: str = "", **more: str) -> str:
    given = {name: value for name, value in {**kept, **more}.items() if name != without and value}
    return f"?{urlencode(given)}" if given else "?"
