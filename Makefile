# UI4A. `make run` starts it, `make test` tests it; each does all of its own set-up.

CARGO ?= cargo
BUILT := $(or $(CARGO_TARGET_DIR),target)/release
BIN := $(BUILT)/ui4a
FUZZ := $(or $(CARGO_TARGET_DIR),target)/fuzz

.PHONY: run test test-offline ready demo bench conformance conformance-imports fuzz models setup setup-test install clean build help

help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:
	@scripts/setup.sh build

setup-test:
	@scripts/setup.sh test

# Every command selects the whole workspace: another selection unifies features anew and compiles dependencies again.
build: setup ## Build the program
	$(CARGO) build --release --locked --workspace --bins

models: build ## Fetch the models that tests use
	$(BIN) model pull qwen2.5-coder-1.5b
	$(BIN) model pull qwen2.5-coder-0.5b
	$(BIN) model pull smollm2-135m

run: build ## Build, fetch the model, warm the cache, start, open a browser
	$(BIN) model pull
	$(BIN) cache warm
	$(BIN) serve

test: setup-test models ## Every test, on the real parts
	$(BIN) cache warm
	@[ -d tests/verdaccio/node_modules ] || (cd tests/verdaccio && npm ci --ignore-scripts --omit=optional --no-audit --no-fund)
	UI4A_LOG=warn $(CARGO) test --release --locked --workspace

demo: setup-test ## Drive the main job in Chromium on the default model; screenshots in .artifacts/demo
	$(CARGO) build --release --locked --workspace --bins
	$(BIN) model pull
	$(BIN) cache warm
	$(BUILT)/demo

# Tests that need a registry which answers: it is their subject.
ONLINE := real:: upstream:: npm_installs_through_the_server a_package_that_there_is_not

test-offline: build setup-test ## Every test again with no network but this machine's own, from what `make test` left in the cache
	$(CARGO) test --release --locked --workspace --no-run
	UI4A_LOG=warn unshare --map-root-user --net sh -c 'ip link set lo up && exec "$$@"' offline \
	  $(CARGO) test --release --locked --offline --workspace -- $(addprefix --skip ,$(ONLINE))

conformance: setup-test ## Stream the corpus into real frames; compare with the snapshot (BLESS=--bless accepts what comes of it)
	$(CARGO) build --release --locked --workspace --bins
	$(BIN) cache warm
	$(BUILT)/conformance $(BLESS)

conformance-imports: setup-test ## Use every package that interfaces import, in Chromium; compare with the table (BLESS=--bless accepts it)
	$(CARGO) build --release --locked --workspace --bins
	cd tests/bench && npm ci --ignore-scripts --no-audit --no-fund
	$(BUILT)/conformance-imports $(BLESS) $(IMPORTS)

bench: setup-test ## Figures beside their limits and peers; `make bench ROW=stream` measures some
	$(CARGO) build --release --locked --workspace --bins
	cd tests/bench && npm ci --ignore-scripts --no-audit --no-fund
	$(BUILT)/bench $(ROW)

FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= carriers completion html

# cargo-fuzz asks for flags of a nightly compiler; RUSTC_BOOTSTRAP lets the stable one take them. It is installed beside the build.
fuzz: setup ## Hostile text for the scanners, ten minutes a target; `make fuzz FUZZ_TARGETS=html FUZZ_SECONDS=60`
	@[ -x $(FUZZ)/bin/cargo-fuzz ] || $(CARGO) install --locked cargo-fuzz@0.13.2 --root $(FUZZ)
	for target in $(FUZZ_TARGETS); do \
	  mkdir -p $(FUZZ)/corpus/$$target && \
	  (cd renderer && RUSTC_BOOTSTRAP=1 PATH="$$PATH:$(abspath $(FUZZ))/bin" $(CARGO) fuzz run --target-dir $(abspath $(FUZZ))/build $$target \
	    $(abspath $(FUZZ))/corpus/$$target ../tests/fixtures/corpus/tsx -- -max_total_time=$(FUZZ_SECONDS) -max_len=1024 -timeout=20 -dict=fuzz/words.dict) || exit 1; \
	done

ready: setup ## Formatting, lints, documentation and the repository's own rules
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --workspace --no-deps
	$(CARGO) xtask tidy

install: build ## Put ui4a on the PATH
	install -Dm755 $(BIN) "$(or $(CARGO_HOME),$(HOME)/.cargo)/bin/ui4a"

clean: ## Remove what was built
	$(CARGO) clean
