"""Logs of several tasks become scores of each task."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from outperform.base.errors import DataError, UndecidedError, listing, unusable
from outperform.data.scores import Scores
from outperform.io.logs.log import Choice
from outperform.io.logs.reading import FORMATS, Found, Wanted, format_of, found_in, scores_in

__all__ = ["read_tasks"]


def read_tasks(
    paths: str | Path | Sequence[str | Path],
    *,
    task: Sequence[str] | None = None,
    format: str | None = None,
    metric: str | Sequence[str] | None = None,
    filter: str | Sequence[str] | None = None,
    cluster: str | None = None,
) -> dict[str, Scores]:
    r"""Read the scores of several systems on each of several tasks, from logs of lm-evaluation-harness or Inspect.

    Parameters
    ----------
    paths, format, cluster
        As in `read_scores`.
    task : sequence of str
        Which tasks, or groups of tasks, whose items are pooled. The default is every task; all systems must have it.
    metric, filter : str or sequence of str
        As in `read_scores`, for tasks that have more than one. Of several, each task takes the first that it has.

    Returns
    -------
    dict from task to Scores
        `op.compare_tasks` compares two systems on each task, and `op.compare_datasets` over all of them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from outperform.io import read_tasks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for task in ("gsm8k", "arc"):
    ...         text = '{"doc_id": 0, "acc": 1.0}\n{"doc_id": 1, "acc": 0.0}\n'
    ...         _ = Path(folder, f"samples_{task}_2025-04-30T18-24-41.jsonl").write_text(text)
    ...     list(read_tasks(folder))
    ['arc', 'gsm8k']
    """
    given, kind = format_of(paths, format)
    form = FORMATS[kind]
    if "task" not in form.takes:
        raise DataError(f"logs of format {kind!r} do not say which task they are of; compare one task at a time")
    found = [(path, found_in(path, form)) for path in given]
    wanted, choice = _wanted(metric), Choice(filter=_wanted(filter), cluster=cluster)
    names = list(task or _common(found))
    scores, refused = dict[str, Scores](), dict[str, DataError]()
    for name in names:
        try:
            scores[name] = scores_in(found, kind, name, [wanted], choice)
        except UndecidedError:
            raise
        except DataError as error:
            refused[name] = error
    if refused:
        raise _without(refused, scores)
    return scores


def _without(refused: Mapping[str, DataError], others: Collection[str]) -> DataError:
    """Say why a task cannot be compared, and how to compare the others."""
    error = next(iter(refused.values()))
    if not others:
        return error
    return unusable(
        "{why}; to leave {left} out, name the others with {task}: {others}",
        why=error.args[0],
        left=listing(refused, 30),
        others=listing(others, 30),
    )


def _wanted(given: str | Sequence[str] | None) -> Wanted:
    """Preferences, of which a task need not have any."""
    return (given,) if isinstance(given, str) else tuple(given or ()) or None


def _common(found: Found) -> list[str]:
    """The tasks, which are the same in all paths."""
    known = [(path, sorted({name for name in logs.values() if name is not None})) for path, logs in found]
    first, tasks = known[0]
    for path, others in known[1:]:
        for have, lack, missing in ((first, path, {*tasks} - {*others}), (path, first, {*others} - {*tasks})):
            if missing:
                what = f"{have} has logs of {listing(sorted(missing), 30)}, of which {lack} has none"
                both = listing(sorted({*tasks} & {*others}), 30)
                raise unusable("{what}; name tasks that both have with {task}: {both}", what=what, both=both)
    if not tasks:
        raise DataError(f"{first} does not say which task it is of; compare one task at a time")
    return tasks
