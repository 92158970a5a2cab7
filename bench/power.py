"""The power analysis of SIGIR'16 Table 3: how fast it is, and how often its decisions are those of exact posteriors.

Two scenarios (A is better by 0.1; both are equal), seven sizes, the paired and the unpaired model, a ROPE of ±0.05 and
1,000 studies each: 28 cells, 28,000 data sets. The straightforward way takes the HDI of 5,000 draws from the posterior
of each, on all cores as ours does.

The exact posteriors share no code with the package. One Beta of the model is kept, the others are put on Gauss–Jacobi
nodes; given those, the density of δ is that of a Beta, in closed form.

- Paired: of seven Betas (μ; and for positive and for negative items the agreement, 11 within it, 10 among the
  disagreements) the last of the positive items is kept. The last of the negative items matters as much and has most
  nodes.
- Unpaired: of three Betas of each classifier (μ, recall, false alarms) recall is kept. The densities of the two F1 are
  convolved by the trapezoid rule.

The logarithm of the density is interpolated by a polynomial, out to five standard deviations. How far the HDIs are off
is measured with more nodes.

    python -m bench.power --studies 100 --part 20     a tenth of the studies; draws for one data set in twenty
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import inf
from time import perf_counter
from typing import TypeAlias

import numpy as np
from numpy.polynomial import chebyshev
from numpy.random import SeedSequence
from scipy.special import betaln

import outperform as op
from bench.harness import Row, at_least, at_most, minima, render
from outperform.data.contingency import FloatArray
from outperform.inference.question import CountQuestion
from outperform.models.posterior import Posterior, on_all_cores, stream
from outperform.planning.judging import Judge
from outperform.planning.populations import Population
from outperform.verdicts.goals import Goal
from outperform.verdicts.interval import hdi

__all__ = ["ENOUGH", "MORE", "SIZES", "Case", "bench", "cases", "drawn", "exact", "main"]

SIZES = tuple(range(500, 3501, 500))
TRUTHS = {
    "better": op.Scenario(0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3)),
    "equivalent": op.Scenario(0.5, (0.3, 0.2, 0.2, 0.3), (0.3, 0.2, 0.2, 0.3)),
}
MODELS: dict[str, op.Paired | op.Unpaired] = {"paired": op.Paired("uniform"), "unpaired": op.Unpaired("uniform")}
ROPE, MASS = 0.05, 0.95
STUDIES, DRAWS, PART, REPEAT = 1_000, 5_000, 20, 3
CHECKED = 200  # one data set in so many, with more nodes

Nodes: TypeAlias = dict[str, tuple[int, ...]]
ENOUGH: Nodes = {"paired": (3, 3, 3, 3, 3, 10), "unpaired": (7, 7)}
MORE: Nodes = {"paired": (4, 4, 4, 5, 5, 16), "unpaired": (12, 12)}
AT_ONCE = 50  # data sets
REACH, DEGREE = 5.0, 14  # standard deviations, and of the polynomial
CHEBYSHEV = chebyshev.chebpts1(DEGREE + 1)
FINE = np.linspace(-1, 1, 4_801)
TO_FINE: FloatArray = chebyshev.chebvander(FINE, DEGREE) @ np.linalg.inv(chebyshev.chebvander(CHEBYSHEV, DEGREE))
TAILS = np.linspace(0.01, 0.99, 99) * (1 - MASS)  # probability below the HDI
STEPS = np.linspace(-6, 6, 21)  # of the trapezoid rule, in standard deviations


@dataclass(frozen=True, eq=False)
class Case:
    """A scenario as a model sees it: data sets of shape (sizes × studies, cells), and our judge of them."""

    goal: str
    model: str
    judge: Judge
    n: FloatArray


def cases(studies: int, sizes: Sequence[int] = SIZES) -> Iterator[Case]:
    """The grid; both models see the same data sets."""
    for k, (goal, truth) in enumerate(TRUTHS.items()):
        population = Population.supposed(truth.counts())
        rng = stream(SeedSequence(0), k)
        n = population.grow(rng, population.worlds(rng, studies), sizes)
        question = CountQuestion.check("f1", None, population.cells, draws=None, rng=k)
        for name, model in MODELS.items():
            judge = Judge(population.cells, question, model, Goal.of(goal, (-ROPE, ROPE)), MASS)
            yield Case(goal, name, judge, n.reshape(-1, n.shape[-1]))


def bench(studies: int = STUDIES, part: int = PART) -> list[Row]:
    grid = list(cases(studies))
    speed, by_draws = _speed(grid, studies, part)
    return [speed, *_decisions(grid, by_draws)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.power")
    parser.add_argument("--studies", type=int, default=STUDIES, help="in each of the 28 cells")
    parser.add_argument("--part", type=int, default=PART, help="draws for one data set in so many; 1 for all")
    options = parser.parse_args(arguments)
    print(render(bench(options.studies, options.part)))


def drawn(posteriors: Sequence[Posterior], question: CountQuestion) -> FloatArray:
    """The straightforward way: HDIs of 5,000 draws, of shape (data sets, 2)."""

    def one(k: int) -> tuple[float, float]:
        both = posteriors[k].scores(question.score, draws=DRAWS, seed=SeedSequence(1, spawn_key=(k,)), workers=1)
        return hdi(np.ascontiguousarray(both[:, 0] - both[:, 1]), MASS)

    return np.array(list(on_all_cores(one, range(len(posteriors)))))


def _speed(grid: Sequence[Case], studies: int, part: int) -> tuple[Row, list[FloatArray]]:
    """The whole grid; and HDIs by draws of a part of the data sets, nan elsewhere."""
    chosen = np.arange(part // 2, len(grid[0].n), part)
    posteriors = [
        [case.judge.model.posterior(case.judge.cells.resized(n)) for n in case.n[chosen]] for case in grid
    ]  # made beforehand, which is not counted
    found: list[FloatArray] = []
    ours = theirs = inf
    for _ in range(REPEAT if part > 1 else 1):
        ours = min(ours, *minima(partial(_whole_grid, studies), repeat=REPEAT))
        begin = perf_counter()
        found = [drawn(own, case.judge.question) for own, case in zip(posteriors, grid, strict=True)]
        theirs = min(theirs, perf_counter() - begin)
    sets, timed = sum(len(case.n) for case in grid), len(grid) * len(chosen)
    how = "" if timed == sets else f" (timed on {timed:,}, scaled up)"
    what = f"SIGIR'16 Table 3, {sets:,} data sets, against {DRAWS:,} draws of each{how}"
    by_draws = [np.full((len(case.n), 2), np.nan) for case in grid]
    for ends, some in zip(by_draws, found, strict=True):
        ends[chosen] = some
    return Row(what, ours, theirs * sets / timed, bar=at_most(0.01)), by_draws


def _whole_grid(studies: int) -> None:
    for (goal, truth), model in product(TRUTHS.items(), MODELS.values()):
        op.power(truth, SIZES, goal, rope=ROPE, model=model, studies=studies, progress=False, rng=0)


def _decisions(grid: Sequence[Case], by_draws: Sequence[FloatArray]) -> list[Row]:
    """How often goals and verdicts are those of the exact posteriors, and how far the ends of HDIs are off."""
    own, draws, checks = Tally(), Tally(), []
    for case, some in zip(grid, by_draws, strict=True):
        right, sd = exact(case.model, case.n)
        done, few = np.isfinite(some[:, 0]), slice(0, None, CHECKED)
        own.add(case.judge.goal, np.column_stack(case.judge.hdis(case.n, SeedSequence(2))), right, sd)
        draws.add(case.judge.goal, some[done], right[done], sd[done])
        checks.append(np.abs(exact(case.model, case.n[few], MORE)[0] - right[few]).max(axis=1) / sd[few])
    rows = []
    for k, what in enumerate(("goal reached or not", "verdict, one of six")):
        said = f"its {what}, as by exact posteriors: {own.said(k)}, of draws {draws.said(k)}"
        bar = None if k else at_least(0.999, own=True)
        rows.append(Row(said, own.share(k), draws.share(k), _percent, bar))
    error, more = np.concatenate(checks), "exact posteriors: the same, against more nodes"
    return [
        *rows,
        Row("its HDIs: largest error of an end in standard deviations", own.error, draws.error, _deviations),
        Row(f"{more} ({len(error)} data sets)", float(error.max()), show=_deviations, bar=at_most(0.001, own=True)),
    ]


@dataclass
class Tally:
    """Data sets; those whose goal, and whose verdict, is another than it should be; the largest error of an end."""

    sets: int = 0
    wrong: tuple[int, int] = (0, 0)
    error: float = 0.0

    def add(self, goal: Goal, ends: FloatArray, right: FloatArray, sd: FloatArray) -> None:
        reached = goal.reached(*ends.T) != goal.reached(*right.T)
        names = [goal.outcomes(*some.T) for some in (ends, right)]
        assert names[0] is not None
        self.sets += len(ends)
        self.wrong = self.wrong[0] + int(reached.sum()), self.wrong[1] + int((names[0] != names[1]).sum())
        self.error = max(self.error, float((np.abs(ends - right).max(axis=1) / sd).max()))

    def share(self, kind: int) -> float:
        return 1 - self.wrong[kind] / self.sets

    def said(self, kind: int) -> str:
        return f"{self.wrong[kind]:,} of {self.sets:,} differ"


def _percent(value: float) -> str:
    return f"{100 * value:.3f}%"


def _deviations(value: float) -> str:
    return f"{value:.2g} sd"


def exact(model: str, n: FloatArray, nodes: Nodes = ENOUGH) -> tuple[FloatArray, FloatArray]:
    """HDIs of shape (data sets, 2), and standard deviations, of data sets of shape (data sets, 8)."""

    def part(k: int) -> tuple[FloatArray, FloatArray]:
        some = n[k : k + AT_ONCE]
        return _hdis(_Paired(some, nodes[model]) if model == "paired" else _Unpaired(some, nodes[model]))

    ends, sd = zip(*on_all_cores(part, range(0, len(n), AT_ONCE)), strict=True)
    return np.concatenate(ends), np.concatenate(sd)


def _hdis(posterior: _Paired | _Unpaired) -> tuple[FloatArray, FloatArray]:
    """HDIs from densities at Chebyshev points."""
    mean, sd = posterior.mean, posterior.sd
    at = mean + REACH * sd * CHEBYSHEV[:, None]
    log_density = np.log(np.array([posterior.density(x) for x in at]) * sd)
    shape = TO_FINE @ log_density
    density, step = np.exp(shape), REACH * (FINE[1] - FINE[0])
    below = np.zeros_like(density)
    np.cumsum((density[1:] + density[:-1]) / 2 * step, axis=0, out=below[1:])
    ends = np.empty((len(mean), 2))
    for k, (cdf, log_p) in enumerate(zip(below.T, shape.T, strict=True)):
        low, high = (np.interp(tail, cdf, FINE) for tail in (TAILS, TAILS + MASS))
        tail = np.interp(0.0, np.interp(low, FINE, log_p) - np.interp(high, FINE, log_p), TAILS)
        ends[k] = np.interp([tail, tail + MASS], cdf, FINE)
    return mean[:, None] + REACH * sd[:, None] * ends, sd


class _Paired:
    """Densities of δ of many pairs; arrays of shape (nodes, data sets)."""

    def __init__(self, n: FloatArray, nodes: tuple[int, ...]) -> None:
        p, q = (table.T + 1 for table in (n[:, :4], n[:, 4:]))
        total = n[:, :4].sum(axis=1), n[:, 4:].sum(axis=1)
        others = [
            (total[0] + 1, total[1] + 1), *((t[0] + t[3], t[1] + t[2]) for t in (p, q)),
            *((t[0], t[3]) for t in (p, q)), (q[1], q[2]),
        ]  # fmt: skip
        (mu, agree_p, agree_n, both_p, both_n, share), self.weight = _grid(others, nodes)
        odds = (1 - mu) / mu
        false, split = odds * agree_n * both_n, odds * (1 - agree_n)
        self.hit, self.split = agree_p * both_p, 1 - agree_p
        self.c, self.d = 1 + false + share * split, 1 + false + (1 - share) * split
        self.a, self.b = p[1], p[2]
        self.mean, self.sd = self._moments()

    def density(self, at: FloatArray) -> FloatArray:
        """Of δ = 2 [d/(w̄ − w) − c/w] with w = c + recall of A, which makes w the root of a quadratic equation."""
        c, d, y = self.c, self.d, at / 2
        whole = c + d + 2 * self.hit + self.split
        middle = c + d - y * whole
        w = 2 * c * whole / (middle + np.sqrt(middle**2 + 4 * y * c * whole))
        slope = 2 * self.split * (d / (whole - w) ** 2 + c / w**2)
        share = (w - c - self.hit) / self.split
        return np.asarray((self.weight * _beta_density(self.a, self.b, share) / slope).sum(axis=0))

    def _moments(self) -> tuple[FloatArray, FloatArray]:
        first, second = np.zeros((2, len(self.a)))
        for share, weight in zip(*_rule(self.a, self.b, 3), strict=True):
            a, b = self.hit + share * self.split, self.hit + (1 - share) * self.split
            delta = 2 * a / (self.c + a) - 2 * b / (self.d + b)
            first += weight * (self.weight * delta).sum(axis=0)
            second += weight * (self.weight * delta**2).sum(axis=0)
        return first, np.sqrt(second - first**2)


class _Unpaired:
    """Densities of the difference of two independent F1."""

    def __init__(self, n: FloatArray, nodes: tuple[int, ...]) -> None:
        p, q = n[:, :4].T, n[:, 4:].T
        self.first, self.second = (
            _F1(p[0] + p[k], p[3 - k] + p[3], q[0] + q[k], q[3 - k] + q[3], nodes) for k in (1, 2)
        )
        self.mean, self.sd = self.first.mean - self.second.mean, np.hypot(self.first.sd, self.second.sd)
        self.y = self.second.mean + STEPS[:, None] * self.second.sd
        self.weight = self.second.density(self.y) * (STEPS[1] - STEPS[0]) * self.second.sd

    def density(self, at: FloatArray) -> FloatArray:
        """By convolution."""
        return np.asarray((self.first.density(self.y + at) * self.weight).sum(axis=0))


class _F1:
    """The posterior of F1 = 2r/(r + c), r the recall, given c = 1 + false alarms · (1 − μ)/μ."""

    def __init__(self, tp: FloatArray, fn: FloatArray, fp: FloatArray, tn: FloatArray, nodes: tuple[int, ...]) -> None:
        (mu, alarm), self.weight = _grid([(tp + fn + 1, fp + tn + 1), (fp + 1, tn + 1)], nodes)
        self.c, self.a, self.b = 1 + alarm * (1 - mu) / mu, tp + 1, fn + 1
        first, second = np.zeros((2, len(tp)))
        for recall, weight in zip(*_rule(self.a, self.b, 3), strict=True):
            score = 2 * recall / (recall + self.c)
            first += weight * (self.weight * score).sum(axis=0)
            second += weight * (self.weight * score**2).sum(axis=0)
        self.mean, self.sd = first, np.sqrt(second - first**2)

    def density(self, at: FloatArray) -> FloatArray:
        """At points of shape (points, data sets)."""
        c, at = self.c[:, None], at[None]
        density = _beta_density(self.a, self.b, c * at / (2 - at)) * 2 * c / (2 - at) ** 2
        return np.asarray((self.weight[:, None] * density).sum(axis=0))


def _grid(
    betas: Sequence[tuple[FloatArray, FloatArray]], nodes: tuple[int, ...]
) -> tuple[list[FloatArray], FloatArray]:
    """All combinations of nodes of independent Betas, and their weights."""
    rules = [_rule(a, b, k) for (a, b), k in zip(betas, nodes, strict=True)]
    index = np.indices(nodes).reshape(len(nodes), -1)
    weight = np.ones((index.shape[1], len(betas[0][0])))
    for (_, weights), k in zip(rules, index, strict=True):
        weight *= weights[k]
    return [points[k] for (points, _), k in zip(rules, index, strict=True)], weight


def _rule(a: FloatArray, b: FloatArray, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Gauss–Jacobi nodes and weights of many Betas, of shape (nodes, Betas) (Golub and Welsch)."""
    k = np.arange(nodes)
    p, q = b[:, None] - 1, a[:, None] - 1  # exponents of 1 − x and 1 + x
    s = 2 * k + p + q
    diagonal = (q * q - p * p) / (s * (s + 2))
    diagonal[:, 0] = ((q - p) / (p + q + 2))[:, 0]
    k, s = k[1:], s[:, 1:]
    off = np.sqrt(4 * k * (k + p) * (k + q) * (k + p + q) / (s * s * (s + 1) * (s - 1)))
    matrix = np.zeros((len(a), nodes, nodes))
    matrix[:, np.arange(nodes), np.arange(nodes)] = diagonal
    matrix[:, k, k - 1] = off
    values, vectors = np.linalg.eigh(matrix)  # of the lower triangle
    return (1 + values.T) / 2, vectors[:, 0].T ** 2


def _beta_density(a: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    inside = (x > 0) & (x < 1)
    x = np.where(inside, x, 0.5)
    log_density = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - betaln(a, b)
    return np.where(inside, np.exp(log_density), 0.0)


if __name__ == "__main__":
    main()
