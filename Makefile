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
NODE  := build/node/node_modules
PAGE  := src/treewright/drawing/report/scripts tests/report/node eslint.config.js
CPP   := $(wildcard benchmarks/*.cpp core/*/*.cpp core/include/treewright/*.hpp core/*/*.hpp)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help tools demo test test-slow test-clusters coverage oldest newest spelling workflows proof proof-files proof-exports proof-imports lint lint-page tidy format stub bench bench-exports bench-compare docs docs-check docs-open docs-renew docs-zip sanitize sanitize-thread clang cross-aarch64 cross-s390x count-aarch64 node notebook browser databases office build wheel wheel-check clean proof-bounds clusters

help:  ## Show this list
	@echo "treewright: exact decision trees"
	@echo
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "Start with 'make demo'. Only browser, databases, office and clusters install anything"
	@echo "outside $(VENV) and build/: packages of Debian, as root."

demo: build  ## Set everything up, then show the whole story on real data
	@$(BIN)/treewright demo

test: build  ## Run the tests, except the long ones and those of clusters
	$(BIN)/python -m pytest -n auto --maxprocesses 4 -q -m "not slow" --ignore=tests/clusters $(ARGS)

# Only the report at the end compares with the floor.
COVERED := --cov --cov-report= --cov-fail-under=0

# In a process of its own: a process can have only one session of Spark.
test-clusters: clusters build  ## Run the tests of Dask and Spark, except the long ones
	$(BIN)/python -m pytest -q -m "not slow" tests/clusters $(ARGS)
	$(BIN)/python docs/tools/run_pages.py docs/guides/clusters.md

test-slow: build  ## Run the long tests, which CI runs too
	$(BIN)/python -m pytest -n auto --maxprocesses 4 -q -m slow --ignore=tests/clusters $(ARGS)

# The long tests run the lines that the others run, so they run without coverage, under which some take
# 1.7 times as long. A test that kills a process may leave part of a data file, of which coverage warns.
coverage: clusters build  ## Run tests as 'test' and all of clusters; they must cover 97 % of the lines
	@rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/python -m pytest -n auto --maxprocesses 4 -q $(COVERED) -m "not slow" \
	  --ignore=tests/clusters $(ARGS)
	$(BIN)/python -m pytest -q $(COVERED) --cov-append tests/clusters $(ARGS)
	$(BIN)/coverage report

oldest: $(VENV)/.dev  ## Run the tests with the oldest dependencies that pyproject.toml allows
	$(call with_versions,oldest,lowest-direct,'pyparsing==3.2.*')

newest: $(VENV)/.dev  ## Run the tests with the newest dependencies
	$(call with_versions,newest,highest)

# pandas 2.0 calls a function that NumPy 1.26 deprecates, matplotlib 3.8 functions that
# pyparsing 3.3 deprecates, and pyspark 4.0 leaves sockets open.
define with_versions
	$(BIN)/uv venv -q --clear --python $(PYTHON) build/$(1)
	$(BIN)/uv pip install -q --python build/$(1) --resolution $(2) -r pyproject.toml \
	  --all-extras --group build --group test $(3)
	PATH="$(abspath build/$(1)/bin):$$PATH" $(BIN)/uv pip install -q --python build/$(1) \
	  --no-build-isolation --no-deps -Cbuild-dir=build/$(1)-cmake .
	$(call test_with,$(1),-n auto --maxprocesses 4 --ignore=tests/clusters)
	$(call test_with,$(1),tests/clusters)
endef

test_with = PATH="$(abspath build/$(1)/bin):$$PATH" build/$(1)/bin/python -m pytest -q \
  -m "not slow" -W "ignore:np.find_common_type:DeprecationWarning" \
  -W "ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning" $(2) $(ARGS)

proof: build  ## Damage the arrays of a million trees: no crash, no wrong answer (long)
	$(BIN)/python tests/proof/damage.py $(or $(ARGS),1_000_000)

proof-files: build  ## Damage 100,000 model files: each is refused or its tree works (long)
	$(BIN)/python tests/proof/model_files.py $(or $(ARGS),100_000)

# FOLDER may hold adult.csv and ames_housing.csv, which the repository does not.
proof-exports: build  ## Run every export in every engine on 100,000 rows of each tree (long)
	$(BIN)/python tests/proof/exports.py $(or $(ARGS),100_000) $(FOLDER)

proof-imports: build  ## Import 5,000 random trees of scikit-learn and 500 of rpart (long)
	$(BIN)/python tests/proof/imports.py $(or $(ARGS),5_000)

proof-bounds: $(VENV)/.dev  ## Draw 10,000,000 buckets per criterion: no cut exceeds its bound (long)
	$(call configure,native,)
	@$(BIN)/cmake --build build/native
	build/native/core_check --buckets $(or $(ARGS),10000000)

lint: build spelling workflows  ## Check style, types, import layers, C++ format, spelling
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $(CPP)
	$(BIN)/python -m nanobind.stubgen -q -m treewright._core -o build/_core.pyi
	@diff -u src/treewright/_core.pyi build/_core.pyi \
	  || { echo "src/treewright/_core.pyi is out of date: run 'make stub'."; exit 1; }
	@if [ -d $(NODE)/eslint ]; then $(MAKE) --no-print-directory lint-page; \
	  else echo "NOT CHECKED: scripts of the report. Run 'make node', then 'make lint-page'."; fi

spelling: $(VENV)/.dev  ## Check the spelling of sources and pages
	$(BIN)/codespell src core docs tests benchmarks *.md

workflows: $(VENV)/.dev  ## Check workflows, issue forms and the citation file by their schemas
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

lint-page:  ## Check the scripts of the report (after 'make node')
	$(NODE)/.bin/eslint $(PAGE)
	$(NODE)/.bin/prettier --log-level warn --check $(PAGE)

tidy: build $(VENV)/.tidy  ## Check the C++ core with clang-tidy
	@printf '%s\n' core/src/*.cpp core/bind/*.cpp | xargs -n 3 -P "$$(getconf _NPROCESSORS_ONLN)" \
	  $(BIN)/clang-tidy -p $(BUILD) --quiet --warnings-as-errors='*'

format: $(VENV)/.dev  ## Format the sources
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(CPP)
	@if [ -d $(NODE)/prettier ]; then $(NODE)/.bin/prettier --log-level warn --write $(PAGE); fi

stub: build  ## Write the type stub of the C++ module
	$(BIN)/python -m nanobind.stubgen -q -m treewright._core -o src/treewright/_core.pyi

bench: build $(VENV)/.bench  ## Compare speed and memory with other libraries (long)
	$(BIN)/python benchmarks/speed.py $(ARGS)

# COMPARE holds options of compare.py, such as --allow 2.
bench-compare: build $(VENV)/.bench  ## Run it again; say what moved against the stored figures
	@rm -f build/bench.json
	-$(BIN)/python benchmarks/speed.py --out build/bench.json $(ARGS)
	$(BIN)/python benchmarks/compare.py $(COMPARE) benchmarks/results/speed.json build/bench.json

bench-exports: build $(VENV)/.bench  ## Measure how fast exports score rows (long)
	$(BIN)/python -W ignore benchmarks/exports.py $(ARGS)

docs: build $(VENV)/.docs  ## Build the book into build/site
	@rm -rf docs/generated build/site build/doctrees
	$(BIN)/python docs/tools/write_command_line.py
	$(BIN)/sphinx-build -W --keep-going -q -b html -d build/doctrees docs build/site
	$(BIN)/python docs/tools/check_site.py build/site
	@echo "The book is in build/site/index.html."

docs-check: docs  ## Build the book and check it in a browser ('make browser' installs one)
	$(BIN)/python -m pytest -q tests/docs/test_site.py $(ARGS)

docs-open: docs  ## Build the book and open it in a browser
	$(BIN)/python -m webbrowser "file://$(abspath build/site/index.html)"

docs-renew: build  ## Run the examples of the book and of the README, and renew their outputs
	$(BIN)/python docs/tools/run_pages.py --write $(ARGS)

docs-zip: docs  ## Pack the book for a release
	cd build && $(abspath $(BIN))/python -m zipfile -c treewright-book.zip site/

sanitize: $(VENV)/.dev  ## Run the kernels under AddressSanitizer and UBSan
	$(call core_check,address)

sanitize-thread: $(VENV)/.dev  ## Run the kernels under ThreadSanitizer
	$(call core_check,thread)

clang: $(VENV)/.dev  ## Build the kernels with clang and run their checks
	$(call configure,clang,-DCMAKE_CXX_COMPILER=clang++)
	@$(BIN)/cmake --build build/clang
	build/clang/core_check $(ARGS)

# Debian: apt install g++-aarch64-linux-gnu g++-s390x-linux-gnu qemu-user. s390x is big-endian.
cross-aarch64: build/native/trees.txt  ## Build the kernels for ARM64, run their checks under qemu
	$(call cross_check,aarch64)

cross-s390x: build/native/trees.txt  ## The same for s390x, which is big-endian
	$(call cross_check,s390x)

# qemu runs one instruction at a time and writes a line for each.
COUNTED := -std=c++20 -O3 -DNDEBUG -ffp-contract=off -static -Icore/include -pthread

count-aarch64:  ## Count the instructions of fits on ARM64, with and without vectors (long)
	@mkdir -p build
	aarch64-linux-gnu-g++ $(COUNTED) benchmarks/instructions.cpp core/src/*.cpp -o build/count-vectors
	aarch64-linux-gnu-g++ $(COUNTED) -DTREEWRIGHT_PLAIN_LOOPS benchmarks/instructions.cpp \
	  core/src/*.cpp -o build/count-plain
	@for criterion in gini entropy squared_error ten_classes; do for kind in vectors plain; do \
	  for fits in 0 1; do \
	    echo "$$criterion, $$kind, $$fits fits of 5000 x 10:" $$(qemu-aarch64 -singlestep \
	      -d exec,nochain -D /dev/stderr build/count-$$kind 5000 $$criterion $$fits 2>&1 >/dev/null \
	      | grep -c ^Trace); \
	  done; done; done

# Configures core_check in build/$(1). The C++ driver links no Python.
define configure
	@$(BIN)/cmake -S . -B build/$(1) -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DCMAKE_MAKE_PROGRAM="$(abspath $(BIN)/ninja)" -DTREEWRIGHT_CORE_TESTS=ON \
	  -DTREEWRIGHT_WERROR=ON $(2) > /dev/null
endef

# With one sanitizer: nothing has to be preloaded, and every report is about our code.
define core_check
	$(call configure,$(1),-DTREEWRIGHT_SANITIZE=$(1))
	@$(BIN)/cmake --build build/$(1)
	build/$(1)/core_check $(ARGS)
endef

# Small limits, so that small tables take all paths; linked statically, so that qemu needs no
# libraries of the other machine. Both machines must grow the same trees.
SMALL  := -DCMAKE_CXX_FLAGS=-DTREEWRIGHT_SMALL_LIMITS
ROUNDS := $(or $(ARGS),--rounds 60)

build/native/trees.txt: $(VENV)/.dev $(CPP)
	$(call configure,native,$(SMALL))
	@$(BIN)/cmake --build build/native
	build/native/core_check $(ROUNDS) > $@

define cross_check
	$(call configure,$(1),-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$(1) \
	  -DCMAKE_CXX_COMPILER=$(1)-linux-gnu-g++ -DCMAKE_EXE_LINKER_FLAGS=-static $(SMALL))
	@$(BIN)/cmake --build build/$(1)
	qemu-$(1) build/$(1)/core_check $(ROUNDS) | tee build/$(1)/trees.txt
	diff build/native/trees.txt build/$(1)/trees.txt
endef

# Gives up after four minutes if the registry does not answer.
node:  ## Install npm packages for tests and linters of pages into build/
	$(if $(shell command -v timeout),timeout 240) npm install --prefix build/node --no-audit \
	  --no-fund --fetch-retries=1 --fetch-timeout=60000 mermaid@11 axe-core@4 \
	  eslint@9 @eslint/js@9 globals@16 prettier@3

# Inkscape is large: its tests run where it is installed already.
DRAWERS := chromium librsvg2-bin libcairo2 poppler-utils fonts-liberation graphviz locales

notebook: $(VENV)/.dev  ## Install JupyterLab for the tests of notebooks
	$(PIP) install --group notebook

tools: $(VENV)/.dev  ## Install shap and other tools for trees of scikit-learn
	$(PIP) install --group tools

# If this fails, the tests of pages and pictures are skipped with a loud message.
browser:  ## Install what tests of pages and pictures need, if permitted
	@{ command -v chromium && command -v rsvg-convert && command -v pdftotext \
	   && command -v dot && ls /usr/share/i18n/locales/de_DE; } > /dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	       && { apt-get -qq update; apt-get -qq install -y $(DRAWERS) > /dev/null; }; } \
	  || echo "NOT INSTALLED: chromium and others. Tests of pages and pictures are" \
	          "skipped; 'apt install $(DRAWERS)'."
	@if [ -d $(NODE)/axe-core ] && [ -d $(NODE)/eslint ]; then :; \
	  elif command -v npm > /dev/null && $(MAKE) --no-print-directory node; then :; \
	  else echo "NOT INSTALLED: packages from npm. Their tests are skipped."; fi

# If this fails, the tests of these engines are skipped with a loud message.
databases:  ## Install the databases, R and Java that tests of exports use, if permitted
	@{ command -v mariadbd && command -v Rscript && command -v javac \
	   && ls /usr/lib/postgresql/*/bin/initdb; } > /dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	       && { apt-get -qq update; DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
	            postgresql mariadb-server r-base-core r-cran-rpart default-jdk-headless \
	            > /dev/null; }; } \
	  || echo "NOT INSTALLED: PostgreSQL, MariaDB, R or Java. Tests of exports there are skipped."

# If this fails, the tests of clusters are skipped with a loud message. Spark needs Java 17.
clusters: $(VENV)/.dev  ## Install Dask and Spark for the tests of clusters, if permitted
	@$(PIP) install --group clusters || echo "NOT INSTALLED: Dask or Spark."
	@command -v java > /dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	       && { apt-get -qq update; DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
	            default-jre-headless > /dev/null; }; } \
	  || echo "NOT INSTALLED: Java. Tests of Spark are skipped."

# If this fails, the tests of spreadsheets are skipped with a loud message.
office:  ## Install LibreOffice, which tests of spreadsheets use, if permitted
	@command -v soffice > /dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	       && { apt-get -qq update; DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
	            --no-install-recommends libreoffice-calc > /dev/null; }; } \
	  || echo "NOT INSTALLED: LibreOffice. Tests of spreadsheets are skipped."

# The first time, pip builds and installs the package (editable: Python files are
# used in place). After that only changed C++ files are compiled.
build: $(VENV)/.dev  ## Build the C++ core; run it after editing core/
	@$(BIN)/cmake --build $(BUILD) > build/log.txt || { cat build/log.txt; exit 1; }
	@$(BIN)/cmake --install $(BUILD) --prefix \
	  "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')" \
	  >> build/log.txt

wheel: $(VENV)/.dev  ## Build a wheel and a source distribution into dist/
	rm -rf dist
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/uv build -q --no-build-isolation --python $(BIN)/python \
	  --sdist --wheel -o dist .

wheel-check: wheel  ## Check what both hold, and use each in an empty environment
	$(BIN)/python tests/proof/packages.py dist

clean:  ## Remove everything that was built or installed
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "treewright needs Python 3.11 or newer; '$(PYTHON)' does not start one." \
	            "Name another: make PYTHON=python3.12 ..."; exit 1; }
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

$(VENV)/.tidy: $(VENV)/.dev
	@$(PIP) install --group tidy
	@touch $@

$(VENV)/.docs: $(VENV)/.dev
	@echo "Installing what the book needs ..."
	@$(PIP) install --group docs
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@echo "Installing the libraries to compare with ..."
	@$(PIP) install --group bench
	@touch $@
