"""How replies to a question with options are read, in a run and in a file."""

from __future__ import annotations

from typing import NamedTuple

from geobias.probes.namebbq.versions import Version
from geobias.probes.readers import NO_ANSWER, Line, Reader
from geobias.reading.again import choice_asker
from geobias.reading.choices import Options, mentioned, place_of_label, read_choice


class AskedOptions(NamedTuple):
    """A question with options in a line of a file."""

    words: str
    options: Options


def _of_line(line: Line) -> AskedOptions:
    texts, unknown = line.get("options"), line.get("unknown")
    if not isinstance(texts, list) or len(texts) < 2:
        raise ValueError("its 'options' are not a list of texts")
    place = unknown if isinstance(unknown, int) and 0 <= unknown < len(texts) else None
    people = line.get("people")
    short = tuple(map(str, people)) if isinstance(people, list) else ()
    words = f"{line.get('context') or ''}\n{line.get('question') or ''}".strip()
    return AskedOptions(words, Options(tuple(map(str, texts)), place, short))


def _label(line: Line) -> int | None:
    label = line["label"]
    place = place_of_label(label, _of_line(line).options)
    if place is None and str(label).strip().lower() not in NO_ANSWER:
        raise ValueError(f"the label {str(label)[:40]!r} is none of the options")
    return place


READER: Reader[AskedOptions | Version] = Reader(
    of=_of_line,
    reads=lambda asked, text: read_choice(text, asked.options),
    asker=lambda asked: choice_asker(asked.words, asked.options.texts),
    names=lambda asked, text: mentioned(text, asked.options),
    label=_label,
    declined="refused",
)
