"""Read single replies to questions with options, outside of a run."""

from __future__ import annotations

from geobias.probes.readers import NO_ANSWER, Line, ReadReply, pointed_reader
from geobias.reading.again import Asker, choice_asker
from geobias.reading.choices import Options, place_of_label, read_choice


def _options(line: Line) -> Options:
    texts, unknown = line.get("options"), line.get("unknown")
    if not isinstance(texts, list) or len(texts) < 2:
        raise ValueError("its 'options' are not a list of texts")
    place = unknown if isinstance(unknown, int) and 0 <= unknown < len(texts) else None
    people = line.get("people")
    short = tuple(map(str, people)) if isinstance(people, list) else ()
    return Options(tuple(map(str, texts)), place, short)


def _read(line: Line, text: str) -> ReadReply:
    found = read_choice(text, _options(line))
    return ReadReply(found.place, found.outcome, found.reason)


def _label(line: Line) -> int | None:
    """Return the option of a line's label; None for null, "" and "none"."""
    label, options = line["label"], _options(line)
    place = place_of_label(label, options)
    if place is None and str(label).strip().lower() not in NO_ANSWER:
        raise ValueError(f"the label {str(label)[:40]!r} is none of the options")
    return place


def _asker(line: Line) -> Asker:
    words = f"{line.get('context') or ''}\n{line.get('question') or ''}".strip()
    return choice_asker(words, _options(line).texts)


READER = pointed_reader(_read, _label, _asker)
