"""The settings of Geo20Q+, and the options for reading its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from geobias.probes.settings import Setting, Settings

PAPER_TEMPERATURE = 0.8
PAPER_JUDGE_TEMPERATURE = 0.2
"""The temperature of Zhang et al. (2023): the paper plays their game, and does not state one."""
Rule = Literal["guess", "mention"]


class Geo20QSettings(Settings, frozen=True, kw_only=True):
    """The settings of a run of games.

    An entity that has no name in a language of geobias is not played in that language. In a
    language that a file in `prompts` adds, entities are played by their English names.
    """

    entities: Annotated[
        str | None,
        Setting(
            "People and things to play about, or your own table (CSV with our columns).",
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
            "canonical: 20 turns. unlimited: up to 150 turns. both: from one dialogue. Default: "
            "canonical; at size paper both, with nearly all calls in the long games.",
            bears="items",
        ),
    ] = None
    language: Annotated[
        str,
        Setting(
            "en, hi, zh, es, ja, tr, fr, ar, pt, or one with a file in --prompts: the language of "
            "prompts, answers and names.",
            metavar="CODE",
        ),
    ] = "en"
    design: Annotated[
        Literal["continents", "countries", "matched"] | None,
        Setting(
            "continents: the best known of each continent (the paper's). countries: the best "
            "known of each country. matched: pairs of North and South, alike in type, category "
            "and standing. Default matched; continents at size paper.",
            bears="items",
        ),
    ] = None
    each: Annotated[
        int | None,
        Setting(
            "N of each type in every continent or country of the design, or N pairs of each type.",
            bears="items",
            metavar="N",
            least=1,
        ),
    ] = None
    turns: Annotated[int, Setting("Maximum turns of a canonical game.", least=1, most=1000)] = 20
    most_turns: Annotated[
        int, Setting("Maximum turns of an unlimited game.", least=1, most=1000)
    ] = 150
    protocol: Annotated[
        Literal["ours", "paper"],
        Setting(
            "paper: as published: temperature 0.8, judge 0.2, prompts as printed, giving up asked "
            "at every turn, any mention of the target wins, no referee."
        ),
    ] = "ours"
    prompts: Annotated[
        Path | None,
        Setting(
            "Folder with an edited copy of the language's file, or with the file of another "
            "language (de.toml).",
            metavar="DIR",
        ),
    ] = None
    judge_questions: Annotated[
        int | None,
        Setting(
            "Known facts asked of the judge. Default 24 at size quick, 400 at standard, 1,200 at "
            "paper.",
            bears="items",
            metavar="N",
            least=0,
        ),
    ] = None

    @property
    def sampled_at(self) -> float:
        """The guesser's temperature: the user's, or the protocol's if the user gives none."""
        published = self.paper and self.temperature is None
        return PAPER_TEMPERATURE if published else super().sampled_at

    @property
    def paper(self) -> bool:
        """Whether games are played as published."""
        return self.protocol == "paper"

    @property
    def held(self) -> dict[str, str]:
        """The settings that the protocol decides, for a run's manifest.

        give_up    phrases: plain statements count, and the judge's model decides on other turns
                   that ask nothing. every: that model is asked at every turn
        rule       the turn that wins. guess: it proposes the target. mention: it names it in any
                   role. Both are recorded
        """
        return {
            "give_up": "every" if self.paper else "phrases",
            "rule": "mention" if self.paper else "guess",
        }

    @property
    def judged_at(self) -> float:
        """The judge's temperature. At 0 the same question about an entity is asked once."""
        return PAPER_JUDGE_TEMPERATURE if self.paper else 0.0

    @property
    def played_setting(self) -> Literal["canonical", "unlimited", "both"]:
        """The setting to play in if the user names none."""
        return self.setting or ("both" if self.size == "paper" else "canonical")


class Geo20QReading(msgspec.Struct, frozen=True, kw_only=True):
    """Options for reading a run: the rule by which games are won, and a file of counts."""

    rule: Annotated[
        Rule | None, Setting("guess or mention: what wins a game. Default: the rule of the run.")
    ] = None

    frequency: Annotated[
        Path | None,
        Setting(
            "Corpus frequency from `geobias count`; without it, that part is undefined.",
            metavar="FILE",
        ),
    ] = None
