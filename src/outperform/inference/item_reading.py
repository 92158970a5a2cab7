"""From items, labels per item or given scores to studies of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from outperform.base.limits import check_draws
from outperform.base.sentences import invalid
from outperform.data.columns import called, check_order
from outperform.data.counts import Counts
from outperform.data.input import Input
from outperform.data.items import Items
from outperform.data.runs import Runs
from outperform.data.scores import Scores
from outperform.device import as_device
from outperform.inference.item_study import ItemQuestion, ItemStudy
from outperform.inference.question import CountQuestion, Settings, check_engine
from outperform.mcmc.engine import check_once
from outperform.measures.of_counts import MEASURES, Measure, resolve
from outperform.measures.of_items import ItemMeasure, find_item_measure
from outperform.models import BayesianBootstrap, Model
from outperform.models.posterior import Rng, as_seed
from outperform.models.priors import Haldane, Trend, as_prior
from outperform.models.reads import averages_classes
from outperform.models.relevant import relevance_of_items
from outperform.models.trend import TrendPosterior
from outperform.models.units import divides_items, weigher, weighs_items

__all__ = ["read_scores", "reads_items", "weigh_scores", "weighings"]


def reads_items(settings: Settings) -> bool:
    """Return whether counts do not suffice: the measure needs items, or items are clustered or stratified."""
    if find_item_measure(settings["measure"]) is not None:
        return True
    resolve(settings["measure"], settings["zero_division"])  # validated before the data are read
    return divides_items(settings["model"])


def weighings(given: Input, settings: Settings, average: str | None = None) -> tuple[ItemStudy, ...]:
    """Return the studies of items, one per class if each has a result."""
    measure = find_item_measure(settings["measure"])
    given.check_beside(_divided_by(settings["model"]))
    if measure is not None:
        return (_scored(measure, given, settings, average),)
    return tuple(_labelled(*given.rows(by_item=average == "samples"), settings, average))


def _scored(measure: ItemMeasure, given: Input, settings: Settings, average: str | None) -> ItemStudy:
    """Read the items and prepare the measure."""
    truth, outputs = given.columns()
    if settings["zero_division"] != 0:
        raise ValueError(f"zero_division does not apply to {measure.name}; leave it out")
    if isinstance(truth, Counts) or not isinstance(outputs, Mapping):
        raise TypeError(
            f"{measure.name} is computed from items; give truth and outputs per item, as in y, {{'svm': scores}}"
        )
    model = _with_prior(weigher(settings["model"], measure.name), settings)
    items = measure.reads(truth, outputs, given.labels, settings["pos_label"]).grouped(model.cluster, model.strata)
    if average not in (None, items.average):
        found = f"does not apply to {measure.name} of these items"
        raise invalid("{average:{given}} {found}; leave it out", given=average, found=found)
    items = items.merged() if measure.merges else items.in_order()
    positive = items.labels[1] if items.average == "binary" else None
    draws, seed, device = check_draws(settings["draws"]), as_seed(settings["rng"]), as_device(settings.get("device"))
    engine = check_engine(settings.get("engine", "auto"))
    question = ItemQuestion(measure, items.average, draws, seed, positive, device=device, engine=engine)
    return ItemStudy(question, model, items, measure.tells_apart(items))


def read_scores(scores: Any, cluster: Any, strata: Any, model: Model | str | None) -> Scores:
    """Return scores; their clusters and strata, or those that the model was given, must have the same order."""
    if isinstance(scores, Mapping):
        check_order({called(name): values for name, values in scores.items()} | _divided_by(model))
    return Scores.of(scores, cluster, strata)


def _divided_by(model: Model | str | None) -> dict[str, Any]:
    return {} if model is None or isinstance(model, str) else model.divided_by


def weigh_scores(
    given: Scores,
    measure: ItemMeasure,
    model: Model | str | None,
    *,
    draws: int | None = None,
    rng: Rng = None,
    device: str | None = None,
) -> ItemStudy | tuple[Counts, Measure]:
    """Return the study of given scores, those of several runs by their mean; or counts of correct and wrong.

    If all scores are 0 or 1, and no bootstrap is requested, counts suffice: all items are of one class, the score
    is the prediction, and so the mean is the recall.
    """
    if given.binary and not weighs_items(model) and given.cluster is None and given.strata is None:
        columns = {
            name: values[:, 0].astype(np.int64) for name, values in zip(given.systems, given.by_run, strict=True)
        }
        counts = Counts.from_labels(np.ones(given.items, dtype=np.int64), columns, labels=[0, 1])
        return counts, Measure(measure.name, MEASURES["recall"].function, measure.greater_is_better)
    taken = weigher(model, measure.name)
    for what in ("cluster", "strata"):
        beside = getattr(given, what)
        if beside is not None and getattr(taken, what) is not None:
            raise ValueError(f"{what} is given twice, to the model and as an argument; give it once")
        taken = taken if beside is None else replace(taken, **{what: beside})
    means = {name: values.mean(axis=1) for name, values in zip(given.systems, given.by_run, strict=True)}
    items = measure.reads(None, means, None, None).grouped(taken.cluster, taken.strata)
    merged, once = items.merged(), all(values.shape[1] == 1 for values in given.by_run)
    whole = merged if once else replace(items, outputs=given.by_run).in_order()
    runs = None if once else Runs.of(whole.outputs, whole.cluster)
    question = ItemQuestion(measure, items.average, check_draws(draws), as_seed(rng), runs=runs, engine="auto")
    question = replace(question, device=as_device(device))
    return ItemStudy(question, taken, merged, merged, runs, whole)


def _with_prior(model: BayesianBootstrap, settings: Settings) -> BayesianBootstrap:
    """Return the model with a prior that is given separately."""
    if settings.get("prior") is None:
        return model
    check_once(settings["model"])
    return replace(model, prior=settings["prior"])


def _labelled(items: Items, counts: Counts, settings: Settings, average: str | None) -> Iterator[ItemStudy]:
    """Yield studies of labels, a row per item: one table for all classes, or one per class against the rest."""
    model = _with_prior(cast(BayesianBootstrap, settings["model"]), settings)
    question = CountQuestion.of_settings(settings, average, counts)
    for label in items.labels if question.average == "per_class" else (question.positive,):
        yield _tabulated(replace(question, positive=label), items, model)


def _tabulated(question: CountQuestion, items: Items, model: BayesianBootstrap) -> ItemStudy:
    """Return the study of labels per item, so that clusters can be resampled."""
    items = items if question.positive is None else items.against_rest(question.positive)
    items = replace(items, average=question.average).grouped(model.cluster, model.strata).merged()
    averages = items.many and averages_classes(question.average, question.measure)
    prior = model.prior or (Trend() if averages else Haldane())
    posterior = None
    if as_prior(prior).pools_classes:
        if not averages:
            raise ValueError("the trend prior is for averages over many classes; leave prior= out here")
        ordered = items.select(np.argsort(items.classifiers).tolist())
        posterior = TrendPosterior(relevance_of_items(ordered)).reduced(question.average, question.measure)
    model = replace(model, prior=prior)
    return ItemStudy(question, model, items, items, posterior=posterior)
