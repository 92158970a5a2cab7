"""The simulation of cross-validation and the bench of the Bayes test: they run, and say the same again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bench.crossval import PAIRS, WORLDS, Pair, World, alone, discriminant, intervals, logistic, main, summary, together
from numpy.random import default_rng
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

import outperform as op
from bench import bayes_test, crossval, kept


@pytest.fixture(autouse=True)
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossval, "FOR_TRUTH", 20)


def test_fits_are_those_of_scikit_learn() -> None:
    (x,), y = WORLDS[-1].draw(default_rng(0), 3)
    ours, theirs = (
        (logistic(x, y), LogisticRegression(tol=1e-9)),
        (discriminant(x, y), LinearDiscriminantAnalysis("lsqr")),
    )
    for weights, estimator in (ours, theirs):
        for k in range(3):
            estimator.fit(x[k], y[k])
            np.testing.assert_allclose(weights[k], np.r_[estimator.intercept_, estimator.coef_[0]], atol=1e-6)


def test_true_cells_are_what_data_come_to() -> None:
    world, weights = WORLDS[-1], np.array([[-1.0, 0.7, 0.2]])
    (x,), y = world.draw(default_rng(0), 500)
    predicted, y = (x.reshape(-1, 2) @ weights[0, 1:] + weights[0, 0] > 0), y.ravel() == 1
    observed = [(predicted & y).mean(), (predicted & ~y).mean(), (~predicted & y).mean()]
    np.testing.assert_allclose(world.cells(weights)[0], observed, atol=0.003)


def test_intervals_are_those_of_the_package() -> None:
    sums = np.array([[300.0, 120.0, 80.0]])
    tp, fp, fn = (0.3 * sums[0] + 1).tolist()
    for beta in crossval.BETAS.values():
        low, high = intervals(sums, 0.3, beta)
        expected = op.FBetaPosterior(tp, fp, fn, beta=beta).interval()
        np.testing.assert_allclose([low[0], high[0]], expected, rtol=1e-9)


def test_equal_pairs_are_equal_and_related_as_said() -> None:
    pair = Pair("", World("", shift=1.0), 0.8)
    (a, b), y = pair.draw(default_rng(0), 200)
    assert np.corrcoef((a - y[..., None])[..., 0].ravel(), (b - y[..., None])[..., 0].ravel())[0, 1] == pytest.approx(
        0.8, abs=0.01
    )
    np.testing.assert_allclose(a[y == 1].mean(axis=0), 1, atol=0.02)
    assert pair.equal
    assert not Pair("", World(""), 0.8, shift=0.3).equal
    assert not Pair("", World("")).equal


def test_each_part_is_reproducible() -> None:
    assert alone(WORLDS[0], 6) == alone(WORLDS[0], 6)
    assert together(PAIRS[1], 4) == together(PAIRS[1], 4)


def test_what_is_finished_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossval, "WORLDS", WORLDS[:1])
    monkeypatch.setattr(crossval, "PAIRS", PAIRS[:1])
    file = tmp_path / "cross-validation.csv"
    arguments = ["--file", str(file), "--sets", "5"]
    main(arguments)
    first = file.read_text(encoding="utf-8")
    main(arguments)
    assert file.read_text(encoding="utf-8") == first
    assert summary(file).count("\n\n") == 3
    assert "| example | F1 | " in summary(file)


def test_every_setting_was_tried() -> None:
    done = {(row["part"], row["setting"]) for row in kept.read(crossval.FILE)}
    assert done == {*(("alone", w.name) for w in WORLDS), *(("together", p.name) for p in PAIRS)}


@pytest.mark.parametrize("beta", bayes_test.BETAS.values(), ids=bayes_test.BETAS)
@pytest.mark.parametrize("pair", [bayes_test.FEW, bayes_test.FAR], ids=["few", "far"])
def test_the_integral_is_the_sum_and_the_share_of_draws(pair: bayes_test.Two, beta: float) -> None:
    expected = bayes_test.exact(pair, beta)
    assert bayes_test.integrated(pair, beta) == pytest.approx(float(expected), rel=1e-10)
    assert bayes_test.drawn(pair, beta, 50_000) == pytest.approx(float(expected), abs=0.01)


def test_the_page_shows_the_tables_of_the_file() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "explanation" / "cross-validation.md").read_text(
        encoding="utf-8"
    )
    assert all(table in page for table in summary().split("\n\n"))
