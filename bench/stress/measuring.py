"""What a method does in a world over many data sets: coverage, width, bias, verdicts and cost, a row per quantity."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.stress.world import Answer, Ask, World, contradicted, decided, verdict

__all__ = ["COLUMNS", "DRAWS", "measured", "row_of"]

DRAWS = 2_000
NORMAL = 1.959964  # half-width of a central 95% interval in standard deviations
ROPES = 2
COLUMNS = (
    "world", "kind", "half", "method", "quantity", "data_sets", "truth", "coverage", "width", "bias", "true_sd_width",
    "rope1", "decided1", "false1", "oracle1", "rope2", "decided2", "false2", "oracle2", "seconds", "failed",
)  # fmt: skip


def measured(
    world: World, method: str, measure: str, numbers: range, draws: int | None = DRAWS, device: str | None = None
) -> list[dict[str, Any]]:
    """Rows of one task: one method asked about one measure on the data sets of a world with these numbers."""
    found: dict[str, list[Answer]] = {}
    failed, seconds = 0, 0.0
    for number in numbers:
        case = world.case(number)
        begin = perf_counter()
        try:
            answers = world.methods[method](case, Ask(measure, number, draws, device))
        except ValueError:  # the method refuses such data
            failed += 1
            continue
        finally:
            seconds += perf_counter() - begin
        for answer in answers:
            found.setdefault(answer.quantity, []).append(answer)
    head = {"world": world.name, "kind": world.kind, "half": world.half, "method": method}
    tail = {"seconds": round(seconds / max(len(numbers), 1), 4), "failed": failed}
    if not found:
        found[f"{measure}.none"] = []
    rows = []
    for quantity, answers in found.items():
        row = head | {"quantity": quantity, "data_sets": len(numbers) - failed} | row_of(answers) | tail
        rows.append({column: row.get(column, "") for column in COLUMNS})
    return rows


def row_of(answers: Sequence[Answer]) -> dict[str, Any]:
    """Figures of the answers about one quantity; a figure that they do not allow is missing.

    The oracle's interval is the mean of an answer ± 1.96 standard deviations of the means over the data sets: as wide
    as sampling alone makes it.
    """
    if not answers:
        return {}
    truth, mean, low, high = np.array([(own.truth, own.mean, own.low, own.high) for own in answers]).T
    figures: dict[str, float] = {"truth": float(truth.mean())}
    spread = float(np.std(mean - truth, ddof=1)) if len(answers) > 1 else 0.0
    if not np.isnan(mean).any():
        figures |= {"bias": float((mean - truth).mean()), "true_sd_width": 2 * NORMAL * spread}
    if not np.isnan(low).any():
        figures["coverage"] = float(((low <= truth) & (truth <= high)).mean())
        figures["width"] = float((high - low).mean())
    for number in range(min(len(own.verdicts) for own in answers)):
        figures |= _verdicts(answers, number, mean, NORMAL * spread)
    return {name: round(value, 5) for name, value in figures.items()}


def _verdicts(answers: Sequence[Answer], number: int, mean: NDArray[np.float64], half: float) -> dict[str, float]:
    """Shares of data sets with a verdict and with a false one under one ROPE, and what the oracle would decide."""
    judged = [(*own.verdicts[number], own.truth) for own in answers]
    ropes = np.array([rope for rope, _, _ in judged])
    figures = {
        "rope": ropes.mean(),
        "decided": np.mean([decided(decision) for _, decision, _ in judged]),
        "false": np.mean([contradicted(decision, truth, rope) for rope, decision, truth in judged]),
    }
    if not np.isnan(mean).any():
        oracle = [verdict(at - half, at + half, rope) for at, rope in zip(mean, ropes, strict=True)]
        figures["oracle"] = np.mean([decided(decision) for decision in oracle])
    return {f"{name}{number + 1}": float(value) for name, value in figures.items()}
