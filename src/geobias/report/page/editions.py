"""What a run was made with, and whom to cite: editions of the data in words, papers, geobias."""

from __future__ import annotations

from typing import Any, NamedTuple

from geobias.atlas.editions import published_editions
from geobias.atlas.figures import figures, ground_truth_rule
from geobias.probes.worldbench.trials import figures_digest
from geobias.report.findings import Run
from geobias.report.page.text import readable


class Paper(NamedTuple):
    """A paper whose benchmark is run."""

    probe: str
    authors: str
    title: str
    where: str
    link: str


PAPERS = (
    Paper(
        "worldbench",
        "Mazda Moayeri, Elham Tabassi, Soheil Feizi",
        "WorldBench: Quantifying Geographic Disparities in LLM Factual Recall",
        "FAccT 2024",
        "https://doi.org/10.1145/3630106.3658967",
    ),
    Paper(
        "namebbq",
        "Giulio Pelosio, Devesh Batra, Noémie Bovey, Robert Hankache, Cristovao Iglesias, "
        "Greig Cowan, Raad Khraishi",
        "Obscured but Not Erased: Evaluating Nationality Bias in LLMs via Name-Based Bias "
        "Benchmarks",
        "2025",
        "https://arxiv.org/abs/2507.16989",
    ),
    Paper(
        "geo20q",
        "Harsh Nishant Lalai, Raj Sanjay Shah, Jiaxin Pei, Sashank Varma, Yi-Chia Wang, Ali Emami",
        "The World According to LLMs: How Geographic Origin Influences LLMs' Entity Deduction "
        "Capabilities",
        "COLM 2025",
        "https://arxiv.org/abs/2508.05525",
    ),
)
_TABLES = {
    "economies.csv": "Economies and income groups",
    "indicators.csv": "Indicators and their wording",
    "figures": "Figures",
    "items": "Items",
    "names": "First names",
    "entities": "Entities",
}
_OTHER = "another edition than this geobias ships"


def editions(run: Run) -> list[dict[str, str]]:
    """Each table and prompt of a run: its name, its edition in words, the hash of its content."""
    data = [
        {"name": _TABLES.get(name, name), "edition": _edition(name, digest, run), "hash": digest}
        for name, digest in sorted(run.editions.items())
    ]
    prompts = [
        {"name": f"Prompts, {name}", "edition": "", "hash": digest}
        for name, digest in sorted(run.prompts.items())
    ]
    return [{key: readable(text, 200) for key, text in one.items()} for one in data + prompts]


def _edition(name: str, digest: str, run: Run) -> str:
    settings = {key: value for probe in run.probes.values() for key, value in probe.items()}
    if name == "figures":
        return _figures(digest, settings)
    if name == "items":
        said = {"builtin": "geobias’s own items", "bbq": "BBQ, nationality (2022), CC BY 4.0"}
        return said.get(str(settings.get("items")), f"from {settings.get('items', 'a file')}")
    if name == "names":
        return "geobias’s list of first names by nationality"
    if name == "entities":
        return f"{str(settings.get('entities', '')).partition(' ')[0]} chosen for this run".strip()
    known = {one.table: one for one in published_editions()}
    if name in known:
        same = known[name].sha256.startswith(digest)
        return known[name].edition if same and digest else _OTHER
    return ""


def _figures(digest: str, settings: dict[str, Any]) -> str:
    if settings.get("figures", "shipped") != "shipped":
        return "the user’s own table"
    shipped = figures()
    if digest != figures_digest(shipped):
        return f"World Bank, {_OTHER}"
    files = next(one.edition for one in published_editions() if one.table == "figures.csv")
    rule = ground_truth_rule(str(settings.get("ground_truth", "average")))
    first, last = shipped.years[-3], shipped.years[-1]
    used = {"average": f"average of {first}–{last % 100:02d}", "latest": "most recent year"}
    return f"World Bank, {used.get(str(rule), f'year {rule}')}, files of {files}"


def citations(probes: list[str], version: str) -> list[dict[str, str]]:
    """What to cite: geobias itself and the papers of the benchmarks that were run."""
    own = {
        "text": f"geobias: an audit of geographic bias in language models. Version {version}.",
        "link": "",
    }
    papers = [
        {"text": f"{one.authors}: {one.title}. {one.where}.", "link": one.link}
        for one in PAPERS
        if one.probe in probes
    ]
    return [own, *papers]
