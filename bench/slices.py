"""How often intervals hold the truth where slices learn from each other, and how much narrower they are.

    python -m bench.slices --studies 250

Eight slices of 40 to 1,500 items, whose proportions lie around common ones as Dir(W m) says: far apart for W = 10, the
same in all for W = ∞. Each study is compared with the uniform prior, slice by slice, and with the partial one.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

import outperform as op
from outperform.data.contingency import FloatArray

SIZES = (40, 60, 100, 150, 250, 400, 700, 1500)
MU, POSITIVE, NEGATIVE = np.array([0.3, 0.7]), np.array([0.65, 0.15, 0.05, 0.15]), np.array([0.03, 0.05, 0.04, 0.88])
SAID = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
WEIGHTS = (10.0, 50.0, 300.0, np.inf)
PRIORS = ("uniform", "partial")


def world(rng: Generator, weight: float) -> tuple[float, FloatArray]:
    """The true difference of two F1 scores in a slice, and the probabilities of its eight outcomes."""
    mu, positive, negative = (m if np.isinf(weight) else rng.dirichlet(weight * m) for m in (MU, POSITIVE, NEGATIVE))
    hit, wrong = mu[0] * positive @ SAID, mu[1] * negative @ SAID
    f1 = 2 * hit / (mu[0] + hit + wrong)
    return float(f1[0] - f1[1]), np.concatenate([mu[0] * positive, mu[1] * negative])


def study(rng: Generator, weight: float) -> dict[str, list[tuple[bool, float]]]:
    """For each prior, whether the interval of each slice holds the truth, and how wide it is."""
    worlds = [world(rng, weight) for _ in SIZES]
    n = np.concatenate([rng.multinomial(size, p) for size, (_, p) in zip(SIZES, worlds, strict=True)])
    truth, said = np.tile(np.repeat([1, 0], 4), len(SIZES)), np.tile(SAID, (2 * len(SIZES), 1))
    by = np.repeat(np.arange(len(SIZES)), 8)
    counts = op.Counts.from_labels(truth, {"a": said[:, 0], "b": said[:, 1]}, n=n, by=by, labels=[0, 1])
    seed, found = int(rng.integers(2**31)), {}
    for prior in PRIORS:
        rows: Any = op.compare(counts, model=op.Paired(prior=prior), draws=4_000, rng=seed)
        each = [row.delta.hdi for row in rows]
        pairs = zip(each, worlds, strict=True)
        found[prior] = [(low <= delta <= high, high - low) for (low, high), (delta, _) in pairs]
    return found


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("W      covered: uniform  partial   width of partial / uniform, smallest slice to largest")
    for weight in WEIGHTS:
        rng = default_rng(options.seed)
        studies = [study(rng, weight) for _ in range(options.studies)]
        held = {prior: np.array([own[prior] for own in studies]) for prior in PRIORS}
        covered = [f"{100 * held[prior][..., 0].mean():.1f}%" for prior in PRIORS]
        width = held["partial"][..., 1].mean(axis=0) / held["uniform"][..., 1].mean(axis=0)
        print(
            f"{weight:<6g} {covered[0]:>16}  {covered[1]:>7}   {' '.join(f'{ratio:.2f}' for ratio in width)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
