"""Conversion between tags and chunks, for sequence labelling in any of six tagging schemes.

A tag is a prefix and a type with a hyphen between them (B-PER), or a prefix alone where there is one
kind of chunk (B); O is outside. A scheme says how the tags of a chunk are written. The chunks of a
sequence of tags follow from each tag and the one before it: whether the chunk continues, whether
it is valid where it ends, and whether another one starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple, TypeAlias

from outperform.base.errors import check_known, listing
from outperform.base.sentences import invalid

__all__ = [
    "MODES", "SCHEMES", "Chunk", "Rules", "Scheme", "convert", "encode", "extract", "first_alien", "no_tag",
]  # fmt: skip

OUTSIDE = "O"
Step: TypeAlias = tuple[str, str, bool]  # the prefix before, this prefix, and whether both have the same type


class Chunk(NamedTuple):
    """A span of tokens, its end exclusive, and its type; the type is "" for untyped chunks."""

    start: int
    end: int
    type: str


@dataclass(frozen=True)
class Rules:
    """The steps from one tag to the next at which a chunk starts, continues, or is valid if it ends there."""

    starts: frozenset[Step]
    continues: frozenset[Step]
    ends: frozenset[Step]


@dataclass(frozen=True)
class Scheme:
    """How the tags of a chunk are written.

    A chunk of one token has the prefix `single`. A longer one has those of `opening`, as far as there
    is room before the `last`, and `inside` in between.
    """

    prefixes: dict[str, str]  # each with its role in conlleval: B, I, E, S or O
    single: str
    opening: tuple[str, ...]
    inside: str
    last: str
    touching: str | None = None  # first prefix of a chunk directly after one of the same type, if it differs
    strict: Rules | None = None  # rules of well-formed tags, if they are not "exactly as encoded"


def _steps(before: Iterable[str], now: Iterable[str], same: Sequence[bool] = (True, False)) -> frozenset[Step]:
    return frozenset(product(before, now, same))


# Well-formed IOB1 has B only between two chunks of the same type. So a B after O or after another type
# starts nothing (an I after such a B does), and a lone B does not count if a B of another type follows.
_IOB1 = Rules(
    starts=_steps("OB", "I") | _steps("I", "I", [False]) | _steps("IB", "B", [True]),
    continues=_steps("IB", "I", [True]),
    ends=_steps("I", "BIO") | _steps("B", "IO") | _steps("B", "B", [True]),
)
_IOB = {"B": "B", "I": "I", "O": "O"}
_WORDS = {"B": "B", "B2": "I", "B3": "I", "M": "I", "E": "E", "S": "S", "O": "O"}
SCHEMES: dict[str, Scheme] = {
    "IOB1": Scheme(_IOB, single="I", opening=("I",), inside="I", last="I", touching="B", strict=_IOB1),
    "IOB2": Scheme(_IOB, single="B", opening=("B",), inside="I", last="I"),
    "IOBES": Scheme(
        {"B": "B", "I": "I", "E": "E", "S": "S", "O": "O"}, single="S", opening=("B",), inside="I", last="E"
    ),
    "BILOU": Scheme(
        {"B": "B", "I": "I", "L": "E", "O": "O", "U": "S"}, single="U", opening=("B",), inside="I", last="L"
    ),
    "BMES": Scheme(
        {"B": "B", "M": "I", "E": "E", "S": "S", "O": "O"}, single="S", opening=("B",), inside="M", last="E"
    ),
    "BB2B3MES": Scheme(_WORDS, single="S", opening=("B", "B2", "B3"), inside="M", last="E"),
}


def extract(tags: Sequence[str], scheme: str = "IOB2", mode: str = "strict") -> list[Chunk]:
    """Return the chunks of one sequence of tags, in order.

    Parameters
    ----------
    tags : sequence of str
        B-PER, I-PER, O and so on.
    scheme : str
        IOB1, IOB2, IOBES, BILOU, BMES or BB2B3MES. The latter two are those of Chinese word
        segmentation: a word of one character is S, a longer one B B2 B3 M … M E, as far as it reaches.
    mode : str
        "strict" counts the chunks that are well-formed in the scheme: all tags of one type, a valid first
        prefix, a valid last prefix, and in BB2B3MES no step omitted. "conlleval"
        follows the evaluation program of the CoNLL shared tasks: every tag that is not O is part of
        a chunk, and a chunk starts after O, after an end (E, S), at a beginning (B, S) and where the
        type changes.

    Examples
    --------
    >>> extract(["B-PER", "I-PER", "O", "B-LOC"])
    [Chunk(start=0, end=2, type='PER'), Chunk(start=3, end=4, type='LOC')]
    >>> extract(["O", "I-PER", "I-LOC"])
    []
    >>> extract(["O", "I-PER", "I-LOC"], mode="conlleval")
    [Chunk(start=1, end=2, type='PER'), Chunk(start=2, end=3, type='LOC')]
    """
    rules = _rules(scheme, mode)
    if isinstance(tags, str):
        raise TypeError("tags must be a sequence of tags, got str; give a list, as in ['B-PER', 'O']")
    prefixes = SCHEMES[scheme].prefixes
    chunks: list[Chunk] = []
    start: int | None = None
    before, type_before = OUTSIDE, ""
    for position, tag in enumerate((*tags, OUTSIDE)):
        parsed = _parse(tag, prefixes)
        if parsed is None:
            raise invalid(
                "{found}; correct it, or say which {scheme} the tags are in",
                found=no_tag(tag, scheme, f" at position {position}"),
            )
        now, type_now = parsed
        step = before, now, type_before == type_now
        if start is None or step not in rules.continues:
            if start is not None and step in rules.ends:
                chunks.append(Chunk(start, position, type_before))
            start = position if step in rules.starts else None
        before, type_before = parsed
    return chunks


def encode(chunks: Iterable[tuple[int, int, str]], length: int, scheme: str = "IOB2") -> list[str]:
    """Return the tags of a sequence of `length` tokens with these chunks, which may come in any order.

    Examples
    --------
    >>> encode([Chunk(0, 3, "PER"), Chunk(3, 4, "LOC")], 5, "IOBES")
    ['B-PER', 'I-PER', 'E-PER', 'S-LOC', 'O']
    """
    known = _scheme(scheme)
    tags = [OUTSIDE] * length
    last = Chunk(0, 0, "")
    for chunk in sorted(Chunk(*chunk) for chunk in chunks):
        _check_place(chunk, last, length)
        prefixes = _written(known, chunk.end - chunk.start)
        if known.touching and last.start < last.end == chunk.start and last.type == chunk.type:
            prefixes[0] = known.touching
        ending = f"-{chunk.type}" if chunk.type else ""
        tags[chunk.start : chunk.end] = [prefix + ending for prefix in prefixes]
        last = chunk
    return tags


def convert(tags: Sequence[str], source: str, target: str, mode: str = "conlleval") -> list[str]:
    """Return the tags of the same chunks in another scheme.

    Examples
    --------
    >>> convert(["I-PER", "I-PER", "B-PER", "O"], "IOB1", "BILOU")
    ['B-PER', 'L-PER', 'U-PER', 'O']
    """
    return encode(extract(tags, source, mode), len(tags), target)


def first_alien(tags: Sequence[str], scheme: str) -> int | None:
    """Return the position of the first tag that is not in the scheme, or None."""
    prefixes = _scheme(scheme).prefixes
    return next((position for position, tag in enumerate(tags) if _parse(tag, prefixes) is None), None)


def no_tag(tag: object, scheme: str, where: str = "") -> str:
    """Return the message for a tag that is not in the scheme."""
    return f"{listing([tag])}{where} is not a tag of {scheme} ({', '.join(_scheme(scheme).prefixes)})"


def _scheme(name: str) -> Scheme:
    check_known("scheme", name, SCHEMES)
    return SCHEMES[name]


def _parse(tag: object, prefixes: dict[str, str]) -> tuple[str, str] | None:
    """Return prefix and type, or None for an invalid tag: O takes no type, and a hyphen needs one."""
    if not isinstance(tag, str):
        return None
    prefix, hyphen, kind = tag.partition("-")
    if prefix not in prefixes or (hyphen and (not kind or prefix == OUTSIDE)):
        return None
    return prefix, kind


def _strict(scheme: Scheme) -> Rules:
    """Return the rules under which a chunk counts only if its tags are as `encode` writes them."""
    if scheme.strict is not None:
        return scheme.strict
    way = (*scheme.opening, scheme.inside)
    forward = {*pairwise(way), (scheme.inside, scheme.inside), *product(way, [scheme.last])}
    return Rules(
        starts=_steps(scheme.prefixes, {scheme.opening[0], scheme.single}),
        continues=frozenset((before, now, True) for before, now in forward),
        ends=_steps({scheme.last, scheme.single}, scheme.prefixes),
    )


def _conlleval(scheme: Scheme) -> Rules:
    """Return the rules under which every tag but O is in a chunk, and every chunk counts."""
    every = _steps(scheme.prefixes, scheme.prefixes)
    inside = {step for step in every if step[1] != OUTSIDE}
    role = scheme.prefixes
    continues = {step for step in inside if step[2] and role[step[0]] in "BI" and role[step[1]] in "IE"}
    return Rules(starts=frozenset(inside - continues), continues=frozenset(continues), ends=every)


MODES: dict[str, Callable[[Scheme], Rules]] = {"strict": _strict, "conlleval": _conlleval}


@cache
def _rules(scheme: str, mode: str) -> Rules:
    check_known("mode", mode, MODES)
    return MODES[mode](_scheme(scheme))


def _written(scheme: Scheme, length: int) -> list[str]:
    """Return the prefixes of a chunk of this length."""
    if length == 1:
        return [scheme.single]
    opening = scheme.opening[: length - 1]
    return [*opening, *[scheme.inside] * (length - 1 - len(opening)), scheme.last]


def _check_place(chunk: Chunk, before: Chunk, length: int) -> None:
    if not 0 <= chunk.start < chunk.end <= length:
        raise ValueError(
            f"{chunk} is not a span of {length} tokens; "
            "its start is 0 or more, its end is greater than that and at most the number of tokens"
        )
    if chunk.start < before.end:
        raise ValueError(f"{before} and {chunk} overlap; a token is part of one chunk at most, so leave one out")
