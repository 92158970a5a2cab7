"""The models as graphs: which chances there are, what was counted of them, and what contingency they amount to.

Written from the papers' equations and not from the exact engine, which is to be checked against them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from outperform.base.errors import need
from outperform.data.contingency import Contingency, FloatArray, combine

if TYPE_CHECKING:
    from outperform.mcmc.script import Script, Weights

__all__ = ["Family", "ManyClasses", "PositivesOnly", "SideBySide", "TwoClasses"]

Drawn = Mapping[str, FloatArray]
BETWEEN = "::"  # the name of a model and that of its variable, in PyMC


@dataclass(frozen=True, eq=False)
class TwoClasses:
    """SIGIR'16 §3.1 and Figure 1: μ, and θ₊ and θ₋ of one classifier or of several on the same items; for every label.

    With z the outcome, 1 or 0 for each classifier,

        y ~ Bernoulli(μ)      z | y = 1 ~ θ₊      z | y = 0 ~ θ₋

    Attributes
    ----------
    table : array of shape (labels, 2, outcomes), or (2, outcomes) where there are no labels
        Items, negative first; outcomes in the papers' order 11, 10, 01, 00.
    mu, negative, positive : Weights
        Of the priors.
    """

    classifiers: tuple[str, ...]
    table: FloatArray
    mu: Weights
    negative: Weights
    positive: Weights
    labels: tuple[Any, ...] = ()

    @property
    def cells(self) -> int:
        """Number of probabilities."""
        return self.table.size + self.table[..., 0].size

    @property
    def coords(self) -> dict[str, Sequence[Any]]:
        """Labels, outcomes and classifiers, where there are several."""
        named: dict[str, Sequence[Any]] = {"label": [str(label) for label in self.labels]} if self.labels else {}
        if len(self.classifiers) > 1:
            named |= {"outcome": ["".join(map(str, z)) for z in self._outcomes], "classifier": self.classifiers}
        return named

    def write(self, script: Script) -> None:
        """μ, then what happens to positive and to negative items."""
        plates = ("label",) if self.labels else ()
        outcome = "outcome" if len(self.classifiers) > 1 else None
        items = self.table.sum(axis=-1)[..., ::-1]
        script.chances("mu", self.mu, items, plates=plates)
        for name, side, weights in (("positive", 1, self.positive), ("negative", 0, self.negative)):
            script.chances(f"theta_{name}", weights, self.table[..., side, :], plates=plates, outcome=outcome)

    def contingency(self, drawn: Drawn) -> Contingency:
        """Tp = μ θ₊ and fp = (1 − μ) θ₋, summed over the outcomes in which a classifier says yes."""
        mu, positive, negative = (drawn[name] for name in ("mu", "theta_positive", "theta_negative"))
        yes = np.array(self._outcomes, dtype=np.float64)
        single = len(self.classifiers) == 1
        found, false = (theta[..., None] if single else theta @ yes for theta in (positive, negative))
        hit, wrong = mu[..., None] * found, (1 - mu)[..., None] * false
        parts = (hit, np.broadcast_to(mu[..., None], hit.shape), hit + wrong)
        hit, support, predicted = (np.moveaxis(part, -1, 1) for part in parts)  # labels last
        return Contingency(hit, support, predicted, np.ones((len(hit), *[1] * (hit.ndim - 1))))

    @property
    def _outcomes(self) -> list[tuple[int, ...]]:
        return list(product((1, 0), repeat=len(self.classifiers)))


@dataclass(frozen=True, eq=False)
class ManyClasses:
    """ICDM'15 §III, Eqs 2–5: μ of the classes, and for items of class j the predictions θ_j of all classifiers.

    Attributes
    ----------
    table : array of shape (classes, classes to the power of the classifiers)
        Items by true class and by what the classifiers predict, the first one slowest.
    last : bool
        Whether only the last class is asked for, as of two classes.
    """

    classifiers: tuple[str, ...]
    classes: tuple[Any, ...]
    table: FloatArray
    mu: Weights
    theta: Weights
    last: bool = False

    @property
    def cells(self) -> int:
        """Number of probabilities."""
        return self.table.size + len(self.table)

    @property
    def coords(self) -> dict[str, Sequence[Any]]:
        """Classes, and predictions of all classifiers."""
        names = list(map(str, self.classes))
        predicted = [",".join(z) for z in product(names, repeat=len(self.classifiers))]
        named: dict[str, Sequence[Any]] = {"class": names, "predicted": predicted}
        return named | {"classifier": self.classifiers} if len(self.classifiers) > 1 else named

    def write(self, script: Script) -> None:
        """μ, then what happens to the items of each class."""
        script.chances("mu", self.mu, self.table.sum(axis=1), outcome="class")
        script.chances("theta", self.theta, self.table, plates=("class",), outcome="predicted")

    def contingency(self, drawn: Drawn) -> Contingency:
        """Shares of true and predicted classes, μ_j θ_jk, with the other classifiers summed over."""
        mu, number, classes = drawn["mu"], len(self.classifiers), len(self.classes)
        joint = (mu[..., None] * drawn["theta"]).reshape(len(mu), classes, *[classes] * number)
        tables = [joint.sum(axis=tuple(k + 2 for k in range(number) if k != kept)) for kept in range(number)]
        hit = np.stack([np.einsum("djj->dj", table) for table in tables], axis=1)
        predicted = np.stack([table.sum(axis=1) for table in tables], axis=1)
        support, total = mu[:, None], np.ones((len(mu), 1, 1))
        if self.last:
            return Contingency(hit[..., -1], support[..., -1], predicted[..., -1], total[..., 0])
        return Contingency(hit, support, predicted, total)


@dataclass(frozen=True, eq=False)
class PositivesOnly:
    """What is found (Goutte and Gaussier 2005, ACL'19 §2.1): θ of the cells (truth, predictions) but for 00…0.

    Attributes
    ----------
    table : array of shape (outcomes, types)
        Chunks; one column where there are no types. Outcomes are 11…1, …, 10…0, 01…1, …, 00…1: truth first.
    """

    classifiers: tuple[str, ...]
    types: tuple[Any, ...]
    table: FloatArray
    theta: Weights

    @property
    def cells(self) -> int:
        """Number of probabilities."""
        return self.table.size

    @property
    def coords(self) -> dict[str, Sequence[Any]]:
        """Outcomes, with their type."""
        kinds = [f" {kind}" for kind in self.types] or [""]
        return {"cell": ["".join(map(str, z)) + kind for z in self._outcomes for kind in kinds]}

    def write(self, script: Script) -> None:
        """Write all cells as one Dirichlet."""
        script.chances("theta", self.theta, self.table.ravel(), outcome="cell")

    def contingency(self, drawn: Drawn) -> Contingency:
        """Sum the cells."""
        outcomes = np.array(self._outcomes, dtype=np.float64)
        theta = drawn["theta"].reshape(-1, *self.table.shape)
        there, says = outcomes[:, 0], outcomes[:, 1:]
        hit = np.einsum("dot,ok->dkt", theta, says * there[:, None])
        predicted = np.einsum("dot,ok->dkt", theta, says)
        support = np.broadcast_to(np.einsum("dot,o->dt", theta, there)[:, None], hit.shape)
        total = np.ones((len(hit), 1, 1))
        if self.types:
            return Contingency(hit, support, predicted, total)
        return Contingency(hit[..., 0], support[..., 0], predicted[..., 0], total[..., 0])

    @property
    def _outcomes(self) -> list[tuple[int, ...]]:
        return list(product((1, 0), repeat=1 + len(self.classifiers)))[:-1]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Classifiers that have nothing to do with each other: a model of each, under its name."""

    families: Mapping[str, Family]

    @property
    def cells(self) -> int:
        """Number of probabilities."""
        return sum(family.cells for family in self.families.values())

    @property
    def coords(self) -> dict[str, Sequence[Any]]:
        """The coordinates of all classifiers."""
        return {dim: along for family in self.families.values() for dim, along in family.coords.items()}

    def write(self, script: Script) -> None:
        """Write the models one after the other."""
        pm = need("pymc", "mcmc")
        for name, family in self.families.items():
            with pm.Model(name=_safe(name)):
                family.write(script)

    def contingency(self, drawn: Drawn) -> Contingency:
        """The contingencies of all classifiers, side by side."""
        parts = []
        for name, family in self.families.items():
            start = f"{_safe(name)}{BETWEEN}"
            mine = {key.removeprefix(start): value for key, value in drawn.items() if key.startswith(start)}
            parts.append(family.contingency(mine))
        return combine(lambda *x: np.concatenate(x, axis=1), *parts)


# A model of counts: `cells` is the number of probabilities, `coords` names the axes of its variables, `write` writes
# it into the PyMC model that is open, and `contingency` is that of draws of shape (draws, …).
Family: TypeAlias = TwoClasses | ManyClasses | PositivesOnly | SideBySide


def _safe(name: str) -> str:
    """A name that PyMC takes: it has no slash, and is not empty."""
    return name.replace("/", "∕") or "_"
