# The map: the targets people use, then one rule for each stage, written from the stages' own declarations.
#
#   make                 this help                    make test        all tests (a tenth of the sweeps)
#   make demo            the whole loop on a mailbox  make test-long   all tests, whole sweeps
#                        that does not exist          make check       lint, types, generated files up to date
#   make plan            what would change            make bench       speed, against floors and peers
#   make reproduce       rebuild from raw, compare    make clean       remove derived files only
#   make rules docs      rewrite what is generated    make lock        resolve the dependency lock anew
#   make demo-accept     accept new demo facts        make real-mail   the loop on public real mail (DIR=...)
#   make fetch           read the mailbox             make notebook    draw the decisions log
#   make proposals       mine sender rules            make bench-smoke keeps the benchmarks alive
#   make discovery       prune Google's description of Gmail anew
#   make mutants         break gate and matcher in every way; some test must go red (an hour; LIMIT=40: a look)
#
# WORKSPACE (default: this folder, the demo's) and ACCOUNT (default: demo) choose the mailbox.

WORKSPACE ?= .
ACCOUNT ?= demo
PYTHON ?= python3

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .venv/bin
GMAILTRIAGE := $(BIN)/gmailtriage
PY := $(BIN)/python

# make and the shell misread these; a blank would silently run somewhere else.
UNSAFE := % : \# $$ ; & | < > ( ) { } * ? [ ] ~ ' " ` !
define refuse
$(error refused (name-refused): $(1) may not hold blanks or any of $(UNSAFE))
endef
ifneq ($(words $(WORKSPACE)),1)
$(call refuse,WORKSPACE)
endif
ifneq ($(words $(ACCOUNT)),1)
$(call refuse,ACCOUNT)
endif
$(foreach c,$(UNSAFE),$(if $(findstring $(c),$(WORKSPACE)$(ACCOUNT)),$(call refuse,WORKSPACE or ACCOUNT)))

WHERE := --workspace $(WORKSPACE) --account $(ACCOUNT)
SNAPSHOTS := $(WORKSPACE)/data/snapshots/$(ACCOUNT)
OWNER_FILES := mailboxes.toml policy.toml $(wildcard rules/*.toml)

# The set of facts is dynamic: a list that is rewritten only when it changes lets make see one that came or went.
SEALS := $(sort $(wildcard $(WORKSPACE)/data/raw/$(ACCOUNT)/*/capture.json) $(wildcard $(WORKSPACE)/receipts/*.jsonl) \
    $(wildcard $(WORKSPACE)/data/decisions/$(ACCOUNT)/*.jsonl) $(wildcard $(WORKSPACE)/manifests/*.approval.json))
FACTS := $(SNAPSHOTS)/facts.list $(SEALS)
NEEDS_FACTS := plan proposals $(SNAPSHOTS)/%
ifneq ($(filter $(NEEDS_FACTS),$(MAKECMDGOALS)),)
ifneq ($(strip $(SEALS)),$(strip $(file <$(SNAPSHOTS)/facts.list)))
$(shell mkdir -p -m 700 $(SNAPSHOTS))$(file >$(SNAPSHOTS)/facts.list,$(SEALS))
endif
endif
$(SNAPSHOTS)/facts.list: ;

.PHONY: help demo demo-accept plan proposals fetch test test-long check bench bench-smoke reproduce clean rules docs \
    lock discovery real-mail notebook mutants

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

# Two sets from one lock: base is enough for the demo, all is for the tests.
.venv: .venv/.base
.venv/.base: locks/base.txt pyproject.toml
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r locks/base.txt
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
.venv/.all: locks/all.txt .venv/.base
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r locks/all.txt
	@touch $@

demo: .venv/.base
	$(GMAILTRIAGE) demo
demo-accept: .venv/.base
	$(GMAILTRIAGE) demo --accept

fetch: .venv/.base
	$(GMAILTRIAGE) fetch $(WHERE)
plan: $(SNAPSHOTS)/plan.json
proposals: $(SNAPSHOTS)/proposals.parquet
reproduce: .venv/.base
	$(GMAILTRIAGE) reproduce $(WHERE)

real-mail: .venv/.base
	$(if $(DIR),,$(error refused (usage-refused): real-mail wants DIR=FOLDER, a folder of raw messages))
	$(GMAILTRIAGE) real-mail $(DIR)

notebook: .venv/.all
	$(PY) -m marimo run notebooks/decisions.py

test: .venv/.all
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder
test-long: .venv/.all
	rm -rf build/sweeps
	SWEEP=full $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder
counts: .venv/.all
	$(PY) -m tests.guarantees.counts
	$(PY) -m tests.guarantees.page --write

mutants: .venv/.all
	$(PY) -m tests.mutants $(if $(ONLY),--only $(ONLY)) $(if $(LIMIT),--limit $(LIMIT))

check: .venv/.all
	$(BIN)/ruff check pipeline stages twin tests bench docs
	$(BIN)/ruff format --check pipeline stages twin tests bench docs
	$(BIN)/mypy
	$(BIN)/mypy docs/verify_receipts.py
	$(PY) -m pipeline.makerules || { echo 'the rules block of the Makefile is stale: make rules'; exit 1; }
	$(PY) -m tests.guarantees.page || { echo 'docs/guarantees.md is stale or an ID has no test: make docs'; exit 1; }
	$(PY) -m pipeline.docs || { echo 'docs/stages.md or docs/schemas are stale: make docs'; exit 1; }

rules: .venv/.all
	$(PY) -m pipeline.makerules --write
docs: .venv/.all
	$(PY) -m pipeline.docs --write
	$(PY) -m tests.guarantees.page --write
discovery: .venv/.all
	$(PY) -m pipeline.gmail.prune

bench: .venv/.all
	$(PY) -m bench $(if $(ONLY),--only $(ONLY))
bench-smoke: .venv/.all
	$(PY) -m bench --smoke
measure-screen: .venv/.all
	$(if $(DIR),,$(error refused (usage-refused): measure-screen wants DIR=FOLDER, a folder of unpacked packages))
	$(PY) -m bench.screening $(DIR)

# Needs uv. One resolution; base is the same versions with fewer packages.
lock:
	uv pip compile pyproject.toml --all-extras --universal --generate-hashes --no-header --no-annotate \
	    --python-version 3.11 --quiet --output-file locks/all.txt
	uv pip compile pyproject.toml --constraint locks/all.txt --universal --generate-hashes --no-header --no-annotate \
	    --python-version 3.11 --quiet --output-file locks/base.txt

clean:
	rm -rf build $(SNAPSHOTS)

# --- stage rules: begin (make rules writes them) ---
SHARED := \
    pipeline/artifacts.py pipeline/canonical.py pipeline/config.py pipeline/evidence/answers.py \
    pipeline/evidence/captures.py pipeline/evidence/complete.py pipeline/evidence/history.py \
    pipeline/evidence/lists.py pipeline/evidence/raw.py pipeline/evidence/reconcile.py pipeline/evidence/shapes.py \
    pipeline/evidence/sources.py pipeline/evidence/takeout.py pipeline/evidence/union.py pipeline/mail/__init__.py \
    pipeline/mail/address.py pipeline/mail/address_scan.py pipeline/mail/auth.py pipeline/mail/body.py \
    pipeline/mail/charsets.py pipeline/mail/dates.py pipeline/mail/domains.py pipeline/mail/doubts.py \
    pipeline/mail/fold.py pipeline/mail/headers.py pipeline/mail/hidden.py pipeline/mail/html.py \
    pipeline/mail/lookalike.py pipeline/mail/message.py pipeline/mail/mime_values.py pipeline/mail/page_lines.py \
    pipeline/mail/parts.py pipeline/mail/rawmail.py pipeline/mail/reader.py pipeline/mail/rfc822.py \
    pipeline/mail/searched.py pipeline/mail/sheet.py pipeline/mail/style.py pipeline/models/capture.py \
    pipeline/models/document.py pipeline/models/manifest.py pipeline/models/operation.py pipeline/models/policy.py \
    pipeline/models/registry.py pipeline/refusals.py pipeline/stage.py pipeline/store.py pipeline/tables.py \
    pipeline/workspace.py

$(SNAPSHOTS)/hits.parquet : \
    $(FACTS) $(OWNER_FILES) $(SHARED) pipeline/judge/cascade.py pipeline/judge/examples.py \
    pipeline/judge/formula_list.py pipeline/judge/formulas.py pipeline/judge/gate.py pipeline/judge/given_names.py \
    pipeline/judge/legibility.py pipeline/judge/people.py pipeline/judge/plain_answers.py \
    pipeline/judge/plain_words.py pipeline/judge/shapes.py pipeline/mail/hypothetical.py \
    pipeline/mail/language_words.py pipeline/mail/languages.py pipeline/mail/matcher.py pipeline/mail/retold.py \
    pipeline/mail/sayings.py pipeline/mail/senders.py pipeline/models/__init__.py pipeline/models/decision.py \
    pipeline/models/labelname.py pipeline/models/rulefiles.py pipeline/models/rules.py pipeline/rulebook.py \
    stages/match.py
	$(GMAILTRIAGE) match --only $(WHERE)

$(SNAPSHOTS)/messages.parquet $(SNAPSHOTS)/threads.parquet $(SNAPSHOTS)/labels.parquet $(SNAPSHOTS)/label_history.parquet $(SNAPSHOTS)/mail_state.parquet $(SNAPSHOTS)/refused.parquet &: \
    $(FACTS) $(SHARED) pipeline/evidence/gather.py pipeline/evidence/rows.py pipeline/evidence/sheet.py \
    pipeline/mail/circle.py pipeline/mail/mask_context.py pipeline/mail/mask_words.py pipeline/mail/masks.py \
    pipeline/models/receipt.py pipeline/sealing/ordering.py pipeline/sealing/progress.py \
    pipeline/sealing/receipts.py stages/normalize.py
	$(GMAILTRIAGE) normalize --only $(WHERE)

$(SNAPSHOTS)/relations.parquet : \
    $(SNAPSHOTS)/messages.parquet $(SNAPSHOTS)/label_history.parquet $(SNAPSHOTS)/mail_state.parquet $(SHARED) \
    pipeline/evidence/gather.py pipeline/evidence/rows.py pipeline/evidence/sheet.py pipeline/judge/given_names.py \
    pipeline/judge/people.py pipeline/mail/circle.py pipeline/mail/mask_context.py pipeline/mail/mask_words.py \
    pipeline/mail/masks.py pipeline/models/receipt.py pipeline/sealing/ordering.py pipeline/sealing/progress.py \
    pipeline/sealing/receipts.py stages/normalize.py stages/relate.py
	$(GMAILTRIAGE) relate --only $(WHERE)

$(SNAPSHOTS)/screen.parquet : \
    $(FACTS) $(OWNER_FILES) $(SHARED) pipeline/evidence/gather.py pipeline/evidence/rows.py \
    pipeline/evidence/sheet.py pipeline/judge/__init__.py pipeline/judge/addressees.py pipeline/judge/borrowed.py \
    pipeline/judge/brands.py pipeline/judge/disguise.py pipeline/judge/errands.py \
    pipeline/judge/foreign_errands.py pipeline/judge/injection.py pipeline/judge/levels.py pipeline/judge/lures.py \
    pipeline/judge/orders.py pipeline/judge/patterns.py pipeline/judge/schemes.py pipeline/judge/seen.py \
    pipeline/judge/senders.py pipeline/judge/tongues.py pipeline/mail/circle.py pipeline/mail/hosting.py \
    pipeline/mail/hypothetical.py pipeline/mail/mask_context.py pipeline/mail/mask_words.py pipeline/mail/masks.py \
    pipeline/mail/matcher.py pipeline/mail/packed.py pipeline/mail/sayings.py pipeline/mail/senders.py \
    stages/screen.py
	$(GMAILTRIAGE) screen --only $(WHERE)

$(SNAPSHOTS)/protected.parquet : \
    $(SNAPSHOTS)/messages.parquet $(SNAPSHOTS)/threads.parquet $(SNAPSHOTS)/labels.parquet \
    $(SNAPSHOTS)/relations.parquet $(SNAPSHOTS)/hits.parquet $(SNAPSHOTS)/screen.parquet \
    $(SNAPSHOTS)/mail_state.parquet $(OWNER_FILES) $(FACTS) $(SHARED) pipeline/evidence/gather.py \
    pipeline/evidence/rows.py pipeline/evidence/sheet.py pipeline/judge/__init__.py pipeline/judge/addressees.py \
    pipeline/judge/borrowed.py pipeline/judge/brands.py pipeline/judge/cascade.py pipeline/judge/disguise.py \
    pipeline/judge/errands.py pipeline/judge/examples.py pipeline/judge/foreign_errands.py \
    pipeline/judge/formula_list.py pipeline/judge/formulas.py pipeline/judge/gate.py pipeline/judge/given_names.py \
    pipeline/judge/injection.py pipeline/judge/legibility.py pipeline/judge/levels.py pipeline/judge/lures.py \
    pipeline/judge/orders.py pipeline/judge/patterns.py pipeline/judge/people.py pipeline/judge/plain_answers.py \
    pipeline/judge/plain_words.py pipeline/judge/schemes.py pipeline/judge/seen.py pipeline/judge/senders.py \
    pipeline/judge/shapes.py pipeline/judge/tongues.py pipeline/mail/circle.py pipeline/mail/hosting.py \
    pipeline/mail/hypothetical.py pipeline/mail/language_words.py pipeline/mail/languages.py \
    pipeline/mail/mask_context.py pipeline/mail/mask_words.py pipeline/mail/masks.py pipeline/mail/matcher.py \
    pipeline/mail/packed.py pipeline/mail/retold.py pipeline/mail/sayings.py pipeline/mail/senders.py \
    pipeline/models/__init__.py pipeline/models/decision.py pipeline/models/labelname.py \
    pipeline/models/receipt.py pipeline/models/rulefiles.py pipeline/models/rules.py pipeline/rulebook.py \
    pipeline/sealing/ordering.py pipeline/sealing/progress.py pipeline/sealing/receipts.py stages/match.py \
    stages/normalize.py stages/protect.py stages/relate.py stages/screen.py
	$(GMAILTRIAGE) protect --only $(WHERE)

$(SNAPSHOTS)/decisions.parquet : \
    $(SNAPSHOTS)/messages.parquet $(SNAPSHOTS)/threads.parquet $(SNAPSHOTS)/labels.parquet \
    $(SNAPSHOTS)/screen.parquet $(SNAPSHOTS)/hits.parquet $(SNAPSHOTS)/protected.parquet \
    $(SNAPSHOTS)/mail_state.parquet $(OWNER_FILES) $(FACTS) $(SHARED) pipeline/evidence/gather.py \
    pipeline/evidence/rows.py pipeline/evidence/sheet.py pipeline/judge/__init__.py pipeline/judge/addressees.py \
    pipeline/judge/borrowed.py pipeline/judge/brands.py pipeline/judge/cascade.py pipeline/judge/disguise.py \
    pipeline/judge/errands.py pipeline/judge/examples.py pipeline/judge/foreign_errands.py \
    pipeline/judge/formula_list.py pipeline/judge/formulas.py pipeline/judge/gate.py pipeline/judge/given_names.py \
    pipeline/judge/hit_rows.py pipeline/judge/injection.py pipeline/judge/legibility.py pipeline/judge/levels.py \
    pipeline/judge/lures.py pipeline/judge/orders.py pipeline/judge/patterns.py pipeline/judge/people.py \
    pipeline/judge/plain_answers.py pipeline/judge/plain_words.py pipeline/judge/schemes.py pipeline/judge/seen.py \
    pipeline/judge/senders.py pipeline/judge/shapes.py pipeline/judge/tongues.py pipeline/judge/whole.py \
    pipeline/mail/circle.py pipeline/mail/hosting.py pipeline/mail/hypothetical.py pipeline/mail/language_words.py \
    pipeline/mail/languages.py pipeline/mail/mask_context.py pipeline/mail/mask_words.py pipeline/mail/masks.py \
    pipeline/mail/matcher.py pipeline/mail/packed.py pipeline/mail/retold.py pipeline/mail/sayings.py \
    pipeline/mail/senders.py pipeline/models/__init__.py pipeline/models/decision.py pipeline/models/labelname.py \
    pipeline/models/receipt.py pipeline/models/rulefiles.py pipeline/models/rules.py pipeline/rulebook.py \
    pipeline/sealing/ordering.py pipeline/sealing/progress.py pipeline/sealing/receipts.py stages/decide.py \
    stages/match.py stages/normalize.py stages/protect.py stages/relate.py stages/screen.py
	$(GMAILTRIAGE) decide --only $(WHERE)

$(SNAPSHOTS)/findings.parquet : \
    $(OWNER_FILES) $(SNAPSHOTS)/messages.parquet $(SNAPSHOTS)/labels.parquet $(SNAPSHOTS)/mail_state.parquet \
    $(SNAPSHOTS)/hits.parquet $(SNAPSHOTS)/protected.parquet $(SNAPSHOTS)/decisions.parquet $(FACTS) $(SHARED) \
    pipeline/evidence/gather.py pipeline/evidence/rows.py pipeline/evidence/sheet.py pipeline/judge/__init__.py \
    pipeline/judge/addressees.py pipeline/judge/audit_decisions.py pipeline/judge/audit_labels.py \
    pipeline/judge/borrowed.py pipeline/judge/brands.py pipeline/judge/cascade.py pipeline/judge/disguise.py \
    pipeline/judge/errands.py pipeline/judge/examples.py pipeline/judge/foreign_errands.py \
    pipeline/judge/formula_list.py pipeline/judge/formulas.py pipeline/judge/gate.py pipeline/judge/given_names.py \
    pipeline/judge/hit_rows.py pipeline/judge/injection.py pipeline/judge/legibility.py pipeline/judge/levels.py \
    pipeline/judge/lint_mail.py pipeline/judge/lures.py pipeline/judge/orders.py pipeline/judge/patterns.py \
    pipeline/judge/people.py pipeline/judge/plain_answers.py pipeline/judge/plain_words.py \
    pipeline/judge/rule_places.py pipeline/judge/schemes.py pipeline/judge/seen.py pipeline/judge/senders.py \
    pipeline/judge/shapes.py pipeline/judge/stored.py pipeline/judge/tongues.py pipeline/judge/whole.py \
    pipeline/mail/circle.py pipeline/mail/hosting.py pipeline/mail/hypothetical.py pipeline/mail/language_words.py \
    pipeline/mail/languages.py pipeline/mail/mask_context.py pipeline/mail/mask_words.py pipeline/mail/masks.py \
    pipeline/mail/matcher.py pipeline/mail/packed.py pipeline/mail/retold.py pipeline/mail/sayings.py \
    pipeline/mail/senders.py pipeline/models/__init__.py pipeline/models/approval.py pipeline/models/decision.py \
    pipeline/models/findings.py pipeline/models/labelname.py pipeline/models/receipt.py \
    pipeline/models/rulefiles.py pipeline/models/rules.py pipeline/rulebook.py pipeline/sealing/documents.py \
    pipeline/sealing/ordering.py pipeline/sealing/progress.py pipeline/sealing/receipts.py stages/audit.py \
    stages/decide.py stages/match.py stages/normalize.py stages/protect.py stages/relate.py stages/screen.py
	$(GMAILTRIAGE) audit --only $(WHERE) || test $$? -eq 9

$(SNAPSHOTS)/discards.parquet : \
    $(SNAPSHOTS)/messages.parquet $(SNAPSHOTS)/threads.parquet $(SNAPSHOTS)/screen.parquet \
    $(SNAPSHOTS)/hits.parquet $(SNAPSHOTS)/protected.parquet $(SNAPSHOTS)/relations.parquet \
    $(SNAPSHOTS)/mail_state.parquet $(SNAPSHOTS)/decisions.parquet $(OWNER_FILES) $(FACTS) $(SHARED) \
    pipeline/evidence/gather.py pipeline/evidence/rows.py pipeline/evidence/sheet.py pipeline/judge/__init__.py \
    pipeline/judge/addressees.py pipeline/judge/borrowed.py pipeline/judge/brands.py pipeline/judge/cascade.py \
    pipeline/judge/disguise.py pipeline/judge/errands.py pipeline/judge/examples.py \
    pipeline/judge/foreign_errands.py pipeline/judge/formula_list.py pipeline/judge/formulas.py \
    pipeline/judge/gate.py pipeline/judge/given_names.py pipeline/judge/hit_rows.py pipeline/judge/injection.py \
    pipeline/judge/legibility.py pipeline/judge/levels.py pipeline/judge/lures.py pipeline/judge/orders.py \
    pipeline/judge/patterns.py pipeline/judge/people.py pipeline/judge/plain_answers.py \
    pipeline/judge/plain_words.py pipeline/judge/schemes.py pipeline/judge/seen.py pipeline/judge/senders.py \
    pipeline/judge/shapes.py pipeline/judge/tongues.py pipeline/judge/trashing.py pipeline/judge/whole.py \
    pipeline/mail/circle.py pipeline/mail/hosting.py pipeline/mail/hypothetical.py pipeline/mail/language_words.py \
    pipeline/mail/languages.py pipeline/mail/mask_context.py pipeline/mail/mask_words.py pipeline/mail/masks.py \
    pipeline/mail/matcher.py pipeline/mail/packed.py pipeline/mail/retold.py pipeline/mail/sayings.py \
    pipeline/mail/senders.py pipeline/models/__init__.py pipeline/models/decision.py pipeline/models/labelname.py \
    pipeline/models/receipt.py pipeline/models/rulefiles.py pipeline/models/rules.py pipeline/rulebook.py \
    pipeline/sealing/ordering.py pipeline/sealing/progress.py pipeline/sealing/receipts.py stages/decide.py \
    stages/discard.py stages/match.py stages/normalize.py stages/protect.py stages/relate.py stages/screen.py
	$(GMAILTRIAGE) discard --only $(WHERE)

$(SNAPSHOTS)/proposals.parquet : \
    $(FACTS) $(OWNER_FILES) $(SNAPSHOTS)/messages.parquet $(SNAPSHOTS)/relations.parquet \
    $(SNAPSHOTS)/screen.parquet $(SNAPSHOTS)/protected.parquet $(SNAPSHOTS)/mail_state.parquet $(SHARED) \
    pipeline/evidence/gather.py pipeline/evidence/rows.py pipeline/evidence/sheet.py pipeline/judge/__init__.py \
    pipeline/judge/addressees.py pipeline/judge/borrowed.py pipeline/judge/brands.py pipeline/judge/cascade.py \
    pipeline/judge/disguise.py pipeline/judge/errands.py pipeline/judge/examples.py \
    pipeline/judge/foreign_errands.py pipeline/judge/formula_list.py pipeline/judge/formulas.py \
    pipeline/judge/gate.py pipeline/judge/given_names.py pipeline/judge/injection.py pipeline/judge/legibility.py \
    pipeline/judge/levels.py pipeline/judge/lures.py pipeline/judge/orders.py pipeline/judge/patterns.py \
    pipeline/judge/people.py pipeline/judge/plain_answers.py pipeline/judge/plain_words.py \
    pipeline/judge/schemes.py pipeline/judge/seen.py pipeline/judge/senders.py pipeline/judge/shapes.py \
    pipeline/judge/tongues.py pipeline/mail/circle.py pipeline/mail/hosting.py pipeline/mail/hypothetical.py \
    pipeline/mail/language_words.py pipeline/mail/languages.py pipeline/mail/mask_context.py \
    pipeline/mail/mask_words.py pipeline/mail/masks.py pipeline/mail/matcher.py pipeline/mail/packed.py \
    pipeline/mail/retold.py pipeline/mail/sayings.py pipeline/mail/senders.py pipeline/models/__init__.py \
    pipeline/models/approval.py pipeline/models/decision.py pipeline/models/labelname.py \
    pipeline/models/receipt.py pipeline/models/rulefiles.py pipeline/models/rules.py pipeline/rulebook.py \
    pipeline/sealing/documents.py pipeline/sealing/ordering.py pipeline/sealing/progress.py \
    pipeline/sealing/receipts.py stages/match.py stages/mine.py stages/normalize.py stages/protect.py \
    stages/relate.py stages/screen.py
	$(GMAILTRIAGE) mine --only $(WHERE)

$(SNAPSHOTS)/plan.json $(SNAPSHOTS)/trash_plan.json &: \
    $(SNAPSHOTS)/decisions.parquet $(SNAPSHOTS)/discards.parquet $(SNAPSHOTS)/messages.parquet \
    $(SNAPSHOTS)/threads.parquet $(SNAPSHOTS)/labels.parquet $(OWNER_FILES) $(SHARED) pipeline/clock.py \
    pipeline/evidence/gather.py pipeline/evidence/query.py pipeline/evidence/rows.py pipeline/evidence/sheet.py \
    pipeline/gmail/quota.py pipeline/judge/__init__.py pipeline/judge/addressees.py pipeline/judge/borrowed.py \
    pipeline/judge/brands.py pipeline/judge/cascade.py pipeline/judge/disguise.py pipeline/judge/errands.py \
    pipeline/judge/examples.py pipeline/judge/foreign_errands.py pipeline/judge/formula_list.py \
    pipeline/judge/formulas.py pipeline/judge/gate.py pipeline/judge/given_names.py pipeline/judge/hit_rows.py \
    pipeline/judge/injection.py pipeline/judge/legibility.py pipeline/judge/levels.py pipeline/judge/lures.py \
    pipeline/judge/orders.py pipeline/judge/patterns.py pipeline/judge/people.py pipeline/judge/plain_answers.py \
    pipeline/judge/plain_words.py pipeline/judge/schemes.py pipeline/judge/seen.py pipeline/judge/senders.py \
    pipeline/judge/shapes.py pipeline/judge/tongues.py pipeline/judge/trashing.py pipeline/judge/whole.py \
    pipeline/mail/circle.py pipeline/mail/hosting.py pipeline/mail/hypothetical.py pipeline/mail/language_words.py \
    pipeline/mail/languages.py pipeline/mail/mask_context.py pipeline/mail/mask_words.py pipeline/mail/masks.py \
    pipeline/mail/matcher.py pipeline/mail/packed.py pipeline/mail/retold.py pipeline/mail/sayings.py \
    pipeline/mail/senders.py pipeline/models/__init__.py pipeline/models/decision.py pipeline/models/labelname.py \
    pipeline/models/plan.py pipeline/models/receipt.py pipeline/models/rulefiles.py pipeline/models/rules.py \
    pipeline/rulebook.py pipeline/sealing/ordering.py pipeline/sealing/progress.py pipeline/sealing/receipts.py \
    stages/decide.py stages/discard.py stages/match.py stages/normalize.py stages/plan.py stages/protect.py \
    stages/relate.py stages/screen.py
	$(GMAILTRIAGE) plan --only $(WHERE)

# --- stage rules: end ---
