"""Which replies of a run a user means: words that a run does not have are refused, with its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, get_args

from geobias.errors import BadRequest

if TYPE_CHECKING:
    from geobias.runfile import RunReader
    from geobias.runfile.reading import SavedReply

ALIKE = (
    frozenset({"read", "parsed", "answered"}),
    frozenset({"unread", "unparsed"}),
    frozenset({"declined", "refused", "abstained"}),
)
"""Outcomes that are one thing to a reader of reports, whatever a probe's records call it."""
SHOWN = 40


def chosen_replies(
    run: RunReader,
    *,
    probe: str | None = None,
    country: str | None = None,
    role: str | None = None,
    outcome: str | None = None,
    trial: str | None = None,
) -> Iterator[tuple[str, SavedReply]]:
    """Trial and reply, as `RunReader.replies`; a value that the run cannot have is refused."""
    if probe is not None:
        check_probe(run, probe)
    if role is not None:
        _check("role", role, run.spent(), run)
    if trial is not None:
        found = run.query("SELECT 1 FROM records WHERE trial = ? LIMIT 1", (trial,))
        if not list(found):
            some = run.query("SELECT trial FROM records ORDER BY id LIMIT 3")
            raise _no_such("trial", trial, [*(name for (name,) in some), "…"], run)
    iso3 = None if country is None else _asked_about(run, country)
    outcomes = None if outcome is None else _outcomes(run, outcome)
    return run.replies(probe=probe, country=iso3, role=role, outcome=outcomes, trial=trial)


def check_probe(run: RunReader, probe: str) -> None:
    """Refuse a probe that the run has not."""
    _check("probe", probe, {**run.manifest().probes, **run.done()}, run)


def _asked_about(run: RunReader, country: str) -> str:
    from geobias.atlas.economies import economy

    iso3 = economy(country).iso3
    rows = run.query("SELECT DISTINCT country FROM records WHERE country <> '' ORDER BY 1")
    _check("country", iso3, [code for (code,) in rows], run)
    return iso3


def _outcomes(run: RunReader, word: str) -> list[str]:
    """The words of the run's records for an outcome; those that any run may have are no mistake."""
    from geobias.trials import Outcome

    there = dict.fromkeys(one for counts in run.done().values() for one in counts)
    meant = next((words for words in ALIKE if word in words), frozenset({word}))
    if not meant & {*there, *get_args(Outcome), *frozenset().union(*ALIKE)}:
        raise _no_such("outcome", word, list(there), run)
    return sorted(meant)


def _check(what: str, value: str, there: Collection[str], run: RunReader) -> None:
    if value not in there:
        raise _no_such(what, value, there, run)


def _no_such(what: str, value: str, there: Iterable[str], run: RunReader) -> BadRequest:
    from geobias.results.text import one_line

    names = [one_line(name) for name in there]
    more = ", …" if len(names) > SHOWN else ""
    has = f"there is {', '.join(names[:SHOWN])}{more}" if names else "it has none yet"
    return BadRequest(f"{run.path} has no {what} {value!r}; {has}")
