"""Draws the pictures of the tutorial: python docs/images/draw_tutorial.py."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import outperform as op

news = op.datasets.newsgroups()
names = np.array(news.classes)
predictions = {name: names[predicted] for name, predicted in news.predictions.items()}
truth, two = names[news.truth], {name: predictions[name] for name in ("nb_mult", "svm_l2")}
baseball = op.compare(truth, two, pos_label="rec.sport.baseball", rope=0.05, rng=0)
graphics = op.compare(truth, two, pos_label="comp.graphics", rope=0.05, rng=0)

PICTURES = {
    "posterior": baseball.plot,
    "margins": lambda: baseball.plot(kind="margins"),
    "classes": op.compare(truth, two, average="per_class", rope=0.05, rng=0).plot,
    "rank": op.rank(truth, predictions, average="macro", rope=0.01, draws=20_000, rng=0).plot,
    "plan": graphics.more_data().plot,
}

for name, picture in PICTURES.items():
    picture().figure.savefig(Path(__file__).with_name(f"tutorial-{name}.png"), dpi=130)
    plt.close()
