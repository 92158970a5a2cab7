"""Which posteriors and measures are ratios of sums of gammas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import MeasureFunction, resolve
from outperform.models.binary import contingency_of
from outperform.models.exact.ratio import Cells, cells_of

MU, NEGATIVE, POSITIVE = np.array([30.0, 20.0]), np.array([4.0, 5.0, 6.0, 16.0]), np.array([9.0, 3.0, 2.0, 7.0])


def never(_: Sequence[FloatArray]) -> Contingency:
    """Blocks of another kind have no such meaning."""
    raise AssertionError


@pytest.mark.parametrize("sizes", [(2, 3, 4), (4, 2), (3, 4, 4), (2, 4, 4, 2, 4, 2), (2, 4, 4, 3, 4, 4)])
def test_other_blocks_are_refused(sizes: tuple[int, ...]) -> None:
    assert cells_of([np.full(size, 3.0) for size in sizes], never, resolve("f1")) is None


@pytest.mark.parametrize("block", [0, 1, 2])
def test_a_cell_without_weight_is_refused(block: int) -> None:
    blocks = [MU.copy(), NEGATIVE.copy(), POSITIVE.copy()]
    assert cells_of(blocks, contingency_of, resolve("f1")) is not None
    blocks[block][1] = 0.0
    assert cells_of(blocks, contingency_of, resolve("f1")) is None


def ratio(cells: Cells) -> FloatArray:
    """The scores at the means of the cells, by what each of them adds."""
    return np.asarray(cells.gain @ cells.alpha / ((cells.gain + cells.loss) @ cells.alpha))


@pytest.mark.parametrize("measure", ["f1", "f2", "jaccard", "precision", "recall", "accuracy"])
def test_what_cells_add_makes_the_score_of_counts(measure: str) -> None:
    """With weights of μ that are the sums of the cells, κ is 1, and the score of mean shares is that of the weights."""
    mu = np.array([NEGATIVE.sum(), POSITIVE.sum()])
    found = cells_of([mu, NEGATIVE, POSITIVE], contingency_of, resolve(measure))
    assert found is not None
    assert found[0].parts == ()
    shares = [x[:, None] / x.sum() for x in (mu, NEGATIVE, POSITIVE)]
    score = resolve(measure)(contingency_of(shares))[0]
    assert ratio(found[0]) == pytest.approx(score, rel=1e-9)
    for k in (0, 1):
        assert ratio(found[0].of(k)) == pytest.approx(score[[k]], rel=1e-9)


OTHERS: dict[str, MeasureFunction] = {
    "errors subtract": lambda c: (2 * c.hit - c.predicted) / c.total,
    "errors count half": lambda c: (c.hit + c.predicted) / 2 / (c.support + c.predicted - c.hit),
    "no sum in the denominator": lambda c: c.hit / np.sqrt(c.support * c.predicted),
    "a power": lambda c: (c.hit / c.predicted) ** 1.001,
    "more than all": lambda c: 2 * c.hit / c.predicted,
    "always 0": lambda c: 0 * c.hit,
    "always 1": lambda c: 0 * c.hit + 1,
    "not finite": lambda c: np.inf * c.hit,
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_measures_are_refused(name: str) -> None:
    """A cell may only add to what is gained or to what is lost."""
    assert cells_of([MU, NEGATIVE, POSITIVE], contingency_of, OTHERS[name]) is None


def test_kappa_has_the_weight_that_mu_lacks() -> None:
    """It multiplies the negative items, and matters only where both kinds of items count."""
    found = cells_of([MU, NEGATIVE, POSITIVE], contingency_of, resolve("f1"))
    assert found is not None
    assert found[0].parts == ((30.0, 1.0), (20.0, 1.0))
    assert found[0].counted().parts == found[0].parts
    assert found[0].counted().negative.sum() == 3  # true negatives do not count
    of_positives = cells_of([MU, NEGATIVE, POSITIVE], contingency_of, resolve("recall"))
    assert of_positives is not None
    assert of_positives[0].counted().parts == ()
    assert cells_of([MU + np.array([2.0, 0.0]), NEGATIVE, POSITIVE], contingency_of, resolve("f1")) is None
