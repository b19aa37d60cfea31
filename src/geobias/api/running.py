"""Running probes against models, as functions: what the command line calls, and you may too."""

from __future__ import annotations

import asyncio
import re
import signal
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from geobias.engine import Budget, Counts, Runner
from geobias.engine.budget import Totals
from geobias.errors import BadRequest, BadRunFile, CannotWrite, GeobiasError, Interrupted, Stopped
from geobias.models import Model
from geobias.models.batch.files import Folder, by_files
from geobias.models.batch.lines import dialect_of, discount_of, need_dialect
from geobias.models.batch.provider import at_providers
from geobias.models.catalogue import find_model, price, takes_effort
from geobias.models.chat import ChatModel
from geobias.models.forms import AnswerFormat
from geobias.models.layout import Layout, base_model_note
from geobias.models.naming import ModelEntry
from geobias.probes.plan import Plan
from geobias.process import stop_signals
from geobias.reading import VERSION as READING
from geobias.reading.again import LEAVE, READER, REFEREE, RESTATE
from geobias.runfile import Manifest, OtherRuns, RunReader, RunWriter
from geobias.runfile.reading import NOT_SENT
from geobias.runfile.schema import SUFFIX
from geobias.untrusted import usable
from geobias.version import __version__

DEFAULT_FOLDER = Path("geobias-runs")
T = TypeVar("T")


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to run, as opposed to what: none of it changes what is asked.

    concurrency   most calls in flight for one model; None leaves it to the model
    max_calls     stop before the run (all its sessions together; all models of an audit
                  together) has made more calls
    max_tokens    the same for tokens in and out
    max_cost      the same for US$, by the price table
    prices        the user's own price table (CSV), which goes before ours
    timeout       seconds before a call counts as failed
    batch         ask in batches, at half the price and within a day, where the provider has them
    poll          seconds between looks at a batch
    batch_files   ask by files in this folder instead, which somebody else executes
    write_files   whether what waits for results is written there
    reuse         run files, or folders of them, whose replies are taken before anything is asked;
                  the folder of the run itself is one of them
    fresh         take no reply of another run
    thinking      tokens that the tested model may think, to begin with, beside those of its answer
    answer_format in which form it has to answer: text, json, grammar or auto (`models.forms`)
    entries       more about models than their names say, by what they are called
    """

    concurrency: int | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: Path | None = None
    timeout: float | None = None
    batch: bool = False
    poll: float | None = None
    batch_files: Path | None = None
    write_files: bool = True
    reuse: tuple[Path, ...] = ()
    fresh: bool = False
    thinking: int | None = None
    answer_format: AnswerFormat = ""
    entries: Mapping[str, ModelEntry] = {}

    def __post_init__(self) -> None:
        """A limit that is no number would be no limit."""
        for name in ("concurrency", "max_calls", "max_tokens", "max_cost", "timeout", "poll"):
            if (value := getattr(self, name)) is not None:
                usable(value, name)
        if self.fresh and self.reuse:
            raise BadRequest("--fresh takes no reply of another run, and --reuse does: give one")

    def entry(self, model: str, *, tested: bool = False) -> ModelEntry:
        """What is known of a model by this name; with the options for the `tested` one."""
        entry = self.entries.get(model) or ModelEntry(model)
        if tested and self.answer_format and not entry.answer_format:
            entry = msgspec.structs.replace(entry, answer_format=self.answer_format)
        return entry

    @property
    def in_rounds(self) -> bool:
        """Whether answers come in rounds, which all probes then share."""
        return self.batch or self.batch_files is not None


class Display(Protocol):
    """Whoever wants to watch a run."""

    def begin(self, probe: str, counts: Counts) -> None:
        """A probe starts; `counts` goes on changing while it runs."""

    def refresh(self) -> None:
        """Called a few times a second."""

    def stopping(self, in_flight: int) -> None:
        """The user asked to stop; so many calls are being waited for."""


class Result(msgspec.Struct, frozen=True):
    """What a finished run leaves: where it is, and what was done for each probe."""

    path: Path
    counts: dict[str, Counts]


def run(
    plans: Sequence[Plan],
    models: Mapping[str, str] | str,
    out: Path | str | None = None,
    *,
    options: Options | None = None,
    display: Display | None = None,
    command: str = "",
    others: Sequence[Budget] = (),
) -> Result:
    """Run probes against a model (or a model for each role) into one run file.

    A file that holds the same run is resumed. `others` are what other runs have used that share
    the limits in `options`. Raises Stopped when it ends early; nothing is lost.
    """
    specs = with_reader({"model": models} if isinstance(models, str) else models, plans)
    path = Path(out) if out else default_path(plans, specs["model"])
    job = Job(plans, specs, path, options or Options(), display)
    return _in_some_loop(partial(_run, job, command, others))


def with_reader(specs: Mapping[str, str], plans: Sequence[Plan]) -> dict[str, str]:
    """The models by role, with those that follow from the rest: the one that reads what the rules
    cannot, where plans name one; and the judge as referee, where it is not the tested model."""
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


def used_so_far(
    plans: Sequence[Plan], models: Mapping[str, str], path: Path, options: Options
) -> Budget:
    """What a run has used, if it was ever started, by today's prices.

    Raises what `run` would refuse before its first call: a model that is not there, a key or a
    price that is missing, a file of another run.
    """
    work = partial(describe_run, plans, with_reader(models, plans), options)
    with ThreadPoolExecutor(1) as thread:  # in a notebook this thread has a loop already
        budget, manifest = thread.submit(_in_new_loop, work).result()
    if path.exists():
        with open_run(path) as run:
            if run.is_described():  # or it was killed before it began
                run.manifest().refuse_another(manifest, path)
            for row in run.spent_rows():
                budget.spent_before(*row)
    return budget


async def describe_run(
    plans: Sequence[Plan], specs: Mapping[str, str], options: Options, command: str = ""
) -> tuple[Budget, Manifest]:
    """What a run may spend, and what it is; models are opened for their exact names and prices."""
    refuse_impossible(plans, specs, options)
    models = open_models(specs, options)
    try:
        budget, prices = make_budget(models, specs, options)
    finally:
        await close_models(models)
    asked = asked_of(specs, options)
    layouts = layouts_of(models)
    return budget, make_manifest(plans, names_of(models), prices, command, layouts, asked)


def _on_another_thread(work: Callable[..., Coroutine[None, None, T]]) -> T:
    """A notebook has a loop of its own on this thread; ours then runs on another.

    Interrupting the notebook stops the run as Ctrl-C does.
    """
    running: list[tuple[Runner, asyncio.AbstractEventLoop]] = []

    def started(runner: Runner) -> None:
        running.append((runner, asyncio.get_running_loop()))

    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(_in_new_loop, partial(work, started=started))
        while True:
            try:
                return result.result()
            except KeyboardInterrupt:
                for runner, loop in running:
                    loop.call_soon_threadsafe(runner.stop)


def _in_new_loop(work: Callable[[], Coroutine[None, None, T]]) -> T:
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work())
    return uvloop.run(work())


def _in_some_loop(work: Callable[..., Coroutine[None, None, T]]) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _in_new_loop(work)
    return _on_another_thread(work)


class Job(NamedTuple):
    """Plans on one model (or a model for each role), into one run file."""

    plans: Sequence[Plan]
    specs: Mapping[str, str]
    path: Path
    options: Options
    display: Display | None = None


class _Session(NamedTuple):
    """A run that is open: its file, whoever answers, and how far it is."""

    job: Job
    models: dict[str, Model]
    file: RunWriter
    runner: Runner
    counts: dict[str, Counts]
    others: OtherRuns
    folder: Folder | None = None

    async def drive(self) -> Result:
        """Run the plans, one after another; all at once where answers come in rounds."""
        reason: Stopped | None = None
        try:
            if self.job.options.in_rounds:
                runs = [self._run_plan(plan) for plan in self.job.plans]
                ends = await asyncio.gather(*runs, return_exceptions=True)
                for end in ends:
                    if isinstance(end, BaseException):
                        raise end
            else:
                for plan in sorted(
                    self.job.plans, key=lambda one: one.calls[1]
                ):  # cheap ones first
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
        if self.job.display:
            self.job.display.begin(plan.probe, counts)
        await self.runner.run(plan.trials(), counts)


def _open_session(
    job: Job, command: str, others: Sequence[Budget] = (), totals: Totals | None = None
) -> _Session:

    refuse_impossible(job.plans, job.specs, job.options)
    models: dict[str, Model] = open_models(job.specs, job.options)
    budget, prices = make_budget(models, job.specs, job.options, totals)
    layouts = layouts_of(models)
    asked = asked_of(job.specs, job.options)
    manifest = make_manifest(job.plans, names_of(models), prices, command, layouts, asked)
    counts = {plan.probe: Counts(planned=plan.count) for plan in job.plans}
    file = RunWriter.open(job.path, manifest)
    try:
        file.absorb_parts()
        file.ask_again("still_thinking")
        recall(models["model"], file.last_counts())
        count_spent(budget, file, others)
        models, folder = _in_rounds(models, job, file)
        beside = None if job.options.fresh else job.path.parent
        runs = OtherRuns(file, manifest, job.options.reuse, beside)
    except BaseException:
        file.close()
        raise
    say = _say_by(job.display)
    for note in notes_on_layouts(names_of(models), layouts):
        say(note)
    concurrency = job.options.concurrency
    runner = Runner(models, file, budget=budget, concurrency=concurrency, others=runs, say=say)
    return _Session(job, models, file, runner, counts, runs, folder)


def _say_by(display: Display | None) -> Callable[[str], None]:
    """How whoever watches is told something; displays of others may have no way."""
    return getattr(display, "note", None) or (lambda _: None)


def _in_rounds(
    models: dict[str, Model], job: Job, file: RunWriter
) -> tuple[dict[str, Model], Folder | None]:
    """Models that are asked in batches, if they are to be.

    A run that waits for a batch is not resumed in another way: it would pay twice.
    """
    options = job.options
    say = _say_by(job.display)
    waiting = {one: asks for one, asks in file.batches().items() if asks}
    for one, asks in waiting.items():
        if one.state == "files" and options.batch_files is None:
            raise BadRequest(
                f"{file.path} waits for the results of {len(asks):,} asks in "
                f"{one.file or 'files'}: take them with `geobias batch read {file.path} FOLDER`, "
                f"or give them up with `geobias batch forget {file.path}`"
            )
        if one.state != "files" and not options.batch:
            name = one.batch or "that may have been submitted"
            raise BadRequest(
                f"{file.path} waits for the batch {name} at the provider: add --batch to pick it "
                f"up, or give it up with `geobias batch forget {file.path}`"
            )
    if options.batch_files is not None:
        return by_files(
            models,
            options.batch_files,
            file,
            writing=options.write_files,
            say=say,
        )
    if options.batch:
        return at_providers(models, file, poll=options.poll, say=say), None
    return models, None


async def _run(
    job: Job,
    command: str,
    others: Sequence[Budget] = (),
    *,
    started: Callable[[Runner], None] | None = None,
) -> Result:
    session = _open_session(job, command, others)
    if started:
        started(session.runner)
    with _stopping_on_signals([session.runner], job.display):
        return await _watched(session.drive(), job.display)


def run_together(
    jobs: Mapping[str, Job], *, display: Display | None = None, command: str = ""
) -> dict[str, Result | GeobiasError]:
    """Run several jobs at once, within the limits that their options share; how each ended.

    A job stops alone if the reason is its own. Ctrl-C and a full disk stop all, and are raised.
    """
    return _in_some_loop(partial(_run_together, jobs, display, command))


async def _run_together(
    jobs: Mapping[str, Job],
    display: Display | None,
    command: str,
    *,
    started: Callable[[Runner], None] | None = None,
) -> dict[str, Result | GeobiasError]:

    totals, cores = Totals(), asyncio.Lock()
    sessions: dict[str, _Session] = {}
    try:
        for name, job in jobs.items():  # all of them first: what each has used counts for all
            sessions[name] = _open_session(job, command, totals=totals)
    except BaseException:
        for session in sessions.values():
            await close_all(session.file, session.counts, session.models)
        raise
    runners = [session.runner for session in sessions.values()]
    for runner in runners if started else ():
        started(runner)  # type: ignore[misc]

    async def drive(session: _Session) -> Result | GeobiasError:
        try:
            if not session.job.options.entry(session.job.specs["model"]).name.startswith(
                "embedded"
            ):
                return await session.drive()
            async with cores:  # this machine does one thing at a time
                return await session.drive()
        except (Interrupted, CannotWrite) as reason:
            for runner in runners:
                runner.stop(reason)
            return reason
        except GeobiasError as reason:
            return reason

    with _stopping_on_signals(runners, display):
        work = asyncio.gather(*(drive(session) for session in sessions.values()))
        ends = dict(zip(sessions, await _watched(_awaited(work), display), strict=True))
    for end in ends.values():
        if isinstance(end, Interrupted | CannotWrite):
            raise end
    return ends


async def _awaited(work: Awaitable[T]) -> T:
    return await work


def count_spent(budget: Budget, file: RunWriter, others: Sequence[Budget] = ()) -> None:
    """Count what earlier sessions of the run used, and other runs that share its limits."""
    for row in file.spent():
        budget.spent_before(*row)
    for other in others:
        budget.spent_by_others(other)


def result_of(file: RunWriter, counts: dict[str, Counts], reason: Stopped | None) -> Result:
    """The result of a run whose file is closed; raises why it is not complete, if it is not."""
    if problem := file.failure or reason:
        raise problem
    if open_trials := sum(one.unanswered for one in counts.values()):
        raise Stopped(f"{open_trials:,} trials got no usable answer; resume to try them again")
    return Result(file.path, counts)


def refuse_impossible(plans: Sequence[Plan], specs: Mapping[str, str], options: Options) -> None:
    """Refuse what could not be asked, as far as the models' names tell: no key is needed.

    These are batches of a model that has none, probabilities that its batches do not give, an
    effort that it does not take, and a limit in US$ for a model without a known price.
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
            f"{model}: batches give no log-probabilities there; without --read logprobs its "
            "answers are read from their text"
        )
    reasons = options.batch_files is not None or takes_effort(model)  # by files any name goes
    if not reasons and any(plan.settings.get("effort") for plan in plans):
        raise BadRequest(f"{model} does not take --effort; leave it out")
    for spec in specs.values() if options.max_cost is not None else ():
        need_price(spec, spec, options)


def need_price(called: str, exact: str, options: Options) -> tuple[float, float] | None:
    """The price of a model, by what it is called or its exact name; None where there is none, and
    no limit in US$ that needs it."""
    entry = options.entry(called)
    place = entry.name if entry.label else exact
    known = entry.price or price(place, options.prices)
    if known is None and options.max_cost is not None:
        raise BadRequest(
            f"no price is known for {called}, so --max-cost cannot be kept; give --prices FILE "
            "with the columns model, usd_per_million_in, usd_per_million_out"
        )
    return known


def open_models(specs: Mapping[str, str], options: Options) -> dict[str, Model]:
    """Each spec is opened once, however many roles it plays."""
    opened = {
        spec: find_model(
            options.entry(spec, tested=spec == specs["model"]),
            timeout_seconds=options.timeout,
            by_files=options.batch_files is not None,
            thinking=options.thinking if spec == specs["model"] else None,
        )
        for spec in set(specs.values())
    }
    return {role: opened[spec] for role, spec in specs.items()}


def names_of(models: Mapping[str, Model]) -> dict[str, str]:
    """The model of each role, by its exact name."""
    return {role: model.name for role, model in models.items()}


def asked_of(specs: Mapping[str, str], options: Options) -> dict[str, dict[str, object]]:
    """How each role's model is asked beyond its name, where it is."""
    tested = specs["model"]
    asked = {
        role: options.entry(spec, tested=spec == tested).asked() for role, spec in specs.items()
    }
    return {role: facts for role, facts in asked.items() if facts}


def layouts_of(models: Mapping[str, Model]) -> dict[str, Layout]:
    """How dialogues become text, by role, for models that are asked so."""
    found = {role: getattr(model, "layout", None) for role, model in models.items()}
    return {role: layout for role, layout in found.items() if layout is not None}


def notes_on_layouts(names: Mapping[str, str], layouts: Mapping[str, Layout]) -> list[str]:
    """What to say of models that are asked by text, once for each."""
    return [base_model_note(name) for name in dict.fromkeys(names[role] for role in layouts)]


def make_budget(
    models: Mapping[str, Model],
    specs: Mapping[str, str],
    options: Options,
    totals: Totals | None = None,
) -> tuple[Budget, dict[str, tuple[float, float]]]:
    """The limits to keep, and the prices by role that are known.

    A limit in US$ for a model without a known price is refused.
    """
    prices, discounts = {}, {}
    for role, model in models.items():
        entry = options.entry(specs[role])
        if options.in_rounds:
            discounts[role] = discount_of(entry.name)
        if (known := need_price(specs[role], model.name, options)) is not None:
            prices[role] = known
    budget = Budget(
        max_calls=options.max_calls,
        max_tokens=options.max_tokens,
        max_cost=options.max_cost,
        prices={role: prices.get(role) for role in models},
        discounts=discounts,
        totals=totals,
    )
    return budget, prices


def make_manifest(
    plans: Sequence[Plan],
    models: dict[str, str],
    prices: dict[str, tuple[float, float]],
    command: str,
    layouts: Mapping[str, Layout] | None = None,
    asked: Mapping[str, dict[str, object]] | None = None,
) -> Manifest:
    """What is about to be run, for the head of its file. `models` are exact names, by role."""
    notes = notes_on_layouts(models, layouts or {})
    return Manifest(
        geobias=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        probes={plan.probe: plan.settings for plan in plans},
        models=models,
        editions={name: digest for plan in plans for name, digest in plan.editions.items()},
        prompts={name: text for plan in plans for name, text in plan.prompts.items()},
        planned={name: count for plan in plans for name, count in plan.planned.items()},
        prices=prices,
        command=command,
        notes={plan.probe: [*plan.notes, *notes] for plan in plans if plan.notes or notes},
        given={plan.probe: plan.given for plan in plans},
        layouts={role: layout.entries() for role, layout in (layouts or {}).items()},
        asked=dict(asked or {}),
        reading=READING,
    )


async def _watched(work: Coroutine[None, None, T], display: Display | None) -> T:
    """Do the work while the display is refreshed four times a second."""
    task = asyncio.ensure_future(work)
    while display and not task.done():
        await asyncio.wait([task], timeout=0.25)
        with suppress(OSError):  # the terminal may be gone; the calls under way are not
            display.refresh()
    return await task


@contextmanager
def _stopping_on_signals(runners: Sequence[Runner], display: Display | None) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a terminal that is closed stop the runs.

    Once they are being closed they are ignored until it is done.
    """

    def stop() -> None:
        again = any(runner.stopping for runner in runners)
        for runner in runners:
            runner.stop(None)
        if display and not again:
            with suppress(OSError):
                display.stopping(sum(runner.calls_in_flight for runner in runners))

    loop = asyncio.get_running_loop()
    numbers = stop_signals()
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears signals; see `run`
        return
    before = [signal.getsignal(number) for number in numbers]
    for number in numbers:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


THINKING = "thinking tokens"
"""What a session's counts call the tokens that the tested model was allowed in the end."""


def recall(model: Model, counts: Mapping[str, int]) -> None:
    """Tell a model what the session before found out about its server."""
    if isinstance(model, ChatModel):
        model.unsent_parameters |= {
            name.removeprefix(NOT_SENT) for name in counts if name.startswith(NOT_SENT)
        }
        model.allow_thinking(counts.get(THINKING, 0))


async def close_all(
    file: RunWriter, counts: Mapping[str, Counts], models: Mapping[str, Model]
) -> None:
    """End a session. The file goes first: it holds what was answered, and others wait for it."""
    unsent = {name for model in models.values() for name in model.unsent_parameters}
    try:
        thinking = models["model"].thinking if "model" in models else 0
        found_out = {f"{NOT_SENT}{name}": 1 for name in unsent} | {THINKING: thinking}
        file.close(total(counts) | found_out)
    finally:
        await close_models(models)


async def close_models(models: Mapping[str, Model]) -> None:
    """Let go of every model once, however many roles it plays."""
    for model in {id(model): model for model in models.values()}.values():
        with suppress(Exception):  # a client that fails at this takes nothing back
            await model.close()


def total(counts: Mapping[str, Counts]) -> dict[str, int]:
    """The counters of all probes of a session together."""
    summed: Counter[str] = Counter()
    for one in counts.values():
        summed.update(one.as_ints())
    return dict(summed)


def default_path(plans: Sequence[Plan], model: str, folder: Path = DEFAULT_FOLDER) -> Path:
    """Where a run goes if nobody says: named for probes and model, to be found again.

    Where another run has that name, a short hash of the settings is added to it.
    """
    name = "+".join(plan.probe for plan in plans) + "-" + re.sub(r"[^\w.+-]+", "-", model)
    name = name.strip("-.")[:120]
    path = folder / (name + SUFFIX)
    probes = msgspec.to_builtins({plan.probe: plan.settings for plan in plans})
    # No file is a new run, and one that cannot be read says itself what is wrong with it.
    with suppress(BadRunFile), open_run(path) as run:
        if run.is_described() and run.manifest().probes != probes:
            settings = msgspec.json.encode([plan.settings for plan in plans], order="sorted")
            return folder / f"{name}-{sha256(settings).hexdigest()[:6]}{SUFFIX}"
    return path


def open_run(path: Path | str) -> RunReader:
    """A run file for reading."""
    return RunReader(path)


__all__ = ["Display", "Options", "Result", "default_path", "open_run", "run"]
