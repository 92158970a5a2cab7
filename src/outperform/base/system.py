"""What operating systems do differently, in one place: cores, links, the end of a process, memory, quotes."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["end_process", "limit_memory", "link", "quoted", "usable_cores"]


def usable_cores() -> int:
    """Return the number of cores that this process may use; where the system does not tell, all that there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def link(file: Path, target: Path) -> bool:
    """Make a link to a file and return True; False where the system has none or asks for rights, as Windows does."""
    with suppress(OSError, NotImplementedError):
        file.symlink_to(target)
        return True
    return False


def end_process(pid: int) -> None:
    """End a process at once; one that has ended already is no error."""
    with suppress(OSError if sys.platform == "win32" else ProcessLookupError):
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows has one signal, which ends at once


def limit_memory(most: int) -> None:
    """Let this process take at most so many bytes more than now; only Linux counts what is allocated, not reserved."""
    if sys.platform != "linux":
        return
    import resource

    found = re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    limit = most + (int(found[1]) * 1024 if found else 0)
    with suppress(ValueError):  # a limit that is lower already
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def quoted(words: Iterable[str]) -> str:
    """Return words as they are typed, quoted for a POSIX shell or for those of Windows, which share double quotes."""
    if sys.platform == "win32":
        from subprocess import list2cmdline

        return list2cmdline(list(words))
    return " ".join(shlex.quote(word) if word.isprintable() else f"$'{_in_bytes(word)}'" for word in words)


def _in_bytes(word: str) -> str:
    """Return a word between the quotes of `$'…'`; what cannot be printed, and so not be copied, by its bytes."""
    signs = (sign if sign.isprintable() and sign not in "\\'" else _as_bytes(sign) for sign in word)
    return "".join(signs)


def _as_bytes(sign: str) -> str:
    escaped = "\udc80" <= sign <= "\udcff"  # a byte of a file name that is no text
    return "".join(f"\\x{byte:02x}" for byte in sign.encode(errors="surrogateescape" if escaped else "surrogatepass"))
