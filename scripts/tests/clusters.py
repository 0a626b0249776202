"""A PostgreSQL of a test's own, and nodes on it."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

from support import ROOT, Workplace, expect


class Cluster:
    """A PostgreSQL in a folder."""

    def __init__(self, folder, settings="-c fsync=off"):
        self.folder, self.settings = folder, settings
        self.url = self.control("start")

    def control(self, verb):
        # To a file: the server would keep a pipe open.
        output = self.folder.with_suffix(".out")
        with open(output, "w") as file:
            subprocess.run(
                [ROOT / "scripts/postgres.sh", verb, self.folder], check=True, stdout=file, timeout=60,
                env=os.environ | {"POSTGRES_OPTIONS": self.settings})
        return output.read_text().strip()

    def stop(self):
        subprocess.run([ROOT / "scripts/postgres.sh", "stop", self.folder], check=False)

    def crash(self):
        """Stops it as SIGKILL would, but for what it shares with the system, and starts it again."""
        data = self.folder / "data"
        os.kill(int((data / "postmaster.pid").read_text().split()[0]), 3)
        deadline = time.monotonic() + 30
        while (data / "postmaster.pid").exists():
            expect(time.monotonic() < deadline, "PostgreSQL does not stop")
            time.sleep(0.05)
        self.control("start")

    def kill(self):
        """Kills each of its processes with SIGKILL, and starts it again."""
        parent = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        children = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        processes = [parent, *map(int, children)]
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        # What shares memory with the old one keeps a new one from starting.
        deadline = time.monotonic() + 30
        while any(alive(process) for process in processes):
            expect(time.monotonic() < deadline, "PostgreSQL does not die")
            time.sleep(0.02)
        # In a container nobody may take note of the end of a process, and its number stays taken.
        for lock in [self.folder / "data/postmaster.pid", *(self.folder / "socket").glob(".s.PGSQL.*.lock")]:
            lock.unlink()
        self.control("start")


def alive(process):
    """Whether a process runs; one that waits for its parent to notice its end does not."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def cluster_of_nodes(name, *settings):
    """A workplace and a PostgreSQL in it; the nodes that are started there end before the database does."""
    with Workplace(name) as workplace:
        # PostgreSQL runs as somebody else where root starts it.
        os.chmod(workplace.path, 0o711)
        cluster = Cluster(workplace.path / "pg", *settings)
        try:
            yield workplace, cluster
        finally:
            for server in workplace.servers:
                server.kill()
            cluster.stop()


def start_nodes(workplace, cluster, ports):
    """Nodes that share a folder and are ready, at these ports."""
    nodes = [
        workplace.start("serve", "data", port, "--store", cluster.url, "--log-level", "warning") for port in ports]
    for node in nodes:
        node.wait_until_ready()
    return nodes
