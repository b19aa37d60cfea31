"""A stand-in for every provider's batch endpoint, in the shapes they document, with their faults.

A simulated model answers the lines. What was executed is counted, since every execution is billed.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
from aiohttp import web

from geobias.models.serving import ChatRequest, ChatServer
from geobias.simulated import SimulatedModel
from tests.defined import defined


class Faults:
    """What goes wrong, and how often. Numbers of times count down; shares are of lines."""

    def __init__(self) -> None:
        self.pending = 1  # looks before a batch has ended
        self.failed_looks = 0  # looks that are answered by 503
        self.garbage_looks = 0
        self.lost_answers = 0  # batches that are made, and the connection then cut
        self.busy = 0  # batches that are refused by 429
        self.expired = 0.0
        self.errors = 0.0
        self.expire_batches = 0  # batches that end as expired, half done
        self.cancel_batches = 0
        self.refuse_batches = 0
        self.cut_files = 0  # result files that end in the middle, in spite of their length
        self.short_files = 0  # result files that end in the middle of a line
        self.extra_lines: list[bytes] = []
        self.double = 0  # lines that come twice, with another text


class BatchServer:
    """Serves /v1 as OpenAI, Groq and Anthropic do."""

    def __init__(self, model: str = "sim/biased") -> None:
        self._model = ChatServer(SimulatedModel(model))
        self._simulated = SimulatedModel(model)
        self._dice = random.Random(1)
        self.faults = Faults()
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.executed: Counter[str] = Counter()
        self.created: list[int] = []
        self.requests: Counter[str] = Counter()
        self.port = 0
        self.headers: list[dict[str, str]] = []
        self.before: Callable[[], None] = lambda: None  # called with every request
        self.after: Callable[[], None] = lambda: None  # when it is done, and not yet answered
        self.rename: Callable[[str], str] = lambda id: id  # what an uploaded file is called
        # What is wrong with a question, as status and words, whichever way it is asked.
        self.refuse: Callable[[dict[str, Any]], tuple[int, str] | None] = lambda asked: None

    def application(self) -> web.Application:
        app = web.Application(client_max_size=1 << 30, middlewares=[self._noting])
        add = app.router
        add.add_post("/v1/files", self.upload)
        add.add_get("/v1/files/{id}/content", self.content)
        add.add_post("/v1/batches", self.create)
        add.add_post("/v1/messages/batches", self.create)
        for path in ("/v1/batches", "/v1/messages/batches"):
            add.add_get(path, self.listed)
            add.add_get(path + "/{id}", self.look)
        add.add_get("/v1/messages/batches/{id}/results", self.content)
        for path in ("/v1", "/only-chat/v1"):
            add.add_post(path + "/chat/completions", self.chat)
        return app

    async def chat(self, request: web.Request) -> web.StreamResponse:
        if wrong := self.refuse(await request.json()):
            return web.json_response({"error": {"message": wrong[1]}}, status=wrong[0])
        return await self._model.chat(request)

    @web.middleware
    async def _noting(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests[f"{request.method} {request.path.rpartition('/')[0]}"] += 1
        self.headers.append(dict(request.headers))
        self.before()
        response: web.StreamResponse = await handler(request)
        self.after()
        return response

    async def upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        id = f"file-{len(self.files)}"
        self.files[id] = form["file"].file.read()  # type: ignore[union-attr]
        return web.json_response({"id": self.rename(id), "purpose": form["purpose"]})

    async def create(self, request: web.Request) -> web.Response:
        if self.faults.busy:
            self.faults.busy -= 1
            return web.json_response({"error": {"message": "slow down"}}, status=429)
        asked = await request.json()
        shape = _shape(request.path)
        if shape == "messages":
            lines, more = asked["requests"], {}
        else:
            more = {"input_file_id": asked["input_file_id"]}
            lines = [json.loads(line) for line in self.files[more["input_file_id"]].splitlines()]
        id = f"batch_{len(self.batches)}"
        self.created.append(len(lines))
        batch = {"id": id, "shape": shape, "looks": self.faults.pending, "lines": lines, **more}
        self.batches[id] = batch
        await self._execute(batch)
        if self.faults.lost_answers:
            self.faults.lost_answers -= 1
            defined(request.transport).abort()
        return web.json_response(self._shown(batch))

    async def _execute(self, batch: dict[str, Any]) -> None:
        faults, results, errors = self.faults, [], []
        batch["end"] = "completed"
        for name, end in (("expire", "expired"), ("cancel", "cancelled"), ("refuse", "failed")):
            if getattr(faults, f"{name}_batches"):
                setattr(faults, f"{name}_batches", getattr(faults, f"{name}_batches") - 1)
                batch["end"] = end
        lines = batch["lines"]
        if batch["end"] != "completed":
            lines = lines[: len(lines) // 2 if batch["end"] != "failed" else 0]
        for line in lines:
            id = line["custom_id"]
            roll = self._dice.random()
            if roll < faults.expired:
                errors.append(_failed(batch["shape"], id, "expired", 0, ""))
            elif roll < faults.expired + faults.errors:
                errors.append(_failed(batch["shape"], id, "errored", 500, "server had an error"))
            elif wrong := self.refuse(_as_chat(batch["shape"], line)):
                errors.append(_failed(batch["shape"], id, "errored", *wrong))
            else:
                self.executed[id.partition("-")[0]] += 1  # whichever batch it is in
                results.append(await self._answer(batch["shape"], id, line))
        if faults.double:
            faults.double -= 1
            results.append(
                await self._answer(batch["shape"], results[0]["custom_id"], lines[0], "other")
            )
        self._dice.shuffle(results)
        batch["results"], batch["errors"] = results, errors
        if batch["shape"] == "messages":
            batch["results"] = results + errors
            self._dice.shuffle(batch["results"])

    async def executed_file(self, requests: bytes) -> bytes:
        """What vLLM's `run_batch` makes of a file of requests."""
        rows = [json.loads(line) for line in requests.splitlines()]
        answers = [await self._answer("chat", row["custom_id"], row) for row in rows]
        return b"".join(json.dumps(row).encode() + b"\n" for row in answers)

    async def _answer(self, shape: str, id: str, line: dict[str, Any], text: str = "") -> Any:
        asked = _as_chat(shape, line)
        ask = msgspec.convert(asked, ChatRequest).ask(self._model.calls)
        reply = await self._simulated.answer(ask)
        text = text or reply.text
        usage = (reply.tokens_in, reply.tokens_out)
        if shape == "messages":
            stop = {"stop": "end_turn", "length": "max_tokens"}.get(reply.finish or "stop")
            message = {
                "type": "message",
                "model": asked.get("model"),
                "content": [{"type": "text", "text": text}],
                "stop_reason": stop,
                "usage": {"input_tokens": usage[0], "output_tokens": usage[1]},
            }
            return {"custom_id": id, "result": {"type": "succeeded", "message": message}}
        choice = {
            "message": {"role": "assistant", "content": text},
            "finish_reason": reply.finish or "stop",
        }
        body = {
            "model": asked.get("model"),
            "choices": [choice],
            "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]},
        }
        whole = {"status_code": 200, "request_id": "r", "body": body}
        return {"id": "batch_req", "custom_id": id, "response": whole, "error": None}

    async def listed(self, request: web.Request) -> web.Response:
        shown = [self._shown(one) for one in reversed(self.batches.values())]
        return web.json_response({"data": shown})

    async def look(self, request: web.Request) -> web.Response:
        if self.faults.failed_looks:
            self.faults.failed_looks -= 1
            return web.json_response({"error": {"message": "overloaded"}}, status=503)
        if self.faults.garbage_looks:
            self.faults.garbage_looks -= 1
            return web.Response(body=b"<html>", content_type="text/html")
        batch = self.batches.get(request.match_info["id"])
        if batch is None:
            return web.json_response({"error": {"message": "no such batch"}}, status=404)
        batch["looks"] -= 1
        return web.json_response(self._shown(batch))

    def _shown(self, batch: dict[str, Any]) -> dict[str, Any]:
        ended, id, end = batch["looks"] < 0, batch["id"], batch.get("end", "")
        if batch["shape"] == "messages":
            kept = {"processing": 0 if ended else len(batch["lines"])}
            kept["succeeded"] = len(batch["lines"]) if ended else 0
            state = "ended" if ended else "in_progress"
            created = "2099-01-01T00:00:00Z"
            return {
                "id": id,
                "processing_status": state,
                "request_counts": kept,
                "created_at": created,
            }
        word, names = end, ("output_file_id", "error_file_id")
        shown = {"id": id, "status": word if ended else "in_progress"}
        shown["input_file_id"] = batch["input_file_id"]
        if end == "failed":
            shown["errors"] = {"data": [{"message": "the file makes no sense"}]}
        if ended and end != "failed":
            shown |= {names[0]: f"{id}-out", names[1]: f"{id}-err" if batch["errors"] else None}
        return shown

    async def content(self, request: web.Request) -> web.StreamResponse:
        name, _, kind = request.match_info["id"].partition("-")
        rows = self.batches[name]["errors" if kind == "err" else "results"]
        lines = [json.dumps(row, ensure_ascii=False).encode() for row in rows]
        lines += self.faults.extra_lines
        raw = b"\n".join(lines)
        if self.faults.short_files and kind != "err":
            self.faults.short_files -= 1
            return web.Response(body=raw[: len(raw) * 2 // 3])
        if self.faults.cut_files and kind != "err":
            self.faults.cut_files -= 1
            response = web.StreamResponse(headers={"Content-Length": str(len(raw))})
            await response.prepare(request)
            await response.write(raw[: len(raw) // 2])
            defined(request.transport).abort()
            return response
        return web.Response(body=raw)


def _shape(path: str) -> str:
    return "messages" if "messages" in path else "chat"


def _as_chat(shape: str, line: dict[str, Any]) -> dict[str, Any]:
    if shape == "messages":
        asked: dict[str, Any] = line["params"]
        system = [{"role": "system", "content": asked["system"]}] if "system" in asked else []
        return asked | {"messages": system + asked["messages"]}
    body: dict[str, Any] = line["body"]
    return body


def _failed(shape: str, id: str, kind: str, status: int, words: str) -> dict[str, Any]:
    if shape == "messages":
        if kind == "expired":
            return {"custom_id": id, "result": {"type": "expired"}}
        error = {"type": "error", "error": {"type": "api_error", "message": words}}
        return {"custom_id": id, "result": {"type": "errored", "error": error}}
    if kind == "expired":
        return {"custom_id": id, "response": None, "error": {"code": "batch_expired"}}
    body = {"error": {"message": words}}
    response = {"status_code": status, "request_id": "r", "body": body}
    return {"custom_id": id, "response": response, "error": None}
