"""From bytes and settings to an answer: one call of the library, and what the page shows of it. Knows no HTTP."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeAlias

import outperform
from outperform.base.errors import DataError, check_known
from outperform.data.counts import Counts
from outperform.formats.outputs import OUTPUTS
from outperform.io import Columns, ItemColumns
from outperform.io.guessing import Guess, SeenColumn, columns_in, guess
from outperform.io.indicators import of_one_label
from outperform.io.looking import Look
from outperform.io.shapes import check_shape, check_tags, scores_by_class
from outperform.options import Options
from outperform.results import Comparison, PerClass, Ranking, Result, views
from outperform.server.byte_cache import ByteCache
from outperform.server.limits import Limits
from outperform.server.logs import Logs, logs_of
from outperform.server.reading import check_columns, seen_in, typed_counts
from outperform.server.request import Request
from outperform.server.words import shown
from outperform.verdicts.several import check_fdr

__all__ = ["FORMATS", "Answers", "Data"]

FORMATS = tuple(name for name in OUTPUTS if name != "text")
VERBS = ("compare", "plan")
MOST_HELD = 256_000_000  # bytes of earlier files and draws
ONE = "fdr goes with several verdicts, as a ranking or per class, and with a ROPE; leave it out"
CLUSTERED = (
    "the items are clustered by {name}, and how many more are needed is simulated with independent items; choose none "
    "for Clusters to take these for independent"
)
CELL = 40  # bytes of a value in a column, about

Judged: TypeAlias = Comparison | PerClass[Comparison] | Ranking


@dataclass(frozen=True)
class Data:
    """Uploaded bytes and their digest."""

    raw: bytes = field(repr=False)

    @cached_property
    def digest(self) -> bytes:
        """The key of the data in the cache."""
        return sha256(self.raw).digest()


@dataclass(frozen=True)
class Answers:
    """Answers requests; caching makes it faster and does not change the answers."""

    limits: Limits = field(default_factory=Limits)
    kept: ByteCache = field(default_factory=lambda: ByteCache(MOST_HELD))

    def columns(self, data: Data, request: Request) -> dict[str, Any]:
        """The columns of a file, and what they are taken for; of several logs, a column of scores for each."""
        if self._is_log(data, request):
            return self._systems(data, request)
        look = self._look(data, request)
        seen, rows = columns_in(look.tables[0]), len(look.tables[0].lines)
        guessed = guess(seen, rows)
        if guessed.truth is None:
            check_shape(look.tables[0], seen, guessed)  # not every table of numbers has a score per item
        check_tags(look.tables[0], seen, guessed)
        seen, guessed = _of_one_class(seen, of_one_label(seen, guessed))
        aside = f"not used: {', '.join(guessed.aside)}, scores of classes" if guessed.aside else ""
        found = {"columns": [asdict(column) for column in seen], "guess": asdict(guessed)}
        return {"rows": rows, "how": "; ".join(filter(None, [look.how, aside])), **found}

    def answer(self, data: Data, request: Request, verb: str) -> dict[str, str]:
        """The answer that the page shows: a line or some, the report, and the command that gives the same."""
        result = self.result(data, request, verb)
        line = f"{len(result)} classes, a comparison for each" if isinstance(result, PerClass) else repr(result)
        return {"line": line, "html": views.page(result, shown), "command": self._command(data, request, verb)}

    def written(self, data: Data, request: Request, verb: str, format: str) -> str:
        """The answer as a file."""
        check_known("format", format, FORMATS)
        return self.result(data, request, verb).to(format)

    def result(self, data: Data, request: Request, verb: str) -> Result:
        """One call of `compare`, `rank` or `plan`; of the first two the draws are kept, for another ROPE or mass."""
        check_known("verb", verb, VERBS)
        options = request.options
        if options.fdr is not None and (verb == "plan" or options.rope is None):
            raise ValueError(ONE)
        if verb == "plan":
            return self._plan(data, request)
        alike = replace(request, options=_drawn_by(options))
        drawn = self.kept.get((data.digest, alike), lambda: self._drawn(data, alike), _size)
        return _withholding(drawn, options.fdr).with_mass(options.mass).with_rope(options.rope)

    def _drawn(self, data: Data, request: Request) -> Judged:
        given: tuple[Any, ...]
        if request.options.scores:
            return self._scored(data, request)
        if request.options.by_item or request.options.cluster:
            items = self._items(data, request)
            given, names, settings = (items.truth, items.outputs), tuple(items.outputs), request.options.of_items(items)
        else:
            counts = self._counts(data, request)
            given, names, settings = (counts,), counts.classifiers, request.options.of_counts(counts)
        if len(names) == 1:
            raise DataError(f"{names[0]} is one classifier; choose Classifier B, with which to compare it")
        verb = outperform.rank if len(names) > 2 else outperform.compare
        drawn: Judged = verb(*given, **settings)
        return drawn

    def _scored(self, data: Data, request: Request) -> Judged:
        """Scores of items, which need no truth."""
        options = request.options
        settings = options.of_scores()
        verb = outperform.rank_scores if len(options.scores) > 2 else outperform.compare_scores
        if self._is_log(data, request):
            scores = self._logs(data, request).scores
            options.refuse(("id", "cluster"), "logs")
            known = check_columns(Columns(request.name, {name: [] for name in scores.systems}, []), options)
            chosen = {name: scores.values[name] for name in options.scores if known.column(name) == []}
            return verb(replace(scores, values=chosen), **settings)
        items = self._items(data, request)
        drawn: Judged = verb(items.outputs, **settings, cluster=items.cluster)
        return drawn

    def _plan(self, data: Data, request: Request) -> Result:
        options = request.options
        if options.scores:
            raise ValueError(
                "scores are not simulated; the verdict says about how many more items an unresolved comparison takes"
            )
        if options.by_item:
            raise ValueError(f"{options.measure} is read off scores of items, which are not simulated; choose another")
        if options.cluster:
            raise ValueError(CLUSTERED.format(name=options.cluster))
        counts = self._counts(data, request)
        settings = options.of_counts(counts) | options.pick("rope", "power", "width")
        return outperform.plan(counts, options.goal, **settings, progress=False)

    def _systems(self, data: Data, request: Request) -> dict[str, Any]:
        """The systems of logs as columns, and the metrics and filters to choose from."""
        logs = self._logs(data, request, guessed=True)
        scores = logs.scores
        if len(scores.systems) < 2:
            raise DataError(
                f"{request.name} is a log of {logs.kind}, of one system; choose logs of two systems together"
            )
        columns = [SeenColumn(name, (), None, scores.items, numbers=True) for name in scores.systems]
        lower = scores.greater_is_better is False
        guessed = Guess(None, scores.systems, None, None, scores=True, lower=lower)
        found = {"columns": [asdict(column) for column in columns], "guess": asdict(guessed)}
        choices = {what: {"known": names, "chosen": getattr(logs.choice, what)} for what, names in logs.known.items()}
        return {"rows": scores.items, "how": logs.how, "choices": choices, **found}

    def _is_log(self, data: Data, request: Request) -> bool:
        """Whether files are logs; several files are nothing else."""
        return bool(request.parts) or (request.source == "file" and self._look(data, request).kind == "log")

    def _logs(self, data: Data, request: Request, *, guessed: bool = False) -> Logs:
        parts, options = request.parts or ((request.name, len(data.raw)),), request.options
        return self.kept.get(
            ("logs", data.digest, parts, options.metric, options.filter, guessed),
            lambda: logs_of(data.raw, parts, self.limits, options, guessed=guessed),
            lambda found: sum(CELL * values.size for values in found.scores.values.values()),
        )

    def _command(self, data: Data, request: Request, verb: str) -> str:
        if self._is_log(data, request):
            logs = self._logs(data, request)
            return request.of_logs(verb, logs.kind, logs.scores.systems)
        return request.command(verb, self._look(data, request).pipe) if request.source == "file" else ""

    def _look(self, data: Data, request: Request) -> Look:
        return self.kept.get(
            ("columns", data.digest, request.name),
            lambda: seen_in(data.raw, request.name, self.limits),
            lambda look: sum(CELL * len(table.lines) * (1 + len(table.values)) for table in look.tables),
        )

    def _columns(self, data: Data, request: Request) -> Columns:
        if self._is_log(data, request):
            raise ValueError("logs hold scores, without true labels; choose none for the truth")
        request.options.refuse(("metric", "filter"), "tables")
        return self._look(data, request).tables[0]

    def _counts(self, data: Data, request: Request) -> Counts:
        if request.source != "file":
            return typed_counts(data.raw, request)
        options = request.options
        names = (options.truth, options.predictions, options.id, options.n, options.separator, options.labels)
        return self.kept.get(
            ("counts", data.digest, request.name, *names, options.average == "samples"),
            lambda: options.read_counts(check_columns(self._columns(data, request), options)),
            lambda counts: sum(array.nbytes for array in (counts.truth, counts.predictions, counts.n, counts.part)),
        )

    def _items(self, data: Data, request: Request) -> ItemColumns:
        options = request.options
        if request.source != "file":
            asked_for = options.measure or "the mean score"
            raise ValueError(f"{asked_for} is read off scores of items, which tables do not have; choose another")
        numbers = bool(options.scores) or options.by_item
        return options.read_items(check_columns(self._columns(data, request), options), numbers=numbers)


def _of_one_class(seen: tuple[SeenColumn, ...], guessed: Guess) -> tuple[tuple[SeenColumn, ...], Guess]:
    """Of scores for each of three classes or more, those of the first class are taken; the user chooses another."""
    by_class = scores_by_class(seen, guessed)
    if len(by_class) < 3:
        return seen, guessed
    positive, names = next(iter(by_class.items()))
    aside = tuple(name for name in (*guessed.predictions, *guessed.aside) if name not in names)
    columns = tuple(replace(c, positive=positive) if c.name == guessed.truth else c for c in seen)
    return columns, replace(guessed, predictions=names, aside=aside)


def _drawn_by(options: Options) -> Options:
    """The options that the draws depend on; those by which they are judged are the defaults."""
    return replace(options, **Options().pick("rope", "mass", "fdr", "goal", "power", "width"))


def _withholding(result: Judged, fdr: float | None) -> Judged:
    """The result that gives only the verdicts whose expected share of wrong ones is at most `fdr`."""
    if check_fdr(fdr) is None:
        return result
    if isinstance(result, Comparison):
        raise ValueError(ONE)
    if isinstance(result, Ranking):
        return Ranking.of(result.evidence, result.rope, result.mass, fdr)
    return replace(result, fdr=fdr)


def _size(result: Judged) -> int:
    """Bytes of draws."""
    if isinstance(result, Ranking):
        return result.evidence.size
    return sum(row.evidence.size for row in result.all_rows() if row.evidence is not None)
