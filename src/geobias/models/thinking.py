"""The limit of tokens for reasoning, which is doubled when a model is cut off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from geobias.http import Transient
from geobias.models.complaints import UnsupportedParameter
from geobias.trials import Reply

FIRST_TOKENS = 4096
MOST_TOKENS = 32_768
LEAST_TOKENS = 64
CUT_OFF = ("length", "max_tokens")
"""Finish reasons of an answer that was cut off because its tokens ran out.

If no reasoning is visible, a model gets FIRST_TOKENS only once: some models reason without showing
it, others write only blanks.
"""
DOUBLINGS = 12
"""Maximum number of doublings. Fewer are needed to reach `MOST_TOKENS`."""


class Thinking:
    """The limit of `tokens` for reasoning, on top of the tokens that an ask allows for the answer.

    The limit starts at the user's number, or at 0. A model that turns out to reason gets
    FIRST_TOKENS, and twice as many each time it is cut off, up to MOST_TOKENS. If the server
    refuses a limit, the next is half-way to the highest one that it accepted.
    """

    def __init__(self, tokens: int = 0) -> None:
        self.tokens = tokens
        self.most = max(MOST_TOKENS, tokens)
        self._accepted = 0

    def allow(self, tokens: int) -> None:
        self.tokens = max(self.tokens, tokens)

    async def answered(self, post: Callable[[int], Awaitable[Reply]], name: str) -> Reply:
        """Call `post` with the number of tokens to allow for reasoning, and return its reply.

        The number is lower if a long dialogue leaves no room, or if the server refuses it. Raises
        Transient if the model was cut off while it reasoned and more tokens can be allowed, and
        UnsupportedParameter if the server refuses every number.
        """
        while True:
            allowed = self.tokens
            try:
                return await self._answered(post, name, allowed)
            except UnsupportedParameter as refusal:
                if refusal.parameter != "thinking" or allowed < LEAST_TOKENS:
                    raise
                self._refused(allowed)

    async def _answered(
        self, post: Callable[[int], Awaitable[Reply]], name: str, allowed: int
    ) -> Reply:
        reply = await post(allowed)
        self._accepted = max(self._accepted, allowed)
        if reply.outcome == "too_long" and allowed:
            while reply.outcome == "too_long" and allowed:
                allowed = allowed // 2 if allowed > LEAST_TOKENS else 0
                reply = await post(allowed)
            return reply
        unproven = reply.outcome == "empty" and reply.finish in CUT_OFF and bool(reply.tokens_out)
        if reply.outcome != "still_thinking" and not (unproven and not allowed):
            return reply
        self.tokens = max(self.tokens, min(self.most, max(FIRST_TOKENS, 2 * allowed)))
        if self.tokens <= allowed:
            return reply
        raise Transient(
            "out of thought",
            f"{name}: cut off while thinking, after {allowed:,} tokens",
            attempts=DOUBLINGS,
            last_word=reply,
            used=(reply.tokens_in, reply.tokens_out),
        )

    def _refused(self, allowed: int) -> None:
        """Allow fewer tokens from now on, since the server refused `allowed`.

        Calls in flight may all be refused. The new limit follows from the refused number, not from
        the limit at the time, so ten refusals of the same number lower the limit once.
        """
        least = self._accepted if self._accepted < allowed else 0
        self.most = min(self.most, (least + allowed) // 2)
        self.tokens = min(self.tokens, self.most)
