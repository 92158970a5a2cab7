"""
Which classes make the difference
=================================

One classifier has the better macro-average over 20 classes. Is it better everywhere, or does a single class carry it?
"""

import numpy as np

import outperform as op

news = op.datasets.newsgroups()
names = np.array(news.classes)
two = {name: names[news.predictions[name]] for name in ("nb_mult", "svm_l2")}
every = op.compare(names[news.truth], two, average="per_class", rope=0.05, rng=0)
every.plot()

# %%
# A row is a class: the dot is the mean of the difference in F1, the bar its 95% HDI, the sign at the right the
# verdict against the ROPE, the band. Most classes are open or practically the same. Two stand apart, baseball and
# hockey, and they point in opposite directions.
#
# What each class adds to the difference of the macro-averages, the largest first, in shares of the whole:

macro = op.compare(names[news.truth], two, average="macro", draws=10_000, rng=0)
{driver.class_: f"{driver.share:+.0%}" for driver in macro.drivers[:3]}

# %%
# Why these two? Of either there are about 400 posts. Each classifier has a class into which it puts what it cannot
# make out:

sports = ("rec.sport.baseball", "rec.sport.hockey")
{name: [int((predicted == sport).sum()) for sport in sports] for name, predicted in two.items()}
