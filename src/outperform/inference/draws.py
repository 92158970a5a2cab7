"""Joint draws of the scores that a question about counts asks for, or their posteriors without draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.random import SeedSequence

from outperform.base.sentences import invalid
from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.device.posteriors import contributions_of, note_of, runs_on_device, scores_of, usual_draws_of
from outperform.inference.question import EXACT, EXPANSION, CountQuestion, Stream
from outperform.measures.averages import CONTRIBUTIONS
from outperform.models import Model
from outperform.models.chains import Trace
from outperform.models.exact import Exact
from outperform.models.posterior import Posterior
from outperform.models.relevant import item_bootstrap
from outperform.models.unseen import kept_between

__all__ = [
    "DRAWS", "FEWEST_DRAWS", "PLAIN_DRAWS", "Drawn", "allowance", "answered", "bootstrapped",
    "class_draws", "draw", "draw_seen",
    "without_draws",
]  # fmt: skip

DRAWS = 50_000  # as in the papers
FEWEST_DRAWS = 500
PLAIN_DRAWS, FEWEST_PLAIN = 250, 50  # of the item bootstrap, to see which way the items point
MOST_PLAIN = 5_000_000  # random numbers for these draws, above which there are fewer
MOST_KEPT = 10_000_000  # contributions of classes that a result keeps, 80 MB
CLASS_DRAWS = 500  # of those that are drawn when they are read
MOST_COPIED = 400_000  # of those that are drawn on a device: to copy and to sum them takes longer than the draws


@dataclass(frozen=True, eq=False)
class Drawn:
    """Joint draws of the scores, of shape (draws, classifiers), and by class, if those are kept.

    Those by class are made when they are read if `make_by_class` makes them. `trace` has the Markov chains, if the
    draws come from chains. Nothing is drawn yet if `exact` has the posteriors of the scores.
    """

    scores: FloatArray
    by_class: FloatArray | None = None
    trace: Trace | None = None
    remarks: tuple[str, ...] = ()
    expanded: bool = False
    exact: Exact | None = None
    make_by_class: Callable[[], FloatArray] | None = None

    @property
    def of_classes(self) -> FloatArray | Callable[[], FloatArray] | None:
        """Contributions of the classes, or what makes them."""
        return self.make_by_class or self.by_class

    def made_by(self, make: Callable[[], Drawn]) -> FloatArray | Callable[[], FloatArray]:
        """Return the scores; if there are none yet, a function that makes them."""
        return self.scores if self.exact is None else partial(_scores, make)


def _scores(make: Callable[[], Drawn]) -> FloatArray:
    return make().scores


def draw(posterior: Posterior, question: CountQuestion, seed: SeedSequence) -> Drawn:
    """Draw the scores jointly, and the contributions of classes; of the latter only the first if there are many.

    The posterior must be the one that `reduced` gives for the question. Scores have the allowance for unobserved units;
    contributions of classes, and scores per class, do not.
    """
    drawn = draw_seen(posterior, question, seed)
    if question.average == "per_class" and question.scores_classes:
        return drawn
    return replace(drawn, scores=allowance(posterior, question, len(drawn.scores), seed)(drawn.scores))


def allowance(
    posterior: Posterior, question: CountQuestion, draws: int, seed: SeedSequence
) -> Callable[[FloatArray], FloatArray]:
    """Return what adds the allowance for unobserved units to drawn scores; nothing if the posterior has none."""
    unseen = posterior.unseen(question.score, draws=draws, seed=seed)
    if unseen is None:
        return lambda scores: scores
    return partial(kept_between, question.measure.limits, added=unseen)


def draw_seen(posterior: Posterior, question: CountQuestion, seed: SeedSequence) -> Drawn:
    """Draw as `draw` does, without the allowance for unobserved units."""
    device = question.device if runs_on_device(posterior) else None
    few = _kept(question)
    draws = question.draws or usual_draws_of(posterior, DRAWS, FEWEST_DRAWS, device)
    if question.draws is None and question.average == "per_class" and question.scores_classes:
        draws = min(draws, few)
    keep = question.scores_classes and (question.average == "per_class" or draws <= few)
    remarks = (*posterior.remarks(), *note_of(posterior, question.device))
    if device is not None and question.average in CONTRIBUTIONS:
        few = max(50, MOST_COPIED // (2 * question.classes))
        both = contributions_of(posterior, question.by_class, draws=draws, few=few, seed=seed, device=device)
        return Drawn(_within_limits(_finite(both[0], question), question), both[1], None, remarks)
    quick = question.draws is None and question.engine != "draws" and question.device is None
    if quick and not question.scores_classes:
        quickly = posterior.expanded(question.score, draws=DRAWS, seed=seed)
        if quickly is not None:
            return Drawn(_within_limits(quickly, question), None, None, remarks, expanded=True)
    extending = posterior.extending
    if extending and quick and question.average in CONTRIBUTIONS:
        extended = extending.extended(question.by_class, draws=DRAWS, like=draws, seed=seed)
        if extended is not None:
            scores = _within_limits(_finite(extended[0], question), question)
            make = partial(extended[1], class_draws(question.classes))
            return Drawn(scores, None, None, remarks, expanded=True, make_by_class=make)
    score = question.by_class if keep else question.score
    drawn = _finite(scores_of(posterior, score, draws=draws, seed=seed, device=device), question)
    trace = posterior.trace(draws=draws, seed=seed)
    if drawn.ndim == 3:
        return Drawn(_within_limits(drawn.sum(axis=-1), question), drawn, trace, remarks)
    if not question.scores_classes or keep:
        return Drawn(drawn, None, trace, remarks)
    return Drawn(drawn, scores_of(posterior, question.by_class, draws=few, seed=seed, device=device), trace, remarks)


def without_draws(posterior: Posterior, question: CountQuestion) -> Drawn | None:
    """Return the posteriors of the scores without draws; None if they are to be drawn, or cannot be had otherwise.

    They are drawn if a number of draws or a device is requested, or if contributions of classes are shown.
    """
    asked = question.engine == "draws" or question.draws is not None or question.device is not None
    if asked or question.scores_classes:
        return None
    exact = posterior.exact(question.score)
    if exact is None:
        return None
    return Drawn(np.empty((0, len(exact.scores))), remarks=posterior.remarks(), exact=exact)


def answered(question: CountQuestion, drawn: Drawn) -> CountQuestion:
    """Return the question with how it was answered: the number of draws, or none."""
    if drawn.exact is not None:
        return replace(question, engine=EXACT)
    return replace(question, draws=len(drawn.scores), engine=EXPANSION if drawn.expanded else question.engine)


def bootstrapped(counts: Counts, question: CountQuestion, model: Model) -> FloatArray | None:
    """Return scores by the item bootstrap, if classes learn from each other under the prior; else None.

    Of shape (draws, classifiers), or (draws, classifiers, classes) with a comparison per class. A verdict that
    they contradict is withheld.
    """
    if not (model.learns and counts.many):
        return None
    plain = item_bootstrap(counts.together() if counts.folds else counts)
    score = question.by_class if question.average == "per_class" else question.score
    most = min(_kept(question), max(FEWEST_PLAIN, MOST_PLAIN // max(plain.cells, 1)))
    draws, seed = min(PLAIN_DRAWS, most), question.seed_of(Stream.ITEMS_ALONE)
    return scores_of(plain, score, draws=draws, seed=seed, device=question.device)


def class_draws(classes: int) -> int:
    """Return how many contributions of classes are drawn when they are read."""
    return min(CLASS_DRAWS, _most_kept(classes))


def _kept(question: CountQuestion) -> int:
    """Return of how many draws the contributions of classes are kept."""
    return _most_kept(question.classes)


def _most_kept(classes: int) -> int:
    return max(50, MOST_KEPT // (2 * max(classes, 1)))


def _within_limits(scores: FloatArray, question: CountQuestion) -> FloatArray:
    """Return scores within the limits of the measure, which shifted draws may leave; those of a user's are unknown."""
    return scores if question.measure.own_function else scores.clip(*question.measure.limits)


def _finite(drawn: FloatArray, question: CountQuestion) -> FloatArray:
    """Return the draws; raise an error if some are not finite."""
    if np.isfinite(drawn).all():
        return drawn
    found = f"measure {question.measure.name!r} is not finite on some draws"
    advice = "take {zero_division:0} or 1, and divide with c.ratio(x, y) in a measure of your own"
    raise invalid("{found}; " + advice, found=found)
