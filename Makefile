# `make demo` and `make test` are all that a fresh machine needs; both build .venv first. `make help` lists the rest.

PYTHON ?= python3
# Processes of the tests: one for each processor, at most six, since each takes about a gigabyte.
JOBS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n < 6 ? n : 6)))
MINUTES ?= 10
VENV := .venv
BIN := $(VENV)/bin

# What each kind of work needs: extras of pyproject.toml, without spaces, and its dependency groups.
EXTRAS_demo := sb3,train,onnx,web,league,render
EXTRAS_play := web,train
EXTRAS_dev := all
EXTRAS_bench := sb3,train,openspiel,rlcard
GROUP_dev := dev
GROUP_docs := docs
GROUP_bench := bench

# Each process begins with a run of neighbouring files: what they compile and prepare in common is done once.
SPREAD := --dist worksteal

# Commands that start many processes would compile every module of every package once per process.
unexport PYTHONDONTWRITEBYTECODE

# The packages of a lock, without those that PyTorch's default build names with exact versions.
COMPILE := $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --no-header --no-annotate --quiet
GPU_LIBRARIES := ^(nvidia|cuda|triton)

RESULTS := benchmarks/results/against_peers.json

.PHONY: help demo play test test-all fuzz check format docs bench lock clean
.DELETE_ON_ERROR:
.PRECIOUS: $(VENV)/installed-%

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/installed-demo ## train MaskablePPO on heads-up limit hold'em for two minutes, then play matches
	$(BIN)/card-envs demo

play: $(VENV)/installed-play ## the table in a browser: play any agent, see what it thinks, replay hands
	$(BIN)/card-envs serve

test: $(VENV)/installed-dev ## fast tests, about 10 minutes on two cores; TESTS="tests/rules tests/golden" runs some of them
	$(BIN)/pytest -n $(JOBS) $(SPREAD) $(TESTS)

test-all: $(VENV)/installed-dev ## all tests, the slow ones too
	$(BIN)/pytest -n $(JOBS) $(SPREAD) -m "" $(TESTS)

fuzz: $(VENV)/installed-dev ## random play against other engines, builds and copies; MINUTES=60 for longer
	PYTHONPATH=.:wrappers:baselines $(BIN)/python -m tests.fuzz --minutes $(MINUTES)

check: $(VENV)/installed-dev ## lint, format, types, layers, spelling: what CI runs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell

format: $(VENV)/installed-dev ## repair what `make check` can repair by itself
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/installed-docs ## the documentation, as HTML in docs/_build/html
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

bench: $(VENV)/installed-bench ## speed against other packages; writes the tables. BIG2=folder of the public Big 2
	$(BIN)/python benchmarks/against_peers.py $(if $(BIG2),--big2-checkout $(BIG2)) --json $(RESULTS) \
	  --table benchmarks/README.md --short docs/speed.md

lock: $(VENV)/installed-dev ## constraints.txt anew from pyproject.toml; UPGRADE="--upgrade" or "-P numba" for newer versions
	$(BIN)/python -m pip install --disable-pip-version-check uv
	cp constraints.txt constraints.new
	$(COMPILE) --extra all --group dev --group docs --group bench $(UPGRADE) -o constraints.new
	$(COMPILE) --extra cuda --no-deps -c constraints.new -o constraints.cuda
	{ sed '/^#/!Q' constraints.txt; sort -u constraints.new constraints.cuda | grep -vE '$(GPU_LIBRARIES)'; } > constraints.lock
	mv constraints.lock constraints.txt && rm constraints.new constraints.cuda

clean: ## remove everything that was built, .venv too; runs/ stays
	rm -rf $(VENV) build dist docs/_build *.egg-info .hypothesis .*_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp per kind of work: a second `make` installs nothing, a changed requirement does. Python compiles what it
# imports; compiling the 19,000 files of all packages first would take over a minute.
$(VENV)/installed-%: pyproject.toml constraints.txt | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --disable-pip-version-check --quiet 'pip>=25.1' # the first that knows dependency groups
	$(BIN)/python -m pip install --disable-pip-version-check --no-compile -c constraints.txt -e '.$(if $(EXTRAS_$*),[$(EXTRAS_$*)])' \
	  $(addprefix --group ,$(GROUP_$*))
	@touch $@

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "card-envs needs Python 3.11 or newer, but '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)."; \
	  echo "Install a newer one and name it, for example: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
