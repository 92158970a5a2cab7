"""Tables whose rows are no items, as programs for training and model selection write them: refused with what to do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from outperform.base.errors import DataError, listing, unusable
from outperform.base.system import quoted
from outperform.io.conversion import in_python
from outperform.io.files import Columns
from outperform.io.guessing import SeenColumn
from outperform.io.names import plain, words_in

__all__ = ["check_flat", "check_rows"]

STEPS = ("epoch", "step", "globalstep", "iteration", "iter")
TRAINED = {"loss", "train", "training", "val", "lr"}  # words of what is measured while a model is trained
ERRORS = ("stderr", "standarderror", "stddev", "standarddeviation", "sem")  # how names end
MOST_SUMMARIES = 50  # more rows are items
TIMES = {"fit_time", "score_time"}  # as cross_validate of scikit-learn has them
SEARCHED = {"params", "mean_fit_time"}  # as cv_results_ has them
FOLDS = "outperform compare-folds folds.csv --systems {} --fold fold --runs 1"


def check_rows(table: Columns, columns: Sequence[SeenColumn]) -> None:
    """Refuse a row for each epoch, fold or setting, and scores with their standard errors."""
    rows, names = len(table.lines), list(table.values)
    step = next((column for column in columns if plain(column.name) in STEPS and column.different == rows > 1), None)
    if step is not None and any(TRAINED & {*words_in(name)} for name in names):
        found = f"{table.source} has a row for each {step.name} of a training"
        raise DataError(f"{found}; give the predictions or the scores of a model item by item, in a column per model")
    _check_folds(table.source, names)
    error = next((column.name for column in columns if _is_error(column)), None)
    if error is not None and rows <= MOST_SUMMARIES:
        found = f"{table.source} has scores with their standard errors ({error}), each of many items"
        raise DataError(f"{found}; give the scores of the items, in a column per system")


def check_flat(tables: Sequence[Columns]) -> None:
    """Refuse columns of objects, as Parquet has them; those of JSON lines are taken apart when they are read."""
    nested = {t.source: [name for name, v in t.values.items() if v and isinstance(v[0], dict)] for t in tables}
    if not all(nested.values()):
        return
    pairs = {source: Path(source).with_name(f"flat-{Path(source).name}") for source in nested}
    code = "from pyarrow.parquet import read_table, write_table; "
    code += "; ".join(f"write_table(read_table({source!r}).flatten(), {str(new)!r})" for source, new in pairs.items())
    raise unusable(
        "{found}; a column for each of their parts is expected, as pyarrow writes them: {code}; then {run:{line}}",
        found=f"{tables[0].source} has objects in {listing(nested[tables[0].source])}",
        code=f'python -c "{code}"',
        line=f"outperform {quoted(map(str, pairs.values()))}",
    )


def _is_error(column: SeenColumn) -> bool:
    """Whether a column has standard errors or deviations, by its name."""
    return column.numbers and (plain(column.name).endswith(ERRORS) or "std" in words_in(column.name))


def _check_folds(source: str, names: Collection[str]) -> None:
    """Refuse what cross_validate and GridSearchCV of scikit-learn return."""
    if {*names} >= SEARCHED:
        measure = next((name.removeprefix("mean_") for name in names if name.startswith("mean_test_")), "test_score")
        change = f"frame.filter(regex='^split.*_{measure}').T.rename_axis('fold').to_csv('folds.csv')"
        raise unusable(
            "{found}; a row for each fold is expected, as pandas writes it: {python}; then, of settings 0 and 1, "
            "{run:{line}}",
            found=f"{source} has a row for each setting, as cv_results_ of scikit-learn",
            python=in_python(source, change),
            line=FOLDS.format("0 1"),
        )
    if {*names} >= TIMES:
        score = next((name for name in names if name.startswith("test_")), "test_score")
        change = f"pandas.DataFrame({{'A': a['{score}'], 'B': b['{score}']}}).rename_axis('fold').to_csv('folds.csv')"
        raise unusable(
            "{found}; put those of two systems, a and b, side by side: {change}; then {run:{line}}",
            found=f"{source} has a row for each fold of one system, as cross_validate of scikit-learn returns them",
            change=change,
            line=FOLDS.format("A B"),
        )
