"""The source tree on a Debian 12 and a Debian 13: pip and pipx take it as it is, with what it depends on from PyPI."""

import subprocess
from pathlib import Path

import pytest

from tests.deb.debian import Debian
from vppcfg.cli.arguments import IDENTITY

AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
"""Whom this machine trusts, which may be more than Debian does, when PyPI is reached through a proxy."""
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def source(debian: Debian) -> str:
    """The tree as git has it, in a folder of the Debian, with pip and pipx beside it."""
    folder = debian.path("/srv/source")
    folder.mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    pack = subprocess.run(
        ["tar", "--create", "--null", "--files-from=-"], input=listed.stdout, cwd=ROOT, capture_output=True
    )
    subprocess.run(["tar", "--extract", "--directory", folder], input=pack.stdout, check=True)
    debian.install("--no-install-recommends", "pipx", "python3-venv", "python3-pip")
    debian.put(AUTHORITIES)
    return "/srv/source"


@pytest.mark.parametrize("installer", ["pipx", "pip"])
def test_the_source_tree_can_be_installed(debian: Debian, source: str, installer: str) -> None:
    if installer == "pipx":
        debian.run("pipx", "install", source, PIP_CERT=f"/root/{AUTHORITIES.name}")
        program = "/root/.local/bin/vppcfg"
    else:
        debian.run("python3", "-m", "venv", "/srv/venv")
        debian.run("/srv/venv/bin/pip", "install", "--quiet", source, PIP_CERT=f"/root/{AUTHORITIES.name}")
        program = "/srv/venv/bin/vppcfg"
    assert debian.run(program, "--version") == f"{IDENTITY}\n"
    debian.run(program, "check", "-c", f"{source}/docs/examples/router.yaml")
    assert debian.run(program, "completion", "bash").startswith("# Completion of vppcfg")
