"""Files of folders and archives, by names that are never paths."""

import gzip
import io
import os
import tarfile
import tempfile
from pathlib import Path

import pytest

from vppcfg.common import unpacking
from vppcfg.common.unpacking import (
    content_of,
    decompressed,
    files_below,
    files_in_archive,
    files_in_folder,
    is_archive,
    name_below,
)
from vppcfg.errors import UsageError


def tar(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/b", "a/b"),
        ("./a//b", "a/b"),
        ("/etc/x", "etc/x"),
        ("//etc/x", "etc/x"),
        ("a/../b", "b"),
        ("a/..", ""),
        (".", ""),
        ("..", ""),
        ("../x", ""),
        ("a/../../x", ""),
        ("..x", "..x"),
        ("a\0b", ""),
        ("", ""),
    ],
)
def test_a_name_stays_below_the_top(name: str, expected: str) -> None:
    assert name_below(name) == expected


def test_the_files_of_an_archive_are_decompressed_and_the_last_of_one_name_counts() -> None:
    content = tar({"a": b"first", "b/c.gz": gzip.compress(b"packed"), "/a": b"last", "../d": b"out"})
    assert is_archive(content)
    assert dict(files_in_archive(content, "x")) == {"a": b"last", "b/c.gz": b"packed"}


@pytest.mark.parametrize("content", [b"", b"x" * 600, b"ustar", b"x" * 257 + b"ustar"])
def test_what_is_no_archive(content: bytes) -> None:
    assert not is_archive(content)


def test_an_archive_has_bounds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(unpacking, "CAPTURE_BYTES", 10)
    monkeypatch.setattr(unpacking, "ARCHIVE_MEMBERS", 3)
    assert len(files_in_archive(tar({"a": b"x" * 5, "b": b"x" * 5}), "x")) == 2
    for files in ({"a": b"x" * 6, "b": b"x" * 5}, {"a": gzip.compress(b"x" * 11)}, {"a": b"", "b": b"", "c": b""}):
        with pytest.raises(UsageError, match=r"x(: a)? (is larger|has more)"):
            files_in_archive(tar(files), "x")
    (tmp_path / "f").write_bytes(b"x" * 11)
    with pytest.raises(UsageError, match="is larger"):
        content_of(tmp_path / "f")
    for name in "ab":
        (tmp_path / name).write_bytes(b"")
    assert list(files_in_folder(tmp_path)) == ["a", "b", "f"]
    (tmp_path / "c").write_bytes(b"")
    with pytest.raises(UsageError, match="more than 3 files"):
        files_in_folder(tmp_path)


def test_what_is_cut_is_refused() -> None:
    assert decompressed(b"plain", "x") == b"plain"
    for damaged in (gzip.compress(b"x" * 1000)[:-9], b"\x1f\x8bxxxxxxxx"):
        with pytest.raises(UsageError, match="x cannot be decompressed"):
            decompressed(damaged, "x")


def test_a_folder_follows_links_within_it_alone(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    folder = tmp_path / "folder"
    (folder / "b").mkdir(parents=True)
    (folder / "b" / "f10").write_bytes(b"ten")
    (folder / "b" / "f9").write_bytes(b"nine")
    (folder / "inner").symlink_to("b/f9")
    (folder / "outer").symlink_to("../secret")
    (folder / "circle").symlink_to("circle")
    files = files_in_folder(folder)
    assert (list(files), len(files)) == (["b/f9", "b/f10"], 2)
    assert (files["b/f9"], files["inner"]) == (b"nine", b"nine")
    for name in ("outer", "circle", "b", "none", "../secret"):
        with pytest.raises(KeyError):
            files[name]


def test_a_folder_in_others_has_names_of_its_own() -> None:
    files = {"a/x": b"1", "ab/x": b"2", "a/b/y": b"3", "z": b"4"}
    assert dict(files_below(files, "a")) == {"x": b"1", "b/y": b"3"}
    assert dict(files_below(files, "")) == files


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_that_may_not_be_looked_into_is_passed_over() -> None:
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        (top / "closed").mkdir()
        for path in (top / "closed" / "f", top / "a"):
            path.write_text("")
        (top / "closed").chmod(0o744)
        top.chmod(0o755)
        os.seteuid(65534)
        try:
            assert list(files_in_folder(top)) == ["a"]
        finally:
            os.seteuid(0)
