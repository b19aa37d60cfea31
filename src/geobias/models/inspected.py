"""`inspect:provider/name`: any model for which Inspect AI has a provider.

Inspect makes the calls. Limits, budgets and the run file are those of geobias. Inspect's retries
are switched off, since the engine retries.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from geobias.errors import BadRequest, MissingPart, ProviderSaysNo
from geobias.http import Transient
from geobias.models.chat import MOST_ALTERNATIVES
from geobias.models.complaints import TOO_MANY_TOKENS, UnsupportedParameter
from geobias.models.completion import places_in
from geobias.models.naming import ModelEntry
from geobias.models.thinking import Thinking
from geobias.redaction import of_environment
from geobias.trials import Ask, Dialogue, Reply
from geobias.trials.probabilities import kept

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput

_OUTCOMES = {"content_filter": "filtered", "model_length": "too_long"}


class InspectedModel:
    """A model of Inspect AI. `name` is `inspect:provider/name`, as the user gave it.

    `timeout_seconds` is the limit of one call; None means the default of the provider's client.
    Inspect's `timeout` is not used, because it limits all attempts together and does not end a call
    that hangs.
    """

    adaptive = True
    concurrency = 64
    unsent_parameters = ()

    def __init__(
        self, name: str, *, timeout_seconds: float | None = None, inside: Model | None = None
    ) -> None:
        """`inside` is the model of an evaluation that Inspect runs, so Inspect repeats calls."""
        self.name = name
        self._redact = of_environment()
        self._timeout = timeout_seconds
        self._thinking = Thinking()
        self._effort = ""
        self._inside = inside is not None
        self._model = inside or self._opened()

    def _opened(self) -> Model:
        try:
            from inspect_ai.model import get_model
        except ImportError:
            raise MissingPart(
                "models called inspect:… need Inspect AI: pip install 'geobias[inspect]'"
            ) from None
        try:
            return get_model(self.name.removeprefix("inspect:"), memoize=False)
        except Exception as error:  # each provider has errors of its own
            words = re.sub(r"\[/?[a-z]+\]", "", " ".join(str(error).split()))
            words = self._redact(words)[:300]
            raise BadRequest(f"Inspect AI cannot open {self.name!r}: {words}") from None

    def adapt(self, entry: ModelEntry) -> None:
        self.name = entry.shown
        self._effort = entry.effort
        if entry.thinking is not None:
            self._thinking = Thinking(entry.thinking)

    @property
    def thinking(self) -> int:
        return self._thinking.tokens

    def allow_thinking(self, tokens: int) -> None:
        self._thinking.allow(tokens)

    async def answer(self, ask: Ask) -> Reply:
        try:
            return await self._thinking.answered(partial(self.post, ask), self.name)
        except UnsupportedParameter:
            raise ProviderSaysNo(
                f"{self.name}: the server allows fewer tokens than are asked for"
            ) from None

    async def post(self, ask: Ask, thinking: int | None) -> Reply:
        """Make one call that allows `thinking` tokens for reasoning; None keeps Inspect's limit."""
        began = time.monotonic()
        config = config_of(replace(ask, effort=ask.effort or self._effort))
        config.max_tokens = None if thinking is None else ask.max_tokens + thinking
        if not self._inside:
            config.max_retries = 0
        try:
            async with asyncio.timeout(self._timeout) as limit:
                output = await self._model.generate(messages_of(ask.dialogue), config=config)
        except Exception as error:
            if limit.expired():
                why = f"{self.name}: no answer within {self._timeout:g} s"
                raise Transient("timeout", why) from None
            if thinking is not None and TOO_MANY_TOKENS.search(str(error)):
                raise UnsupportedParameter("thinking") from None
            if self._inside:
                raise
            raise self._explained(error) from error
        reply = reply_of(output, time.monotonic() - began, ask.options)
        if ask.options and reply.outcome == "ok" and not reply.places:
            raise ProviderSaysNo(
                f"{self.name}: no log-probabilities came back; leave out --read logprobs to read "
                "answers from their text"
            )
        parts = {
            part: self._redact(getattr(reply, part)) for part in ("text", "reasoning", "model")
        }
        return replace(reply, **parts)

    def _explained(self, error: Exception) -> Exception:
        """Return Transient if the provider considers the error temporary, else a final error."""
        words = self._redact(" ".join(str(error).split()))[:300] or type(error).__name__
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        decision: Any = self._model.api.should_retry(cause)
        if decision is True or getattr(decision, "retry", False):
            overloaded = getattr(decision, "kind", "") == "rate_limit"
            return Transient(
                "overloaded" if overloaded else "failed",
                f"{self.name}: {words}",
                overloaded=overloaded,
                retry_after=getattr(decision, "retry_after", None),
                may_be_billed=not overloaded,
            )
        return ProviderSaysNo(f"{self.name}: {words}")

    async def close(self) -> None:
        await self._model.api.aclose()


def messages_of(dialogue: Dialogue) -> list[ChatMessage]:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    classes = {"system": ChatMessageSystem, "user": ChatMessageUser}
    return [classes.get(node.role, ChatMessageAssistant)(content=node.content) for node in dialogue]


def config_of(ask: Ask) -> GenerateConfig:
    from inspect_ai.model import GenerateConfig

    return GenerateConfig(
        temperature=ask.temperature,
        max_tokens=ask.max_tokens,
        stop_seqs=list(ask.stop) or None,
        seed=ask.seed,
        logprobs=True if ask.options else None,
        top_logprobs=MOST_ALTERNATIVES if ask.options else None,
        reasoning_effort=ask.effort or None,  # type: ignore[arg-type]
    )


def reply_of(output: ModelOutput, seconds: float, options: Sequence[str] = ()) -> Reply:
    """Turn Inspect's output into a reply; an output without choices becomes an empty reply."""
    text = output.completion
    tokens: tuple[int | None, int | None] = (None, None)
    if usage := output.usage:
        cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        tokens = usage.input_tokens + cached, usage.output_tokens
    finish = output.stop_reason if output.choices else "unknown"
    reasoning = _reasoning(output)
    thought = bool(reasoning) or bool(usage and usage.reasoning_tokens)
    cut_off = "still_thinking" if finish == "max_tokens" and thought else "empty"
    outcome: Any = _OUTCOMES.get(finish) or ("ok" if text.strip() else cut_off)
    reply = Reply(text, outcome, reasoning, finish, *tokens, output.model, seconds)
    given = output.choices[0].logprobs if options and output.choices else None
    return replace(reply, places=kept(places_in(given.model_dump()), options)) if given else reply


def _reasoning(output: ModelOutput) -> str:
    if not output.choices or isinstance(output.message.content, str):
        return ""
    parts = [part for part in output.message.content if part.type == "reasoning"]
    return "\n".join(part.reasoning for part in parts)
