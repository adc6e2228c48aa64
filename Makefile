# The make targets of vppcfg; `make` alone lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PUBLIC := .venv-public
CLIENT := .venv-trex
READY := $(VENV)/.ready
VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"$$/\1/p' vppcfg/__init__.py)
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: venv
venv: $(READY) ## make .venv with vppcfg and what its tests need

# Made again when what it is made from changes; the mark comes last, so that a broken attempt is repeated. If the folder
# that PIP_FIND_LINKS names has all packages, no index is asked.
INSTALL = $(BIN)/python -m pip install --disable-pip-version-check --no-input --progress-bar off
$(READY): pyproject.toml setup.py
	@command -v $(PYTHON) >/dev/null || { echo "There is no program $(PYTHON)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "vppcfg needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1 | head -1)."; \
		echo "Name another one: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; } >&2
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments: the module venv or ensurepip is missing."; \
		echo "On Debian and Ubuntu this installs them: sudo apt-get install python3-venv"; exit 1; } >&2
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@{ [ -n "$$PIP_FIND_LINKS" ] && $(INSTALL) --no-index --quiet --editable '.[dev]' 2>/dev/null; } || { \
		$(INSTALL) --editable '.[dev]' | sed -u -n 's/^\(Collecting\|Installing\|Successfully\) /  \1 /p'; \
		exit $${PIPESTATUS[0]}; }
	@touch $@

.PHONY: demo
demo: $(READY) ## plan and apply two configurations on a simulated router
	@PATH="$(CURDIR)/$(BIN):$$PATH" docs/demo.sh

# Two more at a time than there are CPUs, for many tests wait for a timer or a router; a worker that has nothing left
# takes tests from another one. What measures time comes after them, alone. pytest exits 5 when PYTEST_ARGS names
# nothing of a kind.
PARALLEL ?= -n $(shell expr $$(nproc) + 2) --dist worksteal
NONE_NAMED = [ $$? = 5 ]
# What failed is run once more, alone: a machine that has other work too makes tests late, and a defect fails again.
AGAIN = { ended=$$?; [ $$ended = 5 ] || { [ $$ended = 1 ] && echo "Running once more, alone, what failed" && \
	$(BIN)/python -m pytest --last-failed --last-failed-no-failures none --maxfail 5 -m '$(1)' $(2); }; }
TIMED_ARGS = $(or $(PYTEST_ARGS),$(shell grep -rl --include="test_*.py" "mark.timed" tests))

# In a new checkout each worker would compile all of vppcfg and all of the tests by itself, and all at the same time.
# Only pytest compiles tests so that their assertions say what failed; half of them take as long as the other half.
# Where there is no /dev/shm, Python cannot share the work among processes.
COMPILED = tests/__pycache__
UNIT = tests/unit/
.PHONY: test
test: $(READY) ## run the tests
	@$(BIN)/python -m compileall -q $(if $(wildcard /dev/shm/.),-j 0) vppcfg
	@[ -d $(COMPILED) ] || for half in $(UNIT) "$(filter-out $(UNIT),$(wildcard tests/*/))"; do \
		$(BIN)/python -m pytest -q --collect-only $$half >/dev/null 2>&1 & done; wait
	@$(BIN)/python -m pytest $(PARALLEL) -m 'not long and not timed' $(PYTEST_ARGS) || $(call AGAIN,not long and not timed,$(PYTEST_ARGS))
	@$(BIN)/python -m pytest -m 'timed and not long' $(TIMED_ARGS) || $(call AGAIN,timed and not long,$(TIMED_ARGS))

.PHONY: test-long
test-long: $(READY) ## run the tests, those that take minutes too
	@LAW_TIMES=20 $(BIN)/python -m pytest $(PARALLEL) -m 'not timed' $(PYTEST_ARGS) || $(NONE_NAMED)
	@$(BIN)/python -m pytest -m timed $(PYTEST_ARGS) || $(NONE_NAMED)

# What pyproject.toml names is the lowest version that will do; .venv has the newest ones of the day on which it was made.
LOWEST := .venv-lowest
$(LOWEST)/.ready: pyproject.toml setup.py
	@echo "Making $(LOWEST) with the lowest versions that pyproject.toml allows"
	@rm -rf $(LOWEST)
	@$(PYTHON) -m venv $(LOWEST)
	@sed -n '/^dependencies = \[/,/^\]/s/^ *"\(.*\)>=\(.*\)",$$/\1==\2/p' pyproject.toml >$(LOWEST)/constraints.txt
	@sed -n 's/^loadtest = //p' pyproject.toml | grep -o '[A-Za-z]*>=[0-9.]*' | sed 's/>=/==/' >>$(LOWEST)/constraints.txt
	@$(LOWEST)/bin/python -m pip install --disable-pip-version-check --no-input --quiet \
		--constraint $(LOWEST)/constraints.txt --editable '.[dev]'
	@touch $@

.PHONY: test-lowest
test-lowest: $(LOWEST)/.ready ## run the tests with the lowest versions of what vppcfg depends on
	@$(LOWEST)/bin/python -m pytest $(PARALLEL) -m 'not long and not timed' $(PYTEST_ARGS)

# Each VPP is tested with by a run of its own, which the others do not stop, and has its count in the table at the end.
PREFIXES = $(or $(VPP_PREFIXES),$(VPP_PREFIX))
LIVE ?= --dist worksteal --tx $(shell expr $$(nproc) + 1)*popen//python=tests/live/worker
.PHONY: test-live
test-live: $(READY) ## run the tests that need a real VPP: make test-live VPP_PREFIX=DIR, or VPP_PREFIXES="DIR DIR"
	@[ -n "$(PREFIXES)" ] || { \
		echo "Name the VPP to test with: make test-live VPP_PREFIX=DIR, where DIR holds bin/vpp (/usr for a package)"; \
		exit 1; } >&2
	@for prefix in $(PREFIXES); do \
		[ -x "$$prefix/bin/vpp" ] || { echo "There is no program $$prefix/bin/vpp"; exit 1; } >&2; done
	@[ "$$(id -u)" = 0 ] || { echo "VPP's ports, taps and namespaces are made by root only: run this as root"; exit 1; } >&2
	@set -o pipefail; output=$$(mktemp); counts=; ended=0; for prefix in $(abspath $(PREFIXES)); do \
		PYTHON="$(abspath $(BIN)/python)" VPP_PREFIX="$$prefix" $(BIN)/python -m pytest $(LIVE) -m 'long or not long' \
			tests/live tests/contract $(PYTEST_ARGS) | tee "$$output" || ended=1; \
		counts+="$$prefix: $$(tail -n 1 "$$output")"$$'\n'; \
	done; rm -f "$$output"; printf '\n%s' "$$counts"; exit $$ended

# The kernel is Debian's user-mode Linux, a program: it takes no virtual machine, and has 802.1Q wherever it runs.
.PHONY: test-kernel
test-kernel: $(READY) ## test LCPs on Debian's own kernel, which has 802.1Q: as root, on Debian; make test-kernel VPP_PREFIX=DIR
	@[ -n "$(VPP_PREFIX)" ] || { \
		echo "Name the VPP to test with: make test-kernel VPP_PREFIX=DIR, where DIR holds bin/vpp (/usr for a package)"; \
		exit 1; } >&2
	@[ -x "$(VPP_PREFIX)/bin/vpp" ] || { echo "There is no program $(VPP_PREFIX)/bin/vpp"; exit 1; } >&2
	@VPP_PREFIX="$(abspath $(VPP_PREFIX))" $(BIN)/python -m tests.kernel.debian_kernel "$(abspath $(BIN))/python" \
		-m pytest -v -p no:cacheprovider -m 'long or not long' $(or $(PYTEST_ARGS),tests/live/test_kernel.py)

.PHONY: test-lab
test-lab: $(READY) ## send real packets through a laboratory: as root; a VPP too with VPP_PREFIX=DIR
	@[ "$$(id -u)" = 0 ] || { echo "Network namespaces are made by root only: run this as root"; exit 1; } >&2
	@for program in trafgen:netsniff-ng iperf3:iperf3; do command -v "$${program%%:*}" >/dev/null || { \
		echo "There is no program $${program%%:*}; on Debian and Ubuntu: apt-get install $${program##*:}"; exit 1; }; done >&2
	@[ -z "$(VPP_PREFIX)" ] || export VPP_PREFIX="$(abspath $(VPP_PREFIX))"; \
		$(BIN)/python -m pytest -m 'long or not long' tests/lab $(PYTEST_ARGS)

# The official client of T-Rex brings modules of its own: it gets a virtual environment, and is run, never imported.
$(CLIENT)/.ready:
	@echo "Making $(CLIENT) with lbr-trex-client 3.4.0, to compare with"
	@rm -rf $(CLIENT)
	@$(PYTHON) -m venv $(CLIENT)
	@$(CLIENT)/bin/python -m pip install --disable-pip-version-check --no-input --quiet lbr-trex-client==3.4.0
	@touch $@

.PHONY: test-trex
test-trex: $(READY) ## load a real VPP with a real T-Rex: make test-trex TREX_DIR=DIR VPP_PREFIX=DIR
	@[ -n "$(TREX_DIR)" ] && [ -n "$(VPP_PREFIX)" ] || { \
		echo "Name both: make test-trex TREX_DIR=DIR VPP_PREFIX=DIR, where TREX_DIR holds t-rex-64 and VPP_PREFIX bin/vpp"; \
		exit 1; } >&2
	@[ -x "$(TREX_DIR)/t-rex-64" ] || { echo "There is no program $(TREX_DIR)/t-rex-64"; exit 1; } >&2
	@[ -x "$(VPP_PREFIX)/bin/vpp" ] || { echo "There is no program $(VPP_PREFIX)/bin/vpp"; exit 1; } >&2
	@[ "$$(id -u)" = 0 ] || { echo "Ports and namespaces are made by root only: run this as root"; exit 1; } >&2
	@$(MAKE) $(CLIENT)/.ready
	@TREX_DIR="$(abspath $(TREX_DIR))" VPP_PREFIX="$(abspath $(VPP_PREFIX))" TREX_CLIENT="$(abspath $(CLIENT)/bin/python)" \
		$(BIN)/python -m pytest -m 'long or not long' tests/trex $(PYTEST_ARGS)

# The public vppcfg has the same name: it gets a virtual environment of its own, and is run, never imported.
$(PUBLIC)/.ready:
	@echo "Making $(PUBLIC) with the public vppcfg 1.2.4, to compare with"
	@rm -rf $(PUBLIC)
	@$(PYTHON) -m venv $(PUBLIC)
	@$(PUBLIC)/bin/python -m pip install --disable-pip-version-check --no-input --quiet vppcfg==1.2.4 vpp_papi
	@touch $@

# The collection has tools of its own, which would not go with what vppcfg is tested with.
ANSIBLE := .venv-ansible
$(ANSIBLE)/.ready: Makefile
	@echo "Making $(ANSIBLE) with ansible-core 2.19"
	@rm -rf $(ANSIBLE)
	@$(PYTHON) -m venv $(ANSIBLE)
	@$(ANSIBLE)/bin/python -m pip install --disable-pip-version-check --no-input --quiet \
		'ansible-core==2.19.*' 'ansible-lint==26.10.*' 'antsibull-docs==2.28.*' pytest
	@touch $@

.PHONY: ansible
ansible: $(READY) $(ANSIBLE)/.ready ## test the Ansible collection; SHORT=1: unit tests, lint, a fleet of three; FLEET=N; VPP_PREFIX=DIR
	@FLEET="$(FLEET)" VPP_PREFIX="$(abspath $(VPP_PREFIX))" ansible/check $(BIN) $(ANSIBLE)/bin $(if $(SHORT),short)

.PHONY: bench
bench: $(READY) $(PUBLIC)/.ready ## measure on large networks and write docs/performance.md; VPP_PREFIX=DIR: with a real VPP
	@VPP_PREFIX="$(abspath $(VPP_PREFIX))" $(BIN)/python -m bench \
		--public $(PUBLIC)/bin/vppcfg --document docs/performance.md $(BENCH_ARGS)

.PHONY: mutants
mutants: $(READY) ## change the code in places and tell what no test notices; MUTANTS=PATHS SAMPLE=N SEED=N REACH=far
	@PYTHONDONTWRITEBYTECODE=1 $(BIN)/python -m tests.mutants $(MUTANTS) --sample $(or $(SAMPLE),50) --seed $(or $(SEED),1) \
		--reach $(or $(REACH),near)

.PHONY: lint
lint: $(READY) ## check style and types
	@$(BIN)/python -m ruff check
	@$(BIN)/python -m mypy

.PHONY: format
format: $(READY) ## put the code into its standard form
	@$(BIN)/python -m ruff check --fix-only
	@$(BIN)/python -m ruff format

.PHONY: docs
docs: $(READY) ## write the documents that are made from the code
	@$(BIN)/python -m tools.rule_pages docs
	@$(BIN)/python -m vppcfg.config.schema.text schema/vppcfg.yaml
	@$(BIN)/python -m vppcfg.config.schema.json_schema docs/configuration.md docs/tuning.md >schema/new.json \
		&& mv schema/new.json schema/vppcfg.schema.json
	@$(BIN)/python -m tests.documents.record_schema

# What makes the site would not go with what vppcfg is tested with.
SITE := .venv-site
$(SITE)/.ready: Makefile
	@echo "Making $(SITE) with Sphinx and the theme Furo"
	@rm -rf $(SITE)
	@$(PYTHON) -m venv $(SITE)
	@$(SITE)/bin/python -m pip install --disable-pip-version-check --no-input --quiet \
		sphinx==9.0.4 furo==2025.12.19 myst-parser==5.2.0
	@touch $@

# Whatever leads nowhere is an error, an anchor too; so is what a page would load from elsewhere.
.PHONY: site
site: $(SITE)/.ready ## build the documents as a site, build/site/index.html, with every link checked
	@rm -rf build/site
	@$(SITE)/bin/python -m sphinx -q -W --keep-going -c docs -d build/site-doctrees . build/site
	@echo '<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html"><a href="docs/index.html">vppcfg</a>' \
		>build/site/index.html
	@! grep -rhoE --include='*.html' '<(script|img|iframe|link)[^>]*(src|href)="(https?:)?//[^>]*>' build/site >&2 \
		|| { echo "A page loads this from elsewhere" >&2; exit 1; }
	@echo "$(CURDIR)/build/site/index.html"

.PHONY: site-links
site-links: $(SITE)/.ready ## ask every other site that a document links to whether the page is there
	@$(SITE)/bin/python -m sphinx -q -b linkcheck -c docs -d build/site-doctrees . build/site-links

.PHONY: picture
picture: $(READY) ## run a first change on a simulated router and draw it as docs/session.svg
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tools.picture docs/picture.sh docs/session.svg

.PHONY: wheel
wheel: $(READY) ## build dist/vppcfg-VERSION-py3-none-any.whl
	@rm -rf build
	@$(BIN)/python -m pip wheel --disable-pip-version-check --no-deps --no-build-isolation --quiet --wheel-dir dist .
	@ls dist/vppcfg-*.whl

.PHONY: deb
deb: deb-tools $(READY) ## build dist/vppcfg_VERSION_all.deb, for Debian 12 and 13
	@PYTHON=$(BIN)/python debian/build

# Asked for before .venv is made, which takes a while; no target for people.
deb-tools:
	@debian/build --check

# What lists the parts of a release and packs the collection brings modules that vppcfg does not need.
RELEASE := .venv-release
$(RELEASE)/.ready: Makefile
	@echo "Making $(RELEASE) with cyclonedx-bom and ansible-core"
	@rm -rf $(RELEASE)
	@$(PYTHON) -m venv $(RELEASE)
	@$(RELEASE)/bin/python -m pip install --disable-pip-version-check --no-input --quiet cyclonedx-bom==7.5.0 'ansible-core==2.19.*'
	@touch $@

.PHONY: release
release: $(READY) $(RELEASE)/.ready ## build all that a release consists of from its tag, and publish nothing: KEY=FINGERPRINT
	@$(BIN)/python -m tools.release "$(CURDIR)" $(RELEASE)/bin "$(KEY)"

# The same tree is built twice, once as what was there before.
# The commit of 1.0.0, whose package is upgraded.
UPGRADED = 5981c5af
.PHONY: test-deb
test-deb: $(READY) ## install, use, upgrade, boot and purge the package in Debian 12 and 13 (as root, from Debian's archive)
	@[ "$$(id -u)" = 0 ] || { echo "Only root can make and enter a Debian of its own: run this as root"; exit 1; } >&2
	@rm -rf build/before && git clone --quiet --no-checkout . build/before && git -C build/before checkout --quiet $(UPGRADED)
	@DEB_VERSION=$(VERSION)~before PYTHON=$(abspath $(BIN)/python) build/before/debian/build
	@LINT=changes PYTHON=$(BIN)/python debian/build
	@VPPCFG_DEB="$(CURDIR)/dist/vppcfg_$(VERSION)_all.deb" VPPCFG_DEB_BEFORE="$(CURDIR)/build/before/dist/vppcfg_$(VERSION)~before_all.deb" \
		$(BIN)/python -m pytest tests/deb $(PYTEST_ARGS)

.PHONY: clean
clean: ## remove everything that was made here, .venv included
	@rm -rf $(VENV) $(PUBLIC) $(CLIENT) $(LOWEST) $(SITE) $(RELEASE) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
