"""The device by name: what is refused, in one sentence, and what a result says of it. Runs with and without PyTorch."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from numpy.random import Generator

import outperform as op
from outperform.device import as_device
from outperform.models.posterior import Posterior
from tests.command import refused, run

Y, TWO = [1, 0, 1, 1, 0, 0] * 20, {"a": [1, 0, 1, 0, 0, 0] * 20, "b": [1, 1, 1, 0, 0, 1] * 20}
MISSING = "torch is not installed; run: pip install 'outperform[gpu]'"


@pytest.fixture
def file(tmp_path: Path) -> str:
    rows = (",".join(map(str, row)) for row in zip(Y, *TWO.values(), strict=True))
    path = tmp_path / "preds.csv"
    path.write_text("\n".join(["y,a,b", *rows]), encoding="utf-8")
    return str(path)


def gpus(number: int) -> Any:
    return SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: number > 0, device_count=lambda: number))


@pytest.mark.parametrize("name", ["tpu", "CUDA", "cuda:x", 0])
def test_names(name: object) -> None:
    with pytest.raises(ValueError, match=r"^device must be 'cuda', 'cuda:1' for a second GPU, or 'cpu', got "):
        as_device(name)


def test_none_is_numpy() -> None:
    assert as_device(None) is None
    assert "device" not in op.compare(Y, TWO, rng=0, draws=10).signature.parts


@pytest.mark.parametrize("name", ["cpu", "cuda"])
def test_without_pytorch(name: str, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError) as error:
        op.compare(Y, TWO, device=name)
    assert str(error.value) == MISSING
    assert refused("compare", file, "-t", "y", "-p", "a", "b", "--device", name) == f"Error: {MISSING}"


def test_without_a_gpu(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", gpus(0))
    with pytest.raises(ValueError, match="device") as error:
        op.rank(Y, TWO, device="cuda")
    assert str(error.value) == 'device="cuda" needs such a GPU, and PyTorch finds none; leave device= out'
    said = refused("compare", file, "-t", "y", "-p", "a", "b", "--device", "cuda")
    assert said == "Error: --device cuda needs such a GPU, and PyTorch finds none; leave --device out"


def test_without_a_second_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", gpus(1))
    assert as_device("cuda") == as_device("cuda")
    with pytest.raises(ValueError, match=r"^device=cuda:1 needs such a GPU, and PyTorch finds 1; leave device= out$"):
        as_device("cuda:1")


def test_too_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    class OutOfMemoryError(RuntimeError):
        pass

    fake = gpus(1)
    fake.OutOfMemoryError, fake.inference_mode = OutOfMemoryError, nullcontext
    monkeypatch.setitem(sys.modules, "torch", fake)
    device = as_device("cuda")
    assert device is not None
    with pytest.raises(ValueError, match="memory") as error, device.computing("a block of 5 draws"):
        raise OutOfMemoryError
    sentence = 'device="cuda" has too little free memory for a block of 5 draws; free some, or leave device= out'
    assert str(error.value) == sentence


def test_a_result_says_its_device(file: str) -> None:
    torch = pytest.importorskip("torch")
    found = op.compare(Y, TWO, rng=0, draws=100, device="cpu")
    assert found.signature.parts["device"] == "cpu"
    assert found.signature.parts["torch"] == torch.__version__
    command = run("compare", file, "-t", "y", "-p", "a", "b", "--draws", "100", "--device", "cpu", "--format", "json")
    assert '"device:cpu' not in command.stdout
    assert "|device:cpu|torch:" in command.stdout


def test_every_verb_takes_it() -> None:
    pytest.importorskip("torch")
    asked: dict[str, Any] = {"rng": 0, "draws": 200, "device": "cpu"}
    scores = {name: [0.5 * p + k / 200 for k, p in enumerate(own)] for name, own in TWO.items()}
    results: list[Any] = [
        op.compare(Y, TWO, **asked),
        op.estimate(Y, TWO["a"], **asked),
        op.rank(Y, TWO | {"c": Y}, **asked),
        op.compare(Y, scores, measure="roc_auc", **asked),
        op.compare_scores(scores, **asked),
        op.compare_scores(TWO, **asked),
        op.rank_scores(scores, **asked),
    ]
    assert {result.signature.parts["device"] for result in results} == {"cpu"}


@dataclass(frozen=True)
class Own(op.Model):
    """A model of a user, whose posterior a device has no code for."""

    name = "own"

    def posterior(self, counts: op.Counts) -> Posterior:
        return OwnPosterior(op.Paired("flat").posterior(counts))


@dataclass(frozen=True, eq=False)
class OwnPosterior(Posterior):
    within: Posterior

    @property
    def cells(self) -> int:
        return self.within.cells

    def contingency(self, rng: Generator, draws: int) -> op.Contingency:
        return self.within.contingency(rng, draws)


def test_what_does_not_run_there_is_drawn_by_numpy_and_says_so() -> None:
    pytest.importorskip("torch")
    here, there = (op.compare(Y, TWO, model=Own(), rng=0, draws=200, device=device) for device in (None, "cpu"))
    assert (here.draws == there.draws).all()
    note = "The draws were made by NumPy: this prior or model does not run on a device."
    assert note in there.notes
    assert note not in here.notes


def test_nobody_imports_pytorch_unasked() -> None:
    code = "import sys, outperform as op; op.compare([1,0],{'a':[1,0],'b':[1,1]}); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
