"""What `make release` asks of a checkout before it builds anything, and what it says of licences and digests."""

import hashlib
import json
import os
import shutil
import subprocess
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.documents.conftest import ROOT
from tools.release import (
    COLLECTION,
    NotReadyError,
    licences_of,
    main,
    notes_of,
    reasons_against,
    say_version,
    version_of,
    write_digests,
)

CHANGELOG = """\
# Changelog

## [Unreleased]

## [1.2.3] - 2026-11-30

### Added

- One thing.

## [1.2.2] - 2026-10-01
"""


KEY = "0123456789ABCDEF"


@pytest.fixture(autouse=True)
def key_of_the_test(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Put a gpg in front that has the key of the test alone."""
    gpg = tmp_path_factory.mktemp("bin") / "gpg"
    gpg.write_text(f'#!/bin/sh\n[ "$2" = {KEY} ]\n')
    gpg.chmod(0o755)
    monkeypatch.setenv("PATH", f"{gpg.parent}:{os.environ['PATH']}")


def git(root: Path, *words: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", root, *who, *words], check=True, capture_output=True)


def make(root: Path, changelog: str = CHANGELOG, version: str = "1.2.3", tag: str = "v1.2.3") -> Path:
    """Make a checkout that is ready for its release, but for what is said otherwise."""
    (root / "vppcfg").mkdir()
    (root / "debian").mkdir()
    (root / "vppcfg" / "__init__.py").write_text(f'__version__ = "{version}"\n')
    (root / "CHANGELOG.md").write_text(changelog)
    (root / "debian" / "bundled.txt").write_text("thing==1.0 --hash=sha256:00\n")
    shutil.copy(ROOT / "debian" / "build", root / "debian")
    (root / "debian" / "copyright").write_text("Files: debian/bundled/thing/*\nLicense: MIT\n")
    (root / COLLECTION).mkdir(parents=True)
    (root / COLLECTION / "galaxy.yml").write_text(f"name: vppcfg\nversion: {version}\n")
    git(root, "init")
    git(root, "add", ".")
    git(root, "commit", "-m", "x")
    git(root, "tag", tag)
    return root


def test_a_checkout_that_is_ready_has_nothing_against_it(tmp_path: Path) -> None:
    assert list(reasons_against(make(tmp_path), KEY)) == []


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"version": "1.2.3.dev1"}, "a release has three numbers"),
        ({"version": "1.2.4"}, "no tag v1.2.4"),
        ({"changelog": CHANGELOG.replace("1.2.3", "1.2.4")}, "no section `## [1.2.3]"),
        ({"changelog": CHANGELOG.replace("- One thing.\n", "").replace("### Added\n", "")}, "no section `## [1.2.3]"),
        ({"changelog": CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n- Another.\n")}, "under [Unreleased]"),
        ({"changelog": CHANGELOG.replace("2026-11-30", "unreleased")}, "no section `## [1.2.3]"),
        ({"tag": "v1.0.0"}, "no tag v1.2.3"),
    ],
)
def test_what_is_missing_is_said(said: dict[str, str], reason: str, tmp_path: Path) -> None:
    assert [each for each in reasons_against(make(tmp_path, **said), KEY) if reason in each]


def test_a_checkout_that_is_not_the_tag_is_refused(tmp_path: Path) -> None:
    (make(tmp_path) / "CHANGELOG.md").write_text(CHANGELOG.replace("One", "Two"))
    assert [each for each in reasons_against(tmp_path, KEY) if "differ from the last commit" in each]
    git(tmp_path, "commit", "--all", "-m", "y")
    assert [each for each in reasons_against(tmp_path, KEY) if "not at this commit" in each]


def test_a_key_that_gpg_lacks_is_refused(tmp_path: Path) -> None:
    assert list(reasons_against(make(tmp_path), "FEDC")) == [
        "gpg has no private key FEDC, which is to sign the apt repository"
    ]


def test_a_collection_of_another_version_is_refused(tmp_path: Path) -> None:
    (make(tmp_path) / COLLECTION / "galaxy.yml").write_text("name: vppcfg\nversion: 1.2.2\n")
    assert [each for each in reasons_against(tmp_path, KEY) if "as 1.2.3" in each]


def test_what_is_bundled_without_a_licence_is_refused(tmp_path: Path) -> None:
    (make(tmp_path) / "debian" / "bundled.txt").write_text("thing==1.0\nother==2.0\n")
    assert [each for each in reasons_against(tmp_path, KEY) if "licence other is" in each]


def test_nothing_is_built_and_every_reason_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, version="1.2.4")
    (tmp_path / "bin").mkdir()
    for program in ("git", "bash", "dirname", "sed"):
        (tmp_path / "bin" / program).symlink_to(shutil.which(program) or "")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert main([str(tmp_path), "no-such-program", ""]) == 1
    reasons = capsys.readouterr().err
    assert "make release KEY=FINGERPRINT" in reasons and "no program apt-ftparchive" in reasons
    assert (reasons.count("\n- "), reasons.count("takes dpkg-buildpackage dh dh_python3")) == (7, 1)
    assert not (tmp_path / "dist").exists()


def test_the_licences_of_all_that_is_bundled_are_said_here() -> None:
    assert [each for each in reasons_against(ROOT, KEY) if "bundles" in each] == []


def test_every_distribution_that_vppcfg_runs_with_has_a_licence() -> None:
    needed = {"jinja2", "MLRsearch", "pyroute2", "PyYAML", "pyzmq", "ruamel.yaml", "vpp_papi", "yamale"}
    found = {each.name: each for each in distributions() if each.name.lower() in {name.lower() for name in needed}}
    assert len(found) == len(needed)
    assert "MIT License" in licences_of(found.values())


def test_a_distribution_without_a_licence_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "thing-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n")
    with pytest.raises(NotReadyError, match=r"thing 1\.0 does not say"):
        licences_of(distributions(path=[str(tmp_path)]))


def test_the_notes_are_those_of_the_version() -> None:
    assert notes_of(CHANGELOG, "1.2.3") == "### Added\n\n- One thing."
    assert notes_of(CHANGELOG, "1.2") == ""
    assert version_of(ROOT)


def test_the_bill_of_materials_says_the_version(tmp_path: Path) -> None:
    bill = tmp_path / "bill.json"
    bill.write_text('{"metadata": {"component": {"name": "vppcfg"}}, "components": []}')
    say_version(bill, "1.2.3")
    written = json.loads(bill.read_text())
    assert written == {"metadata": {"component": {"name": "vppcfg", "version": "1.2.3"}}, "components": []}


def test_digests_are_as_sha256sum_reads_them(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/c", "a"):
        (tmp_path / name).write_text(name)
    write_digests(tmp_path)
    expected = "".join(f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in ("a", "b/c"))
    assert (tmp_path / "SHA256SUMS").read_text() == expected
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path, check=True)
