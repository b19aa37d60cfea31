"""Running probes against models, as functions: what the command line calls, and you may too."""

from __future__ import annotations

import asyncio
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from geobias import __version__
from geobias.errors import BadRequest, Stopped
from geobias.numbers import usable
from geobias.runfile.schema import SUFFIX
from geobias.stopping import stop_signals

if TYPE_CHECKING:
    from geobias.engine import Budget, Counts, Runner
    from geobias.models import Model
    from geobias.probes.plan import Plan
    from geobias.runfile import Manifest, RunReader, RunWriter

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
    """

    concurrency: int | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: Path | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        """A limit that is no number would be no limit."""
        for name in ("concurrency", "max_calls", "max_tokens", "max_cost", "timeout"):
            if (value := getattr(self, name)) is not None:
                usable(value, name)


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
    specs = {"model": models} if isinstance(models, str) else dict(models)
    options = options or Options()
    path = Path(out) if out else default_path(plans, specs["model"])
    work = partial(_run, plans, specs, path, options, display, command, others)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _in_new_loop(work)
    return _on_another_thread(work)


def used_so_far(
    plans: Sequence[Plan], models: Mapping[str, str], path: Path, options: Options
) -> Budget:
    """What a run has used, if it was ever started, by today's prices.

    Raises what `run` would refuse before its first call: a model that is not there, a key or a
    price that is missing, a file of another run.
    """
    from geobias.runfile.schema import SPENT

    work = partial(describe_run, plans, models, options)
    with ThreadPoolExecutor(1) as thread:  # in a notebook this thread has a loop already
        budget, manifest = thread.submit(_in_new_loop, work).result()
    if path.exists():
        with open_run(path) as run:
            if run.is_described():  # or it was killed before it began
                run.manifest().refuse_another(manifest, path)
            for row in run.query(SPENT):
                budget.already_spent(*row)
            for row in run.spent_in_vain():
                budget.failed_before(*row)
    return budget


async def describe_run(
    plans: Sequence[Plan], specs: Mapping[str, str], options: Options, command: str = ""
) -> tuple[Budget, Manifest]:
    """What a run may spend, and what it is; models are opened for their exact names and prices."""
    models = open_models(specs, options)
    try:
        budget, prices = make_budget(models, options)
    finally:
        await close_models(models)
    return budget, make_manifest(plans, names_of(models), prices, command)


def _on_another_thread(work: Callable[..., Coroutine[None, None, Result]]) -> Result:
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


async def _run(
    plans: Sequence[Plan],
    specs: Mapping[str, str],
    path: Path,
    options: Options,
    display: Display | None,
    command: str,
    others: Sequence[Budget] = (),
    *,
    started: Callable[[Runner], None] | None = None,
) -> Result:
    from geobias.engine import Counts, Runner
    from geobias.runfile import RunWriter

    models = open_models(specs, options)
    budget, prices = make_budget(models, options)
    manifest = make_manifest(plans, names_of(models), prices, command)
    counts = {plan.probe: Counts(planned=plan.count) for plan in plans}
    file = RunWriter.open(path, manifest)
    reason: Stopped | None = None
    try:
        file.absorb_parts()
        count_spent(budget, file, others)
    except BaseException:
        file.close()
        raise
    runner = Runner(models, file, budget=budget, concurrency=options.concurrency)
    if started:
        started(runner)
    with _stopping_on_signals(runner, display):
        try:
            for plan in plans:
                if display:
                    display.begin(plan.probe, counts[plan.probe])
                await _watched(runner.run(plan.trials(), counts[plan.probe]), display)
        except Stopped as stopped:
            reason = stopped
        finally:
            await close_all(file, counts, models)
    return result_of(file, counts, reason)


def count_spent(budget: Budget, file: RunWriter, others: Sequence[Budget] = ()) -> None:
    """Count what earlier sessions of the run used, and other runs that share its limits."""
    for row in file.spent():
        budget.already_spent(*row)
    for row in file.spent_in_vain():
        budget.failed_before(*row)
    for other in others:
        budget.spent_by_others(other)


def result_of(file: RunWriter, counts: dict[str, Counts], reason: Stopped | None) -> Result:
    """The result of a run whose file is closed; raises why it is not complete, if it is not."""
    if problem := file.failure or reason:
        raise problem
    if open_trials := sum(one.unanswered for one in counts.values()):
        raise Stopped(f"{open_trials:,} trials got no usable answer; resume to try them again")
    return Result(file.path, counts)


def open_models(specs: Mapping[str, str], options: Options) -> dict[str, Model]:
    """Each spec is opened once, however many roles it plays."""
    from geobias.models.catalogue import find_model

    opened = {
        spec: find_model(spec, timeout_seconds=options.timeout) for spec in set(specs.values())
    }
    return {role: opened[spec] for role, spec in specs.items()}


def names_of(models: Mapping[str, Model]) -> dict[str, str]:
    """The model of each role, by its exact name."""
    return {role: model.name for role, model in models.items()}


def make_budget(
    models: Mapping[str, Model], options: Options
) -> tuple[Budget, dict[str, tuple[float, float]]]:
    """The limits to keep, and the prices by role that are known.

    A limit in US$ for a model without a known price is refused.
    """
    from geobias.engine import Budget
    from geobias.models.catalogue import price

    prices = {}
    for role, model in models.items():
        if (known := price(model.name, options.prices)) is not None:
            prices[role] = known
        elif options.max_cost is not None:
            raise BadRequest(
                f"no price is known for {model.name}, so --max-cost cannot be kept; give "
                "--prices FILE with the columns model, usd_per_million_in, usd_per_million_out"
            )
    budget = Budget(
        max_calls=options.max_calls,
        max_tokens=options.max_tokens,
        max_cost=options.max_cost,
        prices={role: prices.get(role) for role in models},
    )
    return budget, prices


def make_manifest(
    plans: Sequence[Plan],
    models: dict[str, str],
    prices: dict[str, tuple[float, float]],
    command: str,
) -> Manifest:
    """What is about to be run, for the head of its file. `models` are exact names, by role."""
    from geobias.runfile import Manifest

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
        notes={plan.probe: list(plan.notes) for plan in plans if plan.notes},
    )


async def _watched(work: Coroutine[None, None, None], display: Display | None) -> None:
    """Do the work while the display is refreshed four times a second."""
    task = asyncio.ensure_future(work)
    while display and not task.done():
        await asyncio.wait([task], timeout=0.25)
        with suppress(OSError):  # the terminal may be gone; the calls under way are not
            display.refresh()
    await task


@contextmanager
def _stopping_on_signals(runner: Runner, display: Display | None) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a terminal that is closed stop the run.

    Once it is being closed they are ignored until it is.
    """

    def stop() -> None:
        again = runner.stopping
        runner.stop(None)
        if display and not again:
            with suppress(OSError):
                display.stopping(runner.calls_in_flight)

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


async def close_all(
    file: RunWriter, counts: Mapping[str, Counts], models: Mapping[str, Model]
) -> None:
    """End a session. The file goes first: it holds what was answered, and others wait for it."""
    from geobias.runfile.reading import NOT_SENT

    unsent = {name for model in models.values() for name in model.unsent_parameters}
    try:
        file.close(total(counts) | {f"{NOT_SENT}{name}": 1 for name in unsent})
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


def default_path(
    plans: Sequence[Plan], model: str, folder: Path = DEFAULT_FOLDER, *, usual: bool = True
) -> Path:
    """Where a run goes if nobody says: named for probes and model, to be found again.

    Settings that are not the usual ones add a short hash, so that each has a file of its own.
    """
    name = "+".join(plan.probe for plan in plans) + "-" + re.sub(r"[^\w.+-]+", "-", model)
    name = name.strip("-.")[:120]
    if not usual:
        settings = msgspec.json.encode([plan.settings for plan in plans], order="sorted")
        name += "-" + sha256(settings).hexdigest()[:6]
    return folder / (name + SUFFIX)


def open_run(path: Path | str) -> RunReader:
    """A run file for reading."""
    from geobias.runfile import RunReader

    return RunReader(path)


__all__ = ["Display", "Options", "Result", "default_path", "open_run", "run"]
