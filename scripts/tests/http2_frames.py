"""A client of HTTP/2 that sends whatever a test wants, also what no library would send (RFC 9113, RFC 7541)."""

import socket
import ssl
import struct
import time

DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
NO_ERROR, REFUSED, CANCEL, CALM = 0, 7, 8, 11
LAST = 2**31 - 1
# The entry of HPACK's table for ':status: 200'.
GOOD = b"\x88"


def number(value, bits):
    """An integer of HPACK with so many bits in its first byte."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([value])
    value, text = value - most, [most]
    while value >= 128:
        text.append(value % 128 + 128)
        value //= 128
    return bytes(text + [value])


def packed(fields):
    """A list of headers, none of them compressed."""
    return b"".join(
        b"\0" + number(len(name), 7) + name.encode() + number(len(value), 7) + value.encode() for name, value in fields)


def request(path, method="GET", authority="localhost", more=()):
    return [(":method", method), (":scheme", "https"), (":authority", authority), (":path", path), *more]


def list_bytes(fields):
    """The length of a list as SETTINGS_MAX_HEADER_LIST_SIZE counts it."""
    return sum(len(name) + len(value) + 32 for name, value in fields)


class Gone(Exception):
    """The server closed the connection."""


class Connection:
    """One connection, which notes what came in by kind."""

    def __init__(self, port, settings=(), window=None):
        context = ssl._create_unverified_context()
        context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(socket.create_connection(("127.0.0.1", port), 10))
        assert self.socket.selected_alpn_protocol() == "h2", "The server does not speak HTTP/2."
        self.buffer = b""
        self.seen = []
        self.next = 1
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.send(SETTINGS, payload=b"".join(struct.pack(">HI", *setting) for setting in settings))
        self.settings = dict(struct.iter_unpack(">HI", self.until(SETTINGS)[3]))
        self.send(SETTINGS, ACK)
        if window:
            self.send(WINDOW, payload=struct.pack(">I", window))

    def frame(self, kind, flags=0, stream=0, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def send(self, kind, flags=0, stream=0, payload=b""):
        self.socket.sendall(self.frame(kind, flags, stream, payload))

    def open(self, fields, ends=True):
        """A request's head; gives the number of its stream."""
        stream, self.next = self.next, self.next + 2
        self.send(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, packed(fields))
        return stream

    def read(self, seconds=10):
        """The next frame: kind, flags, stream, payload."""
        end = time.monotonic() + seconds
        while True:
            if len(self.buffer) >= 9:
                length = int.from_bytes(self.buffer[:3], "big")
                if len(self.buffer) >= 9 + length:
                    kind, flags = self.buffer[3], self.buffer[4]
                    stream = int.from_bytes(self.buffer[5:9], "big") & LAST
                    frame = kind, flags, stream, self.buffer[9:9 + length]
                    self.buffer = self.buffer[9 + length:]
                    self.seen.append(frame)
                    return frame
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                more = self.socket.recv(65536)
            except (ConnectionResetError, BrokenPipeError, ssl.SSLError) as fault:
                if isinstance(fault, TimeoutError):
                    raise
                raise Gone from fault
            if not more:
                raise Gone
            self.buffer += more

    def until(self, kind, stream=None, seconds=10):
        """The next frame of a kind, and of a stream."""
        end = time.monotonic() + seconds
        while True:
            frame = self.read(max(0.01, end - time.monotonic()))
            if frame[0] == kind and stream in (None, frame[2]) and not (kind in (SETTINGS, PING) and frame[1] & ACK):
                return frame

    def answers(self, stream, seconds=10):
        """The head and the body of an answer; windows are opened as it comes. None where the request was reset."""
        head, body = None, b""
        end = time.monotonic() + seconds
        while True:
            kind, flags, number, payload = self.read(max(0.01, end - time.monotonic()))
            if kind == GOAWAY and struct.unpack(">I", payload[4:8])[0] != NO_ERROR:
                raise Gone
            if number != stream:
                continue
            if kind == RESET:
                return None
            if kind == HEADERS:
                head = payload
            if kind == DATA:
                body += payload
                if payload and not flags & END_STREAM:
                    for place in (0, stream):
                        self.send(WINDOW, 0, place, struct.pack(">I", len(payload)))
            if kind in (HEADERS, DATA) and flags & END_STREAM:
                return head, body

    def lives(self):
        """Whether the server still answers requests of this connection."""
        try:
            answer = self.answers(self.open(request("/healthz")))
            return answer is not None and answer[0].startswith(GOOD)
        except (Gone, OSError):
            return False

    def farewell(self, seconds=10):
        """Why the server ends the connection: the code of its GOAWAY, once the connection is closed; None where there is none."""
        code = None
        try:
            end = time.monotonic() + seconds
            while True:
                kind, _, _, payload = self.read(max(0.01, end - time.monotonic()))
                if kind == GOAWAY:
                    code = struct.unpack(">I", payload[4:8])[0]
        except Gone:
            return code

    def is_over(self):
        """Whether the server ends the connection because of what was sent."""
        try:
            return not self.lives() and self.farewell() != NO_ERROR
        except TimeoutError:
            return False

    def is_answered(self, data=b"12345678"):
        """Whether a ping comes back."""
        self.send(PING, payload=data)
        try:
            while True:
                kind, flags, _, payload = self.read()
                if kind == PING and flags & ACK:
                    return payload == data
        except Gone:
            return False

    def send_long(self, fields, stream=1):
        """A request whose head takes several frames."""
        text = packed(fields)
        pieces = [text[start:start + 16_000] for start in range(0, len(text), 16_000)]
        for number, piece in enumerate(pieces):
            last = END_HEADERS if number == len(pieces) - 1 else 0
            self.send(CONTINUATION if number else HEADERS, last | (0 if number else END_STREAM), stream, piece)
        self.next = stream + 2

    def close(self):
        self.socket.close()
