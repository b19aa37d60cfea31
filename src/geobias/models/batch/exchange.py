"""Batches at a provider, over HTTP: submitted, looked for, looked at, and their results read.

Looking is repeated for as long as it makes sense. Making a batch is not: where it is not clear
whether it was made, it is looked for first, so that nobody pays for two.
"""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from geobias.errors import ProviderSaysNo, Unreachable
from geobias.models.batch.dialects import Dialect, Submission, at
from geobias.models.batch.lines import MAX_LINE_BYTES
from geobias.models.chat import CONNECT_SECONDS, ChatModel, host_of
from geobias.models.complaints import one_line
from geobias.models.model import Transient
from geobias.untrusted import ENCODINGS, Undecodable, Unpacker, json_value

if TYPE_CHECKING:
    import aiohttp

PATIENCE_SECONDS = 3600.0
"""How long a provider may be out of reach while a batch is under way."""
MOST_STATE_BYTES = 256 << 20
"""Of what is said about a batch. Google puts the results in there."""
MOST_RESULT_BYTES = 4 << 30
LONGEST_PAUSE = 60.0
T = TypeVar("T")


class Look(msgspec.Struct, frozen=True):
    """A batch as it stands. `places` are addresses of its results, `lines` results themselves."""

    state: str
    ended: bool = False
    refused: bool = False
    cancelled: bool = False
    says: str = ""
    places: tuple[str, ...] = ()
    lines: tuple[bytes, ...] = ()


def look_at(dialect: Dialect, id: str, batch: Any, redact: Callable[[str], str]) -> Look | None:
    """What a provider says of a batch, without any key; None where it has no state."""
    state = at(batch, dialect.state)
    if not isinstance(state, str):
        return None
    state = state.lower().rpartition("_state_")[2]
    ids = [at(batch, name) for name in dialect.files]
    places = [dialect.content.replace("{id}", one) for one in ids if _is_safe(one, redact)]
    if dialect.results:
        places.append(dialect.results.replace("{id}", id))
    inline = next((one for place in dialect.inline if (one := at(batch, place))), None)
    says = [at(batch, name) for name in ("errors.data", "errors", "error", "metadata.error")]
    return Look(
        state=state,
        ended=state in dialect.ended,
        refused=state == dialect.refused,
        cancelled=state == dialect.cancelled,
        says=redact(one_line(str(next(filter(None, says), ""))))[:300],
        places=tuple(places),
        lines=tuple(map(msgspec.json.encode, inline)) if isinstance(inline, list) else (),
    )


class Gone(Exception):
    """The provider knows no such batch."""


class CutShort(Exception):
    """A result file ended too soon."""


class Exchange:
    """The batch endpoint of one model's provider. `pause` is how long to wait between looks."""

    def __init__(self, chat: ChatModel, dialect: Dialect, pause: float) -> None:
        self.dialect = dialect
        self._chat = chat
        self._base = chat.base.removesuffix("/openai")
        self._pause = pause
        self._session: aiohttp.ClientSession | None = None

    async def upload(self, lines: list[bytes], tag: str) -> str:
        """The id of the uploaded file; empty where lines go along with the batch itself."""
        import aiohttp

        if not self.dialect.upload:
            return ""
        content = b"\n".join(lines) + b"\n"

        def form() -> aiohttp.FormData:
            parts = aiohttp.FormData()
            parts.add_field("purpose", self.dialect.purpose)
            parts.add_field("file_name", f"geobias-{tag}.jsonl")
            parts.add_field(
                "file",
                io.BytesIO(content),
                filename=f"geobias-{tag}.jsonl",
                content_type="application/jsonl",
            )
            return parts

        made = await self.patiently(lambda: self._json("POST", self.dialect.upload, form))
        return self._name(made, "id")

    async def create(self, made: Submission, lines: list[bytes]) -> str:
        """The id of the batch, once there is one."""
        body = self.dialect.body(made, lines)
        path = self.dialect.create.replace("{model}", made.model)

        async def attempt() -> str:
            try:
                answer = await self._json("POST", path, lambda: body)
            except Transient as trouble:
                if trouble.may_be_billed and (found := await self.find(made)):
                    return found[0]  # it was made, and only the answer was lost
                raise
            return self._name(at(answer, self.dialect.created), self.dialect.id)

        return await self.patiently(attempt)

    async def find(self, made: Submission) -> list[str]:
        """Batches that may be the submission's, newest first."""
        answer = await self.patiently(lambda: self._json("GET", self.dialect.listed))
        listed = at(answer, self.dialect.among)
        found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        ids = [at(one, self.dialect.id) for one in found if self.dialect.ours(one, made)]
        return [one for one in ids if _is_safe(one, self._chat.redact)]

    async def ended(self, id: str) -> Look:
        """The batch, once nothing more will happen to it. Raises Gone."""
        pause = self._pause
        while True:
            look = await self.patiently(lambda: self._look(id))
            if look.ended:
                return look
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, max(pause, self._pause) * 1.5)

    async def _look(self, id: str) -> Look:
        batch = await self._json("GET", self.dialect.look.replace("{id}", id))
        if (look := look_at(self.dialect, id, batch, self._chat.redact)) is None:
            raise Transient("malformed", f"{self._chat.name}: batch {id} has no state")
        return look

    async def results(self, look: Look) -> AsyncIterator[bytes]:
        """The lines of all results, as they come. Raises CutShort, Transient."""
        for line in look.lines:
            yield line
        for place in look.places:
            async for line in self._lines(place):
                yield line

    async def _lines(self, path: str) -> AsyncIterator[bytes]:
        import aiohttp

        rest, taken = bytearray(), 0
        too_long = False
        try:
            async with self._open().get(
                f"{self._base}/{path}", allow_redirects=False, proxy=self._chat.proxy
            ) as response:
                if response.status == 404:
                    raise Gone
                if response.status != 200:
                    self._complain(response.status, await response.read(), response)
                body = Unpacker(response.headers.get("Content-Encoding", ""), MOST_RESULT_BYTES)
                async for part in response.content.iter_any():
                    body.feed(part)
                    rest += body.content
                    taken += len(body.content)
                    body.content.clear()
                    if taken > MOST_RESULT_BYTES:
                        raise ProviderSaysNo(
                            f"{self._chat.name}: a result file has more than "
                            f"{MOST_RESULT_BYTES >> 30} GiB"
                        )
                    *lines, rest = rest.split(b"\n")
                    for line in lines:
                        if line.strip() and not too_long:
                            yield bytes(line)
                        too_long = False
                    if len(rest) > MAX_LINE_BYTES:
                        too_long = True
                        del rest[:]
                if not body.whole:
                    raise CutShort
        except aiohttp.ClientConnectorError as error:
            why = f"{self._chat.name}: cannot reach {host_of(self._base)}: {error.os_error}"
            raise Transient("no connection", why, may_be_billed=False) from None
        except (TimeoutError, aiohttp.ClientError, OSError, Undecodable):
            raise CutShort from None
        if rest.strip() and not too_long:
            yield bytes(rest)

    # -- one request -------------------------------------------------------------------------------

    async def patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` gives, once the provider is there to give it."""
        began, pause = time.monotonic(), self._pause
        while True:
            try:
                return await work()
            except Transient as trouble:
                if time.monotonic() - began > PATIENCE_SECONDS:
                    minutes = f"{PATIENCE_SECONDS / 60:g} minutes"
                    raise Unreachable(f"{trouble} (for {minutes})") from None
                await asyncio.sleep(min(LONGEST_PAUSE, max(pause, trouble.retry_after or 0.0)))
                pause *= 2

    async def _json(self, method: str, path: str, data: Callable[[], Any] | None = None) -> Any:
        """The JSON that the provider answers. Raises Transient, ProviderSaysNo or Gone."""
        import aiohttp

        url, name = f"{self._base}/{path}", self._chat.name
        made = data() if data else None
        headers = {"Content-Type": "application/json"} if isinstance(made, bytes) else {}
        try:
            async with self._open().request(
                method,
                url,
                data=made,
                headers=headers,
                allow_redirects=False,
                proxy=self._chat.proxy,
            ) as response:
                body = Unpacker(response.headers.get("Content-Encoding", ""), MOST_STATE_BYTES)
                async for part in response.content.iter_any():
                    body.feed(part)
                raw = bytes(body.content)
                if response.status == 404 and method == "GET":
                    raise Gone
                if not 200 <= response.status < 300:
                    self._complain(response.status, raw, response)
        except (TimeoutError, aiohttp.ServerTimeoutError):
            raise Transient("timeout", f"{name}: no answer from {host_of(url)}") from None
        except aiohttp.ClientConnectorError as error:
            why = f"{name}: cannot reach {host_of(url)}: {error.os_error}"
            raise Transient("no connection", why, may_be_billed=False) from None
        except (aiohttp.ClientError, OSError, Undecodable) as error:
            why = f"{name}: the connection broke: {self._chat.without_secrets(error)}"
            raise Transient("cut off", why) from None
        try:
            return json_value(raw)
        except Undecodable as error:
            why = f"{name}: the batch endpoint's answer is no JSON ({error})"
            raise Transient("malformed", why) from None

    def _complain(self, status: int, raw: bytes, response: aiohttp.ClientResponse) -> None:
        """Raise what a refusal means. A batch is no question, so nothing is doubtful about it."""
        if status in (404, 405):
            where = f"{host_of(self._base)}{response.url.path}"
            raise ProviderSaysNo(
                f"{self._chat.name}: there is no batch endpoint at {where}, or no such model "
                f"(HTTP {status}); leave out --batch, or exchange files (--batch-files)"
            )
        try:
            reply = self._chat.complaint(status, raw, response.headers.get("Retry-After"))
        except Transient as trouble:
            if trouble.last_word is None:
                raise
            raise ProviderSaysNo(str(trouble)) from None
        except ProviderSaysNo:
            raise
        except Exception as error:
            raise ProviderSaysNo(
                f"{self._chat.name}: the batch endpoint refuses (HTTP {status}): {error}"
            ) from None
        raise ProviderSaysNo(f"{self._chat.name}: {one_line(reply.text)[:300]}")

    def _name(self, answer: Any, place: str) -> str:
        name = at(answer, place)
        if not _is_safe(name, self._chat.redact):
            raise Transient("malformed", f"{self._chat.name}: what was made has no {place}")
        return str(name)

    def _open(self) -> aiohttp.ClientSession:
        import aiohttp

        if self._session is None:
            headers = {"Accept-Encoding": ", ".join(ENCODINGS), **self.dialect.headers}
            if key := self._chat.key:
                bearer = self.dialect.key_header == "Authorization"
                headers[self.dialect.key_header] = f"Bearer {key}" if bearer else key
            self._session = aiohttp.ClientSession(
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=headers,
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(
                    total=None, sock_connect=CONNECT_SECONDS, sock_read=self._chat.timeout
                ),
            )
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


def _is_safe(name: Any, redact: Callable[[str], str]) -> bool:
    """Whether it may stand in an address and in the run file: a key may not."""
    return _is_name(name) and redact(name) == name


def _is_name(value: Any) -> bool:
    """What may stand in an address: an id leads nowhere but to its own place."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= 500
        and ".." not in value
        and all(sign.isalnum() or sign in "-_./:" for sign in value)
        and value.isascii()
    )
