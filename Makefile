# The tasks of the project. `make help` lists them.
#
# Needs python3 (3.11 or newer), a C++20 compiler and make; everything else is
# installed into .venv, from the package index that pip is configured to use.

PYTHON ?= python3
# More arguments, for example: make test ARGS="-k missing -x"
ARGS ?=

VENV  := .venv
BIN   := $(VENV)/bin
BUILD := build/dev
PIP   := $(BIN)/python -m pip --disable-pip-version-check -qq
CPP   := $(wildcard core/*/*.cpp core/include/treewright/*.hpp core/*/*.hpp)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test proof proof-files lint format stub bench docs sanitize sanitize-thread node browser build wheel clean

help:  ## Show this list
	@echo "treewright: exact decision trees"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "Start with 'make demo'. Nothing is installed outside $(VENV) and build/."

demo: build  ## Set everything up, then show the whole story on real data
	@$(BIN)/treewright demo

test: build  ## Run all tests
	$(BIN)/python -m pytest -n auto --maxprocesses 4 -q $(ARGS)

proof: build  ## Damage the arrays of a million trees: no crash, no wrong answer (long)
	$(BIN)/python tests/proof/damage.py $(or $(ARGS),1_000_000)

proof-files: build  ## Damage 100,000 model files: each is refused or its tree works (long)
	$(BIN)/python tests/proof/model_files.py $(or $(ARGS),100_000)

lint: build  ## Check style, types, import layers and C++ format
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $(CPP)
	$(BIN)/python -m nanobind.stubgen -q -m treewright._core -o build/_core.pyi
	@diff -u src/treewright/_core.pyi build/_core.pyi \
	  || { echo "src/treewright/_core.pyi is out of date: run 'make stub'."; exit 1; }

format: $(VENV)/.dev  ## Format the sources
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(CPP)

stub: build  ## Write the type stub of the C++ module
	$(BIN)/python -m nanobind.stubgen -q -m treewright._core -o src/treewright/_core.pyi

bench: build $(VENV)/.bench  ## Compare speed and memory with other libraries (long)
	$(BIN)/python benchmarks/speed.py $(ARGS)

docs: build  ## Write docs/command-line.md from the help of the commands
	$(BIN)/python docs/write_command_line.py

sanitize: $(VENV)/.dev  ## Run the kernels under AddressSanitizer and UBSan
	$(call core_check,address)

sanitize-thread: $(VENV)/.dev  ## Run the kernels under ThreadSanitizer
	$(call core_check,thread)

# Configures, builds and runs core_check with one sanitizer. The C++ driver links no
# Python, so nothing has to be preloaded and every report is about our code.
define core_check
	@$(BIN)/cmake -S . -B build/$(1) -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DCMAKE_MAKE_PROGRAM="$(abspath $(BIN)/ninja)" -DTREEWRIGHT_CORE_TESTS=ON \
	  -DTREEWRIGHT_WERROR=ON -DTREEWRIGHT_SANITIZE=$(1) > /dev/null
	@$(BIN)/cmake --build build/$(1)
	build/$(1)/core_check $(ARGS)
endef

# Gives up after four minutes if the registry does not answer.
node:  ## Install the npm packages of some tests (mermaid, axe-core) into build/
	$(if $(shell command -v timeout),timeout 240) npm install --prefix build/node --no-audit \
	  --no-fund --fetch-retries=1 --fetch-timeout=60000 mermaid@11 axe-core@4

# If this fails, the tests of pages are skipped with a loud message.
browser:  ## Install what the tests of pages need, as far as permissions allow
	@command -v chromium > /dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	       && { apt-get -qq update; apt-get -qq install -y chromium > /dev/null; }; } \
	  || echo "NOT INSTALLED: chromium. Browser tests are skipped; 'apt install chromium'."
	@if [ -d build/node/node_modules/axe-core ]; then :; \
	  elif command -v npm > /dev/null && $(MAKE) --no-print-directory node; then :; \
	  else echo "NOT INSTALLED: mermaid and axe-core from npm. Their tests are skipped."; fi

# The first time, pip builds and installs the package (editable: Python files are
# used in place). After that only changed C++ files are compiled.
build: $(VENV)/.dev  ## Build the C++ core; run it after editing core/
	@$(BIN)/cmake --build $(BUILD) > build/log.txt || { cat build/log.txt; exit 1; }
	@$(BIN)/cmake --install $(BUILD) --prefix \
	  "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')" \
	  >> build/log.txt

wheel: $(VENV)/.dev  ## Build a wheel into dist/
	$(PIP) wheel --no-build-isolation --no-deps -w dist .

clean:  ## Remove everything that was built or installed
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "treewright needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@# Dependency groups need pip 25.1.
	@$(PIP) install --upgrade pip
	@touch $@

$(VENV)/.dev: $(VENV)/.pip pyproject.toml CMakeLists.txt
	@echo "Installing what the build, the tests and the linters need ..."
	@$(PIP) install --group dev
	@echo "Building treewright ..."
	@$(PIP) install --no-build-isolation -Cbuild-dir=$(BUILD) -e .
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@echo "Installing the libraries to compare with ..."
	@$(PIP) install --group bench
	@touch $@
