"""A real browser for the pages, and fewer draws where their number is not the point."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestItem, DoctestModule
from hypothesis import settings

from outperform.inference import densities, draws, item_study
from outperform.mcmc.sampling import Sampling
from outperform.measures.of_counts import MEASURES
from outperform.planning import judging
from tests.compiling import compiled

# A busy machine is slow, which is no failure; every run has the same examples.
settings.register_profile("any machine", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("any machine")

FEW_DRAWS = 4_000
os.environ.setdefault("MPLBACKEND", "Agg")  # no test opens a window
# As many tests run at a time as there are cores: threads beside them cost more of the processor, and save nothing.
os.environ.setdefault("OUTPERFORM_JOBS", "1")
os.environ.pop("COLUMNS", None)  # xdist sets it, and texts would be wrapped
# Chains are short here: Python runs the graphs but for what NUTS calls, and compilers take half the time without
# optimising, which is more than slower chains cost.
os.environ.setdefault("PYTENSOR_FLAGS", "mode=FAST_COMPILE,cmodule__remove_gxx_opt=True,gcc__cxxflags=-g0")
PATIENCE = 600  # seconds, after which what was waited for will not come; a busy machine takes its time
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PYMC = "tests by PyMC"
LONGEST = (
    PYMC, "docs/test_public", "server/test_serve", "data/test_frames", "bench/test_stress", "render/test_plots",
    "cli/test_cli", "planning/test_plan", "base/test_faults", "models/test_trend", "models/test_cluster",
    "inference/test_calibrated_ranks", "across/test_across", "server/test_serve_limits", "cli/test_guessing_cli",
    "models/test_many_classes", "results/test_golden", "reproduction/test_reproduction", "inference/test_bayes_factor",
    "verbs/test_rank", "io/test_engine", "cli/test_doctor_cli", "models/test_patterns", "models/test_shrinkage",
)  # fmt: skip


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """No docstring of a test has an example: to look for them takes seconds of every process."""
    found = yield
    return [item for item in found if not isinstance(item, DoctestModule)]


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """What is imported and collected stays to the end: to look for garbage in it again and again takes seconds."""
    with _in_turn(session.config):
        gc.disable()
        try:
            return (yield)
        finally:
            gc.freeze()
            gc.enable()


@contextmanager
def _in_turn(config: pytest.Config) -> Iterator[None]:
    """In a new environment one process writes the bytecode of all that tests import; the others wait and read it.

    Each of them would write all of it otherwise, which takes more than twice as long as the imports.
    """
    written = (Path(__file__).parent / "verdicts/__pycache__").glob("test_*pytest*.pyc")  # the last that are imported
    if not hasattr(config, "workerinput") or any(written):
        yield
        return
    with Path(__file__).open(encoding="utf-8") as turn:
        try:
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(turn, fcntl.LOCK_SH)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """The example of a measure of one's own registers it: for the tests after it there is none."""
    before = dict(MEASURES)
    done = yield
    if isinstance(item, DoctestItem):
        MEASURES.clear()
        MEASURES.update(before)
    return done


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first."""
    place = {name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(_group(item.nodeid), len(place)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file is run by one process, and PyMC by one alone, which compiles it once.

    Marks would say the same, but what xdist 3.8 writes behind the names of marked tests is lost in pytest 9.2, and then
    every test is a group of its own.
    """
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415

    class ByGroup(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return _group(nodeid)

    return ByGroup(config, log)


def _group(nodeid: str) -> str:
    file, _, name = nodeid.partition("::")
    own = "/".join(Path(file).with_suffix("").parts[-2:])
    return PYMC if "mcmc" in own or "pymc" in name or "priors.md" in name else own


@pytest.fixture(scope="module")
def few_draws() -> Iterator[None]:
    """Fewer draws than users get, for tests of words, files and pages: `pytestmark = pytest.mark.usefixtures(…)`."""
    with pytest.MonkeyPatch.context() as patched:
        for module in (draws, item_study, judging):
            patched.setattr(module, "DRAWS", FEW_DRAWS)
        patched.setattr(densities, "PRIOR_DRAWS", FEW_DRAWS)
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_for_nuts() -> Iterator[None]:
    """Chains of ours, in the pages too; a test that samples by itself says `with compiled()`."""
    sample = Sampling._sample

    def compiling(self: Sampling, *args: Any) -> Any:
        with compiled():
            return sample(self, *args)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Sampling, "_sample", compiling)
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium; in CI it must be there."""
    playwright_api = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        message = "no Chromium: install Debian's package chromium"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    with playwright_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="session")
def window(browser: Any) -> Iterator[Any]:
    """What all pages are opened in: one for each would take seconds of the processor."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    context.set_default_timeout(1000 * PATIENCE)
    yield context
    context.close()


@pytest.fixture
def fresh_page(window: Any) -> Iterator[Any]:
    """A page of its own, for a test that changes more than the document in it: sizes, colours, listeners."""
    with watched(window) as (opened, errors):
        yield opened
    assert not errors


@pytest.fixture(scope="session")
def shared(window: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page for all that only open documents in it."""
    with watched(window) as both:
        yield both


@pytest.fixture
def page(shared: tuple[Any, list[str]]) -> Iterator[Any]:
    """A page, which tests use one after the other.

    What goes wrong in its scripts, or breaks its Content-Security-Policy, fails the test.
    """
    opened, errors = shared
    opened.goto("about:blank")
    errors.clear()
    yield opened
    assert not errors


@contextmanager
def watched(window: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page, and what it does wrong."""
    opened = window.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None)
    yield opened, errors
    opened.close()


def still(page: Any) -> None:
    """Wait until nothing fades."""
    for frame in page.frames:
        frame.evaluate("async () => { await Promise.allSettled(document.getAnimations().map((own) => own.finished)) }")
