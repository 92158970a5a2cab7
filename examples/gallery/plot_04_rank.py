"""
Rank four systems
=================

A leaderboard puts four systems in four places. Which of the places are known?
"""

import outperform as op

news = op.datasets.newsgroups()
r = op.rank(news.truth, news.predictions, average="macro", rope=0.01, draws=10_000, rng=0)
r.plot()

# %%
# The best is on top, with the HDI of its score and the probability that it is the best of all. Overlapping intervals
# do not say that two systems are the same, because all of them were tested on the same posts; the bars at the right
# do: they join systems that are not distinguishable. Here the two SVMs are not.
#
# The verdict on every two:

r.plot(kind="pairs")

# %%
# Read a row against a column. ``<`` and ``>`` are open, so more posts are needed there; only ``≈`` would say that two
# systems are practically the same. If 0.005 matters already, all four are distinguishable, as the letters show:

r.with_rope(0.005)
