"""Room on the disk that is taken before it is needed, and given back whole."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vppcfg.errors import ExitCode, StorageError
from vppcfg.transaction.directory import Directory
from vppcfg.transaction.disk_reservation import put_into_spare, release, reserve, room_for
from vppcfg.transaction.entry_folders import EntryFolders
from vppcfg.transaction.signed_document import write_durably


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Directory]:
    with Directory.at(tmp_path) as opened:
        yield opened


def test_what_is_taken_is_there_and_can_be_given_back_once(folder: Directory) -> None:
    path = folder.path / "reserve"
    reserve(folder, "reserve", 10_000)
    assert path.stat().st_mode & 0o777 == 0o660, "another member may need more"
    assert path.stat().st_size == 10_000
    assert path.stat().st_blocks * 512 >= 10_000, "a hole is no room"
    reserve(folder, "reserve", 5_000)
    assert path.stat().st_size == 10_000, "what is there already is enough"
    reserve(folder, "reserve", 20_000)
    assert path.stat().st_size == 20_000
    assert release(folder, "reserve")
    assert not release(folder, "reserve")


def test_a_copy_with_holes_has_no_room_yet(folder: Directory) -> None:
    """As `cp --sparse` and archives of the state folder make it."""
    path = folder.path / "reserve"
    path.touch()
    os.truncate(path, 10_000)
    assert path.stat().st_blocks == 0
    reserve(folder, "reserve", 10_000)
    assert path.stat().st_blocks * 512 >= 10_000


def test_a_disk_without_room_keeps_nothing_of_the_attempt(folder: Directory, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int, offset: int, length: int) -> None:
        os.ftruncate(descriptor, length // 2)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", fail)
    with pytest.raises(StorageError, match="cannot reserve 10000 bytes") as caught:
        reserve(folder, "reserve", 10_000)
    assert caught.value.exit_code is ExitCode.NOT_NOW
    assert not (folder.path / "reserve").exists()


def test_the_room_for_files_is_more_than_what_is_in_them() -> None:
    assert room_for([]) > 0
    assert room_for([1, 5000]) - room_for([]) > 4096 + 8192


def test_a_spare_becomes_the_file_and_the_file_the_spare(folder: Directory) -> None:
    path, spare = folder.path / "outcome", folder.path / "spare"
    path.write_bytes(b"first")
    spare.write_bytes(b"xxxxx")
    assert put_into_spare(folder, "outcome", "spare", b"secnd")
    assert (path.read_bytes(), spare.read_bytes()) == (b"secnd", b"first")
    assert put_into_spare(folder, "outcome", "spare", b"third")
    assert (path.read_bytes(), spare.read_bytes()) == (b"third", b"secnd")
    assert sorted(os.listdir(folder.path)) == ["outcome", "spare"]


def test_what_has_another_length_or_no_spare_is_written_otherwise(folder: Directory) -> None:
    path, spare = folder.path / "outcome", folder.path / "spare"
    path.write_bytes(b"first")
    assert not put_into_spare(folder, "outcome", "spare", b"secnd")
    spare.write_bytes(b"xxx")
    assert not put_into_spare(folder, "outcome", "spare", b"secnd")
    assert (path.read_bytes(), spare.read_bytes()) == (b"first", b"xxx")


def test_a_file_that_cannot_be_written_is_a_storage_error_that_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        write_durably(tmp_path / "none" / "file", b"content")

    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(StorageError, match="Input/output error"):
        write_durably(tmp_path / "file", b"content")
    assert os.listdir(tmp_path) == []


@pytest.fixture
def folders(tmp_path: Path) -> EntryFolders:
    (tmp_path / "journal").mkdir()
    return EntryFolders(tmp_path / "journal")


def test_an_entry_that_cannot_be_made_is_a_storage_error_that_leaves_nothing(
    folders: EntryFolders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StorageError, match="cannot write to"):
        EntryFolders(tmp_path / "none").create(1, {"entry.json": b""})
    with pytest.raises(StorageError, match="cannot write"):
        folders.create(1, {"entry.json": b"", "no/file": b""})
    assert os.listdir(folders.folder) == []

    def vanish(folder: Directory, *_: object) -> None:
        folder.path.rmdir()
        raise OSError(errno.EIO, "gone")

    monkeypatch.setattr(Directory, "replace", vanish)
    with pytest.raises(StorageError, match="gone"):
        folders.create(1, {"entry.json": b""})


def test_what_is_set_aside_is_on_the_disk_and_what_is_gone_can_be_removed(
    folders: EntryFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(Directory, "sync", lambda folder: synced.append(folder.path))
    folders.of(3).mkdir()
    assert folders.set_aside(3).is_dir()
    assert synced == [folders.folder]
    folders.of(3).mkdir()
    assert folders.set_aside(3).is_dir()
    assert (folders.numbers(), folders.numbers_aside(), folders.next_number()) == ([], [3, 3], 4)
    folders.remove(3)


def test_a_spare_that_a_killed_vppcfg_left_half_made_is_made_again(folder: Directory) -> None:
    path, spare = folder.path / "outcome", folder.path / "spare"
    path.write_bytes(b"first")
    spare.write_bytes(b"xxxxx")
    (folder.path / "outcome.former").write_bytes(b"older")
    assert put_into_spare(folder, "outcome", "spare", b"secnd")
    assert (path.read_bytes(), spare.read_bytes()) == (b"secnd", b"first")


@pytest.mark.parametrize("what", ["pipe", "link", "second name", "folder"])
def test_what_is_no_file_of_its_own_is_neither_written_nor_waited_for(folder: Directory, what: str) -> None:
    path, spare, other = folder.path / "outcome", folder.path / "spare", folder.path / "other"
    path.write_bytes(b"first")
    other.write_bytes(b"xxxxx")
    make: dict[str, Callable[[], None]] = {
        "pipe": lambda: os.mkfifo(spare),
        "link": lambda: spare.symlink_to(other),
        "second name": lambda: spare.hardlink_to(other),
        "folder": spare.mkdir,
    }
    make[what]()
    assert not put_into_spare(folder, "outcome", "spare", b"secnd")
    with pytest.raises(StorageError):
        reserve(folder, "spare", 10)
    assert (path.read_bytes(), other.read_bytes()) == (b"first", b"xxxxx")
