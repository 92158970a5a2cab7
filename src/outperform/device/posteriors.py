"""Scores of posteriors, drawn on a device.

The models' own code runs there: it is given a generator of the device, whose arrays NumPy's functions accept. Where it
would draw row by row, or list the places that satisfy a condition, it is replaced by what suits a device.

Draws come in blocks whose size depends on the posterior and on the kind of device alone, each from its own stream. So
the numbers do not depend on how much memory is free.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from typing import Any, cast

import numpy as np
from numpy.random import SeedSequence

from outperform.data.contingency import Contingency, FloatArray, combine
from outperform.device.arrays import DeviceArray, on_device
from outperform.device.rng import Device, DeviceRng
from outperform.measures.of_counts import MeasureFunction
from outperform.models.derived import OneClass, RightPosterior, SideBySide
from outperform.models.dirichlet import DirichletPosterior
from outperform.models.multilabel import LabelsPosterior
from outperform.models.outcomes import OutcomePosterior
from outperform.models.patterns import PatternPosterior
from outperform.models.posterior import Posterior
from outperform.models.relevant import ItemBootstrap
from outperform.models.right_or_wrong import ManyRight
from outperform.models.spread import AtomOutcome, IndependentSpread, PooledSpread, Spread
from outperform.models.trend import TrendPosterior
from outperform.models.units import EachUnit, UnitsPosterior

__all__ = ["contributions_of", "in_device_blocks", "note_of", "runs_on_device", "scores_of", "usual_draws_of"]

AS_IT_IS = (
    EachUnit, ItemBootstrap, LabelsPosterior, ManyRight, PatternPosterior, RightPosterior, TrendPosterior,
    UnitsPosterior,
)  # fmt: skip
ON_HOST = "The draws were made by NumPy: this prior or model does not run on a device."
BITS = 61  # of whole numbers that sums of masses are written in


def scores_of(
    posterior: Posterior, measure: MeasureFunction, *, draws: int, seed: SeedSequence, device: Device | None
) -> FloatArray:
    """Evaluate a measure on joint draws, on a device if the posterior has code for it; as `Posterior.scores`."""
    if device is None or not runs_on_device(posterior):
        return posterior.scores(measure, draws=draws, seed=seed)
    if isinstance(posterior, TrendPosterior):
        return np.asarray(_trend(posterior, measure, draws=draws, seed=seed, device=device))
    return posterior.placed(measure, _drawn(posterior, measure, draws=draws, seed=seed, device=device))


def _drawn(
    posterior: Posterior, measure: MeasureFunction, *, draws: int, seed: SeedSequence, device: Device
) -> FloatArray:
    """Evaluate a measure on joint draws on a device."""
    ready = adapted(posterior)

    def block(rng: DeviceRng, size: int) -> FloatArray:
        found = ready.contingency(cast(Any, rng), size)
        like = cast(DeviceArray, found.hit).tensor
        return measure(combine(lambda x: cast(FloatArray, on_device(x, like)), found))

    return in_device_blocks(block, posterior.cells, draws=draws, seed=seed, device=device)


def contributions_of(
    posterior: Posterior, by_class: MeasureFunction, *, draws: int, few: int, seed: SeedSequence, device: Device
) -> tuple[FloatArray, FloatArray | None]:
    """Return the sums over classes of all draws, and the contributions of the classes to a few of them.

    Under a trend there are none with more than two systems.
    """
    if isinstance(posterior, TrendPosterior):
        parts = _trend(posterior, by_class, draws=draws, seed=seed, device=device)
        if parts.ndim == 2:
            return parts, None
        some = parts[:: -(-draws // few)]  # of both orders of the systems
        return np.asarray(parts.sum(axis=-1)), np.asarray(some)
    kept: list[FloatArray] = []

    def total(c: Contingency) -> FloatArray:
        parts = by_class(c)
        missing = few - sum(map(len, kept))
        if missing > 0:
            kept.append(np.asarray(parts[:missing]))
        scores: FloatArray = parts.sum(axis=-1)
        return scores

    scores = _drawn(posterior, total, draws=draws, seed=seed, device=device)
    return posterior.placed(by_class, scores), posterior.placed(by_class, np.concatenate(kept))


def _trend(
    posterior: TrendPosterior, measure: MeasureFunction, *, draws: int, seed: SeedSequence, device: Device
) -> FloatArray:
    """Draw on a device, where the draws stay: the second of two systems is moved by the means of all draws."""
    blocks = partial(in_device_blocks, device=device, stay=True)
    with device.computing(f"{draws:,} draws of {posterior.items.classes:,} classes"):
        return posterior.drawn(measure, draws, seed, blocks)


def usual_draws_of(posterior: Posterior, wanted: int, fewest: int, device: Device | None) -> int:
    """Return the default number of draws of a posterior where it is drawn."""
    if device is None or not runs_on_device(posterior):
        return posterior.usual_draws(wanted, fewest)
    return device.usual_draws(posterior.cells, wanted, fewest)


def note_of(posterior: Posterior, device: Device | None) -> tuple[str, ...]:
    """Return a note if a posterior is drawn by NumPy although a device was asked for."""
    return () if device is None or runs_on_device(posterior) else (ON_HOST,)


def in_device_blocks(
    task: Callable[[DeviceRng, int], Any],
    numbers: int,
    *,
    draws: int,
    seed: SeedSequence,
    device: Device,
    stay: bool = False,
) -> FloatArray:
    """Return draws of so many numbers each, drawn block by block and copied to the host, unless they are to stay."""
    size = device.block_size(numbers)
    with device.computing(f"a block of {min(size, draws):,} draws of {numbers:,} numbers"):
        blocks = (task(device.stream(seed, k), min(size, draws - k * size)) for k in range(-(-draws // size)))
        drawn: FloatArray = np.concatenate([block if stay else np.asarray(block) for block in blocks])
        return drawn


@singledispatch
def runs_on_device(posterior: object) -> bool:
    """Return whether a posterior is drawn on a device; the others are drawn by NumPy."""
    return isinstance(posterior, (DirichletPosterior, OutcomePosterior, *AS_IT_IS))


@runs_on_device.register
def _(posterior: SideBySide) -> bool:
    return all(map(runs_on_device, posterior.posteriors))


@runs_on_device.register
def _(posterior: OneClass) -> bool:
    return runs_on_device(posterior.whole)


@singledispatch
def adapted(posterior: Posterior) -> Posterior:
    """Return a posterior whose code suits a device; itself by default."""
    return posterior


@adapted.register
def _(posterior: SideBySide) -> Posterior:
    return SideBySide(tuple(map(adapted, posterior.posteriors)))


@adapted.register
def _(posterior: OneClass) -> Posterior:
    return OneClass(adapted(posterior.whole))


@adapted.register
def _(posterior: OutcomePosterior) -> Posterior:
    return replace(posterior, spread=DenseSpread(posterior.spread)) if posterior.sticks else posterior


@dataclass(frozen=True, eq=False)
class DenseSpread:
    """A distribution of the prior's pseudo-items that draws a wrong prediction for every atom, right or not.

    Listing the wrong ones would take longer than to draw a prediction for all.
    """

    spread: Spread

    def fates(self, rng: Any, shape: tuple[int, int, int]) -> list[AtomOutcome]:
        """Draw the outcomes of atoms, one per classifier."""
        if isinstance(self.spread, IndependentSpread):
            found = self._independent(self.spread, rng, shape)
        else:
            assert isinstance(self.spread, PooledSpread)
            found = self._pooled(self.spread, rng, shape)
        return cast(list[AtomOutcome], found)

    def _independent(
        self, spread: IndependentSpread, rng: DeviceRng, shape: tuple[int, int, int]
    ) -> list[DenseOutcome]:
        fates = []
        true = _classes(rng, shape[0])
        for eta in spread.eta.draw(cast(Any, rng), shape[-1]):
            right = rng.random(shape, np.float32) < eta
            label = rng.integers(0, shape[0] - 1, shape).tensor
            fates.append(DenseOutcome(right, label + (label >= true)))
        return fates

    def _pooled(self, spread: PooledSpread, rng: DeviceRng, shape: tuple[int, int, int]) -> list[DenseOutcome]:
        flag = spread.kinds.draw(cast(Any, rng), shape)
        like = rng.device.tensor(spread.popularity)
        alike = on_device(flag(spread.alike), like).tensor
        common = _wrong_labels(spread, rng, shape)
        fates = []
        for column in spread.right.T:
            label = rng.torch.where(alike, common, _wrong_labels(spread, rng, shape))
            fates.append(DenseOutcome(on_device(flag(column), like), label))
        return fates


@dataclass(frozen=True, eq=False)
class DenseOutcome:
    """The outcome of one classifier for the atoms: where it is right, and what it predicts where it is not."""

    right: DeviceArray
    label: Any

    def predicted(self, mass: Any) -> DeviceArray:
        """Return the masses of wrong predictions by predicted class, of shape (classes, draws).

        As whole numbers, whose sum is the same in any order: a device adds in an order that varies.
        """
        masses, (classes, _, draws) = mass.tensor, mass.shape
        unit = 2.0 ** (BITS - np.frexp(float(masses.sum((0, 1)).max()))[1])
        whole = (masses * ~self.right.tensor * unit).long()
        sums = whole.new_zeros((classes, draws))
        sums.scatter_add_(0, self.label.reshape(-1, draws), whole.reshape(-1, draws))
        return DeviceArray(sums.double() / unit)


def _wrong_labels(spread: PooledSpread, rng: DeviceRng, shape: tuple[int, int, int]) -> Any:
    """Draw any class but the true one by popularity: the true one is cut out of the cumulative line."""
    torch, true = rng.torch, _classes(rng, shape[0])
    # Single precision halves the memory; its error of 1e-7 is far below Monte-Carlo error.
    popularity = rng.device.tensor(spread.popularity, torch.float32)[:, None, None]
    ends = rng.device.tensor(np.cumsum(spread.popularity), torch.float32)
    lot = rng.random(shape, np.float32).tensor.mul_(ends[-1] - popularity)
    lot += popularity * (lot >= ends[:, None, None] - popularity)
    label = torch.searchsorted(ends, lot, right=True).clamp_(max=shape[0] - 1)
    return torch.where(label == true, (true + 1) % shape[0], label)  # rounding at the cut


def _classes(rng: DeviceRng, classes: int) -> Any:
    """Return the numbers of the classes, as the first of three axes."""
    return rng.torch.arange(classes, device=rng.device.name)[:, None, None]
