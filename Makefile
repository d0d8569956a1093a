# Two commands: `make run` and `make test`. Both bring what they need.
SHELL := /bin/bash
VENV ?= .venv
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PY := $(VENV)/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: docs chromium nginx run test test-faults test-long bench lint format audit lock clean install install-dev

run: $(VENV)/.installed
	@$(PY) app.py

install: $(VENV)/.installed
install-dev: $(VENV)/.installed-dev
extras: $(VENV)/extras/.installed

$(VENV)/.installed: requirements.lock
	@test -n "$(PYTHON)" || { echo "Countersign needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@echo "Installing (once, about a minute) ..."
	@$(PY) -m pip install --quiet -r requirements.lock
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	@$(PY) -m pip install --quiet -r requirements-dev.lock
	@touch $@

$(VENV)/extras/.installed: $(VENV)/.installed-dev requirements-extras.lock
	@$(PY) -m pip install --quiet --no-deps --upgrade --target $(VENV)/extras -r requirements-extras.lock
	@touch $@

chromium:
	@command -v chromium chromium-browser google-chrome >/dev/null || bash tests/install_chromium.sh

nginx:
	@PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || bash tests/install_nginx.sh

tests/clients/node_modules/.installed: tests/clients/package.json
	@command -v npm >/dev/null || { echo "The JavaScript client tests need Node.js 20 or newer with npm"; exit 1; }
	@cd tests/clients && npm install --silent --no-package-lock --no-audit --no-fund
	@touch $@

test: $(VENV)/extras/.installed chromium tests/clients/node_modules/.installed
	@$(PY) -m pytest -n 2 --dist loadfile -m "not long and not faults" $(ARGS)

test-faults: $(VENV)/extras/.installed nginx
	@$(PY) -m pytest -m "faults and not long" tests/faults $(ARGS)

test-long: $(VENV)/extras/.installed chromium nginx
	@$(PY) -m pytest -m "long or faults" --timeout 3600 $(ARGS)

bench: $(VENV)/.installed-dev
	@$(PY) -m benchmarks all $(ARGS)

lint: $(VENV)/extras/.installed
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/pyright

format: $(VENV)/.installed-dev
	@$(VENV)/bin/ruff format .
	@$(VENV)/bin/ruff check --fix .

audit: $(VENV)/.installed-dev
	@$(PY) -m tests.audit

# Pins without host names: what pip resolved, version by version.
lock: $(VENV)/.installed-dev
	@$(PY) -m piptools compile --quiet --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --strip-extras -o requirements.lock pyproject.toml
	@$(PY) -m piptools compile --quiet --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --strip-extras -c requirements.lock -o requirements-dev.lock requirements-dev.in

clean:
	rm -rf $(VENV) tests/clients/node_modules

docs: $(VENV)/.installed
	@$(PY) -m agent.settings > docs/configuration.md
	@$(PY) -m agent.events > docs/protocol.schema.json
	@$(PY) -m agent.routing > router/workspace.json
