"""What the command tests share: starting servers, making tokens, sending requests. Standard library only."""

import argparse
import faulthandler
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A step that takes too long shows where it is (scripts/suite).
faulthandler.register(signal.SIGUSR1, all_threads=True)
TOKEN = re.compile(r"\b[0-9a-f]{64}\b")


def stratus():
    """The command under test."""
    path = os.environ.get("STRATUS") or str(ROOT / ".build/debug/stratus")
    if not os.access(path, os.X_OK):
        sys.exit(f"There is no command at {path}. Build it (swift build --product stratus), or set STRATUS.")
    return path


def is_free(port):
    """Whether nobody listens on a port."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


def free_port(following=0):
    """A port that nobody listens on, outside those that the system gives to clients: what runs beside would take it.

    So many that follow it are free as well."""
    while True:
        port = random.randrange(10_240, 32_000)
        if all(is_free(port + more) for more in range(following + 1)):
            return port


def free_ports(count):
    """As many ports that nobody listens on, each another one."""
    ports = set()
    while len(ports) < count:
        ports.add(free_port())
    return sorted(ports)


def run(*arguments, check=True, seconds=120):
    """Runs `stratus …` to its end."""
    done = subprocess.run(
        [stratus(), *arguments], capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)
    if check and done.returncode != 0:
        raise Failure(f"'stratus {' '.join(arguments)}' ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def make_token(data, container, *more):
    """An API token of the container's development environment, or a user's token with `--user NAME`."""
    output = run("token", "create", "--data", str(data), "--container", container, *more).stdout
    found = TOKEN.search(output)
    if not found:
        raise Failure(f"'stratus token create' printed no token:\n{output}")
    return found.group()


class Failure(Exception):
    """A promise that did not hold."""


def expect(truth, sentence):
    if not truth:
        raise Failure(sentence)


def wait_for(sentence, condition, seconds=60):
    """Waits until a condition holds; else the sentence is said, or what it gives when it is called then."""
    deadline = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < deadline, sentence() if callable(sentence) else sentence)
        time.sleep(0.05)


class Server:
    """A server in a process of its own, whose output goes to a file beside its data."""

    def __init__(self, verb, data, port, *more):
        self.port = port
        self.data = pathlib.Path(data)
        self.output_path = self.data.parent / f"{self.data.name}.log"
        self.output = open(self.output_path, "ab")
        self.offset = self.output.tell()
        self.process = subprocess.Popen(
            [stratus(), verb, "--data", str(data), "--port", str(port), *more],
            # All load comes from a user or two.
            env={"STRATUS_USER_RATE": "0"} | os.environ, stdin=subprocess.DEVNULL, stdout=self.output,
            stderr=subprocess.STDOUT)

    @property
    def text(self):
        """What the server printed since it was started."""
        with open(self.output_path, "rb") as file:
            file.seek(self.offset)
            return file.read().decode(errors="replace")

    def wait_until_ready(self, seconds=60):
        """Waits for /readyz to answer 200, and gives how long that took."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            if self.process.poll() is not None:
                raise Failure(f"The server ended with {self.process.returncode}:\n{self.text[-2000:]}")
            try:
                status, _ = get(self.port, "/readyz")
                if status == 200:
                    return time.monotonic() - start
            except OSError:
                pass
            time.sleep(0.02)
        raise Failure(f"The server was not ready after {seconds} s:\n{self.text[-2000:]}")

    def send(self, number):
        self.process.send_signal(number)

    def wait(self, seconds=30):
        """The exit status."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"The server still runs {seconds} s after it was told to stop:\n{self.text[-2000:]}")
        finally:
            self.output.flush()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.output.close()


def get(port, path, seconds=10):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


class Client:
    """Requests to one database over one connection."""

    def __init__(self, port, container, database, api_token, web_token=None, environment="development", seconds=30):
        query = {"ckAPIToken": api_token}
        if web_token:
            query["ckWebAuthToken"] = web_token
        self.prefix = f"/database/1/{container}/{environment}/{database}/"
        self.query = "?" + urllib.parse.urlencode(query)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
        self.used = time.monotonic()

    def post(self, endpoint, body):
        """The status and the answer as an object. Raises OSError or HTTPException when the server goes away."""
        # The server ends connections that were idle for 75 s; the next request makes another one.
        if time.monotonic() - self.used > 30:
            self.connection.close()
        self.used = time.monotonic()
        self.connection.request(
            "POST", self.prefix + endpoint + self.query, json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def ask(self, endpoint, body):
        """The answer of a request that has to succeed as a whole."""
        status, answer = self.post(endpoint, body)
        expect(status == 200, f"{endpoint} answered {status}: {json.dumps(answer)[:500]}")
        return answer

    def close(self):
        self.connection.close()


class Workplace:
    """A temporary directory, which is kept when something failed."""

    def __init__(self, name):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=f"stratus-{name}-"))
        self.servers = []

    def __enter__(self):
        return self

    def start(self, verb, data, port, *more):
        server = Server(verb, self.path / data, port, *more)
        self.servers.append(server)
        return server

    def __exit__(self, kind, error, trace):
        for server in self.servers:
            server.kill()
        if kind is None:
            shutil.rmtree(self.path, ignore_errors=True)
        else:
            print(f"Data and output of the servers are kept in {self.path}", file=sys.stderr)
        return False


def crash_options(description, rounds, clients, stores=(), receivers=None, switches=()):
    """The options of a test that kills servers; with stores, where their records can be; with receivers, how many are told;
    switches are options without a value.

    The seed is the same in each run of `make test`, and a random one in `make night`; printed, so that a run can be
    repeated."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--clients", type=int, default=clients)
    if stores:
        parser.add_argument("--store", choices=stores, default=stores[0])
    if receivers:
        parser.add_argument("--receivers", type=int, default=receivers)
    for switch in switches:
        parser.add_argument(switch, action="store_true")
    seed = random.SystemRandom().randrange(1 << 32) if "STRATUS_SOAK" in os.environ else 1
    parser.add_argument("--seed", type=int, default=int(os.environ.get("STRATUS_SEED", seed)))
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.rounds} rounds, {options.clients} clients")
    return options


def add_user(data, container, name, *more):
    """Adds a user, and gives the tokens of an app and of the user; more is where the records are (`--store`) and what the app may."""
    place = more[more.index("--store"):][:2] if "--store" in more else ()
    run("user", "add", name, "--data", str(data), "--container", container, *place)
    return make_token(data, container, *more), make_token(data, container, "--user", name, *place)


def start_with_user(workplace, container, port, *place):
    """A server that is ready, and the tokens of the container and of a user in it; the place is its `--store`, or nothing."""
    server = workplace.start("serve", "data", port, *place)
    server.wait_until_ready()
    return server, add_user(server.data, container, "ada", "--people", *place)


def client_settings(port, container, tokens):
    """The environment of a program that is a client: which server to ask, and as whom."""
    return os.environ | {
        "STRATUS_URL": f"http://127.0.0.1:{port}", "STRATUS_CONTAINER": container, "STRATUS_API_TOKEN": tokens[0],
        "STRATUS_WEB_AUTH_TOKEN": tokens[1],
    }


def join_all(threads):
    """Waits for clients whose server was killed."""
    for thread in threads:
        thread.join(40)
        expect(not thread.is_alive(), "A client still waits 40 s after its server was killed")


def check_with_doctor(data, *options):
    """`stratus doctor` finds no fault in the directory."""
    doctor = run("doctor", *options, "--json", "--data", str(data), check=False)
    expect(doctor.returncode == 0, f"doctor finds fault:\n{doctor.stdout}{doctor.stderr}")
    json.loads(doctor.stdout)


def main(test):
    """Runs a test; a broken promise is one clear line and exit status 1."""
    try:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        test()
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
