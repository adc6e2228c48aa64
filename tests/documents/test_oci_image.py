"""The OCI image of a release: an archive as the specification has it, of small file systems."""

import hashlib
import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tools.oci_image import ARCHITECTURES, write_image

FILES = {
    "./etc/hostname": "the machine that built it",
    "./usr/bin/vppcfg": "#!/usr/bin/python3\n",
    "./usr/share/base-passwd/passwd.master": "root:*:0:0:root:/root:/bin/bash\n",
}
MADE_AT = 1_700_000_000


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    roots = {architecture: tmp_path / f"{architecture}.tar" for architecture in ARCHITECTURES}
    for architecture, root in roots.items():
        with tarfile.open(root, "w") as packed:
            for name, text in {**FILES, "./usr/lib/arch": architecture}.items():
                member = tarfile.TarInfo(name)
                member.size, member.mtime = len(text), MADE_AT + 60
                packed.addfile(member, io.BytesIO(text.encode()))
            link = tarfile.TarInfo("./bin")
            link.type, link.linkname = tarfile.SYMTYPE, "usr/bin"
            packed.addfile(link)
    write_image(roots, "1.2.3", MADE_AT, tmp_path / "image.tar")
    return tmp_path / "image.tar"


class Layout:
    """The files of an image layout."""

    def __init__(self, archive: Path) -> None:
        with tarfile.open(archive) as packed:
            self.files = {member.name: read(packed, member) for member in packed}

    def blob(self, descriptor: dict[str, Any]) -> bytes:
        """Return a blob, whose size and digest are as described."""
        algorithm, _, digest = descriptor["digest"].partition(":")
        content = self.files[f"blobs/{algorithm}/{digest}"]
        assert (len(content), hashlib.sha256(content).hexdigest()) == (descriptor["size"], digest)
        return content

    def document(self, descriptor: dict[str, Any]) -> Any:
        return json.loads(self.blob(descriptor))


def read(packed: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = packed.extractfile(member) if member.isreg() else None
    return file.read() if file is not None else b""


def test_each_architecture_has_its_file_system_without_the_machine_that_built_it(archive: Path) -> None:
    layout = Layout(archive)
    (only,) = json.loads(layout.files["index.json"])["manifests"]
    manifests = layout.document(only)["manifests"]
    assert [each["platform"]["architecture"] for each in manifests] == list(ARCHITECTURES)
    for described in manifests:
        manifest = layout.document(described)
        config = layout.document(manifest["config"])
        assert config["architecture"] == described["platform"]["architecture"]
        assert config["config"]["Entrypoint"] == ["/usr/bin/vppcfg"]
        with tarfile.open(fileobj=io.BytesIO(layout.blob(manifest["layers"][0])), mode="r:gz") as layer:
            members = {member.name.removeprefix("./"): member for member in layer}
            texts = {name: read(layer, member) for name, member in members.items()}
        assert texts["usr/lib/arch"].decode() == config["architecture"]
        assert (texts["etc/passwd"].decode(), members["bin"].linkname) == (
            FILES["./usr/share/base-passwd/passwd.master"],
            "usr/bin",
        )
        assert "etc/hostname" not in members
        assert max(member.mtime for member in members.values()) <= MADE_AT


def test_the_same_input_gives_the_same_bytes(archive: Path, tmp_path: Path) -> None:
    roots = {architecture: tmp_path / f"{architecture}.tar" for architecture in ARCHITECTURES}
    write_image(roots, "1.2.3", MADE_AT, tmp_path / "again.tar")
    assert archive.read_bytes() == (tmp_path / "again.tar").read_bytes()


@pytest.mark.skipif(shutil.which("skopeo") is None, reason="skopeo is not installed")
def test_skopeo_copies_it(archive: Path, tmp_path: Path) -> None:
    copied = ["skopeo", "copy", "--quiet", "--all", f"oci-archive:{archive}:1.2.3", f"oci:{tmp_path}/copy:1.2.3"]
    subprocess.run(copied, check=True)
    inspected = ["skopeo", "--override-arch", "arm64", "inspect", "--config", f"oci:{tmp_path}/copy:1.2.3"]
    assert json.loads(subprocess.check_output(inspected))["architecture"] == "arm64"
