"""`geobias models` and `geobias serve`."""

from __future__ import annotations

import asyncio
from typing import Any

import click

RATE = click.FloatRange(0, 1)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def models(as_json: bool) -> None:
    """Which models can be named, and which keys are set.

    Keys are read from the environment only. They are never stored or shown.
    """
    import msgspec

    from geobias.models.catalogue import CUSTOM_KEY, providers

    rows: list[dict[str, Any]] = [
        {"model": "embedded", "key": "none needed", "where": _embedded_state()},
        {
            "model": "embedded:FILE.gguf",
            "key": "none needed",
            "where": "any GGUF file; ?slots=4&context=4096 may follow",
        },
        {"model": "sim/fair, sim/biased, sim/?…", "key": "none needed", "where": "simulated"},
    ]
    for provider in providers().values():
        variables = " or ".join(provider.key_variables)
        key, variable = provider.key()
        state = f"{variable} is set" if key else f"{variables} is not set"
        if not variables:
            state = "none needed"
        elif provider.own_server and not key:
            state = f"optional ({variables})"
        rows.append({"model": f"{provider.name}/NAME", "key": state, "where": provider.url})
    rows.append(
        {
            "model": "http(s)://HOST[:PORT]/v1/NAME",
            "key": f"optional ({CUSTOM_KEY})",
            "where": "any server that speaks the OpenAI chat protocol",
        }
    )
    if as_json:
        click.echo(msgspec.json.encode(rows))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("model", "key", "where"):
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(row["model"], row["key"], row["where"])
    Console(highlight=False).print(table, markup=False)


def _embedded_state() -> str:
    from importlib.util import find_spec

    from geobias.errors import MissingPart
    from geobias.models.embedded import DEFAULT, shipped_weights

    if find_spec("xllamacpp") is None:
        return "not installed: python -m pip install xllamacpp"
    try:
        shipped_weights(DEFAULT)
    except MissingPart as missing:
        return str(missing)
    return f"{DEFAULT}, installed"


@click.command()
@click.argument("model")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option("--latency", type=click.FloatRange(0), default=0.0, help="Seconds before answers.")
@click.option("--fail-429", type=RATE, default=0.0, help="Share of calls answered 429.")
@click.option("--fail-500", type=RATE, default=0.0, help="Share of calls answered 500.")
@click.option("--drop", type=RATE, default=0.0, help="Share of connections cut.")
@click.option("--garbage", type=RATE, default=0.0, help="Share of answers that make no sense.")
@click.option("--retry-after", type=click.FloatRange(0), default=0.0, help="Seconds, with 429.")
@click.option("--seed", type=int, default=0, help="Decides which calls fail.")
def serve(model: str, port: int, seed: int, **faults: float) -> None:
    """Serve a simulated or embedded model over the OpenAI protocol, on this machine only.

    \b
    geobias serve sim/biased --port 8765 --fail-429 0.05 --garbage 0.01
    geobias run pilot http://127.0.0.1:8765/v1/any-name

    With faults it is a place to practise failures. Ctrl-C ends it.
    """
    from geobias.errors import BadRequest
    from geobias.models.catalogue import find_model
    from geobias.models.serving import ChatServer, Faults

    if not model.startswith(("sim/", "embedded")):
        raise BadRequest("only sim/… and embedded models are served; others have servers already")
    server = ChatServer(find_model(model), Faults(seed=seed, **faults))
    try:
        asyncio.run(_serve(server, port, model))
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
    except OSError as error:
        raise BadRequest(f"cannot listen on port {port}: {error.strerror}") from None


async def _serve(server: Any, port: int, model: str) -> None:
    from geobias.models.serving import serve as start

    runner, bound = await start(server, port)
    click.echo(f"{model} at http://127.0.0.1:{bound}/v1 (Ctrl-C ends it)")
    try:
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
