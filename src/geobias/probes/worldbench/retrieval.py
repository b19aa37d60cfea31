"""Retrieval: the statements or passages that a model is shown before it answers.

WorldBench compares Cohere's model with and without retrieval, and finds half the error and almost
no disparity over incomes with it (section 5.3). There the web is searched; here the documents are
one statement for each indicator and economy, made from the very figures answers are compared with,
and BM25 (Robertson and Zaragoza 2009, by the library bm25s) finds those nearest to the question.
It shows what is left of a disparity once the facts are in front of the model.

A user's own documents are a folder of texts, cut into passages:

    *.txt      paragraphs, separated by blank lines
    *.md       the same; the headings above a paragraph stand before it, since a page on Kenya
               names the country in its title alone
    *.jsonl    one passage a line: a text, or an object with "text"

Files come in the order of their names, in folders below too; links are not followed. A paragraph of
more than `MOST_LETTERS` is cut between sentences. What cannot be read is left out and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import msgspec
import numpy as np

from geobias.atlas.economies import Economy, economies
from geobias.atlas.figures import AVERAGED_YEARS, Figures
from geobias.atlas.indicators import Indicator
from geobias.errors import BadRequest, MissingPart
from geobias.untrusted import Undecodable, json_value, text_of

KINDS = (".txt", ".md", ".jsonl")
MOST_LETTERS = 1_000
"""Of a passage: three of them before a question still fit any model."""
MOST_FILE_BYTES = 64 << 20
MOST_FILES = 10_000
MOST_PASSAGES = 500_000
MOST_NAMED = 5
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+")
_HEADING = re.compile(r"(#{1,6})\s")


class Passages(msgspec.Struct, frozen=True):
    """What is searched. `editions` are digests of what did not come with geobias; `notes` say what
    was left out."""

    texts: list[str]
    editions: dict[str, str] = {}
    notes: tuple[str, ...] = ()


def passages_of(folder: Path) -> Passages:
    """The passages of a folder. One without any is a `BadRequest`."""
    if not folder.is_dir():
        raise BadRequest(f"--documents {folder} is no folder")
    texts: list[str] = []
    faults: list[str] = []
    digest = sha256()
    files = _files(folder)
    for path in files:
        name = path.relative_to(folder).as_posix()
        try:
            text = text_of(path, MOST_FILE_BYTES)
        except Undecodable as error:
            faults.append(f"{name}: {error}")
            continue
        digest.update(f"{name}\0{text}\0".encode())
        own = _jsonl(text, name, faults) if path.suffix == ".jsonl" else _paragraphs(text, path)
        for passage in own:
            if len(texts) == MOST_PASSAGES:
                raise BadRequest(f"{folder} has more than {MOST_PASSAGES:,} passages to search")
            texts.append(passage)
    if not texts:
        why = f" ({faults[0]})" if faults else ""
        raise BadRequest(f"{folder} has no text in a file ending in {', '.join(KINDS)}{why}")
    count = "1 file" if len(files) == 1 else f"{len(files):,} files"
    notes = [f"Retrieval searches {len(texts):,} passages of {count} in {folder.name}."]
    if faults:
        named = "; ".join(faults[:MOST_NAMED])
        more = f"; and {len(faults) - MOST_NAMED:,} more" if len(faults) > MOST_NAMED else ""
        notes.append(f"Left out of the documents: {named}{more}.")
    return Passages(texts, {"documents": digest.hexdigest()[:16]}, tuple(notes))


def _files(folder: Path) -> list[Path]:
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in KINDS and path.is_file() and not path.is_symlink():
            found.append(path)
        if len(found) > MOST_FILES:
            raise BadRequest(f"{folder} has more than {MOST_FILES:,} files to search")
    return found


def _paragraphs(text: str, path: Path) -> Iterator[str]:
    headings: dict[int, str] = {}
    for block in re.split(r"\n[ \t\r]*\n", text):
        lines = []
        for line in block.splitlines():
            heading = _HEADING.match(line) if path.suffix == ".md" else None
            if heading is None:
                lines.append(line)
                continue
            yield from _passages(lines, headings)
            lines = []
            level = len(heading[1])
            headings = {depth: words for depth, words in headings.items() if depth < level}
            headings[level] = line[level:].strip().rstrip("#").rstrip()
        yield from _passages(lines, headings)


def _passages(lines: list[str], headings: Mapping[int, str]) -> Iterator[str]:
    """The words of some lines on one, cut where they are too many, each below the headings."""
    words = " ".join(" ".join(lines).split())
    if not words:
        return
    above = ", ".join(headings.values())[: MOST_LETTERS // 4]
    for part in _cut(words):
        yield f"{above}: {part}" if above else part


def _cut(words: str) -> Iterator[str]:
    part = ""
    for sentence in _SENTENCE_END.split(words):
        if part and len(part) + 1 + len(sentence) > MOST_LETTERS:
            yield part
            part = ""
        part = f"{part} {sentence}" if part else sentence
        if len(part) > MOST_LETTERS:
            last = (len(part) - 1) // MOST_LETTERS * MOST_LETTERS
            for start in range(0, last, MOST_LETTERS):
                yield part[start : start + MOST_LETTERS]
            part = part[last:]
    if part:
        yield part


def _jsonl(text: str, name: str, faults: list[str]) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            said = json_value(line)
        except Undecodable as error:
            faults.append(f"{name}, line {number}: {error}")
            continue
        found = said.get("text") if isinstance(said, dict) else said
        if not isinstance(found, str) or not found.strip():
            faults.append(f'{name}, line {number}: it is neither a text nor an object with "text"')
            continue
        yield from _passages([found], {})


def retriever_version() -> str:
    """The version of the search library, or `MissingPart` with the way to install it."""
    if find_spec("bm25s") is None:
        raise MissingPart(
            "--retrieve needs the search library bm25s, which is not installed; get it with "
            "pip install 'geobias[retrieval]'"
        )
    return version("bm25s")


def statements(
    figures: Figures, indicators: Mapping[str, Indicator], year: int | None = None
) -> list[str]:
    """A statement for each indicator and economy with figures in the last three years, or in
    `year` if one is named; in the order of indicators and codes.
    """
    years = figures.years[-AVERAGED_YEARS:] if year is None else (year,)
    texts = []
    for indicator in indicators.values():
        for iso3 in figures.rows.get(indicator.id, ()):
            dated = [
                f"{indicator.write(figure)} in {year}"
                for year in years
                if (figure := figures.value(indicator.id, iso3, year)) is not None
            ]
            if dated and iso3 in economies():
                name = economies()[iso3].name
                texts.append(f"{name}, {indicator.phrase}: {', '.join(dated)}.")
    return texts


def figure_stated(shown: Sequence[str], indicator: Indicator, economy: Economy) -> float | None:
    """The figure that a statement among these gives, the mean over its years; None without one."""
    start = f"{economy.name}, {indicator.phrase}: "
    for text in shown:
        if text.startswith(start):
            dated = text.removeprefix(start).split(", ")
            told = [float(one.partition(" in ")[0].replace(",", "")) for one in dated]
            return sum(told) / len(told)
    return None


class Statements:
    def __init__(self, texts: list[str]) -> None:
        import bm25s

        words = _words(texts)
        if not any(words):
            raise BadRequest("the documents have no word that could be searched for")
        self.texts = texts
        self._index = bm25s.BM25(backend="numpy")
        self._index.index(words, show_progress=False)
        self._known: set[str] = set(self._index.vocab_dict)

    def nearest(self, query: str, k: int) -> list[str]:
        """The `k` best statements, best first; of equals, the first in the list.

        Fewer where fewer share a word with the query.
        """
        wanted = [word for word in _words([query])[0] if word in self._known]
        if not wanted:
            return []
        scores = self._index.get_scores(wanted)
        best = np.argsort(-scores, kind="stable")[:k]
        return [self.texts[i] for i in best if scores[i] > 0]


def _words(texts: list[str]) -> list[list[str]]:
    import bm25s

    return cast(list[list[str]], bm25s.tokenize(texts, return_ids=False, show_progress=False))
