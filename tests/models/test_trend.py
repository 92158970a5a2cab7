"""The trend prior against quadrature, PyMC, scikit-learn and simulation: regression, one system, pairs, rankings.

Most worlds are label sets in which each item matters to one label, so that classes share no items and the model is a
plain hierarchical one: h_k ~ Bin(u_k, J_k), J_k ~ Beta(W_k m_k, W_k (1 − m_k) + 2/M), logit m_k = a + b x_k +
c q_k + g z_k, log W_k = v + d x_k, and macro F1 is the mean of 2J/(1 + J). Its equations are written here again, with
no code of the package but for the expected size. x is the logarithm of the size, less its mean, over its standard
deviation or 1, whichever is more; q is what bends, and z is 0 for classes with items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import log, sqrt
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray
from scipy import stats
from scipy.special import betaln, expit
from sklearn.metrics import balanced_accuracy_score, f1_score

import outperform as op
from outperform.measures.averages import averaged
from outperform.measures.of_counts import MEASURES, resolve
from outperform.models import regression
from outperform.models.chains.arviz import ess
from outperform.models.copula import correlation, reordered
from outperform.models.modes import Problem, Problems
from outperform.models.regression import Learned, Shares
from outperform.models.relevant import relevance
from outperform.models.shares import FORMS
from outperform.models.sizes import expected_log_size, gap
from outperform.models.trend import TrendPosterior
from tests.compiling import compiled
from tests.inference.test_calibrated_ranks import DRAWS as RANKS
from tests.inference.test_calibrated_ranks import p_value
from tests.later import later

pm = later("pymc")

Array: TypeAlias = NDArray[np.float64]

ERRORS = 4  # tolerances are this many Monte-Carlo errors
POINTS = 0.06  # of a standard deviation: error of 512 points of the hyperparameters' posterior
TAILS = 0.15  # the same for a standard deviation that heavy tails dominate
BORROWED = 0.03  # of a standard deviation: effect of the prior on thousands of items per class
DRAWS = 4_000
IMPROBABLE = 0.001
LOG_2 = log(2)
MACRO_F1 = partial(averaged, "macro", MEASURES["f1"])

pytestmark = pytest.mark.usefixtures("few_draws")  # prior draws, which no test checks


# The regression.

SUCCESSES = np.array([18.0, 7, 9, 2, 3, 0, 1, 14])
TRIALS = np.array([20.0, 12, 10, 6, 5, 3, 2, 30])


def standard(x: Any) -> Array:
    """Return x with mean 0 and standard deviation 1; 0 if all are equal."""
    spread = float(np.std(x))
    return np.asarray((x - np.mean(x)) / spread if spread > 1e-9 else 0 * x)


SIZE = standard(np.log1p(TRIALS))


@dataclass(frozen=True)
class Moments:
    """Mean and sd of each class's mean share and of its log W."""

    share: Array
    share_sd: Array
    weight: Array
    weight_sd: Array

    @classmethod
    def of(cls, share: Array, weight: Array, p: Array) -> Moments:
        """Summarise arrays of shape (classes, points)."""
        means = share @ p, weight @ p
        sds = (np.sqrt((x - m[:, None]) ** 2 @ p) for x, m in zip((share, weight), means, strict=True))
        return cls(means[0], next(sds), means[1], next(sds))


def moments(learned: Learned) -> Moments:
    total = learned.alpha + learned.beta
    return Moments.of((learned.alpha / total)[learned.place], np.log(total)[learned.place], learned.probability)


NONE, SOME = (0.0, 0.0), (1.5, 2.0)  # successes and failures that the classes have of their own
WIDE = ((-4.0, 5.0), (-3.5, 3.5), (-3.0, 8.5), (-4.0, 4.0))
NARROW = ((-1.6, 2.8), (-1.6, 2.0), (-1.5, 4.5), (-2.5, 2.5))  # for many classes


def by_quadrature(
    successes: Array, trials: Array, x: Array, discount: float = 1.0, ends: Any = WIDE, own: Any = NONE
) -> Moments:
    """Compute on a tensor grid of a, b, v and d, by the trapezoid rule, which is exact for smooth, decaying functions.

    A likelihood that counts three times has a discount of 1/3.
    """
    axes = [np.linspace(low, high, 17) for low, high in ends]
    a, b, v, d = (axis.ravel() for axis in np.meshgrid(*axes, indexing="ij"))
    density = stats.logistic.logpdf(a) + stats.logistic.logpdf(v, LOG_2) + stats.norm.logpdf(b) + stats.norm.logpdf(d)
    mean, weight = expit(a + np.outer(x, b)), np.exp(v + np.outer(x, d))
    alpha, beta = weight * mean + own[0] / len(x), weight * (1 - mean) + own[1] / len(x)
    for s, t, yes, no in zip(successes, trials, alpha, beta, strict=True):
        density += stats.betabinom.logpmf(s, t, yes, no) / discount
    p = np.exp(density - density.max())
    return Moments.of(alpha / (alpha + beta), np.log(alpha + beta), p / p.sum())


def assert_alike(mine: Moments, theirs: Moments, within: float = POINTS) -> None:
    assert (abs(mine.share - theirs.share) < within * theirs.share_sd).all()
    assert (abs(mine.weight - theirs.weight) < within * theirs.weight_sd).all()
    assert (abs(mine.share_sd / theirs.share_sd - 1) < within).all()
    assert (abs(mine.weight_sd / theirs.weight_sd - 1) < within).all()


def learn(successes: Any, trials: Any, covariates: Any, scales: Any, discount: float = 1.0, own: Any = NONE) -> Learned:
    return regression.learn([Shares(successes, trials, covariates, scales, discount, own)])[0]


def test_shares_learned_together_are_those_learned_alone() -> None:
    """To the last bit, whatever the others are: of the same shape, of another, easy or hard."""
    few, bent = SUCCESSES[:3], standard(SIZE**2)
    shares = [
        Shares(SUCCESSES, TRIALS, [SIZE], [1.0]),
        Shares(few, TRIALS[:3], [SIZE[:3]], [1.0]),  # whose posterior takes several rounds
        Shares(SUCCESSES, TRIALS, [SIZE, bent], [1.0, 0.5]),
        Shares(TRIALS - SUCCESSES, TRIALS, [bent], [0.3], 2.0),
        Shares(np.zeros(3), TRIALS[:3], [SIZE[:3]], [2.0]),
        Shares(np.zeros(8), np.zeros(8), [SIZE], [1.0]),
        Shares(1e5 * SUCCESSES, 1e5 * TRIALS, [SIZE], [1.0]),
    ]
    together = regression.learn(shares)
    for share, mine in zip(shares, together, strict=True):
        (alone,) = regression.learn([share])
        for name in ("alpha", "beta", "probability", "place"):
            assert (getattr(mine, name) == getattr(alone, name)).all()
    assert len({learned.probability.tobytes() for learned in together}) == len(shares)


@pytest.mark.parametrize(("discount", "own"), [(1.0, NONE), (2.5, NONE), (1.0, SOME)])
def test_hyperparameters_against_quadrature(discount: float, own: Any) -> None:
    mine = moments(learn(SUCCESSES, TRIALS, [SIZE], [1.0], discount, own))
    assert_alike(mine, by_quadrature(SUCCESSES, TRIALS, SIZE, discount, own=own))


def test_the_quadrature_tells_what_classes_have_of_their_own() -> None:
    mine = moments(learn(SUCCESSES, TRIALS, [SIZE], [1.0], own=SOME))
    with pytest.raises(AssertionError):
        assert_alike(mine, by_quadrature(SUCCESSES, TRIALS, SIZE, own=(2.0, 1.5)))


def test_the_quadrature_tells_priors_apart() -> None:
    """An error of half the prior scale of the slope is detected."""
    narrow = moments(learn(SUCCESSES, TRIALS, [SIZE], [0.5]))
    with pytest.raises(AssertionError):
        assert_alike(narrow, by_quadrature(SUCCESSES, TRIALS, SIZE))


def problem_of(successes: Any, trials: Any) -> Problem:
    """Return eight classes, some of which are repeated, with a curved trend."""
    mean = np.stack([np.ones(8), SIZE, standard(SIZE**2)])
    number = np.array([1.0, 2, 1, 3, 1, 1, 2.5, 1])
    return Problem(successes, trials - successes, number, mean, np.array([1.0, 0.5]), np.array(SOME) / 8)


def padded(at: Any) -> Array:
    """Return points with the coefficient of the covariate that is not there."""
    return np.insert(np.atleast_2d(at), 3, 0.0, axis=1)


@pytest.mark.parametrize("times", [1.0, 0.7, 40.0])
def test_the_density_is_that_of_scipys_distributions(times: float) -> None:
    """Up to a constant, so by differences; for few items, fractional items, and many."""
    successes, trials = times * SUCCESSES, times * TRIALS
    problem, points = problem_of(successes, trials), default_rng(3).normal(0, 0.7, (6, 5))

    def log_density(at: Array) -> float:
        a, *slopes, v, d = at
        share, weight = expit(at[:3] @ problem.mean), np.exp(v + d * SIZE)
        alpha, beta = weight * share + 1.5 / 8, weight * (1 - share) + 2 / 8
        like = betaln(successes + alpha, trials - successes + beta) - betaln(alpha, beta)
        logistic = stats.logistic.logpdf(np.array([a, v - LOG_2]))
        normal = stats.norm.logpdf(np.array([*slopes, d]), 0, [1.0, 0.5, 1.0])
        return float(problem.number @ like + np.sum(logistic) + np.sum(normal))

    expected = np.array([log_density(at) for at in points])
    found = problem.log_density(points)
    np.testing.assert_allclose(found - found[0], expected - expected[0], rtol=1e-9, atol=1e-8)
    aside = problem_of(3 * successes, 5 * trials)
    alone = np.concatenate([Problems([problem, aside]).log_density(np.tile(padded(at), (2, 1)))[:1] for at in points])
    np.testing.assert_allclose(alone, found, rtol=1e-9)


def test_derivatives_are_those_of_the_density() -> None:
    """By central differences, of the second of two problems."""
    problem, at, moves = problem_of(SUCCESSES, TRIALS), np.array([0.3, -0.4, 0.2, 1.1, 0.5]), 1e-5 * np.eye(5)
    both = Problems([problem_of(SUCCESSES + 1, TRIALS + 3), problem])

    def derivatives(at: Array) -> tuple[Array, Array]:
        gradient, hessian = both.derivatives(np.concatenate([padded(-at), padded(at)]))
        real = [0, 1, 2, 4, 5]
        return gradient[1, real], hessian[1][np.ix_(real, real)]

    gradient, hessian = derivatives(at)
    up, down = (problem.log_density(at + way * moves) for way in (1, -1))
    np.testing.assert_allclose(gradient, (up - down) / 2e-5, atol=1e-5)
    up, down = (np.stack([derivatives(at + way * move)[0] for move in moves]) for way in (1, -1))
    np.testing.assert_allclose(hessian, (up - down) / 2e-5, atol=1e-5)


def test_the_mode_is_where_the_density_is_flat() -> None:
    """In units of its spread there."""
    problem = Problems([problem_of(SUCCESSES, TRIALS)])
    for start in (np.zeros(5), np.array([2.0, -1, 1, 4, -1])):
        (gradient,), (hessian,) = problem.derivatives(problem.modes(padded(start)))
        assert gradient @ np.linalg.solve(-hessian, gradient) < 1e-6


def test_no_data_give_the_prior() -> None:
    """A class of average size has logit m standard logistic and log W logistic around log 2."""
    x = np.array([-1.5, 0.0, 1.5])
    prior = moments(learn(np.zeros(3), np.zeros(3), [x], [1.0]))
    assert prior.share == pytest.approx([0.5] * 3, abs=POINTS * sqrt(1 / 12))
    assert prior.share_sd[1] == pytest.approx(sqrt(1 / 12), rel=POINTS)  # uniform
    expected = np.sqrt(np.pi**2 / 3 + x**2)
    assert (abs(prior.weight - LOG_2) < POINTS * expected).all()
    assert prior.weight_sd == pytest.approx(expected, rel=TAILS)


def test_classes_without_trials_tell_nothing() -> None:
    more = np.append(SIZE, [-1.0, 2.0])
    with_them = learn(np.append(SUCCESSES, [0, 0]), np.append(TRIALS, [0, 0]), [more], [1.0])
    without = moments(learn(SUCCESSES, TRIALS, [SIZE], [1.0]))
    found = moments(with_them)
    for name in ("share", "share_sd", "weight", "weight_sd"):
        np.testing.assert_allclose(getattr(found, name)[:-2], getattr(without, name), rtol=1e-9)
    assert found.share_sd[-1] > found.share_sd[:-2].min()  # outside the range of the others it is less certain
    theirs = by_quadrature(np.append(SUCCESSES, [0, 0]), np.append(TRIALS, [0, 0]), more)
    assert_alike(found, theirs, 2 * POINTS)  # far out on the trend


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_all_successes_or_none(right: float) -> None:
    learned = learn(right * TRIALS, TRIALS, [SIZE], [1.0])
    mine = moments(learned)
    mirrored = moments(learn((1 - right) * TRIALS, TRIALS, [SIZE], [1.0]))
    assert (abs(mine.share - right) < 0.25).all()
    np.testing.assert_allclose(mine.share, 1 - mirrored.share, atol=2 * POINTS * mine.share_sd.max())
    assert learned.probability.sum() == pytest.approx(1)
    assert np.isfinite(learned.alpha).all()


@pytest.mark.parametrize("classes", [3, 20])
def test_without_a_failure_there_may_still_be_one(classes: int) -> None:
    """100 trials without a failure leave a mean share below 0.99 as probable as a uniform prior, or more."""
    x, trials = np.zeros(classes), np.full(classes, 100.0 / classes)
    lots, rng = (np.arange(20_000) + 0.5) / 20_000, default_rng(0)

    def below(own: Any) -> float:
        alpha, beta = learn(trials, trials, [x], [1.0], own=own).draw(lots)
        return float((rng.beta(trials[:, None] + alpha, beta).mean(axis=0) < 0.99).mean())

    uniform = float(stats.beta(101, 1).cdf(0.99))
    assert below(NONE) < uniform / 2
    assert 0.9 * uniform < below((1.0, 1.0)) < 1.5 * uniform


def test_huge_counts() -> None:
    """With a million trials per class the shares are known, and only the similarity of classes is learned."""
    share = np.array([0.62, 0.71, 0.55, 0.68, 0.74, 0.6])
    x = standard(np.arange(6.0))
    mine = moments(learn(share * 1e6, np.full(6, 1e6), [x], [1.0]))
    assert_alike(mine, by_beta(share, x), 1.5 * POINTS)  # of which 4% are the reference's


def by_beta(share: Array, x: Array) -> Moments:
    """The same with observed shares: importance sampling from the prior, narrowed around the data."""
    rng, n = default_rng(0), 400_000
    a, b = rng.normal(0.65, 0.3, n), rng.normal(0, 0.3, n)
    v, d = rng.normal(3.5, 1.5, n), rng.normal(0, 1, n)
    drawn = stats.norm.logpdf(a, 0.65, 0.3) + stats.norm.logpdf(b, 0, 0.3) + stats.norm.logpdf(v, 3.5, 1.5)
    density = stats.logistic.logpdf(a) + stats.norm.logpdf(b) + stats.logistic.logpdf(v, LOG_2)  # d from its prior
    m, w = expit(a + np.outer(x, b)), v + np.outer(x, d)
    for p, mean, weight in zip(share, m, np.exp(w), strict=True):
        density += stats.beta.logpdf(p, weight * mean, weight * (1 - mean))
    p = np.exp(density - drawn - (density - drawn).max())
    assert p.sum() ** 2 / (p @ p) > 4_000  # effective sample size
    return Moments.of(m, w, p / p.sum())


def test_a_discount_widens() -> None:
    sds = [moments(learn(SUCCESSES, TRIALS, [SIZE], [1.0], by)).share_sd.mean() for by in (1.0, 2.0, 4.0, 1e9)]
    assert sds == sorted(sds)
    prior = moments(learn(0 * TRIALS, 0 * TRIALS, [SIZE], [1.0]))
    assert sds[-1] == pytest.approx(prior.share_sd.mean(), rel=POINTS)


def test_the_order_of_classes_does_not_matter() -> None:
    order = default_rng(0).permutation(8)
    one, other = learn(SUCCESSES, TRIALS, [SIZE], [1.0]), learn(SUCCESSES[order], TRIALS[order], [SIZE[order]], [1.0])
    assert (one.alpha[one.place][order] == other.alpha[other.place]).all()
    assert (one.probability == other.probability).all()


def test_equal_classes_are_learned_as_one() -> None:
    """Every class counts: a class that occurs three times differs from one that occurs once."""
    mine = learn(np.tile(SUCCESSES, 3), np.tile(TRIALS, 3), [np.tile(SIZE, 3)], [1.0])
    assert mine.alpha.shape[0] == 8
    assert (mine.place == np.tile(mine.place[:8], 3)).all()
    theirs = by_quadrature(SUCCESSES, TRIALS, SIZE, 1 / 3, NARROW)
    assert_alike(moments(replace(mine, place=mine.place[:8])), theirs)


def test_lots_draw_points_by_their_probability() -> None:
    learned = learn(SUCCESSES, TRIALS, [SIZE], [1.0])
    alpha, beta = learned.draw((np.arange(100_000) + 0.5) / 100_000)
    share = alpha / (alpha + beta)
    np.testing.assert_allclose(share.mean(axis=1), moments(learned).share, atol=1e-3)
    assert (np.diff(share.mean(axis=0)) >= -1e-12).all()  # the mean share increases with the uniform number


def test_points_are_in_the_order_of_the_average_that_is_asked_for() -> None:
    """So that the normal numbers that two systems have in common move their averages in common."""
    truth, guesses = answers()
    counts = op.Counts.from_labels(truth, guesses)
    sizes = np.unique(truth, return_counts=True)[1]
    for average, weights, other in (("macro", np.ones(len(sizes)), sizes), ("weighted", sizes, np.ones(len(sizes)))):
        posterior = TrendPosterior(relevance(counts)).reduced(average, resolve("recall"))
        assert isinstance(posterior, TrendPosterior)
        learned = posterior._orders[0].one[0]
        share = (learned.alpha / (learned.alpha + learned.beta))[learned.place]
        assert (np.diff(weights @ share) >= -1e-9).all()
        assert (np.diff(other @ share) < 0).any()


def test_what_is_borrowed() -> None:
    learned = learn(SUCCESSES, TRIALS, [SIZE], [1.0])
    weight = (learned.alpha + learned.beta)[learned.place]
    expected = np.average((weight / (weight + TRIALS[:, None])).mean(axis=0), weights=learned.probability)
    assert learned.borrowed(TRIALS) == pytest.approx(expected)
    assert learned.borrowed(0 * TRIALS) == pytest.approx(1)
    assert learned.borrowed(1e9 * TRIALS) == pytest.approx(0, abs=1e-3)


# One system against draws from the prior and against PyMC.


def disjoint(hits: Any, errors: Any, name: str = "a") -> op.Counts:
    """Generate label sets in which each item is relevant to one label; half of the errors are misses."""
    true, said = [], []
    for k, (hit, error) in enumerate(zip(map(int, hits), map(int, errors), strict=True)):
        miss = error - error // 2
        true += [{k}] * (hit + miss) + [set()] * (error - miss)
        said += [{k}] * hit + [set()] * miss + [{k}] * (error - miss)
    return op.Counts.from_label_sets(true, {name: said}, labels=range(len(hits)))


DATA: dict[str, tuple[list[int], list[int]]] = {
    "long tail": ([50, 20, 12, 5, 2, 1, 0, 0, 1, 0], [9, 6, 8, 4, 3, 2, 2, 1, 0, 0]),
    "alike": ([16, 14, 18, 15, 17, 12, 16], [4, 6, 3, 5, 4, 7, 3]),
    "some never found": ([40, 35, 0, 28, 0, 30, 0, 33], [6, 9, 25, 7, 18, 5, 30, 8]),
    "rising": ([180, 70, 30, 11, 3, 1], [12, 11, 10, 8, 7, 6]),
    "few": ([1, 2, 0, 1], [1, 0, 1, 1]),
}


def f1_of(share: Any) -> Array:
    """Return macro F1 from shares of hits, the classes last."""
    return np.asarray((2 * share / (1 + share)).mean(axis=-1))


def covariate(x: Any) -> Array:
    """As in the model: similar values are not inflated, so that chance makes no trend."""
    return np.asarray((x - np.mean(x)) / max(float(np.std(x)), 1.0))


def bent(x: Array) -> Array:
    return np.asarray((x**2 - np.mean(x**2)) / sqrt(2))


def nuts(
    sets: Sequence[tuple[Array, Array]], *, draws: int, tune: int = 500, discount: float = 1.0
) -> list[tuple[Array, Array]]:
    """Return α and β of each class from PyMC, of shape (chains, draws, classes), for hits and errors of each data set.

    The data sets know nothing of each other. They are sampled together because each model takes seconds to compile.
    """
    hits, errors = (np.concatenate(columns) for columns in zip(*sets, strict=True))
    data_set = np.repeat(np.arange(len(sets)), [len(hit) for hit, _ in sets])  # the data set of each class
    sizes = [covariate(expected_log_size(hit + error)) for hit, error in sets]
    x, q = np.concatenate(sizes), np.concatenate([bent(size) for size in sizes])
    seen, every = hits + errors > 0, np.array([len(hit) for hit, _ in sets])[data_set]
    z = np.concatenate([gap(hit + error) for hit, error in sets])
    with pm.Model():
        a, v = pm.Logistic("a", 0, 1, shape=len(sets)), pm.Logistic("v", LOG_2, 1, shape=len(sets))
        scales = {"b": 1, "c": 0.5, "d": 1, "g": 0.15}
        b, c, d, g = (pm.Normal(name, 0, scale, shape=len(sets))[data_set] for name, scale in scales.items())
        share, weight = pm.math.sigmoid(a[data_set] + b * x + c * q + g * z), pm.math.exp(v[data_set] + d * x)
        alpha = pm.Deterministic("alpha", weight * share)
        beta = pm.Deterministic("beta", weight * (1 - share) + 2 / every)
        trials = (hits + errors)[seen].astype(int)
        like = pm.BetaBinomial.dist(n=trials, alpha=alpha[seen], beta=beta[seen])
        pm.Potential("data", pm.logp(like, hits[seen].astype(int)).sum() / discount)
        with compiled():
            trace = pm.sample(
                draws, tune=tune, chains=2, cores=1, random_seed=1, target_accept=0.9, progressbar=False,
                compute_convergence_checks=False,
            )  # fmt: skip
    weights = trace.posterior["alpha"].to_numpy(), trace.posterior["beta"].to_numpy()
    return [(weights[0][..., data_set == k], weights[1][..., data_set == k]) for k in range(len(sets))]


def assert_agrees(mine: Array, chains: Array) -> None:
    """Compare mean and sd of draws and of chains of shape (chain, draw), within Monte-Carlo and point error."""
    mean, sd = float(chains.mean()), float(chains.std())
    effective = ess(chains, "mean")
    assert effective > 200
    assert abs(mine.mean() - mean) < ERRORS * sd * sqrt(1 / effective + 1 / len(mine)) + POINTS * sd
    squares = ((x - x.mean()) ** 2 for x in (mine, chains))
    one, other = next(squares), next(squares)
    error = sqrt(one.var() / len(one) + other.var() / ess(other, "mean"))
    assert abs(one.mean() - other.mean()) < ERRORS * error + 2 * POINTS * sd**2


def counted(name: str) -> tuple[Array, Array]:
    """Return hits and errors of a data set."""
    hits, errors = DATA[name]
    return np.array(hits, dtype=np.float64), np.array(errors, dtype=np.float64)


def by_importance(hits: Array, errors: Array, draws: int = 200_000) -> tuple[Array, Array]:
    """Return macro F1 of draws from the prior, and the probability that the data give to each."""
    rng, classes, seen = default_rng(0), len(hits), hits + errors > 0
    x = covariate(expected_log_size(hits + errors))
    a, v = rng.logistic(0, 1, (draws, 1)), rng.logistic(LOG_2, 1, (draws, 1))
    b, c, d, g = (rng.normal(0, scale, (draws, 1)) for scale in (1, 0.5, 1, 0.15))
    share, weight = expit(a + b * x + c * bent(x) + g * gap(hits + errors)), np.exp(v + d * x)
    alpha, beta = weight * share, weight * (1 - share) + 2 / classes
    fits = betaln(alpha + hits, beta + errors) - betaln(alpha, beta)
    p = np.exp(fits[:, seen].sum(axis=1))
    return f1_of(rng.beta(hits + alpha, errors + beta)), p / p.sum()


@pytest.mark.parametrize("name", DATA)
def test_the_prior_weighed_by_the_data_agrees_on_five_data_sets(name: str) -> None:
    """A mean that is off by a quarter of a standard deviation is detected."""
    posterior = op.Paired("trend").posterior(disjoint(*counted(name)))
    mine = posterior.scores(MACRO_F1, draws=DRAWS, seed=SeedSequence(1))[:, 0]
    theirs, p = by_importance(*counted(name))
    effective, mean = 1 / (p**2).sum(), float(p @ theirs)
    assert effective > 200
    one, other = (mine - mine.mean()) ** 2, (theirs - mean) ** 2
    variance = float(p @ other)
    sd = sqrt(variance)
    assert abs(mine.mean() - mean) < ERRORS * sd * sqrt(1 / effective + 1 / DRAWS) + POINTS * sd
    error = sqrt(one.var() / DRAWS + float(p @ (other - variance) ** 2) / effective)
    assert abs(one.mean() - variance) < ERRORS * error + 2 * POINTS * variance


@cache
def by_nuts() -> dict[str, Array]:
    """Return macro F1 of all data sets from PyMC, of shape (chains, draws)."""
    every = [counted(name) for name in DATA]
    sampled = nuts(every, draws=4_000)
    return {
        name: f1_of(default_rng(0).beta(hits + alpha, errors + beta))
        for name, (hits, errors), (alpha, beta) in zip(DATA, every, sampled, strict=True)
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_pymc_agrees_in_long_chains(name: str) -> None:
    """An error of a seventh of a standard deviation is detected."""
    posterior = op.Paired("trend").posterior(disjoint(*counted(name)))
    mine = posterior.scores(MACRO_F1, draws=DRAWS, seed=SeedSequence(1))
    assert_agrees(mine[:, 0], by_nuts()[name])


def confused(seed: int = 0) -> tuple[Any, Any]:
    """Return items of ten classes, large and small; an error is a miss of one class and a false alarm of another."""
    rng = default_rng(seed)
    share = 1 / np.arange(1, 11)
    truth = rng.choice(10, 150, p=share / share.sum())
    return truth, np.where(rng.random(150) < 0.7, truth, rng.choice(10, 150))


def overlapping(truth: Any, guess: Any) -> tuple[Array, Array, float]:
    """Return matrices of hits and errors, items × classes, and the variance inflation of the pooled share."""
    every = np.arange(10)
    hit = ((truth[:, None] == every) & (guess[:, None] == every)).astype(np.float64)
    error = ((truth[:, None] == every) ^ (guess[:, None] == every)).astype(np.float64)
    pooled = (hit.sum() + 0.5) / (hit.sum() + error.sum() + 1)
    residual = (1 - pooled) * hit - pooled * error
    return hit, error, float((residual.sum(axis=1) ** 2).sum() / (residual**2).sum())


@pytest.mark.slow
def test_pymc_agrees_where_classes_share_items() -> None:
    """With the likelihood discounted, and one exponential weight per item for all of its classes."""
    truth, guess = confused()
    hit, error, discount = overlapping(truth, guess)
    assert discount > 1.1
    ((alpha, beta),) = nuts([(hit.sum(axis=0), error.sum(axis=0))], draws=600, discount=discount)
    rng = default_rng(0)
    weights = rng.exponential(size=(*alpha.shape[:2], len(truth)))
    yes, no = weights @ hit + rng.gamma(alpha), weights @ error + rng.gamma(beta)
    mine = op.estimate(truth, {"a": guess}, average="macro", draws=DRAWS, labels=range(10), rng=0)
    assert mine.prior == "trend"
    assert mine.evidence is not None
    assert_agrees(mine.draws, f1_of(yes / (yes + no)))


# Calibration by simulation.

SIZES = np.array([1, 1, 2, 2, 3, 4, 5, 7, 10, 15, 25, 60])
HDI_DRAWS = 2_400
F1, RECALL = (0.0, 2.0), (0.0, 1.0)  # what the classes have of their own


@dataclass(frozen=True)
class Prior:
    """The centres of the trend's constant and of log W."""

    constant: float = 0.0
    weight: float = LOG_2

    def shares(self, rng: Generator, x: Array, *slopes: tuple[Array, float], own: Any = (1.0, 1.0)) -> Array:
        """Draw a share per class, given its covariates with their scales; log W depends on the first."""
        logit = rng.logistic(self.constant) + sum(rng.normal(0, scale) * column for column, scale in slopes)
        weight = np.exp(rng.logistic(self.weight) + rng.normal() * x)
        mean = expit(logit)
        return _beta(rng, weight * mean + own[0] / len(x), weight * (1 - mean) + own[1] / len(x))

    def trend(self, rng: Generator, trials: Any, own: Any = (1.0, 1.0), *, curved: bool = False) -> Array:
        """Draw a share per class with a trend in its size, which may change where there are no items."""
        items = np.asarray(trials, dtype=np.float64)
        x, z = covariate(expected_log_size(items)), gap(items)
        return self.shares(rng, x, (x, 1.0), (bent(x), 0.5 * curved), (z, 0.15 * (z == 0).any()), own=own)


def _beta(rng: Generator, a: Array, b: Array) -> Array:
    """Draw Beta variables of arbitrarily small weights by logarithms: log Γ(a) = log Γ(a + 1) + log U / a."""
    one, other = (np.log(rng.gamma(w + 1)) - rng.exponential(size=w.shape) / w for w in (a, b))
    return np.asarray(expit(one - other))


def rank_of(truth: float, drawn: Array, lots: Generator) -> int:
    """Return the rank of the truth among the draws; what agrees to nine decimals counts as equal."""
    value, others = round(float(truth), 9), np.round(drawn, 9)
    return int((others < value).sum() + lots.integers((others == value).sum() + 1))


def ranks_of_one(repeats: int, prior: Prior, trials: Any = SIZES) -> list[int]:
    found, lots = [], default_rng(0)
    for seed in range(repeats):
        rng = default_rng([5, seed])
        share = prior.trend(rng, trials, F1, curved=True)
        hits = rng.binomial(trials, share)
        posterior = op.Paired("trend").posterior(disjoint(hits, trials - hits))
        drawn = posterior.scores(MACRO_F1, draws=RANKS, seed=SeedSequence(seed))[:, 0]
        found.append(rank_of(float(f1_of(share)), drawn, lots))
    return found


def test_the_truth_ranks_like_any_draw() -> None:
    """Data that are used twice are detected, and a W that is a third of what it should be."""
    assert p_value(ranks_of_one(150, Prior())) > IMPROBABLE


def test_another_prior_is_found_out() -> None:
    """With few small classes, so that the prior matters; all of them are good, and similar."""
    few = np.array([1, 1, 1, 2, 2])
    assert p_value(ranks_of_one(90, Prior(), few)) > IMPROBABLE
    assert p_value(ranks_of_one(90, Prior(constant=4.0, weight=LOG_2 + 5), few)) < IMPROBABLE


@pytest.mark.slow
def test_the_truth_ranks_like_any_draw_of_a_thousand() -> None:
    assert p_value(ranks_of_one(1_000, Prior())) > IMPROBABLE


Pair: TypeAlias = tuple[op.Counts, tuple[float, float]]


def given(rng: Generator, trials: Any, odds: Array) -> tuple[Array, Any]:
    """Draw a share of the second system, given how good the first is in the class, and the number of successes."""
    x = covariate(np.log1p(trials))
    share = Prior().shares(rng, x, (x, 0.35), (odds, 0.5))
    return share, rng.binomial(trials, share)


def pair_by_recall(rng: Generator) -> Pair:
    """Macro recall: hits of the first; of its hits and of its misses, those that the second hits."""
    share = Prior().trend(rng, SIZES, RECALL, curved=True)
    hits = rng.binomial(SIZES, share)
    odds = covariate(np.log((hits + 0.5) / (SIZES - hits + 0.5)))
    kept, both = given(rng, hits, odds)
    mended, only = given(rng, SIZES - hits, odds)
    number = np.stack([both, hits - both, only, SIZES - hits - only])  # both, only the first, only the second, neither
    second = share * kept + (1 - share) * mended
    return _sets(number, [7, 6, 5, 4]), (float(share.mean()), float(second.mean()))


def pair_by_f1(rng: Generator) -> Pair:
    """Macro F1. The second's other false alarms come first, so their share does not depend on how good the first is."""
    x = covariate(np.log1p(3 * SIZES))
    new = Prior().shares(rng, x, (x, 0.35))
    alarms = rng.binomial(3 * SIZES, new)
    matter = 3 * SIZES - alarms
    share = Prior().trend(rng, matter, F1, curved=True)
    hits = rng.binomial(matter, share)
    missed = Prior().trend(rng, matter - hits)
    misses = rng.binomial(matter - hits, missed)
    false = matter - hits - misses
    odds = covariate(np.log((hits + 0.5) / (misses + false + 0.5)))
    (kept, both), (mended, only), (shared, same) = (given(rng, trials, odds) for trials in (hits, misses, false))
    number = np.stack([both, hits - both, only, misses - only, same, false - same, alarms])
    miss, alarm = (1 - share) * missed, (1 - share) * (1 - missed)
    hit = share * kept + miss * mended
    wrong = share + miss - hit + alarm * shared + new / np.maximum(1 - new, 1e-300)
    ratio = 2 * hit / np.maximum(2 * hit + wrong, 1e-300)
    return _sets(number, [7, 6, 5, 4, 3, 2, 1]), (float(f1_of(share)), float(ratio.mean()))


def _sets(number: Any, outcomes: list[int]) -> op.Counts:
    """Return label sets from the number of items of each class with each outcome: bits of true, first, second."""
    classes = number.shape[1]
    outcome, k = (np.repeat(x.ravel(), number.ravel()) for x in np.meshgrid(outcomes, range(classes), indexing="ij"))
    tables = [((outcome & bit > 0)[:, None] & (k[:, None] == np.arange(classes))) for bit in (4, 2, 1)]
    return op.Counts.from_label_sets(tables[0], {"a": tables[1], "b": tables[2]}, labels=range(classes))


WORLDS: dict[str, tuple[Callable[[Generator], Pair], str]] = {
    "recall": (pair_by_recall, "recall"),
    "f1": (pair_by_f1, "f1"),
}


@cache
def pairs(name: str, repeats: int) -> tuple[list[int], list[int], float]:
    """Return ranks of the first score and of δ, and how often the 95% HDI contains δ; every other pair is swapped."""
    world, measure = WORLDS[name]
    ranks, apart, held, lots = [], [], 0, default_rng(0)
    for seed in range(repeats):
        counts, truth = world(default_rng([6, seed]))
        order = [1, 0] if seed % 2 else [0, 1]
        posterior = op.Paired("trend").posterior(counts.select(order)).reduced("macro", MEASURES[measure])
        score = partial(averaged, "macro", MEASURES[measure])
        drawn = posterior.scores(score, draws=HDI_DRAWS, seed=SeedSequence(seed))[:, order]
        delta, true = np.ascontiguousarray(drawn[:, 0] - drawn[:, 1]), truth[0] - truth[1]
        low, high = op.hdi(delta)
        held += low <= true <= high
        thin = default_rng(seed).choice(len(delta), RANKS, replace=False)
        ranks.append(rank_of(truth[0], drawn[thin, 0], lots))
        apart.append(rank_of(true, delta[thin], lots))
    return ranks, apart, held / repeats


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_a_pair_ranks_like_any_draw_and_covers(name: str) -> None:
    """Approximately: the data come from one tree, and half of the draws from the other, with their means shifted."""
    score, delta, held = pairs(name, 800)
    assert p_value(score) > IMPROBABLE
    assert p_value(delta) > IMPROBABLE
    assert 0.92 <= held <= 0.99


# Public interface.


@cache
def answers(seed: int = 0, items: int = 300, classes: int = 8) -> tuple[Any, dict[str, Any]]:
    """Return labels of classes with sizes of 1/rank, and three systems that are correct in 80%, 70% and 60%."""
    rng = default_rng(seed)
    share = 1 / np.arange(1, classes + 1)
    truth = rng.choice(classes, items, p=share / share.sum())
    rights = {"a": 0.8, "b": 0.7, "c": 0.6}
    guesses = {k: np.where(rng.random(items) < p, truth, rng.integers(classes, size=items)) for k, p in rights.items()}
    return truth, guesses


@cache
def topics(items: int = 200) -> tuple[Any, dict[str, Any]]:
    """Return indicator matrices of 6 dependent labels."""
    rng = default_rng(1)
    truth = (rng.random((items, 6)) < [0.5, 0.3, 0.2, 0.1, 0.06, 0.03]) & (rng.random((items, 1)) < 0.8)
    return truth, {name: truth ^ (rng.random(truth.shape) < wrong) for name, wrong in (("a", 0.05), ("b", 0.1))}


def compared(names: str = "ab", **settings: Any) -> op.Comparison:
    """Cache results: many tests compare with the default one."""
    settings = {"measure": "f1", "average": "macro", "draws": DRAWS, "rng": 0} | settings
    return _compared(names, **settings)


@cache
def _compared(names: str, **settings: Any) -> op.Comparison:
    truth, guesses = answers()
    r = op.compare(truth, {name: guesses[name] for name in names}, **settings)
    assert isinstance(r, op.Comparison)
    return r


def estimated(guess: Any, **settings: Any) -> Array:
    """Return draws of one system's score."""
    r = op.estimate(answers()[0], {"a": guess}, **settings)
    assert isinstance(r, op.Estimate)
    assert r.evidence is not None
    return r.draws


def mc_error(draws: Array) -> float:
    return float(draws.std() / sqrt(len(draws)))


def assert_near(one: Any, other: Any) -> None:
    """Return means of independent draws."""
    assert abs(one.mean() - other.mean()) < ERRORS * sqrt(mc_error(one) ** 2 + mc_error(other) ** 2)


@pytest.mark.parametrize(
    ("measure", "data"),
    [("f1", answers), ("recall", answers), ("precision", answers), ("f1", topics)],
    ids=["f1", "recall", "precision", "label sets"],
)
def test_swapping_the_systems_flips_the_sign(data: Any, measure: str) -> None:
    truth, guesses = data()
    one, other = (
        op.compare(truth, {k: guesses[k] for k in names}, measure=measure, average="macro", draws=1_001, rng=3)
        for names in ("ab", "ba")
    )
    assert (one.draws[:, 0] - one.draws[:, 1] == -(other.draws[:, 0] - other.draws[:, 1])).all()
    assert one.delta.mean == -other.delta.mean


def test_shares_make_up_hits_misses_and_alarms() -> None:
    """By hand: 100 relevant items, of which the first hits 50, misses 30 and raises 20 false alarms."""
    every, true, predicted = (FORMS[name] for name in ("all", "true", "predicted"))
    one = np.array([[0.5]]), np.array([[0.6]])
    first = every.first(*one)
    np.testing.assert_allclose(np.ravel(first), [0.5, 0.3, 0.2])
    # Of 50 hits 40 are kept, of 30 misses 6 mended, of 20 alarms 5 shared; 25 new ones next to 100 are a fifth of 125.
    shares = (np.array([[x]]) for x in (0.8, 0.2, 0.25, 0.2))
    np.testing.assert_allclose(np.ravel(every.second(first, *shares)), [0.46, 0.34, 0.3])
    first = true.first(one[0])
    np.testing.assert_allclose(np.ravel(first), [0.5, 0.5, 0.0])
    second = true.second(first, np.array([[0.8]]), np.array([[0.2]]))
    np.testing.assert_allclose(np.ravel(second), [0.5, 0.5, 0.0])
    second = true.second(first, np.array([[0.8]]), np.array([[0.1]]))
    np.testing.assert_allclose(np.ravel(second), [0.45, 0.55, 0.0])
    first = predicted.first(one[1])
    np.testing.assert_allclose(np.ravel(first), [0.6, 0.0, 0.4])
    # Of 60 hits 45 are kept, of 40 alarms 10 shared, and of 25 new predictions 5 are right.
    shares = (np.array([[x]]) for x in (0.75, 0.25, 0.2, 0.2))
    np.testing.assert_allclose(np.ravel(predicted.second(first, *shares)), [0.5, 0.0, 0.3])


def test_correlations_are_those_of_pairs_with_the_hub_and_given_it() -> None:
    """For normal scores all is known: the variances of differences, and the correlation of two given the third."""
    known = np.array([[1.0, 0.7, 0.4], [0.7, 1.0, 0.1], [0.4, 0.1, 1.0]])
    sd, rng = np.array([0.02, 0.05, 0.03]), default_rng(0)
    scores, plain = (rng.multivariate_normal(np.zeros(3), known, 4_000) for _ in range(2))
    scores, plain = (
        (x - x.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(x.T, ddof=0))).T for x in (scores, plain)
    )
    plain = plain @ np.linalg.cholesky(known).T * [3.0, 1.0, 2.0]  # of any spread
    covariance = known * np.outer(sd, sd)
    for hub in range(3):
        spread = sd**2 + sd[hub] ** 2 - 2 * covariance[hub]
        np.testing.assert_allclose(correlation(scores * sd, plain, spread, hub), known, atol=1e-9)
    far = correlation(scores * sd, plain, np.array([0.0, 1.0, 0.0]), 0)
    assert far[0] == pytest.approx([1.0, -0.9999, 0.9999])  # no more than a correlation can be
    ordered = reordered(scores * sd, known, rng)
    np.testing.assert_array_equal(np.sort(ordered, axis=0), np.sort(scores * sd, axis=0))
    np.testing.assert_allclose(np.corrcoef(ordered.T), known, atol=4 / sqrt(4_000))


@pytest.mark.parametrize("data", [answers, topics], ids=["classes", "label sets"])
def test_the_order_of_rows_does_not_matter(data: Any) -> None:
    truth, guesses = data()
    order = default_rng(0).permutation(len(truth))
    one = op.compare(truth, {k: guesses[k] for k in "ab"}, average="macro", draws=1_000, rng=3)
    other = op.compare(truth[order], {k: guesses[k][order] for k in "ab"}, average="macro", draws=1_000, rng=3)
    assert (one.draws == other.draws).all()


def test_the_order_of_labels_does_not_matter() -> None:
    truth, guesses = answers()
    names = np.array(list("hgfedcba"))
    one = compared()
    other = op.compare(names[truth], {k: names[guesses[k]] for k in "ab"}, average="macro", draws=DRAWS, rng=1)
    for k in range(2):
        assert_near(one.draws[:, k], other.draws[:, k])
    assert other.delta.sd == pytest.approx(one.delta.sd, rel=ERRORS / sqrt(DRAWS))


@pytest.mark.parametrize("systems", [1, 2, 3])
def test_workers_do_not_matter(systems: int) -> None:
    truth, guesses = answers()
    posterior = op.Paired("trend").posterior(op.Counts.from_labels(truth, dict(list(guesses.items())[:systems])))
    one, other = (posterior.scores(MACRO_F1, draws=9_000, seed=SeedSequence(1), workers=w) for w in (1, 3))
    assert (one == other).all()


@pytest.mark.parametrize("measure", ["f1", "recall", "precision", "jaccard"])
def test_each_mean_is_that_of_the_system_alone(measure: str) -> None:
    _, guesses = answers()
    r = compared(measure=measure)
    for k, name in enumerate("ab"):
        alone = estimated(guesses[name], measure=measure, average="macro", draws=DRAWS, rng=1)
        assert_near(r.draws[:, k], alone)


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_each_spread_is_that_of_the_system_alone(seed: int) -> None:
    """Also where the second is far from the first, so that its shares given the first say too little or too much."""
    counts, _ = pair_by_f1(default_rng([6, seed]))
    both, *alone = (
        op.Paired("trend").posterior(counts.select(which)).scores(MACRO_F1, draws=DRAWS, seed=SeedSequence(seed))
        for which in ([0, 1], [0], [1])
    )
    for k, draws in enumerate(alone):
        assert both[:, k].std() == pytest.approx(draws.std(), rel=ERRORS / sqrt(DRAWS))


@cache
def same() -> op.Comparison:
    """Return two systems with identical predictions."""
    truth, guesses = answers()
    return op.compare(truth, {"a": guesses["a"], "b": guesses["a"]}, average="macro", rope=0.1, draws=1_000, rng=0)


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.1, 0.5])
def test_identical_predictions_have_no_side(rope: float) -> None:
    r = same().with_rope(rope)
    delta = r.draws[:, 0] - r.draws[:, 1]
    np.testing.assert_array_equal(np.sort(delta), np.sort(-delta))
    assert r.decision is not None
    assert r.decision.symbol in ("≈", "?")
    assert (r.decision.symbol == "≈") == (rope > r.delta.hdi[1])


@pytest.mark.parametrize(
    ("measure", "form"),
    [
        ("recall", "true"),
        ("precision", "predicted"),
        ("f1", "all"),
        ("jaccard", "all"),
        ("fowlkes_mallows", "all"),
        (lambda c: c.ratio(c.tp, c.tp + 2 * c.fp + c.fn), "all"),
        (lambda c: c.ratio(c.tp, c.tp + c.fn), "true"),
        (lambda c: c.ratio(c.tp, c.tp + c.fp), "predicted"),
    ],
)
def test_the_tree_that_a_measure_needs(measure: Any, form: str) -> None:
    truth, guesses = answers()
    posterior = op.Paired("trend").posterior(op.Counts.from_labels(truth, {"a": guesses["a"]}))
    reduced = posterior.reduced("macro", resolve(measure, 0.0))
    assert isinstance(reduced, TrendPosterior)
    assert reduced.form == form


def test_recall_does_not_depend_on_what_errors_are_taken_for() -> None:
    truth, guesses = answers()
    wrong = guesses["a"] != truth
    moved = np.where(wrong, (truth + 1) % 8, guesses["a"])
    recall, precision = (
        [
            estimated(guess, measure=measure, average="macro", draws=DRAWS, rng=k)
            for k, guess in enumerate((guesses["a"], moved))
        ]
        for measure in ("recall", "precision")
    )
    assert_near(*recall)
    assert abs(precision[0].mean() - precision[1].mean()) > ERRORS * mc_error(precision[0])


def test_balanced_accuracy_is_macro_recall() -> None:
    truth, guesses = answers()
    balanced = compared(measure="balanced_accuracy", average=None)
    recall = compared(measure="recall")
    assert balanced.prior == recall.prior == "trend"
    same = np.isclose(balanced.draws, recall.draws)  # except for draws that are shifted beyond the range of a class
    assert same.mean() > 0.99
    assert balanced.a.observed == pytest.approx(balanced_accuracy_score(truth, guesses["a"]))


@cache
def plenty() -> tuple[Any, dict[str, Any]]:
    """Return five dissimilar classes of thousands of items each."""
    rng = default_rng(2)
    truth = rng.integers(5, size=20_000)
    hard = np.array([0.0, 0.1, 0.25, 0.4, 0.1])[truth]
    wrong = rng.choice(5, size=(2, len(truth)), p=[0.4, 0.1, 0.1, 0.1, 0.3])
    rights = (rng.random(len(truth)) < base - hard for base in (0.9, 0.85))
    return truth, {name: np.where(right, truth, guess) for name, right, guess in zip("ab", rights, wrong, strict=True)}


@pytest.mark.parametrize("measure", ["f1", "recall", "precision"])
def test_many_items_say_what_the_bootstrap_says(measure: str) -> None:
    """With thousands of items per class little is borrowed: mean, sd and HDI are those of the Bayesian bootstrap."""
    both: list[Any] = [
        op.compare(*plenty(), measure=measure, average="macro", model=op.Paired(prior), draws=DRAWS, rng=k)
        for k, prior in enumerate(("trend", "haldane"))
    ]
    one, other = both
    error = sqrt(2) / sqrt(2 * DRAWS)  # of a ratio of two standard deviations
    for mine, theirs in zip((one.a, one.b, one.delta), (other.a, other.b, other.delta), strict=True):
        assert abs(mine.mean - theirs.mean) < (ERRORS * sqrt(2 / DRAWS) + BORROWED) * theirs.sd
        assert abs(mine.sd / theirs.sd - 1) < ERRORS * error + BORROWED
        width = [np.ptp(score.hdi) for score in (mine, theirs)]
        assert abs(width[0] / width[1] - 1) < 2 * ERRORS * error + BORROWED  # ends vary about twice as much


def test_declared_labels_without_items() -> None:
    """They are predicted from the others, and a note says so; the average is wider."""
    seen, absent = compared(), compared(labels=range(11))
    truth, guesses = answers()
    expected = f1_score(truth, guesses["a"], labels=range(11), average="macro", zero_division=0)
    assert absent.a.observed == pytest.approx(expected)
    assert absent.a.sd > seen.a.sd
    assert sum("3 of 11 classes, which have no item" in note for note in absent.notes) == 1
    assert abs(absent.a.mean - seen.a.mean) < 3 * absent.a.sd


def test_a_weighted_average() -> None:
    truth, guesses = answers()
    r = compared(average="weighted")
    assert r.prior == "trend"
    for score, name in ((r.a, "a"), (r.b, "b")):
        assert score.observed == pytest.approx(f1_score(truth, guesses[name], average="weighted"))
        assert score.hdi[0] < float(score.observed or 0) < score.hdi[1]
    assert r.a.sd < compared().a.sd  # large classes have more weight, and are more certain
    assert sum(driver.delta for driver in r.drivers) == pytest.approx(r.delta.mean)


def test_rows_of_classes_average_to_the_macro_average() -> None:
    truth, guesses = answers()
    macro = compared()
    model = op.Paired("trend")
    rows = op.compare(
        truth, {k: guesses[k] for k in "ab"}, average="per_class", model=model, draws=DRAWS, rng=0, rope=0.01
    )
    assert [row.class_ for row in rows] == list(range(8))
    assert {row.prior for row in rows} == {"trend"}
    for k, whole in enumerate((macro.a, macro.b)):
        means = [(row.a, row.b)[k].mean for row in rows]
        assert np.mean(means) == pytest.approx(whole.mean, abs=1e-9)  # from the same draws
    by_class = f1_score(truth, guesses["a"], average=None)
    assert [row.a.observed for row in rows] == pytest.approx(list(by_class))


def test_rows_of_classes_estimated() -> None:
    truth, guesses = answers()
    rows = op.estimate(truth, {"a": guesses["a"]}, average="per_class", model=op.Paired("trend"), draws=DRAWS, rng=0)
    macro = op.estimate(truth, {"a": guesses["a"]}, average="macro", draws=DRAWS, rng=0)
    assert np.mean([row.mean for row in rows]) == pytest.approx(macro.mean, abs=1e-9)


def tagged(repeats: int) -> op.Counts:
    """Return sentences of chunks that are all correct or all wrong together."""
    rng = default_rng(0)
    types = rng.choice(["LOC", "ORG", "PER"], 240, p=[0.6, 0.3, 0.1])
    gold = [[f"B-{kind}", "O"] * repeats for kind in types]
    said = {
        name: [tags if rng.random() < p else ["O"] * len(tags) for tags in gold] for name, p in (("a", 0.8), ("b", 0.6))
    }
    return op.Counts.from_chunks(gold, said)


@pytest.mark.parametrize("strata", [1, 2])
def test_items_in_strata_by_lot_are_as_without(strata: int) -> None:
    rng = default_rng(0)
    truth = rng.integers(4, size=300)
    said = {name: np.where(rng.random(300) < 0.3, rng.integers(4, size=300), truth) for name in "ab"}
    lots = op.BayesianBootstrap(strata=np.arange(300) % strata, prior="trend")
    r, plain = (
        op.compare(truth, said, average="macro", model=m, draws=4_000, rng=0) for m in (lots, op.Paired("trend"))
    )
    assert r.delta.mean == pytest.approx(plain.delta.mean, abs=ERRORS * (r.delta.mc_error + plain.delta.mc_error))
    assert r.delta.sd == pytest.approx(plain.delta.sd, rel=0.1)
    assert r.notes == plain.notes


def test_types_of_chunk_weigh_sentences() -> None:
    """Four chunks that are always wrong together are worth one."""
    one, four = (op.compare(tagged(k), average="macro", draws=DRAWS, rng=0) for k in (1, 4))
    assert one.prior == four.prior == "trend"
    assert "sentence" in four.signature
    sds = np.array([(r.a.sd, r.b.sd, r.delta.sd) for r in (one, four)])
    assert (abs(sds[1] / sds[0] - 1) < 0.1).all()
    apart = op.compare(tagged(4).together(), average="macro", model=op.Paired("trend"), draws=DRAWS, rng=0)
    assert apart.a.sd < 0.65 * four.a.sd


def test_functions_of_ones_own() -> None:
    result = compared(measure=lambda c: c.ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn))
    assert result.prior == "trend"
    np.testing.assert_allclose(result.draws, compared().draws)


def test_zero_division_is_of_what_was_observed() -> None:
    """A draw is never 0/0."""
    zero, one = (compared(labels=range(11), zero_division=value) for value in (0.0, 1.0))
    truth, guesses = answers()
    theirs = [f1_score(truth, guesses["a"], labels=range(11), average="macro", zero_division=v) for v in (0, 1)]
    assert [zero.a.observed, one.a.observed] == pytest.approx(theirs)
    assert (zero.draws == one.draws).all()


def test_systems_that_are_not_paired() -> None:
    apart, paired = compared(model=op.Unpaired("trend")), compared()
    assert (apart.model, apart.prior) == ("unpaired", "trend")
    for k in range(2):
        assert_near(apart.draws[:, k], paired.draws[:, k])
    assert abs(stats.pearsonr(*apart.draws.T).statistic) < ERRORS / sqrt(DRAWS)
    assert apart.delta.sd > paired.delta.sd


def test_systems_with_items_of_their_own() -> None:
    truth, guesses = answers()
    sets = {"a": (truth[:150], guesses["a"][:150]), "b": (truth[150:], guesses["b"][150:])}
    r = op.compare(op.Counts.from_test_sets(sets, labels=range(8)), average="macro", draws=DRAWS, rng=0)
    assert (r.model, r.prior) == ("unpaired", "trend")
    assert r.a.observed == pytest.approx(f1_score(*sets["a"], labels=range(8), average="macro", zero_division=0))


def test_folds() -> None:
    truth, guesses = answers()
    fold = np.arange(len(truth)) % 2
    parts = {
        (r, k): op.Counts.from_labels(
            truth[fold == k], {n: guesses[n][fold == k] for n in "ab"}, labels=range(8)
        )
        for r in (1, 2, 3)
        for k in range(2)
    }  # fmt: skip
    r = op.compare(op.Counts.by_fold(parts), average="macro", draws=DRAWS, rng=0)
    assert "cross-validated" in r.model
    assert "trend" in r.prior
    assert r.delta.hdi[0] < r.delta.mean < r.delta.hdi[1]
    assert abs(r.a.mean - compared().a.mean) < 2 * r.a.sd
    fewer = op.compare(op.Counts.by_fold({k: v for k, v in parts.items() if k[0] == 1}), average="macro", rng=0)
    assert r.delta.sd == pytest.approx(fewer.delta.sd, rel=0.2)  # the same items twice add little


@cache
def ranked() -> op.Ranking:
    truth, guesses = answers()
    return op.rank(truth, guesses, average="macro", draws=DRAWS, shrink=False, rng=0)


@pytest.mark.parametrize(("names", "within"), [("ab", 0.15), ("bc", 0.15), ("ac", 0.15)])
def test_a_ranking_agrees_with_each_comparison(names: str, within: float) -> None:
    """The second of three is the hub, with which differences have the spread of the pair."""
    r = compared(names)
    one, other = ("abc".index(name) for name in names)
    delta = ranked().draws[:, one] - ranked().draws[:, other]
    assert_near(delta, r.draws[:, 0] - r.draws[:, 1])
    assert delta.std() == pytest.approx(r.delta.sd, rel=within)


def test_classes_that_a_system_never_predicts_are_told_where_precision_is_asked_for() -> None:
    truth = np.arange(120) % 6
    silent = {"a": np.where(truth > 3, 0, truth), "b": np.where(truth == 5, 1, truth)}
    sentence = "A system never predicted 2 of 6 classes that have items in these data, so their observed "
    for measure, number in (("precision", 1), ("recall", 0), ("f1", 0)):
        r = op.compare(truth, silent, measure=measure, average="macro", draws=200, rng=0)
        assert sum(note.startswith(sentence) for note in r.notes) == number


def borrowed(notes: Sequence[str]) -> list[str]:
    return [note for note in notes if note.startswith("Classes learn from each other")]


def test_a_ranking_and_a_comparison_say_the_same_of_what_is_borrowed() -> None:
    truth, guesses = answers()
    ranking = op.rank(truth, {k: guesses[k] for k in "ab"}, average="macro", draws=1_000, rng=0)
    assert len(borrowed(ranking.notes)) == 1
    assert borrowed(ranking.notes) == borrowed(compared().notes)
    assert len(borrowed(ranked().notes)) == 1


@pytest.mark.parametrize(
    ("measure", "average", "prior"),
    [("f1", "micro", "right_or_wrong"), ("accuracy", None, "right_or_wrong"), ("mcc", None, "pooled")],
)
def test_scores_of_all_items_do_not_learn_from_classes(measure: str, average: str | None, prior: str) -> None:
    r = compared(measure=measure, average=average, draws=500)
    assert f"|prior:{prior}|" in r.signature
    assert not borrowed(r.notes)
    assert "|prior:trend|" in compared(draws=500).signature


@pytest.mark.parametrize("label", ["0", "yes"])
def test_two_classes_are_refused(label: str) -> None:
    with pytest.raises(ValueError, match=r"^the trend prior [^.]*two classes[^.]*$"):
        op.compare([label, "1"] * 5, {"a": [label, "1"] * 5, "b": ["1"] * 10}, pos_label="1", model=op.Paired("trend"))


@pytest.mark.parametrize(("measure", "average"), [("f1", "micro"), ("accuracy", None), ("mcc", None)])
@pytest.mark.parametrize("model", [op.Paired("trend"), op.Unpaired("trend")], ids=["paired", "unpaired"])
def test_scores_that_are_no_averages_are_refused(measure: str, average: str | None, model: Any) -> None:
    with pytest.raises(ValueError, match=r"^the trend prior [^.]*averages over classes[^.]*$"):
        compared(measure=measure, average=average, model=model)


def test_no_items_at_all() -> None:
    """Without data every score has its prior, and no system is ahead."""
    counts = op.Counts.from_labels(*answers()).select([0, 1])
    empty = op.compare(counts.empty(), average="macro", draws=DRAWS, rng=0)
    assert abs(empty.delta.mean) < ERRORS * mc_error(empty.draws[:, 0] - empty.draws[:, 1])
    assert 0.3 < empty.a.mean < 0.8
    assert relevance(counts.empty()).items == 0
