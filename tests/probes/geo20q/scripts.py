"""A scripted guesser and judge behind a real socket, and games against them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import geobias
from geobias.atlas.entities import read_entities
from geobias.probes import geo20q
from geobias.probes.geo20q.languages import load_language
from geobias.probes.plan import Plan
from geobias.trials import StoredRecord
from tests.servers import completion

TABLE = """id,name,type,category,country,gender,aliases,standard,views,views_edition
eiffel-tower,Eiffel Tower,thing,landmark,FRA,,Tour Eiffel|La Dame de fer,1,,
taj-mahal,Taj Mahal,thing,landmark,IND,,,1,,
jack-ma,Jack Ma,person,business,CHN,M,Ma Yun|Ma,1,,
sao-paulo-cathedral,São Paulo Cathedral,thing,building,BRA,,,1,,
"""
NAMES = """id,language,name,aliases
eiffel-tower,hi,एफ़िल टॉवर,
eiffel-tower,zh,埃菲尔铁塔,
eiffel-tower,es,Torre Eiffel,
eiffel-tower,ja,エッフェル塔,
eiffel-tower,tr,Eyfel Kulesi,Eiffel Kulesi
eiffel-tower,fr,Tour Eiffel,
eiffel-tower,ar,برج إيفل,
eiffel-tower,pt,Torre Eiffel,
"""


def write_table(folder: Path) -> Path:
    path = folder / "few.csv"
    path.write_text(TABLE, "utf-8")
    (folder / "few_names.csv").write_text(NAMES, "utf-8")
    return path


def planned(folder: Path, **settings: Any) -> Plan:
    """A plan of games about the four entities of the table."""
    return geo20q.plan(judge_questions=0, entities=str(write_table(folder)), **settings)


Play = Callable[..., StoredRecord]
"""What plays a game against a script: tests/probes/geo20q/conftest.py."""


class Script:
    """Says the guesser's lines in turn (the last again and again), and what the judge would.

    A line may be bytes: a whole response. `judge` is a text, bytes, or a function of the prompt.
    The final guess has a line of its own.
    """

    def __init__(
        self,
        lines: Sequence[str | bytes],
        judge: str | bytes | Callable[[str], str | bytes] = "No.",
        *,
        final: str | bytes = "Is it a final guess?",
        language: str = "en",
    ) -> None:
        self.lines = list(lines)
        self.judge = judge
        self.final = final
        self.language = load_language(language)
        self.asked: list[str] = []
        self.prompts: list[list[dict[str, str]]] = []

    def __call__(self, request: dict[str, Any]) -> bytes:
        messages = request["messages"]
        last = messages[-1]["content"]
        if last.endswith("Reply with the letter only."):
            return completion("I")  # does it know the target? No, and no line of the game
        self.prompts.append(messages)
        opening = next(m["content"] for m in messages if m["role"] != "system")
        openings = {self.language.people.guesser, self.language.things.guesser}
        said: str | bytes
        if any(opening.startswith(text) for text in openings):
            turn = sum(m["role"] == "assistant" for m in messages)
            said = self.lines[min(turn, len(self.lines) - 1)]
            both = (self.language.people, self.language.things)
            final = any(prompts.final_guess in last for prompts in both)
            if final:
                said = self.final
            self.asked.append("final" if final else "guesser")
        else:
            said = self.judge(last) if callable(self.judge) else self.judge
            self.asked.append("judge")
        return said if isinstance(said, bytes) else completion(said)


def play(
    raw_server: Callable[..., Any],
    folder: Path,
    script: Script,
    entity: str = "eiffel-tower",
    *,
    referee: bool = False,
    **settings: Any,
) -> StoredRecord:
    """The record of one game against a script."""
    server = raw_server(script)
    table = write_table(folder)
    one = folder / "one.csv"
    lines = table.read_text("utf-8").splitlines()
    chosen = [line for line in lines if line.startswith((f"{entity},", "id,"))]
    one.write_text("\n".join(chosen) + "\n", "utf-8")
    (folder / "one_names.csv").write_text(NAMES, "utf-8")
    settings = {"language": script.language.code, "setting": "canonical"} | settings
    plan = geo20q.plan(entities=str(one), judge_questions=0, **settings)
    out = folder / "game.geobias"
    models = {"model": server.url} | ({"referee": server.url} if referee else {})
    geobias.run([plan], models, out)
    with geobias.open_run(out) as run:
        [record] = run.records("geo20q")
    return record


def few(folder: Path) -> Any:
    path = write_table(folder)
    return read_entities(path, path.with_name("few_names.csv"))
