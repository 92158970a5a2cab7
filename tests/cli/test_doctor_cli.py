"""`outperform doctor`: what is in files, what can be asked of them, what is odd."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

import outperform as op
from tests.cli.test_guessing_cli import typed, written
from tests.cli.unprepared import UNPREPARED, labels, spam, table
from tests.command import refused, run

pytestmark = pytest.mark.usefixtures("few_draws")


def commands(text: str) -> list[str]:
    """The commands that it prints."""
    return [line.strip() for line in text.splitlines() if line.startswith("    ")]


def examined(*files: str) -> str:
    result = run("doctor", *files)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def test_the_example_is_as_it_should_be(tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        Path("preds.csv").write_text(op.datasets.example(), encoding="utf-8")
        text = examined("preds.csv")
        question = "preds.csv --truth gold --predictions svm nb --pos-label yes --rope 0.01"
        assert text.splitlines()[:5] == [
            "preds.csv: 7,532 rows, 4 columns",
            "  doc   -            all different",
            "  gold  truth        no (7,134), yes (398)",
            "  svm   predictions  no (7,168), yes (364)",
            "  nb    predictions  no (7,034), yes (498)",
        ]
        assert commands(text) == [f"outperform {verb} {question}" for verb in ("compare", "report", "plan")]
        assert text.splitlines()[-1].startswith("Nothing odd was found (truth gold; ")
        assert all(typed(line).exit_code == 0 for line in commands(text))


@pytest.mark.parametrize("name", UNPREPARED)
def test_files_that_nobody_prepared(name: str, tmp_path: Path) -> None:
    files = list(map(str, UNPREPARED[name].write(tmp_path)))
    text = examined(*files)
    asked = [line for line in commands(text) if " report " not in line and " plan " not in line]
    assert asked
    answer = typed(asked[0])
    assert answer.exit_code == 0, answer.output


def changed(**cells: dict[int, Any]) -> dict[str, list[Any]]:
    """Mails, with some cells changed."""
    columns = {"doc_id": [f"d{k}" for k in range(120)], "text": [f"text {k}" for k in range(120)], **spam()}
    for name, values in cells.items():
        for row, value in values.items():
            columns[name][row] = value
    return columns


def test_rows_of_several_lines_are_not_taken_apart(tmp_path: Path) -> None:
    columns = {name: [*values, values[5]] for name, values in changed(text={5: "two\nlines"}).items()}
    text = examined(written(tmp_path, table(columns)))
    assert "1 row is copied exactly. Keep one of each." in text
    assert "awk" not in text


@pytest.mark.parametrize(
    ("columns", "sentence", "command"),
    [
        (changed(doc_id={7: "d3"}), "In doc_id, 1 id is repeated, such as 'd3'.", "--cluster doc_id"),
        (
            {name: [*values, values[5]] for name, values in changed().items()},
            "1 row is copied exactly. Keep one of each:",
            "awk '!seen[$0]++' p.csv > unique-p.csv",
        ),
        (changed(svm={3: "Spam"}), "Labels differ only in case: 'Spam', 'spam'.", "--labels Spam ham spam"),
        (
            changed(gold={3: "ham;spam"}, svm={3: "ham;spam"}),
            "The label 'ham;spam' joins the labels 'ham', 'spam'. If it is a set of labels and no class of its own,",
            "--separator ';' --average macro",
        ),
        (changed(svm={3: "phish"}), "svm predicts 'phish', which the truth never has.", "--labels seen"),
        (changed(nb={3: ""}), "Labels are missing in nb (1). Drop such rows:", "--drop-missing"),
        (
            changed() | {"copy": changed(svm={3: "ham", 4: "ham"})["svm"]},
            "svm and copy differ on",
            "outperform plan p.csv --truth gold --predictions svm copy",
        ),
        (
            changed() | {"same": changed()["svm"]},
            "svm and same predict the same on all 120 items.",
            "--predictions svm nb",
        ),
        (changed() | {"leak": changed()["gold"]}, "leak is right on all 120 items.", "--predictions svm nb"),
        (
            changed() | {"gold": labels(["spam", "ham"], first=0.1)},
            "Some classes have fewer than 30 items: spam (",
            "outperform plan p.csv",
        ),
        (
            changed() | {"nb": ["ham"] * 120},
            "nb never predicts 'spam'. Look at its score for each class:",
            "outperform estimate p.csv --truth gold --predictions nb --average per_class",
        ),
        (
            changed() | {"prob_svm": ["1.5", *["0.25", "0.5", "0.75"] * 39, "0.1", "0.2"]},
            "In prob_svm, 1 value is not between 0 and 1, such as 1.5.",
            "outperform estimate p.csv --truth gold --predictions prob_svm --measure roc_auc --pos-label spam",
        ),
    ],
)
def test_what_is_odd(columns: dict[str, list[Any]], sentence: str, command: str, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        written(tmp_path, table(columns))
        text = examined("p.csv")
        odd = text.partition("\nOdd:\n")[2]
        assert sentence in " ".join(odd.split())
        found = [line for line in commands(odd) if command in line]
        assert found
        if command.startswith(("--", "outperform")):
            answer = typed(found[0])
            assert answer.exit_code == 0, answer.output


def test_commands_of_a_file_with_gaps_leave_them_out(tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        written(tmp_path, table(changed(nb={3: ""})))
        ready = commands(examined("p.csv"))
        assert len(ready) > 3
        assert all("--drop-missing" in line for line in ready)
        assert typed(ready[0]).exit_code == 0


@pytest.mark.parametrize("truth", [[], ["gold"]], ids=["scores", "probabilities"])
def test_rows_without_a_number_are_not_dropped_by_an_option(truth: list[str], tmp_path: Path) -> None:
    scores: dict[str, list[Any]] = {"id": [f"d{k}" for k in range(40)], "gold": [k % 2 for k in range(40)]}
    scores |= {name: [(k * step % 40) / 40 for k in range(40)] for name, step in (("svm", 7), ("nb", 11))}
    scores["nb"][3] = ""
    columns = {name: own for name, own in scores.items() if name != "gold" or truth}
    text = " ".join(examined(written(tmp_path, table(columns))).split())
    assert "Numbers are missing in nb (1). Fill them in, or remove these items for all systems" in text
    assert "--drop-missing" not in text


def test_a_file_of_one_row_is_counted_in_words(tmp_path: Path) -> None:
    text = examined(written(tmp_path, "gold,a,b\nx,x,y\n"))
    assert "1 row, 3 columns" in text
    assert "a is right on the only item." in text


def test_an_empty_set_of_labels_is_no_gap(tmp_path: Path) -> None:
    sets = ["art|law", "art", "law", "law|war", "war", "art|law|war", "art|war", ""] * 9
    columns = {"true_topics": [*sets[:-1], "art"], "a": sets, "b": sets[::-1]}
    assert "Labels are missing" not in examined(written(tmp_path, table(columns)))


def test_scores_are_not_held_against_a_column_of_text(tmp_path: Path) -> None:
    rows: dict[str, list[Any]] = {
        "judge": ["gpt"] * 60,
        "new": [k % 7 for k in range(60)],
        "old": [k % 5 for k in range(60)],
    }
    text = examined(written(tmp_path, table(rows)))
    assert "Nothing odd was found (scores per item new and old" in text


def test_tags_under_a_header_are_told_to_be_compared_one_by_one(tmp_path: Path) -> None:
    tags = [["B-PER", "I-PER", "O"][k % 3] for k in range(90)]
    columns = {
        "token": [f"w{k}" for k in range(90)],
        "gold": tags,
        "crf": [*tags[1:], "O"],
        "bert": [*tags[3:], "O", "O", "O"],
    }
    with contextlib.chdir(tmp_path):
        written(tmp_path, table(columns, "\t"), "ner.tsv")
        odd = examined("ner.tsv").partition("\nOdd:\n")[2]
        assert "Labels are tags of tokens, such as B-PER, and are compared token by token." in " ".join(odd.split())
        assert "tail -n +2 ner.tsv > ner.tsv.conll" in commands(odd)
        Path("ner.conll").write_text(Path("ner.tsv").read_text().partition("\n")[2])
        assert "Guessed: tagged tokens" in run("ner.conll").stderr


def test_spellings_are_told_in_one_sentence(tmp_path: Path) -> None:
    """And a class that is spelt otherwise is not told to be never predicted."""
    columns = changed() | {"nb": [label.title() for label in spam()["nb"]]}
    odd = " ".join(examined(written(tmp_path, table(columns))).partition("\nOdd:\n")[2].split())
    assert "Labels differ only in case: 'Ham', 'ham'; 'Spam', 'spam'. Write them alike" in odd
    assert odd.count("differ only") == odd.count("--labels") == 1
    assert "never predicts" not in odd
    columns["svm"][0], columns["svm"][1] = "SPAM", " ham"
    odd = " ".join(examined(written(tmp_path, table(columns))).partition("\nOdd:\n")[2].split())
    assert "Labels differ only in case and spaces: ' ham', 'Ham', 'ham'; 'SPAM', 'Spam', 'spam'." in odd


def test_a_slice_is_offered(tmp_path: Path) -> None:
    path = written(tmp_path, table(spam() | {"lang": ["de", "en"] * 60}))
    assert f"outperform compare {path} --truth gold --predictions svm nb --by lang --pos-label spam" in examined(path)


def test_what_is_to_be_decided(tmp_path: Path) -> None:
    path = UNPREPARED["nothing names the truth"].write(tmp_path)[0]
    text = " ".join(examined(str(path)).split())
    assert "To be decided:" in text
    assert "does not say which column is the truth; if it is rater: this is assumed below." in text


def test_nothing_can_be_asked(tmp_path: Path) -> None:
    text = examined(written(tmp_path, "gold,words\nyes,a\nno,b\n"))
    assert "Nothing can be asked yet:" in text
    assert "nothing predicts gold;" in " ".join(text.split())


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert refused("doctor", "nowhere.csv").endswith("cannot read nowhere.csv: No such file or directory")
    assert "is empty" in refused("doctor", written(tmp_path, ""))
    assert "Missing argument 'FILES...'" in refused("doctor")


def test_a_command_in_a_refusal_is_on_a_line_of_its_own(tmp_path: Path) -> None:
    names = [f"{system}_{label}" for label in ("cat", "dog") for system in ("true", "a", "b")]
    rows = "".join(",".join(str((k * j) % 7 % 2) for j in range(1, 7)) + "\n" for k in range(40))
    (tmp_path / "pets.csv").write_text(f"{','.join(names)}\n{rows}")
    *_, advice, line = run("doctor", str(tmp_path / "pets.csv")).stdout.splitlines()
    assert advice.endswith("run:")
    assert line.split()[-5:] == ["--truth", "true_cat", "--predictions", "a_cat", "b_cat"]


def test_numbers_are_not_held_against_each_other_as_labels(tmp_path: Path) -> None:
    rows = "".join(f"{100 + k},{101 + k * 2},{99 + k * 3}\n" for k in range(40))
    (tmp_path / "demand.csv").write_text(f"demand,pred_a,pred_b\n{rows}")
    said = run("doctor", str(tmp_path / "demand.csv")).stdout
    assert "--measure mae" in said
    assert "Nothing odd was found" in said


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("systems", [1, 2, 3])
def test_saved_counts(systems: int, classes: int, tmp_path: Path) -> None:
    names, labels_ = "xyz"[:systems], ["no", "yes", "maybe"][:classes]
    rows = [[10 * (i == j) + i + j + 1 for j in range(classes)] for i in range(classes)]
    for name in names:
        lines = [f"{label},{','.join(map(str, row))}" for label, row in zip(labels_, rows, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"-,{','.join(labels_)}", *lines]))
    saved = str(tmp_path / "saved.json")
    assert run("count", *(str(tmp_path / f"{name}.csv") for name in names), "--confusion", "-o", saved).exit_code == 0
    text = examined(saved)
    assert text.startswith(f"{saved}: saved counts of {' and '.join(names) if systems < 3 else 'x, y and z'}, labels ")
    with contextlib.chdir(tmp_path):
        for line in commands(text):
            few = " --studies 40" if " plan " in line else ""  # which takes seconds by default
            assert typed(line + few).exit_code == 0
    alone = run(saved, *(["--pos-label", "yes"] if classes == 2 else ["--average", "macro"]))  # without a command
    assert alone.exit_code == 0
    assert ("comes first" in alone.stdout) == (systems == 3)
