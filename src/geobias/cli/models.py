"""`geobias models` and `geobias serve`."""

from __future__ import annotations

import asyncio
import os
from importlib.util import find_spec

import click

from geobias.cli.options import JSON, Count
from geobias.cli.terminal import print_json
from geobias.errors import BadRequest, MissingPart
from geobias.models.catalogue import Provider, find_model, providers
from geobias.models.embedded import SHIPPED, shipped_weights
from geobias.models.model import CUSTOM_KEY
from geobias.models.serving import ChatServer
from geobias.models.serving import serve as start


@click.command()
@JSON
def models(as_json: bool) -> None:
    """List the models that can be named, and the keys that are set.

    Keys are read from the environment only. They are never stored or shown.

    \b
    geobias models
    """
    rows = [
        ("embedded", "", _embedded_state()),
        ("embedded:FILE.gguf", "", "any GGUF file; ?slots=4&context=4096 may follow"),
        ("sim/fair, sim/biased, sim/?…", "", "simulated, with known bias"),
        *((f"{one.name}/NAME", _key_state(one), one.url) for one in providers().values()),
        ("http(s)://HOST[:PORT]/v1/NAME", _state(CUSTOM_KEY), "any OpenAI-style server"),
        ("completions:http(s)://…/v1/NAME", "", "a base model"),
        ("inspect:PROVIDER/NAME", "", "any model of Inspect AI's, with its keys"),
    ]
    if as_json:
        names = ("model", "key", "where")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
        return
    for model, key, where in rows:
        click.echo(f"{model:<32} {key:<28} {where}")


def _key_state(provider: Provider) -> str:
    _, found = provider.key()
    missing = "optional" if provider.own_server else "not set"
    return _state(found or next(iter(provider.key_variables), ""), missing)


def _state(variable: str, missing: str = "optional") -> str:
    is_set = os.environ.get(variable, "").strip()
    return f"{variable}: {'set' if is_set else missing}" if variable else ""


def _embedded_state() -> str:
    if find_spec("xllamacpp") is None:
        return "not installed: python -m pip install xllamacpp"
    try:
        shipped_weights()
    except MissingPart as missing:
        return str(missing)
    return f"{SHIPPED}, installed"


@click.command()
@click.argument("model")
@click.option(
    "--port",
    type=Count(0, 65535),
    default=8765,
    show_default=True,
    help="Port to listen on; 0 takes a free one.",
)
def serve(model: str, port: int) -> None:
    """Serve a simulated model over the OpenAI protocol, on this machine only.

    \b
    geobias serve sim/biased --port 8765
    geobias run worldbench http://127.0.0.1:8765/v1/sim/biased

    Ctrl-C ends it.
    """
    if not model.startswith("sim/"):
        raise BadRequest("only sim/… models are served; others have servers already")
    server = ChatServer(find_model(model))
    try:
        asyncio.run(_serve(server, port, model))
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
    except OSError as error:
        raise BadRequest(
            f"cannot listen on port {port} ({error.strerror}); choose another --port"
        ) from None


async def _serve(server: ChatServer, port: int, model: str) -> None:
    runner, bound = await start(server, port)
    click.echo(f"{model} at http://127.0.0.1:{bound}/v1 (Ctrl-C ends it)")
    try:
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
