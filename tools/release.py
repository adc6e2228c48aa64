"""Builds what a release consists of from its tag, into dist/release-VERSION, and publishes nothing.

`python -m tools.release ROOT PROGRAMS KEY`, which `make release` runs: ROOT is the checkout, PROGRAMS the folder
of cyclonedx-py and ansible-galaxy, KEY what gpg knows the private key of the apt repository by. The wheel, the
Debian package and the collection for Ansible are built from a work tree of the tag, so that nothing gets in that
is not in it. Beside them come an apt repository, an OCI image, a software bill of materials (CycloneDX) of the
wheel with all that it is installed with, the licences of that and of all that the Debian package bundles, the
notes of the release, and digests of the whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path

from tools.apt_repository import PUBLIC_KEY, write_repository
from tools.oci_image import ARCHITECTURES, unpack_debian, write_image

VERSION = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)
REQUIREMENT = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)", re.MULTILINE)
COLLECTION = Path("ansible/vppcfg/vppcfg")
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)


class NotReadyError(Exception):
    """Says why there can be no release yet: one sentence for each reason."""


def version_of(root: Path) -> str:
    """Return the version that the checkout says it is."""
    (found,) = VERSION.findall((root / "vppcfg" / "__init__.py").read_text(encoding="utf-8"))
    return str(found)


def notes_of(changelog: str, version: str) -> str:
    """Return what a changelog says of a version, without its heading; empty where it says nothing."""
    found = re.search(rf"\n## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?:\n## \[|\Z)", changelog, re.DOTALL)
    return found[1].strip() if found else ""


def reasons_against(root: Path, key: str) -> Iterator[str]:
    """Yield every reason why a release cannot be made of a checkout and signed, and what to do about each."""
    version = version_of(root)
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"the version in vppcfg/__init__.py is {version}: a release has three numbers"
    if f"version: {version}\n" not in (root / COLLECTION / "galaxy.yml").read_text(encoding="utf-8"):
        yield f"{COLLECTION}/galaxy.yml has another version: the collection is released with vppcfg, as {version}"
    if not notes_of(changelog, version):
        yield f"CHANGELOG.md has no section `## [{version}] - YYYY-MM-DD` with text: date what is unreleased"
    if _entries(changelog.partition("\n## [Unreleased]")[2].partition("\n## [")[0]):
        yield "CHANGELOG.md has entries under [Unreleased]: move them to the section of the version"
    if _git(root, "status", "--porcelain", "--untracked-files=no"):
        yield "files differ from the last commit: commit them"
    tagged = _git(root, "tag", "--list", f"v{version}")
    if not tagged:
        yield f"there is no tag v{version}: `git tag --annotate v{version}` makes it, with --sign where you have a key"
    elif _git(root, "rev-list", "-n", "1", f"v{version}") != _git(root, "rev-parse", "HEAD"):
        yield f"the tag v{version} is not at this commit: check it out, or raise the version"
    yield from _without_licence(root)
    if not key:
        yield "no key is named that signs the apt repository: `make release KEY=FINGERPRINT`"
    elif subprocess.run(["gpg", "--list-secret-keys", key], check=False, capture_output=True).returncode:
        yield f"gpg has no private key {key}, which is to sign the apt repository"


def _entries(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def _without_licence(root: Path) -> Iterator[str]:
    copyright_of = (root / "debian" / "copyright").read_text(encoding="utf-8")
    for name, _ in REQUIREMENT.findall((root / "debian" / "bundled.txt").read_text(encoding="utf-8")):
        if f"Files: debian/bundled/{name}/*" not in copyright_of:
            yield f"debian/copyright does not say under which licence {name} is, which the Debian package bundles"


def licences_of(installed: Iterable[Distribution], ours: str = "vppcfg") -> str:
    """Return the name, version and licence of each distribution but our own, and the texts that come with it.

    Raise NotReadyError for distributions that do not say under which licence they are.
    """
    parts, silent = [], []
    for found in sorted(installed, key=lambda each: each.name.lower()):
        if found.name == ours:
            continue
        licence = _licence(found)
        if not licence:
            silent.append(f"{found.name} {found.version} does not say under which licence it is")
        parts.append(f"{found.name} {found.version}: {licence}\n\n{''.join(_texts(found))}")
    if silent:
        raise NotReadyError("\n".join(silent))
    return ("\n" + "=" * 80 + "\n").join(parts)


def _licence(found: Distribution) -> str:
    def said(name: str) -> list[str]:
        return found.metadata.get_all(name) or []

    classified = [text.rpartition(" :: ")[2] for text in said("Classifier") if text.startswith("License")]
    (first, *_) = [*said("License-Expression"), *said("License"), " or ".join(classified)]
    return first.strip().partition("\n")[0]


def _texts(found: Distribution) -> Iterator[str]:
    for file in found.files or ():
        if ".dist-info" in str(file) and LICENCE_FILE.search(str(file)):
            yield file.read_text(encoding="utf-8").strip() + "\n\n"


def build(root: Path, programs: Path, key: str) -> Path:
    """Build a release into dist/release-VERSION and return that folder.

    Raise NotReadyError where something stands against it, and CalledProcessError where a program fails.
    """
    if reasons := [*reasons_against(root, key), *_lacking(root)]:
        raise NotReadyError("\n".join(reasons))
    version = version_of(root)
    out, work = root / "dist" / f"release-{version}", root / "build" / "release"
    for folder in (out, work):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    tree, installed = work / "tree", work / "installed"
    _git(root, "worktree", "prune")
    _git(root, "worktree", "add", "--quiet", "--detach", str(tree), f"v{version}")
    try:
        _build_packages(tree, out)
        write_repository(out.glob("*.deb"), out / "apt", key)
        roots = {architecture: work / f"{architecture}.tar" for architecture in ARCHITECTURES}
        for architecture, file_system in roots.items():
            unpack_debian(architecture, out / "apt", out / "apt" / PUBLIC_KEY, file_system)
        tagged_at = int(_git(root, "log", "-1", "--format=%ct", f"v{version}"))
        write_image(roots, version, tagged_at, out / f"vppcfg-{version}.oci.tar")
        collection: list[str | Path] = ["collection", "build", tree / COLLECTION, "--output-path", out]
        _run([programs / "ansible-galaxy", *collection], ANSIBLE_HOME=str(work / "ansible"))
        (wheel,) = out.glob("*.whl")
        _install(wheel, installed)
        # Of the tree, for the description of vppcfg itself; reproducible, for the same tag gives the same bytes.
        options: list[str | Path] = ["--pyproject", tree / "pyproject.toml", "--output-reproducible"]
        bill = out / f"vppcfg-{version}.cdx.json"
        _run([programs / "cyclonedx-py", "environment", *options, "--output-file", bill, installed / "bin" / "python"])
        say_version(bill, version)
        (packages,) = installed.glob("lib/python3*/site-packages")
        bundled = work / "bundled"
        _pip(["install", "--target", bundled, "--no-deps", "--require-hashes", "-r", tree / "debian" / "bundled.txt"])
        for name, folder in (("wheel-with-dependencies", packages), ("bundled-in-deb", bundled)):
            text = licences_of(distributions(path=[str(folder)]))
            (out / f"vppcfg-{version}.licences-{name}.txt").write_text(text, encoding="utf-8")
        notes = notes_of((tree / "CHANGELOG.md").read_text(encoding="utf-8"), version)
        (out / f"vppcfg-{version}.notes.md").write_text(notes + "\n", encoding="utf-8")
    finally:
        _git(root, "worktree", "remove", "--force", str(tree))
    write_digests(out)
    return out


def _lacking(root: Path) -> Iterator[str]:
    """Yield what the Debian package is built with and this machine lacks."""
    checked = subprocess.run([root / "debian" / "build", "--check"], check=False, stderr=subprocess.PIPE, text=True)
    if checked.returncode:
        yield " ".join(checked.stderr.split("\n")).strip()
    for program, package in (("gpg", "gpg"), ("apt-ftparchive", "apt-utils"), ("mmdebstrap", "mmdebstrap")):
        if shutil.which(program) is None:
            yield f"there is no program {program}: sudo apt-get install {package}"


def _build_packages(tree: Path, out: Path) -> None:
    _pip(["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", out, tree])
    _run([tree / "debian" / "build"], PYTHON=sys.executable, LINT="changes")
    for package in (tree / "dist").iterdir():
        shutil.copy2(package, out)
    (package,) = out.glob("*.deb")
    signed_off = _output(["dpkg-parsechangelog", "--file", tree / "build/deb" / _source(out) / "debian/changelog"])
    maintainer = _output(["dpkg-deb", "--field", package, "Maintainer"])
    if f"Maintainer: {maintainer}" not in signed_off.splitlines():
        raise NotReadyError(f"debian/changelog is not signed off by {maintainer}")


def _source(out: Path) -> str:
    """Return the folder that the Debian package was built in, which has its version."""
    (package,) = out.glob("*.deb")
    return f"vppcfg-{package.name.split('_')[1]}"


def _install(wheel: Path, environment: Path) -> None:
    _run([sys.executable, "-m", "venv", "--without-pip", environment])
    _pip(["--python", environment / "bin" / "python", "install", f"{wheel}[wireguard]"])


def say_version(bill: Path, version: str) -> None:
    """Write the version of vppcfg into a bill of materials, which pyproject.toml does not have."""
    document = json.loads(bill.read_text(encoding="utf-8"))
    document["metadata"]["component"]["version"] = version
    bill.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_digests(folder: Path) -> None:
    """Write SHA256SUMS of all files below a folder, in the form that `sha256sum --check` reads."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(folder)}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def _pip(arguments: Sequence[str | Path]) -> None:
    _run([sys.executable, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check", "--no-input"])


def _run(command: Sequence[str | Path], **environment: str) -> None:
    subprocess.run([str(word) for word in command], check=True, env={**os.environ, **environment})


def _output(command: Sequence[str | Path]) -> str:
    finished = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True)
    return finished.stdout.strip()


def _git(root: Path, *arguments: str) -> str:
    return _output(["git", "-C", root, *arguments])


def main(arguments: Sequence[str]) -> int:
    """Build a release, say what it consists of and what is left to do, and return an exit code."""
    root, programs, key = arguments
    try:
        out = build(Path(root).resolve(), Path(programs).resolve(), key)
    except NotReadyError as error:
        sys.stderr.write("There is no release to be made yet:\n")
        sys.stderr.writelines(f"- {reason}\n" for reason in str(error).splitlines())
        return 1
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"{' '.join(error.cmd)} ended with exit code {error.returncode}\n")
        return 1
    sys.stdout.writelines(f"{file}\n" for file in sorted(out.iterdir()))
    sys.stdout.write("Nothing has been published. What is left: try the packages, push the tag, upload these files.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
