# `make demo` and `make test` need python3, pip, make and a network to a package index, nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Bytecode is written when a module is first imported, whatever the environment says, and not when it is installed: most
# modules never are, and without any every process, and every command that a test runs, would compile them anew.
export PYTHONDONTWRITEBYTECODE =
# Tests run in as many processes as there are cores: threads of the linear algebra beside them would only stand in line.
export OPENBLAS_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help demo test gpu lowest fuzz slow browser java check format bench docs clean

help: ## this list
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# One stamp per set of extras, so that a second run installs nothing.
$(VENV)/.%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[$*]'
	@touch $@

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-compile --editable .
	@touch $@

demo: $(VENV)/.core ## four classifiers on 20 Newsgroups, on one screen
	@$(BIN)/outperform demo

# One process more than there are cores, because tests of the page wait for a browser; tests/conftest.py says who runs what.
test: $(VENV)/.test browser java ## everything the tests need, then the tests
	$(BIN)/python -m pytest --numprocesses $$(( $$($(BIN)/python -c 'import os; print(os.cpu_count())') + 1 )) --dist loadgroup \
	  --no-loadscope-reorder

# PyTorch is large, so `make test` does not install it and skips these.
gpu: $(VENV)/.test $(VENV)/.gpu ## the tests of draws on a device, on the processor's tensors; installs PyTorch
	$(BIN)/python -m pytest tests/device tests/docs/test_public.py -k 'device or gpu'

# Of other packages, warnings that came later than the versions are no failure.
CORE := $(addprefix tests/,$(addsuffix .py,measures/test_averages data/test_counting data/test_labels_and_counts \
  base/test_limits io/test_engine io/test_io measures/test_measures models/test_models verdicts/test_summary_and_decision))
lowest: $(BIN)/python ## the tests of the core and of files, with the lowest versions that pyproject.toml names
	$(PYTHON) -m venv --without-pip $(VENV)/lowest
	$(BIN)/python tests/lowest.py data sklearn plot > $(VENV)/lowest/versions.txt
	$(BIN)/python -m pip --python $(VENV)/lowest/bin/python install --quiet --no-compile \
	  --requirement $(VENV)/lowest/versions.txt pytest hypothesis pytest-xdist pandas polars
	$(BIN)/python -m pip --python $(VENV)/lowest/bin/python install --quiet --no-compile --no-deps --editable .
	$(VENV)/lowest/bin/python -m pytest --numprocesses auto --override-ini filterwarnings=default $(CORE)

fuzz: $(VENV)/.test ## an hour of hostile files and options, other ones than in the tests
	$(BIN)/python -m tests.fuzz 3600 1000000

slow: $(VENV)/.test ## the tests that take minutes (PyMC)
	$(BIN)/python -m pytest -m slow

# The pages are tested in Chromium: Debian's package where it is missing and may be installed.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name > /dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	  apt-get update -qq && apt-get install -y -qq chromium > /dev/null; fi

# Spark is tested on a real one, which needs Java 17 or later.
java:
	@if ! command -v java > /dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	  apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless > /dev/null; fi

check: $(VENV)/.check ## format, lint, types, layers, budgets
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/budgets.py

format: $(VENV)/.check ## let the formatter have its way
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.test ## speed, as ratios to a reference in the same run
	$(BIN)/python -m pip install --quiet --no-compile numpyro
	$(BIN)/python -m bench

docs: $(VENV)/.docs ## the pages, warnings as errors
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build/html

clean: ## remove what was built
	rm -rf $(VENV) docs/_build docs/api docs/gallery .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache src/.import_linter_cache
