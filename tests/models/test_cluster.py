"""Simulations and fits in other processes and on a Dask cluster give the same numbers as in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
import pytest

import outperform as op
from bench import calibration
from tests.later import later

if TYPE_CHECKING:
    from distributed import Client

distributed = later("distributed")
naive_bayes = later("sklearn.naive_bayes")  # each process that is started imports this file, but few of them estimators

RNG = np.random.default_rng(0)
TRUTH = op.Scenario(0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
Y = RNG.integers(0, 3, 120)
A, B = (np.where(RNG.random(120) < right, Y, RNG.integers(0, 3, 120)) for right in (0.8, 0.6))
THREE = op.Counts.from_labels(Y, {"a": A, "b": B})
TWO = op.Counts.from_labels(Y == 1, {"a": A == 1, "b": B == 1})
X = np.column_stack([Y + RNG.normal(size=120), RNG.normal(size=120)])
JACCARD: Callable[[op.Contingency], Any] = lambda c: c.ratio(c.tp, c.tp + c.fp + c.fn)  # noqa: E731 (sent whole)


# Studies come in blocks of 250, or of 10 if each needs its own draws.
BY_DRAWS: dict[str, Any] = {"average": "macro", "rope": 0.02, "draws": 500, "rng": 0, "model": op.Paired("pooled")}
ASKED: dict[str, Callable[..., Any]] = {
    "power": lambda **how: op.power(TRUTH, [200, 900], rope=0.05, studies=600, measure=JACCARD, rng=0, **how),
    "power-by-draws": lambda **how: op.power(THREE, [200], studies=25, **BY_DRAWS, **how),
    "plan": lambda **how: op.plan(TWO, rope=0.05, studies=300, rng=0, **how),
    "plan-by-draws": lambda **how: op.plan(THREE, "better", power=0.5, studies=20, **BY_DRAWS, **how),
    "cross-validation": lambda **how: op.bayes_test(
        op.cross_validate(
            {"nb": naive_bayes.GaussianNB(), "flat": naive_bayes.GaussianNB(var_smoothing=0.5)}, X, Y == 1, rng=0, **how
        ),
        rope=0.05,
        rng=0,
    ),
}


@cache
def alone(name: str) -> Any:
    return ASKED[name]()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Client]:
    """Start another process with two threads; a second process would take seconds to start."""
    with distributed.Client(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=":0") as client:
        yield client


@pytest.fixture(params=["dask", "loky"])
def backend(request: pytest.FixtureRequest) -> str:
    if request.param == "dask":
        request.getfixturevalue("cluster")
    return str(request.param)


@pytest.mark.parametrize("name", ASKED)
def test_numbers_are_the_same_wherever_they_come_from(name: str, backend: str) -> None:
    with joblib.parallel_config(backend=backend):
        there = ASKED[name](n_jobs=2)
    assert there.to_json() == alone(name).to_json()
    if name != "cross-validation":
        np.testing.assert_array_equal(there.hdis, alone(name).hdis)


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_a_backend_that_hands_out_everything_at_the_end() -> None:
    code = (
        "import joblib, outperform as op; joblib.parallel_config('multiprocessing', n_jobs=2);"
        "truth = op.Scenario(0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3));"
        "print(op.power(truth, 200, rope=0.05, studies=600, rng=0).to_json())"
    )
    assert python(code) == op.power(TRUTH, 200, rope=0.05, studies=600, rng=0).to_json()


def test_what_joblib_is_told_is_heeded(cluster: Client, tmp_path: Path) -> None:
    def noted(c: op.Contingency) -> Any:
        (tmp_path / str(os.getpid())).touch()
        return c.ratio(c.tp, c.tp + c.fp)

    def processes(simulate: Callable[[], Any]) -> set[int]:
        simulate()
        found = {int(note.name) for note in tmp_path.iterdir()} - {os.getpid()}
        for note in tmp_path.iterdir():
            note.unlink()
        return found

    power = partial(op.power, TRUTH, 200, rope=0.05, studies=600, measure=noted, rng=0)
    pilot, workers = op.compare(TWO, rope=0.05, measure=noted, rng=0), set(cluster.run(os.getpid).values())
    assert len(workers) == 1
    assert processes(power) == set()
    assert processes(partial(power, n_jobs=1)) == set()
    with joblib.parallel_config(backend="dask"):
        assert set() < processes(power) <= workers
        assert set() < processes(partial(power, n_jobs=-1)) <= workers
        assert set() < processes(partial(pilot.more_data, studies=300)) <= workers
    with joblib.parallel_config(n_jobs=2):
        assert processes(power) - workers


def test_interrupted_power_gives_what_is_finished(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def impatient(*_: Any, **__: Any) -> Iterator[Callable[[int], None]]:
        def stop(_: int) -> None:
            raise KeyboardInterrupt

        yield stop

    whole = alone("power-by-draws")
    with monkeypatch.context() as patch, joblib.parallel_config(backend=backend, n_jobs=2):
        patch.setattr("outperform.planning.judging.bar", impatient)
        r = ASKED["power-by-draws"]()
        assert r.notes == ("Interrupted after 10 of 25 studies.",)
        np.testing.assert_array_equal(r.hdis, whole.hdis[:, :10])
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert ASKED["power-by-draws"]().to_json() == whole.to_json()


def test_errors_come_home(backend: str) -> None:
    here = os.getpid()

    def fails(c: op.Contingency) -> Any:
        if os.getpid() != here:
            raise OverflowError("too much")
        return c.ratio(c.tp, c.tp + c.fp)

    with joblib.parallel_config(backend=backend), pytest.raises(OverflowError, match="too much"):
        op.power(TRUTH, 200, rope=0.05, measure=fails, n_jobs=2)


def test_what_cannot_be_sent_gets_one_sentence(backend: str) -> None:
    lock = Lock()

    def locked(c: op.Contingency) -> Any:
        with lock:
            return c.ratio(c.tp, c.tp + c.fp)

    asked: dict[str, Any] = {"rope": 0.05, "studies": 300, "measure": locked, "rng": 0}
    with (
        joblib.parallel_config(backend=backend),
        pytest.raises(ValueError, match=r"cannot be pickled, so .* n_jobs out"),
    ):
        op.power(TRUTH, 200, n_jobs=2, **asked)
    here = op.power(TRUTH, 200, **asked)
    assert op.power(TRUTH, 200, n_jobs=1, **asked) == here
    with joblib.parallel_config(backend="threading"):
        assert op.power(TRUTH, 200, n_jobs=2, **asked) == here


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_n_jobs_is_a_whole_number(n_jobs: Any) -> None:
    with pytest.raises(ValueError, match=r"n_jobs must be a whole number of processes, or -1 for as many .*, got "):
        op.power(TRUTH, 200, rope=0.05, n_jobs=n_jobs)
    with pytest.raises(ValueError, match="n_jobs must be a whole number"):
        op.plan(TWO, rope=0.05, n_jobs=n_jobs)


def test_joblib_is_needed_only_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys, outperform as op; asked = {'rope': 0.05, 'studies': 20};"
        "op.power((0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3)), 200, **asked); print('joblib' in sys.modules)"
    )
    assert python(code) == "False"
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert op.power(TRUTH, 200, rope=0.05, studies=20).studies == 20
    with pytest.raises(ImportError, match=r"joblib is not installed; run: pip install 'outperform\[sklearn\]'"):
        op.power(TRUTH, 200, rope=0.05, n_jobs=2)


@pytest.mark.usefixtures("cluster")
def test_calibration_runs_on_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = calibration.Setting(2, 100, "equal", "dense", "alike")
    monkeypatch.setattr(calibration, "grid", lambda: iter([setting]))
    here, there = tmp_path / "here.csv", tmp_path / "there.csv"
    calibration.main(["--file", str(here), "--repeats", "2"])
    with joblib.parallel_config(backend="dask"):
        calibration.main(["--file", str(there), "--repeats", "2"])
    assert there.read_text(encoding="utf-8") == here.read_text(encoding="utf-8")


class Same:
    """An estimator that says the same of all; no estimator of scikit-learn."""

    def fit(self, X: Any, y: Any) -> Same:
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), int)


class Locked(Same):
    """An estimator that cannot be pickled."""

    def __init__(self) -> None:
        self.lock = Lock()

    def __sklearn_clone__(self) -> Locked:
        return Locked()


def test_an_estimator_that_cannot_be_sent_gets_one_sentence(backend: str) -> None:
    y = np.arange(60) % 2
    with (
        joblib.parallel_config(backend=backend),
        pytest.raises(ValueError, match="estimator 'locked' cannot be pickled, so other processes cannot fit it"),
    ):
        op.cross_validate({"locked": Locked(), "same": Same()}, y[:, None], y, rng=0, n_jobs=2)
