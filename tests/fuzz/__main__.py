"""Go through cases for so many seconds, from a seed on: `python -m tests.fuzz 3600 1000000`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.fuzz.oracles import broken


def main(seconds: float, first: int) -> Sequence[int]:
    """Say which seeds break something, as they are found, and how many were tried."""
    end, found = monotonic() + seconds, []
    with TemporaryDirectory() as folder:
        for seed in count(first):
            if monotonic() > end:
                break
            if told := broken(seed, Path(folder)):
                found.append(seed)
                sys.stdout.write(f"{seed}: {told}\n")
    sys.stdout.write(f"{seed - first:,} cases, {len(found)} broken\n")
    return found


if __name__ == "__main__":
    sys.exit(bool(main(float(sys.argv[1]), int(sys.argv[2]))))
