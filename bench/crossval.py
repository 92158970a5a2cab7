"""Are the posteriors of a 3×2 cross-validation calibrated? `python -m bench.crossval`, and `… --table` for a summary.

Data sets of 600 items, two normal classes and linear classifiers, so that the true TP, FP and FN of whatever was
fitted are known. What an interval should hold is the score of the *algorithm* trained on half of a data set: F of the
mean TP, FP and FN over the six training sets, of independent data sets. Shown beside it is the score of the six
classifiers that were fitted to the very data set, and that of the algorithm trained on all 600 items.

One algorithm: the Example of ACL'19 §2.4 and variations of it; 95% equal-tailed intervals of F1, precision and recall.
Two algorithms: 95% HDI of the difference of F1 and how often P(H1) > 0.95, with the two independent (the paper's) or
paired; and how often classical tests on the folds' F1 reject at 5%. Where the two are equal by symmetry, each sees two
features of its own that tell as much.

What is finished is kept in a CSV file, and not done again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from math import inf, sqrt
from pathlib import Path
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from scipy.special import betainc, betaincinv, expit, ndtr

import outperform as op
from bench import jobs, kept
from outperform.data.cells import Fold
from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray
from outperform.inference.baselines.folds import fold_tests
from outperform.measures.of_counts import resolve
from outperform.models.folds import effective_factor

__all__ = [
    "FILE", "PAIRS", "WORLDS", "Pair", "World", "alone", "discriminant", "intervals", "logistic", "main", "score",
    "summary", "together",
]  # fmt: skip

FILE = Path(__file__).parent.parent / "docs" / "explanation" / "cross-validation.csv"
SETS = {"alone": 4_000, "together": 1_500}
ITEMS, CHUNK, DRAWS, FOR_TRUTH = 600, 50, 2_000, 4_000
TAILS = (0.025, 0.975)
FACTORS = {"default ρ": effective_factor(3), "ρ = 1": effective_factor(3, rho=(1, 1))}
MODELS: dict[str, op.Unpaired | op.Paired] = {"unpaired": op.Unpaired("uniform"), "paired": op.Paired("uniform")}
BETAS = {"F1": 1.0, "precision": 0.0, "recall": inf}
WAYS: dict[str, tuple[Fold, ...]] = {
    "3×2": tuple((r, k) for r in range(3) for k in range(2)),
    "5×2": tuple((r, k) for r in range(5) for k in range(2)),
    "10-fold": tuple((0, k) for k in range(10)),
}
F1 = resolve("f1")
Result: TypeAlias = tuple[str, str, str, float]  # of what, by which method, which quantity, its value


@dataclass(frozen=True)
class World:
    """Where data come from: classes 0 and 1 are normal, a shift apart in two features; other features are noise."""

    name: str
    shift: float = 0.5
    noise: int = 0
    positive: float = 0.5
    fixed: bool = False  # whether every data set has as many positive items

    def mean(self) -> FloatArray:
        """Of class 1; that of class 0 is 0, and the covariance of both is 1."""
        return np.concatenate([np.full(2, self.shift), np.zeros(self.noise)])

    def draw(self, rng: Generator, sets: int) -> tuple[list[FloatArray], IntArray]:
        """Features and labels of some data sets."""
        lots = rng.random((sets, ITEMS))
        if self.fixed:
            lots = lots.argsort(axis=1) / ITEMS
        y = (lots < self.positive).astype(np.int64)
        return [rng.standard_normal((sets, ITEMS, 2 + self.noise)) + y[..., None] * self.mean()], y

    def fit(self, x: Sequence[FloatArray], y: IntArray) -> list[FloatArray]:
        """Weights of the one algorithm."""
        return [logistic(x[0], y)]

    def true(self, weights: Sequence[FloatArray]) -> FloatArray:
        """True TP, FP and FN of each algorithm's linear classifiers, for all data sets."""
        return np.stack([self.cells(w) for w in weights], axis=1)

    def cells(self, weights: FloatArray) -> FloatArray:
        """True TP, FP and FN: P(x·w + w₀ > 0) under each class."""
        length = np.sqrt((weights[:, 1:] ** 2).sum(axis=1))
        hit, false = ndtr((weights[:, 0] + weights[:, 1:] @ self.mean()) / length), ndtr(weights[:, 0] / length)
        share = self.positive
        cells: FloatArray = np.stack([share * hit, (1 - share) * false, share * (1 - hit)], axis=1)
        return cells


@dataclass(frozen=True)
class Pair:
    """Two algorithms: B is logistic regression on the features of the world.

    A is linear discriminant analysis on the same, or logistic regression on as many others, of which the noise is
    correlated with that of B's and the shift may be another.
    """

    name: str
    world: World
    related: float | None = None
    shift: float | None = None

    @property
    def equal(self) -> bool:
        """Whether the two score the same by symmetry."""
        return self.related is not None and self.shift is None

    @property
    def other(self) -> World:
        """The world as A sees it."""
        return self.world if self.shift is None else replace(self.world, shift=self.shift)

    def draw(self, rng: Generator, sets: int) -> tuple[list[FloatArray], IntArray]:
        """Features of A and of B, and the labels."""
        (b,), y = self.world.draw(rng, sets)
        if self.related is None:
            return [b, b], y
        a = self.related * (b - y[..., None] * self.world.mean()) + y[..., None] * self.other.mean()
        return [a + sqrt(1 - self.related**2) * rng.standard_normal(b.shape), b], y

    def fit(self, x: Sequence[FloatArray], y: IntArray) -> list[FloatArray]:
        """Weights of A and of B."""
        return [(discriminant if self.related is None else logistic)(x[0], y), logistic(x[1], y)]

    def true(self, weights: Sequence[FloatArray]) -> FloatArray:
        """True TP, FP and FN of A and of B."""
        return np.stack([self.other.cells(weights[0]), self.world.cells(weights[1])], axis=1)


Source: TypeAlias = World | Pair
EXAMPLE, FIXED = World("example"), World("example, 300 of each class", fixed=True)
EASY, NOISY = World("further apart", shift=1.5), World("20 features of noise", noise=20)
WORLDS = (
    EXAMPLE,
    FIXED,
    EASY,
    NOISY,
    World("a fifth positive", shift=1.0, positive=0.2),
)
PAIRS = (
    Pair("equal, unrelated", EXAMPLE, 0.0),
    Pair("equal, related", EXAMPLE, 0.8),
    Pair("equal, unrelated, further apart", EASY, 0.0),
    Pair("equal, related, further apart", EASY, 0.8),
    Pair("equal, related, noise", NOISY, 0.8),
    Pair("nearly equal", EXAMPLE),
    Pair("nearly equal, noise", NOISY),
    Pair("different", EXAMPLE, 0.8, shift=0.3),
    Pair("different, 300 of each class", FIXED, 0.8, shift=0.3),
    Pair("different, further apart", EASY, 0.8, shift=1.2),
)


@dataclass(frozen=True)
class Tested:
    """One fold of many data sets: the labels and predictions of its items, and the true cells of what was fitted."""

    truth: IntArray
    predicted: list[IntArray]
    true: FloatArray

    def cells(self) -> FloatArray:
        """TP, FP, FN and TN of each algorithm, of shape (data sets, algorithms, 4)."""
        y = self.truth == 1
        positive = [labels == 1 for labels in self.predicted]
        each = [[(p & y).sum(1), (p & ~y).sum(1), (~p & y).sum(1), (~p & ~y).sum(1)] for p in positive]
        return np.moveaxis(np.array(each, dtype=np.float64), 2, 0)


def logistic(x: FloatArray, y: IntArray) -> FloatArray:
    """Logistic regression of many data sets at once, penalised as in scikit-learn (C = 1), by Newton's method."""
    x = np.concatenate([np.ones((*x.shape[:-1], 1)), x], axis=-1)
    ridge = np.diag(np.r_[0.0, np.ones(x.shape[-1] - 1)])
    weights = np.zeros((len(x), x.shape[-1]))
    for _ in range(25):
        p = expit((x @ weights[..., None])[..., 0])
        slope = ((p - y)[:, None] @ x)[:, 0] + weights @ ridge
        curve = (x * (p * (1 - p))[..., None]).transpose(0, 2, 1) @ x + ridge
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        weights -= step
        if np.abs(step).max() < 1e-7:
            break
    return weights


def discriminant(x: FloatArray, y: IntArray) -> FloatArray:
    """Fisher's linear discriminant of many data sets at once."""
    ones = y.sum(axis=1)[:, None]
    one, zero = (y[:, None] @ x)[:, 0] / ones, ((1 - y)[:, None] @ x)[:, 0] / (y.shape[1] - ones)
    rest = x - np.where(y[..., None] == 1, one[:, None], zero[:, None])
    slope = np.linalg.solve(rest.transpose(0, 2, 1) @ rest / x.shape[1], (one - zero)[..., None])[..., 0]
    bias = np.log(ones / (y.shape[1] - ones)) - (slope * (one + zero)).sum(axis=1, keepdims=True) / 2
    return np.concatenate([bias, slope], axis=1)


def alone(world: World, sets: int) -> list[Result]:
    """One algorithm: coverage and width, correlations of the folds, and what the factor would have to be."""
    chunks = [_cross_validated(world, *world.draw(rng, size), "3×2", k) for rng, size, k in _chunks(world.name, sets)]
    folds = np.concatenate([_by_fold(tested)[:, :, 0] for tested in chunks])
    own = np.concatenate([_mean_true(tested)[:, 0] for tested in chunks])
    fitted, on_all = _fitted(world)[:, 0], _fitted(world, "all")[:, 0]
    half, sums = fitted.mean(axis=0), folds.sum(axis=1)
    results: list[Result] = []
    for measure, beta in BETAS.items():
        truths = {
            "algorithm on half": score(half, beta),
            "these six": score(own, beta),
            "algorithm on all": score(on_all.mean(axis=0), beta),
        }
        for truth, target in truths.items():
            results += _held(measure, truth, sums, target, beta)
            results.append((measure, truth, "truth", float(target.mean())))
        results.append((measure, "mean on half", "truth", float(score(fitted, beta).mean())))
        results += _widths(measure, sums, beta)
        results += _correlated(measure, score(folds, beta), score(sums, beta), _binomial(half, beta))
    accuracy = (folds[..., 0] + folds[..., 3]) / folds.sum(axis=-1)
    p = 1 - half[1] - half[2]
    return [*results, *_correlated("accuracy", accuracy, accuracy.mean(axis=1), float(p * (1 - p)) * 2 / ITEMS)]


def together(pair: Pair, sets: int) -> list[Result]:
    """Two algorithms: coverage of the difference, and how often each test says that there is one."""
    found: dict[str, list[tuple[float, ...]]] = {f"{model}, {factor}": [] for model in MODELS for factor in FACTORS}
    own, p_values = list[FloatArray](), list[dict[str, float | None]]()
    for rng, size, start in _chunks(pair.name, sets):
        x, y = pair.draw(rng, size)
        tested = {way: _cross_validated(pair, x, y, way, start) for way in WAYS}
        observed = {way: score(_by_fold(tested[way]), 1.0) for way in WAYS}
        own.append(_difference(_mean_true(tested["3×2"])))
        for k in range(size):
            for method, values in _posteriors(tested["3×2"], k, start + k):
                found[method].append(values)
            tests = {way: fold_tests(folds, observed[way][k]) for way, folds in WAYS.items()}
            p_values.append({f"{test}, {way}": p for way in WAYS for test, p in tests[way].items()})
    target = 0.0 if pair.equal else float(_difference(_fitted(pair).mean(axis=0)))
    results: list[Result] = [("difference", "algorithm on half", "truth", target)]
    for method, rows in found.items():
        results += _held_difference(method, np.array(rows), target, np.concatenate(own))
    for test in p_values[0]:
        rejected = [p is not None and p < 0.05 for p in (each[test] for each in p_values)]
        results.append(("difference", test, "rejected", float(np.mean(rejected))))
    return results


def score(cells: FloatArray, beta: float) -> FloatArray:
    """F_β of cells that begin with TP, FP and FN."""
    tp, fp, fn = cells[..., 0], cells[..., 1], cells[..., 2]
    w = 1.0 if beta == inf else beta**2 / (1 + beta**2)
    return np.asarray(tp / (tp + w * fn + (1 - w) * fp))


def intervals(sums: FloatArray, factor: float, beta: float) -> tuple[FloatArray, FloatArray]:
    """95% equal-tailed intervals of many posteriors at once, the same as those of `op.FBetaPosterior`."""
    k = _ratio(beta)
    low, high = (u / (u + k * (1 - u)) for u in (betaincinv(*_beta(sums, factor, beta), q) for q in TAILS))
    return low, high


def _chunks(name: str, sets: int) -> Iterator[tuple[Generator, int, int]]:
    """A stream of random numbers for each 50 data sets, how many they are, and the number of the first."""
    for start in range(0, sets, CHUNK):
        yield default_rng([crc32(name.encode()), start]), min(CHUNK, sets - start), start


def _cross_validated(source: Source, x: Sequence[FloatArray], y: IntArray, way: str, start: int) -> list[Tested]:
    """Every fold, of all data sets at once."""
    each = [_split(labels, way, start + k) for k, labels in enumerate(y)]
    at, found = np.arange(len(y))[:, None], []
    for fold in range(len(each[0])):
        train, test = (np.stack([splits[fold][side] for splits in each]) for side in (0, 1))
        weights = source.fit([features[at, train] for features in x], y[at, train])
        predicted = [_predict(w, features[at, test]) for w, features in zip(weights, x, strict=True)]
        found.append(Tested(y[at, test], predicted, source.true(weights)))
    return found


def _split(labels: IntArray, way: str, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Block-regularised folds that are alike in their labels, or random ones; or all items as one training set."""
    everything = np.arange(len(labels))
    if way == "all":
        return [(everything, everything)]
    if way == "3×2":
        return list(op.BlockCV(3, random_state=seed).split(labels, labels))
    rng, found = default_rng([seed, len(WAYS[way])]), []
    folds = 1 + max(fold for _, fold in WAYS[way])
    for _, fold in WAYS[way]:
        if fold == 0:
            part = rng.permutation(everything % folds)
        found.append((np.flatnonzero(part != fold), np.flatnonzero(part == fold)))
    return found


def _predict(weights: FloatArray, x: FloatArray) -> IntArray:
    labels: IntArray = ((x @ weights[:, 1:, None])[..., 0] + weights[:, :1] > 0).astype(np.int64)
    return labels


def _by_fold(tested: Sequence[Tested]) -> FloatArray:
    """TP, FP, FN and TN, of shape (data sets, folds, algorithms, 4)."""
    return np.stack([fold.cells() for fold in tested], axis=1)


def _mean_true(tested: Sequence[Tested]) -> FloatArray:
    """True TP, FP and FN of all that was fitted to a data set, on average; (data sets, algorithms, 3)."""
    return np.asarray(np.stack([fold.true for fold in tested]).mean(axis=0))


def _fitted(source: Source, way: str = "3×2") -> FloatArray:
    """True TP, FP and FN of classifiers fitted to other data sets; (classifiers, algorithms, 3)."""
    chunks = _chunks(f"{source.name}, truth", FOR_TRUTH)
    return np.concatenate(
        [
            fold.true
            for rng, size, k in chunks
            for fold in _cross_validated(source, *source.draw(rng, size), way, FOR_TRUTH + k)
        ]
    )


def _difference(cells: FloatArray) -> FloatArray:
    """F1 of A less that of B; cells of both in the last axis but one."""
    both = score(cells, 1.0)
    return np.asarray(both[..., 0] - both[..., 1])


def _ratio(beta: float) -> float:
    """The k of F = U/(U + k(1 − U)), U a Beta."""
    return 0.5 if beta == 1 else 1.0


def _beta(sums: FloatArray, factor: float, beta: float) -> tuple[FloatArray, FloatArray]:
    """The parameters of U, with the prior's λ = 1."""
    tp, fp, fn = (factor * sums[..., k] + 1 for k in range(3))
    return tp, fp if beta == 0 else fn if beta == inf else fp + fn


def _held(measure: str, truth: str, sums: FloatArray, target: FloatArray, beta: float) -> Iterator[Result]:
    """Coverage, and the factor by which it would be 95%."""
    k = _ratio(beta)
    u = k * target / (1 - target + k * target)

    def coverage(factor: float) -> float:
        below = betainc(*_beta(sums, factor, beta), u)
        return float(((below >= TAILS[0]) & (below <= TAILS[1])).mean())

    for name, factor in FACTORS.items():
        yield measure, name, f"coverage of {truth}", coverage(factor)
    low, high = 0.001, 10.0
    for _ in range(40):  # the coverage falls as the factor grows
        middle = sqrt(low * high)
        low, high = (middle, high) if coverage(middle) >= 0.95 else (low, middle)
    yield measure, "right", f"factor for {truth}", sqrt(low * high)


def _widths(measure: str, sums: FloatArray, beta: float) -> Iterator[Result]:
    for name, factor in FACTORS.items():
        low, high = intervals(sums, factor, beta)
        yield measure, name, "width", float((high - low).mean())


def _binomial(cells: FloatArray, beta: float) -> float:
    """The variance of F on half of the items, if only they were random and not what was fitted."""
    tp, rest = (float(x) - 1 for x in _beta(cells, 1.0, beta))
    rest -= beta == 1  # a prior's 1 for FP and for FN
    k, u = _ratio(beta), tp / (tp + rest)
    return (k / (u + k * (1 - u)) ** 2) ** 2 * u * (1 - u) / (ITEMS / 2 * (tp + rest))


def _correlated(measure: str, folds: FloatArray, pooled: FloatArray, binomial: float) -> Iterator[Result]:
    """ρ₁ and ρ₂ of the six hold-out estimates, their variance over the binomial one, and the factor by variances."""
    covariance = np.cov(folds.T)
    variance = float(np.diag(covariance).mean())
    within = np.kron(np.eye(3), np.ones((2, 2))) - np.eye(6)
    between = 1 - within - np.eye(6)
    yield measure, "folds", "rho_1", float((covariance * within).sum() / within.sum()) / variance
    yield measure, "folds", "rho_2", float((covariance * between).sum() / between.sum()) / variance
    yield measure, "folds", "variance over binomial", variance / binomial
    yield measure, "folds", "factor by variance", binomial / 6 / float(pooled.var(ddof=1))


def _posteriors(tested: Sequence[Tested], k: int, seed: int) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Mean, standard deviation, HDI and P(H1) of the difference, from draws; data set k."""
    truth = np.concatenate([fold.truth[k] for fold in tested])
    a, b = (np.concatenate([fold.predicted[which][k] for fold in tested]) for which in (0, 1))
    counts = op.Counts.from_labels(truth, {"a": a, "b": b}, labels=(0, 1)).binary(1).positives_only()
    for model, pairing in MODELS.items():
        for name, factor in FACTORS.items():
            posterior = op.CrossValidated(pairing, factor=factor).posterior(counts)
            drawn = posterior.scores(F1, draws=DRAWS, seed=SeedSequence(seed), workers=1)
            delta = drawn[:, 0] - drawn[:, 1]
            yield f"{model}, {name}", (delta.mean(), delta.std(), *op.hdi(delta), (delta < 0).mean())


def _held_difference(method: str, rows: FloatArray, target: float, own: FloatArray) -> Iterator[Result]:
    """Coverage, width, how often H1 is called, and the factor by which the coverage would be 95%."""
    mean, sd, low, high, p_h1 = rows.T
    factor = FACTORS[method.split(", ")[1]]
    for truth, value in (("algorithm on half", np.full(len(own), target)), ("these six", own)):
        yield "difference", method, f"coverage of {truth}", float(((low <= value) & (value <= high)).mean())
        far = float(np.quantile(np.abs(mean - value) / sd, 0.95))
        yield "difference", method, f"factor for {truth}", factor * (1.96 / far) ** 2
    yield "difference", method, "width", float((high - low).mean())
    yield "difference", method, "H1 called", float((p_h1 > 0.95).mean())
    yield "difference", method, "H0 called", float((p_h1 < 0.05).mean())
    yield "difference", method, "rejected", float(((p_h1 > TAILS[1]) | (p_h1 < TAILS[0])).mean())
    yield "difference", method, "variance over posterior", float(mean.var(ddof=1) / (sd**2).mean())


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the file with what it lacks."""
    parser = argparse.ArgumentParser(prog="python -m bench.crossval", description=__doc__)
    parser.add_argument("--sets", type=int, default=None, help="data sets a setting")
    jobs.option(parser)
    options = kept.asked(parser, FILE, summary, arguments)
    if options is None:
        return
    done = {(row["part"], row["setting"]) for row in kept.read(options.file)}
    each: list[tuple[str, Source]] = [("alone", world) for world in WORLDS] + [("together", pair) for pair in PAIRS]
    todo = [(part, source, options.sets or SETS[part]) for part, source in each if (part, source.name) not in done]
    jobs.fill(options.file, _rows, todo, options.processes)


def summary(file: Path = FILE) -> str:
    """Markdown tables: one algorithm, the correlations of its folds, two algorithms, and the tests."""
    table = {tuple(key): float(value) for *key, _, value in (row.values() for row in kept.read(file))}
    worlds, pairs = (list(dict.fromkeys(s for p, s, *_ in table if p == part)) for part in SETS)
    return "\n\n".join([_alone(table, worlds), _folds(table, worlds), _together(table, pairs), _tests(table, pairs)])


Table: TypeAlias = dict[tuple[str, ...], float]
HEADER = ("part", "setting", "of", "by", "quantity", "data_sets", "value")
HALF, SIX = "algorithm on half", "these six"


def _alone(table: Table, worlds: Sequence[str]) -> str:
    head = ["setting", "of"]
    head += [f"{what}, {by}" for by in FACTORS for what in ("algorithm", "these six", "length")]
    rows = []
    for world, measure in product(worlds, BETAS):
        get = partial(_value, table, "alone", world, measure)
        cells = [
            [*(_percent(get(by, f"coverage of {truth}")) for truth in (HALF, SIX)), f"{get(by, 'width'):.4f}"]
            for by in FACTORS
        ]
        rows.append([world, measure, *chain(*cells)])
    return _markdown(head, rows, left=2)


def _folds(table: Table, worlds: Sequence[str]) -> str:
    quantities = ("rho_1", "rho_2", "variance over binomial", "factor by variance")
    rows = [
        [world, of, *(f"{table['alone', world, of, 'folds', quantity]:.2f}" for quantity in quantities)]
        for world in worlds
        for of in ("accuracy", *BETAS)
    ]
    return _markdown(["setting", "of", "ρ₁", "ρ₂", "variance / binomial", "factor by variance"], rows, left=2)


def _together(table: Table, pairs: Sequence[str]) -> str:
    head = ["setting", "true δ"]
    head += [f"{what}, {model}" for model in MODELS for what in ("algorithms", "these six", "length", "P(H1) > 0.95")]
    rows = []
    for pair in pairs:
        get = partial(_value, table, "together", pair, "difference")
        cells = [f"{get(HALF, 'truth'):+.3f}"]
        for method in (f"{model}, default ρ" for model in MODELS):
            cells += [_percent(get(method, f"coverage of {truth}")) for truth in (HALF, SIX)]
            cells += [f"{get(method, 'width'):.3f}", _percent(get(method, "H1 called"))]
        rows.append([pair, *cells])
    return _markdown(head, rows, left=2)


def _tests(table: Table, pairs: Sequence[str]) -> str:
    tests = list(dict.fromkeys(by for part, *_, by, what in table if (part, what) == ("together", "rejected")))
    rows = [
        [test, *(_percent(table["together", pair, "difference", test, "rejected"]) for pair in pairs)] for test in tests
    ]
    return _markdown(["rejects at 5%", *pairs], rows, left=1)


def _value(table: Table, part: str, setting: str, of: str, by: str, quantity: str) -> float:
    return table[part, setting, of, by, quantity]


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    rule = [":---" if k < left else "---:" for k in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def _rows(part: str, source: Source, sets: int) -> Iterator[dict[str, object]]:
    """What stands in the file."""
    for *key, value in alone(source, sets) if isinstance(source, World) else together(source, sets):
        yield dict(zip(HEADER, (part, source.name, *key, sets, f"{value:.6g}"), strict=True))


if __name__ == "__main__":
    main()
