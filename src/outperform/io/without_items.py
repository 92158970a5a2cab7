"""JSON that has scores of whole test sets, or no scores at all: refused with what to give instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from outperform.base.errors import DataError, listing, unusable
from outperform.io.names import MEASURED, words_in

__all__ = ["is_results", "no_samples", "refuse_without_items"]

RESULTS = re.compile(r'\s*\{\s*"results"\s*:\s*\{\s*("[^"]*"\s*:\s*\{|\})')  # by task
FEWEST_KEYS = 10  # of an object that has numbers for each query, and not one for each measure
MOST_NUMBERS = 10  # in a list within the scores of a whole test set, as the precisions of BLEU
TASKS = "of several tasks, `outperform compare-datasets` takes a table with a row for each task and a column per system"
BOXES = (
    "whether a system is right on an image shows only beside its annotations; give a score for each image, in a table "
    "with a column per system"
)
RANKINGS = "{found}, as rankings of documents do; score rankings with trec_eval -q or pytrec_eval; {read_logs}"
# What a tool writes, by keys that are in the object or, of those in the second set, in its text.
TOOLS: dict[tuple[frozenset[str], frozenset[str]], str] = {
    (
        frozenset({"mteb_version"}),
        frozenset(),
    ): f"has results of MTEB without those of items; {TASKS} (main_score)",
    (frozenset({"scores", "task"}), frozenset({"score_dict"})): (
        f"has results of BIG-bench (score_dict), each of a whole task; give a table of its samples; {TASKS}"
    ),
    (frozenset({"images", "annotations", "categories"}), frozenset()): f"has the annotations of COCO; {BOXES}",
    (frozenset({"resolved", "no_generation"}), frozenset()): (
        "names the instances of SWE-bench that are resolved, and not all that were tried; give the report of the run, "
        "with submitted_ids and resolved_ids, or a table with instance_id and resolved"
    ),
}
# What a tool writes as a list, by keys in its text.
LISTS: dict[tuple[str, ...], str] = {
    ("name", "score", "signature"): (
        "has scores of sacreBLEU over a whole test set; give that of each segment, which sacrebleu writes with "
        "--sentence-level -b"
    ),
    ("image_id", "caption"): f"has captions of images, as COCO takes them, and no scores; {BOXES}",
    ("image_id", "category_id", "score"): f"has objects that a system detects, as COCO takes them; {BOXES}",
    ("name", "split", "count", "mean", "sum"): (
        "has statistics of HELM over all items; give the per_instance_stats.json of the same run"
    ),
}


def is_results(text: str) -> bool:
    """Whether a text is the results_*.json of lm-eval."""
    return RESULTS.match(text) is not None


def no_samples(source: str) -> DataError:
    """Say that results of lm-eval were given in place of its samples."""
    return unusable(
        "{source} holds the results of lm-eval, a score per task, where scores per item are expected; give the "
        "samples_*.jsonl of the same run, which lm_eval writes with --log_samples, {to_read_scores}",
        source=source,
    )


def refuse_without_items(first: object, text: str, source: str) -> None:
    """Refuse what has no score or prediction of an item; `first` is the object that a text is, if it is one."""
    if is_results(text):
        raise no_samples(source)
    found = ""
    if isinstance(first, dict):
        known = (said for (keys, within), said in TOOLS.items() if keys <= first.keys() and _has(text, *within))
        found = next(known, "") or _of_whole_test_set(first)
    elif text.lstrip().startswith("[") and not _has(text, "instance_id"):
        found = next((said for keys, said in LISTS.items() if _has(text, *keys)), "")
    if found:
        raise DataError(f"{source} {found}")
    if isinstance(first, dict):
        _refuse_rankings(first, source)


def _of_whole_test_set(first: Mapping[str, Any]) -> str:
    """Say which scores of a whole test set an object has, and nothing else; empty for others."""
    leaves = dict(_leaves(first))
    measured = [name for name, value in leaves.items() if _is_measured(name) and _is_amount(value)]
    if not measured or any(isinstance(value, list) and not _are_few(value) for value in leaves.values()):
        return ""
    found = f"has scores of a whole test set ({listing(measured, 3)}), without items; give the predictions or the score"
    also = "; sacrebleu writes that of each segment with --sentence-level -b" if "signature" in first else ""
    return f"{found} of each item{also}"


def _refuse_rankings(first: Mapping[str, Any], source: str) -> None:
    """Refuse numbers by name for each of many keys, as of documents for each query."""
    inner = list(first.values())
    if len(inner) >= FEWEST_KEYS and all(isinstance(value, dict) and _are_numbers(value) for value in inner):
        found = f"{source} has numbers by name for each of {len(inner)} keys ({listing(first, 2)})"
        raise unusable(RANKINGS, found=found)


def _has(text: str, *keys: str) -> bool:
    return all(f'"{key}"' in text for key in keys)


def _leaves(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Values within objects, with their keys; of several with one key the last."""
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from _leaves(inner)
        else:
            yield key, inner


def _is_measured(name: str) -> bool:
    return bool({*words_in(name)} & MEASURED)


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_numbers(values: Mapping[str, Any]) -> bool:
    return bool(values) and all(map(_is_amount, values.values()))


def _are_few(values: list[Any]) -> bool:
    return len(values) < MOST_NUMBERS and not any(isinstance(value, dict) for value in values)
