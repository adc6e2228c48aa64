"""What the tests of the Debian package share: the packages, and a Debian 12 and a Debian 13 to install them in."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deb.debian import Debian, fresh_debian
from vppcfg.record import record

RELEASES = ("bookworm", "trixie")
PROGRAMS = ("debootstrap", "unshare", "chroot")


@record
class Packages:
    """The package to test, and that of 1.0.0 under a lower version."""

    new: Path
    before: Path


@pytest.fixture(scope="session")
def packages() -> Packages:
    """What `make test-deb` has built."""
    new, before = os.environ.get("VPPCFG_DEB", ""), os.environ.get("VPPCFG_DEB_BEFORE", "")
    if not new or not before:
        pytest.skip("the Debian package is tested by `make test-deb`")
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    assert not missing, f"install {', '.join(missing)}"
    return Packages(new=Path(new), before=Path(before))


@pytest.fixture(scope="module", params=RELEASES)
def debian(
    request: pytest.FixtureRequest, packages: Packages, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Debian]:
    """A fresh Debian, which the tests of a module change one after the other."""
    root = tmp_path_factory.mktemp(request.param) / "root"
    yield fresh_debian(request.param, root)
    shutil.rmtree(root)
