"""One option as it is typed becomes a value."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from outperform.base.sentences import Parameter, Sentence

if TYPE_CHECKING:
    from outperform.verdicts.decision import RopeLike

__all__ = ["READ", "read_numbers", "read_prior", "read_rope"]


def _number(text: str, name: str) -> float:
    with suppress(ValueError):
        return float(text)
    point = "; write decimals with a point" if text.replace(",", "", 1).strip().isdigit() else ""
    raise _refused(name, "takes a number", text, point)


def _whole(text: str, name: str) -> int:
    with suppress(ValueError):
        return int(text)
    raise _refused(name, "takes a whole number", text)


def _seed(text: str, name: str) -> int:
    with suppress(ValueError):
        if (seed := int(text)) >= 0:
            return seed
    raise _refused(name, "must be a whole number of at least 0", text)


def _fdr(text: str, name: str) -> float:
    if 0 < (share := _number(text, name)) < 1:
        return share
    raise _refused(name, "must lie between 0 and 1", text)


def read_numbers(text: str, name: str, size: int) -> tuple[float, ...]:
    """So many numbers between commas."""
    with suppress(ValueError):
        numbers = tuple(map(float, text.split(",")))
        if len(numbers) == size:
            return numbers
    raise _refused(name, f"takes {size} numbers with commas between them", text)


def read_rope(text: str, name: str = "rope") -> RopeLike:
    """A ROPE: 0.01, 1% or LOW,HIGH. A comma in place of a decimal point is refused."""
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
    if low >= 0 and all(part.isdigit() for part in parts):
        read = f"was read as {low:g} to {high:g}; did you mean {'.'.join(parts)}? If not, write {low:.1f},{high:.1f}"
        raise ValueError(Sentence("{name:{text}} {read}", name=Parameter(name), text=text, read=read))
    return low, high


def read_prior(text: str, name: str = "prior") -> str | float:  # noqa: ARG001 (as every reader)
    """A prior by name, or a number of pseudo-counts."""
    with suppress(ValueError):
        return float(text)
    return text.strip()


def _refused(name: str, wanted: str, text: str, advice: str = "") -> ValueError:
    values = {"name": Parameter(name), "wanted": wanted, "text": text, "advice": advice}
    return ValueError(Sentence("{name} {wanted}, got {text!r}{advice}", **values))


READ: dict[str, Callable[[str, str], Any]] = {
    "rope": read_rope,
    "prior": read_prior,
    "fdr": _fdr,
    "seed": _seed,
    "rho": partial(read_numbers, size=2),
    **dict.fromkeys(("beta", "mass", "power", "width", "zero_division"), _number),
    **dict.fromkeys(("draws", "studies", "n_jobs"), _whole),
}
