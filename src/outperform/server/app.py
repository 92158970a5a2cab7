"""The routes. Every request brings its data and its settings; nothing is written anywhere."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from html import escape
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.requests import Request as Received
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import outperform
from outperform.datasets import newsgroups_path
from outperform.items import ITEM_MEASURES
from outperform.measures import MEASURES
from outperform.render.report import hashed, sources
from outperform.server.answer import Answers, Data
from outperform.server.guard import App, Names, RefusedError, guarded
from outperform.server.request import Request
from outperform.server.words import spoken

__all__ = ["application"]

WORKERS = 4  # requests that are read and answered at a time
WAITING = 500  # requests that wait for their turn; more are sent away
PATIENCE = 60.0  # seconds for a request to arrive
# The report has a script of its own: it lives in a frame that has no origin and no network.
FRAMED = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src {scripts}; style-src {style}; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
SCRIPT = re.compile("<script>(.*?)</script>", re.DOTALL)


def application(names: Names, limit: int) -> App:
    """The page and what it asks, for requests to these names with at most so many bytes."""
    desk = Desk(limit)
    page = _text("page.html").replace("{limit}", str(limit)).replace("{version}", outperform.__version__)
    own = {name for name, measure in MEASURES.items() if measure.multiclass is not None}
    page = page.replace("{measures}", _options(MEASURES, own)).replace("{item_measures}", _options(ITEM_MEASURES))
    fixed = {
        "/": Response(page, media_type="text/html"),
        "/page.css": Response(_text("page.css"), media_type="text/css"),
        "/page.js": Response(_text("page.js"), media_type="text/javascript"),
        "/frame": _frame(),
        "/example": Response(newsgroups_path().read_bytes(), media_type="application/gzip"),
    }
    routes = [Route(path, _always(response)) for path, response in fixed.items()]
    routes += [
        Route("/columns", desk.columns, methods=["POST"]),
        Route("/answer/{verb}", desk.answer, methods=["POST"]),
        Route("/write/{verb}/{format}", desk.written, methods=["POST"]),
    ]
    return guarded(Starlette(routes=routes), names)


class Desk:
    """Takes requests in, a few at a time, and has them answered in threads."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.answers = Answers()
        self.room = WORKERS + WAITING
        self.turns = asyncio.Semaphore(WORKERS)

    async def columns(self, received: Received) -> Response:
        """What is in a file."""
        return await self._reply(received, lambda data, asked: JSONResponse(self.answers.columns(data, asked)))

    async def answer(self, received: Received) -> Response:
        """What the page shows."""
        verb = received.path_params["verb"]
        return await self._reply(received, lambda data, asked: JSONResponse(self.answers.answer(data, asked, verb)))

    async def written(self, received: Received) -> Response:
        """The same as a file."""
        verb, format = received.path_params["verb"], received.path_params["format"]
        return await self._reply(
            received,
            lambda data, asked: Response(self.answers.written(data, asked, verb, format), media_type="text/plain"),
        )

    async def _reply(self, received: Received, work: Callable[[Data, Request], Response]) -> Response:
        try:
            asked = Request.of(received.query_params.multi_items())
            async with self._turn():
                raw = await self._body(received)
                if await received.is_disconnected():
                    raise ClientDisconnect
                return await run_in_threadpool(lambda: work(Data.of(raw), asked))
        except RefusedError as refusal:
            return _error(refusal.status, str(refusal))
        except (ValueError, TypeError, ImportError) as error:
            return _error(422, spoken(str(error)))
        except ClientDisconnect:
            return _error(400, "the request did not arrive whole")
        except Exception as error:
            logging.getLogger(__name__).exception("a request failed")
            return _error(
                500, f"something went wrong that should not ({type(error).__name__}); the server has told where"
            )

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait for a turn, unless too many wait already."""
        if not self.room:
            raise RefusedError(503, "too many requests at once; try again in a moment")
        self.room -= 1
        try:
            async with self.turns:
                yield
        finally:
            self.room += 1

    async def _body(self, received: Received) -> bytes:
        """Everything that was sent; what is too large is refused as soon as that is known."""
        self._check(int(received.headers.get("content-length", 0)))
        held = bytearray()
        try:
            async with asyncio.timeout(PATIENCE):
                async for part in received.stream():
                    self._check(len(held) + len(part))
                    held += part
        except TimeoutError:
            raise RefusedError(408, f"the file did not arrive within {PATIENCE:g} seconds") from None
        return bytes(held)

    def _check(self, size: int) -> None:
        if size > self.limit:
            raise RefusedError(413, f"a file may have {self.limit / 1e6:g} MB here; use the command, or raise --limit")


def _frame() -> Response:
    """Where a report is written: it runs its own script and that of the report, known by their hashes, and no other."""
    text = _text("frame.html")
    script, style = sources()
    policy = FRAMED.format(scripts=" ".join([*map(hashed, SCRIPT.findall(text)), script]), style=style)
    return Response(text, media_type="text/html", headers={"content-security-policy": policy})


def _always(response: Response) -> Callable[[Received], Any]:
    async def reply(_: Received) -> Response:
        return response

    return reply


def _error(status: int, sentence: str) -> Response:
    return JSONResponse({"error": sentence}, status, {"retry-after": "1"} if status == 503 else None)


def _options(names: Iterable[str], own: Collection[str] = ()) -> str:
    """Choices; those are marked that have a form of their own for many classes."""
    return "".join(f"<option{' data-own' if name in own else ''}>{escape(name)}</option>" for name in names)


def _text(name: str) -> str:
    return (files("outperform.server") / "assets" / name).read_text(encoding="utf-8")
