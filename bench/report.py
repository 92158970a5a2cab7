"""How long a report takes once the comparison is made, and how large it is."""

from __future__ import annotations

import outperform as op
from bench.harness import Row, at_most, minima
from outperform.results import Several

__all__ = ["bench"]

REPEAT = 5


def bench() -> list[Row]:
    news = op.datasets.newsgroups()
    two = {name: news.predictions[name] for name in ("svm_l2", "nb_bern")}

    def compare() -> Several:
        parts = (op.compare(news.truth, two, average=average, rope=0.05, rng=0) for average in ("macro", "per_class"))
        return Several(tuple(parts))

    result = compare()
    write, whole = minima(result.to_html, compare, repeat=REPEAT)
    size = len(result.to_html().encode()) / 1e3
    return [
        Row("a report of 20 classes, against the two comparisons in it", write, whole, bar=at_most(0.5, own=True)),
        Row("    its size", size, None, "{:.0f} kB".format, at_most(150, own=True)),
    ]
