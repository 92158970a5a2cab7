"""
What is taken for what
======================

A score says how often a classifier is right. A confusion matrix says where it goes wrong, and it is as uncertain as
any score. Here the 20 newsgroups are put together by the first part of their names.
"""

import numpy as np

import outperform as op
from outperform.render import plots

news = op.datasets.newsgroups()
areas = np.array([name.split(".")[0] for name in news.classes])
two = {name: areas[news.predictions[name]] for name in ("nb_bern", "svm_l2")}
counts = op.Counts.from_labels(areas[news.truth], two)
plots.confusion(counts, "svm_l2")

# %%
# A row is a true area: what share of its posts is taken for each area, with its 95% interval below. Rows add up to 1.
# Where an interval is wide, as for "alt" and "soc", the area has few posts.
#
# Which of two classifiers makes which mistake more often?

plots.confusion_difference(counts, "svm_l2", "nb_bern")

# %%
# Blue cells are more frequent with the first, orange ones with the second, and grey ones are not distinguishable: their
# interval holds 0. On the diagonal blue is good for the first, beside it orange is. The second column says what is
# wrong with naive Bayes: it takes more posts of every other area for posts about computers.
