"""Draws the pictures of the README and of the pages: python docs/images/draw.py."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from PIL import Image

import outperform as op
from outperform.render import plots

mpl.use("Agg")

news = op.datasets.newsgroups()
settings = {"rope": 0.05, "rng": 0}
predictions = {"svm": news.predictions["svm_l2"], "naive Bayes": news.predictions["nb_bern"]}
names = [name.split(".", 1)[1] for name in news.classes]
named = {"naive Bayes": news.predictions["nb_mult"], "svm": news.predictions["svm_l2"]}
named = {name: [names[k] for k in own] for name, own in named.items()}
apart = op.compare(news.truth, predictions, pos_label=8, **settings)
alike = op.compare([names[k] for k in news.truth], named, pos_label=names[8], **settings)
per_class = op.compare([names[k] for k in news.truth], named, average="per_class", **settings)
ranked = op.rank(news.truth == 8, {name: own == 8 for name, own in news.predictions.items()}, rope=0.01, rng=0)
truth = op.Scenario.from_scores(0.80, 0.75, prevalence=0.3, agreement=0.9)
sizes = [200, 500, 1000, 2000, 4000]
powers = [op.power(truth, sizes, "better", rope=0.01, model=model, rng=0) for model in ("paired", "unpaired")]
groups = [name.split(".")[0] for name in news.classes]
counts = op.Counts.from_labels(
    [groups[k] for k in news.truth],
    {name: [groups[k] for k in own] for name, own in predictions.items()},
)


def two_curves(ax: Axes) -> Axes:
    for power in powers:
        power.plot(ax)
    return ax


PICTURES: dict[str, tuple[tuple[float, float], Callable[[Axes], Axes]]] = {
    "posterior": ((6, 3.2), apart.plot),
    "factor": ((5, 2.8), lambda ax: alike.plot(ax, kind="factor")),
    "margins": ((5, 2.8), lambda ax: apart.plot(ax, kind="margins")),
    "joint": ((3.6, 3.4), lambda ax: apart.plot(ax, kind="joint")),
    "forest": ((6, 5), per_class.plot),
    "ranking": ((5, 2.2), ranked.plot),
    "pairs": ((3.6, 3.2), lambda ax: ranked.plot(ax, kind="pairs")),
    "power": ((5, 2.8), two_curves),
    "confusion": ((5, 4.4), lambda ax: plots.confusion(counts, "svm", ax)),
    "confusion_difference": ((5, 4.4), lambda ax: plots.confusion_difference(counts, "svm", "naive Bayes", ax)),
}

for title, (size, draw) in PICTURES.items():
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    draw(axes)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=150)
    Image.open(drawn).convert("RGB").quantize(64).save(Path(__file__).with_name(f"{title}.png"), optimize=True)
    plt.close(figure)
