"""A small provider of OpenID Connect with a page of its own, for tests in a browser. It insists on PKCE, on its client's
secret, and that a code is used once; what real and hostile providers do is tried in scripts/tests/oidc.py and OpenIDConnectTests."""

import base64
import hashlib
import html
import http.server
import json
import secrets
import subprocess
import tempfile
import threading
import time
import urllib.parse

CLIENT, SECRET = "stratus", "the-secret-of-the-client"

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Club</title><h1>Club</h1>
<form method="post" action="/authorize"><input type="hidden" name="query" value="{query}">
<label>Your name at the club <input name="name" required></label><button>Yes, it is me</button></form></html>
"""


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Provider:
    """Runs until it is closed; whoever types a name is that person, with an address at example.org."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.key = self.folder.name + "/key.pem"
        subprocess.run(["openssl", "genrsa", "-out", self.key, "2048"], check=True, capture_output=True)
        text = subprocess.run(
            ["openssl", "rsa", "-in", self.key, "-noout", "-modulus"], check=True, capture_output=True, text=True).stdout
        self.modulus = encoded(bytes.fromhex(text.strip().partition("=")[2]))
        self.codes = {}
        provider = self

        class Handler(_Handler):
            owner = provider

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()

    def description(self):
        return {
            "issuer": self.issuer, "authorization_endpoint": self.issuer + "/authorize",
            "token_endpoint": self.issuer + "/token", "jwks_uri": self.issuer + "/keys",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"], "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"]}

    def keys(self):
        return {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "one", "n": self.modulus, "e": "AQAB"}]}

    def signed(self, claims):
        text = ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "one"}, claims))
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.key], input=text.encode(), check=True, capture_output=True).stdout
        return f"{text}.{encoded(signature)}"

    def let_in(self, form):
        """Where somebody's browser goes back to."""
        query = dict(urllib.parse.parse_qsl(form["query"]))
        assert query["client_id"] == CLIENT and query["response_type"] == "code", query
        assert query["code_challenge_method"] == "S256" and "openid" in query["scope"].split(), query
        code = secrets.token_urlsafe()
        self.codes[code] = form["name"], query
        return query["redirect_uri"] + "?" + urllib.parse.urlencode({"code": code, "state": query["state"]})

    def tokens(self, form, credentials):
        name, query = self.codes.pop(form["code"])
        proof = encoded(hashlib.sha256(form["code_verifier"].encode()).digest())
        assert proof == query["code_challenge"] and form["redirect_uri"] == query["redirect_uri"], form
        assert credentials == f"{CLIENT}:{SECRET}", "The client has another secret."
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": CLIENT, "sub": f"member-{name}", "nonce": query["nonce"], "iat": now,
            "exp": now + 300, "email": f"{name.lower()}@example.org", "email_verified": True, "name": name}
        return {"access_token": secrets.token_urlsafe(), "token_type": "Bearer", "id_token": self.signed(claims)}


class _Handler(http.server.BaseHTTPRequestHandler):
    owner = None

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/authorize":
            return self.send(200, "text/html; charset=utf-8", PAGE.format(query=html.escape(query)))
        known = {"/.well-known/openid-configuration": self.owner.description, "/keys": self.owner.keys}
        if path not in known:
            return self.send(404, "text/plain", "nothing")
        self.send(200, "application/json", json.dumps(known[path]()))

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = dict(urllib.parse.parse_qsl(text))
        try:
            if self.path == "/authorize":
                return self.send(303, "text/plain", "", self.owner.let_in(form))
            kind, _, rest = self.headers["Authorization"].partition(" ")
            answer = self.owner.tokens(form, urllib.parse.unquote(base64.b64decode(rest).decode()))
            self.send(200, "application/json", json.dumps(answer))
        except (AssertionError, KeyError) as fault:
            self.send(400, "application/json", json.dumps({"error": "invalid_request", "error_description": str(fault)}))

    def send(self, status, kind, text, place=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if place:
            self.send_header("Location", place)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass
