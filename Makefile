# Everything a stranger needs: `make demo`, `make test`. The first run sets up .venv from the lock file.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# More than two cores have: many tests wait for other processes.
JOBS ?= 4
# The fast tests wait for nothing, and each process collects all tests before it runs any.
FAST_JOBS ?= 2
NPM := npm ci --prefix tests/mermaid --no-audit --no-fund --ignore-scripts
MERMAID := tests/mermaid/node_modules/.package-lock.json
BROWSER := $(VENV)/.browser

.PHONY: help setup demo test test-fast lint style types format agents bench soak site clean

help:
	@echo "make demo       index this repository, ask about its code, remember and recall"
	@echo "make test       lint, types, layers and all tests"
	@echo "make test-fast  the inner loop: tests without the slow ones (servers, browsers, PostgreSQL, very many examples, more than 80 ms)"
	@echo "make agents     real agents (Claude Code, Codex, Gemini CLI and others, from npm) against a scripted model, without keys"
	@echo "make bench      speed and quality against other systems (installs them)"
	@echo "make soak       long runs: many processes, many kills"
	@echo "make site       the documentation as web pages with search, in site/"

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Waypost needs Python 3.11 or later; try: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/waypost model install
	@touch $@

$(MERMAID): tests/mermaid/package-lock.json
	@command -v npm > /dev/null || { echo "The tests of diagrams need Node.js 20 or later with npm. Install it (apt install npm), then run make again." >&2; exit 1; }
	$(NPM) --silent || NODE_OPTIONS=--use-openssl-ca $(NPM)  # the second time with the certificates of the system
	@touch $@

# The dashboard is tested in a real browser: Debian's Chromium without windows, or any that WAYPOST_TEST_BROWSER names.
$(BROWSER): $(VENV)/.ready
	@command -v "$${WAYPOST_TEST_BROWSER:-chromium-headless-shell}" > /dev/null || bash scripts/install-browser.sh
	@touch $@

demo: setup
	@PATH="$(abspath $(BIN)):$$PATH" bash scripts/demo.sh

lint: style types

style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: setup
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Tests write many small files: in memory if there is room. To look at the files of a failed test, run pytest directly.
IN_MEMORY := room=$$([ -w /dev/shm ] && df -Pk /dev/shm | awk '$$4 > 4000000 && $$6 == "/dev/shm" {print $$6}'); \
	folder=$$(mktemp -d "$${room:-$${TMPDIR:-/tmp}}/wp.XXXXXX") || exit 1; \
	trap 'rm -rf "$$folder"' EXIT; trap 'exit 1' HUP INT TERM; TMPDIR="$$folder"

# mypy runs next to the tests, to keep two cores busy. Its output is printed last.
test: style $(MERMAID) $(BROWSER)
	@$(IN_MEMORY); export TMPDIR; \
	$(BIN)/mypy > "$$folder/types" 2>&1 & types=$$!; \
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not soak"; tests=$$?; \
	wait $$types; typed=$$?; echo "mypy:"; cat "$$folder/types"; \
	[ $$tests -eq 0 ] || echo "make test: tests failed" >&2; \
	[ $$typed -eq 0 ] || echo "make test: types are wrong, see mypy above" >&2; \
	[ $$tests -eq 0 ] && [ $$typed -eq 0 ]

test-fast: setup $(MERMAID)
	@$(IN_MEMORY) $(BIN)/python -m pytest -n $(FAST_JOBS) --dist worksteal -m "not soak and not slow"

# Installs the agents into ~/.cache/waypost-agents, or WAYPOST_AGENTS. AGENT="codex gemini" runs only these.
agents: setup
	$(BIN)/python -m tests.agents $(AGENT)

soak: setup
	$(BIN)/python -m pytest -m soak -s

bench: setup
	$(BIN)/python benchmarks/run.py

# Every warning, such as a dead link, is an error.
site: .venv-site/.ready
	$(PYTHON) scripts/llms.py
	NO_MKDOCS_2_WARNING=1 .venv-site/bin/mkdocs build --strict --quiet

.venv-site/.ready: scripts/site-requirements.txt
	$(PYTHON) -m venv .venv-site
	.venv-site/bin/python -m pip install --quiet --disable-pip-version-check -r scripts/site-requirements.txt
	@touch $@

clean:
	rm -rf $(VENV) .venv-site site tests/mermaid/node_modules .mypy_cache .ruff_cache .pytest_cache build dist
