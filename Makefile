# SPDX-License-Identifier: Apache-2.0
# Every target sets up what it needs, then calls the tool that does the work.
#   make reproduce [PROFILE=smoke]      make test      make help
PRESET  ?= release
PROFILE ?= default
JOBS    ?= $(shell nproc)
BIN     := .venv/bin
BUILD   := build/$(PRESET)
REPORT  := results/$(if $(filter-out default,$(PROFILE)),$(PROFILE)/)report/index.html

.DEFAULT_GOAL := help
.PHONY: help setup build build-all reproduce test test-extra contestants dist lessons site lint bench clean distclean

help: ## print this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

setup: ## install the Debian packages and the .venv that are missing
	@scripts/setup

build: setup ## build build/$(PRESET)/outcore (PRESET=release)
	@cmake --preset $(PRESET) >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target outcore

build-all: setup ## build the tests too
	@cmake --preset $(PRESET) >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS)

reproduce: build ## run the default experiments and write the report (PROFILE=default)
	@test $(PROFILE) = smoke || test -f configs/devices/local.toml || { mkdir -p graphs && \
	  $(BUILD)/outcore probe graphs --seconds 20; } || echo "The device was not probed: the report lacks its curve."
	@$(BIN)/snakemake --profile profiles/$(PROFILE); ended=$$?; \
	  if test -f $(REPORT); then echo "The report: $(CURDIR)/$(REPORT)"; fi; exit $$ended

test: build-all ## run every C++ and Python test; the counts come last
	@scripts/setup test
	@scripts/test $(PRESET)

test-extra: build ## also install Slurm, Spark and the packages of requirements-extra.txt, and test with them (LONG=no: the short ones)
	@scripts/setup extra
	@scripts/setup graphx
	@scripts/contestants graphx
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-extra.txt
	@scripts/test $(PRESET) --extra $(if $(filter no,$(LONG)),-m 'not long')

contestants: setup ## install other programs for races, in a folder of their own (WITH=graphx: Spark, 500 MB)
	@$(if $(WITH),scripts/setup $(WITH))
	@scripts/contestants $(WITH)

dist: build ## pack build/release/outcore with its libraries into a tarball in dist/
	@scripts/dist

lessons: build ## open the lessons as notebooks in JupyterLab (analysis/lessons)
	@OUTCORE_BINARY=$(CURDIR)/$(BUILD)/outcore scripts/lessons

site: build ## write the docs and the lessons as a site that is read offline: build/site/index.html
	@OUTCORE_BINARY=$(CURDIR)/$(BUILD)/outcore scripts/site

lint: setup ## check formats, types and common mistakes
	@scripts/lint

bench: setup ## build and run the microbenchmarks
	@scripts/bench

clean: ## remove builds; results/, graphs/ and .venv stay
	rm -rf build

distclean: clean ## remove everything that is not in git, graphs and results too
	rm -rf .venv .contestants .contestants-* .snakemake dist graphs
	git clean -qfdX results analysis/lessons
