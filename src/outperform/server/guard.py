"""Checks of requests: only pages of this server may send them, under its own names, and no form of another page.

A page elsewhere may have its name point to this machine (DNS rebinding), or send a form here; neither gets an answer.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from ipaddress import ip_address
from json import dumps
from socket import gethostname
from typing import Any, TypeAlias

__all__ = ["HEADERS", "RefusedError", "check", "guarded", "is_loopback", "own_names"]

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]
Names: TypeAlias = Callable[[str], bool]

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")
HOST = re.compile(r"(?:\[([0-9a-f:.]*:[0-9a-f:.]*)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class RefusedError(Exception):
    """A request that is not answered: an HTTP status, and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on this host."""
    return host.lower() in LOOPBACK or (_is_address(host) and ip_address(host).is_loopback)


def own_names(host: str) -> Names:
    """The names of a server on this host; on all addresses of a machine, any address and the machine's name.

    An address cannot be made to point elsewhere, only names can. Ports may be forwarded, so they are not looked at.
    """
    names = {*LOOPBACK, gethostname().lower() if host in EVERYWHERE else host.lower()}

    def known(name: str) -> bool:
        return name in names or (host in EVERYWHERE and _is_address(name))

    return known


def check(method: str, headers: Mapping[str, str], names: Names) -> None:
    """Refuse a request that does not come from a page of this server."""
    host = headers.get("host", "")
    if not names(_name(host)):
        raise RefusedError(421, f"this server is not called {host!r}; open the address that it printed")
    if method in ("GET", "HEAD"):
        return
    origin = headers.get("origin")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        raise RefusedError(403, "only the page of this server may ask it")
    if headers.get("content-type") != "application/octet-stream":
        raise RefusedError(415, "send the data as application/octet-stream")


def guarded(app: App, names: Names) -> App:
    """The same application, with every request checked and every answer under the rules of `HEADERS`."""

    async def answer(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
        if scope["type"] != "http":
            return

        async def ruled(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {key for key, _ in message["headers"]}
                rules = [(key.encode(), value.encode()) for key, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *(rule for rule in rules if rule[0] not in given)]
            await send(message)

        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        try:
            check(scope["method"], headers, names)
        except RefusedError as refusal:
            body = dumps({"error": str(refusal)}).encode()
            start = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
            await ruled({"type": "http.response.start", "status": refusal.status, "headers": start})
            await ruled({"type": "http.response.body", "body": body})
        else:
            await app(scope, receive, ruled)

    return answer


def _name(host: str) -> str:
    """The name in a Host header without its port, in lower case; "" where the header is anything else than that."""
    found = HOST.fullmatch(host)
    return (found[1] or found[2]).lower() if found else ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
