# `make` lists the targets. Everything is installed into the clone (.venv, ui/node_modules); nothing else on the machine
# is touched, but for Chromium and MariaDB where `make test` runs as root on a Debian machine that has none.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.SUFFIXES:

ARGS ?=
BIN := .venv/bin
# The demo takes the small environment, unless the one with the tools is already there.
DEMO_ENV := $(if $(wildcard .venv/.ready-dev),.venv/.ready-dev,.venv/.ready-run)
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11
JOBS ?= 3# stages side by side; JOBS=1 for one after the other
STAGES = $(BIN)/python scripts/stages.py --jobs $(JOBS)
STAGES_BY_CORES = $(BIN)/python scripts/stages.py
AGAIN := $(MAKE) --no-print-directory # by another name: a line that says MAKE is run even by make -n

.PHONY: help setup demo ui wheel test check house web-check spark-test services-test browser-test lock docs types bench \
        bench-server bench-versioning bench-lineage bench-lineage-extract bench-quality bench-anomaly bench-contracts bench-profile bench-crawl bench-catalog bench-federation bench-startup fuzz-gate clean machine machine-with-node jars-of-demo

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-21s %s\n", $$1, $$2}' Makefile

setup: machine .venv/.ready-dev ## make .venv with all development tools and fetch Spark's packages
	@scripts/jars.sh

demo: machine-with-node ## set up, run the demo shop on Spark and open its web app (ARGS=--no-serve ends after the run)
	@scripts/beside.sh scripts/web.sh $(AGAIN) jars-of-demo
	@exec $(BIN)/forge demo $(ARGS)

ui: machine-with-node ## build the web app into src/forge/web
	@scripts/web.sh

wheel: machine-with-node $(DEMO_ENV) ## build dist/forge-*.whl, the web app in it
	@scripts/web.sh
	@$(BIN)/python scripts/wheel.py

test: machine-with-node setup ## set up and pass everything: lint, types, import rules, unit, web, Spark, service and browser tests
	@scripts/chromium.sh >/dev/null
	@scripts/mariadb.sh >/dev/null
	@$(STAGES) web spark services lint types imports unit browser

check: .venv/.ready-dev ## lint, types, import rules and quick tests; the one to run while working (ARGS=quality for one room)
	@$(STAGES_BY_CORES) $(if $(ARGS),--room $(ARGS)) quick types lint imports

house: .venv/.ready-dev ## the plan of the house: storeys × rooms, and what breaks its rules
	@$(BIN)/python scripts/house.py

web-check: machine-with-node ## the web app's own checks: TypeScript, ESLint, vitest, size
	@$(STAGES) web

spark-test: setup ## only the tests that need a JVM
	@$(STAGES) spark

services-test: setup ## only the tests that need a real server
	@scripts/mariadb.sh >/dev/null
	@$(STAGES) services

browser-test: machine-with-node setup ## only the tests of the web app in Chromium
	@scripts/chromium.sh >/dev/null
	@scripts/web.sh
	@$(STAGES) browser

lock: .venv/.ready-dev ## compile requirements/*.lock anew from pyproject.toml (ARGS=--upgrade for newer versions)
	$(COMPILE) pyproject.toml --extra postgres --group dev -o requirements/dev.lock $(ARGS)
	$(COMPILE) pyproject.toml --group build -c requirements/dev.lock -o requirements/run.lock $(ARGS)
	$(COMPILE) --group installer -o requirements/uv.lock $(ARGS)
	$(COMPILE) --group dbt -o requirements/dbt.lock $(ARGS)
	$(COMPILE) --group peers -o requirements/peers.lock $(ARGS)
	$(COMPILE) --group quality -o requirements/quality.lock $(ARGS)

docs: .venv/.ready-dev ## write docs/reference/ from the code
	@$(BIN)/python scripts/reference.py

types: machine-with-node .venv/.ready-dev ## write the web app's types from the code of the API
	@$(BIN)/python scripts/openapi.py
	@scripts/web.sh packages
	@npm --prefix ui run types

bench-server: setup ## fifty readers of the server while Spark works (needs wrk)
	@scripts/require.sh wrk >/dev/null
	@$(BIN)/python bench/server/bench.py $(ARGS)

bench: setup ## the governed run beside plain PySpark on TPC-H (ARGS="--scale 0.01" for a quick look)
	@$(BIN)/python bench/run.py $(ARGS)

bench-versioning: setup ## branches, diffs, merges and verify beside Spark, Iceberg and DoltLite (ARGS=--limits fails on a missed bound)
	@$(BIN)/python -m bench.versioning.bench $(ARGS)

bench-lineage: setup ## the lineage graph up to 10 million edges beside networkx, rustworkx, SQLite and Neo4j (ARGS="--edges 100000")
	@$(BIN)/python -m bench.lineage_graph.bench $(ARGS)

bench-lineage-extract: setup ## lineage out of code beside sqlglot, sqllineage, OpenLineage and DataHub (ARGS=--limits fails on a missed bound)
	@$(BIN)/python -m bench.lineage_extract.bench $(ARGS)

bench-quality: setup ## twenty checks on ten million rows beside a fused aggregation, Great Expectations, Soda, cuallee and DQX (ARGS=--limits)
	@$(BIN)/python -m bench.quality.bench $(ARGS)

bench-profile: setup ## the profile of five million rows beside one aggregation by hand and a loop over columns (ARGS=--limits fails on a missed bound)
	@$(BIN)/python -m bench.profile.bench $(ARGS)

bench-crawl: setup ## a crawl of 20,000 tables of PostgreSQL and of Iceberg beside a plain read (ARGS=--limits fails on a missed bound)
	@$(BIN)/python -m bench.crawl.bench $(ARGS)

bench-federation: setup ## a join of five million rows in PostgreSQL with a file, beside the source itself, DuckDB and Spark over JDBC (ARGS=--limits fails on a missed bound, ARGS=--corpus compares rows of many queries)
	@$(BIN)/python -m bench.federation.bench $(ARGS)

bench-catalog: setup ## a million assets in the search index beside SQLite FTS5 (ARGS=--limits fails on a missed bound)
	@$(BIN)/python -m bench.catalog.bench $(ARGS)

bench-anomaly: .venv/.ready-dev ## anomalies planted in daily series: recall and precision of each method (ARGS=--prophet asks it too)
	@$(BIN)/python -m bench.anomaly.bench $(ARGS)

fuzz-gate: setup ## 100,000 texts that try to get through the gate for SQL (ARGS="--texts 5000 --seed 7")
	@$(BIN)/python -m bench.gate.fuzz --out bench/gate/RESULT.txt $(ARGS)

bench-startup: setup ## processor time of short commands on the demo beside a bare Python (ARGS=--limits fails on a missed bound)
	@$(BIN)/python -m bench.startup $(ARGS)

bench-contracts: .venv/.ready-dev ## lint and policies of contracts beside datacontract-cli (ARGS=--limits fails on a missed bound)
	@$(BIN)/python -m bench.contracts.bench $(ARGS)

clean: ## remove the environment, caches and build results
	rm -rf .venv build dist src/forge/web ui/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis spark-warehouse metastore_db derby.log
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What is missing is named, all of it, before anything is installed.
machine:
	@scripts/require.sh python java >/dev/null

machine-with-node:
	@scripts/require.sh python java node >/dev/null

jars-of-demo: $(DEMO_ENV)
	@scripts/jars.sh

.venv/.ready-%: requirements/%.lock requirements/uv.lock pyproject.toml
	@scripts/setup.sh $*
