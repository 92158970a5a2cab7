"""What a request to the page may take: bytes, rows, memory, time, connections; and how the server ends."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import io
import json
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pyarrow
import pyarrow.parquet
import pytest
from starlette.requests import Request as Received
from starlette.responses import Response
from uvicorn import Config
from uvicorn.server import ServerState

from outperform.server import app, connections, pool
from outperform.server.answer import MOST_HELD, Answers
from outperform.server.app import Desk
from outperform.server.limits import Limits
from outperform.server.words import LESS
from outperform.server.worker import respond
from tests.conftest import PATIENCE
from tests.server.test_serve import BINARY, Server, ended, in_thread, serving, started

ROWS = b"y,a,b\n" + b"1,1,0\n0,0,1\n1,1,1\n0,0,0\n" * 20
HEAD = "POST /columns?name=p.csv HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def opened(server: Server) -> socket.socket:
    address = urlsplit(server.address)
    return socket.create_connection((address.hostname or "", address.port or 0), timeout=PATIENCE)


def workers(server: Server) -> list[int]:
    """The processes that the server has started."""
    own = server.process.pid
    texts = Path(f"/proc/{own}/task").glob("*/children")
    return [int(number) for text in texts for number in text.read_text(encoding="ascii").split()]


def gone(process: int) -> bool:
    """Whether a process has ended, or only waits to be forgotten."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def until(true: Callable[[], bool]) -> None:
    """Wait for something that is to come, however slow the machine is."""
    given_up = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < given_up
        time.sleep(0.05)


# What is read.


def parquet(columns: dict[str, Any]) -> bytes:
    held = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), held, store_schema=False)
    return held.getvalue()


def told(raw: bytes, limits: Limits) -> str:
    reply = respond(Answers(limits), "/columns", [("name", "p")], raw)
    assert reply.status == 422
    return str(json.loads(reply.body)["error"])


WORDS = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 5000, pyarrow.int32()), ["word" * 500])


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (gzip.compress(b"y,a,b\n" + b"1,1,0\n" * 200_000, mtime=0), "p unpacks to more than 1 MB; "),
        (gzip.compress(b"y,a\n" + b"1,1\n" * 101, mtime=0), "p has more than 100 rows; "),
        (b"y,a\n" + b"1,1\n" * 101, "p has more than 100 rows; "),
        (b"a,b\n" + b"0.5,0.25\n" * 101, "p has more than 100 rows; "),  # scores
        (b'{"y":1,"a":1}\n' * 101, "p has more than 100 rows; "),
        (parquet({"y": [1] * 101, "a": [1] * 101}), "p has more than 100 rows; "),
        (parquet({"y": [[0] * 200_000], "a": [1]}), "p holds 200,001 values, more than 1,600; "),
    ],
)
def test_files_that_hold_more_than_they_show(raw: bytes, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Limits, "rows", 100)
    assert len(raw) < 10_000
    assert told(raw, Limits(1_000_000)) == sentence + LESS


def test_values_that_repeat_are_counted_each_time() -> None:
    raw = parquet({"y": WORDS, "a": [1] * 5000})
    assert len(raw) < 10_000
    assert told(raw, Limits(1_000_000)) == f"p unpacks to more than 1 MB; {LESS}"
    assert respond(Answers(Limits(20_000_000)), "/columns", [], raw).status == 200


def test_several_logs_have_the_limits_of_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Limits, "rows", 100)
    line = b'{"doc_id": 1, "resps": [], "acc": 1.0}\n'
    for raw, sentence in (
        (line * 101, "b has more than 100 rows; "),
        (gzip.compress(line * 20_000, mtime=0), "b unpacks to more than 0 MB; "),  # what the first has left of 1 MB
    ):
        first = b'{"doc_id": 1, "resps": ["%s"], "acc": 1.0}\n' % (b"x" * 900_000)
        query = [("name", "a"), ("size", str(len(first))), ("name", "b"), ("size", str(len(raw)))]
        reply = respond(Answers(Limits(1_000_000)), "/columns", query, first + raw)
        assert json.loads(reply.body)["error"] == sentence + LESS


def test_what_a_larger_file_may_take() -> None:
    assert (Limits().rows, Limits().memory, Limits().seconds) == (2_000_000, 2_000_000_000, 60)
    assert (Limits(4_000_000).rows, Limits(4_000_000).arriving) == (2_000_000, 16_000_000)
    assert (Limits(640_000_000).rows, Limits(640_000_000).seconds) == (20_000_000, 600)


def test_the_page_about_it_tells_the_limits() -> None:
    text = (Path(__file__).parent.parent.parent / "docs" / "howto" / "serve.md").read_text(encoding="utf-8")
    told = [[cell.strip() for cell in line.split("|")[2:4]] for line in text.splitlines() if line.startswith("|")]
    for column, limits in enumerate((Limits(), Limits(640_000_000))):
        own = [f"{limits.size / 1e6:g} MB", f"{limits.rows:,}", f"{limits.cells:,}", f"{limits.seconds:g} seconds"]
        own += [f"{limits.memory / 1e9:g} GB", f"{limits.arriving / 1e6:,.0f} MB"]
        assert [row[column] for row in told[-12:-6]] == own
    rest = [f"{app.PATIENCE:g} seconds", f"{pool.WORKERS}", f"{pool.LONG}", f"{MOST_HELD / 1e6:g} MB"]
    rest += [f"{connections.CONNECTIONS}", f"{connections.IDLE} seconds"]
    assert [row[0] for row in told[-6:]] == rest
    assert f"of these, longer than {pool.SHORT:g} seconds" in text
    assert f"given up after {pool.ABANDONED:g} seconds" in text


def test_memory_is_bounded_whatever_the_file_says(server: Server) -> None:
    words = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 4000, pyarrow.int32()), ["x" * 1_000_000])
    raw = parquet({"y": words, "a": [1] * 4000})  # 50 KB that say 1 MB and are 4 GB
    before = workers(server)
    status, body, _ = server.send("/columns?name=p.parquet", raw)
    assert status == 422
    assert json.loads(body)["error"] == (
        "the computation ended without an answer; most likely it needs more than 2 GB of memory, "
        f"the limit of this page; {LESS}"
    )
    assert all(map(gone, before))
    assert server.send("/columns?name=p.csv", ROWS)[0] == 200  # by another process


# Whose turn it is.


class Sent:
    """A request as the server sees it: what has come, and then what is still waited for."""

    def __init__(self, body: bytes, *, whole: bool = True, path: str = "/columns") -> None:
        self.messages = [{"type": "http.request", "body": body, "more_body": not whole}]
        self.path = path
        self.asked = 0

    async def receive(self) -> Any:
        self.asked += 1
        return self.messages.pop(0) if self.messages else await asyncio.Future()

    @property
    def received(self) -> Received:
        path, _, query = self.path.partition("?")
        scope = {"type": "http", "method": "POST", "path": path, "query_string": query.encode(), "headers": []}
        return Received(scope | {"scheme": "http", "server": ("localhost", 80)}, self.receive)


class Leaving(Sent):
    """A request whose sender leaves once it is being answered."""

    async def receive(self) -> Any:
        return {"type": "http.disconnect"} if self.asked > 1 else await super().receive()


def at_a_desk(scene: Callable[[Desk], Awaitable[None]], limits: Limits | None = None) -> None:
    async def played() -> None:
        desk = Desk(limits or Limits())
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(desk.lifespan(None))
            await scene(desk)
            assert desk.held == 0

    in_thread(played())


async def begun(desk: Desk, sent: list[Sent]) -> list[asyncio.Task[Response]]:
    """Requests that wait for what does not come."""
    tasks = [asyncio.ensure_future(desk.reply(one.received)) for one in sent]
    while any(one.asked < 2 for one in sent):
        await asyncio.sleep(0)
    return tasks


async def given_up(tasks: list[asyncio.Task[Response]]) -> None:
    for task in tasks:
        assert not task.done()
        task.cancel()
    await asyncio.wait(tasks)


def test_a_slow_upload_holds_nobody() -> None:
    async def scene(desk: Desk) -> None:
        slow = await begun(desk, [Sent(b"y,a", whole=False) for _ in range(2 * pool.WORKERS)])
        response = await desk.reply(Sent(ROWS).received)
        assert response.status_code == 200
        await given_up(slow)

    at_a_desk(scene)


def test_what_arrives_is_bounded_for_all_together() -> None:
    async def scene(desk: Desk) -> None:
        slow = await begun(desk, [Sent(b"x" * 250, whole=False) for _ in range(5)])
        response = await desk.reply(Sent(b"x").received)
        assert response.status_code == 503
        assert json.loads(bytes(response.body)) == {"error": "too many files at once; try again in a moment"}
        await given_up(slow)
        assert (await desk.reply(Sent(b"a,b\n1,2\n").received)).status_code == 200

    at_a_desk(scene, Limits(300))


def test_short_questions_do_not_wait_for_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    ended_for_others = []
    end = pool._end

    async def ends(worker: Any) -> None:
        await end(worker)
        ended_for_others.append(worker)

    monkeypatch.setattr(pool, "_end", ends)
    path, raw = endless()

    async def scene(desk: Desk) -> None:
        monkeypatch.setattr(pool, "SHORT", 0)  # from here on every request takes long
        long = [asyncio.ensure_future(desk.reply(Sent(raw, path=path).received)) for _ in range(pool.LONG)]
        await asyncio.to_thread(until, desk.pool.long.locked)
        further = [asyncio.ensure_future(desk.reply(Sent(ROWS).received)) for _ in range(2)]
        await asyncio.to_thread(until, lambda: len(ended_for_others) == 2)
        monkeypatch.setattr(pool, "SHORT", 600)  # from here on none does
        assert (await desk.reply(Sent(ROWS).received)).status_code == 200
        assert not any(task.done() for task in (*long, *further))
        await given_up(long[:1])
        assert [(await task).status_code for task in further] == [200, 200]
        await given_up(long[1:])

    at_a_desk(scene, Limits(640_000_000))  # and ten minutes for an answer


def test_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(desk: Desk) -> None:
        (worker,) = desk.pool.idle
        with monkeypatch.context() as patched:
            patched.setattr(Limits, "seconds", 0)
            response = await desk.reply(Sent(ROWS).received)
        assert response.status_code == 422
        assert json.loads(bytes(response.body)) == {
            "error": f"the answer takes more than 0 seconds, the limit of this page; {LESS}"
        }
        assert worker.returncode == -signal.SIGKILL
        assert (await desk.reply(Sent(ROWS).received)).status_code == 200

    at_a_desk(scene)


def test_what_nobody_waits_for_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "ABANDONED", 0)

    async def scene(desk: Desk) -> None:
        (worker,) = desk.pool.idle
        await desk.reply(Leaving(ROWS).received)
        assert worker.returncode == -signal.SIGKILL

    at_a_desk(scene)


def test_a_process_that_has_died_is_replaced() -> None:
    async def scene(desk: Desk) -> None:
        (worker,) = desk.pool.idle
        worker.kill()
        await worker.wait()
        assert (await desk.reply(Sent(ROWS).received)).status_code == 200

    at_a_desk(scene)


# Connections.


def test_connections_on_which_nothing_comes_are_closed(server: Server) -> None:
    silent, half, again = opened(server), opened(server), opened(server)
    half.sendall(b"GET / HTTP/1.1\r\nHost: loc")
    again.sendall(b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert again.recv(1000).startswith(b"HTTP/1.1 404")
    again.sendall(b"GET / HTTP/1.1\r\n")
    for one in (silent, half, again):
        with one:
            while one.recv(10_000):  # until it is closed, which the time limit of the socket waits for
                pass


@pytest.mark.parametrize("seconds", [0, 3600])
def test_an_answer_that_is_not_read_is_dropped_after_a_while(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE", 0)
    monkeypatch.setattr(connections, "UNREAD", seconds)
    body = bytes(2**26)  # more than sockets hold
    state, closing = ServerState(), []

    class Closing(connections.Prompt):
        def on_response_complete(self) -> None:
            closing.append(self.transport)
            super().on_response_complete()

    async def scene() -> int:
        config = Config(Response(body), lifespan="off", log_level="critical")
        config.load()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Closing(config, state, {}), "127.0.0.1", 0)
        with socket.create_connection(server.sockets[0].getsockname()) as asking:
            asking.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await asyncio.to_thread(until, lambda: any(one.is_closing() for one in closing))
            await asyncio.to_thread(until, lambda: seconds > 0 or not state.connections)
            size = await asyncio.to_thread(read_whole, asking)
        server.close()
        return size

    dropped = in_thread(scene()) < len(body)
    assert dropped is (seconds == 0)


def read_whole(connection: socket.socket) -> int:
    """How many bytes come until the connection is closed, in peace or not."""
    size = 0
    with suppress(ConnectionResetError):
        while part := connection.recv(2**20):
            size += len(part)
    return size


def test_more_connections_than_there_may_be_are_sent_away(server: Server) -> None:
    def sent_away() -> bool:
        with ExitStack() as slow:  # all anew, because the server closes those that take too long
            for _ in range(connections.CONNECTIONS):
                one = slow.enter_context(opened(server))
                one.sendall(f"{HEAD}Content-Length: 100\r\n\r\ny,a".encode())
            return server.send("/")[0] == 503

    until(sent_away)
    until(lambda: server.send("/")[0] == 200)


# Ctrl-C.


def endless() -> tuple[str, bytes]:
    """A question that takes minutes: two hundred classifiers, every two of which are compared."""
    names = [f"c{k}" for k in range(200)]
    rows = "".join(",".join(str(row * k % 7 % 2) for k in range(1, 202)) + "\n" for row in range(100))
    query = urlencode([("name", "p.csv"), ("truth", "y"), *(("predictions", name) for name in names)])
    return f"/answer/compare?{query}", f"{','.join(['y', *names])}\n{rows}".encode()


def computing(server: Server) -> socket.socket:
    """A question under way, by a process that had nothing else to do."""
    path, raw = endless()
    assert server.send("/columns?name=p.csv", ROWS)[0] == 200  # so one has started
    started_by_it = sum(map(spent, workers(server)))
    connection = http.client.HTTPConnection(urlsplit(server.address).netloc)
    connection.request("POST", path, raw, BINARY)
    until(lambda: sum(map(spent, workers(server))) > started_by_it + 0.5)
    return connection.sock


def spent(process: int) -> float:
    """Seconds of the processor."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def half_sent(server: Server) -> socket.socket:
    held = opened(server)
    held.sendall(f"{HEAD}Content-Length: 100\r\n\r\ny,a".encode())
    return held


def half_a_head(server: Server) -> socket.socket:
    held = opened(server)
    held.sendall(HEAD.encode())
    return held


@pytest.mark.parametrize("doing", [[opened, half_a_head, half_sent], [computing]], ids=["waiting", "computing"])
def test_ctrl_c_ends_it_whatever_it_does(doing: list[Callable[[Server], socket.socket]]) -> None:
    running = started("--limit", "640")  # and ten minutes for an answer
    try:
        with ExitStack() as held:
            for begin in doing:
                held.enter_context(begin(running))
            assert running.send("/")[0] == 200  # others are answered meanwhile
            started_by_it = workers(running)
            assert started_by_it
            assert ended(running) == (0, "")
            until(lambda: all(map(gone, started_by_it)))
    finally:
        running.process.kill()
        running.process.communicate()


def test_a_server_that_is_killed_leaves_no_process_behind() -> None:
    running = started("--limit", "640")
    with computing(running):
        started_by_it = workers(running)
        running.process.kill()
        running.process.communicate()
        until(lambda: all(map(gone, started_by_it)))


def test_ctrl_c_in_a_terminal_goes_to_the_server_alone(server: Server) -> None:
    until(lambda: all(os.getpgid(one) == one for one in workers(server)))


def test_a_process_that_has_just_ended_is_ended_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    async def ended_twice() -> None:
        worker = await asyncio.create_subprocess_exec("sleep", "1000")
        worker.send_signal(signal.SIGKILL)
        until(lambda: gone(worker.pid))
        await pool._end(worker)
        assert worker.returncode == -signal.SIGKILL

    for _ in range(40):  # some of which end before asyncio looks
        in_thread(ended_twice())
    assert not caplog.records
