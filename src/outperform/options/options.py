"""All options of a question, from the command line or from the fields of the page, and how their texts are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from outperform.base.errors import shown, unusable
from outperform.base.sentences import SEEN, Parameter, invalid

if TYPE_CHECKING:
    from outperform.data.counts import Counts
    from outperform.data.labels import Label
    from outperform.io import Columns, ItemColumns
    from outperform.measures.of_counts import Measure
    from outperform.measures.of_items import ItemMeasure
    from outperform.models import Model
    from outperform.verdicts.decision import RopeLike

__all__ = [
    "NOT_OF_SCORES", "OF_PRIORS", "OF_TAGS", "Options", "label_of", "measure_of", "read_numbers", "read_prior",
    "read_rope",
]  # fmt: skip


OF_VARIABLES = {
    "prior_mu": "mu",
    "prior_theta": "theta",
    "prior_positive": "theta_positive",
    "prior_negative": "theta_negative",
    "prior_eta": "eta",
}  # options that are priors of PyMC's variables
OF_PRIORS = ("prior", *OF_VARIABLES, "sampler")
OF_TAGS = ("unit", "scheme", "strict", "untyped")
# Options that are refused where items are read row by row, or where scores are given.
NOT_OF_ITEMS = ("n", "weights", "confusion", *OF_TAGS, "by", "drop_missing")
NOT_OF_SCORES = ("truth", "predictions", "labels", "pos_label", "average", "beta", "separator", *NOT_OF_ITEMS)

# What to do instead of saying how often rows count.
AS_ROWS = {
    "n": "repeat each row as often as it says",
    "weights": "items have equal weights here: repeat rows in proportion, or leave it out",
}


def _reader(
    convert: Callable[[str], float], wanted: str, holds: Callable[[float], bool] = lambda _: True
) -> Callable[[str, str], float]:
    """A reader of numbers that hold to a condition."""

    def read(text: str, name: str) -> float:
        with suppress(ValueError):
            if holds(value := convert(text)):
                return value
        comma = convert is float and text.replace(",", "", 1).strip().isdigit() and "," in text
        raise _refused(name, wanted, text, "; write decimals with a point" if comma else "")

    return read


def read_numbers(text: str, name: str, size: int) -> tuple[float, ...]:
    """Read so many numbers with commas between them."""
    with suppress(ValueError):
        numbers = tuple(map(float, text.split(",")))
        if len(numbers) == size:
            return numbers
    raise _refused(name, f"takes {size} numbers with commas between them", text)


def read_rope(text: str, name: str = "rope") -> RopeLike:
    """Read a ROPE: 0.01, 1% or LOW,HIGH. A comma in place of a decimal point is refused."""
    parts = [part.strip() for part in text.split(",")]
    try:
        ends = [float(part.removesuffix("%")) / (100 if part.endswith("%") else 1) for part in parts]
    except ValueError:
        ends = []
    if len(ends) == 1:
        return ends[0]
    if len(ends) != 2:
        raise _refused(name, "takes a number, a percentage or LOW,HIGH", text)
    low, high = ends
    if low >= 0 and parts[0].lstrip("+-").isdigit() and parts[1].removesuffix("%").isdigit():
        low = abs(low)  # of -0
        meant = ".".join(parts).lstrip("+-")
        read = f"was read as {low:g} to {high:g}; did you mean {meant}? If not, write {low},{high}"
        raise invalid("{name:{text}} {read}", name=Parameter(name), text=text, read=read)
    return low, high


def read_prior(text: str, name: str = "prior") -> str | float:  # noqa: ARG001 (as every reader)
    """Read a prior: a name, or a number of pseudo-counts."""
    with suppress(ValueError):
        return float(text)
    return text.strip()


def _refused(name: str, wanted: str, text: str, advice: str = "") -> ValueError:
    values = {"name": Parameter(name), "wanted": wanted, "text": shown(text), "advice": advice}
    return invalid("{name} {wanted}, got {text}{advice}", **values)


READ: dict[str, Callable[[str, str], Any]] = {
    "rope": read_rope,
    "prior": read_prior,
    "fdr": _reader(float, "must lie between 0 and 1", lambda share: 0 < share < 1),
    "seed": _reader(int, "must be a whole number of at least 0", lambda seed: seed >= 0),
    "rho": partial(read_numbers, size=2),
    **dict.fromkeys(("beta", "mass", "power", "width", "zero_division"), _reader(float, "takes a number")),
    **dict.fromkeys(("draws", "studies", "n_jobs"), _reader(int, "takes a whole number")),
}


@dataclass(frozen=True)
class Options:
    """What was typed, each option as a value; one that was not typed has its default.

    Attributes
    ----------
    tables
        What was read of the files already, where they can be read only once.
    files, truth, predictions, id, n, weights, separator, by, drop_missing, multilabel
        What is read, and which columns of it, as in `read_counts`.
    confusion, unit, scheme, strict, untyped, labels
        Files that are confusion matrices or tagged sentences, and all classes.
    cluster, strata
        Columns of what items belong to.
    scores, logs, metric, filter, task, lower_is_better
        Scores that are there already, in columns or in logs of the format `logs`.
    measure, beta, average, pos_label, zero_division, model, prior
        The question, as in `compare`; labels as they are written.
    prior_mu, prior_theta, prior_positive, prior_negative, prior_eta, sampler
        What PyMC is told.
    rope, mass, fdr, draws, engine, seed, device
        The answer; `seed` is the `rng` of `compare`.
    goal, power, width, studies, n_jobs
        As in `plan`.
    file, system, a, b, where, rho, factor
        As in `bayes_test`, of the totals in a file.
    systems, score, run, fold, runs, test_share, dataset, method, prior_strength, prior_place
        As in `compare_folds` and `compare_datasets`, of the scores in a file.
    """

    files: tuple[str, ...] = ()
    truth: str | None = None
    predictions: tuple[str, ...] = ()
    id: str | None = None
    n: str | None = None
    weights: str | None = None
    separator: str | None = None
    by: tuple[str, ...] = ()
    drop_missing: bool = False
    multilabel: bool = False
    confusion: bool = False
    unit: str | None = None
    scheme: str | None = None
    strict: bool = False
    untyped: bool = False
    labels: tuple[str, ...] = ()
    cluster: str | None = None
    strata: str | None = None
    scores: tuple[str, ...] = ()
    logs: str | None = None
    metric: tuple[str, ...] = ()
    filter: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    lower_is_better: bool = False
    measure: str | None = None
    beta: float | None = None
    average: str | None = None
    pos_label: str | None = None
    zero_division: float = 0.0
    model: str | None = None
    prior: str | float | None = None
    prior_mu: str | None = None
    prior_theta: str | None = None
    prior_positive: str | None = None
    prior_negative: str | None = None
    prior_eta: str | None = None
    sampler: str | None = None
    rope: RopeLike | None = None
    mass: float = 0.95
    fdr: float | None = None
    draws: int | None = None
    engine: str = "auto"
    seed: int = 0
    device: str | None = None
    goal: str | None = None
    power: float = 0.8
    width: float | None = None
    studies: int | None = None
    n_jobs: int | None = None
    file: str = ""
    system: str | None = None
    a: str | None = None
    b: str | None = None
    where: tuple[str, ...] = ()
    rho: tuple[float, float] | None = None
    factor: float | None = None
    systems: tuple[str, str] | None = None
    score: str | None = None
    run: str | None = None
    fold: str | None = None
    runs: int | None = None
    test_share: float | None = None
    dataset: str | None = None
    method: str | None = None
    prior_strength: float | None = None
    prior_place: str | None = None
    tables: tuple[Columns, ...] = ()

    @classmethod
    def of(cls, typed: Mapping[str, Any]) -> Options:
        """Read what was typed; None is an option that was not."""
        given = {name: value for name, value in typed.items() if value is not None}
        return cls(**{name: READ[name](value, name) if name in READ else value for name, value in given.items()})

    def given(self, *names: str) -> list[str]:
        """The names of those options that were typed."""
        return [name for name in names if getattr(self, name) != getattr(Options, name)]

    @property
    def rng(self) -> int:
        """The seed, by the name that the verbs have for it."""
        return self.seed

    def pick(self, *names: str) -> dict[str, Any]:
        """Some options as arguments of a verb."""
        return {name: getattr(self, name) for name in names}

    def refuse(self, names: Sequence[str], what: str, instead: Mapping[str, str] = MappingProxyType({})) -> None:
        """Refuse options that do not apply to the data; `instead` says what to do instead of leaving one out."""
        for name in self.given(*names):
            values = {"option": Parameter(name), "what": what, "advice": instead.get(name, "leave it out")}
            raise unusable("{option} has no use for {what}; {advice}", **values)

    def refuse_seen(self, what: str) -> None:
        """Refuse to take every label that occurs as a class where labels are not counted row by row."""
        if self.labels == (SEEN,):
            raise unusable("{labels:seen} has no use for {what}; list the classes", what=what)

    def refuse_priors(self) -> None:
        """Refuse options that a model without a prior does not take."""
        for name in self.given(*OF_PRIORS):
            kind = "sampler" if name == "sampler" else "prior"
            raise unusable("the bootstrap takes no {kind}; leave {option} out", kind=kind, option=Parameter(name))

    def read_counts(self, tables: Any, *, progress: bool = False) -> Counts:
        """Count the outcomes in columns of labels."""
        from outperform.io import read_counts

        assert self.truth is not None
        return read_counts(
            tables,
            **self.pick("truth", "predictions", "id", "n", "weights", "separator"),
            labels=SEEN if self.labels == (SEEN,) else self.labels or None,
            by_item=self.average == "samples",
            by=self.by or None,
            missing="drop" if self.drop_missing else "raise",
            progress=progress,
        )

    def read_items(self, tables: Any, *, numbers: bool) -> ItemColumns:
        """Read columns of scores where these were typed, else of the truth and of predictions, item by item."""
        from outperform.io import read_items

        self.refuse((*NOT_OF_ITEMS, *(("separator",) if numbers else ())), "items that are resampled", AS_ROWS)
        columns = self.pick("truth", "id", "cluster", "strata", "separator")
        return read_items(tables, outputs=self.scores or self.predictions, numbers=numbers, **columns)

    def measured(self) -> ItemMeasure | Measure:
        """The measure, of counts or of items."""
        from outperform.measures.of_items import find_item_measure

        measure = find_item_measure(self.measure)
        if measure is not None:
            _check_beta(measure.name, self.beta)
        return measure or measure_of(self.measure, self.beta)

    @property
    def compared(self) -> Sequence[str]:
        """What is compared, as far as options say it: columns, or several logs, each of one system."""
        return self.predictions or self.scores or (self.files if self.logs and len(self.files) > 1 else ())

    @property
    def by_item(self) -> bool:
        """Whether the measure is read off items and not off counts; an unknown one is refused."""
        from outperform.measures.of_items import ItemMeasure

        return isinstance(self.measured(), ItemMeasure)

    def of_counts(self, counts: Counts) -> dict[str, Any]:
        """The settings of a verb that is given counts."""
        return self._asked(counts.classes) | {"model": self._model(counts)}

    def of_items(self, columns: ItemColumns) -> dict[str, Any]:
        """The settings of a verb that is given items."""
        from outperform.models import BayesianBootstrap

        truth = [label for row in columns.truth or [] for label in (row if isinstance(row, set) else [row])]
        self.refuse_seen("items that are resampled")
        self.refuse_priors()
        if self.model not in (None, "bootstrap"):
            raise invalid(
                "items are resampled, which the {name} model does not; use {model:bootstrap}", name=self.model
            )
        labels = [_alike(label, truth) for label in self.labels] or None
        model = BayesianBootstrap(columns.cluster, columns.strata)
        return self._asked(set(truth)) | {"labels": labels, "model": model}

    def of_scores(self) -> dict[str, Any]:
        """The settings of a verb that is given scores."""
        self.refuse((*NOT_OF_SCORES, *OF_PRIORS), "scores", AS_ROWS)
        settings = self.pick("measure", "model", "mass", "draws", "rng", "device")
        return settings | {"greater_is_better": False if self.lower_is_better else None}

    def _asked(self, classes: Iterable[Label]) -> dict[str, Any]:
        asked = {"measure": self.measured(), "pos_label": label_of(self.pos_label, classes)}
        return asked | self.pick("average", "mass", "draws", "zero_division", "rng", *self.given("device"))

    def _model(self, counts: Counts) -> Model | str | None:
        """A model by name, with its prior; sampled by PyMC where that is asked for."""
        from outperform.models import PAIRINGS

        chains = self.given(*OF_VARIABLES, "sampler")
        if self.prior is None and not chains:
            return self.model
        name = self.model or ("bootstrap" if counts.units is not None else "paired" if counts.paired else "unpaired")
        if name == "bootstrap":
            self.refuse_priors()
        if name not in PAIRINGS:
            return name
        pairing = PAIRINGS[name](prior=self.prior)
        if not chains:
            return pairing
        from outperform.mcmc import PyMC

        priors = {OF_VARIABLES[option]: getattr(self, option) for option in chains if option != "sampler"}
        return PyMC(pairing, sampler=self.sampler or "nuts", priors=priors)


def measure_of(name: str | None, beta: float | None) -> Measure:
    """A measure of counts by name, F_β with its β; by default F1."""
    from outperform.measures.of_counts import f_beta, resolve

    name = "f1" if name is None else name
    if name != "f_beta":
        _check_beta(name, beta)
        return resolve(name)
    if beta is None:
        raise invalid("{measure:f_beta} needs {beta}, a number of at least 0")
    return f_beta(beta)


def _check_beta(name: str, beta: float | None) -> None:
    if beta is not None:
        raise invalid("{beta} goes with {measure:f_beta}, not with {name}", name=name)


def label_of(text: str | None, labels: Iterable[Label]) -> Label | None:
    """The label that has this spelling; what is typed is text, what was read may be a number."""
    from outperform.data.labels import spellings

    return next((label for label in labels if text in spellings(label)), text)


def _alike(text: str, truth: Sequence[Any]) -> Any:
    """A label as it is in the truth, or converted to the type of the truth."""
    found = label_of(text, set(truth))
    with suppress(ValueError):
        return type(truth[0])(found) if found == text else found
    return found
