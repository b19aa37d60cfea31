"""Functions that run probes against models, for the command line and for Python.

A run opens its models, computes its budget and manifest, opens its file, and then asks the
questions of its plans. Several runs may go on at the same time.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeVar

import msgspec

from geobias.engine import Budget, Counts, Runner
from geobias.engine.budget import Totals
from geobias.errors import BadRequest, BadRunFile, CannotWrite, GeobiasError, Interrupted, Stopped
from geobias.models import Model
from geobias.models.batch.files import Folder, by_files, check_folder
from geobias.models.batch.lines import dialect_of, discount_of, need_dialect
from geobias.models.batch.provider import at_providers
from geobias.models.catalogue import find_model, price, takes_effort
from geobias.models.chat import ChatModel
from geobias.models.inspected import InspectedModel
from geobias.models.layout import DIGEST, base_model_note
from geobias.models.naming import ModelEntry
from geobias.probes.plan import Plan
from geobias.probes.settings import Setting
from geobias.process import hearing_stop
from geobias.reading import VERSION as READING
from geobias.reading.again import LEAVE, READER, REFEREE, RESTATE
from geobias.runfile import Manifest, OtherRuns, RunReader, RunWriter
from geobias.runfile.manifest import AskedWith, Price
from geobias.runfile.reading import NOT_SENT
from geobias.runfile.schema import SUFFIX
from geobias.untrusted import usable
from geobias.version import __version__

DEFAULT_FOLDER = Path("geobias-runs")
TOGETHER = "(all models and sessions together)"
THINKING = "thinking tokens"
"""Key under which a session records its last limit on the tested model's reasoning tokens."""
T = TypeVar("T")


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a run: limits and timeouts. None of them changes what is asked.

    A limit applies to all sessions of a run, and to all models of an audit, together. `entries`
    maps models' names to their entries, such as an address, headers or a price.
    """

    concurrency: Annotated[
        int | None, Setting("Maximum calls in flight for one model.", least=1, most=10_000)
    ] = None
    max_calls: Annotated[
        int | None, Setting(f"Stop before making more calls {TOGETHER}.", least=1)
    ] = None
    max_tokens: Annotated[
        int | None, Setting(f"Stop before using more tokens, in and out {TOGETHER}.", least=1)
    ] = None
    max_cost: Annotated[
        float | None, Setting(f"Stop before spending more US$ {TOGETHER}.", least=0)
    ] = None
    timeout: Annotated[
        float | None,
        Setting(
            "Seconds before a call counts as failed; default: 300, embedded models 600.", least=0
        ),
    ] = None
    batch: Annotated[
        bool, Setting("Ask in batches: half the price at most providers, within a day.")
    ] = False
    thinking: Annotated[
        int | None,
        Setting(
            "Initial tokens for thinking; doubled when the model is cut off.",
            least=0,
            most=1_000_000,
        ),
    ] = None
    answer_format: Annotated[
        Literal["auto", "text", "json", "grammar"] | None,
        Setting(
            "Let the server enforce the form of answers: JSON by a schema, or a grammar; "
            "default: text."
        ),
    ] = None
    poll: float | None = None
    """Seconds between looks at a batch."""
    batch_files: Annotated[
        Path | None,
        Setting("Write the questions to files, for somebody else to run.", metavar="FOLDER"),
    ] = None
    reuse: Annotated[
        tuple[Path, ...],
        Setting(
            "Also reuse replies of these runs. Runs in the folder of --out are always used.",
            metavar="RUN|FOLDER",
        ),
    ] = ()
    fresh: Annotated[
        bool, Setting("Reuse no replies of other runs. --out NEW beside it asks all again.")
    ] = False
    entries: Mapping[str, ModelEntry] = {}

    def __post_init__(self) -> None:
        """Raise BadRequest for a limit of 0 or NaN, which would not limit anything."""
        for name in ("concurrency", "max_calls", "max_tokens", "max_cost", "timeout", "poll"):
            value = getattr(self, name)
            if value is not None and not usable(value, name) > 0:
                raise BadRequest(f"{name} = {value} is not a limit: give a number above 0")
        if self.batch and self.batch_files:
            raise BadRequest("--batch and --batch-files are mutually exclusive")

    def entry(self, model: str, tested: bool = False) -> ModelEntry:
        """Return the entry of the model with this name.

        The `tested` model gets the options' `answer_format`, unless its entry has one.
        """
        entry = self.entries.get(model) or ModelEntry(model)
        if tested and self.answer_format and not entry.answer_format:
            entry = msgspec.structs.replace(entry, answer_format=self.answer_format)
        return entry

    @property
    def in_rounds(self) -> bool:
        """Whether asks are sent in rounds (batches), each with the asks of all probes."""
        return self.batch or self.batch_files is not None


class Display:
    """Shows the progress of runs. This one shows nothing."""

    def begin(self, model: str, probe: str, counts: Counts) -> None:
        """Called when a probe starts. `counts` changes while it runs."""

    def refresh(self) -> None:
        """Called a few times a second."""

    def note(self, sentence: str) -> None:
        """Called at an event, such as a batch that is submitted."""

    def stopping(self, in_flight: int) -> None:
        """Called when the user has asked to stop while `in_flight` calls are not answered yet."""


SILENT = Display()


class Result(msgspec.Struct, frozen=True):
    """A finished run: its file, and the counters of each probe."""

    path: Path
    counts: dict[str, Counts]


class Job(NamedTuple):
    """Plans to run on one model (or a model for each role), into one run file."""

    plans: Sequence[Plan]
    specs: Mapping[str, str]
    path: Path
    options: Options
    display: Display = SILENT

    def say(self, words: str) -> None:
        model = self.specs["model"]
        self.display.note(words if words.startswith(model) else f"{model}: {words}")


def run(
    plans: Sequence[Plan],
    models: Mapping[str, str] | str,
    out: Path | str | None = None,
    *,
    options: Options | None = None,
    display: Display | None = None,
    command: str = "",
) -> Result:
    """Run probes against a model (or a model for each role) into one run file.

    If the file holds the same run, that run is resumed. Raises Stopped if the run ends early; all
    replies are kept.
    """
    named = {"model": models} if isinstance(models, str) else models
    path = Path(out) if out else default_path(plans, named)
    display = display or SILENT
    job = Job(plans, with_reader(named, plans), path, options or Options(), display)
    [end] = run_together({"": job}, display=display, command=command).values()
    if isinstance(end, GeobiasError):
        raise end
    return end


def run_together(
    jobs: Mapping[str, Job], *, display: Display, command: str
) -> dict[str, Result | GeobiasError]:
    """Run several jobs at once within shared limits; return how each ended.

    If one job fails, the others go on. Ctrl-C and a full disk stop all jobs and are raised.
    """
    work = partial(_run_together, jobs, display, command)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _in_new_loop(work)
    return _on_another_thread(work)


def default_path(
    plans: Sequence[Plan], models: Mapping[str, str] | str, folder: Path = DEFAULT_FOLDER
) -> Path:
    """Return the default path of a run, which is named after its probes and models.

    If another run already has that name, a short hash of the settings is added.
    """
    by_role = {"model": models} if isinstance(models, str) else models
    others = [model for role, model in by_role.items() if role != "model"]
    called = "+".join([by_role["model"], *others])
    name = "+".join(plan.probe for plan in plans) + "-" + re.sub(r"[^\w.+-]+", "-", called)
    name = name.strip("-.")[:120]
    path = folder / (name + SUFFIX)
    probes = msgspec.to_builtins({plan.probe: plan.settings for plan in plans})
    # A missing file means a new run. An unreadable file is reported when it is opened.
    with suppress(BadRunFile), open_run(path) as run:
        if run.is_described() and run.manifest().probes != probes:
            settings = msgspec.json.encode([plan.settings for plan in plans], order="sorted")
            return folder / f"{name}-{sha256(settings).hexdigest()[:6]}{SUFFIX}"
    return path


def open_run(path: Path | str) -> RunReader:
    """Open a run file for reading."""
    return RunReader(path)


# Models, limits and what the run is ---------------------------------------------------------------


class Prepared(NamedTuple):
    """A run before its file is opened: its models by role, its budget and its manifest."""

    models: dict[str, Model]
    budget: Budget
    manifest: Manifest


def with_reader(specs: Mapping[str, str], plans: Sequence[Plan]) -> dict[str, str]:
    """Return the models by role, and add the reader that the plans name.

    The judge is also the referee, unless the judge is the tested model.
    """
    named = {str(how) for plan in plans if (how := plan.settings.get("unread")) is not None}
    readers = named - {RESTATE, LEAVE}
    if len(readers) > 1:
        raise BadRequest(f"--unread names {len(readers)} models: give one")
    found = {**specs, **({READER: readers.pop()} if readers else {})}
    judge = found.get("judge")
    if REFEREE not in found and judge and judge != found["model"]:
        found[REFEREE] = judge
    if found.get(REFEREE) == "none":
        del found[REFEREE]
    return found


def refuse_impossible(plans: Sequence[Plan], specs: Mapping[str, str], options: Options) -> None:
    """Raise BadRequest for options that these models cannot fulfil. Needs no key.

    Such options are batches at a provider without batches, log-probabilities from a batch, an
    effort for a model that accepts none, and a limit in US$ for a model without a known price.
    """
    model = options.entry(specs["model"]).name
    if options.batch_files is not None:
        for spec in specs.values():
            find_model(options.entry(spec), by_files=True)
    elif options.batch:
        need_dialect(model)
    weighed = any(plan.settings.get("read") == "logprobs" for plan in plans)
    dialect = dialect_of(model) if options.in_rounds else None
    if weighed and dialect is not None and dialect.shape != "chat":
        raise BadRequest(
            f"{model}: its batches return no log-probabilities; leave out --read logprobs to read "
            "answers from their text"
        )
    reasons = options.batch_files is not None or takes_effort(model)  # by files any name goes
    if not reasons and any(plan.settings.get("effort") for plan in plans):
        raise BadRequest(f"{model} does not take --effort; leave it out")
    for spec in specs.values():
        need_price(spec, options)


def need_price(called: str, options: Options) -> Price | None:
    """Return the price of a model, by its label or name; None if no price is known.

    Raises BadRequest if the price is unknown and there is a limit in US$.
    """
    entry = options.entry(called)
    known = entry.price or price(entry.name)
    if known is None and options.max_cost is not None:
        raise BadRequest(
            f"no price is known for {called}, so --max-cost cannot be enforced: name the model as "
            f'{{ name = "{entry.name}", price = [IN, OUT] }}, in US$ per million tokens'
        )
    return known


async def prepared(
    plans: Sequence[Plan],
    specs: Mapping[str, str],
    options: Options,
    command: str,
    totals: Totals | None = None,
) -> Prepared:
    """Open the models of a run. Raises every error that is known before the first call."""
    refuse_impossible(plans, specs, options)
    models = open_models(specs, options)
    try:
        budget, prices = make_budget(models, specs, options, totals)
        entries = {
            role: options.entry(spec, spec == specs["model"]) for role, spec in specs.items()
        }
        manifest = make_manifest(
            plans,
            {role: model.name for role, model in models.items()},
            prices,
            command,
            {role: facts for role, entry in entries.items() if (facts := entry.asked())},
            [role for role, model in models.items() if getattr(model, "by_text", False)],
        )
    except BaseException:
        await close_models(models)
        raise
    return Prepared(models, budget, manifest)


async def describe_run(
    plans: Sequence[Plan], specs: Mapping[str, str], options: Options, command: str = ""
) -> tuple[Budget, Manifest]:
    """Return the budget and manifest of a run. Models are opened for their exact names."""
    made = await prepared(plans, specs, options, command)
    await close_models(made.models)
    return made.budget, made.manifest


def open_models(specs: Mapping[str, str], options: Options) -> dict[str, Model]:
    """Open the models and return them by role. A model with several roles is opened once."""
    opened = {
        spec: find_model(
            options.entry(spec, spec == specs["model"]),
            timeout_seconds=options.timeout,
            by_files=options.batch_files is not None,
            thinking=options.thinking if spec == specs["model"] else None,
        )
        for spec in set(specs.values())
    }
    return {role: opened[spec] for role, spec in specs.items()}


def make_budget(
    models: Mapping[str, Model],
    specs: Mapping[str, str],
    options: Options,
    totals: Totals | None = None,
) -> tuple[Budget, dict[str, Price]]:
    """Return the budget with the limits of the options, and the known prices by role."""
    known = {role: need_price(specs[role], options) for role in models}
    discounts = {role: discount_of(options.entry(specs[role]).name) for role in models}
    budget = Budget(
        max_calls=options.max_calls,
        max_tokens=options.max_tokens,
        max_cost=options.max_cost,
        prices=known,
        discounts=discounts if options.in_rounds else {},
        totals=totals,
    )
    return budget, {role: one for role, one in known.items() if one is not None}


def make_manifest(
    plans: Sequence[Plan],
    models: dict[str, str],
    prices: dict[str, Price],
    command: str,
    asked: Mapping[str, AskedWith] | None = None,
    by_text: Sequence[str] = (),
) -> Manifest:
    """Return the manifest of a run that is about to start. `models` are exact names by role."""
    prompts = {name: text for plan in plans for name, text in plan.prompts.items()}
    notes = _base_model_notes(models, by_text)
    return Manifest(
        geobias=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        probes={plan.probe: plan.settings for plan in plans},
        models=models,
        editions={name: digest for plan in plans for name, digest in plan.editions.items()},
        prompts=prompts | ({"layout": DIGEST} if by_text else {}),
        planned={name: count for plan in plans for name, count in plan.planned.items()},
        prices=prices,
        command=command,
        notes={plan.probe: [*plan.notes, *notes] for plan in plans if plan.notes or notes},
        given={plan.probe: plan.given for plan in plans},
        asked=dict(asked or {}),
        by_text=list(by_text),
        reading=READING,
    )


def _base_model_notes(names: Mapping[str, str], by_text: Sequence[str]) -> list[str]:
    return [base_model_note(name) for name in dict.fromkeys(names[role] for role in by_text)]


# The run itself -----------------------------------------------------------------------------------


class _Session(NamedTuple):
    """An open run: its file, its models and its progress."""

    job: Job
    models: dict[str, Model]
    file: RunWriter
    runner: Runner
    counts: dict[str, Counts]
    others: OtherRuns
    folder: Folder | None = None

    async def drive(self) -> Result:
        """Run the plans one after another, or all at once if answers come in rounds."""
        reason: Stopped | None = None
        try:
            if self.job.options.in_rounds:
                runs = [self._run_plan(plan) for plan in self.job.plans]
                ends = await asyncio.gather(*runs, return_exceptions=True)
                for end in ends:
                    if isinstance(end, BaseException):
                        raise end
            else:
                for plan in sorted(self.job.plans, key=lambda one: one.calls[1]):  # cheap first
                    await self._run_plan(plan)
        except Stopped as stopped:
            reason = stopped
        finally:
            if self.folder:
                self.folder.complain(lambda digest: self.file.find(digest) is not None)
            self.others.close()
            await close_all(self.file, self.counts, self.models)
        return result_of(self.file, self.counts, reason)

    async def _run_plan(self, plan: Plan) -> None:
        counts = self.counts[plan.probe]
        self.job.display.begin(self.job.specs["model"], plan.probe, counts)
        await self.runner.run(plan.trials(), counts)


def _open_session(job: Job, made: Prepared) -> _Session:
    models, budget, manifest = made
    if job.options.batch_files is not None:
        check_folder(job.options.batch_files)
    file = RunWriter.open(job.path, manifest)
    try:
        file.absorb_parts()
        file.ask_again("still_thinking")
        recall(models["model"], file.last_counts())
        budget.spent_before(file.spent())
        notes = _base_model_notes(manifest.models, manifest.by_text)
        models, folder = _in_rounds(models, job, file)
        beside = None if job.options.fresh else job.path.parent
        others = OtherRuns(job.path, manifest, job.options.reuse, beside)
    except BaseException:
        file.close()
        raise
    for note in notes:
        job.say(note)
    concurrency = job.options.concurrency
    runner = Runner(
        models, file, budget=budget, concurrency=concurrency, others=others, say=job.say
    )
    counts = {plan.probe: Counts(planned=plan.count) for plan in job.plans}
    return _Session(job, models, file, runner, counts, others, folder)


def _in_rounds(
    models: dict[str, Model], job: Job, file: RunWriter
) -> tuple[dict[str, Model], Folder | None]:
    """Wrap the models to ask in batches, if the options say so.

    A run that waits for a batch is not resumed without --batch, since its questions would be paid
    for twice.
    """
    options = job.options
    for one, asks in file.batches().items():
        in_files = one.state == "files"
        if asks and not (options.batch_files if in_files else options.batch):
            where = one.file if in_files else one.batch
            raise BadRequest(
                f"{file.path} waits for {len(asks):,} asks in {where or 'a batch'}: add "
                f"{'--batch-files FOLDER' if in_files else '--batch'}, or give them up with "
                "--give-up-batches"
            )
    if options.batch_files is not None:
        return by_files(models, options.batch_files, file, say=job.say)
    if options.batch:
        return at_providers(models, file, poll=options.poll, say=job.say), None
    return models, None


async def _run_together(
    jobs: Mapping[str, Job],
    display: Display,
    command: str,
    *,
    started: Callable[[Callable[[], object]], None] = lambda _: None,
) -> dict[str, Result | GeobiasError]:
    totals, cores = Totals(), asyncio.Lock()
    made: dict[str, Prepared] = {}
    sessions: dict[str, _Session] = {}
    try:
        for name, job in jobs.items():
            made[name] = await prepared(job.plans, job.specs, job.options, command, totals)
        # Files that exist come first, so that none is made if one of them holds another run.
        for name in sorted(jobs, key=lambda name: not jobs[name].path.exists()):
            sessions[name] = _open_session(jobs[name], made[name])
    except BaseException:
        for session in sessions.values():
            await close_all(session.file, session.counts, session.models)
        for name in made.keys() - sessions.keys():
            await close_models(made[name].models)
        raise
    runners = [session.runner for session in sessions.values()]

    async def drive(session: _Session) -> Result | GeobiasError:
        entry = session.job.options.entry(session.job.specs["model"])
        try:
            if not entry.name.startswith("embedded"):
                return await session.drive()
            async with cores:  # this machine does one thing at a time
                return await session.drive()
        except (Interrupted, CannotWrite) as reason:
            for runner in runners:
                runner.stop(reason)
            return reason
        except GeobiasError as reason:
            return reason

    def stop() -> None:
        again = any(runner.stopping for runner in runners)
        for runner in runners:
            runner.stop(None)
        with suppress(OSError):
            if not again:
                display.stopping(sum(runner.calls_in_flight for runner in runners))

    asked = partial(asyncio.get_running_loop().call_soon_threadsafe, stop)
    started(asked)
    with hearing_stop(asked):  # also while the files are being closed
        work = asyncio.gather(*(drive(session) for session in sessions.values()))
        watched = await _watched(work, display)
    ends = dict(zip(sessions, watched, strict=True))
    for end in ends.values():
        if isinstance(end, Interrupted | CannotWrite):
            raise end
    return {name: ends[name] for name in jobs}


def recall(model: Model, counts: Mapping[str, int]) -> None:
    """Tell a model what the last session learned: refused parameters and tokens for reasoning."""
    if isinstance(model, ChatModel):
        model.leave_out(
            {name.removeprefix(NOT_SENT) for name in counts if name.startswith(NOT_SENT)}
        )
    if isinstance(model, ChatModel | InspectedModel):
        model.allow_thinking(counts.get(THINKING, 0))


async def close_all(
    file: RunWriter, counts: Mapping[str, Counts], models: Mapping[str, Model]
) -> None:
    """Close the run file, which other processes may wait for, and then the models."""
    unsent = {name for model in models.values() for name in model.unsent_parameters}
    try:
        thinking = models["model"].thinking if "model" in models else 0
        found_out = {f"{NOT_SENT}{name}": 1 for name in unsent} | {THINKING: thinking}
        file.close(total(counts) | found_out)
    finally:
        await close_models(models)


async def close_models(models: Mapping[str, Model]) -> None:
    """Close every model once, even if it has several roles."""
    for model in {id(model): model for model in models.values()}.values():
        with suppress(Exception):  # a failure here loses nothing
            await model.close()


def total(counts: Mapping[str, Counts]) -> dict[str, int]:
    summed: Counter[str] = Counter()
    for one in counts.values():
        summed.update(one.as_ints())
    return dict(summed)


def result_of(file: RunWriter, counts: dict[str, Counts], reason: Stopped | None) -> Result:
    """Return the result of a closed run. Raises `reason` if the run is not complete."""
    if problem := file.failure or reason:
        raise problem
    if open_trials := sum(one.unanswered for one in counts.values()):
        raise Stopped(f"{open_trials:,} trials got no usable answer; resume to try them again")
    return Result(file.path, counts)


# Event loop, display and signals ------------------------------------------------------------------


def _in_new_loop(work: Callable[[], Coroutine[None, None, T]]) -> T:
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work())
    return uvloop.run(work())


def _on_another_thread(work: Callable[..., Coroutine[None, None, T]]) -> T:
    """Run a coroutine on another thread, since a notebook has an event loop on this one."""
    stops: list[Callable[[], object]] = []
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(_in_new_loop, partial(work, started=stops.append))
        while True:
            try:
                return result.result()
            except KeyboardInterrupt:
                for stop in stops:
                    stop()


async def _watched(work: Awaitable[T], display: Display) -> T:
    """Await the work, and refresh the display four times a second meanwhile."""
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.wait([task], timeout=0.25)
        with suppress(OSError):  # the terminal may be gone; the calls under way are not
            display.refresh()
    return await task
