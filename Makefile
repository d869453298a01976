# Overlake: every target sets up what it needs, on a machine with Python 3.11+ and make alone.
PYTHON ?= python3
BIN := .venv/bin
ONCE ?=

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format docs lock clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-8s %s\n", $$1, $$2}'

setup: .venv/.ready  ## make .venv with everything installed, .venv/bin/overlake in it

.venv/.ready: pyproject.toml requirements.lock bootstrap.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Overlake needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r bootstrap.lock
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@

demo: setup  ## index a synthetic provider and leave web pages and a Newznab endpoint running (ONCE=1: check and exit)
	$(BIN)/overlake demo $(if $(ONCE),--once)

test: setup  ## run every test
	$(BIN)/pytest --numprocesses auto --dist loadfile --no-loadscope-reorder --ignore tests/e2e
	$(BIN)/pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder tests/e2e

lint: setup  ## ruff, pyright and the import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: setup  ## let ruff format and fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup  ## make the data dictionary and the list of settings from the code
	$(BIN)/python -c 'from pipeline.dictionary import dictionary; print(dictionary(), end="")' > docs/data-dictionary.md
	$(BIN)/python -c 'from store.configuration_reference import reference; print(reference(), end="")' > docs/configuration.md

lock: setup  ## renew the lock files
	$(BIN)/uv pip compile pyproject.toml --extra dev --generate-hashes --no-emit-index-url --universal --python-version 3.11 --upgrade --no-header --quiet --output-file requirements.lock

clean:  ## remove what make and the demo made
	rm -rf .venv demo-data
