# The commands of this repository. `make` alone explains them.

CONFIGURATION ?= release
ARGS ?=
SECONDS ?= 1800
INPUTS ?= 1000000
STRATUS_PORT ?= 8080
# The command of the soak: optimized, with the assertions that a release build leaves out, in a folder of its own.
SOAK_BUILD = swift build -c release -Xswiftc -assert-config -Xswiftc Debug --scratch-path .build-soak --product stratus
SOAK_STRATUS = $(CURDIR)/.build-soak/release/stratus
MODULES = Predicates RecordModel RecordWire RecordStorage RecordStorageConformance RecordStorageSQLite AssetStorageFiles \
	SchemaLanguage RecordEngine RecordServer RecordConsole PhotoScaling CloudKit StratusCloudKit CloudKitTesting \
	DataModel SectionedLists CoreData StratusCoreData CoreDataTesting ManagedObjectGeneration
SOURCES = Package.swift Sources Tests Plugins Examples Benchmarks/Package.swift Benchmarks/Sources \
	Benchmarks/CoreData/Package.swift Benchmarks/CoreData/Sources Companions/Package.swift Companions/Sources

.DEFAULT_GOAL := help
.PHONY: help setup build package package-test demo screenshots check test night bench bench-service bench-store bench-assets bench-postgres soak-build soak-bounds fuzz sanitizers api format lint docs map clean

help:
	@echo "Stratus: a record service that speaks CloudKit's web protocol, on your own ground."
	@echo
	@echo "  make demo      build, then serve 20,000 made-up players and 500 restaurants, the web apps"
	@echo "                 of Examples, and the Courses app; prints addresses to open and curl lines"
	@echo "                 to paste. Ctrl-C stops it.           ARGS='--port 9000' is passed on,"
	@echo "                 ARGS=--quick makes fewer records: a first look within seconds;"
	@echo "                 STORE=postgres starts a PostgreSQL for it, and prints how to start a second node"
	@echo "  make screenshots   the pictures of the READMEs, from a demo of its own"
	@echo "  make check     before each commit: Swift tests, lint, first pages in Chromium; minutes after a build"
	@echo "  make test      what CI runs: everything deterministic    ARGS='--only lint s3.py' for some steps, ARGS=--list"
	@echo "  make night     random seeds, hundreds of kills, every attack, all of PostgreSQL, apps built from nothing, sanitizers,"
	@echo "                 fuzzing; hours. Writes Documentation/nights/DATE.md     ARGS='--only kill9.py --seed 7' for a part"
	@echo "  make package   what people install, in dist/: a .deb, a tarball, a container image, without an engine"
	@echo "  make package-test   tries them in bare systems; as root, after make package"
	@echo "  make bench     measure against the same HTTP stack without a database, and against"
	@echo "                 PocketBase where POCKETBASE_BIN names it      ARGS='--quick' for a glance;"
	@echo "                 then the object store against SQLite's functions and GRDB (make bench-store)"
	@echo "  make bench-assets   1,000 photos up and down, beside nginx"
	@echo "  make bench-postgres   1,000,000 records on a PostgreSQL of its own, beside pgbench   ARGS='--quick'"
	@echo "  make sanitizers   the suites with threads and C under the thread and the address sanitizer"
	@echo "                 ARGS=thread or ARGS=address for one; a build of its own each"
	@echo "  make api       what is gone or changed in the public API since the last release   ARGS=COMMIT for another"
	@echo "  make soak-bounds   every attack and load for half an hour, and mixed loads for longer: memory, log,"
	@echo "                 waiting; prints asked and seen      ARGS='--markdown FILE' for the documents' table"
	@echo "                 Runs an optimized build with all assertions on, made in .build-soak"
	@echo "  make fuzz      $(INPUTS) tokens, signatures, ID tokens, mails and addresses each, chosen by libFuzzer   INPUTS=1000 for a glance;"
	@echo "                 an optimized build of its own, about five minutes the first time"
	@echo "  make format    bring all Swift into the checked-in style"
	@echo "  make lint      say where it is not; check the scripts"
	@echo "  make docs      write the modules' documentation to docs-build/"
	@echo "  make map       draw the modules of ARCHITECTURE.md again, from Package.swift"
	@echo "  make clean     remove what was built"
	@echo
	@echo "The first build takes about six minutes on two cores. CONFIGURATION=debug builds faster"
	@echo "and runs slower. What is missing (libsqlite3-dev, python3, …) is installed through apt."
	@echo "README.md says how to begin, ARCHITECTURE.md is the map."

setup:
	@scripts/setup.sh build

build: setup
	swift build -c $(CONFIGURATION) --product stratus

package:
	@scripts/setup.sh build package
	@python3 scripts/package $(ARGS)

package-test:
	@scripts/setup.sh package-test
	@python3 scripts/package/try.py $(ARGS)

demo: build
	swift build -c $(CONFIGURATION) --product Courses
	@if [ "$(STORE)" = postgres ]; then scripts/setup.sh postgres; fi
	@STORE=$(STORE) BIN=.build/$(CONFIGURATION) scripts/demo.sh $(ARGS)

screenshots: build
	@scripts/setup.sh test
	swift build -c $(CONFIGURATION) --product Courses
	@STRATUS=$(CURDIR)/.build/$(CONFIGURATION)/stratus scripts/screenshots.sh

check test night:
	@scripts/setup.sh build test
	@python3 scripts/suite $@ $(ARGS)

bench: bench-service bench-store

bench-service:
	@scripts/setup.sh build bench
	@python3 Benchmarks/run.py $(ARGS)

bench-store:
	@scripts/setup.sh build
	@swift build -c release --package-path Benchmarks/CoreData --product store-bench
	@Benchmarks/CoreData/.build/release/store-bench $(STORE_ARGS)

bench-assets:
	@scripts/setup.sh build bench
	swift build -c release --product stratus
	@STRATUS=.build/release/stratus python3 Benchmarks/assets.py $(ARGS)

bench-postgres:
	@scripts/setup.sh build bench postgres
	swift build -c release --product stratus
	@STRATUS=.build/release/stratus python3 Benchmarks/postgres.py $(ARGS)

sanitizers:
	@scripts/setup.sh build test
	@scripts/sanitizers.sh $(ARGS)

api:
	@scripts/setup.sh build
	@scripts/api.sh $(ARGS)

soak-build:
	$(SOAK_BUILD)

soak-bounds: soak-build
	@scripts/setup.sh build test
	@STRATUS=$(SOAK_STRATUS) python3 scripts/tests/bounds.py --each --seconds $(SECONDS) $(ARGS)

fuzz:
	@scripts/setup.sh build
	@scripts/fuzz.sh $(INPUTS)

format:
	swift format --in-place --parallel --recursive $(wildcard $(SOURCES))

lint:
	swift format lint --strict --parallel --recursive $(wildcard $(SOURCES))
	scripts/names.py
	scripts/unchecked.py
	scripts/dropped_errors.py
	scripts/words.py
	python3 -m py_compile scripts/suite/*.py scripts/tests/*.py scripts/package/*.py scripts/tests/bounds/*.py Tests/Browser/*.py Benchmarks/*.py
	for script in Sources/*/Resources/*.js Sources/RecordConsole/Static/*.js Examples/*/*.js; do \
		node --check --input-type=module <$$script || exit 1; done
	for script in scripts/*.sh scripts/tests/*.sh .ci/run .ci/release; do bash -n $$script || exit 1; done

docs:
	@scripts/setup.sh build
	@scripts/docs.sh $(MODULES)

map:
	@scripts/module_map.py

clean:
	rm -rf .build .build-foreign .build-package .build-tsan .build-asan .build-fuzz .build-soak dist docs-build Benchmarks/.build Benchmarks/results
