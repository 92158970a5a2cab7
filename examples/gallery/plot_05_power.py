"""
How many items does it take?
============================

Before labelling a test set: how large must it be to show that a classifier with an F1 of 0.80 is better than one with
0.75, by more than 0.01? Suppose that three items in ten are positive and that the two agree on nine in ten.
"""

import outperform as op

truth = op.Scenario.from_scores(0.80, 0.75, prevalence=0.3, agreement=0.9)
sizes = [250, 500, 1000, 2000, 3000, 4000]
paired = op.power(truth, sizes, "better", rope=0.01, studies=500, rng=0)
unpaired = op.power(truth, sizes, "better", rope=0.01, model="unpaired", studies=500, rng=0)
unpaired.plot(paired.plot())

# %%
# A curve is the share of simulated studies that reach the verdict "better", by their size; the shade is two standard
# errors of the simulation. Looked at unpaired, the same studies take about twice as many items. At 500 items the
# study would fail two times in three, although there is a difference.
#
# After a study that was not decided: how many more?

news = op.datasets.newsgroups()
two = {name: news.predictions[name][::10] for name in ("nb_mult", "svm_l2")}
pilot = op.compare(news.truth[::10], two, pos_label=12, rope=0.05, rng=0)
pilot.more_data("decided", power=0.7).plot()

# %%
# Here every simulated study goes on from the 754 posts of the pilot, in a world drawn from what they leave open. The
# dotted lines meet where seven of ten such studies would have a verdict.
