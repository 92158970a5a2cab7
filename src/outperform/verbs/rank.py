"""`rank` and `rank_scores`: rank any number of systems by one joint posterior."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from outperform.base.errors import listing
from outperform.base.lazy import changed
from outperform.base.sentences import invalid
from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.data.input import by_name
from outperform.data.items import Items
from outperform.data.labels import Label
from outperform.inference.baselines import cochran_q, friedman, nemenyi
from outperform.inference.count_evidence import classical, incomplete, interchangeable
from outperform.inference.draws import allowance, bootstrapped, draw_seen
from outperform.inference.item_evidence import PairTests, alike, biases, copies, remedy, tests_of_pairs, weighed_notes
from outperform.inference.item_reading import read_scores, weigh_scores
from outperform.inference.item_study import ItemStudy
from outperform.inference.question import AllSettings, CountQuestion, Stream
from outperform.inference.ranking import RankingEvidence
from outperform.inference.reading import Counted, read_input
from outperform.inference.support import few_items, labels_alone, units_of
from outperform.inference.tables import tables
from outperform.measures.of_items import mean_of
from outperform.models import Model, drawing_order
from outperform.models.posterior import Rng, stream
from outperform.models.priors import PriorLike
from outperform.models.shrinkage import FEWEST_SYSTEMS, distinct, drawn_together
from outperform.results import Ranking
from outperform.verdicts.decision import RopeLike, as_rope
from outperform.verdicts.interval import check_mass
from outperform.verdicts.several import check_fdr

__all__ = ["rank", "rank_scores"]


def rank(
    data: Any = None,
    predictions: Any = None,
    *others: Any,
    truth: Any = None,
    measure: str | Callable[..., Any] = "f1",
    average: str | None = None,
    rope: RopeLike | None = None,
    fdr: float | None = None,
    pos_label: Label | None = None,
    labels: Iterable[Label] | None = None,
    model: Model | str | None = None,
    prior: PriorLike | Mapping[str, Any] | None = None,
    mass: float = 0.95,
    draws: int | None = None,
    zero_division: float = 0.0,
    shrink: bool = True,
    rng: Rng = None,
    device: str | None = None,
) -> Ranking:
    """Rank any number of systems: which may be best, and which are not distinguishable?

    Parameters
    ----------
    data, predictions, *others, truth
        As in `compare`, with two or more systems.
    measure, average, pos_label, labels, model, prior, mass, draws, zero_division, rng, device
        As in `compare`; every measure works, but one average at a time.
    rope : float or (float, float)
        Differences that do not matter to you. With it, two systems are distinguishable if one is better by more than
        that; without it, if the HDI of their difference excludes 0.
    shrink : bool
        Shrink three or more systems towards each other, as far as they are similar, because the best of many is partly
        lucky. Without it every pair is judged as if there were no others.
    fdr : float
        Distinguish only the longest list of pairs of which at most this share is expected to be wrong.

    Returns
    -------
    Ranking
        The systems with their places, all pairs, and the groups that are not distinguishable.

    Examples
    --------
    >>> import outperform as op
    >>> news = op.datasets.newsgroups()
    >>> y, systems = news.truth == 8, {name: p == 8 for name, p in news.predictions.items()}
    >>> op.rank(y, systems, rope=0.01, rng=0)
    a  nb_mult   f1 = 0.735   P(best) = 49.0%
    a  svm_l2    f1 = 0.732   P(best) = 36.3%
    a  svm_l1    f1 = 0.726   P(best) = 14.7%
    b  nb_bern   f1 = 0.595   P(best) < 0.1%

    Systems that share a letter are not distinguishable.
    """
    if average == "per_class":
        raise invalid(
            "rank takes one average at a time; give {pos_label} for one class, or {average:macro}; compare has the "
            "classes of two systems, and estimate those of each"
        )
    fdr = check_fdr(fdr)
    settings = AllSettings(
        truth=truth,
        average=average,
        measure=measure,
        pos_label=pos_label,
        labels=labels,
        model=model,
        prior=prior,
        draws=draws,
        zero_division=zero_division,
        rng=rng,
        device=device,
    )
    study = read_input(data, predictions, settings, _check_several, others=others)
    region, mass = as_rope(rope, bounded=study.question.bounded), check_mass(mass)
    found = _weighed(study.weighed[0], shrink) if study.counted is None else _counted(study.counted, shrink)
    return Ranking.of(found, region, mass, fdr)


def rank_scores(
    scores: Any,
    *others: Any,
    measure: str | None = None,
    greater_is_better: bool | None = None,
    cluster: Any = None,
    strata: Any = None,
    rope: RopeLike | None = None,
    fdr: float | None = None,
    model: Model | str | None = None,
    mass: float = 0.95,
    draws: int | None = None,
    shrink: bool = True,
    rng: Rng = None,
    device: str | None = None,
) -> Ranking:
    """Rank any number of systems by given scores of items; items may be data sets.

    Parameters
    ----------
    scores, others, measure, greater_is_better, cluster, strata, model, mass, draws, rng, device
        As in `compare_scores`, with two or more systems.
    rope, fdr
        As in `rank`.
    shrink : bool
        As in `rank`.
    """
    fdr = check_fdr(fdr)
    given = read_scores(by_name(scores, others), cluster, strata, model)
    mean = mean_of(measure or given.metric, greater_is_better=given.direction(greater_is_better))
    study = weigh_scores(given, mean, model, draws=draws, rng=rng, device=device)
    if not isinstance(study, ItemStudy):
        counts, share = study
        settings: dict[str, Any] = {"model": model, "mass": mass, "draws": draws, "rng": rng, "device": device}
        return rank(counts, measure=share, rope=rope, fdr=fdr, shrink=shrink, **settings)
    _check_several(given.systems)
    region, mass = as_rope(rope, bounded=False), check_mass(mass)
    return Ranking.of(_weighed(study, shrink), region, mass, fdr)


def _check_several(names: Sequence[str]) -> None:
    if len(names) < 2:
        raise ValueError(f"rank takes two systems or more, got {len(names)}: {listing(names)}")


def _counted(study: Counted, shrink: bool) -> RankingEvidence:
    """Draw the scores from counts."""
    ((table, question, settled),) = tables(study.counts, study.question, study.model)
    order = drawing_order(settled, table)
    posterior = settled.posterior(table.select(order)).reduced(question.average, question.measure)
    seed = question.seed_of(Stream.SCORES)
    drawn = draw_seen(posterior, question, seed)
    seen, allow = drawn.scores, allowance(posterior, question, len(drawn.scores), seed)
    whole_table = table.together() if table.folds else table
    observed = table.contingency(by_unit=question.average == "samples")
    same = copies(tuple(table.predictions.T) if table.paired else range(len(table.classifiers)))
    whole = not (table.units is not None or table.no_true_negatives or table.folds or table.groups)
    units = units_of(table, question, settled)
    over_all: Any = partial(_over_all_counts, table) if whole and table.paired else dict
    evidence = RankingEvidence(
        question=replace(question, draws=len(seen)),
        model=settled,
        names=table.classifiers,
        items=table.items,
        observed=question.score(observed),
        scores=_as_given(allow(seen), order),
        copies=same,
        frequentist=over_all,
        notes=(*_notes(table, same), *labels_alone(table, question), *few_items(table, units, settled), *drawn.remarks),
        tests=partial(_tests_of_counts, table, question),
        interchangeable=partial(_swaps, whole_table, settled),
        units=units,
        grows=not table.folds,
        trace=drawn.trace,
        plain=bootstrapped(table, question, settled),
    )
    return _together(evidence, seen, allow, order, shrink)


def _weighed(weighing: ItemStudy, shrink: bool) -> RankingEvidence:
    """Draw the scores from items."""
    items, seen, added = weighing.items, weighing.draw_seen(), weighing.draw_runs()
    scores = weighing.allow(seen)
    if added is not None:
        scores, seen = weighing.moved(scores, added), weighing.moved(seen, added)
    order = np.argsort(items.classifiers).tolist()
    biased = biases(weighing, scores)
    alone = weighing.runs is None and not (len(items.cluster) or len(items.stratum))
    ranked = items.average == "mean" and alone and len(items.classifiers) > 2
    tested = weighing.runs is None and not len(items.stratum)
    same = copies((items if weighing.given is None else weighing.given).outputs)
    over_all: Any = partial(_over_all_items, items) if ranked else dict
    evidence = RankingEvidence(
        question=weighing.asked,
        model=weighing.model,
        names=items.classifiers,
        items=items.items,
        observed=weighing.observed,
        scores=scores,
        copies=same,
        frequentist=over_all,
        notes=(*weighed_notes(weighing), *biased, *alike(items.classifiers, same, items.items)),
        tests=partial(_tests_of_items, tests_of_pairs(weighing) if tested else None, items if ranked else None),
        interchangeable=partial(_swaps_items, weighing.merged),
        units=weighing.units,
        remedy=remedy(weighing, biased),
        grows=weighing.runs is None,
        plain=weighing.plain(),
        unseen=weighing.unseen if weighing.free else None,
    )

    def allow(by_name: FloatArray) -> FloatArray:
        found: FloatArray = np.take(weighing.allow(_as_given(by_name, order)), order, axis=1)
        return found

    return _together(evidence, np.take(seen, order, axis=1), allow, order, shrink)


def _tests_of_counts(counts: Counts, question: CountQuestion, i: int, j: int) -> dict[str, float | None]:
    """Return the classical tests of two systems."""
    pair = counts.select([i, j])
    return classical(pair, question, pair.contingency(by_unit=question.average == "samples"))


def _tests_of_items(tests: PairTests | None, ranked: Items | None, i: int, j: int) -> dict[str, float | None]:
    """Return the classical tests of two systems, if the measure has some, and that of their ranks on all items."""
    found = {} if tests is None else tests(i, j)
    return found if ranked is None else found | {"nemenyi": nemenyi(_by_item(ranked), i, j)}


def _over_all_counts(counts: Counts) -> dict[str, float | None]:
    return {"cochran_q": cochran_q(counts)}


def _over_all_items(items: Items) -> dict[str, float | None]:
    return {"friedman": friedman(_by_item(items))}


def _by_item(items: Items) -> FloatArray:
    """Return the scores, of shape (items, systems)."""
    return np.stack(items.expanded().outputs, axis=1)


def _together(
    evidence: RankingEvidence,
    seen: FloatArray,
    allow: Callable[[FloatArray], FloatArray],
    order: Sequence[int],
    shrink: bool,
) -> RankingEvidence:
    """Return the evidence with systems shrunk if there are enough of them, in an order independent of the input.

    How similar systems are is learned from `seen`, the draws by the observed units alone, which are what is shrunk:
    units that were not observed say nothing about that. `allow` adds the allowance for them afterwards.
    """
    if distinct(evidence.copies) < FEWEST_SYSTEMS or evidence.remedy:
        return evidence
    question = replace(evidence.question, shrink=shrink)
    if not shrink:
        return changed(evidence, question=question)
    rng = stream(SeedSequence(question.seed, spawn_key=(5,)), 0)
    units = min(evidence.units, evidence.items) if evidence.model.weighs_units else evidence.items
    scores = _as_given(allow(drawn_together(seen, evidence.copies[np.ix_(order, order)], units, rng)), order)
    return changed(evidence, question=question, scores=scores, unshrunk=evidence.scores, learned=True)


def _as_given(drawn: FloatArray, order: Sequence[int]) -> FloatArray:
    """Return draws of systems in this order, with the systems in the order in which they were given."""
    return np.take(drawn, np.argsort(order), axis=1)


def _swaps_items(merged: Items | None, i: int, j: int) -> bool:
    """Return whether exchanging two systems leaves the items unchanged."""
    return merged is not None and merged.select([i, j]).interchangeable()


def _swaps(counts: Counts, model: Model, i: int, j: int) -> bool:
    """Return whether exchanging two systems leaves the posterior unchanged."""
    return interchangeable(counts.select([i, j]), model)


def _notes(counts: Counts, same: NDArray[np.bool_]) -> tuple[str, ...]:
    if not counts.paired:
        return ("The systems are not paired: counts do not show which items they share.", *incomplete(counts))
    return (*alike(counts.classifiers, same, counts.items), *incomplete(counts))
