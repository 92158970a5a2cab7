"""How long a fresh Python takes to import us and to answer from the command line."""

from __future__ import annotations

import subprocess
import sys

from bench.harness import Row, at_most, minima
from outperform.datasets import newsgroups_path

__all__ = ["bench"]

REPEAT = 12
COMMAND = "from outperform.cli import main; main()"
ARGUMENTS = ["--truth", "true", "--predictions", "svm_l2", "nb_mult", "--pos-label", "8", "--rope", "0.05"]


def bench() -> list[Row]:
    ours, verb, numpy, command, special = minima(
        lambda: _python("import outperform"),
        lambda: _python("import outperform as op; op.compare"),
        lambda: _python("import numpy"),
        lambda: _python(COMMAND, "compare", str(newsgroups_path()), *ARGUMENTS),
        lambda: _python("import numpy, scipy.special"),
        repeat=REPEAT,
    )
    return [
        Row("import outperform, against import numpy", ours, numpy, bar=at_most(1.3)),
        Row("import outperform as op; op.compare, against import numpy", verb, numpy),
        Row("outperform compare FILE, against import numpy, scipy.special", command, special, bar=at_most(3)),
    ]


def _python(code: str, *arguments: str) -> None:
    """Run code in a new process; an error there is an error here."""
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.DEVNULL)
