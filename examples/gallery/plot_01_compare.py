"""
Compare two classifiers
=======================

You have a test set and what two classifiers predicted for it. Is one better? Here the question is whether a post is
about motorcycles, and a difference in F1 of up to 0.05 would not matter.
"""

import outperform as op

news = op.datasets.newsgroups()
two = {"svm": news.predictions["svm_l2"], "naive Bayes": news.predictions["nb_bern"]}
r = op.compare(news.truth, two, pos_label=8, measure="f1", rope=0.05, rng=0)
r.plot()

# %%
# The curve is the posterior of the difference, the first minus the second: how credible each value is after these
# 7,532 posts. The black bar is the HDI, the shortest interval that holds 95% of it, and the orange band is the ROPE,
# the differences that do not matter. The whole bar lies beyond the band, so the verdict in the title is that the
# first is better.
#
# A reader who would put up with 0.1 gets another answer from the same draws, in one line:

r.with_rope(0.1)
