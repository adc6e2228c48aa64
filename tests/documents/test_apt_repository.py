"""The apt repository of a release, read by apt itself, beside one with packages of the public vppcfg's name."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.documents.conftest import ROOT
from tools.apt_repository import PUBLIC_KEY, write_repository

PROGRAMS = ("apt-get", "apt-ftparchive", "dpkg-deb", "gpg")
OURS = subprocess.check_output([ROOT / "debian" / "build", "--version"], text=True).strip()
PUBLIC = ("1.2.4", "1.9", "3.0")

pytestmark = pytest.mark.skipif(
    any(shutil.which(program) is None for program in PROGRAMS), reason=f"needs {', '.join(PROGRAMS)}"
)


def package(folder: Path, version: str) -> Path:
    """Build a package named vppcfg that holds nothing."""
    control = folder / "tree" / "DEBIAN" / "control"
    control.parent.mkdir(parents=True, exist_ok=True)
    control.write_text(
        f"Package: vppcfg\nVersion: {version}\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: x\n"
    )
    built = folder / f"vppcfg_{version.replace(':', '%3a')}_all.deb"
    subprocess.run(["dpkg-deb", "--build", control.parent.parent, built], check=True, capture_output=True)
    return built


def write_index(folder: Path) -> None:
    (folder / "Packages").write_bytes(subprocess.check_output(["apt-ftparchive", "packages", "."], cwd=folder))


class Machine:
    """An apt with a root, a cache and a list of installed packages of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("etc/preferences.d", "state/lists/partial", "cache/archives/partial"):
            (root / name).mkdir(parents=True)
        (root / "status").touch()
        (root / "conf").write_text(
            f'Dir::Etc "{root}/etc"; Dir::State "{root}/state"; Dir::State::status "{root}/status";\n'
            f'Dir::Cache "{root}/cache"; APT::Sandbox::User "root"; APT::Architecture "amd64";\n'
        )

    def has(self, version: str) -> None:
        (self.root / "status").write_text(
            f"Package: vppcfg\nStatus: install ok installed\nVersion: {version}\nArchitecture: all\n"
            "Maintainer: A <a@example.org>\nDescription: x\n"
        )

    def run(self, *words: str) -> str:
        """Run a program of apt and return what it writes, standard error included."""
        environment = {**os.environ, "APT_CONFIG": str(self.root / "conf"), "LC_ALL": "C.UTF-8"}
        command = [words[0], "-o", "Debug::NoLocking=1", *words[1:]]
        done = subprocess.run(command, env=environment, stdout=-1, stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout

    def would_install(self, *words: str) -> list[str]:
        """Return the versions that apt would put in place."""
        return re.findall(r"^Inst vppcfg .*?\((\S+)", self.run("apt-get", "--simulate", *words), re.MULTILINE)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine that knows both repositories, of ours with its key."""
    monkeypatch.setenv("GNUPGHOME", str(tmp_path / "gpg"))
    (tmp_path / "gpg").mkdir(mode=0o700)
    key = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "A <a@example.org>", "ed25519", "sign"]
    subprocess.run(key, check=True, capture_output=True)
    write_repository([package(tmp_path, OURS)], tmp_path / "ours", "a@example.org")
    (tmp_path / "public").mkdir()
    for version in PUBLIC:
        shutil.move(package(tmp_path, version), tmp_path / "public")
    write_index(tmp_path / "public")
    machine = Machine(tmp_path / "machine")
    (machine.root / "etc" / "sources.list").write_text(
        f"deb [signed-by={tmp_path}/ours/{PUBLIC_KEY}] file:{tmp_path}/ours ./\n"
        f"deb [trusted=yes] file:{tmp_path}/public ./\n"
    )
    subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False)
    return machine


def test_apt_takes_our_package_and_no_public_one_for_newer(machine: Machine) -> None:
    assert "\nE:" not in machine.run("apt-get", "update")
    assert machine.would_install("install", "vppcfg") == [OURS]
    for installed in PUBLIC:
        machine.has(installed)
        assert machine.would_install("upgrade") == [OURS], installed
    machine.has(OURS)
    assert machine.would_install("dist-upgrade") == []


def test_without_our_repository_the_installed_package_stays(machine: Machine) -> None:
    sources = machine.root / "etc" / "sources.list"
    sources.write_text(sources.read_text().partition("\n")[2])
    machine.run("apt-get", "update")
    machine.has(OURS)
    assert machine.would_install("dist-upgrade") == []


def test_the_preferences_keep_public_packages_out_whatever_their_version(machine: Machine, tmp_path: Path) -> None:
    shutil.copy(ROOT / "debian" / "apt-preferences", machine.root / "etc" / "preferences.d" / "vppcfg")
    public = tmp_path / "public"
    shutil.move(package(tmp_path, "2:4.0"), public)
    write_index(public)
    machine.run("apt-get", "update")
    for installed in (OURS, "3.0", "2:4.0"):
        machine.has(installed)
        expected = [] if installed == OURS else [OURS]
        assert machine.would_install("--allow-downgrades", "dist-upgrade") == expected, installed


def test_apt_refuses_an_index_that_was_changed(machine: Machine, tmp_path: Path) -> None:
    signed = tmp_path / "ours" / "InRelease"
    signed.write_text(signed.read_text().replace("Suite: stable", "Suite: changed"))
    assert "ours" in machine.run("apt-get", "update") and "is not signed" in machine.run("apt-get", "update")
