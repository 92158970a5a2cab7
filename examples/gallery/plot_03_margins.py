"""
The verdict by the margin
=========================

How large a difference matters is for you to say, and readers may say otherwise. So show the verdict under every
margin.
"""

import outperform as op

news = op.datasets.newsgroups()
two = {name: news.predictions[name] for name in ("nb_mult", "svm_l2")}
r = op.compare(news.truth, two, pos_label=14, rope=0.05, rng=0)
r.plot(kind="margins")

# %%
# The curve is the probability that the two differ by no more than the margin, the dot is the margin that was chosen.
# The strip below says which verdict a margin brings: nearest to 0 "better", then "unresolved, leans towards A", and
# from the far end of the HDI on "practically the same". A reader who cares about differences of 0.01 and one who
# cares about 0.1 find both of their answers in the same picture.
#
# As numbers, each margin being where the next verdict begins:

[(f"{margin:.3f}", verdict.symbol) for margin, verdict in r.by_margin()]
