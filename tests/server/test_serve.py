"""The page: a real server, a real browser, and what neither of them may do."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import http.client
import io
import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pyarrow
import pyarrow.parquet
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from starlette.requests import Request as Received

import outperform as op
from outperform.base.sentences import worded
from outperform.io.mistaken import no_header
from outperform.measures.averages import AVERAGES
from outperform.models import MODELS
from outperform.models.priors import PRIORS
from outperform.options import Options
from outperform.server import reading
from outperform.server.answer import FORMATS, Answers, Data
from outperform.server.app import Desk
from outperform.server.byte_cache import ByteCache
from outperform.server.guard import HEADERS, is_loopback, own_names
from outperform.server.limits import Limits
from outperform.server.request import Request
from outperform.server.words import LESS
from outperform.server.words import page as words
from outperform.server.worker import respond
from outperform.verdicts.goals import GOALS
from tests.command import refused, run
from tests.conftest import PATIENCE, still, watched

LIMIT = 4  # MB
BINARY = {"Content-Type": "application/octet-stream"}
COMMAND = [sys.executable, "-c", "from outperform.cli import main; main()", "serve", "--port", "0"]
EXAMPLE = op.datasets.newsgroups_path().read_bytes()
ASKED = [("truth", "true"), ("predictions", "svm_l2"), ("predictions", "nb_bern"), ("pos_label", "8"), ("rope", "0.05")]


@dataclass(frozen=True)
class Server:
    """One that runs."""

    process: subprocess.Popen[str]
    address: str

    def send(self, path: str, body: Any = None, headers: dict[str, str] | None = None) -> tuple[int, bytes, Any]:
        """Status, body and headers of the answer; a POST where there is a body."""
        connection = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=PATIENCE)
        try:
            method, own = ("GET", {}) if body is None else ("POST", BINARY)
            connection.request(method, path, body, own | (headers or {}))
            response = connection.getresponse()
            return response.status, response.read(), response.headers
        finally:
            connection.close()

    def memory(self, what: str) -> float:
        """MB that the process holds (VmRSS), or has held at most (VmHWM)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        found = re.search(rf"{what}:\s+(\d+) kB", status)
        assert found
        return int(found[1]) / 1000


def started(*options: str) -> Server:
    process = subprocess.Popen([*COMMAND, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    printed = process.stdout.readline()
    found = re.search(r"http://\S+", printed)
    assert found, printed
    return Server(process, found[0])


def ended(server: Server) -> tuple[int, str]:
    """How it ends by Ctrl-C: exit code, and what it said on standard error."""
    server.process.send_signal(signal.SIGINT)
    _, said = server.process.communicate(timeout=PATIENCE)
    return server.process.returncode, said


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    """A server that ends in peace, or at least ends."""
    running = started(*options)
    try:
        yield running
        assert ended(running) == (0, "")
    finally:
        running.process.kill()
        running.process.communicate()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("--limit", str(LIMIT)) as running:
        yield running


@pytest.fixture(scope="module")
def spam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose columns no name explains: a classifier, the truth, another classifier."""
    path = tmp_path_factory.mktemp("data") / "odd names.csv"
    outcomes = {"sss": 40, "ssh": 10, "hss": 4, "hsh": 6, "hhh": 110, "hhs": 7, "shh": 3}
    word = {"s": "spam", "h": '"ham, and eggs"'}
    rows = [",".join(map(word.__getitem__, outcome)) + "\n" for outcome, n in outcomes.items() for _ in range(n)]
    path.write_text("".join(["x 1,so it is,50%\n", *rows]), encoding="utf-8")
    return path


def settled(page: Any) -> str:
    """The line that is shown when nothing is under way any more."""
    page.wait_for_selector("#answer[aria-busy=false]")
    return str(page.inner_text("#line" if page.is_visible("#line") else "#error"))


def opened(page: Any, server: Server) -> str:
    page.goto(server.address)
    return settled(page)


def upload(page: Any, name: str, raw: bytes) -> str:
    page.set_input_files("#file", {"name": name, "mimeType": "text/csv", "buffer": raw})
    return settled(page)


def downloaded(page: Any, format: str) -> str:
    with page.expect_download() as waiting:
        page.click(f"[data-format={format}]")
    return Path(waiting.value.path()).read_text(encoding="utf-8")


@cache
def counted(*names: str) -> op.Counts:
    return op.read_counts(op.datasets.newsgroups_path(), truth="true", predictions=list(names), id="doc_id")


def example(**settings: Any) -> Any:
    return op.compare(counted("svm_l2", "nb_bern"), **{"pos_label": 8, "rope": 0.05, "rng": 0} | settings)


@pytest.fixture(scope="module")
def first(window: Any, server: Server) -> Iterator[Any]:
    """The page as it comes, for tests that only look at it."""
    with watched(window) as (page, errors):
        opened(page, server)
        yield page
    assert not errors


# The page in a browser.


def test_first_open_shows_the_example(first: Any) -> None:
    assert settled(first) == str(example())
    report = first.frame_locator("#report iframe")
    assert report.get_by_text("svm_l2 is better than nb_bern").first.is_visible()
    assert first.locator("#report iframe").count() == 1


def test_a_wrong_guess_is_corrected(page: Any, server: Server, spam: Path) -> None:
    opened(page, server)
    wrong = op.read_counts(spam, truth="x 1", predictions=["so it is", "50%"])
    right = op.read_counts(spam, truth="so it is", predictions=["x 1", "50%"])
    assert upload(page, spam.name, spam.read_bytes()) == str(op.compare(wrong, pos_label="spam", rng=0))
    page.select_option("[name=truth]", "so it is")
    r = op.compare(right, pos_label="spam", rng=0)
    assert settled(page) == str(r)
    assert page.input_value("[name=a]") == "x 1"  # it changed places with the truth
    assert json.loads(downloaded(page, "json")) == r.to_dict()


def test_the_rope_and_the_mass_are_live(page: Any, server: Server) -> None:
    opened(page, server)
    page.fill("[name=rope]", "0.2")
    assert settled(page) == str(example(rope=0.2))
    page.fill("[name=mass]", "0.8")
    page.click("summary >> nth=0")
    page.fill("[name=rope_low]", "-0.01")
    assert settled(page) == str(example(rope=(-0.01, 0.2), mass=0.8))
    page.fill("[name=rope_low]", "")
    page.fill("[name=rope]", "")
    assert settled(page) == str(example(rope=None, mass=0.8))


def test_there_is_one_rope(page: Any, server: Server) -> None:
    """A field moves the handles before the server answers; a handle moves the field, and keeps the focus."""
    opened(page, server)
    page.fill("[name=rope]", "0.12")
    assert page.get_attribute("#answer", "aria-busy") == "true"
    assert page.inner_text("#doing") == "Comparing svm_l2 and nb_bern by binary f1 …"
    settled(page)
    report = page.frames[-1]
    assert report.locator(".op-sure").inner_text().startswith("Margin (ROPE) ±0.12: ")
    assert not report.locator(".op-controls").is_visible()
    handle = report.locator(".op-handle").nth(1)
    handle.press("ArrowRight")
    rope = expect(page.locator("[name=rope]"))  # wait_for_function would evaluate text, which the page forbids
    rope.to_have_value("0.121", timeout=1000 * PATIENCE)
    assert settled(page) == str(example(rope=0.121))
    handle.press("ArrowLeft", timeout=1000 * PATIENCE)  # the frame is still the same
    rope.to_have_value("0.12", timeout=1000 * PATIENCE)
    assert settled(page) == str(example(rope=0.12))


def test_what_is_computed_is_said_in_the_next_frame(page: Any, server: Server) -> None:
    opened(page, server)
    seen = """([selector, value]) => new Promise((resolve) => {
      const field = document.querySelector(selector);
      if (value === null) field.click();
      else {
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
      requestAnimationFrame(() => {
        const doing = document.getElementById('doing');
        resolve([doing.checkVisibility({ visibilityProperty: true }), doing.innerText]);
      });
    })"""
    for selector, value, told in (
        ("[name=measure]", "recall", "Comparing svm_l2 and nb_bern by binary recall …"),
        ("[name=rope]", "0.1", "Comparing svm_l2 and nb_bern by binary recall …"),
        ("[data-format=html]", None, "Writing outperform.html …"),
        ("[value=outcomes]", None, "Comparing A and B by recall …"),
    ):
        assert page.evaluate(seen, [selector, value]) == [True, told]
        settled(page)


def test_only_the_example_comes_with_a_rope(page: Any, server: Server) -> None:
    opened(page, server)
    assert upload(page, "p.csv", ROWS.encode()) == str(answer(ROWS, **TWO))
    page.click("summary >> nth=0")
    page.fill("[name=rope_low]", "-0.1")
    assert settled(page) == "a ROPE with a lower end needs an upper one: type it in the field ROPE"
    page.fill("[name=rope_low]", "")
    page.fill("[name=rope]", "0.02")
    assert settled(page) == str(answer(ROWS, rope=0.02, **TWO))
    assert upload(page, "q.csv", ROWS.encode()) == str(answer(ROWS, rope=0.02, **TWO))  # it is the user's now


def test_downloads_are_what_python_writes(first: Any) -> None:
    r = example()
    for format in FORMATS:
        assert downloaded(first, format) == getattr(r, f"to_{format}")()


def test_the_command_that_is_shown_gives_the_same(
    page: Any, server: Server, spam: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(spam.parent)
    opened(page, server)
    upload(page, spam.name, spam.read_bytes())
    page.click("summary >> nth=0")
    page.fill("[name=prior]", "0.5")
    page.fill("[name=rope_low]", "-0.02")
    page.fill("[name=rope]", "0.05")
    page.select_option("[name=model]", "unpaired")
    settled(page)
    words = shlex.split(page.text_content("#command"))
    assert run(*words[1:], "--format", "json").stdout.strip() == downloaded(page, "json")


def test_more_classifiers_are_ranked(page: Any, server: Server) -> None:
    opened(page, server)
    page.check("#others input >> nth=0")
    counts = counted("svm_l2", "nb_bern", "nb_mult")
    assert settled(page) == str(op.rank(counts, pos_label=8, rope=0.05, rng=0))


@pytest.fixture(scope="module")
def animals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three classes and three classifiers, of which a is better than b where the truth is a cat or a dog."""
    path = tmp_path_factory.mktemp("data") / "animals.csv"
    outcomes = {"cat,cat,cat,cat": 50, "cat,cat,dog,cat": 14, "dog,dog,dog,dog": 50, "dog,dog,cat,cat": 9}
    outcomes |= {"cow,cow,cow,cow": 60, "cow,cat,cow,cow": 6, "cow,cow,dog,cow": 7, "cat,dog,cat,dog": 3}
    rows = [f"{outcome}\n" for outcome, n in outcomes.items() for _ in range(n)]
    path.write_text("".join(["y,a,b,c\n", *rows]), encoding="utf-8")
    return path


def test_verdicts_on_several_classes_and_on_several_classifiers(page: Any, server: Server, animals: Path) -> None:
    """Each of them is answered by its own verb; an FDR goes with both, and with nothing else."""
    opened(page, server)
    upload(page, animals.name, animals.read_bytes())
    page.uncheck("#others input")
    page.click("summary >> nth=0")
    assert page.is_disabled("[name=fdr]")
    page.select_option("[name=average]", "per_class")
    page.fill("[name=rope]", "0.03")
    page.fill("[name=fdr]", "0.01")
    assert settled(page) == "3 classes, a comparison for each"
    assert page.is_disabled("[name=pos_label]")
    assert page.frame_locator("#report iframe").get_by_role("table").first.is_visible()
    two = op.read_counts(animals, truth="y", predictions=["a", "b"])
    drawn = op.compare(two, average="per_class", rope=0.03, fdr=0.01, rng=0)
    assert json.loads(downloaded(page, "json")) == drawn.to_dict()
    assert drawn.to_dict() != replace(drawn, fdr=None).with_rope(0.03).to_dict()
    page.select_option("[name=average]", "binary")
    page.select_option("[name=pos_label]", "dog")
    assert settled(page) == str(op.compare(two, pos_label="dog", rope=0.03, rng=0))  # nothing of one is withheld
    page.check("#others input")
    settled(page)
    three = op.read_counts(animals, truth="y", predictions=["a", "b", "c"])
    ranked = op.rank(three, pos_label="dog", rope=0.03, fdr=0.01, rng=0)
    assert json.loads(downloaded(page, "json")) == ranked.to_dict()
    assert "--fdr 0.01" in page.text_content("#command")
    page.fill("[name=rope]", "")
    assert page.is_disabled("[name=fdr]")
    page.check("[value=plan]")
    assert page.is_disabled("[name=fdr]")


def test_planning(page: Any, server: Server) -> None:
    opened(page, server)
    page.fill("[name=rope]", "0.1")
    page.check("[value=plan]")
    counts = counted("svm_l2", "nb_bern")
    asked: dict[str, Any] = {"pos_label": 8, "rope": 0.1, "rng": 0, "progress": False}
    assert settled(page) == str(op.plan(counts, **asked))
    page.select_option("[name=goal]", "better")
    page.fill("[name=power]", "0.9")
    assert settled(page) == str(op.plan(counts, "better", power=0.9, **asked))
    page.fill("[name=width]", "0.05")
    assert settled(page) == str(op.plan(counts, width=0.05, power=0.9, **asked))


def test_confusion_tables_are_typed(page: Any, server: Server) -> None:
    opened(page, server)
    page.check("[value=confusion]")
    page.fill("[name=table_a]", "\tcat\tdog\tbird\ncat\t50\t3\t2\ndog\t4\t40\t6\nbird\t1\t2\t30")
    page.fill("[name=table_b]", "44, 6, 5\n7, 36, 7\n3, 4, 26")
    a, b = [[50, 3, 2], [4, 40, 6], [1, 2, 30]], [[44, 6, 5], [7, 36, 7], [3, 4, 26]]
    asked: dict[str, Any] = {"names": ("A", "B"), "labels": ["cat", "dog", "bird"], "rng": 0}
    assert settled(page) == str(op.compare_confusion(a, b, average="macro", **asked))
    page.select_option("[name=measure]", "accuracy")
    assert settled(page).startswith("A vs B   Δaccuracy = ")
    assert page.input_value("[name=average]") == ""  # it has a form of its own for many classes
    page.select_option("[name=measure]", "recall")
    assert settled(page).startswith("A vs B   Δmacro recall = ")
    page.select_option("[name=measure]", "f1")
    page.select_option("[name=average]", "binary")
    page.select_option("[name=pos_label]", "dog")
    assert settled(page) == str(op.compare_confusion(a, b, pos_label="dog", **asked))


def test_eight_numbers_are_typed(page: Any, server: Server) -> None:
    opened(page, server)
    page.check("[value=outcomes]")
    page.fill("[name=outcomes_a]", "new")
    for label, number in {"positive items, A yes, B no": "31", "negative items, both no": "100"}.items():
        page.get_by_label(label).fill(number)
    n = {(1, 1, 1): 60, (1, 1, 0): 31, (1, 0, 1): 8, (1, 0, 0): 12}
    n |= {(0, 1, 1): 5, (0, 1, 0): 4, (0, 0, 1): 9, (0, 0, 0): 100}
    y, new, b = zip(*(outcome for outcome, often in n.items() for _ in range(often)), strict=True)
    assert settled(page) == str(op.compare(y, {"new": new, "B": b}, rng=0))
    page.check("[value=file]")
    assert settled(page) == str(example())  # every source keeps its own settings


def test_scores_are_taken_for_scores(page: Any, server: Server) -> None:
    rows = [(k % 2, (k * 7 % 10) / 10 + 0.15 * (k % 2), (k * 3 % 10) / 10 + 0.35 * (k % 2)) for k in range(60)]
    raw = "y,one,two\n" + "".join(f"{y},{a:.3f},{b:.3f}\n" for y, a, b in rows)
    opened(page, server)
    y, one, two = zip(*((y, float(f"{a:.3f}"), float(f"{b:.3f}")) for y, a, b in rows), strict=True)
    expected = op.compare(list(y), {"one": list(one), "two": list(two)}, measure="roc_auc", rng=0)
    assert upload(page, "scores.csv", raw.encode()) == str(expected)


BAD = {
    "ragged.csv": (b"y,a,b\n1,1,1\n1,0\n", "ragged.csv, line 3 has 2 values; the header has 3"),
    "empty.csv": (b"", "empty.csv is empty; a header and at least one row are expected"),
    "head.csv": (b"y,a,b\n", "head.csv has a header but no rows"),
    "p.csv": (b"\x89PNG\0\0\0", "p.csv is not text (it starts with b'\\x89PNG'); give CSV, TSV or JSON lines"),
    "p.jsonl": (b'{"y": 1}\n{', "p.jsonl, line 2: not JSON (Expecting property name enclosed in double quotes)"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_its_sentence(name: str) -> None:
    raw, told = BAD[name]
    reply = respond(Answers(), "/columns", [("name", name)], raw)
    assert (reply.status, json.loads(reply.body)) == (422, {"error": told})


PEOPLE = [("Müller", "Müller", "Öhm"), ("Öhm", "Öhm", "Öhm"), ("Öhm", "Müller", "Öhm")] * 12
ODD = {
    "windows.csv": ("y,a,b\n" + "".join(f"{','.join(row)}\n" for row in PEOPLE)).encode("cp1252"),
    "list.json": json.dumps([dict(zip("yab", row, strict=True)) for row in PEOPLE]).encode(),
    "bare.csv": "".join(f"{','.join(row)}\n" for row in PEOPLE).encode(),
}


@pytest.mark.parametrize(("name", "how"), [*zip(ODD, ("Windows-1252 text", "a JSON list", "no header"), strict=True)])
def test_what_the_command_reads_through_a_pipe_the_page_reads(
    page: Any, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, how: str
) -> None:
    opened(page, server)
    truth, a, b = zip(*PEOPLE, strict=True)
    names = ("A", "B") if name == "bare.csv" else ("a", "b")
    expected = op.compare(truth, dict(zip(names, (a, b), strict=True)), pos_label="Müller", rng=0)
    assert upload(page, name, ODD[name]) == str(expected)
    assert page.inner_text("#held") == f"{name}: 36 rows; {how}; columns are guessed"
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(ODD[name])
    pipe, _, command = page.text_content("#command").partition(" | outperform ")
    if shutil.which(pipe.strip("(").split()[0]):  # jq may be missing
        piped = subprocess.run(["bash", "-c", pipe], capture_output=True, check=True).stdout.decode()
        answered = run(*shlex.split(command), "--format", "json", stdin=piped).stdout
        assert json.loads(answered) == expected.to_dict()


SCORED = {
    "bleu.csv": "item,bleu_a,bleu_b\n" + "".join(f"{k},{k % 7 + k % 3 / 2},{k % 7 + k % 2 / 4}\n" for k in range(60)),
    "wer.csv": "utt_id,speaker,wer_a,wer_b,wer_c\n"
    + "".join(f"u{k},s{k % 20},{k % 7 / 10},{k % 5 / 10},{k % 3 / 5}\n" for k in range(60)),
}


@pytest.mark.parametrize("name", SCORED)
def test_scores_without_a_truth_are_compared_as_by_the_command(
    page: Any, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Of losses lower ones are better, and clusters are found, as the command finds them."""
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(SCORED[name], encoding="utf-8")
    opened(page, server)
    upload(page, name, SCORED[name].encode())
    guessed = run(name, "--format", "json").stdout.strip()
    assert downloaded(page, "json") == guessed
    assert not page.is_visible("[name=measure]")
    words = shlex.split(page.text_content("#command"))
    assert run(*words[1:], "--format", "json").stdout.strip() == guessed
    assert page.is_checked("[name=lower_is_better]") == (name == "wer.csv")
    page.set_checked("[name=lower_is_better]", name != "wer.csv")
    page.fill("[name=rope]", "0.1")
    settled(page)
    words = shlex.split(page.text_content("#command"))
    assert run(*words[1:], "--format", "json").stdout.strip() == downloaded(page, "json") != guessed
    page.check("[value=plan]")
    assert settled(page).startswith("scores are not simulated; the verdict says about how many more items")
    page.check("[value=compare]")
    upload(page, "p.csv", ROWS.encode())
    assert page.is_visible("[name=measure]")
    page.select_option("[name=truth]", "")  # right and wrong are scores too
    assert settled(page) == str(answer(ROWS, scores=("a", "b"), rope=0.1))


LABELLED = {
    "labels.csv": "doc,gold,a,b\n"
    + "".join(f"d{k // 6},{'xyz'[k % 3]},{'xyz'[k % 7 % 3]},{'xyz'[k % 5 % 3]}\n" for k in range(180)),
    "sets.csv": "doc,gold,a,b\n"
    + "".join(
        f"d{k // 6},{'x;' * (k % 3 > 0)}{'yz'[k % 2]},{'x;' * (k % 3 > 1)}y,{'x;' * (k % 5 > 1)}z\n" for k in range(180)
    ),
}


@pytest.mark.parametrize("name", LABELLED)
def test_clustered_labels_are_compared_as_by_the_command(
    page: Any, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(LABELLED[name], encoding="utf-8")
    opened(page, server)
    upload(page, name, LABELLED[name].encode())
    guessed = run(name, "--rope", "0.01", "--format", "json").stdout.strip()
    assert "clusters:30" in guessed
    page.fill("[name=rope]", "0.01")
    settled(page)
    assert json.loads(downloaded(page, "json")) == json.loads(guessed)
    words = shlex.split(page.text_content("#command"))
    assert words[words.index("--cluster") + 1] == "doc"
    page.check("[value=plan]")
    assert settled(page).startswith("the items are clustered by doc, and how many more are needed is simulated")


def test_without_a_margin_the_page_names_its_field(page: Any, server: Server) -> None:
    opened(page, server)
    page.fill("[name=rope]", "")
    settled(page)
    said = page.frame_locator("#report iframe").locator(".op-next").inner_text()
    assert said == "Choose a margin: the smallest difference that matters to you, in the field ROPE."


def test_scores_of_folds_are_not_for_the_page() -> None:
    raw = b"fold,a,b\n" + b"".join(b"%d,0.%d,0.7\n" % (k, 70 + k) for k in range(10))
    reply = respond(Answers(), "/columns", [("name", "f.csv")], raw)
    assert json.loads(reply.body)["error"] == (
        "f.csv has scores by fold; if each is of the test items of a fold of one cross-validation, use the command or "
        "Python: the page compares item by item"
    )


LOGS = Path(__file__).parent.parent / "files" / "logs"
OTHERS = {
    "samples_own_parity_2026-11-17T00-12-21.872460.jsonl": (LOGS / "lm_eval_own_tasks" / "one", "a log of lm-eval"),
    "2026-11-16T04-00-48-00-00_reduced_VdFmWyQH9J7WvGWvHc9Z7k.eval": (LOGS / "reduced_pass_at_2", "a log of inspect"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_logs_of_one_system(name: str) -> None:
    folder, what = OTHERS[name]
    reply = respond(Answers(), "/columns", [("name", name)], (folder / name).read_bytes())
    told = json.loads(reply.body)["error"]
    assert told == f"{name} is {what}, of one system; choose the logs of two systems together"


def logged(model: str, right: int, *, metrics: Sequence[str] = ("acc",), filters: Sequence[str] = ("none",)) -> bytes:
    """A log of lm-eval, in which so many of 60 answers are right."""
    rows = [
        {"doc_id": k, "doc": {"q": k}, "resps": [[model]], "filter": own, "metrics": list(metrics)}
        | dict.fromkeys(metrics, float(k < right))
        for own in filters
        for k in range(60)
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def inspected(model: str, right: int, scorers: Sequence[str] = ("match",)) -> bytes:
    """A log of Inspect, likewise; of each further scorer ten more are right."""
    scores = [
        {
            "id": k,
            "epoch": 1,
            "scores": {name: {"value": "CI"[k >= right + 10 * place]} for place, name in enumerate(scorers)},
        }
        for k in range(60)
    ]
    about = {"version": 2, "status": "success", "eval": {"task": "sums", "model": model}}
    return json.dumps(about | {"samples": scores}).encode()


def packed(model: str, right: int, scorers: Sequence[str] = ("match",)) -> bytes:
    """The same, packed as Inspect packs it."""
    whole = json.loads(inspected(model, right, scorers))
    samples, raw = whole.pop("samples"), io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(whole))
        archive.writestr("summaries.json", json.dumps(samples))
    return raw.getvalue()


@pytest.mark.parametrize(("make", "ending"), [(logged, "jsonl"), (inspected, "json"), (packed, "eval")])
def test_the_logs_of_two_systems_are_compared_as_by_the_command(
    page: Any, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Any, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {f"{name}.{ending}": make(name, right) for name, right in (("new", 50), ("old", 40))}
    for name, raw in files.items():
        Path(name).write_bytes(raw)
    opened(page, server)
    page.set_input_files("#file", list(files))
    settled(page)
    guessed = run(*files, "--format", "json").stdout.strip()
    assert downloaded(page, "json") == guessed
    assert f"60 rows; 2 logs of {'lm-eval' if make is logged else 'inspect'}, scored by " in page.inner_text("#held")
    page.select_option("[name=a]", "old")
    page.fill("[name=rope]", "0.02")
    settled(page)
    words = shlex.split(page.text_content("#command"))
    assert words[2:4] == [f"old.{ending}", f"new.{ending}"]
    assert run(*words[1:], "--format", "json").stdout.strip() == downloaded(page, "json") != guessed


def several(files: dict[str, bytes], path: str = "/columns", limits: Limits | None = None, **asked: Any) -> Any:
    """What is answered to files that are sent one after the other."""
    about = [pair for name, raw in files.items() for pair in (("name", name), ("size", str(len(raw))))]
    reply = respond(Answers(limits or Limits()), path, [*about, *asked.items()], b"".join(files.values()))
    return json.loads(reply.body)


def test_logs_of_several_metrics_and_filters_offer_a_choice() -> None:
    both: dict[str, Any] = {"metrics": ("acc", "em"), "filters": ("strict", "loose")}
    files = {"a.jsonl": logged("a", 50, **both), "b.jsonl": logged("b", 40, **both)}
    known = {"filter": ["strict", "loose"], "metric": ["acc", "em"]}
    first = several(files)["choices"]
    assert first == {what: {"known": names, "chosen": names[0]} for what, names in known.items()}
    other = several(files, filter="loose", metric="gone")["choices"]  # which the other filter may lack
    assert {what: choice["chosen"] for what, choice in other.items()} == {"filter": "loose", "metric": "acc"}
    query = [("scores", "a"), ("scores", "b"), ("filter", "loose")]
    about = [pair for name, raw in files.items() for pair in (("name", name), ("size", str(len(raw))))]

    def told(*further: tuple[str, str]) -> str:
        reply = respond(Answers(), "/answer/compare", [*about, *query, *further], b"".join(files.values()))
        return str(json.loads(reply.body)["error"])

    assert told() == "a.jsonl has more than one metric: 'acc', 'em'; choose one with the field Metric"
    assert told(("metric", "gone")).startswith("a.jsonl has no metric 'gone'; it has 'acc', 'em'")
    assert told(("metric", "acc"), ("metric", "em")) == "the field Metric names 'acc', 'em'; name one"
    assert sentence(ROWS, **TWO, metric=("acc",)) == "the field Metric has no use for tables; leave it out"


@pytest.mark.parametrize(
    ("make", "kind", "metrics"),
    [
        (lambda name, right: logged(name, right, metrics=("acc", "acc_norm")), "lm-eval", ["acc", "acc_norm"]),
        (lambda name, right: packed(name, right, ("match", "judge")), "inspect", ["match", "judge"]),
    ],
)
def test_another_metric_is_chosen_on_the_page(
    page: Any,
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Any,
    kind: str,
    metrics: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        f"{name}.{'jsonl' if kind == 'lm-eval' else 'eval'}": make(name, n) for name, n in (("new", 45), ("old", 40))
    }
    for name, raw in files.items():
        Path(name).write_bytes(raw)
    opened(page, server)
    assert not page.is_visible("[name=metric]")
    page.set_input_files("#file", list(files))
    settled(page)
    assert page.locator("[name=metric] option").all_inner_texts() == metrics
    assert not page.is_visible("[name=filter]")
    page.select_option("[name=a]", "old")
    settled(page)
    page.select_option("[name=metric]", metrics[1])
    assert settled(page).startswith("old vs new")
    assert f"scored by {metrics[1]}" in page.inner_text("#held")
    words = shlex.split(page.text_content("#command"))
    assert words[-2:] == ["--metric", metrics[1]]
    assert run(*words[1:], "--format", "json").stdout.strip() == downloaded(page, "json")
    upload(page, "good.csv", ROWS.encode())
    assert not page.is_visible("[name=metric]")


def test_the_systems_of_promptfoo_are_compared_as_by_the_command(
    page: Any, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    raw = (LOGS / "promptfoo.json").read_bytes()
    Path("results.json").write_bytes(raw)
    opened(page, server)
    page.set_input_files("#file", "results.json")
    settled(page)
    known = page.locator("[name=metric] option").all_inner_texts()
    assert known[:2] == ["success", "score"]
    for metric in known[:2]:
        page.select_option("[name=metric]", metric)
        settled(page)
        words = shlex.split(page.text_content("#command"))
        assert words[:3] == ["outperform", "compare", "results.json"]
        assert run(*words[1:], "--format", "json").stdout.strip() == downloaded(page, "json")
    rows = json.loads(raw)["results"]["results"]
    one = {"results": {"results": [row for row in rows if row["promptIdx"] == rows[0]["promptIdx"]]}}
    reply = respond(Answers(), "/columns", [("name", "p.json")], json.dumps(one).encode())
    assert "p.json is a log of promptfoo, of one system; choose logs of two" in json.loads(reply.body)["error"]
    asked = [("name", "p.json"), ("truth", "a"), ("predictions", "b"), ("predictions", "c")]
    for further in ([], [("measure", "roc_auc")]):
        reply = respond(Answers(), "/answer/compare", [*asked, *further], raw)
        assert json.loads(reply.body)["error"].startswith("logs hold scores, without true labels")


def test_real_packed_logs_are_read_as_by_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are packed with zstd, and have reduced scores."""
    paths = sorted((LOGS / "reduced_pass_at_2").glob("*.eval"))
    monkeypatch.chdir(LOGS / "reduced_pass_at_2")
    files = {path.name: path.read_bytes() for path in paths}
    names = [column["name"] for column in several(files)["columns"]]
    about = [pair for name, raw in files.items() for pair in (("name", name), ("size", str(len(raw))))]
    query = [*about, *(("scores", name) for name in names), ("rope", "0.02")]
    reply = respond(Answers(), "/write/compare/json", query, b"".join(files.values()))
    assert reply.body.decode().strip() == run(*files, "--rope", "0.02", "--format", "json").stdout.strip()


def test_what_packed_logs_unpack_to_is_limited() -> None:
    files = {"a.eval": packed("a", 50), "b.eval": packed("b", 40)}
    size = sum(len(inspected(name, 50)) for name in "ab")
    assert several(files, limits=Limits(size))["rows"] == 60
    for limit in (size // 2, 3000):  # both together, or the first alone
        told = several(files, limits=Limits(limit))["error"]
        assert re.fullmatch(rf"[ab]\.eval unpacks to more than [\d.e-]+ MB; {LESS}", told)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("summaries.json", b"[" + b" " * 10_000_000 + b"]")
    assert len(bomb.getvalue()) < 20_000
    told = several(files | {"c.eval": bomb.getvalue()}, limits=Limits(4_000_000))["error"]
    assert told.startswith("c.eval unpacks to more than 3.99 MB")
    lying = bomb.getvalue().replace((10_000_002).to_bytes(4, "little"), (2).to_bytes(4, "little"))
    told = several(files | {"c.eval": lying}, limits=Limits(4_000_000))["error"]
    assert told.startswith("c.eval is no log of Inspect")
    for broken in (b"PK\x03\x04", packed("a", 50)[:-30]):
        assert several({"a.eval": broken, "b.eval": files["b.eval"]})["error"].startswith(
            "a.eval is a damaged .eval log"
        )


def test_several_files_that_are_no_logs_of_one_task() -> None:
    a, b = logged("a", 50), inspected("b", 40)
    assert several({"a.jsonl": a, "b.json": b})["error"] == (
        "choose logs of one format; these are a.jsonl (lm-eval), b.json (inspect)"
    )
    assert several({"p.csv": ROWS.encode(), "q.csv": ROWS.encode()})["error"] == (
        "the page takes one table, or the logs of several systems; join the tables into one, with a column per system"
    )
    tasks = {"samples_x_2026-11-17T00-12-21.872460.jsonl": a, "samples_y_2026-11-17T00-12-21.872460.jsonl": a}
    assert several(tasks)["error"].endswith("of task 'y'; give logs of one task")
    two = {"a.jsonl": a, "b.jsonl": a}
    assert several(two, "/answer/compare", truth="a", predictions="b")["error"].startswith("logs hold scores, without")
    assert several(two, "/answer/compare", scores="a")["error"].startswith("choose the column of the true labels, or")
    query = [("name", "a"), ("size", "1"), ("name", "b"), ("size", "1"), ("scores", "a"), ("scores", "z")]
    for sent, told in ((b"xyz", "the files did not arrive whole; choose them again"), (b"xy", "the page takes one ")):
        assert json.loads(respond(Answers(), "/answer/compare", query, sent).body)["error"].startswith(told)
    for wrong, told in (
        (query[:3], "each of 2 files needs its size; 1 are given"),
        ([("size", "x"), *query], "each of"),
    ):
        with pytest.raises(ValueError, match=told):
            Request.of(wrong)


def test_logs_that_were_sent_are_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results that stand where the server runs say nothing about them."""
    monkeypatch.chdir(LOGS / "lm_eval_own_tasks" / "one")
    name = "samples_own_parity_2026-11-17T00-12-21.872460.jsonl"
    sent = several({name: Path(name).read_bytes(), f"x{name}": Path(name).read_bytes()})
    assert [column["name"] for column in sent["columns"]] == [name.partition(".")[0], f"x{name.partition('.')[0]}"]


def test_tags_in_lists_are_not_taken_for_sets() -> None:
    rows = [
        {"tokens": ["Ann", "ran"], "gold": ["B-PER", "O"], "crf": ["B-PER", k % 2 * "B-LOC" or "O"]} for k in range(9)
    ]
    reply = respond(Answers(), "/columns", [("name", "n.jsonl")], "\n".join(map(json.dumps, rows)).encode())
    told = "n.jsonl has the tags of a sentence in each row; a token and its tags on each line are expected"
    assert json.loads(reply.body)["error"] == told


def test_matrices_and_tags_get_what_to_do() -> None:
    for name, raw, told in (
        (
            "m.csv",
            b",x,y\nx,3,1\ny,0,4\n",
            "a confusion matrix; paste it and that of the other classifier under Confusion tables",
        ),
        (
            "w.json",
            b'{"columns": ["a", "b"], "data": [[0.5, 1], [0.25, 0]]}',
            "a table as MLflow and W&B write it, which the page does not read; save it as CSV, a column per system",
        ),
        (
            "t.conll",
            b"Ann B-PER\nran O\n\nBo B-PER\nsat O\n",
            "a file of tags, and the page does not compare chunks; the command and Python do",
        ),
    ):
        reply = respond(Answers(), "/columns", [("name", name)], raw)
        assert json.loads(reply.body)["error"] == f"{name} is {told}"


@pytest.mark.parametrize(
    ("name", "raw", "sentence"),
    [
        (
            "t.csv",
            "task,a,b\n" + "".join(f"t{k},0.{50 + k},0.{40 + k}\n" for k in range(8)),
            "t.csv has a score for each task, and not for each item; to compare over them, use the command or Python: "
            "the page compares item by item",
        ),
        ("l.json", "[1]", "l.json holds one JSON list; JSON lines are expected, one object a line"),
        (
            "o.json",
            '{\n"gold": {"a": 1},\n "b": {"x": 2}\n}\n',
            "o.json holds a JSON object over several lines, with 'gold', 'b', where JSON lines are expected, one "
            "object a line; logs that are read are of lm-eval, Inspect, promptfoo, trec_eval, MT-Bench, AlpacaEval and "
            "COMET",
        ),
    ],
)
def test_refusals_of_the_page_have_no_commands(name: str, raw: str, sentence: str) -> None:
    reply = respond(Answers(), "/columns", [("name", name)], raw.encode())
    assert json.loads(reply.body)["error"] == sentence


def test_a_table_without_a_header_has_no_command_in_the_page() -> None:
    told = worded(no_header(["cat", "dog"], "p.csv"), words)
    assert told.endswith("('cat', 'dog') is found below as well; put the names of the columns on top")


def test_a_bad_file_is_told_in_the_page(page: Any, server: Server) -> None:
    """After the example, and after a file."""
    opened(page, server)
    for name, measure in (("ragged.csv", "recall"), ("p.jsonl", "precision")):
        raw, told = BAD[name]
        assert upload(page, name, raw) == told
        assert not page.is_visible("#report")  # nothing of the file before is left to be misread
        assert page.input_value("[name=truth]") == ""
        page.select_option("[name=measure]", measure)
        assert settled(page) == "choose a file"
        assert upload(page, "good.csv", b"y,a,b\n1,1,0\n0,0,1\n1,1,0\n0,0,0\n").startswith(f"a vs b   Δ{measure} = ")


def test_a_file_is_dropped(page: Any, server: Server) -> None:
    opened(page, server)
    page.check("[value=outcomes]")
    page.evaluate(
        """raw => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([raw], "dropped.csv"));
          document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
        }""",
        ROWS,
    )
    y, a, b = zip(*(map(int, row.split(",")) for row in ROWS.split()[1:]), strict=True)
    assert settled(page) == str(op.compare(y, {"a": a, "b": b}, rng=0))
    assert page.inner_text("#held").startswith("dropped.csv: 124 rows")


def test_an_answer_that_is_drawn_late_does_not_end_what_came_after(fresh_page: Any, server: Server) -> None:
    opened(fresh_page, server)
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    fresh_page.route("**/frame", hold)
    with fresh_page.expect_request("**/frame"):
        fresh_page.check("[value=outcomes]")
    fresh_page.route("**/columns?*", hold)
    with fresh_page.expect_request("**/columns?*"):
        fresh_page.set_input_files("#file", {"name": "r.csv", "mimeType": "text/csv", "buffer": ROWS.encode()})
    fresh_page.unroute("**/frame")
    frame, columns = held
    frame.continue_()
    fresh_page.wait_for_selector("#report iframe.coming", state="detached")
    assert fresh_page.get_attribute("#answer", "aria-busy") == "true"
    columns.continue_()
    settled(fresh_page)
    assert fresh_page.inner_text("#held").startswith("r.csv: 124 rows")


def test_the_last_of_several_files_counts(fresh_page: Any, server: Server) -> None:
    """Whatever comes of those before: here their turn comes last."""
    opened(fresh_page, server)
    late: list[Any] = []

    def wait(route: Any) -> None:
        late.append(route)

    fresh_page.route("**/columns?name=late.csv", wait)
    fresh_page.set_input_files(
        "#file", {"name": "late.csv", "mimeType": "text/csv", "buffer": b"y,a,b\n1,1,0\n0,0,1\n"}
    )
    fresh_page.fill("[name=rope]", "0.3")
    with fresh_page.expect_event("requestfailed", lambda request: request.url.endswith("late.csv")):  # it is given up
        upload(fresh_page, "quick.csv", ROWS.encode())
    late.pop().continue_()
    assert fresh_page.inner_text("#held").startswith("quick.csv: 124 rows")
    assert fresh_page.inner_text("#line") == str(answer(ROWS, rope=0.3, **TWO))


def test_a_server_for_others_warns_and_its_end_is_told_in_the_page(page: Any) -> None:
    own = started("--host", "0.0.0.0")
    assert own.address.startswith("http://127.0.0.1:")
    opened(page, own)
    code, said = ended(own)
    assert code == 0
    assert said.startswith("Anyone who reaches 0.0.0.0 can use this page; nothing asks who they are.")
    page.fill("[name=rope]", "0.1")
    assert settled(page).startswith("no answer: start the server again if it has ended")


def test_a_large_file_is_not_even_sent(fresh_page: Any, server: Server, tmp_path: Path) -> None:
    opened(fresh_page, server)
    sent: list[str] = []
    fresh_page.on("request", lambda request: sent.append(request.url))
    large = tmp_path / "large.csv"
    large.write_bytes(b"y" * (LIMIT * 1_000_000 + 1))
    fresh_page.set_input_files("#file", large)
    assert settled(fresh_page).startswith("large.csv has 4 MB; a file may have")
    assert not sent


def test_what_is_no_number_is_told(page: Any, server: Server) -> None:
    opened(page, server)
    page.focus("[name=mass]")
    page.keyboard.press("End")
    page.keyboard.type("e")
    assert settled(page) == "Interval level: type a number"


def test_names_of_columns_stay_text(page: Any, server: Server) -> None:
    opened(page, server)
    evil = "<img src=x onerror=document.title='owned'>"
    raw = f"y,{evil},b\n1,1,0\n0,0,1\n1,1,0\n0,0,0\n".encode()
    assert evil in upload(page, f"{evil}.csv", raw)
    assert page.title() == "outperform"
    frame = page.frames[-1]
    assert frame.evaluate("document.querySelector('img')") is None


@pytest.fixture(scope="module")
def attacked(window: Any, server: Server) -> Iterator[Any]:
    """A page whose violations of the policy are meant."""
    page = window.new_page()
    opened(page, server)
    yield page
    page.close()


def test_the_report_reaches_nothing(attacked: Any) -> None:
    frame = attacked.frames[-1]
    assert frame.url.endswith("/frame")
    assert frame.evaluate("origin") == "null"
    attempt = "async (reach) => { try { await reach() } catch (error) { return error.name } }"
    for reach in ("parent.document.title", "localStorage.length", "fetch('/')"):
        assert frame.evaluate(f"({attempt})(() => {reach})") in ("SecurityError", "TypeError")


def test_the_frame_runs_only_the_scripts_of_a_report(attacked: Any) -> None:
    said = attacked.evaluate(
        """html => new Promise((resolve) => {
          const frame = document.createElement("iframe");
          const said = [];
          frame.src = "/frame";
          frame.onload = () => frame.contentWindow.postMessage(html, "*");
          addEventListener("message", (event) => {
            if (event.source !== frame.contentWindow) return;
            said.push(event.data);
            if (event.data.height) resolve(said);
          });
          document.body.append(frame);
        })""",
        "<p onclick=\"parent.postMessage('clicked', '*')\">p<script>parent.postMessage('ran', '*')</script>",
    )
    assert [list(one) for one in said] == [["height"]]


def test_axe_finds_nothing_serious(fresh_page: Any, server: Server) -> None:
    """Of all rules; where it is dark only colours are others."""
    opened(fresh_page, server)
    fresh_page.click("summary >> nth=0")
    for source in ("file", "confusion", "outcomes"):
        fresh_page.check(f"[value={source}]")
        settled(fresh_page)
        for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
            fresh_page.emulate_media(color_scheme=scheme)
            still(fresh_page)
            found = Axe().run(fresh_page, options=rules | {"resultTypes": ["violations"]}).response["violations"]
            assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")] == []


def test_an_answer_can_be_read_while_the_next_is_computed(fresh_page: Any, server: Server) -> None:
    opened(fresh_page, server)
    fresh_page.evaluate("document.getElementById('answer').setAttribute('aria-busy', 'true')")
    for scheme in ("light", "dark"):
        fresh_page.emulate_media(color_scheme=scheme)
        fresh_page.wait_for_timeout(300)  # what turns while it waits is never still
        found = Axe().run(fresh_page, options={"runOnly": ["color-contrast"]}).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []


def test_it_works_by_keyboard(page: Any, server: Server) -> None:
    opened(page, server)
    page.focus("[name=source][value=file]")
    page.keyboard.press("ArrowRight")
    assert settled(page).startswith("A ")
    names = []
    for _ in range(8):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.name"))
    assert names == ["confusion_a", "confusion_b", "table_a", "table_b", "measure", "average", "mass", "rope"]


def test_narrow_screens_do_not_scroll_sideways(fresh_page: Any, server: Server) -> None:
    fresh_page.set_viewport_size({"width": 360, "height": 800})
    opened(fresh_page, server)
    for source in ("file", "confusion", "outcomes"):
        fresh_page.check(f"[value={source}]")
        settled(fresh_page)
        assert fresh_page.evaluate("document.documentElement.scrollWidth") <= 360


def test_long_names_have_a_row_of_their_own(page: Any, server: Server) -> None:
    opened(page, server)
    for before, after, row in (("llama", "mistral", False), ("llama-3-8b-instruct_q4", "llama-3-8b-instruct_q8", True)):
        lines = [f"gold,{before},{after}", *["yes,yes,no", "no,no,no"] * 20]
        upload(page, "runs.csv", "\n".join(lines).encode())
        wide, truth = (page.locator(f"[name={name}]").bounding_box()["width"] for name in ("a", "truth"))
        assert (wide == truth) is row


def test_the_page_offers_what_there_is(first: Any) -> None:
    def options(selector: str) -> set[str]:
        return set(first.eval_on_selector_all(f"{selector} option", "own => own.map(o => o.value)")) - {""}

    assert options("[name=average]") == set(AVERAGES)
    assert options("[name=model]") == set(MODELS)
    assert options("#priors") == set(PRIORS)
    assert options("[name=goal]") == set(GOALS)


# The server under load, and under attack.


def test_two_hundred_at_once(server: Server) -> None:
    """Each gets the answer to its own question: a comparison with its own ROPE, or the columns of its own file."""

    def ask(k: int) -> Any:
        if k % 10:
            status, body, _ = server.send("/columns?name=p.csv", b"y,a,b\n" + b"1,0,1\n" * (k + 1))
        else:
            asked = {"truth": "y", "predictions": ["a", "b"], "rope": k / 1000, "seed": k // 10 % 2, "name": "p.csv"}
            status, body, _ = server.send(f"/answer/compare?{urlencode(asked, doseq=True)}", ROWS.encode())
        assert status == 200, body
        return json.loads(body)["rows" if k % 10 else "line"]

    with ThreadPoolExecutor(200) as pool:
        answers = list(pool.map(ask, range(200)))
    drawn = [answer(ROWS, seed=seed, **TWO) for seed in (0, 1)]
    assert answers == [k + 1 if k % 10 else str(drawn[k // 10 % 2].with_rope(k / 1000)) for k in range(200)]


def test_a_gigabyte_is_refused(server: Server) -> None:
    query = urlencode([*ASKED, ("name", "n.csv.gz")])
    assert server.send(f"/answer/compare?{query}", EXAMPLE)[0] == 200
    held, most = server.memory("VmRSS"), server.memory("VmHWM")
    status, body, _ = server.send("/columns", b"", {"Content-Length": str(10**9)})
    assert status == 413
    assert json.loads(body)["error"] == f"a file may have 4 MB here; {LESS}"
    assert streamed(server, 10**9) in (413, None)
    for _ in range(6):  # what is refused is forgotten
        streamed(server, 3 * LIMIT * 1_000_000)
    assert server.memory("VmRSS") - held < 3 * LIMIT
    assert server.memory("VmHWM") - most < 5 * LIMIT
    assert server.send(f"/answer/compare?{query}", EXAMPLE)[0] == 200


def streamed(server: Server, size: int) -> int | None:
    """The answer to a body in chunks, of which nobody says how many come; None where the connection is cut."""
    chunk = b"x" * 100_000
    connection = http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=PATIENCE)
    try:
        chunks = (chunk for _ in range(size // len(chunk)))
        connection.request("POST", "/columns", chunks, BINARY | {"Transfer-Encoding": "chunked"}, encode_chunked=True)
    except OSError:
        pass  # it did not want to hear more; what it said is there to be read
    try:
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": "evil://{netloc}"}, 403),
        ({"Origin": "x://y://{netloc}"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "localhost@evil.example"}, 421),
        ({"Host": "[::1"}, 421),
        *(
            ({"Host": host}, 421)
            for host in (
                "",
                "evil.example:80",
                "localhost.evil.example",
                "evil-localhost",
                "evil.localhost",
                "localhost.",
                "127.1",
                "evil.example@localhost",
                "localhost/evil.example",
                "localhost?evil.example",
                "localhost#evil.example",
                "localhost:",
                "localhost:80:80",
                "localhost:evil",
                "localhost:80@evil.example",
                "local\thost",
                "::1",
                "[::1]evil.example",
                "[::1]:evil",
                "[evil.example]",
                "[127.0.0.1]",
                "[::ffff:127.0.0.1]",
                "[::1%25lo]",
                "localhost,evil.example",
                "localhost evil.example",
                "l\u00f6calhost",
                "2130706433",
                "0.0.0.0",
            )
        ),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    ],
)
def test_only_its_own_page_may_ask(server: Server, headers: dict[str, str], status: int) -> None:
    headers = {key: value.replace("{netloc}", urlsplit(server.address).netloc) for key, value in headers.items()}
    answered, body, _ = server.send("/columns?name=a.csv", b"y,a,b\n1,1,0\n", headers)
    assert answered == status
    assert list(json.loads(body)) == ["error"]
    if "Host" in headers:
        assert server.send("/", None, headers)[0] == 421


def test_a_proxy_may_ask(server: Server) -> None:
    assert server.send("/columns?name=a.csv", b"y,a,b\n1,1,0\n", {"Host": "localhost"})[0] == 200  # it drops Origin


def test_its_own_page_may_ask(server: Server) -> None:
    own = {"Origin": server.address.rstrip("/")}
    assert server.send("/columns?name=a.csv", b"y,a,b\n1,1,0\n", own)[0] == 200
    for host in ("LocalHost", "127.0.0.1:80", "[::1]", "[::1]:8765"):
        assert server.send("/", None, {"Host": host})[0] == 200
    forwarded = {"Host": "localhost:9999", "Origin": "http://localhost:9999"}  # ssh -L 9999:localhost:8765
    assert server.send("/columns?name=a.csv", b"y,a,b\n1,1,0\n", forwarded)[0] == 200


def test_every_answer_has_the_rules(server: Server) -> None:
    for path in ("/", "/page.js", "/page.css", "/example", "/nothing"):
        _, _, headers = server.send(path)
        assert {key: headers[key] for key in HEADERS} == HEADERS
    _, _, headers = server.send("/frame")
    assert "sandbox allow-scripts" in headers["content-security-policy"]
    assert headers.get_all("content-security-policy") == [headers["content-security-policy"]]
    assert "unsafe" not in headers["content-security-policy"] + HEADERS["content-security-policy"]


def test_scripts_and_styles_in_a_page_are_those_of_the_policy(server: Server) -> None:
    """The frame and a report have what the hashes allow, and the page itself, which allows none, has nothing inline."""
    _, frame, headers = server.send("/frame")
    truth = [0, 1] * 20
    report = op.compare(truth, {"a": truth, "b": [0] * 40}, rope=0.05, rng=0).to_html()
    inline = [
        part for html in (frame.decode(), report) for part in re.findall(r"<(?:script|style)>(.+?)</", html, re.S)
    ]
    assert len(inline) >= 3
    for part in inline:
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in headers["content-security-policy"]
    page = server.send("/")[1].decode()
    assert not re.findall(r"<script(?![^>]* src=)|<style|\s(?:style|on\w+)=", page)


@pytest.mark.parametrize("path", ["/../answer.py", "/%2e%2e/answer.py", "/page.js/../../answer.py", "//etc/passwd"])
def test_paths_lead_nowhere(server: Server, path: str) -> None:
    assert server.send(path)[0] == 404


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..\\..\\etc\\passwd", "/etc/passwd", "C:\\etc\\passwd", "etc/\0passwd"]
)
def test_names_of_files_are_only_names(server: Server, name: str) -> None:
    status, body, _ = server.send(f"/columns?{urlencode({'name': name})}", b"a,b\n1\n")
    assert (status, json.loads(body)["error"]) == (422, "passwd, line 2 has 1 value; the header has 2")


def test_settings_that_are_none_are_refused(server: Server) -> None:
    status, body, _ = server.send("/columns?path=/etc/passwd", b"a,b\n1,2\n")
    assert status == 422
    assert json.loads(body)["error"].startswith("unknown setting 'path'; known: average, cluster, fdr, filter, goal, ")
    assert server.send("/answer/nonsense", b"a,b\n1,2\n")[0] == 422
    assert server.send("/answer/compare", None)[0] == 405


# The server without a socket.


def in_thread(work: Any) -> Any:
    """What a coroutine comes to, in a loop of its own: the browser has that of this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def test_what_is_unexpected_is_told_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("secret")

    monkeypatch.setattr(Answers, "columns", broken)
    reply = respond(Answers(), "/columns", [], b"a,b\n1,2\n")
    assert reply.status == 500
    assert json.loads(reply.body) == {
        "error": "something went wrong that should not (KeyError); the server has told where"
    }
    assert "secret" in caplog.text


def test_what_never_arrives_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outperform.server.app.PATIENCE", 0.05)

    async def silent() -> Any:
        await asyncio.sleep(60)

    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": []}
    response = in_thread(Desk(Limits()).reply(Received(scope, silent)))
    assert response.status_code == 408


def test_names_that_a_server_goes_by() -> None:
    here, everywhere, named = own_names("127.0.0.1"), own_names("0.0.0.0"), own_names("Box.lan")
    assert all(map(here, ("localhost", "127.0.0.1", "::1")))
    assert not any(map(here, ("", "192.168.0.7", "box.lan", socket.gethostname() + ".evil")))
    assert everywhere("192.168.0.7")
    assert everywhere(socket.gethostname().lower())
    assert not any(map(everywhere, ("evil.example", "")))
    assert not own_names("")("")
    assert named("box.lan")
    assert is_loopback("127.0.0.2")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("box.lan")


# The command.


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused("serve", "--port", str(port)).endswith(
            f"port {port} is taken; name another with --port, or 0 for any free one"
        )


def test_a_host_that_is_none() -> None:
    assert "cannot listen on 203.0.113.1, port 0 (" in refused("serve", "--host", "203.0.113.1", "--port", "0")


@pytest.mark.parametrize("package", ["uvicorn", "starlette.applications"])
def test_a_missing_extra(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert refused("serve").endswith(f"{package} is not installed; run: pip install 'outperform[serve]'")


def test_the_library_does_not_bring_the_server() -> None:
    code = "import sys, outperform.cli; print(sorted({'starlette', 'uvicorn', 'anyio', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# What is asked, and what is answered.


def answer(raw: bytes | str, verb: str = "compare", name: str = "p.csv", **settings: Any) -> Any:
    data = Data(raw.encode() if isinstance(raw, str) else raw)
    source = settings.pop("source", "file")
    return Answers().result(data, Request(source, name, Options(**settings)), verb)


def sentence(raw: bytes | str, verb: str = "compare", **settings: Any) -> str:
    with pytest.raises((ValueError, TypeError)) as error:
        answer(raw, verb, **settings)
    return worded(error.value, words)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ([("rope", "wide")], "the field ROPE takes a number, a percentage or LOW,HIGH, got 'wide'"),
        ([("rope", "1,2,3")], "the field ROPE takes a number, a percentage or LOW,HIGH, got '1,2,3'"),
        ([("seed", "-1")], "the field Seed must be a whole number of at least 0, got '-1'"),
        ([("mass", "1"), ("mass", "2")], "the field Interval level is given 2 times; give it once"),
        ([("source", "path")], "unknown source 'path'; known: confusion, file, outcomes"),
        ([("rng", "1")], "unknown setting 'rng'; known: average, "),
        ([("lower_is_better", "no")], "the field Lower scores are better is yes or left out, got 'no'"),
    ],
)
def test_a_query_that_is_wrong(query: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        Request.of(query)
    assert worded(error.value, words).startswith(message)


def test_a_query_that_is_right() -> None:
    query = [("predictions", "a"), ("predictions", "b"), ("rope", "-0.01,0.02"), ("prior", "2"), ("truth", "")]
    assert Request.of(query).options == Options(predictions=("a", "b"), rope=(-0.01, 0.02), prior=2.0)
    assert Request.of([("prior", "jeffreys"), ("separator", " ")]).options == Options(prior="jeffreys", separator=" ")


def test_the_report_on_the_page_names_its_fields_and_buttons() -> None:
    def said(raw: str, **settings: Any) -> str:
        asked = Request(name="p.csv", options=Options(**settings))
        html = Answers().answer(Data(raw.encode()), asked, "compare")["html"]
        text = re.sub("<style>.*?</style>", "", html, flags=re.DOTALL)
        assert re.search(r"(?<![\w-])--[a-z]", text) is None
        return text

    unsure = "y,a,b\n" + "1,1,0\n" * 9 + "1,1,1\n" * 30 + "0,0,0\n" * 50 + "0,1,0\n" * 7 + "2,2,2\n2,0,2\n" * 9
    assert "How many more items? says how many a margin takes" in said(unsure, average="macro", rope=0.1, **TWO)
    assert "The question How many more items? simulates it" in said(unsure, average="macro", rope=0.1, **TWO)
    assert "matters to you, in the field ROPE." in said(unsure, average="macro", **TWO)
    assert "the column more_items of Download: CSV says" in said(unsure, average="per_class", rope=0.02, **TWO)
    scores = "y,a,b\n" + "".join(f"{k % 3 % 2},0.{k % 7},0.{k % 5}\n" for k in range(200))
    assert "brier or log_loss in the field Measure" in said(scores, measure="ece", rope=0.01, **TWO)


ROWS = "y,a,b\n" + "1,1,0\n" * 30 + "1,1,1\n" * 30 + "0,0,0\n" * 50 + "0,1,0\n" * 5 + "0,0,1\n" * 9
TWO: dict[str, Any] = {"truth": "y", "predictions": ("a", "b")}


@pytest.mark.parametrize(
    ("raw", "settings", "message"),
    [
        (
            ROWS,
            {},
            "choose the column of the true labels, or of scores two columns that hold numbers; p.csv has 'y', 'a', 'b'",
        ),
        (ROWS, {"truth": "y"}, "choose the column of predictions; p.csv has 'y', 'a', 'b'"),
        (ROWS, {"scores": ("a",)}, "choose the column of the true labels, or of scores two columns that "),
        (ROWS, {"scores": ("a", "a")}, "column 'a' is chosen twice; choose every column once"),
        (ROWS, {"scores": ("a", "b"), "cluster": "a"}, "column 'a' is chosen twice; choose every column once"),
        (ROWS, TWO | {"scores": ("a", "b")}, "the field Truth has no use for scores; leave it out"),
        (ROWS, {"predictions": ("a",), "scores": ("b", "y")}, "the field Classifier has no use for scores"),
        ("a,b\n1,x\n2,y\n", {"scores": ("a", "b")}, "p.csv, line 2: "),
        (ROWS, {"truth": "y", "predictions": ("a", "a")}, "column 'a' is chosen twice; choose every column once"),
        (ROWS, {"truth": "y", "predictions": ("y", "a")}, "column 'y' is chosen twice; choose every column once"),
        (
            ROWS,
            {"truth": "y", "predictions": ("a",)},
            "a is one classifier; choose Classifier B, with which to compare it",
        ),
        (ROWS, {"truth": "z", "predictions": ("a", "b")}, "p.csv has no column 'z'; it has 'y', 'a', 'b'"),
        (ROWS, TWO | {"id": "nope"}, "p.csv has no column 'nope'; it has 'y', 'a', 'b'"),
        (ROWS, TWO | {"n": "y"}, "column 'y' is chosen twice; choose every column once"),
        (ROWS, TWO | {"measure": "f3"}, "unknown measure 'f3'; known: accuracy, "),
        (ROWS, TWO | {"average": "mean"}, "unknown average 'mean'"),
        (ROWS, TWO | {"model": "nested"}, "unknown model 'nested'"),
        (ROWS, TWO | {"prior": "even"}, "unknown prior 'even'"),
        (ROWS, TWO | {"model": "bootstrap", "prior": 1.0}, "the bootstrap takes no prior; leave the field Prior out"),
        (ROWS, TWO | {"rope": 7.0}, "rope must lie between -1 and 1, got 7.0; it is in units of"),
        (ROWS, TWO | {"mass": 1.5}, "mass must lie between 0 and 1"),
        (ROWS, TWO | {"fdr": 0.1, "rope": 0.1}, "fdr goes with several verdicts, as a ranking or per class"),
        (ROWS, TWO | {"fdr": 0.1, "average": "per_class"}, "fdr goes with several verdicts, as a ranking or per class"),
        (ROWS, TWO | {"fdr": 2.0, "rope": 0.1}, "fdr must lie between 0 and 1, got 2.0"),
        (ROWS, TWO | {"pos_label": "2"}, "the field Positive class '2' is not a label; there are 0, 1"),
        (ROWS, TWO | {"separator": ";", "n": "b"}, "column 'b' is chosen twice"),
        (ROWS, TWO | {"measure": "roc_auc", "prior": 1.0}, "the bootstrap takes no prior; leave the field Prior out"),
        (ROWS, TWO | {"measure": "roc_auc", "model": "paired"}, "items are resampled, which the paired model does"),
        (ROWS, TWO | {"measure": "roc_auc", "separator": ";"}, "the field Between labels of an item has no"),
        ("y,a,b\nx,x,z\nx,x,x\n", TWO, "classifier 'b' predicts 'z', which the truth never has"),
        ("i,y,a,b\n1,1,1,1\n1,0,0,0\n", TWO | {"id": "i"}, "p.csv: the id '1' is on line 2 and again on line 3"),
        ("y,a,b,n\n1,1,1,2.5\n0,0,0,1\n", TWO | {"n": "n"}, "the field Number of items holds 2.5, which is"),
        ("y,a,b,n\nx,x,x,1\n", TWO | {"n": "n", "separator": ";"}, "label sets are counted one row an item"),
        (gzip.compress(b"y,a", mtime=0)[:9], TWO, "p.csv is a damaged gzip file"),
        (b"PAR1nonsense", TWO, "p.csv is a damaged Parquet file"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(raw: bytes | str, settings: dict[str, Any], message: str) -> None:
    said = sentence(raw, **settings)
    assert said.startswith(message)
    assert "\n" not in said


@pytest.mark.parametrize(
    ("classes", "predictions", "aside"),
    [
        ("01", ["svm_1", "nb_1"], "not used: svm_0, nb_0, scores of classes"),
        ("012", ["svm_0", "nb_0"], "not used: svm_1, svm_2, nb_1, nb_2, scores of classes"),
    ],
)
def test_scores_of_one_class_are_guessed(classes: str, predictions: list[str], aside: str) -> None:
    names = [f"{system}_{label}" for system in ("svm", "nb") for label in classes]
    rows = [[str(k % len(classes)), *(f"0.{k}{place}" for place in range(len(names)))] for k in range(10, 70)]
    found = Answers().columns(Data("\n".join(map(",".join, [["y", *names], *rows])).encode()), Request(name="p.csv"))
    assert list(found["guess"]["predictions"]) == predictions
    assert found["how"] == aside
    assert found["columns"][0]["positive"] == (None if classes == "01" else "0")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "the goal 'decided' needs a ROPE"),
        ({"rope": 0.01, "goal": "best"}, "unknown goal 'best'"),
        ({"rope": 0.01, "power": 2.0}, "power must lie between 0 and 1"),
        ({"rope": 0.01, "goal": "better", "width": 0.1}, "give a goal or a width, not both"),
        ({"rope": 0.01, "measure": "roc_auc"}, "roc_auc is read off scores of items, which are not simulated"),
        ({"rope": 0.01, "fdr": 0.1}, "fdr goes with several verdicts"),
        ({"rope": 0.05, "goal": "worse"}, "the goal 'worse' can never be reached"),
    ],
)
def test_plans_that_cannot_be(settings: dict[str, Any], message: str) -> None:
    assert sentence(ROWS, "plan", **TWO, **settings).startswith(message)


def typed(names: list[str], tables: list[Any]) -> str:
    return json.dumps({"names": names, "tables": tables})


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("[1, 2]", 'typed tables come as JSON: {"names": […], "tables": […]}'),
        ("[" * 100_000, 'typed tables come as JSON: {"names": […], "tables": […]}'),
        (typed(["a", " a"], ["", ""]), "the two classifiers need names that differ"),
        (typed(["a", ""], ["", ""]), "the two classifiers need names that differ"),
        (typed(["a", "b"], ["1 2\n3 4"]), "two confusion tables are expected, got 1"),
        (typed(["a", "b"], ["", "1 2\n3 4"]), "the table of a is empty; paste its confusion matrix"),
        (typed(["a", "b"], ["1 2\n3 x", "1 2\n3 4"]), "the table of a, line 2: 'x' is not a number of items"),
        (typed(["a", "b"], ["1,2\n3,", "1 2\n3 4"]), "the table of a, line 2: a number of items is missing"),
        (typed(["a", "b"], ["1 2 3\n4 5 6", "1 2\n3 4"]), "classifier 'a' is 2 × 3; a confusion matrix is square"),
        (typed(["a", "b"], ["x y\n1 2\n3 4", "y z\n1 2\n3 4"]), "the table of b names the classes 'y', 'z' and"),
        (typed(["a", "b"], ["- x y\nx 1 2\nz 3 4", "1 2\n3 4"]), "the table of a: the rows are called 'x', 'z' and"),
        (typed(["a", "b"], ["0.5 0.5\n1 2", "1 2\n3 4"]), "classifier 'a' holds 0.5, which is not a number of items"),
    ],
)  # fmt: skip
def test_tables_that_are_none(raw: str, message: str) -> None:
    assert sentence(raw, source="confusion").startswith(message)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (["1"] * 7, "type eight numbers of items"),
        (["1"] * 7 + [""], "a number of items is missing"),
        (["1"] * 7 + ["many"], "'many' is not a number of items"),
        (["1"] * 7 + ["-2"], "'-2' is not a number of items"),
        (["0"] * 8, "the numbers of items add up to 0; there are no items"),
    ],
)
def test_eight_numbers_that_are_none(numbers: list[str], message: str) -> None:
    assert sentence(typed(["a", "b"], numbers), source="outcomes").startswith(message)


def test_the_words_of_the_page() -> None:
    named = "y,a,b\n" + "no,no,no\nyes,yes,no\nyes,yes,yes\n" * 5
    three = named.replace("no,no,no", "no,no,no\nmaybe,maybe,no")
    ask = partial_query(truth="y", predictions=["a", "b"], name="p.csv")
    assert ask(named) == "the labels are 'no', 'yes': say which is positive with the field Positive class"
    assert ask(three) == (
        "there are 3 classes ('maybe', 'no', 'yes'); set one against the rest with the field Positive class, "
        "or take the average macro, micro, weighted or per_class for all of them"
    )
    assert (
        ask(three, average="macro", pos_label="no")
        == "the field Positive class and the average macro exclude each other; leave one out"
    )
    said = ask("y,a,b\npos_label,pos_label,pos_label\nno,no,no\n")  # the user's own words stay
    assert said == "the labels are 'no', 'pos_label': say which is positive with the field Positive class"


def partial_query(**fixed: Any) -> Any:
    def ask(raw: str, **settings: str) -> str:
        query = parse_qsl(urlencode(fixed | settings, doseq=True))
        reply = respond(Answers(), "/answer/compare", query, raw.encode())
        assert reply.status == 422
        return str(json.loads(reply.body)["error"])

    return ask


# Reading.


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("p.csv", ROWS.encode()),
        ("p.csv.gz", gzip.compress(ROWS.encode(), mtime=0)),
        ("p.tsv", ROWS.replace(",", "\t").encode()),
        ("p", ROWS.replace(",", "\t").encode("utf-16")),
        ("p.jsonl", re.sub("(.),(.),(.)\n", r'{"y": \1, "a": \2, "b": \3}\n', ROWS.removeprefix("y,a,b\n")).encode()),
    ],
)  # fmt: skip
def test_every_format_counts_the_same(name: str, raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    counts = op.read_counts(path, truth="y", predictions=["a", "b"])
    assert answer(raw, name=name, rope=0.05, **TWO).to_dict() == op.compare(counts, rope=0.05, rng=0).to_dict()
    assert counts.items == 124


def test_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [tuple(map(int, row.split(","))) for row in ROWS.split()[1:]]
    table = pyarrow.table({name: list(column) for name, column in zip("yab", zip(*rows, strict=True), strict=True)})
    held = io.BytesIO()
    pyarrow.parquet.write_table(table, held)
    assert answer(held.getvalue(), name="p.parquet", **TWO).to_dict() == answer(ROWS, **TWO).to_dict()
    monkeypatch.setattr(reading, "find_spec", lambda _: None)
    assert sentence(held.getvalue(), **TWO) == (
        "p.csv is a Parquet file, which this page cannot read; save the table as CSV"
    )


def test_label_sets_and_counts_by_row(tmp_path: Path) -> None:
    raw = "y,a,b\n" + "x;z,x,z\nz,z,x;z\nx,x,x\n" * 20
    path = tmp_path / "p.csv"
    path.write_text(raw, encoding="utf-8")
    for average in ("macro", "samples"):
        counts = op.read_counts(path, truth="y", predictions=["a", "b"], separator=";", by_item=average == "samples")
        r = op.compare(counts, average=average, rng=0)
        assert answer(raw, separator=";", average=average, **TWO).to_dict() == r.to_dict()
    counted = "y,a,b,n\n1,1,1,30\n1,1,0,30\n0,0,0,50\n0,1,0,5\n0,0,1,9\n"
    assert answer(counted, n="n", **TWO).to_dict() == answer(ROWS, **TWO).to_dict()


def test_tables_in_any_layout() -> None:
    plain, above, beside = "50 3\n4 43", "ham;spam\n50;3\n4;43", ",ham,spam\nham,50,3\nspam,4,43"
    a, b = [[50, 3], [4, 43]], [[40, 13], [9, 38]]
    for text in (above, beside):
        r = op.compare_confusion(a, b, names=("A", "B"), labels=["ham", "spam"], pos_label="spam", rng=0)
        got = answer(typed(["A", "B"], [text, "40 13\n9 38"]), source="confusion", pos_label="spam")
        assert got.to_dict() == r.to_dict()
    got = answer(typed(["A", "B"], [plain, "40 13\n9 38"]), source="confusion")
    assert got.to_dict() == op.compare_confusion(a, b, names=("A", "B"), rng=0).to_dict()


def test_classes_that_the_data_lack() -> None:
    raw = "y,a,b\n" + "0,0,1\n0,0,0\n" * 10
    counts = op.Counts.from_labels([0] * 20, {"a": [0] * 20, "b": [1, 0] * 10}, labels=[0, 1])
    r = op.compare(counts, measure="accuracy", rng=0)
    assert answer(raw, measure="accuracy", labels=("0", "1"), **TWO).to_dict() == r.to_dict()


def test_what_is_kept_is_bounded_and_changes_nothing() -> None:
    kept = ByteCache(100)
    made: list[int] = []

    def make(k: int) -> int:
        made.append(k)
        return k

    for k in (1, 2, 3, 2, 4, 1):
        assert kept.get(k, lambda k=k: make(k), lambda _: 40) == k  # type: ignore[misc]
    assert made == [1, 2, 3, 4, 1]
    assert kept.held == 80
    assert kept.get(9, lambda: make(9), lambda _: 101) == 9
    assert kept.held == 80
    answers, data = Answers(), Data(EXAMPLE)
    for settings in ({"average": "per_class", "pos_label": None}, {"measure": "recall"}):  # drawn, and without draws
        r = example(**settings)
        size, rows = sum(row.evidence.size for row in r.all_rows()), r.all_rows()
        held = [(row.draws, row.evidence.prior_delta, row.evidence.by_class, row.evidence.plain) for row in rows]
        assert (
            sum(array.nbytes for arrays in held for array in arrays if array is not None)
            <= size
            <= 10_000_000 * len(rows)
        )
    for rope in (0.05, 0.2):
        request = Request.of([*ASKED[:-1], ("rope", str(rope)), ("name", "n.csv.gz")])
        assert answers.result(data, request, "compare").to_dict() == example(rope=rope).to_dict()
