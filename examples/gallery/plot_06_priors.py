"""
Does the prior matter?
======================

With few items the prior has a say. How much of one is seen by comparing again under other priors; here on 397 posts,
of which 20 are about motorcycles.
"""

import outperform as op

news = op.datasets.newsgroups()
two = {name: news.predictions[name][::19] for name in ("svm_l2", "nb_bern")}
r = op.compare(news.truth[::19], two, pos_label=8, rope=0.05, rng=0)
s = r.sensitivity(["uniform", "jeffreys", "haldane", 3])
s.plot()

# %%
# A row is a prior: "uniform" has one pseudo-count for every outcome, "jeffreys" half of one, "haldane" none, the last
# one three. More of them draw the difference towards 0. The verdict at the right is the same everywhere, so it does
# not depend on the prior; that the intervals are this wide is what there is to report.
