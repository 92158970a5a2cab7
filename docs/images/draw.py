"""Draws the picture of the README: python docs/images/draw.py."""

from pathlib import Path

import outperform as op

news = op.datasets.newsgroups()
predictions = {"svm": news.predictions["svm_l2"], "naive Bayes": news.predictions["nb_bern"]}
result = op.compare(news.truth, predictions, pos_label=8, rope=0.05, rng=0)
result.plot().figure.savefig(Path(__file__).with_name("posterior.png"), dpi=150)
