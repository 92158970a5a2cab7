"""What a posterior is, and how it is drawn: blocks of draws, each from a stream of its own, on all cores.

A block is a fixed number of draws that depends on the posterior alone, and its stream is found by its
number. So the numbers depend neither on how many blocks are drawn at a time nor on who draws them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence

from outperform.base.cores import on_all_cores
from outperform.base.limits import is_whole
from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import Measure, MeasureFunction
from outperform.models.chains import Trace

__all__ = [
    "Posterior", "Rng", "Segment", "as_seed", "block_size", "gammas", "gammas_of_counts", "in_blocks",
    "mirror", "on_all_cores", "stream", "usual_draws",
]  # fmt: skip

Rng: TypeAlias = int | np.integer | Generator | None

MOST_DRAWS = 6_250  # in a block: an eighth of 50,000, so that a few cores have equal shares
MOST_NUMBERS = 2**21  # in a block, 16 MiB
MOST_DRAWN = 100_000_000  # numbers, unless told how many draws to make: a second or two


@dataclass(frozen=True, eq=False)
class Segment:
    """Draws of everything but one Beta(a, b) variable φ, which is left to be integrated out exactly.

    Each draw's contingency is linear in φ: `start` at φ = 0, `end` at φ = 1. The draws may come from
    elsewhere than the posterior; `log_weight` is the logarithm of what each one counts for.
    """

    start: Contingency
    end: Contingency
    a: float
    b: float
    log_weight: FloatArray


class Posterior(Protocol):
    """What a model believes after the data: joint draws of all classifiers' contingencies.

    A class that inherits from it need only say `cells` and `contingency`.
    """

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        ...

    @property
    def dirichlet_weights(self) -> tuple[FloatArray, ...]:
        """The weights of each block, where it is made of independent Dirichlet blocks."""
        return ()

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Joint draws: arrays of shape (draws, classifiers), and (…, classes) for more than two classes."""
        ...

    def reduced(self, average: str, measure: Measure) -> Posterior:  # noqa: ARG002
        """A cheaper posterior whose scores of this kind are distributed alike; itself where there is none."""
        return self

    def scores(
        self, measure: MeasureFunction, *, draws: int, seed: SeedSequence, workers: int | None = None
    ) -> FloatArray:
        """Evaluate a measure on joint draws; the result has shape (draws, classifiers)."""

        def block(rng: Generator, size: int) -> FloatArray:
            return measure(self.contingency(rng, size))

        return in_blocks(block, self.cells, draws=draws, seed=seed, workers=workers)

    def usual_draws(self, wanted: int, fewest: int) -> int:
        """How many draws to make where nobody says: fewer of a posterior so large that they would take long."""
        return usual_draws(self.cells, wanted, fewest)

    def trace(self, *, draws: int, seed: SeedSequence) -> Trace | None:  # noqa: ARG002
        """The Markov chains that these draws are of; None where draws are independent."""
        return None

    def remarks(self) -> tuple[str, ...]:
        """What a reader of the scores should know, a sentence each."""
        return ()

    def density_at_zero(self, measure: MeasureFunction) -> float | None:  # noqa: ARG002
        """Exact density of the difference of two at 0, maybe infinite; None where there is no closed form."""
        return None

    def segment(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> Segment | None:  # noqa: ARG002
        """Draws around the likeliest way for the first two to be equal; None where there is no such thing."""
        return None


def in_blocks(
    task: Callable[[Generator, int], FloatArray],
    cells: int,
    *,
    draws: int,
    seed: SeedSequence,
    workers: int | None = None,
) -> FloatArray:
    """Draws of so many numbers each, block by block, put one after the other."""
    size = block_size(cells)

    def block(k: int) -> FloatArray:
        return task(stream(seed, k), min(size, draws - k * size))

    return np.concatenate(list(on_all_cores(block, range(-(-draws // size)), workers)))


def usual_draws(cells: int, wanted: int, fewest: int) -> int:
    """How many draws of so many numbers to make where nobody says."""
    return min(wanted, max(fewest, MOST_DRAWN // cells))


def block_size(cells: int) -> int:
    """How many draws of so many numbers make a block."""
    return max(1, min(MOST_DRAWS, MOST_NUMBERS // max(cells, 1)))


def stream(seed: SeedSequence, k: int) -> Generator:
    """Generator of block k. Found by key, so asking twice gives the same one."""
    return Generator(SFC64(SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, k))))


def as_seed(rng: Rng) -> int:
    """One whole number that stands for `rng`; it goes in the signature and gives the same draws again."""
    if isinstance(rng, Generator):
        return int(rng.integers(2**63))
    if rng is None:
        return int(SeedSequence().generate_state(1)[0])
    if not is_whole(rng) or rng < 0:
        raise ValueError(f"rng must be None, a whole number of at least 0 or a Generator, got {rng!r}")
    return int(rng)


def gammas(alpha: FloatArray, rng: Generator, out: FloatArray) -> None:
    """Fill `out`, of shape (cells, draws), with gammas; over their sum they are Dirichlet proportions.

    Gammas of tiny shape underflow all together (at α = 0.001 one in sixteen draws of four cells
    would be 0/0), so where the weights add up to less than 1 they are made as logarithms,
    log Γ(α) = log Γ(α+1) − E/α with E exponential, and each draw is scaled by its largest.
    """
    if not 0.0 < alpha.sum() < 1.0:
        for shape, row in zip(alpha, out, strict=True):
            rng.standard_gamma(shape, out=row)
        return
    for shape, row in zip(alpha, out, strict=True):
        fall = rng.standard_exponential(len(row)) / shape if shape > 0 else np.inf
        row[:] = np.log(rng.standard_gamma(shape + 1.0, len(row))) - fall
    np.exp(out - out.max(axis=0), out=out)


def gammas_of_counts(n: FloatArray, rng: Generator, draws: int) -> FloatArray:
    """Gammas of shape (rows, draws), for rows of so many items; quick for rows of one that come before all others."""
    first = int(np.argmax(n != 1)) if (n != 1).any() else len(n)
    drawn = np.empty((len(n), draws))
    rng.standard_exponential(out=drawn[:first])
    drawn[first:] = rng.standard_gamma(n[first:, None], (len(n) - first, draws))
    return drawn


def mirror(drawn: FloatArray) -> None:
    """Make the second half of the draws the mirror image of the first, in place."""
    half = len(drawn) // 2
    drawn[len(drawn) - half :] = drawn[:half, ::-1]
    if len(drawn) % 2:
        drawn[half] = drawn[half].mean(axis=0)
