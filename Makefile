# Everything is installed into .venv, once: a stamp there is renewed when pyproject.toml changes.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP_INSTALL := $(RUN) -m pip install -qq --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-versions test-lowest test-newest docs bench format clean setup
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:
	@echo "make demo     compare learners on data sets, with a report and a picture"
	@echo "make test     check style and types, run the tests: six minutes on two processors"
	@echo "make test-all the same with many random examples, and with tests that take long: an hour"
	@echo "make test-versions  test trees and classifiers with the lowest and the newest libraries that are allowed"
	@echo "make docs     build the documentation in build/site"
	@echo "make bench    run the benchmarks"
	@echo "make format   format the code and fix what can be fixed"
	@echo "make clean    remove everything that the other targets made, .venv included"

demo: $(VENV)/.base
	@$(RUN) -m intemi.cli demo

# With EXTRA=test less is installed; tests that need the rest are skipped, and the run says so.
EXTRA ?= test-all

test: $(VENV)/.$(EXTRA)
	$(call TEST,)

# What a random example has found is found again with the same seed.
ifndef SEED
SEED := $(shell date +%s)
endif

test-all: export INTEMI_TESTS := full
test-all: $(VENV)/.test-all
	@echo "make test-all SEED=$(SEED)"
	$(call TEST,--hypothesis-seed=$(SEED) --timeout 1800)

# Types are checked, and kernels compiled, beside the tests: what mypy has found is shown after them. What is said of
# kernels is not shown: one that cannot be compiled fails again where a test needs it.
# For two processors: tests wait for processes, clocks and disks often enough to keep a third process busy.
define TEST
@$(RUN) -m ruff check
@$(RUN) -m ruff format --check
@mkdir -p build; $(RUN) -m scripts.compile_kernels > /dev/null 2>&1 & \
$(RUN) -m mypy > build/mypy.txt 2>&1 & mypy=$$!; \
$(RUN) -m pytest -n 3 --dist loadfile --no-loadscope-reorder --timeout 300 $(1); tested=$$?; \
wait $$mypy; typed=$$?; cat build/mypy.txt; [ $$tested$$typed = 00 ]
endef

# What depends on numba, numpy, scipy and scikit-learn, in an environment of its own for each end of their ranges.
VERSIONS := build/versions
DEPENDENT := tests/trees tests/learning $(wildcard tests/acceptance/*tree*.py tests/acceptance/*classifier*.py \
	tests/acceptance/*measure*.py tests/acceptance/*kernel*.py tests/acceptance/test_table_4_*.py)

test-versions: test-lowest test-newest

test-lowest test-newest: test-%: $(VERSIONS)/%/.installed
	$(VERSIONS)/$*/bin/python -m pip list --disable-pip-version-check | grep -E '^(numba|numpy|scikit-learn|scipy) '
	$(VERSIONS)/$*/bin/python -m pytest -n 2 --timeout 900 $(DEPENDENT)

$(VERSIONS)/%/.installed: pyproject.toml scripts/lowest_versions.py
	@rm -rf $(VERSIONS)/$*
	@$(PYTHON) -m venv $(VERSIONS)/$*
	@echo "Installing the $* versions into $(VERSIONS)/$*"
	@$(VERSIONS)/$*/bin/python -m pip install -qq --disable-pip-version-check --no-input --editable ".[frames,optuna,skops]" \
		hypothesis jsonschema pytest pytest-timeout pytest-xdist \
		$(if $(filter lowest,$*),$$($(PYTHON) scripts/lowest_versions.py numba numpy scikit-learn scipy))
	@touch $@

docs: $(VENV)/.docs
	@NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict --quiet
	@echo "The documentation is in build/site/index.html"

bench: $(VENV)/.bench
	@$(RUN) -m benchmarks

format: $(VENV)/.test
	$(RUN) -m ruff check --fix-only
	$(RUN) -m ruff format

clean:
	rm -rf $(VENV) build dist intemi-demo .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What a developer needs, without running anything.
setup: $(VENV)/.test-all

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "intemi needs Python 3.11 or later, got " + sys.version.split()[0])'
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.base: pyproject.toml | $(VENV)/.created
	@echo "Installing intemi into $(VENV)"
	@$(PIP_INSTALL) --editable .
	@touch $@

# An extra brings the base with it.
$(VENV)/.test $(VENV)/.test-all $(VENV)/.bench $(VENV)/.docs: $(VENV)/.%: pyproject.toml | $(VENV)/.created
	@echo "Installing intemi[$*] into $(VENV)"
	@$(PIP_INSTALL) --editable ".[$*]"
	@touch $@ $(VENV)/.base
