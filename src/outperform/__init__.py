"""Is classifier A really better than B, worse, practically the same, or do we not know yet?

    import outperform as op
    op.compare(y_true, {"svm": p1, "nb": p2}, measure="f1", rope=0.01)

Names are imported when they are first used, so that `import outperform` costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from outperform.base.version import __version__ as __version__
from outperform.base.views import View

if TYPE_CHECKING:
    from outperform import datasets as datasets
    from outperform import mcmc as mcmc
    from outperform.base.errors import DataError as DataError
    from outperform.base.errors import OutperformWarning as OutperformWarning
    from outperform.crossval.block_cv import BlockCV as BlockCV
    from outperform.data.contingency import Contingency as Contingency
    from outperform.data.counts import Counts as Counts
    from outperform.data.scores import Scores as Scores
    from outperform.inference.f_beta import FBetaPosterior as FBetaPosterior
    from outperform.io import read_chunks as read_chunks
    from outperform.io import read_counts as read_counts
    from outperform.io import read_scores as read_scores
    from outperform.io import read_tasks as read_tasks
    from outperform.io import read_totals as read_totals
    from outperform.mcmc import PyMC as PyMC
    from outperform.measures.of_counts import f_beta as f_beta
    from outperform.measures.of_counts import measure as measure
    from outperform.models import BayesianBootstrap as BayesianBootstrap
    from outperform.models import CrossValidated as CrossValidated
    from outperform.models import Model as Model
    from outperform.models import Paired as Paired
    from outperform.models import Unpaired as Unpaired
    from outperform.models.priors import Dirichlet as Dirichlet
    from outperform.models.priors import Flat as Flat
    from outperform.models.priors import Haldane as Haldane
    from outperform.models.priors import Hierarchical as Hierarchical
    from outperform.models.priors import Jeffreys as Jeffreys
    from outperform.models.priors import Light as Light
    from outperform.models.priors import Pooled as Pooled
    from outperform.models.priors import Trend as Trend
    from outperform.models.priors import Uniform as Uniform
    from outperform.planning.scenarios import Scenario as Scenario
    from outperform.results import BayesTest as BayesTest
    from outperform.results import BySlice as BySlice
    from outperform.results import Comparison as Comparison
    from outperform.results import Estimate as Estimate
    from outperform.results import PerClass as PerClass
    from outperform.results import Plan as Plan
    from outperform.results import Power as Power
    from outperform.results import PredictiveCheck as PredictiveCheck
    from outperform.results import Ranking as Ranking
    from outperform.results import Sensitivity as Sensitivity
    from outperform.results.three_way import ThreeWay as ThreeWay
    from outperform.verbs.bayes_test import bayes_test as bayes_test
    from outperform.verbs.compare import compare as compare
    from outperform.verbs.compare_confusion import compare_confusion as compare_confusion
    from outperform.verbs.compare_datasets import compare_datasets as compare_datasets
    from outperform.verbs.compare_folds import compare_folds as compare_folds
    from outperform.verbs.compare_scores import compare_scores as compare_scores
    from outperform.verbs.compare_scores import compare_tasks as compare_tasks
    from outperform.verbs.cross_validate import cross_validate as cross_validate
    from outperform.verbs.estimate import estimate as estimate
    from outperform.verbs.plan import plan as plan
    from outperform.verbs.power import power as power
    from outperform.verbs.rank import rank as rank
    from outperform.verbs.rank import rank_scores as rank_scores
    from outperform.verdicts.decision import Decision as Decision
    from outperform.verdicts.interval import hdi as hdi
    from outperform.verdicts.rule import decide as decide

_HOME = {
    "BayesTest": "results", "BayesianBootstrap": "models", "BlockCV": "crossval.block_cv", "BySlice": "results",
    "Comparison": "results", "Contingency": "data.contingency", "Counts": "data.counts", "CrossValidated": "models",
    "DataError": "base.errors", "Decision": "verdicts.decision", "Dirichlet": "models.priors", "Estimate": "results",
    "FBetaPosterior": "inference.f_beta", "Flat": "models.priors", "Haldane": "models.priors",
    "Hierarchical": "models.priors", "Jeffreys": "models.priors", "Light": "models.priors", "Model": "models",
    "OutperformWarning": "base.errors", "Paired": "models", "PerClass": "results", "Plan": "results",
    "Pooled": "models.priors", "Power": "results", "PredictiveCheck": "results", "PyMC": "mcmc", "Ranking": "results",
    "Scenario": "planning.scenarios", "Scores": "data.scores", "Sensitivity": "results",
    "ThreeWay": "results.three_way", "Trend": "models.priors", "Uniform": "models.priors", "Unpaired": "models",
    "bayes_test": "verbs.bayes_test",
    "compare": "verbs.compare", "compare_confusion": "verbs.compare_confusion",
    "compare_datasets": "verbs.compare_datasets", "compare_folds": "verbs.compare_folds",
    "compare_scores": "verbs.compare_scores", "compare_tasks": "verbs.compare_scores",
    "cross_validate": "verbs.cross_validate", "datasets": "",
    "decide": "verdicts.rule", "estimate": "verbs.estimate", "f_beta": "measures.of_counts",
    "hdi": "verdicts.interval", "mcmc": "", "measure": "measures.of_counts", "plan": "verbs.plan",
    "power": "verbs.power", "read_chunks": "io", "read_counts": "io", "read_scores": "io", "read_tasks": "io",
    "read_totals": "io", "rank": "verbs.rank", "rank_scores": "verbs.rank",
}  # fmt: skip

_RENAMED = {"FScore": "FBetaPosterior", "Truth": "Scenario"}  # until 1.0

__all__ = ["__version__", *_HOME]  # noqa: PLE0604
View.renderers = "outperform.render"  # here, because results know no renderer


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        from warnings import warn

        warn(f"op.{name} is now op.{_RENAMED[name]}", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[__name__], _RENAMED[name])
    if name not in _HOME:
        raise AttributeError(f"module 'outperform' has no attribute {name!r}")
    home = _HOME[name]
    value = getattr(import_module(f"outperform.{home}"), name) if home else import_module(f"outperform.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
