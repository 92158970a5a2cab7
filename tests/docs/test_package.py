"""What an index, GitHub and conda read: metadata, citation, workflows, recipe."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from markdown_it import MarkdownIt

import outperform as op
from outperform.base.citation import PLACES, bibtex, read_citation
from tests.command import run
from tests.docs.test_public import ROOT
from tests.release import differing

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
BASE, TAG = "https://example.org/someone/outperform", "v1.2"


def workflow(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))
    return found


# Citation


def plain(value: Any) -> Any:
    """What YAML reads, with every scalar as text."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else str(value)


def test_the_citation_is_read_as_yaml_is() -> None:
    assert read_citation(CITATION) == plain(yaml.safe_load(CITATION))


def test_cite_prints_what_the_file_says() -> None:
    cited = run("--cite").stdout
    assert cited == f"{bibtex()}\n"
    assert cited.count("@inproceedings{") == len(yaml.safe_load(CITATION)["references"])
    assert "  doi       = {10.1145/2911451.2911547}\n" in cited
    assert f"  version   = {{{op.__version__}}}\n" in cited
    assert re.findall(r"\{(\w+),\n", cited) == ["outperform", "zhang2016bayesian", "zhang2015bayesian", "wang2019bayes"]
    assert cited.count("{") == cited.count("}")


def test_the_wheel_has_the_citation_where_it_is_looked_for() -> None:
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {"CITATION.cff": "outperform/CITATION.cff"}
    assert [place.relative_to(ROOT).as_posix() for place in PLACES] == ["src/outperform/CITATION.cff", "CITATION.cff"]


# Metadata


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The build hook, with a stand-in for the class of hatchling, which tests do not need."""
    interface = SimpleNamespace(MetadataHookInterface=object)
    for name in ("hatchling", "hatchling.metadata", "hatchling.metadata.plugin"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "hatchling.metadata.plugin.interface", interface)
    spec = spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_of_the_readme_work_anywhere(hook: ModuleType) -> None:
    absolute = hook.with_absolute_links(README, BASE, TAG)
    links = re.findall(r'(?:href|src)="([^"]*)"', MarkdownIt("commonmark").render(absolute))
    assert len(links) > 20
    assert all(link.startswith("https://") for link in links)
    assert f"{BASE}/raw/{TAG}/docs/images/posterior.png" in links
    assert f"{BASE}/blob/{TAG}/docs/tutorial.md" in links


def test_without_a_repository_there_are_no_links_to_nowhere(hook: ModuleType) -> None:
    page = MarkdownIt("commonmark").render(hook.with_absolute_links(README, "", TAG))
    assert "<img" not in page
    assert not re.findall(r'href="(?!https://)', page)
    assert "Tutorial · All pages" in page


def test_metadata_come_from_the_repository(hook: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    made = hook.Addresses()
    made.root = str(ROOT)
    metadata: dict[str, Any] = {}
    monkeypatch.delenv(hook.REPOSITORY, raising=False)
    made.update(metadata)
    assert metadata["urls"] == {}
    monkeypatch.setenv(hook.REPOSITORY, f"{BASE}/")
    made.update(metadata)
    assert metadata["urls"]["Issues"] == f"{BASE}/issues"
    assert metadata["readme"]["content-type"] == "text/markdown"
    assert f"{BASE}/blob/v{op.__version__}/docs/tutorial.md" in metadata["readme"]["text"]
    assert set(metadata) | {"version"} == set(PROJECT["project"]["dynamic"])


def test_what_goes_into_the_sdist_is_there() -> None:
    for name in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]:
        assert (ROOT / name).exists(), name


# Versions, workflows, recipe


def test_every_place_names_the_version() -> None:
    assert not [place for place in differing(f"v{op.__version__}") if not place.startswith("CHANGELOG")]
    assert len(differing("v99")) == 4


def test_systems_and_pythons_are_those_that_are_promised() -> None:
    core = workflow("ci.yml")["jobs"]["core"]
    matrix = core["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    promised = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    assert matrix["python"] == promised == ["3.11", "3.12", "3.13", "3.14"]
    (tested,) = (step["run"] for step in core["steps"] if "pytest --" in step.get("run", ""))
    assert all((ROOT / path).exists() for path in re.findall(r"tests/\S+", tested))


def test_a_release_needs_no_password_and_checks_its_tag() -> None:
    jobs = workflow("release.yml")["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    steps = [step.get("run", "") for step in jobs["build"]["steps"]]
    assert 'python tests/release.py "$GITHUB_REF_NAME"' in steps
    assert any("twine check --strict" in step and "check-wheel-contents" in step for step in steps)


def test_the_recipe_needs_what_the_package_needs() -> None:
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    text = re.sub(r"{%.*%}", "", recipe).replace("{{", "").replace("}}", "")
    needed = yaml.safe_load(text)["requirements"]["run"]
    given = [re.sub(r"(?=[<>=]+)", " ", need, count=1) for need in PROJECT["project"]["dependencies"]]
    assert needed == [f"python {PROJECT['project']['requires-python']}", *given]


def test_the_readme_installs_in_one_line_first() -> None:
    first, second, *_ = README.partition("## Try it")[2].partition("```sh\n")[2].splitlines()
    assert first.startswith("uvx outperform ")
    assert second.startswith("pipx install outperform")
    assert Path(ROOT / "action.yml").exists()
