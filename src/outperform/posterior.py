"""What a posterior is, and how it is drawn: streams of random numbers, gammas, batches.

Every cell has a stream of its own and reads it in order, so the numbers do not depend on how many
draws are made at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence

from outperform.contingency import Contingency, FloatArray
from outperform.measures import MeasureFunction

__all__ = [
    "BATCH", "Posterior", "Rng", "Segment", "as_seed", "batch_sizes", "gammas", "is_whole", "scores", "streams",
]  # fmt: skip

Rng: TypeAlias = int | np.integer | Generator | None
BATCH = 8_000  # temporaries of two columns stay below 128 KiB, from where on malloc hands out fresh pages


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
    """What a model believes after the data: joint draws of all classifiers' contingencies."""

    def contingencies(self, *, draws: int, seed: SeedSequence, batch: int = BATCH) -> Iterator[Contingency]:
        """Joint draws, in batches of arrays of shape (draws, classifiers)."""
        ...

    def segment(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> Segment | None:
        """Draws around the likeliest way for the first two to be equal; None where there is no such thing."""
        ...


def scores(
    posterior: Posterior, measure: MeasureFunction, *, draws: int, seed: SeedSequence, batch: int = BATCH
) -> FloatArray:
    """Evaluate a measure on joint draws; the result has shape (draws, classifiers)."""
    parts = posterior.contingencies(draws=draws, seed=seed, batch=batch)
    return np.concatenate([measure(contingency) for contingency in parts], axis=0)


def as_seed(rng: Rng) -> int:
    """One whole number that stands for `rng`; it goes in the signature and gives the same draws again."""
    if isinstance(rng, Generator):
        return int(rng.integers(2**63))
    if rng is None:
        return int(SeedSequence().generate_state(1)[0])
    if not is_whole(rng) or rng < 0:
        raise ValueError(f"rng must be None, a whole number of at least 0 or a Generator, got {rng!r}")
    return int(rng)


def is_whole(value: object) -> bool:
    """Whether something is a whole number; True and False are not meant as one."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def streams(seed: SeedSequence, count: int, *, each: int = 1) -> list[list[Generator]]:
    """Independent generators, one or more per cell. Spawned by key, so asking twice gives the same ones."""

    def stream(*key: int) -> Generator:
        return Generator(SFC64(SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))))

    return [[stream(k), *(stream(k, extra) for extra in range(1, each))] for k in range(count)]


def batch_sizes(draws: int, batch: int) -> Iterator[int]:
    """How `draws` are split: full batches and a rest."""
    for begin in range(0, draws, batch):
        yield min(batch, draws - begin)


def gammas(alpha: FloatArray, cells: Sequence[Sequence[Generator]], out: FloatArray) -> None:
    """Fill `out`, of shape (cells, draws), with gammas; over their sum they are Dirichlet proportions.

    Gammas of tiny shape underflow all together (at α = 0.001 one in sixteen draws of four cells
    would be 0/0), so where the weights add up to less than 1 they are made as logarithms,
    log Γ(α) = log Γ(α+1) − E/α with E exponential (from a second stream of the cell's), and each draw is
    scaled by its largest.
    """
    if not 0.0 < alpha.sum() < 1.0:
        for shape, (stream, *_), row in zip(alpha, cells, out, strict=True):
            stream.standard_gamma(shape, out=row)
        return
    for shape, (stream, other), row in zip(alpha, cells, out, strict=True):
        fall = other.standard_exponential(len(row)) / shape if shape > 0 else np.inf
        row[:] = np.log(stream.standard_gamma(shape + 1.0, len(row))) - fall
    np.exp(out - out.max(axis=0), out=out)
