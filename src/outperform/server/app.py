"""The routes. Every request brings its data and its settings; nothing is written anywhere."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from html import escape
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.requests import Request as Received
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import outperform
from outperform.datasets import newsgroups_path
from outperform.measures.of_counts import MEASURES
from outperform.measures.of_items import ITEM_MEASURES
from outperform.render.report import hashed, sources
from outperform.server.guard import App, Names, RefusedError, guarded
from outperform.server.limits import Limits
from outperform.server.pool import Pool
from outperform.server.words import LESS

__all__ = ["application"]

PATIENCE = 60.0  # seconds for a request to arrive
# The report has a script of its own: it lives in a frame that has no origin and no network.
FRAMED = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src {scripts}; style-src {style}; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
SCRIPT = re.compile("<script>(.*?)</script>", re.DOTALL)


def application(names: Names, limits: Limits) -> App:
    """The page and what it asks, for requests to these names."""
    desk = Desk(limits)
    page = _text("page.html").replace("{limit}", str(limits.size)).replace("{version}", outperform.__version__)
    many = {name for name, measure in MEASURES.items() if measure.multiclass is not None}
    page = page.replace("{measures}", _options(MEASURES, many)).replace("{item_measures}", _options(ITEM_MEASURES))
    fixed = {
        "/": Response(page, media_type="text/html"),
        "/page.css": Response(_text("page.css"), media_type="text/css"),
        "/page.js": Response(_text("page.js"), media_type="text/javascript"),
        "/frame": _frame(),
        "/example": Response(newsgroups_path().read_bytes(), media_type="application/gzip"),
    }
    routes = [Route(path, _always(response)) for path, response in fixed.items()]
    posted = ("/columns", "/answer/{verb}", "/write/{verb}/{format}")
    routes += [Route(path, desk.reply, methods=["POST"]) for path in posted]
    return guarded(Starlette(routes=routes, lifespan=desk.lifespan), names)


class Desk:
    """Takes requests in, and has them answered once they have arrived."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.pool = Pool(limits)
        self.held = 0  # bytes that have arrived and are not answered yet

    async def reply(self, received: Received) -> Response:
        """Answer a request."""
        try:
            async with self._arrived(received) as raw:
                reply = await self.pool.reply(received, raw)
            return Response(reply.body, reply.status, media_type=reply.media)
        except RefusedError as refusal:
            return _error(refusal.status, str(refusal))
        except ClientDisconnect:
            return _error(400, "the request did not arrive whole")

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Begin with a process that is ready, and leave none behind."""
        await self.pool.start()
        try:
            yield
        finally:
            await self.pool.close()

    @asynccontextmanager
    async def _arrived(self, received: Received) -> AsyncIterator[bytearray]:
        """Everything that was sent, which is counted until the request is answered."""
        raw = bytearray()
        try:
            await self._receive(received, raw)
            yield raw
        finally:
            self.held -= len(raw)

    async def _receive(self, received: Received, raw: bytearray) -> None:
        """Take what comes; what is too large is refused as soon as that is known."""
        self._check(int(received.headers.get("content-length", 0)))
        try:
            async with asyncio.timeout(PATIENCE):
                async for part in received.stream():
                    self._check(len(raw) + len(part))
                    raw += part
                    self.held += len(part)
        except TimeoutError:
            raise RefusedError(408, f"the file did not arrive within {PATIENCE:g} seconds") from None

    def _check(self, size: int) -> None:
        if size > self.limits.size:
            most = f"{self.limits.size / 1e6:g} MB"
            raise RefusedError(413, f"a file may have {most} here; {LESS}")
        if self.held > self.limits.arriving:
            raise RefusedError(503, "too many files at once; try again in a moment")


def _frame() -> Response:
    """The frame of a report: it runs its own script and the report's, known by their hashes, and no other."""
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


def _options(names: Iterable[str], multiclass: Collection[str] = ()) -> str:
    """The options of a choice; measures with a form for many classes are marked."""
    return "".join(f"<option{' data-own' if name in multiclass else ''}>{escape(name)}</option>" for name in names)


def _text(name: str) -> str:
    return (files("outperform.server") / "assets" / name).read_text(encoding="utf-8")
