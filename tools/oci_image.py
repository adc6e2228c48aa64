"""Makes an OCI image of the command for several architectures: one archive that podman, docker and skopeo load.

The file systems are Debian's packages as unpacked, without running their scripts, so that no machine of the
architecture is needed: the command is Python, and its package fits all.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ARCHITECTURES = ("amd64", "arm64")
"""As Debian and OCI name them alike."""
_SUITE = "trixie"
_ARCHIVE = "deb http://deb.debian.org/debian trixie main"
_PACKAGES = ("base-files", "base-passwd", "dash", "coreutils", "python3-cryptography", "vppcfg")
"""A shell and its programs for jobs of pipelines; cryptography for files with WireGuard."""
_LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*")
_KEPT = ("/usr/share/doc/*/copyright", "/usr/share/doc/vppcfg/examples/*")
_OF_THIS_MACHINE = {"etc/hostname", "etc/resolv.conf"}
_MASTERS = {f"usr/share/base-passwd/{name}.master": f"etc/{name}" for name in ("passwd", "group")}
"""What the script of base-passwd copies."""
_INDEX, _MANIFEST, _CONFIG, _LAYER = (
    f"application/vnd.oci.image.{name}"
    for name in ("index.v1+json", "manifest.v1+json", "config.v1+json", "layer.v1.tar+gzip")
)


def unpack_debian(architecture: str, repository: Path, key: Path, root: Path) -> None:
    """Write a tar archive of the packages of Debian and of our signed apt repository, as they are unpacked."""
    options = [f"--dpkgopt=path-exclude={path}" for path in _LEFT_OUT]
    options += [f"--dpkgopt=path-include={path}" for path in _KEPT]
    options += ["--variant=extract", f"--architectures={architecture}", f"--include={','.join(_PACKAGES)}", "--quiet"]
    ours = f"deb [signed-by={key}] copy:{repository} ./"
    subprocess.run(["mmdebstrap", *options, _SUITE, root, _ARCHIVE, ours], check=True)


def write_image(roots: Mapping[str, Path], version: str, seconds: int, archive: Path) -> None:
    """Write an OCI archive of the tar archive of a file system for each architecture.

    The same input gives the same bytes: `seconds` since 1970 is when it was made, of the tag.
    """
    with tarfile.open(archive, "w") as layout:
        writer = _Layout(layout, seconds)
        manifests = [writer.manifest(architecture, root, version) for architecture, root in sorted(roots.items())]
        index = writer.json({"schemaVersion": 2, "mediaType": _INDEX, "manifests": manifests}, _INDEX)
        index["annotations"] = {"org.opencontainers.image.ref.name": version}
        writer.file("index.json", json.dumps({"schemaVersion": 2, "mediaType": _INDEX, "manifests": [index]}).encode())
        writer.file("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')


class _Layout:
    """The files of an image layout (https://github.com/opencontainers/image-spec), added to an archive."""

    def __init__(self, archive: tarfile.TarFile, seconds: int) -> None:
        self._archive = archive
        self._seconds = seconds

    def file(self, name: str, content: bytes) -> None:
        self._archive.addfile(_member(name, len(content), self._seconds), io.BytesIO(content))

    def blob(self, content: bytes, media_type: str) -> dict[str, Any]:
        """Add a blob and return its descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        self.file(f"blobs/sha256/{digest}", content)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    def json(self, document: Mapping[str, Any], media_type: str) -> dict[str, Any]:
        return self.blob(json.dumps(document, sort_keys=True).encode(), media_type)

    def manifest(self, architecture: str, root: Path, version: str) -> dict[str, Any]:
        layer = _layer(root, self._seconds)
        config = {
            "created": datetime.fromtimestamp(self._seconds, UTC).isoformat(),
            "architecture": architecture,
            "os": "linux",
            "config": {
                "Entrypoint": ["/usr/bin/vppcfg"],
                "Env": ["PATH=/usr/sbin:/usr/bin", "LC_ALL=C.UTF-8"],
                "Labels": {
                    "org.opencontainers.image.title": "vppcfg with journal and rollback",
                    "org.opencontainers.image.version": version,
                    "org.opencontainers.image.licenses": "Apache-2.0",
                },
            },
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": self.json(config, _CONFIG),
            "layers": [self.blob(gzip.compress(layer, mtime=0), _LAYER)],
        }
        return {**self.json(manifest, _MANIFEST), "platform": {"os": "linux", "architecture": architecture}}


def _layer(root: Path, seconds: int) -> bytes:
    """Return a file system as a tar archive without what is of the machine that made it."""
    content = io.BytesIO()
    with tarfile.open(root) as source, tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as target:
        for member, text in _members(source):
            member.mtime = min(int(member.mtime), seconds)
            member.pax_headers = {}
            target.addfile(member, None if text is None else io.BytesIO(text))
    return content.getvalue()


def _members(source: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, bytes | None]]:
    for member in source:
        name = os.path.normpath(member.name)
        if name in _OF_THIS_MACHINE or name.startswith("dev/"):
            continue
        file = source.extractfile(member) if member.isreg() else None
        text = file.read() if file is not None else None
        yield member, text
        if name in _MASTERS and text is not None:
            yield _member(_MASTERS[name], len(text), int(member.mtime)), text


def _member(name: str, size: int, seconds: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = size, seconds, 0o644
    return member
