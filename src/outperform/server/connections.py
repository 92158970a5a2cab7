"""Connections that are closed when nothing comes: uvicorn waits for ever for a first request or the rest of a head."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["CONNECTIONS", "IDLE", "Prompt"]

IDLE = 5  # seconds in which the next request must have begun, with its whole head
UNREAD = 60  # seconds in which the last answer must have been read
CONNECTIONS = 256  # at a time; requests on more of them are sent away


class Prompt(H11Protocol):  # type: ignore[misc]  # uvicorn is not read by the checker
    """HTTP/1.1 on one connection."""

    def connection_made(self, transport: Any) -> None:
        """Expect a first request."""
        super().connection_made(transport)
        self._expect()

    def on_response_complete(self) -> None:
        """Expect a further request."""
        self._expect()
        super().on_response_complete()

    def _expect(self) -> None:
        before = self.cycle

        def check() -> None:
            if self.cycle is before:
                self.transport.close()
                self.loop.call_later(UNREAD, self.transport.abort)

        self.loop.call_later(IDLE, check)
