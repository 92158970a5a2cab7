"""
What pairing is worth
=====================

Two classifiers on the same test set stumble over the same items. Why that makes their difference better known than
either of their scores.
"""

import matplotlib.pyplot as plt

import outperform as op

news = op.datasets.newsgroups()
two = {name: news.predictions[name] for name in ("nb_mult", "svm_l2")}
paired = op.compare(news.truth, two, pos_label=8, rope=0.05, rng=0)
unpaired = op.compare(news.truth, two, pos_label=8, rope=0.05, model="unpaired", rng=0)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
unpaired.plot(left, kind="joint")
paired.plot(right, kind="joint")
left.set_title("unpaired")
right.set_title("paired")

# %%
# A point is a draw of both scores; on the dotted line they are equal, in the band they differ by no more than the
# ROPE. At the left the two are drawn apart from each other, at the right together: where the one is high because the
# test set was easy, the other is high as well. Both scores are as uncertain as before, but the cloud lies along the
# line and fits into the band, so that the verdict goes from open to "practically the same". The HDIs of the
# difference:

{r.model: [round(end, 3) for end in r.delta.hdi] for r in (unpaired, paired)}
