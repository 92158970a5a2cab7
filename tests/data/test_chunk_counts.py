"""Counts of chunks: equal to seqeval's, resampled by sentence like a bootstrap by hand, and from tagged files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities

import outperform as op
from outperform.base.errors import ImproperPriorError
from outperform.cli import main
from outperform.models.unseen import Unseen
from tests import command

pytestmark = pytest.mark.usefixtures("few_draws")

Tags: TypeAlias = list[list[str]]
Array: TypeAlias = NDArray[np.float64]
TYPES = ("LOC", "ORG", "PER")
SENTENCES, DRAWS, BRUTE = 120, 50_000, 20_000
SCORES = {"precision": precision_score, "recall": recall_score, "f1": f1_score}


def tagged(rng: np.random.Generator, length: int) -> list[str]:
    tags: list[str] = []
    while len(tags) < length:
        kind = TYPES[rng.integers(3)]
        tags += ["O"] if rng.random() < 0.6 else [f"B-{kind}", *[f"I-{kind}"] * int(rng.integers(3))]
    return tags[:length]


def garbled(rng: np.random.Generator, tags: Tags, share: float) -> Tags:
    """Whole sentences are wrong together, so that chunks of a sentence are dependent."""
    bad = rng.random(len(tags)) < 0.4
    alphabet = ["O", "B-PER", "I-LOC", "I-ORG"]
    return [
        [alphabet[rng.integers(4)] if rng.random() < share * (2.5 if worse else 0.3) else tag for tag in row]
        for row, worse in zip(tags, bad, strict=True)
    ]


@cache
def corpus(seed: int = 0, sentences: int = SENTENCES) -> tuple[Tags, Tags, Tags]:
    rng = np.random.default_rng(seed)
    gold = [tagged(rng, int(rng.integers(1, 12))) for _ in range(sentences)]
    return gold, garbled(rng, gold, 0.15), garbled(rng, gold, 0.22)


def counted(**given: Any) -> op.Counts:
    gold, a, b = corpus()
    return op.Counts.from_chunks(gold, {"a": a, "b": b}, **given)


@cache
def answer() -> op.Comparison:
    return op.compare(counted(), rope=0.01, rng=0)


@pytest.mark.parametrize("unit", ["sentence", "chunk"])
@pytest.mark.parametrize("measure", SCORES)
def test_observed_scores_are_seqevals(measure: str, unit: str) -> None:
    gold, a, b = corpus()
    counts = counted(unit=unit)
    assert counts.groups == TYPES
    for average in ("micro", "macro", "weighted"):
        r = op.compare(counts, measure=measure, average=average, rng=0, draws=50)
        theirs = [SCORES[measure](gold, tags, average=average, zero_division=0) for tags in (a, b)]
        assert [r.a.observed, r.b.observed] == pytest.approx(theirs)
    rows = op.compare(counts, measure=measure, average="per_class", rng=0, draws=50)
    theirs = SCORES[measure](gold, b, average=None, zero_division=0)
    assert [row.b.observed for row in rows] == pytest.approx(list(theirs))
    assert [row.class_ for row in rows] == list(TYPES)


TAG = st.sampled_from(["O", *(f"{prefix}-{kind}" for prefix in "BI" for kind in TYPES[:2])])


@given(st.lists(st.tuples(TAG, TAG), min_size=1, max_size=30))
@settings(max_examples=60)
def test_any_tags_are_counted_as_seqeval_counts_them(rows: list[tuple[str, str]]) -> None:
    gold, guess = [["B-LOC", "O", *(tag for tag, _ in rows)]], [["O", "O", *(tag for _, tag in rows)]]
    counts = op.Counts.from_chunks(gold, {"a": guess}, types=TYPES[:2], unit="chunk")
    r = op.estimate(counts, rng=0, draws=10)
    assert r.observed == pytest.approx(f1_score(gold, guess, zero_division=0))


def test_the_micro_average_is_the_default() -> None:
    r = answer()
    assert (r.model, r.average, r.items) == ("bootstrap", "micro", 120)
    assert counted(unit="chunk").items == sum(len(get_entities(row)) for row in corpus()[0])


@cache
def by_sentence() -> Array:
    """Return correct, true and predicted chunks by classifier, sentence and type: shape (3, 2, sentences, types)."""
    gold, *systems = corpus()
    table = np.zeros((3, 2, len(gold), len(TYPES)))
    for k, tags in enumerate(systems):
        for i, (true, guess) in enumerate(zip(gold, tags, strict=True)):
            t, g = set(get_entities(true)), set(get_entities(guess))
            for j, kind in enumerate(TYPES):
                table[:, k, i, j] = [sum(chunk[0] == kind for chunk in chunks) for chunks in (t & g, t, g)]
    return table


def f1(cells: Array) -> Array:
    hit, support, predicted = cells
    room = support + predicted
    return np.asarray(np.divide(2 * hit, room, out=np.zeros_like(room), where=room > 0))


def brute_force(score: Callable[[Array, Array], Array], units: Sequence[int] = tuple(range(SENTENCES))) -> Array:
    """Return scores of both classifiers under Dirichlet weights of the units, of shape (draws, 2)."""
    rng = np.random.default_rng(99)
    weights = rng.dirichlet(np.ones(max(units) + 1), BRUTE)[:, list(units)]
    return score(weights, by_sentence())


def micro(weights: Array, table: Array) -> Array:
    return f1(np.einsum("ds,qks->qdk", weights, table.sum(axis=3)))


def macro(weights: Array, table: Array) -> Array:
    return np.asarray(f1(np.einsum("ds,qkst->qdkt", weights, table)).mean(axis=-1))


def samples(weights: Array, table: Array) -> Array:
    return np.asarray(weights @ f1(table.sum(axis=3)).T)


def agree(ours: Array, theirs: Array) -> None:
    """Compare means and standard deviations of both scores and of their difference, within 4 Monte-Carlo errors."""
    for x, y in [*zip(ours.T, theirs.T, strict=True), (ours[:, 0] - ours[:, 1], theirs[:, 0] - theirs[:, 1])]:
        sd = y.std()
        assert x.mean() == pytest.approx(y.mean(), abs=4 * sd * sqrt(1 / len(x) + 1 / len(y)))
        assert x.std() == pytest.approx(sd, rel=4 * sqrt(0.5 / len(x) + 0.5 / len(y)))


@pytest.fixture
def seen_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the allowance for unobserved units; `test_unseen` tests it."""
    monkeypatch.setattr(Unseen, "draw", lambda _, __, draws: np.zeros((draws, 2)))


@pytest.mark.usefixtures("seen_only")
@pytest.mark.parametrize("average", ["micro", "macro", "samples"])
def test_sentences_are_weighed_as_in_a_bayesian_bootstrap(average: str) -> None:
    r = op.compare(counted(), average=average, model=op.BayesianBootstrap(prior="haldane"), rng=0, draws=BRUTE)
    assert isinstance(r, op.Comparison)
    score = {"micro": micro, "macro": macro, "samples": samples}[average]
    agree(r.draws, brute_force(score))
    uniform = score(np.full((1, 120), 1 / 120), by_sentence())[0]
    assert [r.a.observed, r.b.observed] == pytest.approx(uniform.tolist())


def one_type(j: int, weights: Array, table: Array) -> Array:
    return micro(weights, table[..., [j]])


@pytest.mark.usefixtures("seen_only")
def test_types_are_weighed_together() -> None:
    by_class = op.compare(counted(), average="per_class", rng=0, draws=BRUTE)
    for j, row in enumerate(by_class):
        agree(row.draws, brute_force(partial(one_type, j)))
    r = op.compare(counted(), average="macro", rng=0, draws=BRUTE)
    assert sum(driver.delta for driver in r.drivers) == pytest.approx(r.delta.mean, abs=1e-12)


@pytest.mark.usefixtures("seen_only")
def test_documents_are_weighed_whole() -> None:
    documents = np.random.default_rng(5).integers(0, 25, 120)
    order = {name: k for k, name in enumerate(dict.fromkeys(documents.tolist()))}
    r = op.compare(counted(unit=documents.tolist()), rng=0, draws=BRUTE)
    assert r.items == len(order)
    agree(r.draws, brute_force(micro, [order[name] for name in documents.tolist()]))
    names = op.compare(counted(unit=[f"doc {name}" for name in documents]), rng=0, draws=BRUTE)
    np.testing.assert_array_equal(names.draws, r.draws)


def test_chunks_of_a_sentence_hang_together() -> None:
    assert answer().delta.sd > 1.15 * op.compare(counted(unit="chunk"), rng=0).delta.sd


def test_the_order_of_sentences_does_not_matter() -> None:
    gold, a, b = corpus()
    order = np.random.default_rng(3).permutation(120)
    shuffled = [[tags[i] for i in order] for tags in (gold, a, b)]
    other = op.Counts.from_chunks(shuffled[0], {"a": shuffled[1], "b": shuffled[2]})
    r, s = answer(), op.compare(other, rng=0)
    np.testing.assert_array_equal(s.draws, r.draws)
    assert (s.a.observed, s.b.observed) == (r.a.observed, r.b.observed)


@pytest.mark.usefixtures("seen_only")
def test_sentences_that_are_alike_are_weighed_as_so_many() -> None:
    """Ten kinds of sentence, twelve of each: the weight of a kind is a gamma of twelve."""
    gold, a, b = (tags[:10] * 12 for tags in corpus(seed=1))
    counts = op.Counts.from_chunks(gold, {"a": a, "b": b})
    assert counts.units is not None
    assert len(counts.units) <= 10
    assert counts.units.sum() == 120
    apart = op.Counts.from_chunks(gold, {"a": a, "b": b}, unit=[k % 10 for k in range(120)])
    assert apart.items == 10
    wide, narrow = (op.compare(c, rng=0, draws=BRUTE).delta.sd for c in (apart, counts))
    assert wide / narrow == pytest.approx(sqrt(121 / 11), rel=0.06)


@pytest.mark.parametrize("average", ["micro", "macro", "samples"])
@pytest.mark.parametrize("model", ["bootstrap", "paired", "unpaired"])
def test_the_other_order_flips_every_draw(average: str, model: str) -> None:
    if average == "samples" and model != "bootstrap":
        with pytest.raises(ValueError, match='average="samples" resamples whole items; use model='):
            op.compare(counted(), average=average, model=model)
        return
    gold, a, b = corpus()
    r = op.compare(counted(), average=average, model=model, rng=0, draws=2000)
    s = op.compare(op.Counts.from_chunks(gold, {"b": b, "a": a}), average=average, model=model, rng=0, draws=2000)
    assert isinstance(r, op.Comparison)
    assert isinstance(s, op.Comparison)
    np.testing.assert_array_equal(s.draws, r.draws[:, ::-1])


def test_sentences_without_chunks_still_count_as_units() -> None:
    gold, a, b = corpus()
    empty = [["O", "O"]] * 40
    counts = op.Counts.from_chunks(gold + empty, {"a": a + empty, "b": b + empty})
    assert counts.items == 160
    r, s = answer(), op.compare(counts, rng=0, draws=BRUTE)
    agree(s.draws, r.draws)  # they have no weight in a micro-average


def test_only_some_types_are_counted() -> None:
    counts = counted(types=["ORG"])
    assert counts.groups == ("ORG",)
    r = op.compare(counts, rng=0, draws=5_000)
    per = op.compare(counted(), average="per_class", rng=0, draws=5_000)["ORG"]
    assert (r.a.observed, r.b.observed) == (per.a.observed, per.b.observed)
    for mine, theirs in ((r.a, per.a), (r.b, per.b), (r.delta, per.delta)):  # alike sentences are drawn as one
        assert mine.mean == pytest.approx(theirs.mean, abs=5 * theirs.sd * sqrt(2 / 5_000))
        assert mine.sd == pytest.approx(theirs.sd, rel=5 * sqrt(1 / 5_000) * 1.5)
    assert counted(types=["PER", "LOC", "PER"]).groups == ("PER", "LOC")


def test_boundaries_alone() -> None:
    gold, a, b = corpus()

    def bare(tags: Tags) -> list[set[tuple[int, int]]]:
        return [{(start, end) for _, start, end in get_entities(row)} for row in tags]

    r = op.compare(counted(typed=False), rng=0, draws=200)
    assert counted(typed=False).groups == ()
    for guess, score in ((a, r.a), (b, r.b)):
        hits = sum(len(x & y) for x, y in zip(bare(gold), bare(guess), strict=True))
        both = sum(len(x) + len(y) for x, y in zip(bare(gold), bare(guess), strict=True))
        assert score.observed == pytest.approx(2 * hits / both)
    with pytest.raises(ValueError, match='average="macro" needs types of chunk, as in B-PER; these have none'):
        op.compare(counted(typed=False), average="macro")


def test_words_have_no_types() -> None:
    gold, a, b = [["B", "E", "S"]] * 30, [["S", "S", "S"]] * 30, [["B", "E", "S"]] * 20 + [["B", "M", "E"]] * 10
    r = op.compare(op.Counts.from_chunks(gold, {"a": a, "b": b}, scheme="BMES"), rng=0, rope=0.01)
    assert [r.a.observed, r.b.observed] == pytest.approx([2 * 30 / (60 + 90), 2 * 40 / (60 + 50)])


@pytest.mark.parametrize("model", ["paired", "unpaired"])
def test_models_of_single_chunks_take_one_pseudo_count(model: str) -> None:
    r = op.compare(counted(), model=model, draws=DRAWS, rng=0)
    hit, support, predicted = by_sentence().sum(axis=(2, 3))
    for k in range(2):
        posterior = op.FBetaPosterior(hit[k] + 1, predicted[k] - hit[k] + 1, support[k] - hit[k] + 1)
        assert r.draws[:, k].mean() == pytest.approx(posterior.mean, abs=4 * posterior.sd / sqrt(DRAWS))
        assert r.draws[:, k].std() == pytest.approx(posterior.sd, rel=4 / sqrt(DRAWS))
    assert r.prior == "uniform"


def test_three_taggers_are_told_apart() -> None:
    gold, a, b = corpus()
    counts = op.Counts.from_chunks(gold, {"a": a, "b": b, "gold": gold})
    assert op.estimate(counts.select([2]), rng=0, draws=50).observed == 1
    r = op.compare(counts.select([0, 1]), rng=0)
    np.testing.assert_array_equal(r.draws, answer().draws)


@pytest.mark.parametrize("measure", ["accuracy", "mcc", "kappa", "specificity", "error_rate"])
def test_measures_of_what_is_not_there_are_refused(measure: str) -> None:
    sentence = f"{measure} needs true negatives, which chunks do not have; use f1, precision"
    for average in (None, "micro", "macro", "per_class"):
        with pytest.raises(ValueError, match=sentence):
            op.compare(counted(), measure=measure, average=average)


def test_other_measures_of_what_is_found_are_taken() -> None:
    for measure in ("jaccard", "fowlkes_mallows", "f0.5", op.f_beta(3)):
        r = op.compare(counted(), measure=measure, rng=0, draws=200)
        assert r.delta.observed is not None
        assert 0 < r.a.mean < 1


GOLD, OWN = [["B-PER", "O"], ["O", "B-LOC"]], [["B-PER", "O"], ["O", "O"]]
BAD: list[tuple[Any, Any, dict[str, Any], str]] = [
    (GOLD, GOLD[:1], {}, "classifier 'a' has 1 sentences but truth has 2; give tags for every sentence"),
    (GOLD, [["B-PER"], ["O", "O"]], {}, "classifier 'a' has 1 tags in sentence 0 where truth has 2; give one for"),
    (GOLD, [["B-PER", "O"], ["O", "B-ORG"]], {}, "classifier 'a' has chunks of type 'ORG', which the truth never has"),
    (
        [["B-é", "O"]],
        [["B-e\u0301", "O"]],
        {},
        r"only in Unicode form \('e\\u0301' and '\\xe9'\): write both alike, or",
    ),
    ([["O", "O"], ["O", "O"]], OWN, {}, "the truth has no chunk anywhere; add sentences that have one"),
    (GOLD, [["X-PER", "O"], ["O", "O"]], {}, r"'X-PER' at position 0 is not a tag of IOBES \(B, I, E, S, O\)"),
    (GOLD, OWN, {"scheme": "IOB3"}, "unknown scheme 'IOB3'; did you mean 'IOB2'"),
    (GOLD, OWN, {"mode": "lenient"}, "unknown mode 'lenient'; known: conlleval, strict"),
    (GOLD, OWN, {"unit": "word"}, "unknown unit 'word'; known: chunk, sentence"),
    (GOLD, OWN, {"unit": [1, 2, 3]}, "unit has 3 entries for 2 sentences; say what each belongs to"),
]


@pytest.mark.parametrize(("gold", "guess", "given", "sentence"), BAD)
def test_what_are_no_tags_gets_one_sentence(gold: Any, guess: Any, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.Counts.from_chunks(gold, {"a": guess}, **given)


def test_taggers_have_names() -> None:
    with pytest.raises(TypeError, match="predictions must give each classifier a name"):
        op.Counts.from_chunks(GOLD, OWN)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no classifier"):
        op.Counts.from_chunks(GOLD, {})


FOLDS = [(1, 1), (1, 2)]


@pytest.mark.parametrize(
    ("totals", "folds", "sentence"),
    [
        ((12, 10, 11), (), "classifier 'a' has 11 correct of 10 predicted; no more can be correct than there are"),
        ((9, 12, 11), (), "classifier 'a' has 11 correct of 9 gold; no more can be correct than there are"),
        ((12, 10, -1), (), "classifier 'a' holds 12, 10, -1; counts are whole and not negative"),
        ((12, 10.5, 9), (), r"classifier 'a' holds 12, 10\.5, 9; counts are whole and not negative"),
        ((12, np.nan, 9), (), "classifier 'a' holds 12, nan, 9; counts are whole and not negative"),
        ((0, 0, 0), (), "classifier 'a' has nothing gold and nothing predicted; there is nothing to compare"),
        ((12, 10), (), r"classifier 'a' has totals of shape \(2,\); give three numbers: gold, predicted, correct"),
        (7, (), r"classifier 'a' has totals of shape \(\); give three numbers"),
        ([(12, 10, 9)] * 2, (), r"classifier 'a' has totals of shape \(2, 3\); give three numbers"),
        ((12, 10, 9), FOLDS, r"has totals of shape \(3,\); give one row for each of 2 folds: gold, predicted, correct"),
        ([(12, 10, 9)] * 3, FOLDS, r"has totals of shape \(3, 3\); give one row for each of 2 folds"),
        ([(12, 10, 9), (5, 4, 6)], FOLDS, "classifier 'a', repetition 1, fold 2 has 6 correct of 4 predicted"),
    ],
)
def test_what_are_no_totals_gets_one_sentence(totals: Any, folds: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.Counts.from_totals({"a": totals}, folds=folds)


def test_totals_hold_what_chunks_do_not_tell() -> None:
    hit, support, predicted = by_sentence().sum(axis=(2, 3))
    counts = op.Counts.from_totals({name: (support[k], predicted[k], hit[k]) for k, name in enumerate("ab")})
    assert not counts.paired
    r, s = op.compare(counts, rng=0), op.compare(counted(), model="unpaired", rng=0)
    np.testing.assert_array_equal(r.draws, s.draws)
    assert r.notes[0] == "The two systems are not paired: their counts do not show which items they share."
    with pytest.raises(
        ValueError, match=r"^units are resampled for all classifiers together, so the classifiers must share them$"
    ):
        op.compare(counts, model="bootstrap")


def test_weights_need_units_and_their_items() -> None:
    with pytest.raises(ImproperPriorError, match=r"^without units there is nothing to resample$"):
        op.BayesianBootstrap(prior="haldane").posterior(counted().empty())
    sentence = "^cluster= and strata= need items, which counts no longer distinguish; give the items$"
    for model in (op.BayesianBootstrap(cluster=[1, 2]), op.BayesianBootstrap(strata=[1, 2])):
        with pytest.raises(ValueError, match=sentence):
            model.posterior(counted())


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tagged")
    for name, tags in zip(("gold", "a", "b"), corpus(), strict=True):
        write(folder / f"{name}.conll", tags)
    return folder


def write(path: Path, *columns: Tags) -> str:
    """Write one token per line, a document of thirty sentences."""
    lines = []
    for i, sentence in enumerate(zip(*columns, strict=True)):
        lines += ["-DOCSTART- O", ""] if i % 30 == 0 and len(columns) == 1 else []
        lines += [f"w{i}.{j} {' '.join(tags)}" for j, tags in enumerate(zip(*sentence, strict=True))]
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def compared(folder: Path, *args: str, names: Sequence[str] = ("gold", "a", "b")) -> list[str]:
    return ["compare", *(str(folder / f"{name}.conll") for name in names), *args]


def run(folder: Path, *args: str, names: Sequence[str] = ("gold", "a", "b")) -> Result:
    return command.run(*compared(folder, *args, names=names))


def refused(folder: Path, *args: str, names: Sequence[str] = ("gold", "a", "b")) -> str:
    return command.refused(*compared(folder, *args, names=names))


def test_files_are_read_as_the_tags_they_hold(files: Path) -> None:
    paths = {name: str(files / f"{name}.conll") for name in ("gold", "a", "b")}
    read = op.read_chunks(paths["gold"], {"a": paths["a"], "b": paths["b"]})
    assert read.same_cells(counted())
    documents = op.read_chunks(paths["gold"], {"a": paths["a"]}, unit="document")
    assert documents.items == 4
    with pytest.raises(ValueError, match="unknown unit 'word'; known: chunk, document, sentence"):
        op.read_chunks(paths["gold"], {"a": paths["a"]}, unit="word")


def test_the_command_compares_tagged_files(files: Path) -> None:
    expected = answer()
    result = run(files, "--measure", "f1", "--unit", "sentence", "--rope", "0.01", "--format", "json")
    assert json.loads(result.stdout) == expected.to_dict()
    text = run(files, "--measure", "f1", "--unit", "sentence", "--rope", "0.01").stdout
    assert "micro f1" in text
    assert "bootstrap model" in text
    assert text.splitlines()[0] == "unresolved, leans towards a (a > b)"


@pytest.mark.parametrize(
    ("args", "settings", "asked"),
    [
        (["--unit", "chunk"], {"unit": "chunk"}, {}),
        (["--untyped"], {"typed": False}, {}),
        (["--labels", "ORG", "PER"], {"types": ["ORG", "PER"]}, {}),
        (["--strict", "--scheme", "IOB2"], {"scheme": "IOB2", "mode": "strict"}, {}),
        (["--average", "macro", "-m", "recall"], {}, {"average": "macro", "measure": "recall"}),
        (["--average", "samples"], {}, {"average": "samples"}),
        (["--model", "paired", "--prior", "jeffreys"], {}, {"model": op.Paired("jeffreys")}),
    ],
)
def test_the_command_takes_what_the_library_takes(
    files: Path, args: list[str], settings: dict[str, Any], asked: dict[str, Any]
) -> None:
    result = run(files, *args, "--draws", "300", "--format", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == op.compare(counted(**settings), rng=0, draws=300, **asked).to_dict()


def test_documents_begin_where_the_file_says(files: Path) -> None:
    answer = json.loads(run(files, "--unit", "document", "--draws", "300", "--format", "json").stdout)
    assert answer["items"] == 4
    documents = op.compare(counted(unit=[k // 30 for k in range(120)]), rng=0, draws=300)
    signed = documents.signature.replace(",given|", ",document|")
    assert answer == documents.to_dict() | {"signature": signed}


def test_a_tagger_that_is_worse_does_not_pass(files: Path) -> None:
    assert run(files, "--rope", "0.01", "--require", "better", names=("gold", "b", "a")).exit_code == 3
    assert run(files, "--rope", "0.3", "--require", "equivalent").exit_code == 0


def test_taggers_may_stand_side_by_side_in_one_file(files: Path) -> None:
    write(files / "all.conll", *corpus())
    columns = ["--truth", "1", "--predictions", "2", "3", "--draws", "300", "--format", "json"]
    answer = json.loads(run(files, *columns, names=("all",)).stdout)
    expected = op.compare(counted(), rng=0, draws=300)
    assert answer["delta"] == expected.to_dict()["delta"]
    assert "columns of a tagged file are numbers" in refused(files, "--truth", "gold", names=("all",))


def test_the_command_estimates_each_tagger(files: Path) -> None:
    paths = [str(files / f"{name}.conll") for name in ("gold", "a", "b")]
    result = CliRunner().invoke(main, ["estimate", *paths, "--draws", "300", "--format", "json"])
    rows = json.loads(result.stdout)
    r = op.compare(counted(), rng=0, draws=50)
    assert [row["name"] for row in rows] == ["a", "b"]
    assert [row["observed"] for row in rows] == [r.a.observed, r.b.observed]


BROKEN: list[tuple[Callable[[str], str], str]] = [
    (lambda text: text.replace("w0.0 ", "w0.0 x ", 1), "broken.conll, line 4: 2 columns where line 3 has 3"),
    (lambda text: text.replace(" B-PER", " Q-PER", 1), "'Q-PER' is not a tag of IOBES (B, I, E, S, O); correct it"),
    (lambda text: text[: text.index("w100.0")], "broken.conll has 100 sentences where "),
    (lambda text: text.replace("w5.0", "v5.0", 1), "the token 'v5.0' where "),
    (lambda text: text.replace("PER", "PRE"), "classifier 'broken' has chunks of type 'PRE', which the truth never"),
    (lambda text: "", "broken.conll is empty"),
    (lambda text: "\n".join(line.split(" ")[0] for line in text.split("\n")), "a single column; a token and its tag"),
]


@pytest.mark.parametrize(("spoil", "sentence"), BROKEN)
def test_broken_files_get_one_sentence_and_exit_code_2(files: Path, spoil: Callable[[str], str], sentence: str) -> None:
    text = (files / "a.conll").read_text(encoding="utf-8")
    (files / "broken.conll").write_text(spoil(text), encoding="utf-8")
    assert sentence in refused(files, names=("gold", "broken", "b"))


def test_ragged_columns_are_found_by_file_and_line(files: Path) -> None:
    lines = (files / "a.conll").read_text(encoding="utf-8").split("\n")
    place = lines.index(next(line for line in lines if line.startswith("w7.0")))
    lines[place] += " O"
    (files / "ragged.conll").write_text("\n".join(lines), encoding="utf-8")
    message = refused(files, names=("gold", "ragged", "b"))
    assert f"ragged.conll, line {place + 1}: 3 columns where line 3 has 2; every token needs the same" in message


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["-m", "accuracy"], "accuracy needs true negatives, which chunks do not have"),
        (["-m", "mcc"], "mcc needs true negatives"),
        (["--scheme", "IOB"], "unknown scheme 'IOB'; did you mean 'IOB"),
        (["--prior", "jeffreys"], "the bootstrap takes no prior; leave --prior out"),
        (["--id", "doc"], "--id has no use for tagged files; leave it out"),
        (["--confusion"], "--confusion has no use for tagged files; leave it out"),
        (["--untyped", "--average", "macro"], "--average macro needs types of chunk"),
    ],
)
def test_bad_usage_gets_one_sentence_and_exit_code_2(files: Path, args: list[str], sentence: str) -> None:
    assert sentence in refused(files, *args)


def test_one_tagger_is_not_compared(files: Path) -> None:
    assert "compare takes two classifiers, got 1: 'a'" in refused(files, names=("gold", "a"))
    assert "name the file of the true tags first, then those of the taggers" in refused(files, names=("gold",))
