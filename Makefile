# `make` lists the targets. Everything is installed into .venv of the clone; nothing else on the machine is touched.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.SUFFIXES:

ARGS ?=
BIN := .venv/bin
# The demo takes the small environment, unless the one with the tools is already there.
DEMO_ENV := $(if $(wildcard .venv/.ready-dev),.venv/.ready-dev,.venv/.ready-run)
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11

.PHONY: help setup demo test check spark-test services-test lock docs bench clean machine

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

setup: machine .venv/.ready-dev ## make .venv with all development tools and fetch Spark's packages
	@scripts/jars.sh

demo: machine $(DEMO_ENV) ## set up and run the demo shop on Spark (ARGS=--no-serve ends after the run)
	@scripts/jars.sh
	@$(BIN)/forge demo $(ARGS)

test: setup ## set up and pass everything: lint, types, import rules, unit, Spark and service tests
	@$(BIN)/python scripts/stages.py lint types imports unit spark services

check: .venv/.ready-dev ## the same without JVM and services; the one to run while working
	@$(BIN)/python scripts/stages.py lint types imports unit

spark-test: setup ## only the tests that need a JVM
	@$(BIN)/python scripts/stages.py spark

services-test: setup ## only the tests that need a real server
	@$(BIN)/python scripts/stages.py services

lock: .venv/.ready-dev ## compile requirements/*.lock anew from pyproject.toml (ARGS=--upgrade for newer versions)
	$(COMPILE) pyproject.toml --extra postgres --group dev -o requirements/dev.lock $(ARGS)
	$(COMPILE) pyproject.toml --group build -c requirements/dev.lock -o requirements/run.lock $(ARGS)
	$(COMPILE) --group installer -o requirements/uv.lock $(ARGS)

docs: .venv/.ready-dev ## write docs/reference/ from the code
	@$(BIN)/python scripts/reference.py

bench: setup ## the governed run beside plain PySpark on TPC-H (ARGS="--scale 0.01" for a quick look)
	@$(BIN)/python bench/run.py $(ARGS)

clean: ## remove the environment, caches and build results
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis spark-warehouse metastore_db derby.log
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

machine: # both are asked for before anything is installed
	@found=0; for need in python java; do scripts/require.sh $$need >/dev/null || found=3; done; exit $$found

.venv/.ready-%: requirements/%.lock requirements/uv.lock pyproject.toml
	@scripts/setup.sh $*
