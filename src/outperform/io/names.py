"""What the names of columns say: words for the truth, predictions, ids and so on."""

from __future__ import annotations

import re

__all__ = [
    "CLUSTERS",
    "COSTS",
    "FOLDS",
    "IDS",
    "LIKELY_TRUTHS",
    "LOSSES",
    "MEASURED",
    "NEGATIVES",
    "NUMBERS",
    "POSITIVES",
    "RIGHT",
    "SCORED",
    "TRUE_WORDS",
    "TRUTHS",
    "plain",
    "says_predicted",
    "says_true",
    "words_in",
]

TRUTHS = (
    "truth", "true", "ytrue", "gold", "label", "target", "actual", "class", "reference", "expected", "y", "groundtruth",
    "labels", "gt", "ref",
)  # fmt: skip
LIKELY_TRUTHS = (
    "answer",
    "outcome",
    "solution",
    "human",
    "annotation",
    "annotator",
    "expert",
    "diagnosis",
    "category",
    "sentiment",
    "intent",
    "topic",
    "rating",
)  # of the columns that may be the truth, these are offered first
SCORED = ("baseline", "base", "old", "new", "ours")  # systems, whose scores stand beside those of others
TRUE_WORDS = ("true", "truth", "gold", "actual", "expected", "reference", "target", "groundtruth")  # in a longer name
PREDICTED_WORDS = (
    "pred", "predicted", "prediction", "predictions", "preds", "hat", "model", "modell", "system", "clf", "classifier",
    "hyp", "hypothesis",
)  # fmt: skip
IDS = ("id", "item", "doc", "document", "key", "index", "uid", "inst", "instance", "")
NUMBERS = ("n", "count", "items", "frequency", "freq")
CLUSTERS = (
    "user", "userid", "patient", "patientid", "subject", "speaker", "author", "session", "sessionid", "query",
    "queryid", "qid", "doc", "docid", "document", "documentid", "cluster", "participant", "conversation", "thread",
)  # fmt: skip
FOLDS = ("fold", "split", "cv", "run", "seed", "repeat", "repetition", "epoch")
POSITIVES = (
    "yes", "true", "positive", "pos", "y", "t", "correct", "relevant", "ja", "oui", "si", "sí", "sim", "wahr", "vrai",
    "verdadero",
)  # fmt: skip
NEGATIVES = ("no", "false", "negative", "neg", "ham", "benign", "ok", "none", "other", "clean", "healthy")
LOSSES = (
    "loss", "losses", "error", "errors", "err", "wer", "cer", "ter", "mae", "mse", "rmse", "mape", "nll", "ppl",
    "perplexity", "brier", "latency", "seconds", "runtime", "duration", "substitutions", "deletions", "insertions",
    "edits", "distance", "mistakes", "sub", "subs", "del", "dels", "ins",
)  # fmt: skip
MEASURED = {
    "acc", "accuracy", "precision", "recall", "f", "loss", "bleu", "rouge", "rougel", "meteor", "chrf", "ter", "wer",
    "cer", "exact", "match", "auc", "auroc", "mcc", "kappa", "map", "mrr", "ndcg", "score", "perplexity", "ppl", "nll",
    "mae", "mse", "rmse", "brier", "comet", "bertscore", "relevancy", "faithfulness",
}  # fmt: skip
RIGHT = ("correct", "right", "success", "pass", "passed", "hit", "em", "exact", "resolved")  # of items
COSTS = (
    "latency", "seconds", "runtime", "duration", "time", "timestamp", "ms", "tokens", "token", "length", "turn", "cost",
    "price", "words", "chars",
)  # fmt: skip
WORD = re.compile(r"[A-Z]?[a-zäöüß]+|[A-Z]+(?![a-z])")


def says_true(name: str) -> bool:
    """Return whether a name, or a word of it, says that something is the truth."""
    return plain(name) in TRUTHS or bool(set(words_in(name)) & set(TRUE_WORDS))


def says_id(name: str) -> bool:
    """Return whether a name says that its column holds ids."""
    letters = plain(name)
    return letters in IDS or (letters.endswith("id") and name[-3:-2] in ("_", "-", " ", "."))


def says_predicted(name: str) -> bool:
    """Return whether a name says that something is predicted."""
    letters = plain(name)
    return bool(set(words_in(name)) & set(PREDICTED_WORDS)) or "pred" in letters or letters == "yhat"


def words_in(name: str) -> list[str]:
    """Return the words of a name: of modelA_pred model, a and pred."""
    return [word.casefold() for word in WORD.findall(name)]


def plain(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))
