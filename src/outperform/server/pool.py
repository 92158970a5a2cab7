"""The processes that compute, a few at a time; one that takes too long, or fails, is ended and replaced."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import AsyncExitStack, suppress
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.requests import Request as Received

from outperform.base.system import end_process
from outperform.server.guard import RefusedError
from outperform.server.limits import Limits
from outperform.server.words import LESS
from outperform.server.worker import Reply

__all__ = ["Pool"]

WORKERS = 4  # requests that are answered at a time
LONG = WORKERS - 1  # of them that may take long, so that one turn passes quickly
SHORT = 5.0  # seconds beyond which an answer takes long
ABANDONED = 5.0  # seconds that are left to a request once nobody waits for it
BLOCK = 2**20  # bytes that are handed over at a time


class _CrowdedError(Exception):
    """An answer takes long while as many as may do."""


class Pool:
    """Has requests answered. The process that was used last is used first: it may know the file.

    Short questions do not wait for long ones: at most `LONG` requests at a time take longer than `SHORT` seconds. A
    further one is ended, gives its turn to whoever waits, and is computed again from the start when one of these is
    done. That wastes `SHORT` seconds, and takes no further processes and memory.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.turns = asyncio.Semaphore(WORKERS)
        self.long = asyncio.Semaphore(LONG)
        self.idle: list[Process] = []

    async def reply(self, received: Received, raw: bytearray) -> Reply:
        """Wait for a turn, and then for the reply, but not too long."""
        with suppress(_CrowdedError):
            return await self._turn(received, raw, SHORT)
        async with self.long:
            return await self._turn(received, raw, None)

    async def start(self) -> None:
        """Have a process ready."""
        self.idle.append(await self._worker())

    async def close(self) -> None:
        """End the processes that wait; those that compute end with their requests."""
        while self.idle:
            await _end(self.idle.pop())

    async def _turn(self, received: Received, raw: bytearray, short: float | None) -> Reply:
        async with self.turns:
            if await received.is_disconnected():
                raise ClientDisconnect
            worker = await self._worker()
            try:
                reply = await self._in_time(worker, received, raw, short)
            except BaseException as error:
                await _end(worker)
                raise self._refusal(error) from None
            self.idle.append(worker)
            return reply

    async def _worker(self) -> Process:
        while self.idle:
            worker = self.idle.pop()
            if worker.returncode is None:
                return worker
        command = [sys.executable, "-P", "-m", "outperform.server.worker", str(self.limits.size)]
        path = {"PYTHONPATH": os.pathsep.join(sys.path)}  # what is imported here is imported there, and nothing else
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            env=os.environ | path,
            start_new_session=True,  # Ctrl-C in a terminal goes to the server alone, which ends this
        )

    async def _in_time(self, worker: Process, received: Received, raw: bytearray, short: float | None) -> Reply:
        """The reply; beyond `short` seconds it takes one of the places of those that take long, if there is one."""
        request = {"path": received.url.path, "query": received.query_params.multi_items(), "size": len(raw)}
        async with asyncio.timeout(self.limits.seconds) as end, AsyncExitStack() as place:
            leaving = asyncio.create_task(_hasten(received, end))
            answering = asyncio.create_task(_exchange(worker, request, raw))
            try:
                await asyncio.wait([answering], timeout=short)
                if not answering.done():
                    if self.long.locked():
                        raise _CrowdedError
                    await place.enter_async_context(self.long)
                return await answering
            finally:
                leaving.cancel()
                answering.cancel()

    def _refusal(self, error: BaseException) -> BaseException:
        if isinstance(error, TimeoutError):
            most = f"{self.limits.seconds:g} seconds"
            return RefusedError(422, f"the answer takes more than {most}, the limit of this page; {LESS}")
        if isinstance(error, OSError | asyncio.IncompleteReadError):
            most = f"{self.limits.memory / 1e9:g} GB"
            why = f"most likely it needs more than {most} of memory, the limit of this page"
            return RefusedError(422, f"the computation ended without an answer; {why}; {LESS}")
        return error


async def _exchange(worker: Process, request: dict[str, Any], raw: bytearray) -> Reply:
    """Hand a request over, and take the reply."""
    assert worker.stdin
    assert worker.stdout
    worker.stdin.write(json.dumps(request).encode() + b"\n")
    for start in range(0, len(raw), BLOCK):
        worker.stdin.write(raw[start : start + BLOCK])
        await worker.stdin.drain()
    head = json.loads(await worker.stdout.readuntil())
    return Reply(head["status"], head["media"], await worker.stdout.readexactly(head["size"]))


async def _hasten(received: Received, end: asyncio.Timeout) -> None:
    """Shorten the time of a request whose client has gone."""
    while (await received.receive())["type"] != "http.disconnect":
        pass
    soon = asyncio.get_running_loop().time() + ABANDONED
    end.reschedule(min(soon, end.when() or soon))


async def _end(worker: Process) -> None:
    """End a process, and wait until it has ended: when the server ends, whoever waits for that is cancelled too."""
    if worker.returncode is None:
        end_process(worker.pid)  # worker.kill() would take the exit status that asyncio waits for
    while worker.returncode is None:
        with suppress(asyncio.CancelledError):
            await worker.wait()
