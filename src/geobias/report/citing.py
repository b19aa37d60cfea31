"""BibTeX of geobias and of the papers whose benchmarks were run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from geobias.probes.probe import Citation
from geobias.results.text import one_line

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MARK = re.compile(r"[&%$#_]")
_ARXIV = "https://arxiv.org/abs/"
_DOI = "https://doi.org/"


def bibtex(papers: Sequence[Citation], version: str, year: str = "") -> str:
    """An entry for geobias, then one for each paper, each under a key of its own.

    `year` is that of the runs. The address is the one that the package names as its own, if any.
    """
    own = {
        "title": "{geobias: an audit of geographic bias in language models}",
        "author": "{The geobias authors}",
        "year": year,
        "note": f"Version {version}",
        "url": _home(),
    }
    entries = {"geobias": _entry("software", "geobias", own)}
    for paper in dict.fromkeys(papers):
        key = _free_key(paper, entries)
        entries[key] = _paper(paper, key)
    return "\n".join(entries.values())


def _paper(paper: Citation, key: str) -> str:
    place = _YEAR.sub("", paper.where).strip(" ,")
    fields = {
        "title": f"{{{_plain(paper.title)}}}",
        "author": " and ".join(map(_plain, paper.authors.split(", "))),
        "booktitle": _plain(place),
        "year": _year(paper),
        "doi": paper.link.removeprefix(_DOI) if paper.link.startswith(_DOI) else "",
        "eprint": paper.link.removeprefix(_ARXIV) if paper.link.startswith(_ARXIV) else "",
        "archiveprefix": "arXiv" if paper.link.startswith(_ARXIV) else "",
        "url": paper.link,
    }
    return _entry("inproceedings" if place else "misc", key, fields)


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def _free_key(paper: Citation, taken: Iterable[str]) -> str:
    """The first author's last name and the year; a letter more where two papers share them."""
    name = re.sub(r"[^a-z]", "", paper.authors.split(", ")[0].split()[-1].lower()) or "paper"
    key = name + _year(paper)
    letters = ("", *"abcdefghijklmnopqrstuvwxyz")
    return next((f"{key}{more}" for more in letters if f"{key}{more}" not in taken), key)


def _year(paper: Citation) -> str:
    """As the paper's place has it, or by its number at arXiv, which begins with year and month."""
    if found := _YEAR.search(paper.where):
        return found[0]
    numbered = re.match(r"(\d\d)\d\d\.", paper.link.removeprefix(_ARXIV))
    return f"20{numbered[1]}" if numbered and paper.link.startswith(_ARXIV) else ""


def _home() -> str:
    """The first address in the package's metadata."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        addresses = metadata("geobias").get_all("Project-URL") or [""]
    except PackageNotFoundError:
        return ""
    return str(addresses[0]).rpartition(", ")[2]


def _plain(text: str) -> str:
    """Text that BibTeX and LaTeX take as it is."""
    safe = re.sub(r"[\\{}]", "", one_line(text))
    return _MARK.sub(lambda mark: f"\\{mark[0]}", safe)
