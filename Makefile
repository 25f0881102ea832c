# The two commands of the README are `make run` and `make test`; both do their own set-up on a fresh Debian 12.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help run test test-slow quick check lint format mypy pyright arrows prose law scenarios mutate referee bench structure proof evidence force simulate fuzz soak screenshots deb rig rig-powercut rig-usb lock clean setup

VENV := .venv/bin
CODE := tablectl drivers tests bench scripts
# pyright's own node and its own pinned self: it looks for nothing newer and nothing outside .venv.
export PYRIGHT_PYTHON_GLOBAL_NODE := 0
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
# Whatever is begun often is compiled once.
unexport PYTHONDONTWRITEBYTECODE

GAME ?= q-poker
demo_options = $(if $(GAME),--game '$(GAME)') $(if $(SPEED),--speed '$(SPEED)') $(if $(ROUNDS),--rounds '$(ROUNDS)') \
	$(if $(SEED),--seed '$(SEED)') $(if $(BROKER),--broker '$(BROKER)') $(if $(PLAY),--play)

# What the tests run beside the daemon: PROGRAM PACKAGE, as scripts/debian.sh takes them.
TEST_PROGRAMS := mosquitto mosquitto mosquitto_pub mosquitto-clients strace strace faketime faketime curl curl cc gcc - libc6-dev \
	chromium chromium chromium fonts-noto-cjk chromium fonts-dejavu-core nats-server nats-server pg_ctlcluster postgresql \
	udevadm udev adduser adduser dh debhelper dpkg-buildpackage dpkg-dev lintian lintian fakeroot fakeroot
# A file's tests stay together, because they share what was costly to set up.
WORKERS ?= 4
# The short form; MARKED= runs all.
MARKED ?= not long

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

run: .venv/run.stamp ## a simulated table in this terminal; GAME= SPEED= ROUNDS= SEED= BROKER= PLAY=1
	@$(if $(BROKER),,scripts/debian.sh mosquitto mosquitto)
	@exec $(VENV)/tablectl demo $(demo_options)

FROM_NPM := $(addsuffix /node_modules/.package-lock.json,tests/asyncapi tests/pages/axe)
test: .venv/dev.stamp $(FROM_NPM) ## the whole test suite; ARGS='-k dealer' picks
	@scripts/debian.sh $(TEST_PROGRAMS)
	-@scripts/debian.sh chromium-headless-shell chromium-headless-shell  # where it can be had: a quarter less work
	$(VENV)/python scripts/run_tests.py -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m '$(MARKED)' $(ARGS)

test-slow: .venv/dev.stamp ## the suite with a third of a core; HOW=busy beside six busy processes instead
	TEST_PATIENCE=$(or $(TEST_PATIENCE),3) scripts/slow.sh $(or $(HOW),third) $(MAKE) --no-print-directory test

quick: .venv/dev.stamp ## the quick tests: core, codecs, configuration, fold; ARGS='-k dealer' picks
	HYPOTHESIS_PROFILE=quick $(VENV)/pytest -q -n 2 -m 'not slow and not long' tests/core tests/config tests/proof tests/words \
		tests/drivers/test_frames.py tests/drivers/contract/test_codecs.py tests/drivers/angel_eye $(ARGS)

# The official AsyncAPI parser, against which the published contract is checked.
tests/asyncapi/node_modules/.package-lock.json: tests/asyncapi/package-lock.json .venv/dev.stamp
	@$(VENV)/python scripts/npm_ci.py tests/asyncapi

# What looks for barriers in the pages.
tests/pages/axe/node_modules/.package-lock.json: tests/pages/axe/package-lock.json .venv/dev.stamp
	@$(VENV)/python scripts/npm_ci.py tests/pages/axe

# Each gate is a target, so that one that fails does not hide the next; two at a time, the longest first.
GATES := pyright mypy lint format arrows prose
check: .venv/dev.stamp ## style, types, the arrows between the rooms, plain names and docstrings
	@$(MAKE) --no-print-directory -k -j 2 --output-sync=target $(GATES)

$(GATES): .venv/dev.stamp
lint:
	$(VENV)/ruff check .
format:
	$(VENV)/ruff format --check .
mypy:
	$(VENV)/mypy $(CODE)
pyright:
	$(VENV)/pyright
arrows:
	$(VENV)/lint-imports --no-logo
prose:
	$(VENV)/python scripts/prose.py

scenarios: .venv/dev.stamp ## every scenario in the core, with devices and with the whole daemon; ARGS=NAME for one
	@scripts/debian.sh mosquitto mosquitto
	$(VENV)/python -m tests.support.levels $(ARGS)

law: .venv/dev.stamp ## which code and tests carry each article; ARGS=--write the pages
	$(VENV)/python scripts/law.py $(ARGS)

# GAME has a default for `run`; here only one that was given counts.
mutate: .venv/dev.stamp ## whether tests notice every small change of the rules, and scenarios every rule that does nothing; GAME=
	$(VENV)/python scripts/mutate.py $(if $(filter file,$(origin GAME)),,$(GAME)) $(ARGS)
	$(VENV)/python scripts/behaviour.py $(if $(filter file,$(origin GAME)),,$(GAME))

referee: .venv/dev.stamp ## every settlement beside a second one, written from the law alone; TIMES= as many rounds, SEED=
	REFEREE_TIMES=$(or $(TIMES),15) REFEREE_SEED=$(or $(SEED),1) $(VENV)/pytest --timeout 1800 tests/referee $(ARGS)

SEEDS ?= 1-200
simulate: .venv/dev.stamp ## whole tables on a virtual clock under everything that can go wrong; SEEDS=1-10000 ARGS='--game q-poker'
	$(VENV)/python scripts/simulate.py --seeds $(SEEDS) $(ARGS)

bench: .venv/dev.stamp ## what the machine and the table can do
	@scripts/debian.sh mosquitto mosquitto chromium chromium
	$(VENV)/python -m bench $(ARGS)

structure: .venv/dev.stamp ## the figures of the code's structure and their bounds; ARGS='--list modules' names what is counted
	@scripts/debian.sh mosquitto mosquitto
	@$(VENV)/python scripts/structure.py $(ARGS)

proof: .venv/dev.stamp ## all that is promised, tried in full, part by part, in one table; hours; ARGS='--only frames' for one
	@scripts/debian.sh mosquitto mosquitto mosquitto_pub mosquitto-clients strace strace faketime faketime
	$(VENV)/python -m bench.proof $(ARGS)

evidence: .venv/dev.stamp $(FROM_NPM) ## what a laboratory asks of this commit, in build/evidence; SINCE= the last one's commit, RELEASE_KEY= signs
	@scripts/debian.sh $(TEST_PROGRAMS)
	$(VENV)/python -m scripts.evidence $(if $(SINCE),--since '$(SINCE)') $(ARGS)

# Every kill, every error and every crash state; in `make test` some of it.
force: .venv/dev.stamp ## a kill, an error and a power cut at every system call that changes a file; ARGS='--step 10'
	@scripts/debian.sh mosquitto mosquitto mosquitto_pub mosquitto-clients strace strace faketime faketime
	$(VENV)/python -m tests.force $(ARGS)

fuzz: .venv/dev.stamp ## every entrance for bytes from outside, by coverage; SECONDS= (each) TARGET= ARGS=--grow
	$(VENV)/python -m tests.fuzz $(TARGET) $(if $(SECONDS),--seconds '$(SECONDS)') $(ARGS)

soak: .venv/dev.stamp ## all games at full speed, and nothing of them may grow; MINUTES= ARGS='--game q-poker'
	@scripts/debian.sh mosquitto mosquitto
	$(VENV)/python -m bench.soak $(if $(MINUTES),--minutes '$(MINUTES)') $(ARGS)

deb: .venv/dev.stamp ## the Debian package, in build/deb, and its tests
	@scripts/deb.sh
	$(VENV)/pytest -q tests/systemd/test_package.py
	@$(VENV)/python -m tests.systemd.tried
	-@$(VENV)/python -m scripts.provenance build/deb/*.deb build/deb/*.whl

# The package on a real Debian in an emulated machine; wants root.
rig: .venv/dev.stamp ## the package under its unit in a guest, devices on USB; ARGS='boot accidents' picks
	@scripts/rig.sh
	$(VENV)/python -m tests.hil $(ARGS)

rig-powercut: .venv/dev.stamp ## the guest's power is cut while rounds are played; CUTS=100
	@scripts/rig.sh
	$(VENV)/python -m tests.hil.powercut --cuts $(or $(CUTS),20) $(ARGS)

rig-usb: .venv/dev.stamp ## the guest's devices are pulled, swapped and stalled, in every phase; REPLUGS=200
	@scripts/rig.sh
	$(VENV)/python -m tests.hil accidents phases --replugs $(or $(REPLUGS),200) --report build/rig/usb $(ARGS)

# Chinese needs a font that has it.
screenshots: .venv/dev.stamp ## pictures of every page, game and language, into docs/screenshots
	@scripts/debian.sh chromium chromium $(if $(wildcard /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc),,- fonts-noto-cjk)
	$(VENV)/python -m scripts.screenshots

setup: .venv/dev.stamp ## only the set-up for work on the project

.venv/run.stamp: requirements/run.txt requirements/build.txt pyproject.toml scripts/setup.sh
	@scripts/setup.sh run

.venv/dev.stamp: requirements/dev.txt requirements/build.txt pyproject.toml scripts/setup.sh
	@scripts/setup.sh dev

# The pins carry the hashes of all files of a version, so that another processor's set-up may use them too,
# and no address: where packages come from is the machine's own setting.
pin = cd requirements && ../$(VENV)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe --no-header \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host $(LOCK_ARGS)

lock: .venv/dev.stamp ## pin the requirements anew; LOCK_ARGS=--upgrade takes newer ones
	$(pin) -o run.txt run.in
	$(pin) -o build.txt build.in
	$(pin) -o dev.txt dev.in
	$(pin) -o package.txt package.in

clean: ## remove the environment and all that tools left
	rm -rf .venv .*_cache .hypothesis .coverage htmlcov build dist
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
