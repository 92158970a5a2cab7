"""
Scores of queries
=================

Two search engines have a score for every query, such as nDCG. Users ask several queries each, and the queries of one
user are alike. Here are 50 users with eight queries each, made up.
"""

import matplotlib.pyplot as plt
import numpy as np

import outperform as op

rng = np.random.default_rng(0)
user = np.repeat(np.arange(50), 8)
bm25 = rng.beta(4, 6, size=400)
gain = 0.03 + rng.normal(0, 0.08, size=50)[user] + rng.normal(0, 0.05, size=400)
scores = {"bert": np.clip(bm25 + gain, 0, 1), "bm25": bm25}

figure, (above, below) = plt.subplots(2, 1, figsize=(6, 5), sharex=True, layout="constrained")
as_if = op.compare_scores(scores, measure="ndcg", rope=0.01, rng=0)
as_if.plot(above)
by_user = op.compare_scores(scores, measure="ndcg", cluster=user, rope=0.01, rng=0)
by_user.plot(below)

# %%
# Above, all 400 queries are taken for independent, and the verdict is "better". Below, whole users are resampled, with
# all of their queries: the same mean, an interval twice as wide, and the verdict is open. Fifty users are what there
# is, however many queries each of them asks.
#
# The result says so:

list(by_user.notes)
