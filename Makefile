# Every target sets up what it needs in .venv first, and does nothing there when nothing has changed.
# ARGS="…" is passed on: make play ARGS="--text hexapawn"

BIN := .venv/bin
SET_UP := @/bin/sh tools/python tools/environment.py
TESTS := --doctest-modules src tests README.md docs/index.md docs/library.md docs/environments.md docs/language_models.md docs/guide
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal $(TESTS)
# Downloads run beside the compiler, and checks on one core beside the tests.
RUN_PARALLEL := @+$(MAKE) --no-print-directory -j2 LUDUS_PARALLEL=1
NATIVE := $(wildcard native/*/*.[ch]pp native/*/*.cu* native/*/*/*.hpp experiments/*/*.cu)
ARGS ?=

# Modules that are imported again and again are compiled once.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
ifndef LUDUS_PARALLEL
.NOTPARALLEL:
endif
.PHONY: help play test test-all lint lint-native format bench strengths docs docs-links wheel release \
	update clean base dev documentation debian packages bytecode run-tests

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 18

play: base ## set up what is missing and play
	@$(BIN)/ludus play $(ARGS)

test: packages ## run every check that a change must pass
	$(RUN_PARALLEL) dev debian
	$(RUN_PARALLEL) lint run-tests SELECTION='-m "not slow"'

test-all: packages ## run every test, those that take minutes too, with more repetitions
	$(RUN_PARALLEL) dev debian
	$(SET_UP) cluster
	$(RUN_PARALLEL) lint run-tests SELECTION=--thorough

lint: dev ## check format, types, words and the order of the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/python tools/check_words.py
	$(BIN)/lint-imports
	$(BIN)/mypy

lint-native: dev ## check the native core with clang-tidy, g++ and clang++ at all processor levels, no warning allowed
	@for cxx in g++ clang++; do for march in x86-64-v2 x86-64-v3 x86-64-v4 native; do \
		echo "$$cxx $$march" && \
		$(BIN)/cmake -S . -B build/lint-$$cxx-$$march -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
			-DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=$$cxx -DLUDUS_MARCH=$$march \
			-DLUDUS_WERROR=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
			-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python >/dev/null && \
		$(BIN)/cmake --build build/lint-$$cxx-$$march || exit 1; done; done
	$(BIN)/clang-tidy --quiet -p build/lint-clang++-x86-64-v3 $(filter %.cpp,$(NATIVE))

format: dev ## rewrite the Python and C++ files in the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(NATIVE)

bench: dev debian ## measure speed
	$(BIN)/python benchmarks/run.py $(ARGS)
	$(BIN)/python benchmarks/oracle_lookups.py $(ARGS)
	$(BIN)/python benchmarks/backgammon_moves.py
	$(BIN)/python benchmarks/negascout.py $(ARGS)
	$(BIN)/python benchmarks/fuzzy_speed.py $(ARGS)
	$(BIN)/python benchmarks/migo_games.py $(ARGS)
	$(BIN)/python benchmarks/nnmm_moves.py
	$(BIN)/python benchmarks/scholar_moves.py
	PYTHONPATH=tests $(BIN)/python benchmarks/page.py

strengths: dev debian ## measure how strong players are, for the page; resumes where it stopped
	$(BIN)/python benchmarks/strengths.py $(ARGS)

docs: documentation ## build the documentation site into build/docs, without network
	$(BIN)/python tools/build_docs.py $(ARGS)

docs-links: documentation ## check the links of the documentation to other sites
	$(BIN)/python tools/build_docs.py --builder linkcheck --out build/docs-links

wheel: base ## build the wheels of the package and of its further networks into dist/
	$(BIN)/python tools/networks_wheel.py dist
	CXX="$${CXX:-c++}" $(BIN)/python -m pip wheel --no-build-isolation --no-deps --wheel-dir dist \
		--config-settings=cmake.define.LUDUS_MARCH="$(LUDUS_MARCH)" .

release: documentation ## build wheel, source distribution and documentation into dist/, and check them
	$(BIN)/python tools/release.py $(ARGS)

update: ## write requirements/ anew after a change to pyproject.toml; ARGS=--upgrade for newer versions
	$(SET_UP) update
	$(BIN)/python tools/lock.py $(ARGS)

clean: ## remove .venv and everything that was built
	rm -rf .venv build dist .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

base:
	$(SET_UP) base build

dev:
	$(SET_UP) base dev torch build

documentation:
	$(SET_UP) base dev torch docs build

# The machine is checked before anything else is started.
packages:
	$(SET_UP) base

# All test processes start at once and import the same files: they find them compiled.
bytecode: dev
	@$(BIN)/python -m pytest --collect-only --quiet $(TESTS) >/dev/null 2>&1 || true

# Not started when a check has failed by then. Programs that tests start are not jobs of this make.
run-tests: bytecode
	env -u MAKEFLAGS -u MFLAGS $(PYTEST) $(SELECTION) $(ARGS)

debian:
	@$(BIN)/python tools/debian_packages.py
