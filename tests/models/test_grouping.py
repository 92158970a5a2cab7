"""Groups of systems: their probabilities by quadrature over all divisions, and ranks under the model itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from math import factorial

import numpy as np
from numpy.random import default_rng
from scipy import stats
from scipy.integrate import quad
from scipy.linalg import helmert

from outperform.data.contingency import FloatArray
from outperform.models.grouping import ALONE, FAR, TOGETHER, Groups
from outperform.models.shrinkage import drawn_together

ERRORS = 4


def prior(sizes: list[int]) -> float:
    """Probability of groups of these sizes, up to a factor."""
    systems, together = sum(sizes), sum(size for size in sizes if size > 1)
    groups = np.prod([TOGETHER * factorial(size - 1) for size in sizes if size > 1])
    rising = np.prod([TOGETHER + k for k in range(together)])
    return float((ALONE / systems) ** (systems - together) * groups / rising)


def divisions(systems: int) -> Iterator[list[range]]:
    """Yield every division of systems into neighbours."""
    for cuts in range(systems):
        for inner in combinations(range(1, systems), cuts):
            ends = [0, *inner, systems]
            yield [range(a, b) for a, b in pairwise(ends)]


def normal(off: FloatArray, sd: FloatArray | float) -> FloatArray:
    found: FloatArray = np.exp(-0.5 * (off / sd) ** 2) / (np.sqrt(2 * np.pi) * sd)
    return found


def density(mean: FloatArray, groups: list[range], sd: float, spread: float) -> float:
    """Integrate the density of all coordinates of the means over τ of each group and over a flat M."""

    def level(middle: float) -> float:
        found = 1.0
        for group in groups:
            size = len(group)
            scale = np.sqrt(sd**2 + size * spread**2)
            found *= float(normal(np.sqrt(size) * (mean[group].mean() - middle), scale))
        return found

    width = 8 * np.hypot(spread, sd)
    total = quad(level, mean.mean() - width, mean.mean() + width, epsabs=0, limit=200)[0]
    for group in groups:
        if len(group) == 1:
            continue
        off = helmert(len(group)) @ mean[group]

        def within(tau: float, off: FloatArray = off) -> float:
            return float(normal(off, np.hypot(sd, tau)).prod() * 2 / (np.pi * sd * (1 + (tau / sd) ** 2)))

        total *= quad(within, 0, np.inf, epsabs=0)[0]
    return float(total)


def test_every_division_has_the_probability_of_quadrature() -> None:
    sd, draws = 0.5, 40_000
    mean = sd * np.array([-9.0, -4.2, -3.6, 0.1, 1.9])
    octaves = int(np.log2(np.ptp(mean) / (FAR * sd)) + 2)
    expected = {}
    for groups in divisions(len(mean)):
        by_spread = [2.0**-k * density(mean, groups, sd, FAR * sd * 2.0**k) for k in range(octaves + 1)]
        expected[tuple(group.start for group in groups)] = prior([len(group) for group in groups]) * sum(by_spread)
    total = sum(expected.values())
    bounds = [set[int]() for _ in range(draws)]
    for start, _, rows in Groups(mean, sd**2 * np.eye(len(mean)))._bounds(default_rng(0), draws):
        for row in rows:
            bounds[row].add(start)
    found = Counter(tuple(sorted(starts)) for starts in bounds)
    for starts, weight in expected.items():
        share = weight / total
        error = np.sqrt(share * (1 - share) / draws) + 0.002  # of the grids
        assert abs(found[starts] / draws - share) < ERRORS * error
    assert sum(weight > 0.05 * total for weight in expected.values()) >= 4  # several are probable


def test_groups_of_correlated_systems_rest_on_the_variance_of_their_contrasts() -> None:
    """What all systems share does not tell them apart."""
    mean = np.array([0.0, 0.1, 0.2, 4.0])
    alone, shared = np.eye(4), np.eye(4) + 100.0
    one, same = (Groups(mean, each)._heaps[:, -1] for each in (alone, shared))
    np.testing.assert_allclose(one, same, atol=1e-6)


def set_partitions(systems: list[int]) -> Iterator[list[list[int]]]:
    """Yield every division of systems into groups."""
    if not systems:
        yield []
        return
    first, *others = systems
    for groups in set_partitions(others):
        yield [[first], *groups]
        for k, group in enumerate(groups):
            yield [*groups[:k], [first, *group], *groups[k + 1 :]]


def test_systems_of_the_model_itself_have_uniform_ranks() -> None:
    """The rank of each truth among its draws (Talts et al. 2018)."""
    tables, systems, ranks = 200, 7, []
    root = np.linalg.cholesky(0.3 * np.eye(systems) + 0.7)
    scale = np.sqrt(0.3)  # of a contrast
    every = list(set_partitions(list(range(systems))))
    weight = np.array([prior([len(group) for group in groups]) for groups in every])
    for seed in range(tables):
        rng = default_rng(seed)
        truth = np.zeros(systems)
        spread = FAR * scale * 2.0 ** (rng.geometric(0.5) - 1)
        for group in every[rng.choice(len(every), p=weight / weight.sum())]:
            off = scale * abs(np.tan(np.pi * (rng.random() - 0.5))) * rng.standard_normal(len(group))
            truth[group] = spread * rng.standard_normal() + off - off.mean()
        seen = truth + root @ rng.standard_normal(systems)
        draws = seen + rng.standard_normal((400, systems)) @ root.T
        found = drawn_together(draws, np.eye(systems, dtype=bool), 1e6, rng)
        off, true = found - found.mean(axis=1, keepdims=True), truth - truth.mean()
        ranks.append((off < true).mean(axis=0)[rng.integers(systems)])
    counts = np.histogram(ranks, bins=10, range=(0, 1))[0]
    assert stats.chisquare(counts).pvalue > 1e-3
