"""Detection of probable mistakes in undeclared classes, from the distinct labels alone.

A text that means a missing label, two spellings of one class, probabilities, and label sets that were not split. None
of this is checked if the classes are declared with `labels=`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable

from outperform.base.errors import listing, seen_as
from outperform.base.sentences import Sentence

__all__ = [
    "ALIKE", "ALIKE_OR_ALL", "SCORES", "SEPARATORS", "difference", "doubt", "is_blank", "is_new", "is_number", "remedy",
    "separator_of", "spelt", "spelt_alike", "spelt_twice", "twin",
]  # fmt: skip

NO_LABEL = frozenset({"", "NaN", "nan", "NA", "N/A", "n/a", "<NA>", "null", "NULL", "None"})  # pandas has no "none"
SCORES = Sentence(
    "if they are probabilities or scores, use {measure:roc_auc}, or turn them into labels, as in p >= 0.5"
)
TAKE_ALL = Sentence("correct it or, if it is meant, take every label that occurs as a class with {labels:seen}")
ALIKE = Sentence("write the two classes alike in both")
ALIKE_OR_ALL = Sentence(
    "write the two classes alike in both or, if it is a class of its own, take every label that occurs as a class with "
    "{labels:seen}"
)
DECLARE = "or list every class with {labels} if"
TRUTHS = {"true": "1", "false": "0"}
SEPARATORS = ";|,"
SPACED = 3  # times as many classes as words, if words between spaces are labels
WORD = re.compile(r"\w+")
FEWEST = 5  # label sets form at least this many classes


def is_blank(label: object, declared: Collection[object] = ()) -> bool:
    """Return whether a text means a missing label (empty, NaN, NA, null, None) and is not a declared class."""
    return isinstance(label, str) and label.strip() in NO_LABEL and label not in declared


def is_number(text: str) -> bool:
    """Return whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def remedy(label: Hashable, truth: Collection[Hashable]) -> Sentence:
    """Return the advice for a predicted label that the truth never has."""
    if is_blank(label):
        return Sentence(
            f"it reads as a missing label: drop such items from truth and predictions alike, {DECLARE} it is one"
        )
    if (other := twin(label, truth)) is not None:
        how = difference(label, other)
        found = f"it differs from {listing([other])} only in {how}"
        return Sentence(f"{{found}}: write both alike, {DECLARE} both are meant", found=found)
    if isinstance(label, str) and "." in label and is_number(label):
        return SCORES
    if (inside := _inside(label, truth)) is not None:
        found = f"it contains {listing([inside])}"
        return Sentence(
            "{found}: if that is the answer, take it out of the text first; if not, take every label that occurs as a "
            "class with {labels:seen}",
            found=found,
        )
    if mark := separator_of([label, *truth]):
        return _split(mark)
    return TAKE_ALL


def is_new(label: Hashable, truth: Collection[Hashable]) -> bool:
    """Return whether nothing is odd about a predicted label but that the truth never has it."""
    return remedy(label, truth) is TAKE_ALL


def _inside(label: Hashable, truth: Collection[Hashable]) -> Hashable | None:
    """Return the only label of the truth that is a word of an answer such as (B), "B." or "The answer is B"."""
    words = set(map(spelt, WORD.findall(str(label)))) if isinstance(label, str) else set()
    found = [known for known in truth if spelt(known) in words]
    return found[0] if len(found) == 1 else None


def doubt(truth: Collection[Hashable]) -> Sentence | None:
    """Return what is doubtful about the classes of the truth, or None."""
    blank = next((label for label in truth if is_blank(label)), None)
    if blank is not None:
        return Sentence(
            "the truth has {blank}, which reads as a missing label; drop such items from truth and predictions alike, "
            f"{DECLARE} it is one",
            blank=listing([blank]),
        )
    if sentence := spelt_twice(truth):
        return sentence
    mark = separator_of(truth)
    if not mark:
        return None
    joined = listing(_joined(truth, mark), 3)
    return Sentence("the truth has classes such as {joined}; {advice}", joined=joined, advice=_split(mark))


def spelt_twice(truth: Iterable[Hashable]) -> Sentence | None:
    """Return the message for two labels of the truth that differ only in spelling or type, or None."""
    first: dict[str, Hashable] = {}
    for label in truth:
        other = first.setdefault(spelt(label), label)
        if other is not label:
            found = f"the truth has {listing([other, label])}, which differ only in {difference(other, label)}"
            return Sentence(f"{{found}}; write them alike, {DECLARE} both are meant", found=found)
    return None


def twin(label: Hashable, known: Iterable[Hashable]) -> Hashable | None:
    """Return the known label that differs only in spelling, type or the notation of a number."""
    return _by_spelling(known).get(_number(spelt(label)))


def spelt_alike(labels: Iterable[Hashable], known: Collection[Hashable]) -> str:
    """Return the advice for the first label that differs from a known one only in spelling; empty if none does."""
    alike = _by_spelling(known)
    for label in labels:
        if label not in known and (other := alike.get(_number(spelt(label)))) is not None:
            how = difference(label, other)
            return f"{listing([label])} differs from {listing([other])} only in {how}: write both alike, or "
    return ""


def difference(one: Hashable, two: Hashable) -> str:
    """Return in what two spellings of a label differ."""
    if not (isinstance(one, str) and isinstance(two, str)):
        return f"type ({_kind(one)} and {_kind(two)})"
    if seen_as(one) == seen_as(two):
        return f"Unicode form ({one!a} and {two!a})"
    one, two = seen_as(one), seen_as(two)
    if one.strip() == two.strip():
        return "spaces"
    if one.casefold() == two.casefold():
        return "case"
    return "case and spaces" if spelt(one) == spelt(two) else "how it is written"


def _by_spelling(labels: Iterable[Hashable]) -> dict[str, Hashable]:
    return {_number(spelt(label)): label for label in labels}


def spelt(label: object) -> str:
    """Return a label without what two spellings of it differ in."""
    text = label.decode(errors="replace") if isinstance(label, bytes) else str(label)
    return seen_as(text).strip().casefold()


def _number(text: str) -> str:
    """Return a numeric text in normal form, and true and false as 1 and 0."""
    text = TRUTHS.get(text, text)
    return f"{float(text):.15g}" if is_number(text) else text


def _kind(label: Hashable) -> str:
    kinds = {str: "text", bytes: "bytes", bool: "a truth value"}
    return next((name for kind, name in kinds.items() if isinstance(label, kind)), "a number")


def separator_of(labels: Collection[Hashable]) -> str | None:
    """Return the separator if the classes are clearly sets of few labels, not all of the same size; else None.

    Most labels between separators recur, and there are fewer of them than classes: this excludes
    paths such as sport|tennis. Pairs such as red;small all have one size. Spaces, which names have too, separate
    numbers, and words only if there are several times as many classes as words.
    """
    texts = [label for label in labels if isinstance(label, str)]
    if len(texts) < max(FEWEST, len(labels)):
        return None
    numbered = all(text.replace(" ", "").isdigit() for text in texts)
    for sign in f"{SEPARATORS} ":
        sets = [frozenset(map(str.strip, text.split(sign))) for text in texts]
        often = Counter(part for members in sets for part in members)
        recurring = sum(n > 1 for n in often.values())
        several = sum(len(members) > 1 for members in sets)
        fewest = SPACED * len(often) if sign == " " and not numbered else len(often)
        if 2 * several >= len(sets) > fewest and 4 * recurring >= 3 * len(often) and len(set(map(len, sets))) > 1:
            return sign
    return None


def _joined(labels: Iterable[Hashable], sign: str) -> list[str]:
    return [label for label in labels if isinstance(label, str) and sign in label][:3]


def _split(sign: str) -> Sentence:
    advice = "if these are sets of labels, split them with {separator:{sign!r}}, "
    return Sentence(f"{advice}{DECLARE} each of them is one class", sign=sign)
