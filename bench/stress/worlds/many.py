"""Many answers at once: several data sets, rankings of many systems, slices, and classes.

Beside the intervals, rankings, slices and classes have answers about the list of verdicts under a ROPE: "wrong" (how
many verdicts are wrong, and how many the result expects to be), the same with `fdr`, and "chance" (how many rows are
called better or worse, and how many the result says that chance gives). The truth of such an answer is the number in
the data set, its mean is the number that the result states; so the bias is how far the stated number is off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import outperform as op
from bench.stress.methods import quiet
from bench.stress.pairs import Pair
from bench.stress.synthetic import Confusions, rows_from
from bench.stress.world import FALSE, Answer, Ask, Case, Method, World, contradicted
from outperform.inference.draws import DRAWS

__all__ = ["of_ranking", "worlds"]

FloatArray = NDArray[np.float64]
ROPES = (0.01, 0.05)  # of rankings, the first only, and of slices
APART, NARROW = 0.05, (0.001, 0.01)  # of data sets: standard deviation of a difference; ROPEs
ITEMS, SHARED = 500, 0.5  # of a ranking: items, and how often systems are right or wrong for the same reason
RANGES = {"identical": (0.8, 0.8), "close": (0.79, 0.81), "spread": (0.6, 0.9)}
DRAWN = {"close": (0.79, 0.81), "apart": (0.77, 0.83), "spread": (0.6, 0.9)}  # accuracies of leaderboards
AHEAD = 3.0, 0.25  # standard deviations of a difference by which two systems differ, and what counts as about that
LEVEL = 0.6  # accuracy of the lowest group of systems
GROUPS: Mapping[
    str, Mapping[str, Mapping[float, int]]
] = {  # by half: levels of groups, in standard deviations of a difference, with their sizes
    "chosen": {
        "10 and 10": {8: 10, 0: 10},
        "10 and 10 near": {3: 10, 0: 10},
        "4 and 6": {5: 4, 0: 6},
        "three": {10: 6, 5: 7, 0: 7},
    },
    "held": {
        "five": {12: 4, 7: 4, 4: 4, 1.5: 4, 0: 4},
        "pairs": {8: 2, 6: 2, 4: 2, 2: 2, 0: 2},
        "3 and 7": {4: 3, 0: 7},
    },
}
SPREAD_GROUPS: Mapping[float, int] = {11: 4, 4: 4, 0: 4}
OF_GROUP = 0.5  # standard deviation within each of these, which are held
BINS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)  # of stated probabilities to be the best
SLICES, SIZE, POSITIVE, RECALL, FALLOUT = 20, 150, 0.4, 0.8, 0.05
OUTLIERS, LOW = 2, 0.4  # slices on which B's recall is low
VARIED = 0.03  # standard deviation of B's recall between slices that are alike
LESS, HALF = 0.1, 0.2  # by how much B's recall is lower on all slices, and on half of them
LARGE, UNEVEN = 1_500, (30, 600)  # sizes of large slices, and of the smallest and the largest that differ
CLASSES, PER_CLASS, FOUND, COPIED = 20, 100, 0.75, 0.5  # classes: how many, items each, recall, share that B copies
FDR = 0.05


def worlds() -> Iterator[World]:
    """Equal systems on 2 to 30 data sets; 5 to 100 systems, with known accuracies or drawn ones; 20 slices."""
    for number in (2, 3, 5, 10, 20, 30):
        yield World(
            f"{number} data sets",
            "data sets",
            f"equal systems on {number} data sets, differences of standard deviation {APART}",
            partial(_datasets, number),
            {"default": partial(_compare_datasets, method=None), "sign": partial(_compare_datasets, method="sign")},
            ("score",),
        )
    for (how, ends), number in product(RANGES.items(), (5, 20, 100)):
        yield World(
            f"rank {number} {how}",
            "ranking",
            f"{number} systems with accuracies {ends[0]} to {ends[1]}, {ITEMS} items",
            partial(_systems, np.linspace(*ends, number)),
            {"default": _rank, "unshrunk": partial(_rank, shrink=False)},
            ("accuracy",),
        )
    yield from _leaderboards()
    yield from _groups_of_systems()
    slices: dict[str, Method] = {
        "default": _compare_slices,
        "partial": partial(_compare_slices, model=op.Paired(prior="partial")),
    }
    for kind, ways in (
        ("slices", ("equal", "alike", "outliers")),
        ("more slices", ("shifted", "half", "large", "uneven")),
    ):
        for how in ways:
            yield World(f"slices {how}", kind, f"{SLICES} slices, {how}", partial(_slices, how), slices)
    for how in ("equal", "alike", "outliers", "shifted"):
        yield World(
            f"classes {how}",
            "classes",
            f"{CLASSES} classes of about {PER_CLASS} items, {how}",
            partial(_classes, how),
            {"default": _compare_classes},
        )


def _leaderboards() -> Iterator[World]:
    """Systems whose accuracies are drawn anew for each data set, and one system ahead of others that are equal.

    Only over many truths can a stated probability to be the best be compared with how often it is so: where the truth
    is fixed, the same system is best every time, whatever is stated.
    """
    methods: dict[str, Method] = {"default": _rank, "unshrunk": partial(_rank, shrink=False)}
    for (how, ends), number in product(DRAWN.items(), (5, 20)):
        note = f"{number} systems with accuracies drawn from {ends[0]} to {ends[1]}, {ITEMS} items"
        draw = partial(_drawn_systems, number, ends)
        yield World(f"leaderboard {number} {how}", "leaderboard", note, draw, methods, ("accuracy",))
    for number in (5, 20):
        apart = AHEAD[0] * float(_sd(np.array(0.8), np.array(0.8)))
        accuracy = np.append(np.full(number - 1, 0.8), 0.8 + apart)
        note = f"{number} systems, of which one is ahead of the others by {AHEAD[0]:g} sd of a difference"
        draw = partial(_systems, accuracy)
        yield World(f"leaderboard {number} one ahead", "leaderboard", note, draw, methods, ("accuracy",))


def _groups_of_systems() -> Iterator[World]:
    """Groups of systems that are equally good, or nearly so."""
    methods: dict[str, Method] = {"default": _rank, "unshrunk": partial(_rank, shrink=False)}
    every = [(half, name, groups, 0.0) for half, named in GROUPS.items() for name, groups in named.items()]
    for half, name, groups, spread in [*every, ("held", "spread within", SPREAD_GROUPS, OF_GROUP)]:
        note = f"groups of systems with accuracies from {LEVEL}, {name}, {ITEMS} items"
        draw = partial(_grouped_systems, groups, spread)
        yield World(f"groups {name}", "groups of systems", note, draw, methods, ("accuracy",), half)


def _grouped_systems(groups: Mapping[float, int], spread: float, rng: Generator) -> Case:
    level = np.repeat(list(groups), list(groups.values())).astype(np.float64)
    off = level + spread * rng.standard_normal(len(level))
    return _systems(LEVEL + off * float(_sd(np.array(LEVEL), np.array(LEVEL))), rng)


def _datasets(number: int, rng: Generator) -> Case:
    base, apart = rng.uniform(0.6, 0.9, number), APART * rng.standard_normal(number)
    return Case((base + apart / 2, base - apart / 2), {"score.delta": 0.0}, NARROW)


def _compare_datasets(case: Case, ask: Ask, method: str | None) -> Sequence[Answer]:
    a, b = case.data
    verdicts = []
    with quiet():
        draws = ask.draws or DRAWS
        result = op.compare_datasets({"a": a, "b": b}, method=method, rope=NARROW[0], draws=draws, rng=ask.seed)
        for rope in NARROW:
            decision = result.with_rope(rope).decision
            verdicts.append((rope, "undecided" if decision is None else decision.name))
    quantity = f"{ask.measure}.delta"
    if result.delta is None:
        return [Answer(quantity, 0.0, verdicts=tuple(verdicts))]
    return [Answer(quantity, 0.0, result.delta.mean, *result.delta.hdi, tuple(verdicts))]


def _drawn_systems(number: int, ends: tuple[float, float], rng: Generator) -> Case:
    return _systems(rng.uniform(*ends, number), rng)


def _sd(a: FloatArray, b: FloatArray) -> FloatArray:
    """Standard deviation of the difference of two observed accuracies, by how `_systems` draws them."""
    together = SHARED**2
    both = together * np.minimum(a, b) + (1 - together) * a * b
    sd: FloatArray = np.sqrt((a + b - 2 * both - (a - b) ** 2) / ITEMS)
    return sd


def _systems(accuracy: FloatArray, rng: Generator) -> Case:
    """Right or wrong on two classes; every two systems partly err on the same items."""
    y = rng.integers(0, 2, ITEMS)
    lot, own = rng.random((ITEMS, 1)), rng.random((ITEMS, len(accuracy)))
    right = np.where(rng.random(own.shape) < SHARED, lot, own) < accuracy
    said = {f"s{number}": np.where(right[:, number], y, 1 - y) for number in range(len(accuracy))}
    return Case((y, said, dict(zip(said, accuracy.tolist(), strict=True))), {})


def _rank(case: Case, ask: Ask, shrink: bool = True) -> Sequence[Answer]:
    """Whether some pair is told apart wrongly, without a ROPE and with ±0.01; the winner; and its P(best).

    Also every system, every stated P(best) by its size, and pairs that differ by about three standard deviations of
    the difference; their oracle is the observed difference ± 1.96 of these.

    Of systems that share the highest accuracy each is taken to be the best with the same probability.
    """
    y, said, true = case.data
    with quiet():
        ranking = op.rank(y, said, measure=ask.measure, draws=ask.draws, shrink=shrink, rng=ask.seed)
        return [*of_ranking(ranking, true, ask.measure, ROPES[0]), *_three_sd(ranking, true, ask.measure)]


def of_ranking(ranking: op.Ranking, true: Mapping[str, float], measure: str, rope: float) -> Sequence[Answer]:
    """What a ranking says of its pairs, its winner, its systems and their P(best), beside the true scores."""
    with_rope = ranking.with_rope(rope)
    plain = [_direction(pair) for pair in ranking.pairs]
    judged = [pair.decision.name if pair.decision else "undecided" for pair in with_rope.pairs]
    apart = [true[pair.a] - true[pair.b] for pair in ranking.pairs]
    verdicts = (0.0, _worst(plain, apart, 0.0)), (rope, _worst(judged, apart, rope))
    winner, best = max(ranking.systems, key=lambda system: system.mean), max(true.values())
    tied = sum(score == best for score in true.values())
    lists = [
        own
        for width, names, judged_by in ((0.0, plain, ranking), (rope, judged, with_rope))
        for own in _lists(measure, width, names, apart, judged_by.verdicts)
    ]
    return [
        *lists,
        Answer(f"{measure}.any_pair", 0.0, verdicts=verdicts),
        Answer(f"{measure}.winner", true[winner.name], winner.mean, *winner.hdi),
        Answer(f"{measure}.p_best", (true[winner.name] == best) / tied, winner.p_best),
        *(Answer(f"{measure}.system", true[own.name], own.mean, *own.hdi) for own in ranking.systems),
        *(
            Answer(f"{measure}.p_best {_bin(own.p_best)}", (true[own.name] == best) / tied, own.p_best)
            for own in ranking.systems
        ),
    ]


def _bin(p: float) -> str:
    """Name the bin of a stated probability."""
    number = min(int(np.searchsorted(BINS, p, side="right")), len(BINS) - 1)
    return f"{100 * BINS[number - 1]:.0f}-{100 * BINS[number]:.0f}%"


def _three_sd(ranking: Any, true: Mapping[str, float], measure: str) -> Iterator[Answer]:
    """Pairs of systems that differ by about three standard deviations of the difference, the better one first."""
    size, about = AHEAD
    observed = {own.name: own.observed for own in ranking.systems}
    for pair in ranking.pairs:
        apart = true[pair.a] - true[pair.b]
        if abs(abs(apart) / _sd(np.array(true[pair.a]), np.array(true[pair.b])) - size) > about:
            continue
        sign, decision = (1 if apart > 0 else -1), _direction(pair)
        decision = decision if apart > 0 else {"better": "worse", "worse": "better"}.get(decision, decision)
        seen = sign * (observed[pair.a] - observed[pair.b])
        yield Answer(f"{measure}.three_sd", abs(apart), seen, verdicts=((0.0, decision),))


def _lists(
    measure: str, rope: float, decisions: Sequence[str], truth: Sequence[float], stated: Any, after: str = ""
) -> list[Answer]:
    """Answers about all verdicts under one ROPE."""
    wrong = sum(contradicted(*each, rope) for each in zip(decisions, truth, strict=True))
    answers = [Answer(f"{measure}.wrong{after} {rope:g}", wrong, stated.expected_wrong)]
    if not after:
        called = sum(decision in ("better", "worse") for decision in decisions)
        answers.append(Answer(f"{measure}.chance {rope:g}", called, stated.by_chance))
    return answers


def _of_list(measure: str, judged: Sequence[Sequence[op.Comparison]], truth: Sequence[float]) -> list[Answer]:
    """Answers about all verdicts under each ROPE, without and with `fdr`; and whether some ≪ or ≫ is left with it."""
    answers, some = [], []
    for rope, plain in zip(ROPES, judged, strict=True):
        for after, rows in (("", plain), (" fdr", op.Comparison.together(plain, FDR))):
            names = _names(rows)
            answers += _lists(measure, rope, names, truth, rows[0].verdicts, after)
        differing = [name if name in ("better", "worse") else "" for name in names]  # with fdr
        some.append((rope, _worst(differing, truth, rope)))
    return [*answers, Answer(f"{measure}.any_row fdr", 0.0, verdicts=tuple(some))]


def _names(rows: Sequence[op.Comparison]) -> list[str]:
    return [row.decision.name if row.decision else "" for row in rows]


def _direction(pair: Any) -> str:
    if not pair.separated:
        return "undecided"
    return "better" if pair.mean > 0 else "worse"


def _worst(decisions: Sequence[str], truth: Sequence[float], rope: float) -> str:
    """One verdict from many: false if any is."""
    if any(contradicted(*each, rope) for each in zip(decisions, truth, strict=True)):
        return FALSE
    return "right" if {"better", "worse", "equivalent"} & set(decisions) else "undecided"


@dataclass(frozen=True)
class Sliced:
    """Labels, predictions and slices of the items; the true difference of each slice, and which are outliers."""

    gold: NDArray[np.int64]
    said: Mapping[str, NDArray[np.int64]]
    by: NDArray[np.int64]
    delta: FloatArray
    outlier: NDArray[np.bool_]


def _slices(how: str, rng: Generator) -> Case:
    recall, outlier = np.full(SLICES, RECALL), np.zeros(SLICES, dtype=bool)
    sizes = np.full(SLICES, SIZE)
    if how == "shifted":
        recall -= LESS
    if how == "half":
        recall[: SLICES // 2] -= HALF
    if how == "large":
        sizes[:] = LARGE
    if how == "uneven":
        sizes = np.geomspace(*UNEVEN, SLICES).astype(np.int64)
    if how == "alike":
        recall = np.clip(recall + VARIED * rng.standard_normal(SLICES), 0, 1)
    if how == "outliers":
        outlier[:OUTLIERS] = True
        recall = np.where(outlier, LOW, recall)
    by = np.repeat(np.arange(SLICES), sizes)
    gold = (rng.random(len(by)) < POSITIVE).astype(np.int64)
    lot = rng.random(len(by))
    own = np.where(rng.random(len(by)) < SHARED, lot, rng.random(len(by)))
    said = {
        "a": (lot < np.where(gold == 1, RECALL, FALLOUT)).astype(np.int64),
        "b": (own < np.where(gold == 1, recall[by], FALLOUT)).astype(np.int64),
    }
    delta = _f1(np.full(SLICES, RECALL)) - _f1(recall)
    return Case(Sliced(gold, said, by, delta, outlier), {}, ROPES)


def _f1(recall: FloatArray) -> FloatArray:
    hit = POSITIVE * recall
    score: FloatArray = 2 * hit / (POSITIVE + hit + (1 - POSITIVE) * FALLOUT)
    return score


def _compare_slices(case: Case, ask: Ask, model: Any = None) -> Sequence[Answer]:
    data: Sliced = case.data
    with quiet():
        result = op.compare(
            data.gold, data.said, by=data.by, measure=ask.measure, model=model, draws=ask.draws, rng=ask.seed
        )
        assert isinstance(result, op.BySlice)
        judged = [result.with_rope(rope).rows for rope in ROPES]
    names, answers = list(map(_names, judged)), []
    for number, row in enumerate(result.rows):
        verdicts = tuple((rope, own[number]) for rope, own in zip(ROPES, names, strict=True))
        quantity = f"{ask.measure}.{'outlier' if data.outlier[number] else 'slice'}"
        answers.append(Answer(quantity, float(data.delta[number]), row.delta.mean, *row.delta.hdi, verdicts))
    some = tuple((rope, _worst(own, data.delta.tolist(), rope)) for rope, own in zip(ROPES, names, strict=True))
    listed = _of_list(ask.measure, judged, data.delta.tolist())
    return [*answers, *listed, Answer(f"{ask.measure}.any_slice", 0.0, verdicts=some)]


def _classes(how: str, rng: Generator) -> Case:
    """Classes of equal size; B copies A in half of the items."""
    own = np.full(CLASSES, FOUND)
    if how == "alike":
        own = np.clip(own + 2 * VARIED * rng.standard_normal(CLASSES), 0.05, 0.99)
    if how == "outliers":
        own[:OUTLIERS] = 2 * LOW - FOUND
    if how == "shifted":
        own -= 2 * LESS
    wrong = np.ones((CLASSES, CLASSES))
    first, second = (rows_from(recall, wrong) for recall in (np.full(CLASSES, FOUND), own))
    world = Confusions(np.full(CLASSES, 1 / CLASSES), first, second, COPIED)
    a, b = (2 * np.diag(rows) / (1 + rows.sum(axis=0)) for rows in (world.a, world.b))  # F1, of classes of equal size
    return Case((world.draw(rng, CLASSES * PER_CLASS), a - b), {}, ROPES)


def _compare_classes(case: Case, ask: Ask) -> Sequence[Answer]:
    pair: Pair
    pair, delta = case.data
    with quiet():
        result = op.compare(
            pair.gold,
            {"a": pair.a, "b": pair.b},
            labels=range(pair.classes),
            average="per_class",
            measure=ask.measure,
            draws=ask.draws,
            rng=ask.seed,
        )
        answers = [
            Answer(f"{ask.measure}.class", own, row.delta.mean, *row.delta.hdi)
            for own, row in zip(delta.tolist(), result.rows, strict=True)
        ]
        judged = [result.with_rope(rope).rows for rope in ROPES]
        return [*answers, *_of_list(ask.measure, judged, delta.tolist())]
