"""The public names, the weight of the import, and every example in the pages."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import outperform as op
from outperform.cli import main

ROOT = Path(__file__).parent.parent.parent
NEEDS = {"gpu.md": "torch"}  # packages that `make test` does not install
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "SECURITY")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
PAGES = [page for page in PAGES if "_build" not in page.parts]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_names_are_the_promised_ones() -> None:
    assert sorted(op.__all__) == [
        "BayesTest", "BayesianBootstrap", "BlockCV", "BySlice", "Comparison", "Contingency", "Counts", "CrossValidated",
        "DataError", "Decision", "Dirichlet", "Estimate", "FBetaPosterior", "Flat", "Haldane", "Hierarchical",
        "Jeffreys", "Light", "Model", "OutperformWarning", "Paired", "PerClass", "Plan", "Pooled", "Power",
        "PredictiveCheck", "PyMC", "Ranking", "Scenario", "Scores", "Sensitivity", "ThreeWay", "Trend", "Uniform",
        "Unpaired", "__version__", "bayes_test", "compare", "compare_confusion", "compare_datasets", "compare_folds",
        "compare_scores", "compare_tasks", "cross_validate", "datasets", "decide", "estimate", "f_beta", "hdi", "mcmc",
        "measure", "plan", "power", "rank", "rank_scores", "read_chunks", "read_counts", "read_scores", "read_tasks",
        "read_totals",
    ]  # fmt: skip
    assert dir(op) == sorted(op.__all__)
    for name in op.__all__:
        assert getattr(op, name) is not None
    with pytest.raises(AttributeError, match="module 'outperform' has no attribute 'nonsense'"):
        op.nonsense  # noqa: B018


def test_former_names_work_and_warn() -> None:
    for former, name in (("Truth", "Scenario"), ("FScore", "FBetaPosterior")):
        with pytest.warns(DeprecationWarning, match=rf"op\.{former} is now op\.{name}"):
            assert getattr(op, former) is getattr(op, name)


def test_public_things_have_docstrings() -> None:
    for name in op.__all__:
        assert name == "__version__" or getattr(op, name).__doc__


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_verbs_stay_functions_whatever_is_imported_first() -> None:
    code = "import outperform.verbs.compare, outperform.cli, outperform as op; print(callable(op.compare))"
    assert python(code) == "True"


def test_import_brings_nothing_heavy() -> None:
    code = "import sys, outperform; print(sorted({'numpy', 'scipy', 'click', 'rich', 'narwhals'} & set(sys.modules)))"
    assert python(code) == "[]"


def test_comparing_leaves_scipy_stats_and_matplotlib_alone() -> None:
    code = (
        "import sys, outperform as op; op.compare([1,0,1],{'a':[1,0,0],'b':[1,1,1]},rope=.1).to_text();"
        "print(sorted({'scipy.stats', 'scipy.optimize', 'matplotlib', 'pandas', 'narwhals'} & set(sys.modules)))"
    )
    assert python(code) == "[]"


def blocks(page: Path) -> list[tuple[str, str]]:
    return FENCE.findall(page.read_text(encoding="utf-8"))


def console(block: str, directory: Path) -> None:
    """Run each `$ outperform …` line; what follows it is what it prints, `…` standing for any lines."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        words = shlex.split(command, comments=True)
        if words[0] != "outperform":
            continue
        into = words[-1] if ">" in words else None
        with contextlib.chdir(directory):
            result = CliRunner().invoke(main, words[1 : -2 if into else None], prog_name="outperform")
            if into:
                Path(into).write_text(result.output, encoding="utf-8")
                continue
        assert result.exit_code == 0 or (result.exit_code == 3 and "--require" in words), result.output
        pattern = re.escape(expected.strip()).replace("…", ".*")
        assert not expected.strip() or re.fullmatch(pattern, result.output.strip(), re.DOTALL), result.output


@pytest.fixture(scope="module")
def preds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that the README speaks of, written once for all pages."""
    path = tmp_path_factory.mktemp("preds") / "preds.csv"
    write_preds(path)
    return path


def write_preds(path: Path) -> None:
    """20 Newsgroups, is a post about motorcycles?"""
    path.write_text(op.datasets.example(), encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run(page: Path, preds: Path, tmp_path: Path) -> None:
    """Every python, pycon and console block of a page, in order, in one namespace."""
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name])
    namespace: dict[str, Any] = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    shutil.copy(preds, tmp_path)
    with contextlib.chdir(tmp_path):
        for language, block in blocks(page):
            if language == "console":
                console(block, tmp_path)
            elif language == "pycon":
                test = doctest.DocTestParser().get_doctest(block, namespace, page.name, str(page), 0)
                printed = io.StringIO()
                runner.run(test, out=printed.write, clear_globs=False)
                assert not printed.getvalue()
                namespace.update(test.globs)
            elif language == "python":
                exec(compile(block, str(page), "exec"), namespace)


@pytest.mark.parametrize(
    "page", [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (ROOT / link).exists(), link


def test_readme_has_examples() -> None:
    assert {"pycon", "console"} <= {language for language, _ in blocks(ROOT / "README.md")}
