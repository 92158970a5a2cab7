"""Priors of one's own, samplers and sensitivity on the command line: answers, formats, and errors in one line."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from numpy.random import SeedSequence

import outperform as op
from outperform.mcmc.sampling import SAMPLERS, Sampling
from outperform.models.chains import Trace
from tests.command import run

OUTCOMES = {
    (1, 1, 1): 30, (1, 1, 0): 8, (1, 0, 1): 3, (1, 0, 0): 9, (0, 1, 1): 5, (0, 1, 0): 4, (0, 0, 1): 7, (0, 0, 0): 34,
}  # fmt: skip
ROWS = [outcome for outcome, n in OUTCOMES.items() for _ in range(n)]
GOLD, A, B = (list(column) for column in zip(*ROWS, strict=True))
LIBRARY = re.compile(r"\bop\.|\b[a-z_]+=|pos_label|zero_division")  # words that nobody typed
DISTRIBUTION = "a prior is a distribution with its numbers, such as 'Beta(2, 2)' or 'LogitNormal(0, 1)', got "
PLANNED = "planning draws thousands of posteriors, for which Markov chains are too slow; use the exact model"
TWO = ("items.csv", "--truth", "gold", "--predictions", "a", "b")

pytestmark = pytest.mark.usefixtures("few_draws")  # before the data, where no test looks


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files in the current directory."""
    monkeypatch.chdir(tmp_path)
    table("items.csv", ("gold", "a", "b", "doc"), [(*row, k // 4) for k, row in enumerate(ROWS)])
    table("classes.csv", ("gold", "a", "b"), [("xyz"[k % 3], "xyz"[k % 3], "xyzx"[k % 4]) for k in range(48)])
    table("many.csv", ("gold", "a", "b"), [(f"c{k}",) * 3 for k in range(40)])
    table("sets.csv", ("gold", "a", "b"), [("p;q", "p", "p;q"), ("q", "q;p", "q"), ("p", "p", "q")])
    for name in ("one", "two"):
        table(f"{name}.csv", ("", "x", "y"), [("x", 5, 1), ("y", 2, 6)])


def table(name: str, header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def said(*args: str) -> str:
    """The sentence of a refusal: exit code 2 and one line on standard error, in the words of the command."""
    result = run(*args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    sentence = line.removeprefix("Error: ")
    assert not LIBRARY.search(sentence), sentence
    return sentence


def answer(*args: str) -> Any:
    result = run(*args, "--format", "json")
    assert result.exit_code == 0, result.output
    assert result.stderr == "", "where a bar would go, were it a terminal"
    return json.loads(result.stdout)


def like(r: Any) -> Any:
    """What a result is as JSON, read back."""
    return json.loads(r.to_json())


@pytest.fixture
def chains(monkeypatch: pytest.MonkeyPatch) -> dict[str, Trace]:
    """Chains by all that they depend on: graph, data, sampler, draws and seed. The same are not sampled again."""
    known: dict[str, Trace] = {}
    run_chains = Sampling.run

    def run_once(self: Sampling, model: Any, draws: int, seed: SeedSequence, dims: Mapping[str, Any]) -> Trace:
        data = {own.name: model.rvs_to_values[own].data.tolist() for own in model.observed_RVs}
        settings = {own.name: getattr(self, own.name) for own in fields(Sampling)}
        key = f"{op.mcmc.graph(model)}\n{data} {settings} {draws} {seed}"
        if key not in known:
            known[key] = run_chains(self, model, draws, seed, dims)
        return known[key]

    monkeypatch.setattr(Sampling, "run", run_once)
    return known


def test_priors_and_a_sampler(chains: dict[str, Trace]) -> None:
    own = ("--prior-mu", "LogitNormal(0, 1)", "--prior-positive", "Beta(2, 1)", "--prior-negative", "Uniform(0, 1)")
    ask = ("items.csv", "--truth", "gold", "--predictions", "a", *own, "--prior", "jeffreys", "--draws", "60")
    found = answer("estimate", *ask, "--sampler", "metropolis", "--seed", "3")
    priors = {"mu": "LogitNormal(0, 1)", "theta_positive": "Beta(2, 1)", "theta_negative": "Uniform(0, 1)"}
    model = op.PyMC(op.Paired("jeffreys"), sampler="metropolis", priors=priors)
    assert found == like(op.estimate(GOLD, {"a": A}, model=model, draws=60, rng=3))
    assert len(chains) == 1, "the command has the same model"
    assert found["prior"].startswith("jeffreys, mu~LogitNormal(0, 1), theta_positive~Beta(2, 1), theta_negative~Unif")
    assert found["sampler"]["sampler"] == "metropolis"


def test_sensitivity_to_priors_that_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SAMPLERS, "nuts", replace(SAMPLERS["nuts"], chains=1, tune=100))  # in less time
    ask = ("--rope", "0.05", "--draws", "100", "--priors", "uniform", "jeffreys", "2", "mu~LogitNormal(0, 1)")
    rows = answer("sensitivity", *TWO, *ask)
    assert [row["prior"] for row in rows] == ["uniform", "jeffreys", "dirichlet(2)", "light, mu~LogitNormal(0, 1)"]
    assert [row["model"] for row in rows] == ["paired", "paired", "paired", "pymc paired"]
    assert [row["sampler"] and row["sampler"]["sampler"] for row in rows] == [None, None, None, "nuts"]
    exact: list[Any] = ["uniform", "jeffreys", 2]
    for prior, row in zip(exact, rows, strict=False):
        assert row == like(op.compare(GOLD, {"a": A, "b": B}, model=op.Paired(prior), rope=0.05, draws=100, rng=0))
    assert rows[3]["delta"]["mean"] == pytest.approx(rows[0]["delta"]["mean"], abs=0.03)


def test_sensitivity_to_all_priors() -> None:
    r = op.compare(GOLD, {"a": A, "b": B}, rope=0.05, draws=200, rng=0)
    assert answer("sensitivity", *TWO, "--rope", "0.05", "--draws", "200") == like(r.sensitivity())
    average = op.compare(*columns("classes.csv"), average="macro", draws=200, rng=0)
    found = answer("sensitivity", "classes.csv", *TWO[1:], "--average", "macro", "--draws", "200")
    assert found == like(average.sensitivity())
    first = answer("sensitivity", *TWO, "--prior", "pooled", "--priors", "0.25", "--draws", "200")
    assert [row["prior"] for row in first] == ["dirichlet(0.25)"]


def columns(name: str) -> tuple[list[str], dict[str, list[str]]]:
    with Path(name).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["gold"] for row in rows], {key: [row[key] for row in rows] for key in "ab"}


FORMATS = {
    "csv": ["prior,measure,", "delta_mean", "\nuniform,f1,", "\njeffreys,f1,"],
    "markdown": ["| prior | mean | sd | BF |", "| jeffreys | +0."],
    "latex": [r"\begin{tabular}{lrrrcrcc}", "jeffreys & +0."],
    "text": ["Δf1 = a − b, ROPE [-0.050, +0.050]; the verdict is the same", "prior", "jeffreys"],
}


@pytest.mark.parametrize("format_", FORMATS)
def test_sensitivity_in_every_format(format_: str) -> None:
    ask = ("--rope", "0.05", "--draws", "200", "--priors", "uniform", "jeffreys")
    result = run("sensitivity", *TWO, *ask, "--format", format_)
    assert result.exit_code == 0, result.output
    for part in FORMATS[format_]:
        assert part in result.stdout
    if format_ == "csv":
        assert [row["decision"] for row in csv.DictReader(io.StringIO(result.stdout))] == ["slightly_better"] * 2


def test_sensitivity_is_written_to_a_file() -> None:
    result = run("sensitivity", *TWO, "--draws", "90", "--format", "json", "--output", "s.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert len(json.loads(Path("s.json").read_text(encoding="utf-8"))) == 7


BAD: dict[tuple[str, ...], str] = {
    ("--prior-mu", "Beta(2"): DISTRIBUTION + "'Beta(2'",
    ("--prior-mu", ""): DISTRIBUTION + "''",
    ("--prior-mu", "Bta(2, 2)"): "unknown distribution 'Bta'; did you mean 'Beta'? known: Beta, Dirichlet, Kumaras",
    ("--prior-theta", "Normal(0, 1)"): "a probability lies between 0 and 1, which Normal does not; take Truncated",
    ("--prior-mu", "Uniform(0, 2)"): "the prior of mu, Uniform(0, 2), does not do: it allows numbers below 0 or",
    ("--prior-mu", "Beta(-1, 2)"): "the prior of mu, Beta(-1, 2), does not do: ",
    ("--prior-mu", "Beta(1, 2, 3)"): "Beta takes alpha and beta, got Beta(1, 2, 3)",
    ("--prior-mu", "Dirichlet(1)"): "it is no distribution of one probability; take Beta, ",
    ("--prior-theta", "Beta(1, 1)"): "it is no distribution of 4 probabilities that add up to 1; take Dirichlet or",
    ("--prior-positive", "Dirichlet([1, 2])"): "it is no distribution of 4 probabilities that add up to 1",
    ("--prior-eta", "Beta(1, 1)"): "this model has no eta to give a prior to; it has mu, theta_negative, theta",
    ("--sampler", "nuts", "--prior", "haldane"): "a Markov chain needs a proper prior, with weights above 0; use",
    ("--sampler", "nuts", "--prior", "pool"): "unknown prior 'pool'; did you mean 'pooled'?",
    ("--prior-mu", "Beta(1, 1)", "--model", "bootstrap"): "the bootstrap takes no prior; leave --prior-mu out",
    ("--prior-mu", "Beta(1, 1)", "--cluster", "doc"): "the bootstrap takes no prior; leave --prior-mu out",
    ("--prior-mu", "Beta(1, 1)", "--measure", "roc_auc"): "the bootstrap takes no prior; leave --prior-mu out",
    ("--sampler", "nuts", "--draws", "0"): "draws must be a whole number of at least 1, got 0",
}  # fmt: skip


@pytest.mark.parametrize("options", BAD, ids=" ".join)
def test_bad_priors(options: tuple[str, ...]) -> None:
    assert BAD[options] in said("compare", *TWO, *options)


def test_a_sampler_is_no_prior() -> None:
    """Nobody who typed --sampler spoke of a prior."""
    for other in (("--model", "bootstrap"), ("--cluster", "doc"), ("--measure", "roc_auc")):
        sentence = said("compare", *TWO, "--sampler", "nuts", *other)
        assert sentence.endswith("leave --sampler out")
        assert "takes no prior" not in sentence


def test_an_unknown_sampler() -> None:
    result = run("compare", *TWO, "--sampler", "hmc")
    assert result.exit_code == 2
    assert "'hmc' is not one of 'nuts', 'metropolis', 'nutpie', 'numpyro'" in result.stderr


@pytest.mark.parametrize("command", ["compare", "rank", "estimate", "sensitivity"])
def test_every_command_takes_priors_of_variables(command: str) -> None:
    columns = TWO if command != "estimate" else TWO[:-1]
    assert said(command, *columns, "--prior-mu", "Beta(0, 1)").startswith("the prior of mu, Beta(0, 1), does not do: ")


def test_what_chains_are_not_for() -> None:
    sampler, rope = ("--sampler", "nuts"), ("--rope", "0.01")
    assert said("plan", *TWO, *rope, *sampler) == PLANNED
    assert said("power", *TWO, *rope, *sampler, "--sizes", "100") == PLANNED
    assert said("plan", "--scores", "0.8,0.7", "--prevalence", "0.3", *rope, *sampler) == PLANNED
    for option in (sampler, ("--prior-mu", "Beta(1, 1)")):
        assert said("compare", "items.csv", "--scores", "a", "b", *option) == (
            f"{option[0]} has no use for scores; leave it out"
        )
    apart = said("compare", "one.csv", "two.csv", "--confusion", "--average", "macro", "--model", "paired", *sampler)
    assert apart == "the classifiers were run on different items; use --model unpaired"
    labels = said("compare", "sets.csv", *TWO[1:], "--separator", ";", "--average", "samples", *sampler)
    assert "bootstrap" in labels


def test_too_many_outcomes() -> None:
    sentence = said("compare", "many.csv", *TWO[1:], "--average", "macro", "--sampler", "nuts")
    assert sentence.startswith("the model has 64,000 outcomes, too many for a Markov chain (20,000 at most); use the")


def test_without_pymc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymc", None)
    advice = "pymc is not installed; run: pip install 'outperform[mcmc]'"
    assert said("compare", *TWO, "--sampler", "nuts") == advice
    assert said("estimate", *TWO[:-1], "--prior-mu", "Beta(2, 2)") == advice
    assert said("sensitivity", *TWO, "--draws", "9", "--priors", "uniform", "mu~Beta(2, 2)") == advice
    assert run("sensitivity", *TWO, "--draws", "90").exit_code == 0


SENSITIVE: dict[tuple[str, ...], str] = {
    ("--priors", "unifrom"): "unknown prior 'unifrom'; did you mean 'uniform'?",
    ("--priors", "mu~Bta(1, 1)"): "unknown distribution 'Bta'; did you mean 'Beta'?",
    ("--priors", "nu~Beta(1, 1)"): "unknown prior of 'nu'; ",
    ("--priors", "mu~"): DISTRIBUTION + "''",
    ("--priors", "eta~Beta(1, 1)"): "this model has no eta to give a prior to; it has mu, ",
    ("--average", "per_class"): "sensitivity takes one average at a time; give --pos-label, or --average macro",
    ("--model", "bootstrap"): "the bootstrap model takes no prior, so there is nothing to be sensitive to",
    ("--measure", "auroc"): "unknown measure 'auroc'; did you mean",
    ("--rope", "x"): "--rope takes a number, a percentage or LOW,HIGH, got 'x'",
}


@pytest.mark.parametrize("options", SENSITIVE, ids=" ".join)
def test_sensitivity_that_is_refused(options: tuple[str, ...]) -> None:
    assert SENSITIVE[options] in said("sensitivity", *TWO, "--draws", "20", *options)


def test_measures_of_items_have_no_prior() -> None:
    assert "prior" in said("sensitivity", *TWO, "--measure", "roc_auc", "--draws", "20")


def test_help() -> None:
    for command in ("compare", "estimate", "rank", "sensitivity"):
        text = run(command, "--help").stdout
        for name in ("mu", "theta", "positive", "negative", "eta"):
            assert f"--prior-{name} DIST" in text
        assert "--sampler [nuts|metropolis|nutpie|numpyro]" in text
    assert "--priors" in run("sensitivity", "--help").stdout
    assert "sensitivity" in run("--help").stdout
