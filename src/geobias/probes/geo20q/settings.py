"""What Geo20Q+ can be played with, and what its runs may be read with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from geobias.probes.settings import Setting, Settings


class Geo20QSettings(Settings, frozen=True, kw_only=True):
    """In one of our languages in which an entity has no name there is no game about it; in a
    language that a file in `prompts` adds, the game is about its English name."""

    entities: Annotated[
        str | None,
        Setting(
            "Play about these, or about a table of your own (CSV with our columns).",
            bears="items",
            metavar="NAME,NAME|FILE",
        ),
    ] = None
    type: Annotated[
        Literal["people", "things", "both"], Setting("People, things, or both.", bears="items")
    ] = "both"
    setting: Annotated[
        Literal["canonical", "unlimited", "both"] | None,
        Setting(
            "20 turns, up to 150, or both from one dialogue. Default canonical at size quick, "
            "else both.",
            bears="items",
        ),
    ] = None
    language: Annotated[
        tuple[str, ...],
        Setting(
            "en, hi, zh, es, ja, tr, fr, ar, pt, or one with a file in --prompts: the language of "
            "prompts, answers and names.",
            bears="items",
            metavar="CODE,…|all",
            manifest="languages",
        ),
    ] = ("en",)
    design: Annotated[
        Literal["continents", "countries"],
        Setting("At size paper: 100 of each type per continent, or 10 per country.", bears="items"),
    ] = "continents"
    per_continent: Annotated[
        int | None, Setting("N of each type per continent.", bears="nothing", metavar="N", least=1)
    ] = None
    per_country: Annotated[
        int | None, Setting("N of each type per country.", bears="nothing", metavar="N", least=1)
    ] = None
    each: Annotated[
        int | None, Setting("N of each type per place of --design.", "items", hidden=True)
    ] = None
    turns: Annotated[int, Setting("Canonical limit.", least=1, most=1000)] = 20
    most_turns: Annotated[int, Setting("Unlimited limit.", least=1, most=1000)] = 150
    wording: Annotated[
        Literal["consistent", "paper"],
        Setting("paper: the judge of things is told Maybe and shown Dunno, as printed."),
    ] = "consistent"
    give_up: Annotated[
        Literal["ask", "patterns"],
        Setting(
            "ask: the judge's model decides on turns that may give up. patterns: plain words "
            "only, no calls."
        ),
    ] = "ask"
    prompts: Annotated[
        Path | None,
        Setting(
            "Folder with edited copies of the language files, or files of further languages "
            "(de.toml); languages it lacks are ours.",
            metavar="DIR",
            manifest="own_languages",
        ),
    ] = None
    judge_questions: Annotated[
        int | None,
        Setting(
            "Known facts asked of the judge in each language. Default 24 at size quick, 400 at "
            "standard, 1,200 at paper; 0: none.",
            bears="items",
            metavar="N",
            least=0,
        ),
    ] = None
    judge_temperature: Annotated[
        float,
        Setting(
            "0 is greedy: the same question about the same entity is asked once.", least=0, most=2
        ),
    ] = 0.0

    @property
    def played_setting(self) -> Literal["canonical", "unlimited", "both"]:
        """The setting to play in, where the user leaves it open."""
        return self.setting or ("canonical" if self.size == "quick" else "both")


class Geo20QReading(msgspec.Struct, frozen=True, kw_only=True):
    """Where the fame of entities comes from, when it is not the shipped table."""

    entities: Annotated[
        str | None,
        Setting(
            "The table that a run with --entities FILE was made with; it has the page views.",
            metavar="FILE",
        ),
    ] = None
    frequency: Annotated[
        Path | None,
        Setting(
            "Corpus frequency from `geobias count`; without it, that part is undefined.",
            metavar="FILE",
        ),
    ] = None
    views: Annotated[
        Path | None,
        Setting(
            "Page views from `geobias data pull pageviews`, in place of the table's.",
            metavar="FILE",
        ),
    ] = None
