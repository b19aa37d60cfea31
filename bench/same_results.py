"""Did a change of the code change a result? Everything a user can see, before and after.

    python bench/same_results.py check [--only PART …]     are the outputs those of golden.json?
    python bench/same_results.py make FOLDER [--only …]    all outputs as files, to look at
    python bench/same_results.py compare A B [--only …]    where two such folders differ first
    python bench/same_results.py golden --because REASON [--only …]
                                                           accept today's outputs as right

Parts: worldbench, namebbq, geo20q, ratings (runs of two simulated models and one with unusual
settings: every table with every choice, records, descriptions, replies, scores of predictions),
example (the recorded run), readings (every labelled and every real reply), report (all formats and
figures), plans (also beside finished runs), batches (asks and results as files), view (pages of the
viewer). A part takes about a minute.

`check` makes the outputs in a temporary folder and prints the names of those that differ. To see
how they differ, make a folder with the old code and one with the new, and compare them:

    git worktree add --detach /tmp/before $(git merge-base HEAD main)
    PYTHONPATH=/tmp/before/src python bench/same_results.py make /tmp/a --only ratings
    python bench/same_results.py make /tmp/b --only ratings
    python bench/same_results.py compare /tmp/a /tmp/b

Outputs are kept as they are printed, in their order, but for times, dates, versions, folders and
fingerprints of the code, and with ten digits of each number. `diff -r` works on them too.
Real replies are read where the environment variable GEOBIAS_DATA names their folder.

A change on purpose: `golden --because "…"` writes the new hashes and adds the outputs with the
reason to `changed_on_purpose.toml`.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import html
import html.parser
import importlib
import importlib.resources
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener
from zlib import crc32

HERE = Path(__file__).parent
GOLDEN = HERE / "golden.json"
CHANGED_ON_PURPOSE = HERE / "changed_on_purpose.toml"
TESTS = HERE.parent / "tests"
PROBES = ("worldbench", "namebbq", "geo20q", "ratings")
SIZES = ("quick", "standard", "paper")
DIGITS = 10

INTERNALS = {
    "fields_of": ("geobias.probes.settings:fields_of",),
    "NUMBER": ("geobias.probes.readers:NUMBER",),
    "find_probe": ("geobias.probes.registry:find_probe",),
    "open_run": ("geobias.api:open_run", "geobias.running:open_run"),
    "run_named": ("geobias.api.example:run_named", "geobias.example:run_named"),
}
"""What is not reached by the command line, and where it lives. If it moves, add the new place."""

RUNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "worldbench": {
        "fair": ("sim/fair", "--size", "standard"),
        "biased": ("sim/biased", "--size", "standard"),
        "varied": ("sim/biased", "--repeats", "3", "--paraphrases", "3", "--retrieve", "3"),
    },
    "namebbq": {
        "fair": ("sim/fair", "--size", "standard"),
        "biased": ("sim/biased", "--size", "standard"),
        "varied": ("sim/biased", "--recognition", "--repeats", "2"),
    },
    "geo20q": {
        "fair": ("sim/fair", "--size", "standard", "--setting", "canonical", "--type", "people",
                 "--judge-questions", "60"),
        "biased": ("sim/biased", "--size", "standard", "--setting", "canonical",
                   "--judge-questions", "60"),
        "varied": ("sim/biased", "--language", "fr", "--repeats", "2", "--setting", "both",
                   "--most-turns", "40"),
    },
    "ratings": {
        "fair": ("sim/fair", "--size", "standard"),
        "biased": ("sim/biased", "--size", "standard"),
        "varied": ("sim/biased", "--repeats", "2", "--topics", "morality,intelligence"),
    },
}  # fmt: skip
"""Probe → name of a run → model and settings."""

PASSING = frozenset(
    {"created", "started", "ended", "geobias", "seconds", "sessions", "file", "command", "path"}
    | {"at", "bytes", "tokens_per_second", "timestamp"}
)
"""JSON keys whose values differ from one making to the next."""


# -- the outputs -----------------------------------------------------------------------------------


class Outputs:
    """A folder of outputs; run files lie in a folder beside it while they are needed."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.folder, self.scratch = folder, scratch

    def keep(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(normalised(name, text, self.scratch), "utf-8")

    def command(self, name: str, *words: object, messages: bool = True) -> None:
        """What a command prints, its messages below it and its exit code if that is not 0."""
        code, printed, said = geobias(*words)
        text = printed if code == 0 else f"exit {code}\n{printed}"
        if said and messages:
            text += f"\n--- standard error\n{said}"
        self.keep(name, text)

    def file(self, name: str, path: Path, *words: object) -> None:
        """The file that a command writes."""
        code, printed, said = geobias(*words)
        self.keep(name, path.read_text("utf-8") if code == 0 else f"exit {code}\n{printed}{said}")

    def run(self, probe: str, name: str) -> Path:
        """The run file, made at first use."""
        path = self.scratch / f"{probe}-{name}.geobias"
        if not path.exists():
            code, printed, said = geobias("run", probe, *RUNS[probe][name], "--out", path)
            if code:
                raise SystemExit(f"the run {probe} {name} ended with {code}: {said}")
            self.keep(f"{probe}/{name}/run.txt", printed)
        return path


def geobias(*words: object) -> tuple[int, str, str]:
    """Exit code, output and messages of a command, in this process."""
    from geobias.cli import main

    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2)]
    code: Any = 0
    sys.argv = ["geobias", *map(str, words)]  # which a run file remembers
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            main(sys.argv[1:])
        except SystemExit as end:
            code = end.code or 0
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))
    return int(code), texts[0], texts[1]


@cache
def internal(name: str) -> Any:
    """An object of INTERNALS, from the first place that has it."""
    for place in INTERNALS[name]:
        module, _, attribute = place.partition(":")
        try:
            return getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("geobias"):
                raise  # a library is missing, the place is right
        except AttributeError:
            continue
    raise SystemExit(f"{name} is in none of {INTERNALS[name]}: say where it lives in INTERNALS")


# -- tables ----------------------------------------------------------------------------------------


def derived_module() -> Any:
    """What follows from what a probe declares."""
    return importlib.import_module("geobias.probes.derived")


def choices_of(probe: str, table: str) -> Iterator[tuple[str, ...]]:
    """The options of a table, one at a time, with each value there is to choose."""
    spec = internal("find_probe")(probe).tables[table]
    for field in internal("fields_of")(spec.Options):
        if field.choices:
            yield from ((field.option, str(value)) for value in field.choices)
        elif field.kind is bool:
            yield (field.option,)


def tables(outputs: Outputs, probe: str, folder: str, runs: Sequence[Path], *, all_: bool) -> None:
    """Every measure and table of the probe, for people and programs; with `all_`, the measures by
    every group and the tables by every choice."""
    found, derived = internal("find_probe")(probe), derived_module()
    outputs.command(f"{folder}/tables.txt", "table", *runs)
    for measure in derived.all_measures(found):
        name = f"{folder}/measures/{measure.name}"
        groups = ("all", *measure.all_groups, *filter(None, (measure.item,)), "country")
        for by in groups if all_ else groups[:2]:
            told = ("table", *runs, f"{probe}.{measure.name}", "--by", by)
            outputs.command(f"{name}-{by}.json", *told, "--json")
        if all_:
            saved_table(outputs, f"{folder}/saved/{measure.name}", *told)
    for table in found.tables:
        name, told = f"{folder}/tables/{table}", ("table", *runs, f"{probe}.{table}")
        outputs.command(f"{name}.json", *told, "--json")
        outputs.command(f"{name}.txt", *told)
        for choice in choices_of(probe, table) if all_ else ():
            words = "-".join(word.strip("-") for word in choice)
            outputs.command(f"{name}-{words}.json", *told, *choice, "--json")
        if all_:
            saved_table(outputs, f"{folder}/saved/{table}", *told)


def saved_table(outputs: Outputs, name: str, *told: object) -> None:
    """The files of `--to`. A table of several parts becomes several files."""
    saved = outputs.scratch / "saved"
    for ending in ("csv", "jsonl", "tex", "parquet"):
        shutil.rmtree(saved, ignore_errors=True)
        saved.mkdir()
        geobias(*told, "--to", saved / f"{Path(name).name}.{ending}")
        for path in sorted(saved.iterdir()):
            outputs.keep(f"{Path(name).parent}/{path.name}", saved_text(path))


def saved_text(path: Path) -> str:
    """A file as text: of a Parquet file, the types of its columns and its rows."""
    import polars

    if path.suffix != ".parquet":
        return path.read_text("utf-8")
    frame = polars.read_parquet(path)
    return f"{frame.schema}\n{frame.write_ndjson()}"


# -- the parts -------------------------------------------------------------------------------------


def probe_part(probe: str) -> Callable[[Outputs], None]:
    def part(outputs: Outputs) -> None:
        runs = {name: outputs.run(probe, name) for name in RUNS[probe]}
        for name, run in runs.items():
            tables(outputs, probe, f"{probe}/{name}", [run], all_=name == "biased")
            run_file(outputs, f"{probe}/{name}", run)
            page(outputs, f"{probe}/{name}", [run])
        tables(outputs, probe, f"{probe}/both", [runs["fair"], runs["biased"]], all_=False)
        scores(outputs, probe, runs)

    return part


def run_file(outputs: Outputs, folder: str, run: Path) -> None:
    """What a run file holds: its records and replies, and each trial as people are shown it."""
    for words in ([], ["--replies"]) if folder != "example" else ([],):
        name = words[0].strip("-") if words else "records"
        to = outputs.scratch / f"{name}.jsonl"
        outputs.file(f"{folder}/{name}.jsonl", to, "export", run, "--to", to, *words)
    outputs.command(f"{folder}/show.txt", "show", run)
    outputs.command(f"{folder}/show.json", "show", run, "--json")
    outputs.command(f"{folder}/replies.txt", "replies", run, "--limit", 12, "--dialogue")
    outputs.command(f"{folder}/unscored.json", "replies", run, "--outcome", "unscored", "--json")
    outputs.keep(f"{folder}/descriptions.jsonl", "\n".join(descriptions(run)))


def descriptions(run: Path) -> Iterator[str]:
    """Each trial as lists and pages show it, by its name; of games, some with their turns."""
    find_probe = internal("find_probe")
    with internal("open_run")(internal("run_named")(run)) as reader:
        for name in sorted(reader.manifest().planned):
            probe = probe_of(name)
            if probe is None:
                continue
            found = find_probe(probe)
            rows = sorted(reader.records(name), key=lambda row: row["trial"])
            for number, row in enumerate(rows):
                shown = {"trial": row["trial"], "shown": plain(found.showing.describe(row))}
                shown["number"] = plain(derived_module().number(found, row))
                if found.showing.in_turns and number % 10 == 0:
                    replies = [reply for _, reply in reader.replies(trial=row["trial"])]
                    shown["turns"] = [plain(turn) for turn in found.showing.turns_of(row, replies)]
                yield json.dumps(shown, ensure_ascii=False)


def probe_of(records: str) -> str | None:
    return records if records in PROBES else None


def plain(value: Any) -> Any:
    """The value as JSON has it."""
    import msgspec

    if hasattr(value, "_asdict"):
        return {key: plain(inner) for key, inner in value._asdict().items()}
    return msgspec.to_builtins(value, enc_hook=str)


def scores(outputs: Outputs, probe: str, runs: Mapping[str, Path]) -> None:
    """`geobias score` over replies of a run and over labelled replies, as lines of predictions."""
    for name, lines in predictions(probe, runs):
        path = outputs.scratch / f"{probe}-{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        made = outputs.scratch / f"{probe}-{name}-scored.geobias"
        outputs.command(f"{probe}/score/{name}.txt", "score", probe, "--predictions", path,
                        "--to", made)  # fmt: skip
        if made.exists():
            for table in internal("find_probe")(probe).tables:
                kept = f"{probe}/score/{name}/{table}.json"
                outputs.command(kept, "table", made, table, "--json")
            to = outputs.scratch / "scored.jsonl"
            outputs.file(f"{probe}/score/{name}.jsonl", to, "export", made, "--to", to)


def predictions(probe: str, runs: Mapping[str, Path]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    with internal("open_run")(runs["biased"]) as reader:
        rows = sorted(reader.records(probe), key=lambda row: row["trial"][::-1])  # topics mixed
    if probe == "worldbench":
        asked = [{"indicator": row["indicator"], "country": row["country"]} for row in rows]
        texts = [line["text"] for name in ("labelled_replies", "labelled_units")
                 for line in labelled(probe, name)]  # fmt: skip
    elif probe == "ratings":
        asked = [{"topic": row["topic"], "country": row["country"]} for row in rows]
        texts = [line["reply"] for line in labelled(probe, "labelled_replies")]
    elif probe == "namebbq":
        asked = [{"example_id": example} for example in sorted({row["item"] for row in rows})]
        texts = [line["reply"] for line in labelled(probe, "labelled_replies")]
    else:
        return
    pairs = zip(asked * (1 + len(texts) // len(asked)), texts, strict=False)
    yield "labelled", [one | {"reply": text, "repeat": 0} for one, text in pairs]


def example(outputs: Outputs) -> None:
    for probe in PROBES:
        tables(outputs, probe, f"example/{probe}", [Path("example")], all_=False)
    run_file(outputs, "example", Path("example"))
    page(outputs, "example", [Path("example")])


def audited(outputs: Outputs, model: str) -> Path:
    """The run file of a quick audit, made at first use."""
    run, folder = outputs.scratch / f"{model}.geobias", outputs.scratch / model
    if not run.exists():
        code, printed, _ = geobias("audit", f"sim/{model}", "--size", "quick", "--out", folder)
        (outputs.scratch / f"{model}.txt").write_text(f"{printed}\n{code}", "utf-8")
        next(folder.glob("*.geobias")).rename(run)
    return run


def report_part(outputs: Outputs) -> None:
    runs = [audited(outputs, model) for model in ("fair", "biased")]
    for run in runs:
        printed = run.with_suffix(".txt").read_text("utf-8")
        outputs.keep(f"report/audit-{run.stem}.txt", printed)
    report(outputs, "report/both", runs)
    report(outputs, "report/biased", runs[1:])
    figures(outputs, "report/biased/figures", runs[1])


def figures(outputs: Outputs, folder: str, run: Path) -> None:
    """Every figure with its data, and one without its words."""
    made = outputs.scratch / "figures"
    geobias("report", run, "--out", outputs.scratch / "report.html", "--save-figures", made)
    for path in sorted((*made.glob("*.svg"), *made.glob("*.csv"))):
        outputs.keep(f"{folder}/{path.name}", path.read_text("utf-8"))
    bare = outputs.scratch / "bare.svg"
    outputs.file(f"{folder}/bare.svg", bare, "report", run, "--figure", "worldbench-error-map",
                 "--bare", "--out", bare)  # fmt: skip


def report(outputs: Outputs, folder: str, runs: Sequence[Path]) -> None:
    """What runs found, in every format; compared; gated; cited."""
    page(outputs, folder, runs)
    for form in ("md", "csv", "latex"):
        outputs.command(f"{folder}/report-{form}.txt", "report", *runs, "--format", form)
    if len(runs) > 1:
        outputs.command(f"{folder}/compare.txt", "compare", *runs)
        outputs.command(f"{folder}/compare.json", "compare", *runs, "--json")
    for run in runs:
        name = f"{folder}/gate-{run.stem}"
        outputs.command(f"{name}.txt", "gate", run, "--list")
        outputs.command(f"{name}.json", "gate", run, "--list", "--json")
        outputs.command(f"{name}-limits.txt", "gate", run, *LIMITS)
        outputs.command(f"{name}-fail.json", "gate", run, *LIMITS, "--undecided", "fail", "--json")
        before = ("--baseline", runs[0], "--anyway", "--worse", "worldbench.error=0.02")
        outputs.command(f"{name}-worse.txt", "gate", run, *before)
    site = outputs.scratch / "site"
    shutil.rmtree(site, ignore_errors=True)
    outputs.command(f"{folder}/site.txt", "site", *runs, "--out", site)
    for path in sorted(site.rglob("*.html")):
        kept = f"{folder}/site/{path.relative_to(site).with_suffix('.txt')}"
        outputs.keep(kept, visible_text(path.read_text("utf-8")))


def page(outputs: Outputs, folder: str, runs: Sequence[Path]) -> None:
    """The report as a page and as JSON; of the page, the words by themselves too."""
    outputs.command(f"{folder}/report.json", "report", *runs, "--format", "json")
    path = outputs.scratch / "report.html"
    outputs.file(f"{folder}/report.html", path, "report", *runs, "--out", path)
    outputs.keep(f"{folder}/page-text.txt", visible_text(path.read_text("utf-8")))


LIMITS = (
    *(word for most in (0.01, 0.24, 0.3, 0.9) for word in ("--max", f"worldbench.error={most}")),
    *("--within", "namebbq.bias_ambiguous=0.1", "--min", "namebbq.accuracy=0.6"),
)
"""Limits that a run keeps, breaks or leaves undecided."""


def plans(outputs: Outputs) -> None:
    prices = importlib.resources.files("geobias") / "models" / "prices.csv"
    outputs.keep("plans/prices.csv", prices.read_text("utf-8"))
    for probe in PROBES:
        for size in SIZES:
            words = ("plan", probe, "--size", size)
            outputs.command(f"plans/{probe}-{size}.json", *words, "--json")
            outputs.command(f"plans/{probe}-{size}.txt", *words)
        outputs.command(f"plans/{probe}-power.txt", "plan", probe, "--size", "standard",
                        "--gap", 0.1, "--power", 0.8, "--model", "openai/gpt-4o-mini")  # fmt: skip
    for size in SIZES:
        outputs.command(f"plans/audit-{size}.txt", "plan", "audit", "--size", size,
                        "--model", "openai/gpt-4o-mini")  # fmt: skip
    for line in ("models", "data list", "worldbench years",
                 "plan worldbench --show 3", "plan namebbq --show 3", "entities list --json",
                 "report --schema"):  # fmt: skip
        outputs.command(f"plans/{line.replace(' ', '-')}.txt", *line.split())
    for command in help_pages():
        outputs.command(f"plans/help/{'-'.join(command) or 'geobias'}.txt", *command, "--help")
    plans_beside(outputs)


def plans_beside(outputs: Outputs) -> None:
    """Plans beside finished runs, a plan of a change, and the preregistration of an audit."""
    for probe in PROBES:
        outputs.command(f"plans/compare-{probe}.txt", "plan", "compare", probe, "--size",
                        "standard", "--change", 0.05)  # fmt: skip
    folder = outputs.scratch / "beside"
    folder.mkdir()
    shutil.copy(audited(outputs, "biased"), folder)
    words = ("audit", "sim/biased", "--out", folder, "--dry-run")
    outputs.command("plans/like/audit.txt", *words, "--size", "standard")
    outputs.command("plans/like/audit.json", *words, "--size", "standard", "--json")
    path = outputs.scratch / "plan.md"
    outputs.file("plans/preregistered.md", path, "plan", "audit", "sim/fair", "--size", "standard",
                 "--preregister", path)  # fmt: skip


def help_pages() -> Iterator[tuple[str, ...]]:
    """Every command and every command of a command."""
    import click

    from geobias.cli import cli

    def within(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield words
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if isinstance(command, click.Group):
                yield from within(command, (*words, name))
            else:
                yield (*words, name)

    return within(cli, ())


# -- batches ---------------------------------------------------------------------------------------


BATCHES: Mapping[str, tuple[str, ...]] = {
    "worldbench": ("--countries", "KEN;FRA"),
    "namebbq": (),
    "geo20q": ("--entities", "Taj Mahal", "--judge-questions", "4"),
    "ratings": ("--topics", "morality"),
}
ANSWERS = ("42", "Is it in Asia?", "Yes", "A", "I do not know.")


def batches(outputs: Outputs) -> None:
    """Asks in files, round after round, and what becomes of their results."""
    for probe, words in BATCHES.items():
        folder, kept = outputs.scratch / f"{probe}-files", f"batches/{probe}"
        run = folder.with_suffix(".geobias")
        asking = ("run", probe, "vllm/model", *words, "--out", run, "--batch-files", folder)
        outputs.command(f"{kept}/run.txt", *asking)
        for number in range(3):
            for asks in folder.glob("round-*.jsonl"):
                results = "".join(map(executed, json_lines(asks)))
                folder.joinpath(f"results-of-{asks.name}").write_text(results, "utf-8")
            outputs.command(f"{kept}/run-{number}.txt", *asking)
        outputs.command(f"{kept}/given-up.txt", *asking, "--give-up-batches")
        for path in folder.glob("round-*.jsonl"):
            outputs.keep(f"{kept}/{path.name}", path.read_text("utf-8"))


def executed(ask: Mapping[str, Any]) -> str:
    """The line of results for an ask, whose answer depends on its messages alone."""
    answer = ANSWERS[crc32(json.dumps(ask["body"]["messages"]).encode()) % len(ANSWERS)]
    choice = {"message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}
    body = {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}
    result = {"custom_id": ask["custom_id"], "response": {"status_code": 200, "body": body}}
    return json.dumps(result) + "\n"


# -- the viewer ------------------------------------------------------------------------------------


LISTS = (
    *("", "?page=2", "?sort=number", "?country=Kenya", "?half=Global+South&outcome=read"),
    *("?q=Kenya", "?probe=WorldBench", "?probe=Name-BBQ", "?probe=Geo20Q%2B", "?probe=Ratings"),
)
"""Queries of lists of trials."""


def view(outputs: Outputs) -> None:
    view_pages(outputs, audited(outputs, "biased"))


def view_pages(outputs: Outputs, run: Path) -> None:
    """The pages of a run: lists, the first two trials of each, samples, verdicts, the report."""
    shown = outputs.scratch / "view" / run.name
    shown.parent.mkdir()
    shutil.copy(run, shown)  # verdicts are written into it
    with viewing(shown) as ask:

        def keep(path: str, **form: str) -> str:
            page = ask(path, **form)
            name = re.sub(r"[^\w.-]+", "_", f"{path.strip('/')}{'-sent' * bool(form)}") or "runs"
            outputs.keep(f"view/{name}.html", page)
            return page

        at = f"/run/{quote(run.stem)}"
        until(r'class="verdict">\w', lambda: ask("/"))  # when all is in the index, too
        for path in (
            "/",
            "/colours.css",
            "/view.css",
            "/view.js",
            "/run/none/trials",
            f"{at}/check",
        ):
            keep(path)
        for query in LISTS:
            page = keep(f"{at}/trials{query}")
            for trial in dict.fromkeys(re.findall(rf'href="({at}/trial/[^"]+)"', page)[:2]):
                keep(html.unescape(trial))
        for sample in re.findall(r'class="sample" id="([^"]+)"', ask(f"{at}/check")):
            page = keep(f"{at}/check/{sample}")
            if item := re.search(r'data-item="([^"]+)"', page):
                verdict = re.findall(r'<button name="verdict" value="([^"]+)"', page)[0]
                keep(f"{at}/check/{sample}", item=html.unescape(item[1]), verdict=verdict)
        keep(f"{at}/check")
        keep(f"{at}/report")
        keep(f"{at}/report/page")


@contextlib.contextmanager
def viewing(run: Path) -> Iterator[Callable[..., str]]:
    """`geobias view` in a process. Yields a function from an address, and the fields of a form that
    is sent there, to the page that answers."""
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "geobias",
            "view",
            str(run),
            "--no-browser",
            "--reviewer",
            "A reviewer",
        ],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"GEOBIAS_CACHE": str(run.parent / "cache")},
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        host = "http://" + urlsplit(address).netloc
        opener = build_opener(HTTPCookieProcessor(CookieJar()), ProxyHandler({}))
        token = ""

        def ask(path: str, **form: str) -> str:
            sent = urlencode({"token": token} | form).encode() if form else None
            try:
                with opener.open(Request(host + path, sent, {"Origin": host})) as answer:
                    return str(answer.read().decode())
            except HTTPError as refused:
                return refused.read().decode()

        ask(address.removeprefix(host))
        token = re.findall(r'name="token" content="([^"]+)"', ask("/"))[0]
        try:
            yield ask
        finally:
            process.terminate()


def until(sign: str, asking: Callable[[], str]) -> None:
    """Ask until the page has this sign of being complete."""
    for _ in range(600):
        if re.search(sign, asking()):
            return
        time.sleep(0.2)
    raise SystemExit(f"after two minutes no page has {sign}")


# -- readings --------------------------------------------------------------------------------------


def labelled(probe: str, name: str) -> list[dict[str, Any]]:
    return json_lines(TESTS / "probes" / probe / f"{name}.jsonl")


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


SHIPPED = "readings/shipped.jsonl"
SHIPPED_REPLIES = TESTS / "data" / "real_replies" / "replies.jsonl"


def readings(outputs: Outputs) -> None:
    for probe in LABELLED_LINES:
        for path in sorted((TESTS / "probes" / probe).glob("*.jsonl")):
            read = (read_labelled(probe, line) for line in labelled(probe, path.stem))
            outputs.keep(f"readings/{probe}/{path.name}", as_lines(read))
    for name, kind in (("numbers", "number"), ("turns", "geo20q")):
        lines = json_lines(TESTS / "data" / "real" / "replies" / f"{name}.jsonl")
        outputs.keep(f"readings/real/{name}.jsonl", as_lines(read_as(kind, one) for one in lines))
    outputs.keep(SHIPPED, as_lines(map(read_real, json_lines(SHIPPED_REPLIES))))
    data = data_folder()
    if data is None:
        print("GEOBIAS_DATA is not set: no real replies are read", file=sys.stderr)
        return
    for path in real_files(data):
        outputs.keep(f"readings/data/{path.name}", as_lines(map(read_real, json_lines(path))))


def real_files(data: Path) -> list[Path]:
    """Real replies in the shared folder."""
    replies = data / "replies"
    numbers, turns = replies / "numerfacts.jsonl", data / "games" / "real_turns.jsonl"
    return [*sorted((replies / "real").glob("*.jsonl")), numbers, turns]


def data_folder() -> Path | None:
    return Path(os.environ["GEOBIAS_DATA"]) if "GEOBIAS_DATA" in os.environ else None


def as_lines(rows: Iterable[Any]) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


def by(kind: str) -> Any:
    """How replies of a kind are read: a probe's, or any numbers."""
    return (
        internal("NUMBER") if kind == "number" else internal("find_probe")(kind).elsewhere.replies
    )


def read_as(kind: str, line: Mapping[str, Any]) -> dict[str, Any]:
    return plain(by(kind).read(line)._asdict())  # type: ignore[no-any-return]


def number_line(line: Mapping[str, Any]) -> dict[str, Any]:
    unit = line.get("unit", "people")
    return {"prompt": line.get("phrase", ""), "unit": unit, "reply": line["text"]}


LABELLED_LINES: Mapping[str, tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "worldbench": ("number", number_line),
    "namebbq": (
        "namebbq",
        lambda line: {
            **line["options"],
            "options": line["options"]["answers"],
            "reply": line["reply"],
        },
    ),
    "ratings": ("ratings", lambda line: line),
    "geo20q": ("geo20q", lambda line: {**line, "final": line["kind"] == "final"}),
}
"""Probe → how its labelled replies are read, and as which line."""


def read_labelled(probe: str, line: dict[str, Any]) -> dict[str, Any]:
    kind, made = LABELLED_LINES[probe]
    return read_as(kind, made(line))


def real_lines(line: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """A real reply as a line of every kind of reader that can take it."""
    if "turn" in line:
        text = line.get("question") or line["reply"]
        return {"geo20q": {"entity": line["target"], "text": text}}
    reply, prompt = line["reply"], line.get("prompt") or line.get("question") or ""
    answers = line.get("options") or ()
    shown: Sequence[str] = ["Cannot be determined", "The Kenyan driver", "The Danish driver"]
    unknown = 0
    if len(answers) == 3 and "unknown" in line:
        shown, unknown = answers, line["unknown"]
    found: dict[str, Mapping[str, Any]] = {
        "number": {"prompt": prompt, "unit": line.get("unit", "people"), "reply": reply},
        "namebbq": {"options": shown, "unknown": unknown, "reply": reply},
    }
    return found if "unit" in line else found | {"ratings": {"reply": reply}}


def read_real(line: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: read_as(kind, asked) for kind, asked in real_lines(line).items()}


PARTS: Mapping[str, Callable[[Outputs], None]] = {
    **{probe: probe_part(probe) for probe in PROBES},
    "example": example,
    "readings": readings,
    "report": report_part,
    "plans": plans,
    "batches": batches,
    "view": view,
}


# -- what is compared ------------------------------------------------------------------------------


def normalised(name: str, text: str, scratch: Path) -> str:
    """The text without what differs between two makings, numbers with ten digits."""
    for folder in (str(scratch), str(Path.cwd()), str(Path.home()), str(HERE.parent)):
        text = text.replace(folder, "FOLDER")
    if name.endswith((".json", ".jsonl")):
        text = "\n".join(_json_lines(text))
    for pattern, instead in _PASSING_TEXT:
        text = pattern.sub(instead, text)
    return _LONG_NUMBER.sub(lambda found: _rounded(float(found[0])), text)


_LATEX_BETWEEN = r"(?:\{-\}|[-:+])+"
_PASSING_TEXT = (
    (re.compile(r'(name="token" (?:content|value)=")[^"]*'), r"\1TOKEN"),
    (re.compile(r'(custom_id": "[0-9a-f]{32})-[0-9a-f]{16}'), r"\1-TAG"),
    (re.compile(_LATEX_BETWEEN.join([r"\b20\d\d", r"\d\d", r"\d\dT\d\d", *[r"\d\d"] * 4])), "TIME"),
    (re.compile(r"(evaluation_id\": \"[^\"]*/|retrieved_timestamp\": \")\d{10}"), r"\1TIME"),
    (re.compile(r"\bclip\d+\b"), "clip"),  # numbered by all that the process has drawn
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?([+-]\d\d:\d\d|Z| UTC)?"), "TIME"),
    (re.compile(r"\b20[2-9]\d-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"geobias \d+\.\d+\.\d+\S*"), "geobias VERSION"),
    (
        re.compile(r"\b(TIME,|VERSION) (?:under )?\d[\d,.]* (?:s|min|h)\b(?: [\d,.]+ s\b)?"),
        r"\1 SECONDS",
    ),
    (re.compile(r"\brun [0-9a-f]{12}\b"), "run DIGEST"),  # of a file that holds times
    (re.compile(r"/tmp/[\w./-]+"), "FOLDER"),
)
_LONG_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d{9,}(e[-+]?\d+)?(?!\w)")


def _rounded(number: float) -> str:
    return repr(float(f"{number:.{DIGITS}g}")) if abs(number) > 1e-12 else "0.0"


def _json_lines(text: str) -> Iterator[str]:
    """The JSON values of a text, laid out to be read; from what is not JSON on, as it is."""
    decoder = json.JSONDecoder()
    at = _next_value(text, 0)
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            yield text[at:]
            return
        indent = 1 if isinstance(value, list) or end - at > 2_000 else None
        yield json.dumps(_lasting(value), indent=indent, ensure_ascii=False)
        at = _next_value(text, end)


def _next_value(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _lasting(value: Any) -> Any:
    """The value without what differs from one making to the next, in its order."""
    if isinstance(value, dict):
        return {key: _lasting(inner) for key, inner in value.items() if key not in PASSING}
    if isinstance(value, list):
        return [_lasting(inner) for inner in value]
    if isinstance(value, float) and math.isfinite(value):
        return float(_rounded(value))
    return value


class _VisibleText(html.parser.HTMLParser):
    """The words of a page, a line for each piece of text."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style")
        told = ("aria-label", "title", "alt", "placeholder")
        self.lines += [f"[{value}]" for name, value in attrs if name in told and value]

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden and (words := " ".join(data.split())):
            self.lines.append(words)


def visible_text(page: str) -> str:
    parser = _VisibleText()
    parser.feed(page)
    return "\n".join(parser.lines)


def hashes(folder: Path) -> dict[str, str]:
    """Output → the beginning of its SHA-256."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# -- commands --------------------------------------------------------------------------------------


def make(folder: Path, only: Sequence[str] = ()) -> None:
    """The outputs of these parts, all if none is named."""
    with tempfile.TemporaryDirectory(prefix="same-results-") as scratch:
        outputs = Outputs(folder, Path(scratch))
        for name in only or PARTS:
            shutil.rmtree(folder / name, ignore_errors=True)
        for name in only or PARTS:
            begun = time.process_time()
            PARTS[name](outputs)
            print(f"{name}: {time.process_time() - begun:.0f} s", file=sys.stderr)


def compare(before: Path, after: Path, only: Sequence[str] = ()) -> int:
    """Print the first difference of each output; how many differ."""
    a, b = (hashes(folder) for folder in (before, after))
    if only:
        a, b = of_parts(a, only), of_parts(b, only)
    differ = [name for name in sorted(a.keys() | b.keys()) if a.get(name) != b.get(name)]
    for name in differ:
        if name not in b or name not in a:
            print(f"{name}: only {'before' if name in a else 'after'}")
        else:
            texts = ((folder / name).read_text("utf-8") for folder in (before, after))
            print(f"{name}: {first_difference(*texts)}")
    print(f"{len(a.keys() | b.keys())} outputs compared, {len(differ)} differ")
    return len(differ)


def first_difference(before: str, after: str) -> str:
    """The first lines that differ, cut to the place where they do."""
    a, b = before.splitlines(), after.splitlines()
    number = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    if number is None:
        longer = "before" if len(a) > len(b) else "after"
        return f"{len(a)} and {len(b)} lines; more {longer}"
    x, y = a[number], b[number]
    at = next(
        (i for i, (p, q) in enumerate(zip(x, y, strict=False)) if p != q), min(len(x), len(y))
    )
    begin = max(0, at - 40)
    more = f" ({len(a)} and {len(b)} lines)" if len(a) != len(b) else ""
    return f"line {number + 1}{more}\n    - {x[begin : at + 80]!r}\n    + {y[begin : at + 80]!r}"


def golden() -> dict[str, str]:
    found: dict[str, str] = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    return found


def of_parts(names: Mapping[str, str], only: Sequence[str]) -> dict[str, str]:
    """The outputs of these parts that can be made here."""
    parts = only or tuple(PARTS)
    made = {name: hash_ for name, hash_ in names.items() if name.partition("/")[0] in parts}
    if data_folder() is None:
        made = {name: h for name, h in made.items() if not name.startswith("readings/data/")}
    return made


def differences(made: Mapping[str, str], kept: Mapping[str, str]) -> list[str]:
    return [name for name in sorted(made.keys() | kept.keys()) if made.get(name) != kept.get(name)]


def check(folder: Path, only: Sequence[str] = ()) -> int:
    """Make the outputs and print those that are not the golden ones; how many."""
    make(folder, only)
    made, kept = hashes(folder), of_parts(golden(), only)
    made = of_parts(made, only)
    differ = differences(made, kept)
    for name in differ:
        print(f"{name}: {'gone' if name not in made else 'new' if name not in kept else 'differs'}")
    print(f"{len(kept)} outputs, {len(differ)} differ")
    return len(differ)


def accept(folder: Path, only: Sequence[str], reason: str) -> None:
    """Write the hashes of the folder's outputs, and what changed with its reason."""
    made, before = of_parts(hashes(folder), only), golden()
    kept = of_parts(before, only)
    differ = [name for name in differences(made, kept) if name in kept]
    if differ and not reason:
        raise SystemExit(f"{len(differ)} outputs changed, {differ[0]} first: say --because REASON")
    others = {name: hash_ for name, hash_ in before.items() if name not in kept}
    GOLDEN.write_text(json.dumps(dict(sorted((others | made).items())), indent=0) + "\n", "utf-8")
    if differ:
        names = "".join(f"    {json.dumps(name)},\n" for name in differ)
        entry = f"\n[[change]]\nreason = {json.dumps(reason)}\noutputs = [\n{names}]\n"
        with CHANGED_ON_PURPOSE.open("a", encoding="utf-8") as file:
            file.write(entry)
    print(f"{len(made)} outputs, {len(differ)} changed on purpose")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("make", "check", "golden"):
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path, nargs=None if name == "make" else "?")
        command.add_argument("--only", nargs="+", choices=list(PARTS), default=[])
        if name == "golden":
            command.add_argument("--because", default="", help="why outputs changed")
            command.add_argument("--made", action="store_true", help="FOLDER is made already")
    command = commands.add_parser("compare")
    command.add_argument("before", type=Path)
    command.add_argument("after", type=Path)
    command.add_argument("--only", nargs="+", choices=list(PARTS), default=[])
    given = parser.parse_args()
    if given.command == "compare":
        return min(1, compare(given.before, given.after, given.only))
    folder = given.folder or Path(tempfile.mkdtemp(prefix="same-results-"))
    if given.command == "make":
        make(folder, given.only)
        return 0
    if given.command == "check":
        differ = check(folder, given.only)
        if differ:
            print(f"the outputs are in {folder}; compare them with a folder of the code before")
        elif given.folder is None:
            shutil.rmtree(folder)
        return min(1, differ)
    if not given.made:
        make(folder, given.only)
    accept(folder, given.only, given.because)
    return 0


SETTLED = {
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "TZ": "UTC",
    "GEOBIAS_TRACEBACK": "",
}
"""The environment in which two makings are alike."""

if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in SETTLED.items()):
        keys = [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL"))]
        left = {name: value for name, value in os.environ.items() if name not in [*keys, "COLUMNS"]}
        os.execve(sys.executable, [sys.executable, *sys.argv], left | SETTLED)
    sys.exit(main())
