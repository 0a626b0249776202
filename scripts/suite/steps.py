"""What `make check`, `make test` and `make night` run: a row for each step, the longest first.

A step is a command for each of the three, or None where it is not part of it:

- **check**: what one runs before each commit, at most eight minutes on two cores after a build;
- **test**: what CI runs: everything deterministic, on SQLite, and the engines' conformance on PostgreSQL;
- **night**: random seeds, kill rounds, models, attacks, the whole of PostgreSQL, apps built from nothing.

What moved to the night keeps a short form in `test`. Commands are lines of a shell that starts in the repository's root:
`$SUITES` is the program of all Swift tests, `$SEED` the number from which a night's random choices follow, and `$SOAK` an optimized
`stratus` with all assertions on.
"""

import dataclasses
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts/tests"

# Suites that talk to servers are a process of their own: the laws of the others keep all of its threads busy for half a minute
# at times, which a server in the same process takes for a client that is too slow.
SERVERS = ("^(CoursesTests|RecordConsoleTests|RecordEngineTests|RecordServerTests|RecordStorageTests|ServiceTests"
           "|StratusCloudKitTests|StratusTests)[.]")
# The engine's laws, with the records in a PostgreSQL that the tests start.
LAWS = ("^RecordEngineTests[.](BackwardPaging|Batch|ChangeFeed|ChangeFeedLaw|FilterLaw|ForgottenDeletion|Idempotency|Intake|Limit"
        "|Live(Count|Query)|MarkerLaw|Notification|ParentTag|PredicateLaw|Query|Reference|Removed(ByReset|Part)|SchemaImport|SortLaw"
        "|StorageQuota|VersionLaw|WebPush|Webhook|Zone)Tests")
# What goes through a server to the store. What HTTP itself does with limits and hostile clients knows no engine.
SERVICE = ("^ServiceTests[.](AccountClient|AppleStyle|AssetClient|Asset|CancelledRequest|Conformance|DiscoveryClient|Document"
           "|NotificationClient|RepeatedRequest|Server|StoppedServer|SyncEngine)Tests")
POSTGRES = "STRATUS_TEST_STORE=postgres"


@dataclasses.dataclass(frozen=True)
class Step:
    """A command for each of the three runs, or None; what it may take in seconds; and whether it mostly waits."""

    name: str
    check: str | None = None
    test: str | None = None
    night: str | None = None
    seconds: int = 1_500
    waits: bool = False

    def command(self, run):
        """The shell line of a run, or None."""
        return getattr(self, run)


def everywhere(name, line, **more):
    """The same line in each of the three runs."""
    return Step(name, line, line, line, **more)


def script(name, options="", *, check=False, night=None, waits=False, seconds=1_500):
    """An executable of scripts/tests: its options in `make test` (None: not there), and those of the night where they differ.

    Those that take a seed ask the optimized build at night, since they have many rounds then."""
    short = f"exec scripts/tests/{name} {options or ''}".strip()
    long = short if night is None else f"exec scripts/tests/{name} {night}".strip()
    if "$SEED" in long:
        long = f"STRATUS=$SOAK {long}"
    return Step(name, short if check else None, short if options is not None else None, long, seconds, waits)


# What all others need, one after the other.
PREPARATIONS = [
    everywhere("build", "exec swift build --build-tests", seconds=2_400),
    Step("optimized build with assertions", night="exec make --no-print-directory soak-build", seconds=3_600),
]

# The longest come first, so that nothing runs alone in the end.
STEPS = [
    everywhere("Swift tests with servers", f"exec $SUITES --filter '{SERVERS}'"),
    script("foreign.py", None, night="", seconds=2_400),
    everywhere("other Swift tests", f"exec nice -n 10 $SUITES --skip '{SERVERS}'"),
    script("browser.sh"),
    Step("start pages in Chromium", "exec scripts/tests/browser.sh test_console test_players test_courses test_discover"),
    Step("laws on PostgreSQL", night=f"{POSTGRES} exec $SUITES --filter '{LAWS}'"),
    Step("service on PostgreSQL", night=f"{POSTGRES} exec $SUITES --filter '{SERVICE}'"),
    script("openapi.py"),
    everywhere("lint", "exec nice -n 10 make --no-print-directory lint", seconds=600, waits=True),
    script("bounds.py"),
    # The attacks that restart their server or fill a disk cannot be beside others.
    *(Step(f"bounds: {name}", test=line, night=line) for name, line in [
        ("log, removals", "exec scripts/tests/bounds.py --only log deletions indexes --exact --seconds 35"),
        ("who asks", "exec scripts/tests/bounds.py --only unread_pages forwarded app_share newcomers --exact --seconds 10"),
        ("doctor, full disk", "exec scripts/tests/bounds.py --only doctor full_disk --exact --seconds 10"),
    ]),
    Step("bounds: listeners, everything", seconds=3_600,
         night="STRATUS=$SOAK exec scripts/tests/bounds.py --only listeners everything --exact --seconds 600"),
    script("copy_from.py", waits=True),
    script("http2.py", waits=True),
    script("subscriptions.py", "--seconds 15", night="--seconds 600 --seed $SEED", waits=True),
    script("subscriptions_postgres.py", None, night="--seconds 120 --seed $SEED", waits=True),
    script("s3.py", night="--seed $SEED", waits=True),
    script("webhooks.py", "--rounds 3", night="--rounds 20 --seed $SEED", waits=True),
    script("nodes.py", "--rounds 2", night="--rounds 50 --seed $SEED --delays", waits=True),
    script("departure.py", waits=True),
    script("shared_news.py", waits=True),
    script("story.py", waits=True),
    script("proxies.py", waits=True),
    script("oidc.py", waits=True),
    script("accounts.py"),
    script("shares.py"),
    script("docs.py", check=True),
    script("archive_places.py", night="--seed $SEED", waits=True),
    script("five_users.py", "--seconds 8", night="--seconds 600 --seed $SEED"),
    script("kubernetes.sh"),
    script("apns.py"),
    script("archive.py", night="--kills 20 --seed $SEED", waits=True),
    script("assets_crash.py", night="--rounds 50 --seed $SEED"),
    script("code_blocks.py"),
    script("backup.py", night="--rounds 10 --seed $SEED"),
    script("tls.py"),
    Step("simulation.sh", *2 * ["exec scripts/tests/simulation.sh"], "exec scripts/tests/simulation.sh 5000 $SEED", seconds=7_200),
    script("kill9_postgres.py", None, night="--rounds 100 --seed $SEED", seconds=7_200),
    script("keys.py", waits=True),
    script("typescript.py", check=True),
    script("push.py"),
    script("kill9.py", night="--rounds 100 --seed $SEED", seconds=7_200),
    script("snippets.py"),
    script("notifications.py", night="--rounds 200 --clients 16 --receivers 16 --seed $SEED", seconds=7_200),
    script("devices.py"),
    script("demo.py"),
    script("container_files.py"),
    script("odd_names.py"),
    script("cloudkitjs.py", check=True),
    script("serve.py"),
    script("packages.py"),
    script("internet.py"),
    script("sealing.py"),
    script("public_path.py"),
    script("citations.py", check=True),
    script("app_packages.py"),
    script("assets.py"),
    script("conformance.py", check=True),
    script("releases.py", check=True),
    script("module_map.sh", check=True),
    script("assets_full.py"),
    # It uses what foreign.py compiled.
    script("generator.sh", None, night=""),
    Step("every law with random seeds", night="STRATUS_SOAK=10 exec scripts/laws.sh", seconds=14_400),
    Step("every attack and load", night="exec make --no-print-directory soak-bounds", seconds=14_400),
    Step("sanitizers", night="exec scripts/sanitizers.sh", seconds=14_400),
    Step("fuzz", night="exec make --no-print-directory fuzz", seconds=14_400),
]
