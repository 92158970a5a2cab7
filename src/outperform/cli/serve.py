"""The command that starts the page."""

from __future__ import annotations

import errno
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from outperform.base.errors import DataError, need
from outperform.cli.framework import Grouped

if TYPE_CHECKING:
    import socket

__all__ = ["serve"]


@click.command(cls=Grouped)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, metavar="N", help="Port (8765); 0 for any free one."
)
@click.option(
    "--host", default="127.0.0.1", metavar="NAME", help="Address to listen on; by default this machine alone."
)
@click.option("--open/--no-open", "open_", default=False, help="Open it in the browser.")
@click.option("--limit", type=click.IntRange(1), default=64, metavar="MB", help="Largest file, also unpacked (64).")
def serve(port: int, host: str, open_: bool, limit: int) -> None:
    """Serve a local web page: drop a file, choose columns and a measure, read the verdict.

    Files stay in memory and on this machine. Ctrl-C ends it.

    \b
    outperform serve --open
    """
    uvicorn = need("uvicorn", "serve")
    need("starlette.applications", "serve")
    from outperform.server.app import application
    from outperform.server.connections import CONNECTIONS, IDLE, Prompt
    from outperform.server.guard import is_loopback, own_names
    from outperform.server.limits import Limits

    listening = _listen(host, port)
    shown = "127.0.0.1" if host == "0.0.0.0" else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    if not is_loopback(host):
        click.echo(
            f"Anyone who reaches {host} can use this page; nothing asks who they are. Beyond a network that you trust, "
            "put a proxy with authentication before it.",
            err=True,
        )
    with suppress(KeyboardInterrupt):  # from the moment on at which the user is told of it
        click.echo(f"outperform is at {address} (Ctrl-C ends it)")
        if open_:
            import webbrowser

            webbrowser.open(address)
        app = application(own_names(host), Limits(limit * 1_000_000))
        config = uvicorn.Config(
            app,
            http=Prompt,
            ws="none",
            lifespan="on",
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=IDLE,
            timeout_graceful_shutdown=1,
        )
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """A socket on the port, or a sentence why there is none."""
    import socket

    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        reason = f"port {port} is taken" if taken else f"cannot listen on {host}, port {port} ({error.strerror})"
        raise DataError(f"{reason}; name another with --port, or 0 for any free one") from None
