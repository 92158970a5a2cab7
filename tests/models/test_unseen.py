"""Unobserved units: their assumed size, and what they add to scores."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray

import outperform as op
from outperform.data.items import Items
from outperform.data.relevance import unbiased
from outperform.measures.of_items import mean_of
from outperform.models import unseen
from outperform.models.unseen import Influence, Unseen
from outperform.models.weights import ItemWeights
from tests.tables import verdict

Array = NDArray[Any]
DRAWS = 40_000


def means(*columns: Array, cluster: Any = None, strata: Any = None) -> tuple[Any, ItemWeights]:
    """Return the scorer of means and the weights of the items."""
    names = tuple("abc"[: len(columns)])
    items = Items(names, np.zeros(len(columns[0])), columns, np.ones(len(columns[0]))).grouped(cluster, strata)
    return mean_of("mean").prepare(items), ItemWeights.of(items)


def test_the_influence_on_a_mean_is_the_distance_from_it() -> None:
    x = default_rng(0).normal(0, 1, 50)
    found = Influence.of(*means(x, x**2), most=100)
    for moves, column in zip(found.moves.T, (x, x**2), strict=True):
        np.testing.assert_allclose(moves, (column - column.mean()) / (50 - 1), rtol=1e-8)
    assert found.mixed == 0


def test_clusters_move_as_one_and_strata_keep_their_share() -> None:
    x, cluster = default_rng(1).normal(0, 1, 60), np.repeat(np.arange(20), 3)
    of_clusters = Influence.of(*means(x, cluster=cluster), most=100).moves[:, 0]
    sums = np.bincount(cluster, x - x.mean()) / (60 - 3)
    np.testing.assert_allclose(np.sort(of_clusters), np.sort(sums), rtol=1e-9)
    of_strata = Influence.of(*means(x, strata=cluster), most=100).moves[:, 0]
    inside = (x - (np.bincount(cluster, x) / 3)[cluster]) / (3 - 1) * 3 / 60
    np.testing.assert_allclose(np.sort(of_strata), np.sort(inside), rtol=1e-9)


@pytest.mark.parametrize("most", [100, 20])
def test_how_many_units_are_moved_at_a_time_does_not_matter(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    x = default_rng(5).normal(0, 1, 50)
    whole = Influence.of(*means(x), most=most)
    monkeypatch.setattr(unseen, "BLOCK", 50 * 7)
    parts = Influence.of(*means(x), most=most)
    np.testing.assert_allclose(parts.moves, whole.moves, rtol=1e-12)
    np.testing.assert_array_equal(parts.number, whole.number)
    assert (parts.units, parts.mixed) == (whole.units, whole.mixed) == (50, 0 if most == 100 else 20)


def test_groups_of_units_tell_the_same_size() -> None:
    """2,000 normal numbers, of which a few are outliers: alone and in 500 groups."""
    x = default_rng(2).normal(0, 1, 2_000)
    x[:4] = 60
    one_by_one, mixed = (Influence.of(*means(x), most=most) for most in (5_000, 500))
    assert mixed.mixed == 500
    assert mixed.size(mixed.moves[:, 0], 0.0) == pytest.approx(one_by_one.size(one_by_one.moves[:, 0], 0.0), rel=0.1)
    even = Influence.of(*means(x[4:]), most=500)
    sd = sqrt((even.moves[:, 0] ** 2).sum())
    assert even.size(even.moves[:, 0], 0.0) < 0.1 * sd  # sums of many units are not mistaken for units


def test_equal_units_are_worth_their_number() -> None:
    x = np.tile([1.0, -1.0], 30)
    found = Influence.of(*means(x), most=100)
    assert found.size(found.moves[:, 0], 0.0) == pytest.approx(60 / (60.5 * 59))
    assert found.size(np.zeros(60), 0.25) == 0.25  # the possible influence, if none was observed


@pytest.mark.parametrize("systems", [1, 2, 4])
def test_what_is_added_has_the_variance_that_is_stated(systems: int) -> None:
    rng = default_rng(3)
    base = rng.normal(0, 1, 40)
    columns = [base + rng.normal(0, 0.3, 40) for _ in range(systems)]
    influence = Influence.of(*means(*columns), most=100)
    unseen = Unseen.of(influence, 0.0)
    added = unseen.draw(default_rng(0), DRAWS)
    alone = [influence.size(moves, np.ptp(moves)) for moves in influence.moves.T]
    for k, size in enumerate(alone):  # that of a score does not depend on the number of systems
        assert added[:, k].var() == pytest.approx(2 * size**2, rel=0.1)
    for k, j in combinations(range(systems), 2):  # nor does that of a difference
        size = influence.size(influence.moves[:, k] - influence.moves[:, j], influence.spread()[[k, j]].max())
        shared = unseen.select([k, j]).shared
        expected = 2 * size**2 + 2 * (shared[0] - shared[1]) ** 2
        assert (added[:, k] - added[:, j]).var() == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("cluster", [None, np.arange(60) % 12])
def test_copies_of_two_systems_take_nothing_from_what_these_may_differ_by(cluster: Any) -> None:
    rng = default_rng(11)
    base = rng.normal(size=60)
    two = {name: base + 0.5 * rng.normal(size=60) for name in "ab"}
    four = two | {name: two[of] + 0.02 * rng.normal(size=60) for name, of in (("c", "a"), ("d", "b"))}
    alone = op.compare_scores(two, cluster=cluster, draws=DRAWS, rng=0)
    ranked = op.rank_scores(four, cluster=cluster, draws=DRAWS, rng=1, shrink=False, rope=0.1).comparison("a", "b")
    assert ranked.delta.sd == pytest.approx(alone.delta.sd, rel=5 * 2 / sqrt(DRAWS))


def test_sizes_that_no_coordinates_have_are_not_made_smaller() -> None:
    far = np.array([[0.0, 1, 1, 5], [1, 0, 1, 1], [1, 1, 0, 1], [5, 1, 1, 0]])
    for apart, exists in ((far, False), (np.minimum(far, 1.5), True)):
        mixed = unseen._coordinates(np.ones(4), apart)
        found = ((mixed[:, None] - mixed) ** 2).sum(axis=-1) / 2
        assert (found >= apart**2 - 1e-9).all()
        assert ((mixed**2).sum(axis=-1) / 2 >= 1 - 1e-9).all()
        assert (np.abs(found - apart**2) < 1e-9).all() == exists  # equal scores share equal parts


def test_half_a_unit_a_side_is_what_two_copies_differ_by_at_most() -> None:
    """The rule of three: for n items on which no two differ, 3/n is the upper end of a 95% interval."""
    a = default_rng(4).random(300)
    r = op.compare_scores({"a": a, "b": a}, rope=0.02, draws=DRAWS, rng=0)
    assert r.delta.hdi[1] == pytest.approx(3 * np.ptp(a) / 300, rel=0.05)
    assert verdict(r) == "equivalent"
    few = op.compare_scores({"a": a[:10], "b": a[:10]}, rope=0.02, rng=0)
    assert verdict(few) == "undecided"
    assert few.delta.hdi[0] < -0.1


def test_scores_between_0_and_1_stay_there() -> None:
    rng = default_rng(5)
    good = {name: 1 - 0.1 * rng.random((10, 2)) ** 4 for name in "ab"}
    r = op.compare_scores(good, rng=0)
    assert r.draws.max() <= 1
    assert max(r.a.hdi[1], r.b.hdi[1]) <= 1
    free = op.compare_scores({name: 2 * scores for name, scores in good.items()}, rng=0)
    assert free.draws.max() > 2


@pytest.mark.parametrize(("sizes", "alpha"), [((5, 5), 0.6), ((2, 8), 0.02), ((100, 100), 0.98)])
def test_strata_are_spread_as_the_unbiased_variance_says(sizes: tuple[int, int], alpha: float) -> None:
    stratum = np.repeat([0, 1], sizes)
    assert unbiased(np.ones(sum(sizes)), stratum)[0] == pytest.approx(alpha)
    x = default_rng(6).normal(0, 1, sum(sizes))
    scorer, weights = means(x, strata=stratum)
    drawn = scorer(weights.draw(default_rng(0), DRAWS))[:, 0]
    parts = [x[stratum == s] for s in (0, 1)]
    wanted = sum((len(part) / len(x)) ** 2 * part.var(ddof=1) / len(part) for part in parts)
    assert drawn.var() == pytest.approx(wanted, rel=0.06)


def test_strata_of_one_are_put_together() -> None:
    x = default_rng(7).normal(0, 1, 40)
    alone = op.compare_scores({"a": x, "b": 0 * x}, strata=np.arange(40), rng=0)
    plain = op.compare_scores({"a": x, "b": 0 * x}, rng=0)
    assert alone.delta.sd == pytest.approx(plain.delta.sd, rel=0.05)
    assert any("40 of them are merged into one stratum" in note for note in alone.notes)
    one = Items(("a",), x, (x,), np.ones(40)).grouped(strata=[0] + [1] * 9 + [2] * 30)
    assert one.lone == 1
    assert sorted(np.bincount(one.stratum).tolist()) == [10, 30]


def test_unequal_clusters_are_said_to_be_worth_fewer() -> None:
    x = default_rng(8).normal(0, 1, 400)
    cluster = np.append(np.zeros(200, dtype=int), 1 + np.arange(200) // 10)
    r = op.compare_scores({"a": x, "b": -x}, cluster=cluster, rope=1e-6, rng=0)
    resampled = "21 clusters are resampled whole; they hold 400 items"
    assert f"{resampled}, and carry as much information as 4 clusters of equal size." in r.notes
    assert "The scores rest on only 3.81 clusters: too few for a verdict." in r.notes
    assert verdict(r) not in ("better", "worse", "equivalent")


SETS = [{"x"}, {"y"}], {"a": [{"x"}, set()], "b": [set(), {"y"}]}  # as few as there can be
ASKED = {"a": [0.1, 0.9, 0.8, 0.3], "b": [0.2, 0.7, 0.6, 0.4]}


@pytest.mark.parametrize("measure", ["f1", "precision", "recall", "jaccard", "f2", "mcc", "kappa"])
def test_scores_of_two_label_sets_stay_within_the_limits_of_their_measure(measure: str) -> None:
    truth, said = SETS
    low = -1.0 if measure in ("mcc", "kappa") else 0.0
    r = op.compare(truth, said, measure=measure, average="micro", rng=0)
    for score in (r.a, r.b):
        assert low <= score.hdi[0] < score.hdi[1] <= 1.0


@pytest.mark.parametrize(
    ("measure", "low", "high"),
    [("log_loss", 0, np.inf), ("brier", 0, 2), ("mae", 0, np.inf), ("r2", -np.inf, 1), ("roc_auc", 0, 1)],
)
def test_scores_of_four_items_stay_within_the_limits_of_their_measure(measure: str, low: float, high: float) -> None:
    r = op.compare([0, 1, 1, 0], ASKED, measure=measure, mass=0.999, rng=0)
    for score in (r.a, r.b):
        assert low <= score.hdi[0] < score.hdi[1] <= high


def test_a_measure_of_ones_own_states_its_limits() -> None:
    @op.measure(limits=(0.5, 1.0))
    def half_and_more(c: op.Contingency) -> Array:
        return (1 + c.ratio(c.tp, c.tp + c.fp + c.fn)) / 2

    truth, said = SETS
    r = op.compare(truth, said, measure="half_and_more", average="micro", rng=0)
    assert r.a.hdi[0] == r.b.hdi[0] == 0.5


def test_sums_of_many_hide_how_few_units_matter() -> None:
    """Of sums the normal part of the fourth moment, 3 (Σ φ²)²/groups, is taken away; of single units nothing is."""
    of, number = np.array([1.0] + [0.1] * 9), np.ones(10)
    squares, fourths = 1.09, 1.0009
    for mixed, left in ((0, fourths), (10, fourths - 3 * squares**2 / 10)):
        effective = squares**2 / left
        expected = (sqrt(effective * squares) + 0.5 * 2.0) / (effective + 0.5)
        assert Influence(of[:, None], number, 1_000, mixed).size(of, 2.0) == pytest.approx(expected, rel=1e-12)


def test_a_small_difference_on_every_item_is_no_better_evidence_of_sameness_than_none() -> None:
    """Both need a ROPE of about 3/n of the range of the scores."""
    x = default_rng(9).random(50)
    noisy = x + 1e-6 * default_rng(10).standard_normal(50)
    least = 3 * float(np.ptp(x)) / 50
    for b in (x, noisy):
        r = op.compare_scores({"a": x, "b": b}, rope=0.9 * least, draws=DRAWS, rng=0)
        assert verdict(r) == "undecided" or verdict(r).startswith("slightly")
        assert verdict(r.with_rope(1.1 * least)) == "equivalent"
    assert any("unobserved items on which they differ as much" in note for note in r.notes)
    assert not r.meets("equivalent")
    ranked = op.rank_scores({"a": x, "b": noisy, "c": x[::-1].copy()}, rope=0.9 * least, shrink=False, rng=0)
    assert verdict(ranked.comparison("a", "b")) != "equivalent"
    assert not any(pair.decision is not None and pair.decision.name == "equivalent" for pair in ranked.pairs)


def test_the_order_of_the_systems_does_not_matter_for_sameness() -> None:
    x = default_rng(11).random(60)
    y = x + 0.01 * default_rng(12).standard_normal(60)
    one, other = (op.compare_scores(pair, draws=2000, rng=0) for pair in ({"a": x, "b": y}, {"b": y, "a": x}))
    assert one.evidence is not None
    assert other.evidence is not None
    low, high = one.evidence.wider_hdi(0, 1, 0.95) or (0, 0)
    assert other.evidence.wider_hdi(0, 1, 0.95) == pytest.approx((-high, -low), rel=1e-12)


def test_rare_failures_that_a_sample_lacks_make_few_systems_the_same() -> None:
    """Grades from 1 to 10, equal on most items; one system fails on 3%, which one sample of 50 in five has not seen."""
    wrong, share, fails, step = 0, 0.03, 2.0, 0.03
    truth = share * (8 - fails) + step  # mean loss by failures, and by a grade less on a few
    for seed in range(60):
        rng = default_rng(seed)
        b = np.clip(np.round(rng.normal(8, 1.2, 50)), 5, 10)
        a = np.where(rng.random(50) < share, fails, b - (rng.random(50) < step))
        wrong += verdict(op.compare_scores({"a": a, "b": b}, rope=0.95 * truth, draws=500, rng=seed)) == "equivalent"
    assert wrong <= 2


def test_sameness_of_unbounded_scores_says_what_it_assumes_of_other_items() -> None:
    x = default_rng(13).exponential(1, 100)
    y = x + 0.01 * default_rng(14).standard_normal(100)
    r = op.compare_scores({"a": x, "b": y}, greater_is_better=False, rope=0.3, rng=0)
    (note,) = [note for note in r.notes if note.startswith("≈ assumes")]
    size = (0.3 - max(map(abs, r.delta.hdi))) / (1 - 0.05 ** (1 / 100))
    assert "if 3.0% of all items" in note
    assert f"differed by {size:.2g} or more" in note
    assert not any(note.startswith("≈ assumes") for note in r.with_rope(100.0).notes)
    assert not any(note.startswith("≈ assumes") for note in r.with_rope(0.001).notes)
    x, y = (scores / max(x.max(), y.max()) for scores in (x, y.clip(0)))
    shares = op.compare_scores({"a": x, "b": y}, rope=0.1, rng=0)  # which cannot differ by more than 1
    assert verdict(shares) == "equivalent"
    assert not any(note.startswith("≈ assumes") for note in shares.notes)


@pytest.mark.parametrize(("rope", "end"), [((-0.3, 0.9), 0), ((-0.9, 0.3), 1)])
def test_the_nearer_end_of_the_rope_says_what_could_be_missed(rope: tuple[float, float], end: int) -> None:
    x = default_rng(13).exponential(1, 100)
    y = x + 0.1 * default_rng(14).standard_normal(100)
    r = op.compare_scores({"a": x, "b": y}, rope=rope, rng=0)
    (note,) = [note for note in r.notes if note.startswith("≈ assumes")]
    assert f"differed by {abs(rope[end] - r.delta.hdi[end]) / (1 - 0.05 ** (1 / 100)):.2g} or more" in note


@pytest.mark.parametrize(("scale", "largest"), [(5.0, 4 * 5.0 * 100 / 99), (0.5, 1.0)])
def test_what_no_item_is_likely_to_do_is_not_mentioned(scale: float, largest: float) -> None:
    """To differ by more than four times the range of the scores, or by more than 1 if they are proportions."""
    x = np.linspace(0, scale, 100)
    y = np.clip(x + 1e-4 * default_rng(14).standard_normal(100), 0, scale)
    r = op.compare_scores({"a": x, "b": y}, rng=0)
    for factor in (0.97, 1.03):
        margin = factor * largest * (1 - 0.05 ** (1 / 100)) + max(map(abs, r.delta.hdi))
        found = r.with_rope(margin)
        assert verdict(found) == "equivalent"
        assert any(note.startswith("≈ assumes") for note in found.notes) == (factor < 1)
