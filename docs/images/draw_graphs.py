"""Draws two PyMC models as graphs, which takes the extra `mcmc` and graphviz: python docs/images/draw_graphs.py."""

from pathlib import Path

import outperform as op

news = op.datasets.newsgroups()
two = {name: news.predictions[name][::19] == 8 for name in ("svm_l2", "nb_bern")}
counts = op.Counts.from_labels(news.truth[::19] == 8, two)
for form in ("counts", "items"):
    graph = op.mcmc.graph(op.mcmc.build(op.Paired(), counts, form=form))
    graph.save(Path(__file__).with_name(f"graph-{form}.svg"))
