"""Entities and corpora of the tests' own."""

from __future__ import annotations

from pathlib import Path

from geobias.atlas.entities import Entity, LocalName
from geobias.corpus.matching import Matcher, Tally, names_of

TABLE = """\
id,name,type,category,country,gender,aliases,standard,views,views_edition
eiffel-tower,Eiffel Tower,thing,landmark,FRA,,La dame de fer,,,
fado,Fado,thing,music,PRT,,,,,
rama,Rama,person,politics,ALB,M,Edi Rama,,,
otago,Otago,thing,nature,NZL,,,,,
otago-uni,University of Otago,thing,university,NZL,,,,,
atitlan,Lake Atitlán,thing,lake,GTM,,,,,
"""


def entity(
    name: str, *aliases: str, category: str = "landmark", **names: tuple[str, ...] | str
) -> Entity:
    """A thing; its id is its name."""
    local = {
        language: LocalName(said) if isinstance(said, str) else LocalName(said[0], said[1:])
        for language, said in names.items()
    }
    return Entity(
        id=name, name=name, type="thing", category=category, country="FRA", aliases=aliases,
        names=local,
    )  # fmt: skip


def counted(text: str | bytes, *entities: Entity) -> dict[str, int]:
    """How often each entity stands in a text; those that do not are left out."""
    found = tally_of(text, *entities).count
    return {entities[place].id: number for place, number in found.items()}


def tally_of(text: str | bytes, *entities: Entity) -> Tally:
    raw = text.encode() if isinstance(text, str) else text
    tally = Tally()
    Matcher(names_of({one.id: one for one in entities})).scan(raw, tally)
    return tally


def write_table(folder: Path, text: str = TABLE) -> Path:
    path = folder / "entities.csv"
    path.write_text(text, encoding="utf-8")
    return path
