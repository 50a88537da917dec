# `make play` and `make test` are all one needs; both see to .venv first, and leave it alone when
# nothing has changed. ARGS="…" is handed on: make play ARGS="--text hexapawn"

BIN := .venv/bin
SET_UP := /bin/sh tools/python tools/environment.py
ARGS ?=

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help play test lint format bench strengths clean base dev debian

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

play: base ## set up what is missing and play
	@$(BIN)/ludus play $(ARGS)

test: dev debian lint ## run every check that a change must pass
	$(BIN)/python -m pytest -n 2 -m "not slow" --doctest-modules src tests README.md $(ARGS)

lint: dev ## check style, types and the order of the rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: dev ## rewrite the Python files in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: dev debian ## measure speed, then run the tests that take minutes
	$(BIN)/python benchmarks/run.py $(ARGS)
	$(BIN)/python benchmarks/oracle_lookups.py $(ARGS)
	$(BIN)/python benchmarks/backgammon_moves.py
	$(BIN)/python benchmarks/negascout.py $(ARGS)
	$(BIN)/python benchmarks/fuzzy_speed.py $(ARGS)
	$(BIN)/python benchmarks/migo_games.py $(ARGS)
	$(BIN)/python benchmarks/nnmm_moves.py
	$(BIN)/python benchmarks/scholar_moves.py
	$(BIN)/python benchmarks/page.py
	$(BIN)/python -m pytest -m slow

strengths: dev debian ## measure how strong players are, for the page; goes on where it stopped
	$(BIN)/python benchmarks/strengths.py $(ARGS)

clean: ## remove .venv and everything that was built
	rm -rf .venv build dist .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

base:
	@$(SET_UP)

dev:
	@$(SET_UP) --extra dev --extra learn

debian:
	@$(BIN)/python tools/debian_packages.py
