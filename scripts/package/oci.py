"""The container image as a tar in the layout of OCI, written by hand: it is three JSON files and one layer, and so is
the same to the last byte each time, which the tools that make images do not promise.

    podman load -i FILE, docker load -i FILE, skopeo copy oci-archive:FILE docker://…

The layer holds the program, the libraries that its loader looks for, the demo's files, certificates and an empty folder
for the data. There is no shell in it.
"""

import hashlib
import json
import pathlib
import time

import demo
from archive import Archive, gzipped
from binary import libraries
from release import run

# The user of images without a system's users, as others have it.
USER = 65532
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")


def make(release, program, texts, work, output):
    layer = _layer(release, program, texts)
    packed = gzipped(layer)
    config = _json(_config(release, layer))
    manifest = _json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": _descriptor("application/vnd.oci.image.config.v1+json", config),
        "layers": [_descriptor("application/vnd.oci.image.layer.v1.tar+gzip", packed)],
    })
    entry = _descriptor("application/vnd.oci.image.manifest.v1+json", manifest)
    entry["annotations"] = {
        "org.opencontainers.image.ref.name": release.version,
        # containerd's and docker's own name for what the image is called when it is loaded.
        "io.containerd.image.name": f"docker.io/library/stratus:{release.version}",
    }
    entry["platform"] = {"architecture": release.architecture, "os": "linux"}
    archive = Archive(release.epoch)
    archive.data("oci-layout", _json({"imageLayoutVersion": "1.0.0"}))
    archive.data("index.json", _json(
        {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [entry]}))
    for blob in (config, manifest, packed):
        archive.data(f"blobs/sha256/{hashlib.sha256(blob).hexdigest()}", blob)
    path = output / f"{release.name}-oci.tar"
    path.write_bytes(archive.close())
    return path


def _json(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _descriptor(kind, blob):
    return {"mediaType": kind, "digest": f"sha256:{hashlib.sha256(blob).hexdigest()}", "size": len(blob)}


def _config(release, layer):
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(release.epoch))
    return {
        "architecture": release.architecture, "os": "linux", "created": made,
        "config": {
            "User": f"{USER}:{USER}", "WorkingDir": "/", "Entrypoint": ["/usr/bin/stratus"], "Cmd": ["serve"],
            # Everyone who reaches the container's network reaches the service; publishing the port is the decision.
            "Env": ["PATH=/usr/bin", "STRATUS_DATA=/data", "STRATUS_HOST=0.0.0.0", "STRATUS_PORT=8080"],
            "ExposedPorts": {"8080/tcp": {}}, "Volumes": {"/data": {}}, "StopSignal": "SIGTERM",
            "Labels": {
                "org.opencontainers.image.title": "Stratus", "org.opencontainers.image.licenses": "Apache-2.0",
                "org.opencontainers.image.version": release.version,
                "org.opencontainers.image.revision": release.commit,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created": made, "created_by": "scripts/package"}],
    }


def _layer(release, program, texts):
    archive = Archive(release.epoch)
    archive.file("usr/bin/stratus", program.path, 0o755)
    packages = set()
    for name, path in sorted(libraries(program.path).items()):
        # The loader itself stands where the program names it; the others where the loader looks first.
        archive.file(name if name.startswith("/") else f"usr/lib/{name}", path.resolve(), 0o755)
        packages.add(_package(path))
    for package in sorted(packages):
        archive.file(f"usr/share/doc/{package}/copyright", pathlib.Path(f"/usr/share/doc/{package}/copyright"), 0o644)
    archive.file("usr/share/doc/stratus/LICENSE", texts["licence"], 0o644)
    archive.file("usr/share/doc/stratus/THIRD-PARTY-NOTICES.txt", texts["notices"], 0o644)
    for name, path in demo.files():
        archive.file(f"usr/{name}", path, 0o644)
    archive.file("etc/ssl/certs/ca-certificates.crt", CERTIFICATES, 0o644)
    archive.data("etc/passwd", f"root:x:0:0::/:/\nstratus:x:{USER}:{USER}::/data:/\n".encode())
    archive.data("etc/group", f"root:x:0:\nstratus:x:{USER}:\n".encode())
    archive.data("etc/nsswitch.conf", b"hosts: files dns\n")
    archive.folder("data", 0o700, USER)
    archive.folder("tmp", 0o1777)
    archive.folder("proc")
    archive.folder("sys")
    archive.folder("dev")
    return archive.close()


def _package(path):
    """The Debian package that a library is of: its licence goes with it."""
    for name in (path, path.resolve(), f"/usr{path}", str(path.resolve()).removeprefix("/usr")):
        try:
            return run("dpkg-query", "--search", name, stderr=-3).split(":")[0]
        except Exception:
            continue
    raise SystemExit(f"package: {path} belongs to no package, so nobody knows its licence")
