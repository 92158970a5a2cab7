"""The command: parse, one library call, render; nothing else.

Results go to standard output, messages to standard error. Exit codes: 0 fine, 2 bad usage or bad
input, 3 a requirement that is not met.
"""

from outperform.cli.commands import main

__all__ = ["main"]
