#!/usr/bin/env python3
"""Any moment of a server that archives its changes can be restored, to the second, whatever happens to the server.

Clients write over HTTP as in backup.py, one request under way at a time, and note when each was sent and when it was acknowledged.
The server archives into a folder; it is killed with SIGKILL now and then, stopped and started again, and loses its archive
for a while. Then moments are restored, and each is compared:

- for each client there is a number of requests that explains every record that is there: at least as many as were acknowledged
  at that moment, at most as many as were sent by then;
- `stratus doctor` finds nothing wrong;
- the data directory is burnt in the middle of writing: what is lost is less than ten seconds old;
- an archive that cannot be written stops no write, /readyz says so, and it catches up;
- a moment before the archive is refused with the first that there is.
"""

import argparse
import datetime
import os
import random
import shutil
import signal
import time

from backup import Writer, everything, explain
from support import (
    Client, Failure, Workplace, check_with_doctor, expect, free_port, get, main, make_token, run)

CONTAINER = "iCloud.org.stratus.backup"


def iso(second):
    return datetime.datetime.fromtimestamp(second, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class TimedWriter(Writer):
    """Notes when each request was sent and acknowledged, by the clock on the wall, as the server's."""

    def __init__(self, number, seed):
        super().__init__(number, seed)
        self.sent, self.answered = [], {}

    def send(self, *arguments, **more):
        while len(self.sent) > len(self.requests):
            self.sent.pop()
        self.sent.append(time.time())
        super().send(*arguments, **more)
        self.answered[len(self.requests)] = time.time()

    def bounds(self, second):
        """How many requests were acknowledged at a moment, and how many had been sent by then.

        The server's clock counts milliseconds, and what a killed one wrote last has its file's time, by a clock of the kernel
        that ticks a hundred to a thousand times a second."""
        least = max([count for count, at in self.answered.items() if at <= second], default=0)
        most = sum(at <= second + 0.011 for at in self.sent[:len(self.requests)])
        return least, max(least, most)


class Scene:
    def __init__(self, workplace, options):
        self.workplace, self.options = workplace, options
        self.random = random.Random(options.seed)
        self.port = free_port()
        self.data = workplace.path / "data"
        # A link, so that it goes away and comes back at one moment.
        self.archive = workplace.path / "archive"
        self.kept = workplace.path / "kept"
        self.kept.mkdir()
        self.archive.symlink_to(self.kept)
        self.place = str(self.archive)
        self.writers = [TimedWriter(number, options.seed) for number in range(options.clients)]
        self.restored = 0
        # When the server was killed or stopped.
        self.ends = []

    def start(self):
        self.server = self.workplace.start(
            "serve", "data", self.port, "--log-level", "warning", "--archive-to", self.place)
        self.server.wait_until_ready()

    def start_with_tokens(self):
        """Starts a server that is new, and waits for the first copy of its database.

        Gives the first second at which clients may write."""
        self.start()
        run("user", "add", "ada", "--data", str(self.data), "--container", CONTAINER)
        self.tokens = (make_token(self.data, CONTAINER), make_token(self.data, CONTAINER, "--user", "ada"))
        client = Client(self.port, CONTAINER, "private", *self.tokens)
        client.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Journal"}}}]})
        client.close()
        self.wait("A first base was not made", lambda: (self.metric("archive_earliest_seconds") or 0) > 0)
        return int(time.time()) + 1

    def take_away(self):
        """Puts a file in the archive's place."""
        file = self.workplace.path / "no-folder"
        file.write_text("no folder")
        os.replace(file, self.archive)

    def bring_back(self):
        link = self.workplace.path / "link"
        link.symlink_to(self.kept)
        os.replace(link, self.archive)

    def is_caught_up(self, seconds=6):
        """Whether nothing fails, and all but the last seconds is in the archive."""
        return self.metric("archive_failed") == 0 and (self.metric("archive_latest_seconds") or 0) >= time.time() - seconds

    def write_on_until(self, second):
        """Lets the clients write until there is a moment after this one."""
        self.wait("Time stands still", lambda: time.time() >= second)

    def begin(self):
        for writer in self.writers:
            writer.begin(self.port, self.tokens)

    def end(self):
        for writer in self.writers:
            writer.end()

    def metric(self, name):
        for line in get(self.port, "/metrics")[1].decode().splitlines():
            if line.startswith(f"stratus_{name} "):
                return float(line.split()[1])
        return None

    def wait(self, sentence, truth, seconds=90):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if truth():
                return
            for writer in self.writers:
                if writer.failure:
                    raise writer.failure
            expect(self.server.process.poll() is None, f"The server ended:\n{self.server.text[-1500:]}")
            time.sleep(0.1)
        expect(False, f"{sentence} within {seconds} s:\n{self.server.text[-1500:]}")

    def kill(self):
        self.ends.append(time.time())
        self.server.kill()
        self.end()

    def settle(self):
        """Takes over what is there of requests that were never answered."""
        found = everything(self.port, self.tokens)
        for writer in self.writers:
            count = len(writer.requests)
            writer.settle(found)
            if len(writer.requests) == count and count not in writer.answered:
                # It came through; nobody knows when it was done, but not later than now.
                writer.answered[count] = time.time()
            del writer.sent[len(writer.requests):]

    def restore(self, second, name="again"):
        again = self.workplace.path / name
        run("restore", self.place, "--at", iso(second), "--data", str(again), seconds=300)
        check_with_doctor(again)
        return again

    def compare(self, second):
        """Restores a moment, serves it, and compares all that is there."""
        again = self.restore(second)
        port = free_port()
        server = self.workplace.start("serve", "again", port, "--log-level", "warning")
        try:
            server.wait_until_ready()
            found = everything(port, self.tokens)
            for writer in self.writers:
                try:
                    explain(writer, found, *writer.bounds(second))
                except Failure as failure:
                    raise Failure(f"{iso(second)}: {failure}\nKilled or stopped at {[f'{at:.3f}' for at in self.ends]}") from None
        finally:
            server.kill()
        shutil.rmtree(again)
        self.restored += 1
        return len(found)


def moments(options):
    """Writes through kills and restarts, and restores moments between."""
    with Workplace("archive") as workplace:
        scene = Scene(workplace, options)
        try:
            first = scene.start_with_tokens()
            scene.begin()
            # Killed, and on again: the chain of the log goes on. More than once, as a kill may come just after an answer.
            for _ in range(options.kills):
                time.sleep(options.seconds)
                scene.kill()
                scene.start()
                scene.settle()
                scene.begin()
            time.sleep(options.seconds)
            scene.end()
            # Stopped and on again.
            scene.ends.append(time.time())
            scene.server.send(signal.SIGTERM)
            scene.server.wait()
            scene.start()
            scene.settle()
            scene.begin()
            time.sleep(2)
            archive_goes_away(scene)
            # Enough moments that are older than what may be lost.
            scene.write_on_until(first + 10 + max(4, options.moments // 4))
            scene.wait("The archive is behind", scene.is_caught_up)
            # The machine burns while it writes.
            burnt = time.time()
            scene.kill()
            shutil.rmtree(scene.data)
            last = int(burnt)
            expect_loss(scene, last)
            around = [second for at in scene.ends[:-1] for second in (int(at), int(at) + 1, int(at) + 2)]
            chosen = scene.random.sample(around, min(len(around), options.moments // 2))
            while len(chosen) < options.moments:
                chosen.append(scene.random.randint(first, last - 11))
            for second in chosen:
                scene.compare(second)
            early = run("restore", scene.place, "--at", iso(first - 4_000), "--data", str(scene.data) + "-never", check=False)
            expect("first moment is" in early.stderr, f"A moment before the archive: {early.stderr!r}")
            wrong = run("restore", scene.place, "--at", "yesterday", "--data", str(scene.data) + "-never", check=False)
            expect("is not a time" in wrong.stderr, f"No time: {wrong.stderr!r}")
            count = sum(len(writer.requests) for writer in scene.writers)
            print(f"{scene.restored} moments of {count} requests restored through {options.kills} kills, a restart and an archive that was away: all of them right")
        finally:
            scene.server.kill()


def archive_goes_away(scene):
    """Writes go on, /readyz says so, and it catches up."""
    scene.take_away()
    scene.wait("/readyz did not say that nothing is archived", lambda: b"not archived" in get(scene.port, "/readyz")[1])
    expect(get(scene.port, "/readyz")[0] == 200, "/readyz refuses clients for an archive")
    before = sum(writer.acknowledged for writer in scene.writers)
    scene.wait("Writes stopped for the archive", lambda: sum(writer.acknowledged for writer in scene.writers) > before + 9)
    scene.bring_back()
    scene.wait("The archive did not catch up", scene.is_caught_up)
    chains = list(scene.archive.glob("*/archive/*T*"))
    expect(len(chains) == 1, f"The log was not archived in one chain: {chains}")


def expect_loss(scene, last):
    """What is left after a fire is at most ten seconds old."""
    scene.restore(last, "data")
    port = free_port()
    server = scene.workplace.start("serve", "data", port, "--log-level", "warning")
    try:
        server.wait_until_ready()
        found = everything(port, scene.tokens)
        lost = 0
        for writer in scene.writers:
            least, _ = writer.bounds(last - 10)
            there = explain(writer, found, least, len(writer.requests))
            # The oldest one that was acknowledged and is gone.
            gone = [at for count, at in writer.answered.items() if count > there]
            lost = max(lost, last - min(gone)) if gone else lost
        expect(lost < 10, f"What was acknowledged {lost:.1f} s before the fire is lost")
        print(f"a burnt data directory: what was acknowledged up to {lost:.1f} s before is there")
    finally:
        server.kill()


def test():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--moments", type=int, default=4)
    parser.add_argument("--clients", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="for how long clients write before each kill")
    parser.add_argument("--kills", type=int, default=2)
    seed = random.SystemRandom().randrange(1 << 32) if "STRATUS_SOAK" in os.environ else 1
    parser.add_argument("--seed", type=int, default=int(os.environ.get("STRATUS_SEED", seed)))
    options = parser.parse_args()
    moments(options)


if __name__ == "__main__":
    main(test)
