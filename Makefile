# Two commands, from nothing: `make lab` to learn, `make test` to check. Each makes the environment that it
# needs in .venv; a second run finds it and starts at once.
#
#   make lab [DIR=work] [LAB="--port 9000 --no-browser"]     JupyterLab on the lessons, in your own folder
#   make test [PYTEST="-k tape"]                             style, types, import rules, tests; ends with pytest's line
#   make test-all                                            the same with every seed and every browser case
#   make bench                                               the benchmarks, the peers among them (large)
#   make clean                                               remove what these made; never your work
#
# Another Python: make lab PYTHON=python3.12

VENV ?= .venv
DIR ?= work
LAB ?=
PYTEST ?=
JOBS ?= 2

# The first Python on PATH that the kit supports.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
    $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null && echo $$p && break; done)

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint tests/constraints.txt
# Those that are named truths measure other libraries, in an environment of their own.
BENCHES := $(filter-out tests/bench/truths%,$(wildcard tests/bench/*.py))
RECIPE := pyproject.toml tests/constraints.txt

.PHONY: lab test test-all bench check clean

lab: $(VENV)/.lab
	$(BIN)/autodiff-kit lab --dir $(DIR) $(LAB)

test: check
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(PYTEST)

test-all: check
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup --all $(PYTEST)

check: $(VENV)/.test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(VENV)/.bench
	@for script in $(BENCHES); do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find autodiff_kit tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11, 3.12 or 3.13 was found. Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "No environment could be made. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

# Editable, so that the environment follows the source; a stamp is older than its recipe when that changes.
$(VENV)/.lab: $(BIN)/python $(RECIPE)
	@echo "Installing the kit into $(VENV) (a minute or two, once)"
	$(PIP) --editable .
	@touch $@

$(VENV)/.test: $(BIN)/python $(RECIPE)
	@echo "Installing the kit and its tests into $(VENV) (a minute or two, once)"
	$(PIP) --editable '.[test]'
	@touch $@ $(VENV)/.lab

$(VENV)/.bench: $(VENV)/.test
	$(PIP) --editable '.[test,bench]'
	@touch $@
