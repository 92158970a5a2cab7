"""`bayes_test`: the probability that the second classifier beats the first, from hold-out or cross-validation."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from typing import Any

from outperform.base.errors import listing, unknown
from outperform.base.sentences import invalid
from outperform.data.counts import Counts
from outperform.data.labels import Label, positive_label
from outperform.inference.count_evidence import evidence
from outperform.inference.evidence import PairEvidence
from outperform.inference.f_beta import FBetaPosterior, prob_greater
from outperform.inference.question import CountQuestion
from outperform.measures.of_counts import Measure, MeasureFunction, resolve
from outperform.models import PAIRINGS, CrossValidated, Model, as_model
from outperform.models.posterior import Rng
from outperform.models.priors import PriorLike, as_prior
from outperform.results import BayesEvidence, BayesTest, Hypotheses
from outperform.verdicts.decision import RopeLike, as_rope
from outperform.verdicts.interval import check_mass

__all__ = ["bayes_test"]


def bayes_test(
    a: Counts,
    b: Counts | None = None,
    *,
    measure: str | MeasureFunction = "f1",
    model: str = "unpaired",
    prior: PriorLike = "uniform",
    rho: tuple[float, float] | None = None,
    factor: float | None = None,
    pos_label: Label | None = None,
    rope: RopeLike | None = None,
    mass: float = 0.95,
    draws: int | None = None,
    rng: Rng = None,
) -> BayesTest:
    """Test whether the second classifier beats the first in precision, recall or F_β (ACL'19 §3).

    H0 is that it does not, ν_B − ν_A ≤ 0. Both probabilities are integrals of closed forms, exact in either tail.

    Parameters
    ----------
    a, b : Counts
        Counts of one classifier each; or counts of both as the first argument. By fold for a cross-validation, as
        returned by `cross_validate` and `Counts.from_totals`; otherwise they are one hold-out test.
    measure : str or Measure
        precision, recall, f1, f2, f0.5 or `op.f_beta(x)`.
    model : {"unpaired", "paired"}
        The paper's treats the two as independent. Paired models joint outcomes on the same items (the counts must have
        them), with the same calibration; its probabilities are shares of draws.
    prior : str or float
        λ, one pseudo-count (uniform) in the paper, for true positives, false positives and false negatives.
    rho : (float, float)
        Correlations ρ₁ within and ρ₂ between the repetitions of a cross-validation; the default is the mean over their
        typical ranges; (1, 1) is conservative.
    factor : float
        How many items each tested item is worth, in place of `rho`.
    pos_label : label
        The positive class; 1 if the labels are 0 and 1. A type of chunk; the default is all of them.
    rope, mass, draws, rng
        As in `compare`.

    Returns
    -------
    BayesTest
        A comparison (δ is the first minus the second) with `hypotheses` and `posteriors`.

    References
    ----------
    Wang and Li, Bayes Test of Precision, Recall, and F1 Measure for Comparison of Two Natural Language Processing
    Models, ACL 2019.

    Examples
    --------
    >>> import outperform as op
    >>> counts = op.Counts.from_totals({"IOB2": (1200, 1100, 1000), "IOBES": (1200, 1090, 1010)})
    >>> r = op.bayes_test(counts, measure="f1", rng=0)
    >>> round(r.hypotheses.p_h1, 3), r.hypotheses.accept
    (0.887, 'H1')
    """
    for given in (a,) if b is None else (a, b):
        if not isinstance(given, Counts):
            raise TypeError(f"bayes_test takes op.Counts, got {type(given).__name__}; compare takes labels too")
    counts = (a if b is None else Counts.side_by_side(a, b)).worth()
    if len(counts.classifiers) != 2:
        raise ValueError(
            f"bayes_test takes two classifiers, got {len(counts.classifiers)}: {listing(counts.classifiers)}; "
            "give counts of both, or of one each"
        )
    known = resolve(measure)
    if known.beta is None:
        raise ValueError(
            f"bayes_test knows precision, recall, f1 and f_beta, not {known.name}; compare takes any measure"
        )
    table = _found(counts, pos_label)
    chosen = _model(model, prior, rho, factor, table)
    question = CountQuestion.check(known, "binary", table, table.labels[1], draws=draws, rng=rng)
    (found,) = evidence(table, question, chosen)
    return BayesTest.of(_tested(found, table, known, counts.items), as_rope(rope), check_mass(mass))


def _found(counts: Counts, pos_label: Label | None) -> Counts:
    """Return the counts of true or predicted positives, of one class or of all types of chunk."""
    if counts.no_true_negatives and not counts.groups:
        if pos_label is not None:
            found = f"these counts have no classes, so that there is no {pos_label!r}"
            raise invalid("{found}; leave {pos_label} out", found=found)
        return counts
    if counts.many and not counts.no_true_negatives and pos_label is None:
        found = f"bayes_test is about one class of {listing(counts.classes, 6)}"
        advice = "give it as {pos_label}, or use compare, which takes averages"
        raise invalid("{found}; " + advice, found=found)
    if counts.no_true_negatives and pos_label is None:
        return counts.untyped().binary("all")
    positives = counts.checked().binary(positive_label(counts.classes, pos_label)).positives_only()
    return replace(positives, declared=True)  # without a false alarm no negative is left, and that is no mistake


def _model(name: str, prior: PriorLike, rho: tuple[float, float] | None, factor: float | None, counts: Counts) -> Model:
    if str(name) not in PAIRINGS:
        raise ValueError(unknown("model", name, PAIRINGS))
    pairing = PAIRINGS[name](prior)
    if not as_prior(prior).even:
        raise ValueError(
            f"the Bayes test takes the uniform, jeffreys or haldane prior or a number, got {pairing.prior}"
        )
    if rho is None and factor is None:
        return as_model(pairing, counts)
    if not counts.folds:
        raise ValueError("rho and factor are for counts by fold; these are of one test set, leave them out")
    return CrossValidated(pairing, rho, factor)


def _tested(found: PairEvidence, counts: Counts, measure: Measure, items: float) -> BayesEvidence:
    """Return the evidence with the probabilities of the hypotheses: exact if the two are independent, else from draws.

    The posterior has a block of weights for each of the two (TP, FN, FP), or one for the pair. `items` is the number of
    tested ones, with the true negatives, which the counts do not have; a plan from such counts would be too short.
    """
    shared: dict[str, Any] = {f.name: getattr(found, f.name) for f in fields(PairEvidence)}
    shared["again"] = partial(_again, found, counts, measure, items)
    if items != found.items:
        shared |= {"items": items, "counts": None}
    blocks = found.model.posterior(counts).dirichlet_weights
    if len(blocks) < 2:
        p_h1 = float((found.scores[:, 1] > found.scores[:, 0]).mean())
        return BayesEvidence(**shared, hypotheses=Hypotheses.of(1 - p_h1, p_h1), posteriors=None)
    assert measure.beta is not None
    if not all(block.all() for block in blocks):
        raise ValueError("a count is 0 and the haldane prior adds nothing to it; use the uniform or the jeffreys prior")
    a, b = (FBetaPosterior(tp, fp, fn, measure.beta) for tp, fn, fp in (block.tolist() for block in blocks))
    return BayesEvidence(**shared, hypotheses=Hypotheses.of(prob_greater(a, b), prob_greater(b, a)), posteriors=(a, b))


def _again(found: PairEvidence, counts: Counts, measure: Measure, items: float, model: Model) -> BayesEvidence:
    """Return the evidence under another model."""
    assert found.again is not None
    return _tested(found.again(model), counts, measure, items)
