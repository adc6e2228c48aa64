"""The make targets: what they say when a machine lacks something. None of these tests downloads anything."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = ROOT / "Makefile"

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make as a person with an empty environment would."""
    return subprocess.run(
        ["make", "-C", str(ROOT), "--no-print-directory", *arguments],
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def venv(tmp_path: Path) -> str:
    """A virtual environment that is up to date, as far as make can tell; its python says what it is told to run."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    script(tmp_path / "venv" / "bin" / "python", 'echo "VPP_PREFIX=$VPP_PREFIX python $*"')
    (tmp_path / "venv" / ".ready").touch()
    return f"VENV={tmp_path / 'venv'}"


def test_make_alone_lists_every_target() -> None:
    listed = re.findall(r"^  make (\S+) +\S", make().stdout, re.MULTILINE)
    assert listed == re.findall(r"^\.PHONY: (\S+)$", MAKEFILE.read_text(), re.MULTILINE)


def test_a_python_that_is_too_old_is_refused(tmp_path: Path) -> None:
    old = script(tmp_path / "old", 'case "$1" in --version) echo "Python 3.9.2";; *) exit 1;; esac')
    finished = make("venv", f"VENV={tmp_path / 'venv'}", f"PYTHON={old}")
    assert finished.returncode != 0
    assert f"vppcfg needs Python 3.11 or newer, and {old} is Python 3.9.2." in finished.stderr
    assert "make venv PYTHON=" in finished.stderr
    assert not (tmp_path / "venv").exists()


def test_a_python_that_is_not_there_is_named(tmp_path: Path) -> None:
    finished = make("venv", f"VENV={tmp_path / 'venv'}", "PYTHON=python9.99")
    assert finished.returncode != 0
    assert "There is no program python9.99" in finished.stderr


def test_a_missing_ensurepip_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    bare = script(
        tmp_path / "bare", f'case "$*" in *ensurepip*) exit 1;; esac; exec {shlex.quote(sys.executable)} "$@"'
    )
    finished = make("venv", f"VENV={tmp_path / 'venv'}", f"PYTHON={bare}")
    assert finished.returncode != 0
    assert "sudo apt-get install python3-venv" in finished.stderr
    assert not (tmp_path / "venv").exists()


def test_the_environment_is_made_again_only_when_what_it_is_made_from_changes(tmp_path: Path, venv: str) -> None:
    assert make("--question", "venv", venv).returncode == 0
    os.utime(tmp_path / "venv" / ".ready", (0, 0))
    assert make("--question", "venv", venv).returncode == 1


@pytest.mark.parametrize("target", ["test-live", "test-kernel"])
@pytest.mark.parametrize(
    ("prefix", "expected"), [([], "VPP_PREFIX=DIR, "), (["VPP_PREFIX=/nonexistent"], "no program /nonexistent/bin/vpp")]
)
def test_a_live_test_without_a_vpp_says_what_is_wrong(venv: str, target: str, prefix: list[str], expected: str) -> None:
    finished = make(target, venv, *prefix)
    assert finished.returncode != 0
    assert expected in finished.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run the live tests")
def test_a_live_test_gets_the_vpp_that_is_named(tmp_path: Path, venv: str) -> None:
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin" / "vpp", "")
    finished = make("test-live", venv, f"VPP_PREFIX={tmp_path}")
    assert finished.returncode == 0
    assert finished.stdout.startswith(f"VPP_PREFIX={tmp_path} python -m pytest ")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run the live tests")
def test_live_tests_get_each_vpp_that_is_named_and_tell_the_count_of_each(tmp_path: Path, venv: str) -> None:
    folders = [tmp_path / name for name in ("older", "newer")]
    for folder in folders:
        (folder / "bin").mkdir(parents=True)
        script(folder / "bin" / "vpp", "")
    finished = make("test-live", venv, f"VPP_PREFIXES={' '.join(map(str, folders))}")
    assert finished.returncode == 0
    runs, _, counts = finished.stdout.partition("\n\n")
    assert [line.partition(" ")[0] for line in runs.splitlines()] == [f"VPP_PREFIX={folder}" for folder in folders]
    assert [line.partition(": ")[0] for line in counts.splitlines()] == [str(folder) for folder in folders]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ([], "make test-trex TREX_DIR=DIR VPP_PREFIX=DIR"),
        (["TREX_DIR=/nonexistent"], "make test-trex TREX_DIR=DIR VPP_PREFIX=DIR"),
        (["TREX_DIR=/nonexistent", "VPP_PREFIX=/nonexistent"], "no program /nonexistent/t-rex-64"),
    ],
)
def test_a_test_with_t_rex_says_what_it_lacks(venv: str, named: list[str], expected: str) -> None:
    finished = make("test-trex", venv, *named)
    assert finished.returncode != 0
    assert expected in finished.stderr


def test_a_package_is_not_begun_without_what_builds_it(tmp_path: Path) -> None:
    """Making .venv takes a while; whoever lacks a tool learns it before."""
    programs = ("bash", "dirname", "sed", "id", "env", "git", "make", "python3", "uname")
    (tmp_path / "bin").mkdir()
    for program in programs:
        if (found := shutil.which(program)) is not None:
            (tmp_path / "bin" / program).symlink_to(found)
    ended = make("deb", f"VENV={tmp_path / 'venv'}", f"PATH={tmp_path / 'bin'}", f"SHELL={shutil.which('bash')}")
    assert ended.returncode != 0
    assert "Building a Debian package takes dpkg-buildpackage dh dh_python3" in ended.stderr
    assert not (tmp_path / "venv").exists()


def test_what_is_released_is_tested_and_linted() -> None:
    commands = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in commands if line.startswith("make ")] == ["make test", "make lint"]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
