"""How the text of an option becomes a value."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from outperform.base.sentences import Parameter, invalid

if TYPE_CHECKING:
    from outperform.verdicts.decision import RopeLike

__all__ = ["READ", "read_numbers", "read_prior", "read_rope"]


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
    if low >= 0 and all(part.isdigit() for part in parts):
        read = f"was read as {low:g} to {high:g}; did you mean {'.'.join(parts)}? If not, write {low:.1f},{high:.1f}"
        raise invalid("{name:{text}} {read}", name=Parameter(name), text=text, read=read)
    return low, high


def read_prior(text: str, name: str = "prior") -> str | float:  # noqa: ARG001 (as every reader)
    """Read a prior: a name, or a number of pseudo-counts."""
    with suppress(ValueError):
        return float(text)
    return text.strip()


def _refused(name: str, wanted: str, text: str, advice: str = "") -> ValueError:
    values = {"name": Parameter(name), "wanted": wanted, "text": text, "advice": advice}
    return invalid("{name} {wanted}, got {text!r}{advice}", **values)


READ: dict[str, Callable[[str, str], Any]] = {
    "rope": read_rope,
    "prior": read_prior,
    "fdr": _reader(float, "must lie between 0 and 1", lambda share: 0 < share < 1),
    "seed": _reader(int, "must be a whole number of at least 0", lambda seed: seed >= 0),
    "rho": partial(read_numbers, size=2),
    **dict.fromkeys(("beta", "mass", "power", "width", "zero_division"), _reader(float, "takes a number")),
    **dict.fromkeys(("draws", "studies", "n_jobs"), _reader(int, "takes a whole number")),
}
