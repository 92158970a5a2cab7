"""The base class of posteriors, and drawing in blocks, each from its own random stream, on all cores.

A block is a fixed number of draws that depends on the posterior alone, and its stream is derived from its
number. So the draws depend neither on how many blocks are drawn at a time nor on which thread draws them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence

from outperform.base.cores import on_all_cores
from outperform.base.errors import shown
from outperform.base.limits import is_whole
from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import Measure, MeasureFunction
from outperform.models.chains import Trace
from outperform.models.exact import Exact

__all__ = [
    "Blocks", "Extending", "Posterior", "Rng", "Segment", "as_seed", "block_size", "child", "gammas", "in_blocks",
    "mirror", "on_all_cores", "scored", "stream", "usual_draws",
]  # fmt: skip

Rng: TypeAlias = int | np.integer | Generator | None
Blocks: TypeAlias = Callable[..., FloatArray]  # as `in_blocks`: draws on all cores, or on a device

MOST_DRAWS = 6_250  # per block: an eighth of 50,000, so that a few cores have equal shares
MOST_NUMBERS = 2**21  # per block, 16 MiB
MOST_SEED = 2**128  # of seeds: the entropy of a SeedSequence of numpy
MOST_DRAWN = 100_000_000  # random numbers in all by default: a second or two


@dataclass(frozen=True, eq=False)
class Segment:
    """Draws of everything but one Beta(a, b) variable φ, which is integrated out exactly.

    Each draw's contingency is linear in φ: `start` at φ = 0, `end` at φ = 1. The draws may come from
    another distribution than the posterior; `log_weight` holds their log importance weights.
    """

    start: Contingency
    end: Contingency
    a: float
    b: float
    log_weight: FloatArray


class Extending(Protocol):
    """What makes many draws of two scores from few joint ones."""

    def extended(
        self, measure: MeasureFunction, *, draws: int, like: int, seed: SeedSequence
    ) -> tuple[FloatArray, Callable[[int], FloatArray]] | None:
        """Return many draws that are as accurate as `like` joint ones, and what makes so many joint ones by class.

        The measure gives the contributions of classes. None if it cannot be extended.
        """


class Posterior(Protocol):
    """The posterior of a model: joint draws of the contingencies of all classifiers.

    A subclass has to define only `cells` and `contingency`.
    """

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        ...

    @property
    def dirichlet_weights(self) -> tuple[FloatArray, ...]:
        """The weights of each block, if it is made of independent Dirichlet blocks."""
        return ()

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw jointly: arrays of shape (draws, classifiers), and (…, classes) for more than two classes."""
        ...

    def reduced(self, average: str, measure: Measure) -> Posterior:  # noqa: ARG002
        """Return a cheaper posterior with the same distribution of this score; itself by default."""
        return self

    def scores(
        self, measure: MeasureFunction, *, draws: int, seed: SeedSequence, workers: int | None = None
    ) -> FloatArray:
        """Evaluate a measure on joint draws; the result has shape (draws, classifiers)."""
        return scored(self, measure, partial(in_blocks, workers=workers), draws=draws, seed=seed)

    def placed(self, measure: MeasureFunction, scores: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return draws of scores, or of contributions to them, with the mean and the spread that are estimated of them.

        As they are by default.
        """
        return scores

    def unseen(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> FloatArray | None:  # noqa: ARG002
        """Draw what unobserved units could add to a score; None if pseudo-items of the prior stand for them."""
        return None

    def expanded(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> FloatArray | None:  # noqa: ARG002
        """Draw scores without a draw of all that they depend on; None if that is not accurate."""
        return None

    @property
    def extending(self) -> Extending | None:
        """What makes many draws of two scores from few joint ones; None if those are cheap, or it is not possible."""
        return None

    def usual_draws(self, wanted: int, fewest: int) -> int:
        """Return the default number of draws: fewer for a posterior whose draws are expensive."""
        return usual_draws(self.cells, wanted, fewest)

    def trace(self, *, draws: int, seed: SeedSequence) -> Trace | None:  # noqa: ARG002
        """Return the Markov chains of these draws; None if draws are independent."""
        return None

    def remarks(self) -> tuple[str, ...]:
        """Return notes for the reader of the scores, one sentence each."""
        return ()

    def exact(self, measure: MeasureFunction) -> Exact | None:  # noqa: ARG002
        """Return the posteriors of one score, or of two and their difference, without draws; None if not possible."""
        return None

    def density_at_zero(self, measure: MeasureFunction) -> float | None:  # noqa: ARG002
        """Return the exact density of the difference of two at 0, possibly infinite; None without a closed form."""
        return None

    def segment(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> Segment | None:  # noqa: ARG002
        """Draw around the most probable way for the first two to be equal; None if not supported."""
        return None


def in_blocks(
    task: Callable[[Generator, int], FloatArray],
    cells: int,
    *,
    draws: int,
    seed: SeedSequence,
    workers: int | None = None,
) -> FloatArray:
    """Return draws of `cells` numbers each, drawn block by block and concatenated."""
    size = block_size(cells)

    def block(k: int) -> FloatArray:
        return task(stream(seed, k), min(size, draws - k * size))

    return np.concatenate(list(on_all_cores(block, range(-(-draws // size)), workers)))


def scored(
    posterior: Posterior, measure: MeasureFunction, blocks: Blocks, *, draws: int, seed: SeedSequence
) -> FloatArray:
    """Evaluate a measure on joint draws, made in blocks."""
    return blocks(lambda rng, size: measure(posterior.contingency(rng, size)), posterior.cells, draws=draws, seed=seed)


def usual_draws(cells: int, wanted: int, fewest: int) -> int:
    """Return the default number of draws of `cells` numbers each."""
    return min(wanted, max(fewest, MOST_DRAWN // cells))


def block_size(cells: int) -> int:
    """Return the number of draws of `cells` numbers each that make a block."""
    return max(1, min(MOST_DRAWS, MOST_NUMBERS // max(cells, 1)))


def stream(seed: SeedSequence, k: int) -> Generator:
    """Return the generator of block k. It is derived by key, so it is the same every time."""
    return Generator(SFC64(child(seed, k)))


def child(seed: SeedSequence, *keys: int) -> SeedSequence:
    """Return the seed that is derived from another one by keys."""
    return SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *keys))


def as_seed(rng: Rng) -> int:
    """Return one whole number for `rng`, which goes in the signature and reproduces the draws."""
    if isinstance(rng, Generator):
        return int(rng.integers(2**63))
    if rng is None:
        return int(SeedSequence().generate_state(1)[0])
    if not is_whole(rng) or rng < 0:
        raise ValueError(f"rng must be None, a whole number of at least 0 or a Generator, got {shown(rng)}")
    if rng >= MOST_SEED:
        raise ValueError(f"rng must be below 2^128, got {shown(rng)}; 0 is typical")
    return int(rng)


def gammas(alpha: FloatArray, rng: Generator, out: FloatArray) -> None:
    """Fill `out`, of shape (cells, draws), with gammas; divided by their sum they are Dirichlet proportions.

    Gammas of tiny shape all underflow (at α = 0.001 one in sixteen draws of four cells
    would be 0/0), so if the weights add up to less than 1 they are computed as logarithms,
    log Γ(α) = log Γ(α+1) − E/α with E exponential, and each draw is divided by its largest.
    """
    if not 0.0 < alpha.sum() < 1.0:
        for shape, row in zip(alpha, out, strict=True):
            rng.standard_gamma(shape, out=row)
        return
    for shape, row in zip(alpha, out, strict=True):
        fall = rng.standard_exponential(len(row)) / shape if shape > 0 else np.inf
        row[:] = np.log(rng.standard_gamma(shape + 1.0, len(row))) - fall
    np.exp(out - out.max(axis=0), out=out)


def mirror(drawn: FloatArray) -> None:
    """Make the second half of the draws the mirror image of the first, in place."""
    half = len(drawn) // 2
    drawn[len(drawn) - half :] = drawn[:half, ::-1]
    if len(drawn) % 2:
        drawn[half] = drawn[half].mean(axis=0)
