"""What does asking again make of replies that the rules leave unread?

    python bench/restating.py restate embedded:MODEL.gguf out.jsonl
    python bench/restating.py point embedded:MODEL.gguf out.jsonl
    python bench/restating.py table out.jsonl [--rows]

The replies are those of tests/data/real/unread.jsonl, with their questions out of GEOBIAS_DATA.
`restate` asks the model in the conversation of question and reply; `point` asks it as a reader.
Answers are appended to out.jsonl, five at a time and short replies first. What is there already is
not asked again, so that a slow model can be stopped and resumed.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from geobias.api.rereading import ask_each
from geobias.probes.namebbq.replies import READER as CHOICE
from geobias.probes.readers import NUMBER, ReadReply, ReplyReader, judged
from geobias.reading.again import choice_asker, number_asker, restating, says_none
from geobias.reading.choices import Options as Choices
from geobias.reading.choices import mentioned
from geobias.reading.numbers import numbers_in
from geobias.reading.numerals import Asked
from geobias.running import Options
from geobias.trials import Ask, Dialogue, Reply

UNREAD = Path(__file__).parent.parent / "tests" / "data" / "real" / "unread.jsonl"
AT_ONCE = 5
Row = dict[str, Any]


def json_lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def unread_replies() -> list[Row]:
    """The labelled replies with their prompts and options."""
    folder = Path(os.environ["GEOBIAS_DATA"]) / "replies" / "real"
    files = {
        name: json_lines(folder / name) for name in {row["file"] for row in json_lines(UNREAD)}
    }
    found = []
    for row in json_lines(UNREAD):
        source = files[row["file"]][row["row"]]
        label = "none" if row["label"] == "cut" else row["label"]
        told = {name: source.get(name) for name in ("options", "unknown", "reply")}
        prompt = source.get("prompt") or source["question"]
        found.append(row | told | {"label": label, "prompt": prompt, "question": prompt})
    return found


def reader_of(row: Row) -> ReplyReader:
    return CHOICE if row["set"] == "choices" else NUMBER


def asked_again(row: Row, how: str) -> Ask:
    if how == "point":
        return reader_of(row).ask(row)
    asker = (
        choice_asker(row["prompt"], row["options"])
        if row["set"] == "choices"
        else number_asker(row["prompt"], row["unit"])
    )
    first = Ask(dialogue=Dialogue().user(row["prompt"]))
    return restating(first, Reply(row["reply"]), asker)


def ask(how: str, model: str, out: Path) -> None:
    rows = unread_replies()
    told = json_lines(out) if out.exists() else []
    left = {*range(len(rows))} - {line["row"] for line in told if line["how"] == how}
    places = sorted(left, key=lambda place: len(rows[place]["prompt"] + rows[place]["reply"]))
    for first in range(0, len(places), AT_ONCE):
        some = places[first : first + AT_ONCE]
        said = ask_each(
            model, [asked_again(rows[place], how) for place in some], Options(concurrency=1)
        )
        with out.open("a") as file:
            for place, text in zip(some, said, strict=True):
                file.write(json.dumps({"row": place, "how": how, "said": text}) + "\n")


def read_again(row: Row, how: str, said: str) -> ReadReply:
    if how == "point":
        return reader_of(row).settle(row, said)
    if says_none(said):
        return ReadReply(None, "declined")
    return reader_of(row).read(row | {"reply": said})


def names(row: Row) -> frozenset[float]:
    """The answers that the first reply names, as a run's records compare with them."""
    if row["set"] == "choices":
        return frozenset(mentioned(row["reply"], Choices(tuple(row["options"]), row["unknown"])))
    return numbers_in(row["reply"], Asked(row["unit"], question=row["prompt"]))


def print_table(out: Path) -> None:
    rows = unread_replies()
    counts: dict[tuple[str, str, bool], Counter[str]] = {}
    for line in json_lines(out):
        row = rows[line["row"]]
        label = reader_of(row).label(row)
        found = read_again(row, line["how"], line["said"])
        settled = "declined" if found.outcome == "declined" else "unread"
        became = judged(found, label) if found.value is not None else settled
        count = counts.setdefault((line["how"], row["set"], label is not None), Counter())
        count.update((became, "all"))
        named = names(row)
        count["flagged"] += bool(found.value is not None and named and found.value not in named)
        if "--rows" in sys.argv:
            print(line["how"], line["row"], became, label, found.value, repr(line["said"]))
    kinds = ("all", "right", "wrong", "declined", "unread", "flagged")
    print(" ".join(f"{kind:>9}" for kind in kinds))
    for (how, name, answered), count in sorted(counts.items()):
        told = "a person reads an answer" if answered else "a person reads none"
        print(" ".join(f"{count[kind]:>9}" for kind in kinds), f"  {how} {name}: {told}")


def main() -> None:
    how, *rest = sys.argv[1:]
    if how == "table":
        print_table(Path(rest[0]))
    else:
        ask(how, rest[0], Path(rest[1]))


if __name__ == "__main__":
    main()
