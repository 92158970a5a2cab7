"""The process that computes: it reads requests from standard input and writes replies to standard output.

It is not the server's own process, so that the server can end it, whatever library it is in. A request and a reply are
a line of JSON and so many bytes: unlike a pickle, a reply to a hostile file cannot harm the server.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Thread
from time import sleep

from outperform.base.sentences import worded
from outperform.base.system import limit_memory
from outperform.server.answer import Answers, Data
from outperform.server.limits import Limits
from outperform.server.request import Request
from outperform.server.words import page

__all__ = ["Reply", "respond"]

JSON, TEXT = "application/json", "text/plain"


@dataclass(frozen=True)
class Reply:
    """A reply of the server: an HTTP status, the type of the text, and the text."""

    status: int
    media: str
    body: bytes


def respond(answers: Answers, path: str, query: Iterable[tuple[str, str]], raw: bytes) -> Reply:
    """Answer a request, or say in a sentence why not."""
    try:
        return _answered(answers, path.split("/")[1:], Request.of(query), Data(raw))
    except (ValueError, TypeError, ImportError) as error:
        return _json({"error": worded(error, page)}, 422)
    except MemoryError:
        raise
    except Exception as error:
        logging.getLogger(__name__).exception("a request failed")
        name = type(error).__name__
        return _json({"error": f"something went wrong that should not ({name}); the server has told where"}, 500)


def _answered(answers: Answers, steps: list[str], request: Request, data: Data) -> Reply:
    match steps:
        case ["answer", verb]:
            return _json(answers.answer(data, request, verb))
        case ["write", verb, format]:
            return Reply(200, TEXT, answers.written(data, request, verb, format).encode())
        case _:
            return _json(answers.columns(data, request))


def _json(content: object, status: int = 200) -> Reply:
    return Reply(status, JSON, json.dumps(content, ensure_ascii=False, allow_nan=False).encode())


def _follow(server: int) -> None:
    """End with the server, even if it was killed in the middle of a request.

    On Windows the parent's number stays, and this process ends with the request, when standard input is closed.
    """
    while os.getppid() == server:
        sleep(1)
    os._exit(1)


def main() -> None:
    """Reply until there are no more requests."""
    Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    output = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no reply
    answers = Answers(Limits(int(sys.argv[1])))
    limit_memory(answers.limits.memory)
    with os.fdopen(output, "wb") as replies:
        for line in sys.stdin.buffer:
            request = json.loads(line)
            try:
                reply = respond(answers, request["path"], request["query"], sys.stdin.buffer.read(request["size"]))
            except MemoryError:
                os._exit(1)  # what is left is not to be relied on; the server starts another
            head = {"status": reply.status, "media": reply.media, "size": len(reply.body)}
            replies.write(json.dumps(head).encode() + b"\n" + reply.body)
            replies.flush()


if __name__ == "__main__":
    main()
