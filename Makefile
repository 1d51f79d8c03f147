# `make run` and `make test` are all a newcomer needs; each installs what is missing and builds what has changed.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
BUILD := build
ASAN := build-asan
WORKERS ?= $(shell nproc)

# TileLang's kernel cache would skip the very lowering that is run, tested and measured here.
export TILELANG_DISABLE_CACHE := 1
export TILELANG_PRINT_ON_COMPILATION := 0

APT_BUILD := g++ cmake ninja-build libisl-dev libgmp-dev nlohmann-json3-dev libgtest-dev
APT_LINT := clang-format clang-tidy

.PHONY: help run test test-cpp test-asan test-python peer nightly bench bench-cpu gpu lint format build venv apt clean

help: ## list the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | column -t -s "$$(printf '\t')"

run: build ## lower, guard and run the examples; one table of verdicts, guards and times
	@$(PY) examples/run.py

test: ## everything CI runs: C++ tests, also with sanitizers, lint, Python tests
	@$(MAKE) test-cpp
	@$(MAKE) test-asan
	@$(MAKE) lint
	@$(MAKE) test-python

test-cpp: build ## C++ tests
	@scripts/ninja.sh $(BUILD) tileguard_tests
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(WORKERS) | tail -n 3

test-asan: venv ## C++ tests of the core with AddressSanitizer and UBSan
	@[ -f $(ASAN)/build.ninja ] || cmake -S . -B $(ASAN) -G Ninja -DTILEGUARD_SANITIZE=ON >/dev/null
	@scripts/ninja.sh $(ASAN) tileguard_tests
	@ctest --test-dir $(ASAN) --output-on-failure --no-tests=error -j $(WORKERS) | tail -n 3

test-python: build ## Python tests
	@$(PY) -m pytest tests -n $(WORKERS) -q

peer: build ## TileLang's own tests, without and with TileGuard; writes docs/peer-suite.md
	@$(PY) -m tests.peer.run

nightly: build ## 10,000 random kernels with a fresh seed, which is printed
	@seed=$$(date +%s); echo "seed $$seed"; TILEGUARD_FUZZ_SEED=$$seed TILEGUARD_FUZZ_COUNT=10000 \
		$(PY) -m pytest tests/fuzz/test_ours.py -n $(WORKERS) -q --timeout 3600

bench: build ## pass time and guards on the examples, many repeats, nothing executed
	@$(PY) examples/run.py --repeats 51 --no-execute

bench-cpu: build ## instructions that kernels of the C target execute, TileLang's pass against ours (4 minutes)
	@scripts/apt.sh g++ valgrind
	@$(PY) -m bench.cpu.run

gpu: build ## compile the GPU tests and benchmarks with nvcc into build/gpu; docs/gpu.md says how to run them
	@$(PY) -m tests.gpu.build $(BUILD)/gpu/tests
	@$(PY) -m bench.gpu.build $(BUILD)/gpu/bench

lint: build ## ruff, mypy, clang-format, clang-tidy, layout of the sources
	@scripts/apt.sh $(APT_LINT)
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --quiet --check .
	@$(PY) -m mypy --no-error-summary python/tileguard examples tests
	@find src tests/cpp cmake -name '*.cc' -o -name '*.h' | xargs clang-format --dry-run -Werror
	@$(PY) scripts/check_layout.py
	@scripts/tidy.sh $(BUILD)
	@echo "lint: clean"

format: build ## rewrite the sources as lint wants them
	@scripts/apt.sh $(APT_LINT)
	@find src tests/cpp cmake -name '*.cc' -o -name '*.h' | xargs clang-format -i
	@$(PY) -m ruff format --quiet .
	@$(PY) -m ruff check --quiet --fix .

build: venv ## compile the plugin and put it beside the Python package
	@scripts/build.sh $(PY) $(BUILD)

venv: apt ## .venv with the pinned requirements
	@scripts/venv.sh $(PYTHON) $(VENV)

apt: ## missing Debian packages
	@scripts/apt.sh $(APT_BUILD)

clean: ## remove what was built; .venv stays
	@rm -rf $(BUILD) $(ASAN)
