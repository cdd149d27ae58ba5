#!/usr/bin/env python3
"""Writes an OCI image archive that holds a static program, the certificates it trusts, and nothing else.

usage: oci.py PROGRAM ARCHITECTURE VERSION CERTIFICATES ARCHIVE
"""

import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile

# Archives of the same content have the same bytes.
EPOCH = 0


def entry(name, size=0, mode=0o644, kind=tarfile.REGTYPE):
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime, info.type = size, mode, EPOCH, kind
    return info


def tar_of(files):
    """Returns a tar archive of (name, content, mode); without content, a folder."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content, mode in files:
            if content is None:
                archive.addfile(entry(name, mode=mode, kind=tarfile.DIRTYPE))
            else:
                archive.addfile(entry(name, len(content), mode), io.BytesIO(content))
    return buffer.getvalue()


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def main():
    program, architecture, version, certificates, archive = sys.argv[1:]
    layer = tar_of([
        ("etc", None, 0o755),
        ("etc/ssl", None, 0o755),
        ("etc/ssl/certs", None, 0o755),
        ("etc/ssl/certs/ca-certificates.crt", pathlib.Path(certificates).read_bytes(), 0o644),
        ("tmp", None, 0o1777),
        ("usr", None, 0o755),
        ("usr/bin", None, 0o755),
        ("usr/bin/agentv", pathlib.Path(program).read_bytes(), 0o755),
        ("work", None, 0o777),
    ])
    packed = gzip.compress(layer, mtime=EPOCH)
    config = json.dumps({
        "architecture": architecture,
        "os": "linux",
        "config": {
            "Entrypoint": ["/usr/bin/agentv"],
            "Env": ["PATH=/usr/bin", "HOME=/tmp"],
            "WorkingDir": "/work",
            "Labels": {"org.opencontainers.image.title": "agentv", "org.opencontainers.image.version": version},
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
    }).encode()
    described = lambda media, content: {"mediaType": media, "digest": digest(content), "size": len(content)}
    manifest = json.dumps({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": described("application/vnd.oci.image.config.v1+json", config),
        "layers": [described("application/vnd.oci.image.layer.v1.tar+gzip", packed)],
    }).encode()
    index = described("application/vnd.oci.image.manifest.v1+json", manifest)
    index["annotations"] = {"org.opencontainers.image.ref.name": f"agentv:{version}"}
    blobs = [(f"blobs/sha256/{digest(blob)[7:]}", blob, 0o644) for blob in (packed, config, manifest)]
    whole = tar_of([
        ("oci-layout", b'{"imageLayoutVersion": "1.0.0"}', 0o644),
        ("index.json", json.dumps({"schemaVersion": 2, "manifests": [index]}).encode(), 0o644),
        ("blobs", None, 0o755),
        ("blobs/sha256", None, 0o755),
        *blobs,
    ])
    pathlib.Path(archive).write_bytes(whole)


main()
