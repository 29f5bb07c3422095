# Two commands, from nothing: `make lab` to learn, `make test` to check. Each makes the environment that it
# needs in .venv; a second run finds it and starts at once.
#
#   make lab [DIR=work] [LAB="--port 9000 --no-browser"]     JupyterLab on the lessons, in your own folder
#   make test [PYTEST="-k tape"]                             style, types, import rules, tests; ends with pytest's line;
#                                                            on two cores in six to eight minutes, once installed
#   make test-all                                            the same with every seed, every browser case, Firefox, the
#                                                            site, the walk through an installed wheel, packaging,
#                                                            Binder, interop, programs of other libraries
#   make slowest                                             the table of the slowest fifty tests, tests/slowest.md
#   make bench [BENCH="--quick --only c,d"]                  the kit beside PyTorch, JAX and others (large, about an hour)
#   make bench-parts                                         what parts of the kit cost: recording, compiling, drawing, checking
#   make docs [SITE=docs/_build/html]                        the book: lessons, differences, guide, reference
#   make release-check PYTHONS="python3.11 python3.12"       wheel and source distribution, installed and run on each of them
#   make site PYODIDE=folder-or-address                       the book with the lessons running in the browser: build/site
#   make extension                                           build the JupyterLab extension anew, after changing its sources
#   make exercises                                       write the exercises' notebooks anew, after changing a question
#   make clean                                               remove what these made; never your work
#
# Another Python: make lab PYTHON=python3.12

VENV ?= .venv
DIR ?= work
LAB ?=
PYTEST ?=
BENCH ?=
FOUND ?= build/bench
# The other libraries have an environment of their own. On Linux, PyTorch comes with much that only a graphics card
# needs; make bench PEERS_PIP="--extra-index-url https://download.pytorch.org/whl/cpu" does without.
PEERS ?= .venv-bench
PEERS_PIP ?=
PYTHONS ?= $(PYTHON)
# nbgrader and otter, which the tests in tests/interop ask, have an environment of their own too.
INTEROP ?= .venv-interop
SITE ?= docs/_build/html
# The static site has an environment of its own: JupyterLite's extensions would be shown by `make lab` too. PYODIDE is a
# distribution of Pyodide, such as https://cdn.jsdelivr.net/pyodide/v314.0.6/full; every file of it is checked by its hash.
SITE_ENV ?= .venv-site
SITE_OPTIONS ?=
PYODIDE ?=
JOBS ?= 3
REPORT ?= build/tests.xml

# The first Python on PATH that the kit supports.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
    $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' 2>/dev/null && echo $$p && break; done)

# The tests start hundreds of Pythons; without compiled files each would compile the kit anew.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint tests/constraints.txt
# All scripts of the folder but the one that needs nbgrader and otter.
BENCHES := $(subst /,.,$(basename $(filter-out benchmarks/grading_throughput.py,$(wildcard benchmarks/*.py))))
RECIPE := pyproject.toml tests/constraints.txt autodiff_kit/lab/labextension/package.json

.PHONY: lab test test-all release-check slowest bench bench-parts docs site extension exercises check clean

lab: $(VENV)/.lab
	$(BIN)/autodiff-kit lab --dir $(DIR) $(LAB)

test: check
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --max-worker-restart 4 $(if $(PYTEST),,--junitxml=$(REPORT)) $(PYTEST)

test-all: check $(INTEROP)/.ready $(PEERS)/.ready
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --max-worker-restart 4 --all -o faulthandler_timeout=1800 $(PYTEST)
	$(PEERS)/bin/python -m pytest tests/recorders

# Of the last whole `make test`, which is run where there was none; a part of the tests, PYTEST=…, writes no report.
slowest: $(VENV)/.test
	@test -e $(REPORT) || $(MAKE) test
	$(BIN)/python tests/slowest.py $(REPORT) tests/slowest.md

check: $(VENV)/.test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --num-workers 2
	$(BIN)/lint-imports --no-cache

bench: $(PEERS)/.ready $(VENV)/.test $(INTEROP)/.ready
	@mkdir -p $(FOUND)
	$(PEERS)/bin/python -m benchmarks.library_comparison --json $(FOUND)/bench.json --charts $(FOUND) \
	    --page $(FOUND)/benchmarks.md $(BENCH)
	$(BIN)/python -m benchmarks.grading_throughput --json $(FOUND)/grading.json

bench-parts: $(VENV)/.test
	@for script in $(BENCHES); do echo "== $$script"; $(BIN)/python -m $$script || exit 1; done

release-check: $(VENV)/.test
	$(BIN)/python tests/release.py $(PYTHONS)

exercises: $(VENV)/.test
	$(BIN)/python -m autodiff_kit.author.builtin_exercises exercises

extension: $(VENV)/.test
	$(BIN)/python autodiff_kit/lab/build.py

# From nothing each time, so that a page of a name that went cannot stay; every warning is an error.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -E -q -j auto -b html docs $(SITE)
	@echo "The book: $(SITE)/index.html"

site: $(SITE_ENV)/.ready
	$(SITE_ENV)/bin/python -m website --pyodide "$(PYODIDE)" $(SITE_OPTIONS)

clean:
	rm -rf $(VENV) $(PEERS) $(SITE_ENV) build dist docs/_build docs/lessons docs/reference .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find autodiff_kit tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 to 3.14 was found. Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "No environment could be made. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

# Editable, so that the environment follows the source; a stamp is older than its recipe when that changes.
$(VENV)/.lab: $(BIN)/python $(RECIPE)
	@echo "Installing the kit into $(VENV) (a minute or two, once)"
	$(PIP) --editable '.[lab]'
	@touch $@

$(VENV)/.test: $(BIN)/python $(RECIPE)
	@echo "Installing the kit and its tests into $(VENV) (a minute or two, once)"
	$(PIP) --editable '.[lab,grade,test]'
	@touch $@ $(VENV)/.lab

$(VENV)/.docs: $(BIN)/python $(RECIPE)
	@echo "Installing the kit and Sphinx into $(VENV) (a minute or two, once)"
	$(PIP) --editable '.[lab,grade,docs]'
	@touch $@ $(VENV)/.lab

$(INTEROP)/.ready: $(RECIPE)
	@$(PYTHON) -m venv $(INTEROP)
	@echo "Installing nbgrader and otter into $(INTEROP) (some minutes, once)"
	$(INTEROP)/bin/python -m pip install --quiet --disable-pip-version-check --constraint tests/constraints.txt \
	    --constraint tests/interop/constraints.txt --editable '.[lab,grade,interop]'
	@touch $@

$(SITE_ENV)/.ready: $(RECIPE)
	@$(PYTHON) -m venv $(SITE_ENV)
	@echo "Installing JupyterLite and Sphinx into $(SITE_ENV) (a minute or two, once)"
	$(SITE_ENV)/bin/python -m pip install --quiet --disable-pip-version-check --constraint tests/constraints.txt \
	    --editable '.[docs,site]'
	@touch $@

$(PEERS)/.ready: $(RECIPE) benchmarks/library_comparison/constraints.txt
	@$(PYTHON) -m venv $(PEERS)
	@echo "Installing the other libraries into $(PEERS) (some minutes, once)"
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --constraint tests/constraints.txt \
	    --constraint benchmarks/library_comparison/constraints.txt $(PEERS_PIP) --editable '.[lab,test,bench]'
	@touch $@
