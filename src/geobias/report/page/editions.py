"""What a run was made with, and whom to cite: editions of the data in words, papers, geobias."""

from __future__ import annotations

from geobias.atlas.editions import published_editions
from geobias.probes.registry import AnyProbe, all_probes
from geobias.report.page.text import readable
from geobias.results.findings import Run

_OTHER = "another edition than this geobias ships"


def editions(run: Run) -> list[dict[str, str]]:
    """Each table and prompt of a run: its name, its edition in words, the hash of its content."""
    data = []
    for name, digest in sorted(run.editions.items()):
        probe = _owner(name, run)
        said = probe.edition(name, digest, run.probes[probe.name]) if probe else ""
        label = probe.editions[name] if probe else name
        data.append({"name": label, "edition": said or _shipped(name, digest), "hash": digest})
    prompts = [
        {"name": f"Prompts, {name}", "edition": "", "hash": digest}
        for name, digest in sorted(run.prompts.items())
    ]
    return [{key: readable(text, 200) for key, text in one.items()} for one in data + prompts]


def _owner(name: str, run: Run) -> AnyProbe | None:
    """The probe of the run that calls some of its data so."""
    probes = (all_probes().get(probe) for probe in run.probes)
    return next((one for one in probes if one is not None and name in one.editions), None)


def _shipped(name: str, digest: str) -> str:
    """The edition of one of our own tables; "" for what is none of them."""
    known = {one.table: one for one in published_editions()}
    if name not in known:
        return ""
    same = known[name].sha256.startswith(digest)
    return known[name].edition if same and digest else _OTHER


def citations(probes: list[str], version: str) -> list[dict[str, str]]:
    """What to cite: geobias itself and the papers of the benchmarks that were run."""
    own = {
        "text": f"geobias: an audit of geographic bias in language models. Version {version}.",
        "link": "",
    }
    papers = [
        {"text": f"{one.authors}: {one.title}. {one.where}.", "link": one.link}
        for name in probes
        for one in all_probes()[name].papers
    ]
    return [own, *papers]
