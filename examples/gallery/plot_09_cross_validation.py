"""
Two learners, no test set
=========================

You have data and two estimators of scikit-learn, and want to know which of the two makes the better classifiers. A
block-regularised cross-validation of three times two folds, and the Bayes test on its counts.
"""

from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import outperform as op

X, y = make_classification(1000, n_informative=4, flip_y=0.1, random_state=0)
learners = {"naive Bayes": GaussianNB(), "logistic regression": LogisticRegression()}
counts = op.cross_validate(learners, X, y, cv=op.BlockCV(random_state=0))
r = op.bayes_test(counts, measure="f1", rope=0.01, rng=0)
r.plot(kind="densities")

# %%
# The curves are the posteriors of the two F1 scores, in closed form; what is shaded is 95% of each. Every item was
# tested three times, but by classifiers that share training data, so it counts for 1.1 items and not for three. Below
# is the probability that the second is better.
#
# That takes the two for independent. They were tested on the same items, and the paired test knows it:

paired = op.bayes_test(counts, measure="f1", rope=0.01, model="paired", rng=0)
paired.plot()
