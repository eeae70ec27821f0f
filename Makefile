# make repro                       the demo corpus, from nothing to the report
# make repro CORPUS=rescue ANNOTATIONS=<file or folder> [MEDIA=<folder>]    the real benchmark
# make test                        tests, lint and types
# make truth                       extraction against known truth (needs a finished make repro); writes docs/truth.md
# make bench                       speed and memory beside the bare libraries; writes docs/bench.md
# make annotations                 fetch the official annotations to data/raw/rescue/annotations
CORPUS ?= demo
PYTHON ?= python3
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: repro test lint truth bench annotations env
.DEFAULT_GOAL := repro

repro: env
	python -m pipeline.choose $(CORPUS) $(if $(ANNOTATIONS),--annotations "$(ANNOTATIONS)") $(if $(MEDIA),--media "$(MEDIA)")
	dvc repro report@$(CORPUS)
	python -m pipeline.leaderboard $(CORPUS)

test: env lint
	python -m pytest -n auto --dist loadfile

lint: env
	ruff check .
	ruff format --check .
	mypy

truth: env
	python -m benchmarks.truth

bench: env
	python -m benchmarks.bench

annotations: env
	python -m pipeline.annotations

env: .venv/made

.venv/made: requirements.lock tools/environment
	PYTHON="$(PYTHON)" tools/environment
