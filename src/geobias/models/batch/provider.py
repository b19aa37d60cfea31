"""Batches at a provider: submitting, finding and watching them, and reading their results.

Requests that only read are repeated as long as that is useful. Creating a batch is not repeated: if
it is unclear whether a batch was made, geobias looks for it first. Nothing is paid for twice.
Before an ask goes into a new batch, geobias waits for the batches that hold it already.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import aiohttp
import msgspec

from geobias.errors import ProviderSaysNo, Unreachable
from geobias.http import Transient, body_of, explained, host_of, lines_of, open_session, timeout_of
from geobias.models.batch.gathering import (
    QUIET_SECONDS,
    BatchedModel,
    Gatherer,
    Live,
    Results,
    Waiting,
    each_once,
)
from geobias.models.batch.lines import (
    DISCOUNT,
    MAX_LINE_BYTES,
    Dialect,
    Line,
    at,
    dialect_of,
    id_of,
    request_line,
)
from geobias.models.chat import ChatModel
from geobias.models.complaints import UnsupportedParameter, one_line
from geobias.models.model import Model
from geobias.runfile import RunWriter
from geobias.runfile.schema import Batch
from geobias.trials import Ask, Reply
from geobias.untrusted import Json, TooMuch, Undecodable, json_value

PATIENCE_SECONDS = 3600.0
"""How long a provider may be unreachable while a batch is being processed."""
AWAY_SECONDS = 15.0
"""How often the user is told that the provider cannot be reached."""
CLOCKS_DIFFER = 300.0
"""Maximum seconds between a provider's clock and ours."""
MOST_RESULT_BYTES = 4 << 30
"""Maximum results of one batch, in a temporary file."""
BYTES_PER_RESULT = 1 << 20
"""Maximum bytes of a result on average. For comparison, 32,768 tokens are about 150,000 bytes."""
MOST_DOWNLOAD_SECONDS = 3600.0
SLOWEST_UPLOAD = 20_000.0
"""Assumed minimum speed of an upload, in bytes per second."""
LONGEST_PAUSE = 60.0
_NAME = re.compile(r"[\w./:-]{1,500}", re.ASCII)
"""A provider's name of a file or a batch."""
T = TypeVar("T")


class Look(msgspec.Struct, frozen=True):
    """The state of a batch. `places` are the addresses of its results, `says` is the provider's
    error.
    """

    state: str
    places: tuple[str, ...] = ()
    says: str = ""


class CutShort(Exception):
    """A result file ended too soon."""


class Exchange:
    """The batch endpoint of one model's provider.

    `pause` is the wait between looks; `say` tells the user that the provider is unreachable.
    """

    def __init__(
        self,
        chat: ChatModel,
        dialect: Dialect,
        pause: float,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.dialect = dialect
        self._chat = chat
        self._base = chat.base
        self._pause = pause
        self._say = say
        self._session: aiohttp.ClientSession | None = None

    async def create(self, batch: Batch, lines: list[bytes]) -> str:
        if self.dialect.upload:
            of_file = {"input_file_id": batch.file, "endpoint": "/v1/chat/completions"}
            body = msgspec.json.encode(of_file | {"completion_window": "24h"})
        else:
            body = b'{"requests":[' + b",".join(lines) + b"]}"

        async def attempt() -> str:
            try:
                made = await self._json("POST", self.dialect.create, lambda: body, len(body))
            except Transient as trouble:
                if trouble.may_be_billed and (found := await self.find(batch, len(lines))):
                    return found[0]  # it was made, but the answer was lost
                raise
            return self._id(made)

        return await self.patiently(attempt)

    async def upload(self, lines: list[bytes], tag: str) -> str:
        """Upload the lines and return the file's id; empty if the lines go with the batch
        itself.
        """
        if not self.dialect.upload:
            return ""
        content, name = b"\n".join(lines) + b"\n", f"geobias-{tag}.jsonl"

        def form() -> aiohttp.FormData:
            parts = aiohttp.FormData({"purpose": "batch"})
            file = io.BytesIO(content)
            parts.add_field("file", file, filename=name, content_type="application/jsonl")
            return parts

        path, size = self.dialect.upload, len(content)
        return self._id(await self.patiently(lambda: self._json("POST", path, form, size)))

    async def find(self, batch: Batch, count: int) -> list[str]:
        """Return the provider's batches that may be this batch of `count` asks, newest first.

        If no file was uploaded, the provider knows no name that geobias gave. Batches are then
        recognised by their number of requests and their date, and confirmed by their results.
        """
        path = f"{self.dialect.create}?limit=100"
        listed = at(await self.patiently(lambda: self._json("GET", path)), "data")
        found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []

        def is_ours(one: Json) -> bool:
            if self.dialect.upload:
                return bool(batch.file) and one.get("input_file_id") == batch.file
            return _requests(one) == count and _made_at(one) > batch.at - CLOCKS_DIFFER

        return [str(one["id"]) for one in found if is_ours(one) and self._is_safe(one.get("id"))]

    async def ended(self, id: str) -> Look | None:
        """The batch once it has reached a final state; None if the provider does not know it."""
        pause = self._pause
        while True:
            look = await self.patiently(lambda: self._look(id))
            if look is None or look.state in self.dialect.ended:
                return look
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, max(pause, self._pause) * 1.5)

    async def _look(self, id: str) -> Look | None:
        batch, dialect = await self._json("GET", f"{self.dialect.create}/{id}"), self.dialect
        if batch is None:
            return None
        state = at(batch, dialect.state)
        if not isinstance(state, str):
            raise Transient("malformed", f"{self._chat.name}: batch {id} has no state")
        files = [at(batch, name) for name in dialect.files]
        places = [f"files/{one}/content" for one in files if self._is_safe(one)]
        if dialect.results:
            places.append(dialect.results.replace("{id}", id))
        says = at(batch, "errors.data") or at(batch, "errors") or ""
        words = self._chat.redact(one_line(str(says)))[:300]
        return Look(state.lower(), tuple(places), words)

    async def results(self, look: Look, asks: int) -> AsyncIterator[bytes]:
        """Yield the result lines of a batch with this many asks. Raises CutShort, Transient."""
        most = min(MOST_RESULT_BYTES, (asks + 16) * BYTES_PER_RESULT)
        try:
            for place in look.places:
                async with self._answer("GET", place, MOST_DOWNLOAD_SECONDS) as response:
                    if response.status == 404:
                        raise CutShort
                    if response.status != 200:
                        self._complain(response.status, await body_of(response), response)
                    async for line in lines_of(
                        response, most=most, most_lines=2 * asks + 100, most_line=MAX_LINE_BYTES
                    ):
                        yield line
        except TooMuch as why:
            raise ProviderSaysNo(
                f"{self._chat.name}: the results of {asks:,} asks cannot be right: {why}"
            ) from None
        except Transient as trouble:
            if trouble.kind == "no connection":
                raise
            raise CutShort from None

    async def live(self, ask: Ask, thinking: int) -> Reply:
        return await self.patiently(lambda: self._chat.post(ask, thinking))

    # -- one request -------------------------------------------------------------------------------

    async def patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, waiting until the provider can be reached."""
        began = told = time.monotonic()
        pause = self._pause
        while True:
            try:
                return await work()
            except Transient as trouble:
                if trouble.last_word is not None:  # the question may be to blame
                    raise
                now, minutes = time.monotonic(), f"{PATIENCE_SECONDS / 60:g} minutes"
                if now - began > PATIENCE_SECONDS:
                    raise Unreachable(f"{trouble} (for {minutes})") from None
                if now - told > AWAY_SECONDS:
                    told = now
                    self._say(f"{trouble}: retrying for up to {minutes}")
                await asyncio.sleep(min(LONGEST_PAUSE, max(pause, trouble.retry_after or 0.0)))
                pause *= 2

    async def _json(
        self, method: str, path: str, data: Callable[[], Any] | None = None, size: int = 0
    ) -> Any:
        """The provider's JSON answer; None if there is none. Raises Transient, ProviderSaysNo."""
        seconds = self._chat.timeout + size / SLOWEST_UPLOAD
        async with self._answer(method, path, seconds, data() if data else None) as response:
            raw = await body_of(response)
            if response.status == 404 and method == "GET":
                return None
            if not 200 <= response.status < 300:
                self._complain(response.status, raw, response)
        try:
            return json_value(raw, object)
        except Undecodable as error:
            why = f"{self._chat.name}: the batch endpoint's answer is not JSON ({error})"
            raise Transient("malformed", why) from None

    @asynccontextmanager
    async def _answer(
        self, method: str, path: str, seconds: float, data: Any = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        url = f"{self._base}/{path}"
        with explained(self._chat.name, url, seconds, self._chat.without_secrets):
            async with self._open().request(
                method,
                url,
                data=data,
                headers={"Content-Type": "application/json"} if isinstance(data, bytes) else {},
                allow_redirects=False,
                proxy=self._chat.proxy,
                timeout=timeout_of(seconds),
            ) as response:
                yield response

    def _complain(self, status: int, raw: bytes, response: aiohttp.ClientResponse) -> None:
        """Raise the error for a refused request.

        An error that a question could have caused is final, since this request has no question.
        """
        name = self._chat.name
        if status in (404, 405):
            where = f"{host_of(self._base)}{response.url.path}"
            raise ProviderSaysNo(
                f"{name}: there is no batch endpoint at {where}, or no such model "
                f"(HTTP {status}); leave out --batch, or exchange files (--batch-files)"
            )
        try:
            words = self._chat.complaint(status, raw, response.headers.get("Retry-After")).text
        except Transient as trouble:
            if trouble.last_word is None:
                raise
            raise ProviderSaysNo(str(trouble)) from None
        except UnsupportedParameter as error:
            words = f"the batch endpoint refuses (HTTP {status}): {error}"
        raise ProviderSaysNo(f"{name}: {one_line(words)[:300]}")

    def _id(self, answer: Any) -> str:
        name = at(answer, "id")
        if not self._is_safe(name):
            raise Transient("malformed", f"{self._chat.name}: the provider's answer has no id")
        return str(name)

    def _is_safe(self, name: Any) -> bool:
        """Whether an id from a provider may be used in an address and in the run file.

        It must not change the path of an address, and must not contain a key.
        """
        return (
            isinstance(name, str)
            and _NAME.fullmatch(name) is not None
            and ".." not in name
            and self._chat.redact(name) == name
        )

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            headers = dict(self.dialect.headers)
            if key := self._chat.key:
                bearer = self.dialect.key_header == "Authorization"
                headers[self.dialect.key_header] = f"Bearer {key}" if bearer else key
            self._session = open_session(headers, self._chat.timeout)
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


def _requests(batch: Json) -> int:
    """The number of requests in a batch, in any state."""
    counts = batch.get("request_counts")
    numbers = counts.values() if isinstance(counts, dict) else ()
    return sum(number for number in numbers if isinstance(number, int))


def _made_at(batch: Json) -> float:
    """The Unix time when the batch was made; 0 if unknown."""
    try:
        return datetime.fromisoformat(batch["created_at"]).timestamp()
    except (KeyError, TypeError, ValueError):
        return 0.0


DOWNLOADS = 3
DOWNLOAD_PAUSE = 1.0
"""Seconds before a result file is downloaded again, doubled before the last attempt."""


class Rounds:
    """Sends the rounds of one model as batches. `run` stores the batches; `say` tells the user."""

    def __init__(
        self, name: str, exchange: Exchange, run: RunWriter, say: Callable[[str], None]
    ) -> None:
        self._name = name
        self._exchange = exchange
        self._run = run
        self._say = say
        self._tried: set[tuple[str, bytes]] = set()

    async def round(self, asks: list[Waiting]) -> list[Waiting]:
        """Answer asks that are in batches at the provider; if none is, submit the asks."""
        if earlier := self._earlier(asks):
            await _together([self._pick_up(batch, some) for batch, some in earlier])
            return [one for one in asks if not one.came.done()]
        await _together([self._submit(some) for some in self._parts(asks)])
        return []

    def _earlier(self, asks: list[Waiting]) -> list[tuple[Batch, list[Waiting]]]:
        """Return each earlier batch with its waiting asks, except asks already looked for in that
        batch.
        """
        by_digest = {one.digest: one for one in asks}
        found: list[tuple[Batch, list[Waiting]]] = []
        for batch, digests in reversed([*self._run.batches().items()]):
            if batch.model != self._name:
                continue
            untried = [one for one in digests if (batch.tag, one) not in self._tried]
            mine = [by_digest.pop(one) for one in untried if one in by_digest]
            self._tried |= {(batch.tag, one.digest) for one in mine}
            if mine:
                found.append((batch, mine))
        return found

    def _parts(self, asks: list[Waiting]) -> Iterator[list[Waiting]]:
        """Split asks into as few batches as the provider's limits allow."""
        dialect = self._exchange.dialect
        part: list[Waiting] = []
        size = 0
        for one in asks:
            size += len(one.body) + 200
            if part and (len(part) >= dialect.most_lines or size > dialect.most_bytes):
                yield part
                part, size = [], len(one.body) + 200
            part.append(one)
        if part:
            yield part

    async def _submit(self, asks: list[Waiting]) -> None:
        if again := Counter(one.again for one in asks if one.again):
            reasons = ", ".join(f"{number:,} {why}" for why, number in again.most_common())
            self._say(f"{again.total():,} of {len(asks):,} asks are sent again: {reasons}")
        exchange, tag = self._exchange, os.urandom(8).hex()
        digests = [one.digest for one in asks]
        lines = [request_line(exchange.dialect, id_of(one.digest, tag), one.body) for one in asks]
        file = await exchange.upload(lines, tag)
        batch = Batch(tag=tag, model=self._name, file=file, price=DISCOUNT, at=time.time())
        self._run.save_batch(batch, digests)
        self._tried |= {(tag, one) for one in digests}
        try:
            id = await exchange.create(batch, lines)
        except ProviderSaysNo:
            self._run.fail_asks(batch, digests)
            raise
        await self._follow(self._named(batch, id), asks)

    def _named(self, batch: Batch, id: str, state: str = "submitted") -> Batch:
        named = msgspec.structs.replace(batch, batch=id, state=state)
        self._run.save_batch(named)
        return named

    async def _pick_up(self, batch: Batch, asks: list[Waiting]) -> None:
        """Continue a batch of an earlier session, even if the run file has no id of it."""
        if batch.batch:
            self._say(f"picked up batch {batch.batch}: {len(asks):,} asks without a reply")
            await self._follow(batch, asks)
            return
        known = {one.batch for one in self._run.batches()}
        for id in await self._exchange.find(batch, len(self._run.asks_of(batch))):
            maybe = msgspec.structs.replace(batch, batch=id)
            if id not in known and await self._follow(maybe, asks, sure=False):
                return
        self._run.fail_asks(self._named(batch, "", "given up"), [one.digest for one in asks])

    async def _follow(self, batch: Batch, asks: list[Waiting], *, sure: bool = True) -> bool:
        """Wait for a batch to end, and deliver its results.

        `sure` says that the batch is known to be ours. Otherwise its results must show that.
        Returns False if they do not.
        """
        digests = [one.digest for one in asks]
        self._say(
            f"batch {batch.batch} of {len(asks):,} asks is with the provider, which may take a day;"
            " Ctrl-C leaves it there, and the same command picks it up"
        )
        look = await self._exchange.ended(batch.batch)
        if look is None:
            self._run.fail_asks(batch, digests)
            self._say(f"the provider no longer knows batch {batch.batch}; its asks are sent again")
            return True
        results = Results(asks, {batch.tag: {*digests}})
        await self._download(look, results, len(self._run.asks_of(batch)))
        if not sure and not results.is_ours:
            return False
        for sentence in results.complaints():
            self._say(sentence)
        answered = results.deliver()
        left = [one for one in asks if not one.came.done()]
        self._run.fail_asks(batch, [*{*digests}.difference(answered)])
        self._named(batch, batch.batch, "read")
        if look.state == "failed" and len(left) == len(asks):
            raise ProviderSaysNo(f"{self._name}: the provider refused the batch: {look.says}")
        for one in left if look.state in ("cancelled", "expired") else ():
            one.deliver(partial(Line, "", 0, b"", look.state))
        return True

    async def _download(self, look: Look, results: Results, count: int) -> None:
        """Download the results.

        A file that is cut short is downloaded again, since it is paid for.
        """

        async def fetch() -> bool:
            results.start_again()
            with suppress(CutShort):
                async for raw in self._exchange.results(look, count):
                    results.take(raw)
                return not results.broken
            return False

        for attempt in range(1, DOWNLOADS + 1):
            if await self._exchange.patiently(fetch) or not results.missing:
                return
            await asyncio.sleep(attempt * DOWNLOAD_PAUSE if attempt < DOWNLOADS else 0)


async def _together(work: list[Coroutine[None, None, object]]) -> None:
    """Run all coroutines at once, wait for all, then raise the first failure."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result


POLL_SECONDS = 15.0


def at_providers(
    models: Mapping[str, Model], run: RunWriter, *, poll: float | None, say: Callable[[str], None]
) -> dict[str, Model]:
    """Wrap each model for batches; a model without a batch endpoint stays unchanged."""
    seconds = POLL_SECONDS if poll is None else poll

    def batched(model: Model) -> Model:
        if not isinstance(model, ChatModel) or not (dialect := dialect_of(model.spec)):
            return model

        def tell(words: str) -> None:
            say(model.redact(words))

        exchange = Exchange(model, dialect, seconds, tell)
        rounds = Rounds(model.name, exchange, run, tell)
        gatherer = Gatherer(rounds.round, min(QUIET_SECONDS, seconds))
        waiting = {one for asks in run.batches().values() for one in asks}
        live = Live(exchange.live, waiting)
        return BatchedModel(model, dialect, gatherer, live=live, closing=exchange.close)

    return each_once(models, batched)
