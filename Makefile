.DEFAULT_GOAL := help
UV ?= uv
RUN = $(UV) run --no-sync
SOURCES ?= ../shared/sources
export TRUESPEC_SOURCES ?= $(abspath $(SOURCES))

help: ## list the tasks
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## install everything: Python packages, and system packages where possible
	@tools/setup

setup-test:
	@tools/setup test

demo: setup ## verify the bundled tasks, print the table, write out/demo/report.html
	$(RUN) truespec demo --out out/demo

# Four processes: while two wait, two cores work. tests/conftest.py says which tests stay together.
PYTEST = $(RUN) pytest -q -n 4 --dist loadgroup --no-loadscope-reorder

# The types keep one core busy at first, as long as mypy has no cache: the tests have the other.
test: setup-test lint ## everything: style, types, all tests, and the package in clean environments
	@$(MAKE) --no-print-directory -j 2 types all-tests
	tools/compat --quick

all-tests:
	$(PYTEST)

quick: ## the first look: style, types, doctests, units, a few cases of each table
	@$(MAKE) --no-print-directory -j 3 --output-sync=target lint types quick-tests

quick-tests:
	$(PYTEST) -n 3 -m "not slow and not live" --cases=2 --ignore=tests/snapshots --ignore-glob='tests/models/test_inspect*'

check: ## one part, what it asks once: make check DOMAIN=sql, make check TRACES=1 or make check BENCH=1
ifdef DOMAIN
	$(PYTEST) -m "not thorough" tests/domains/$(DOMAIN) tests/conformance tests/power tests/test_imports.py -k "$(DOMAIN) or test_imports"
else ifdef TRACES
	$(PYTEST) tests/traces tests/rules tests/compliance tests/analysis tests/faults tests/extraction tests/test_imports.py
else ifdef BENCH
	$(PYTEST) tests/benchmark tests/judges tests/metrics tests/models tests/reports tests/test_imports.py
else
	@echo "say which part: make check DOMAIN=sql, make check TRACES=1 or make check BENCH=1" && exit 2
endif

slowest: ## the tests that cost the most CPU time, and why each is worth it
	@$(RUN) python tests/cost.py

costs: ## run everything and keep in tests/costs.yml what the dear tests cost
	$(PYTEST) --cost=out/costs.tsv
	$(RUN) python tests/cost.py out/costs.tsv

TESTS ?= tests
coverage: ## which lines no test runs: out/coverage/index.html; make coverage TESTS=tests/rules for a part
	mkdir -p out/coverage
	$(PYTEST) $(TESTS) --cov --cov-report=term --cov-report=html

lint:
	$(RUN) ruff check .
	$(RUN) ruff format --check .

types:
	$(RUN) mypy

format: ## rewrite the code in the house style
	$(RUN) ruff check --fix . && $(RUN) ruff format .

snapshots: ## refresh the goldens of everything people read, for review in the diff
	TRUESPEC_UPDATE_SNAPSHOTS=1 $(RUN) pytest -q tests/snapshots

bench: ## measure: overhead, bars, peers side by side (installs a JDK for one peer)
	@tools/setup bench
	$(RUN) python -m benchmarks all

compat: ## clean environments: each Python found here, lowest and newest versions, core and each extra
	tools/compat

certificates: setup ## what the verifiers say for each bundled task, where it is not current
	$(RUN) truespec bench certify -o src/truespec/benchmark/bundled/certificates

baseline: setup ## make the recorded baseline of the benchmark anew
	@tools/baseline

live-model: setup ## a small real model through generation, judges and report (not part of 'make test')
	@tools/live-model

docs: setup ## build the documentation site into out/site, offline, with every link checked
	$(RUN) python tools/docs.py
	NO_MKDOCS_2_WARNING=1 $(RUN) mkdocs build -q --strict -d out/site
	$(RUN) python tools/docs.py --check out/site

dist: ## build the sdist and the wheel into dist/; REPOSITORY=https://... names the project's address
	rm -rf dist && TRUESPEC_REPOSITORY="$(REPOSITORY)" $(UV) build -q && ls dist

requirements: ## export the hashed requirements from the project's dependencies
	$(UV) lock -q && $(UV) export -q --frozen --all-extras --all-groups --no-emit-project --format requirements-txt --no-header --no-annotate -o requirements.txt && rm -f uv.lock

.PHONY: help setup setup-test demo test all-tests quick quick-tests check slowest costs coverage lint types format snapshots bench certificates baseline live-model requirements compat docs dist
