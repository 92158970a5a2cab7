"""Run the benches that are named, or all of them, and print one table."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bench import (
    across,
    bayes_test,
    counting,
    density,
    draws,
    items,
    many,
    mcmc,
    peers,
    plan,
    planning,
    power,
    report,
    startup,
    trend,
)
from bench.harness import Row, render

BENCHES = {
    "draws": draws.bench,
    "counting": counting.bench,
    "startup": startup.bench,
    "density": density.bench,
    "many": many.bench,
    "mcmc": mcmc.bench,
    "peers": peers.bench,
    "bayes_test": bayes_test.bench,
    "power": power.bench,
    "plan": plan.bench,
    "planning": planning.bench,
    "items": items.bench,
    "across": across.bench,
    "report": report.bench,
    "trend": trend.bench,
}


def main(names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        sys.exit(f"no bench {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    rows: list[Row] = []
    for name in names or BENCHES:
        print(f"{name} …", file=sys.stderr, flush=True)
        rows += BENCHES[name]()
    print(render(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
