"""Scores of items under random weights, drawn on a device.

Weights have the draws first and the items last, so that sorting items by score is a gather within a draw. Cumulative
sums are taken within chunks of sorted items and then over chunks: a device scans many short rows faster than few long
ones, and sums within a chunk have few terms. So for the area under the ROC curve weights have 32 bits, and only the
sums of chunks 64: an area is off by less than 1e-7, where the Monte-Carlo error is 1e-6 or more. All else has 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any, TypeAlias

import numpy as np
from numpy.random import SeedSequence

from outperform.data.contingency import FloatArray
from outperform.device.arrays import DeviceArray
from outperform.device.posteriors import in_device_blocks
from outperform.device.rng import Device, DeviceRng
from outperform.measures.scorers import Anything, Area, ColumnMeans, Mixture, Scorer, Selected
from outperform.models.weights import ItemWeights

__all__ = ["OWN_FUNCTION", "scored_on_device", "weighed_scores"]

OWN_FUNCTION = "The draws were made by NumPy: a function of your own does not run on a device."

Score: TypeAlias = Callable[[Any], Any]  # from weights (draws, rows) to scores (draws, systems), or (draws,)

CHUNK = 1_024
TINIEST = 1e-300


def scored_on_device(scorer: Scorer) -> bool:
    """Return whether a score is computed on a device."""
    return _known(scorer.source)


def weighed_scores(
    scorer: Scorer, weights: ItemWeights, *, draws: int, seed: SeedSequence, device: Device
) -> FloatArray:
    """Draw weights of the rows on a device, and the scores under them, of shape (draws, systems)."""
    anything, single = isinstance(scorer.source, Anything), _only_areas(scorer.source)
    score = None if anything else prepared(scorer.source, device)

    def block(rng: DeviceRng, size: int) -> Any:
        drawn: Any = weights.rows(_of_kinds(weights.shapes, rng, size, single=single))
        return scorer(drawn) if score is None else DeviceArray(score(drawn.tensor.T.contiguous()))

    return in_device_blocks(block, len(weights.size), draws=draws, seed=seed, device=device)


def _of_kinds(shapes: FloatArray, rng: DeviceRng, draws: int, *, single: bool) -> Any:
    """Draw the weights of the kinds, of shape (kinds, draws), those of one draw next to each other."""
    size = (draws, len(shapes))
    if not (shapes == 1).all():
        return rng.standard_gamma(shapes, size).T
    return rng.standard_exponential(size, np.float32 if single else np.float64).T


def _only_areas(source: object) -> bool:
    """Return whether all scores are areas under the ROC curve."""
    if isinstance(source, Mixture):
        return all(_only_areas(part) for system in source.systems for part in system)
    return isinstance(source, Area) and source.roc


def _known(source: object) -> bool:
    if isinstance(source, Mixture):
        return all(_known(part) for system in source.systems for part in system)
    return _known(source.source) if isinstance(source, Selected) else source is not None


@singledispatch
def prepared(source: object, device: Device) -> Score:  # noqa: ARG001
    """Return the function from weights to scores, with what it needs on the device."""
    raise TypeError(f"{type(source).__name__} is not computed on a device")


@prepared.register
def _(source: ColumnMeans, device: Device) -> Score:
    columns = device.tensor(source.columns.T, device.torch.float64)
    return lambda weights: weights @ columns / weights.sum(1, keepdim=True)


@prepared.register
def _(source: Selected, device: Device) -> Score:
    rows, score = device.tensor(source.rows), prepared(source.source, device)
    return lambda weights: score(weights[:, rows])


@prepared.register
def _(source: Mixture, device: Device) -> Score:
    systems = [[prepared(part, device) for part in system] for system in source.systems]

    def score(weights: Any) -> Any:
        torch = device.torch
        return torch.stack([torch.stack([part(weights) for part in system]).mean(0) for system in systems], 1)

    return score


@prepared.register
def _(source: Area, device: Device) -> Score:
    if not source.roc:
        return _under_precision(source, device)
    torch, output, positive = device.torch, device.tensor(source.output), device.tensor(source.positive)
    negatives_first = torch.argsort(positive.byte(), stable=True)
    ranked, order = output[negatives_first].sort(stable=True)
    areas = [_under_roc(positive, negatives_first[order], device)]
    if bool(
        (ranked[1:] == ranked[:-1]).any()
    ):  # the mean of two areas: of tied items negative ones come first, or last
        last = negatives_first.flip(0)
        areas.append(_under_roc(positive, last[output[last].argsort(stable=True)], device))
    return lambda weights: sum(area(weights) for area in areas) / len(areas)


def _under_roc(positive: Any, order: Any, device: Device) -> Score:
    """Return Σ w_i Σ w_j over positive items i and the negative items j before them, over both sums of weights."""
    torch = device.torch
    fill = (0, -len(order) % CHUNK)  # rows that fill the last chunk have no weight in either class
    place = torch.nn.functional.pad(order, fill)
    up, down = (
        torch.nn.functional.pad(rows.float(), fill).view(-1, CHUNK) for rows in (positive[order], ~positive[order])
    )

    def score(weights: Any) -> Any:
        rows = weights[:, place].view(len(weights), -1, CHUNK)
        below = torch.cumsum(rows * down, -1)
        rows *= up
        above, within = rows.sum(-1).double(), below[..., -1].double()
        inside = rows.mul_(below).sum(-1).double()
        beaten = (inside + above * (within.cumsum(-1) - within)).sum(-1)
        return beaten / (above.sum(-1) * within.sum(-1))

    return score


def _under_precision(source: Area, device: Device) -> Score:
    """Return Σ_i w_i P_i / Σ_i w_i over positive items, P_i the precision among all that score no less than item i."""
    order = np.argsort(-source.output, kind="stable")
    ranked = -source.output[order]
    last = device.tensor(np.searchsorted(ranked, ranked, side="right") - 1)
    place, positive = device.tensor(order), device.tensor(source.positive[order] * 1.0)

    def score(weights: Any) -> Any:
        rows = weights[:, place]
        every = rows.cumsum(1)[:, last].clamp_(min=TINIEST)
        rows *= positive
        hits = rows.cumsum(1)
        return (rows * hits[:, last] / every).sum(1) / hits[:, -1]

    return score
