"""A real browser for the pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# A busy machine is slow, which is no failure; every run has the same examples.
settings.register_profile("any machine", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("any machine")

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


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


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A new page of its own; what goes wrong in its scripts, or breaks its Content-Security-Policy, fails the test."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None)
    yield opened
    context.close()
    assert not errors
