"""Writes an apt repository: a folder that a web server or a medium offers as it is, with its index signed.

A line for apt is `deb [signed-by=/etc/apt/keyrings/vppcfg.asc] URL ./`.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

ORIGIN = "vppcfg with journal and rollback"
PUBLIC_KEY = "vppcfg.asc"


def write_repository(packages: Iterable[Path], folder: Path, key: str) -> None:
    """Write a new folder with copies of Debian packages, their index, and the public part of the key that signs it.

    `key` is what gpg knows a private key by, such as its fingerprint. Raise CalledProcessError where gpg lacks it.
    """
    folder.mkdir()
    for package in packages:
        shutil.copy2(package, folder)
    (folder / PUBLIC_KEY).write_text(_output(folder, "gpg", "--armor", "--export", key), encoding="ascii")
    (folder / "Packages").write_text(_output(folder, "apt-ftparchive", "packages", "."), encoding="utf-8")
    said = {"Origin": ORIGIN, "Label": "vppcfg", "Suite": "stable", "Architectures": "all"}
    options = [word for name, text in said.items() for word in ("-o", f"APT::FTPArchive::Release::{name}={text}")]
    release = _output(folder, "apt-ftparchive", *options, "release", ".")
    (folder / "Release").write_text(release, encoding="utf-8")
    sign = ("gpg", "--batch", "--yes", "--local-user", key, "--digest-algo", "SHA512")
    _output(folder, *sign, "--output", "InRelease", "--clearsign", "Release")
    _output(folder, *sign, "--output", "Release.gpg", "--armor", "--detach-sign", "Release")


def _output(folder: Path, *command: str) -> str:
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
