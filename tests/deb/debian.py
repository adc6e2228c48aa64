"""A Debian of its own below a folder: made by debootstrap, kept as an archive, entered with its own mounts and pids."""

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

ARCHIVE = os.environ.get("DEBIAN_ARCHIVE", "http://deb.debian.org/debian")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "vppcfg-test-deb"
_FRESH_S = 7 * 24 * 3600.0
"""How long an archive of a base system is used."""
_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
}


class Debian:
    """A Debian system below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *command: str, expected_code: int = 0, timeout_s: float = 600, **environment: str) -> str:
        """Run a command in there and return what it writes, standard error included."""
        finished = self.start(command, timeout_s, environment)
        assert finished.returncode == expected_code, f"{' '.join(command)}:\n{finished.stdout}"
        return finished.stdout

    def start(
        self, command: Sequence[str], timeout_s: float, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in namespaces that end with it: nothing it starts or mounts is left."""
        apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.root}/proc"]
        return subprocess.run(
            [*apart, "chroot", str(self.root), *command],
            env=_ENVIRONMENT | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=timeout_s,
        )

    def install(self, *packages: str) -> str:
        """Install packages by name, or by the path of a file within this Debian."""
        return self.run("apt-get", "install", "--yes", "--quiet", *packages)

    def path(self, path: str) -> Path:
        """Return where a path of this Debian is on this machine."""
        return self.root / path.lstrip("/")

    def put(self, source: Path, folder: str = "/root") -> str:
        """Copy a file into a folder of this Debian and return its path there."""
        shutil.copy(source, self.path(folder))
        return f"{folder}/{source.name}"


def fresh_debian(release: str, root: Path) -> Debian:
    """Return a Debian that has its smallest set of packages and knows Debian's own archive alone."""
    archive = CACHE / f"{release}.tar"
    if not archive.is_file() or time.time() - archive.stat().st_mtime > _FRESH_S:
        _make(release, archive)
    root.mkdir(parents=True)
    subprocess.run(["tar", "--extract", "--file", archive, "--directory", root, "--numeric-owner"], check=True)
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    debian = Debian(root)
    debian.run("apt-get", "update", "--quiet")
    return debian


def _make(release: str, archive: Path) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    root, unfinished = archive.with_suffix(".root"), archive.with_suffix(".unfinished")
    shutil.rmtree(root, ignore_errors=True)
    command = ["debootstrap", "--variant=minbase", release, str(root), ARCHIVE]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=1800)
    subprocess.run(["tar", "--create", "--file", unfinished, "--directory", root, "--numeric-owner", "."], check=True)
    unfinished.rename(archive)
    shutil.rmtree(root)
