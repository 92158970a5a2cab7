"""Options: what is typed on the command line and in the fields of the page is read by the same rules."""

from __future__ import annotations

import pickle
from dataclasses import fields
from typing import Any

import pytest

import outperform as op
from outperform.base.sentences import Sentence, Words, python, worded
from outperform.options import Options, command
from outperform.server.request import SETTINGS, Request
from outperform.server.words import page
from tests.command import refused

COUNTS = op.Counts.from_labels([1, 0] * 20, {"a": [1, 0] * 20, "b": [1, 1] * 20})


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("rope", "1%", 0.01),
        ("rope", "-0.01, 2%", (-0.01, 0.02)),
        ("prior", " jeffreys ", "jeffreys"),
        ("prior", "2", 2.0),
        ("mass", "0.9", 0.9),
        ("fdr", "0.05", 0.05),
        ("seed", "7", 7),
        ("draws", "100", 100),
        ("beta", "2", 2.0),
        ("zero_division", "1", 1.0),
        ("goal", "better", "better"),
        ("truth", None, None),
    ],
)
def test_what_is_typed_becomes_a_value(name: str, text: str | None, value: object) -> None:
    assert getattr(Options.of({name: text}), name) == value


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("mass", "much", "{} takes a number, got 'much'"),
        ("mass", "0,95", "{} takes a number, got '0,95'; write decimals with a point"),
        ("seed", "9" * 5000, "{} must be a whole number of at least 0, got '" + "9" * 56 + "…"),
        ("seed", "-1", "{} must be a whole number of at least 0, got '-1'"),
        ("seed", "1.5", "{} must be a whole number of at least 0, got '1.5'"),
        ("fdr", "2", "{} must lie between 0 and 1, got '2'"),
        ("rope", "wide", "{} takes a number, a percentage or LOW,HIGH, got 'wide'"),
    ],
)
def test_what_cannot_be_read_is_said_in_the_words_of_who_shows_it(name: str, text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}= ") as error:
        Options.of({name: text})
    for words in (python, command, page):
        assert worded(error.value, words) == sentence.format(words(name, ""))
    with pytest.raises(ValueError, match=f"^{name}= "):
        Request.of([(name, text)])
    assert sentence.format(f"--{name}") in refused("compare", "p.csv", f"--{name}", text)


def test_whole_numbers() -> None:
    assert "--draws takes a whole number, got '1e5'" in refused("compare", "p.csv", "--draws", "1e5")


def test_the_page_has_options_of_the_command() -> None:
    assert set(SETTINGS) <= {field.name for field in fields(Options)}
    assert "files" not in SETTINGS  # nothing is read by name


def test_options_that_were_typed() -> None:
    options = Options(prior=0.0, labels=("a",))
    assert options.given("prior", "labels", "truth", "mass") == ["prior", "labels"]
    with pytest.raises(ValueError, match=r"^prior= has no use for scores; leave it out$"):
        options.refuse(("truth", "prior"), "scores")
    assert hash(options) == hash(Options(prior=0.0, labels=("a",)))


@pytest.mark.parametrize(
    ("options", "model"),
    [
        (Options(), None),
        (Options(model="unpaired"), "unpaired"),
        (Options(prior=2.0), op.Paired(prior=2.0)),
        (Options(model="unpaired", prior="jeffreys"), op.Unpaired(prior="jeffreys")),
        (Options(model="nested", prior=2.0), "nested"),  # which the verbs refuse
        (Options(sampler="metropolis"), op.PyMC(op.Paired(), sampler="metropolis")),
    ],
)
def test_the_model_and_its_prior(options: Options, model: Any) -> None:
    assert options.of_counts(COUNTS)["model"] == model


def test_a_bootstrap_takes_no_prior() -> None:
    with pytest.raises(ValueError, match=r"^the bootstrap takes no prior; leave prior= out$"):
        Options(model="bootstrap", prior=0.0).of_counts(COUNTS)


def test_labels_are_what_the_data_have() -> None:
    assert Options(pos_label="1").of_counts(COUNTS)["pos_label"] == 1
    assert Options(pos_label="1.0").of_counts(COUNTS)["pos_label"] == 1
    assert Options(pos_label="2").of_counts(COUNTS)["pos_label"] == "2"


def test_a_sentence_names_arguments_in_the_words_of_who_shows_it() -> None:
    inner = Sentence("list every class with {labels}")
    sentence = Sentence("{what!r} and {average:{given}}: {inner}", what="{rope}", given="macro", inner=inner)
    assert str(sentence) == "'{rope}' and average=\"macro\": list every class with labels="
    assert sentence.worded(command) == "'{rope}' and --average macro: list every class with --labels"
    assert str(pickle.loads(pickle.dumps(ValueError(sentence)))) == str(sentence)
    assert repr(ValueError(sentence)) == f"ValueError({str(sentence)!r})"
    assert worded(ValueError("labels="), command) == "labels="  # another's sentence stays
    assert worded(ValueError(), command) == ""


@pytest.mark.parametrize("words", [command, page])
def test_advice_has_its_words(words: Words) -> None:
    for name in ("in_parts", "leave_out", "or_weights", "use_unpaired", "unpaired"):
        assert "op." not in words(name, "")
        assert "=" not in words(name, "")
