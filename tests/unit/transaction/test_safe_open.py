"""Whose files are read: one's own and root's, in folders where nobody else can exchange them."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from vppcfg.errors import UntrustedFileError
from vppcfg.transaction.safe_open import check_folder, oneself, read_trusted, refuse_foreign_pipe

GROUP, OTHER_GROUP, OTHER_USER = 4243, 4244, 4242

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file two folders below a folder of the test's own."""
    path = tmp_path / "one" / "two" / "file"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"content")
    path.chmod(0o640)
    return path


def open_to(path: Path, group: int) -> None:
    """Let a group write a file or folder."""
    os.chown(path, -1, group)
    path.chmod(0o770)


@needs_root
def test_a_pipe_in_a_folder_of_all_is_of_who_owns_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    refuse_foreign_pipe(pipe)
    for user, mode in ((OTHER_USER, 0o600), (0, 0o622)):
        os.chown(pipe, user, -1)
        pipe.chmod(mode)
        with pytest.raises(UntrustedFileError):
            refuse_foreign_pipe(pipe)
    with pytest.raises(UntrustedFileError, match="cannot look at"):
        refuse_foreign_pipe(tmp_path / "none")


def test_ones_own_file_is_read(file: Path) -> None:
    assert read_trusted(file) == b"content"


@needs_root
@pytest.mark.parametrize("place", ["file", "two", "one"])
@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda path: path.chmod(0o747), "everybody may write"),
        (lambda path: open_to(path, OTHER_GROUP), f"group id {OTHER_GROUP} may write"),
        (lambda path: os.chown(path, OTHER_USER, -1), f"belongs to user id {OTHER_USER}"),
    ],
    ids=["for everybody", "for another group", "somebody else's"],
)
def test_what_somebody_else_may_have_written_is_not(
    file: Path, place: str, damage: Callable[[Path], object], text: str
) -> None:
    damaged = next(path for path in (file, *file.parents) if path.name == place)
    damage(damaged)
    with pytest.raises(UntrustedFileError) as caught:
        read_trusted(file, GROUP)
    assert text in caught.value.message
    assert str(damaged) in caught.value.message


@needs_root
def test_the_group_of_those_who_may_drive_vpp_may_write(file: Path) -> None:
    for path in (file, file.parent):
        open_to(path, GROUP)
    assert read_trusted(file, GROUP) == b"content"
    with pytest.raises(UntrustedFileError, match=f"group id {GROUP} may write"):
        read_trusted(file)


@needs_root
def test_who_called_sudo_isoneself(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(file.parent, OTHER_USER, -1)
    monkeypatch.setenv("SUDO_UID", str(OTHER_USER))
    assert read_trusted(file) == b"content"


def test_in_a_folder_like_tmp_ones_own_files_are_ones_own(file: Path) -> None:
    file.parent.chmod(0o1777)
    assert read_trusted(file) == b"content"
    with pytest.raises(UntrustedFileError, match="everybody may write"):
        check_folder(file.parent)


def test_a_link_is_followed_on_the_way_and_not_at_the_end(file: Path, tmp_path: Path) -> None:
    (tmp_path / "absolute").symlink_to(file.parent)
    (tmp_path / "relative").symlink_to("one/../absolute")
    (tmp_path / "file").symlink_to(file)
    assert read_trusted(tmp_path / "relative" / "file") == b"content"
    with pytest.raises(UntrustedFileError, match="cannot read"):
        read_trusted(tmp_path / "file")


@needs_root
def test_a_link_of_somebody_else_is_not_followed(file: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(file.parent)
    os.lchown(tmp_path / "link", OTHER_USER, -1)
    with pytest.raises(UntrustedFileError, match=f"belongs to user id {OTHER_USER}"):
        read_trusted(tmp_path / "link" / "file")


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(UntrustedFileError, match="too many symbolic links"):
        read_trusted(tmp_path / "circle" / "file")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["a pipe", "a folder"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "file")
    with pytest.raises(UntrustedFileError, match="no regular file"):
        read_trusted(tmp_path / "file")


def test_nothing_stays_open(file: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(file.parent)
    before = os.listdir("/proc/self/fd")
    for path in (tmp_path / "link" / "file", tmp_path / "none" / "file", tmp_path / "link" / "none"):
        with contextlib.suppress(UntrustedFileError):
            read_trusted(path)
    assert os.listdir("/proc/self/fd") == before


@needs_root
def test_a_link_leads_on_from_its_own_folder_and_what_it_passes_is_looked_at(file: Path, tmp_path: Path) -> None:
    (tmp_path / "one" / "hop").mkdir()
    (tmp_path / "link").symlink_to("one/hop/../two")
    assert read_trusted(tmp_path / "link" / "file") == b"content"
    (tmp_path / "one" / "hop").chmod(0o777)
    with pytest.raises(UntrustedFileError, match="everybody may write"):
        read_trusted(tmp_path / "link" / "file")


@needs_root
def test_a_member_of_the_group_may_own_what_is_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    users = {
        OTHER_USER: ("primary", GROUP),
        OTHER_USER + 1: ("listed", OTHER_GROUP),
        OTHER_USER + 2: ("stranger", OTHER_GROUP),
    }
    monkeypatch.setattr("pwd.getpwuid", lambda user: SimpleNamespace(pw_name=users[user][0], pw_gid=users[user][1]))
    monkeypatch.setattr("grp.getgrgid", lambda group: SimpleNamespace(gr_name=f"g{group}", gr_mem=["listed"]))
    for user in (OTHER_USER, OTHER_USER + 1):
        os.chown(file, user, -1)
        assert read_trusted(file, GROUP) == b"content"
        with pytest.raises(UntrustedFileError, match="who is not trusted here"):
            read_trusted(file)
    for user in (OTHER_USER + 2, OTHER_USER + 3):
        os.chown(file, user, -1)
        with pytest.raises(UntrustedFileError, match="who is not trusted here"):
            read_trusted(file, GROUP)


@needs_root
def test_the_root_of_all_folders_is_looked_at_as_well(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def look(here: int, group: int | None) -> None:
        seen.append(os.readlink(f"/proc/self/fd/{here}"))

    monkeypatch.setattr("vppcfg.transaction.safe_open._check_folder", look)
    read_trusted(file)
    assert seen == ["/", *map(str, reversed(file.parents[:-1]))]


@pytest.mark.parametrize(("links", "is_followed"), [(40, True), (41, False)])
def test_as_many_links_are_followed_as_the_kernel_follows(
    file: Path, tmp_path: Path, links: int, *, is_followed: bool
) -> None:
    former = file.parent
    for number in range(links):
        link = tmp_path / f"link{number}"
        link.symlink_to(former)
        former = link
    if is_followed:
        assert read_trusted(former / "file") == b"content"
    else:
        with pytest.raises(UntrustedFileError, match="too many symbolic links"):
            read_trusted(former / "file")


@pytest.mark.parametrize(("user", "expected"), [(0, {0, OTHER_USER}), (1000, {0, 1000})])
def test_who_called_sudo_is_believed_of_root_alone(
    user: int, expected: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert oneself({"SUDO_UID": str(OTHER_USER)}) == expected


def test_of_a_file_without_an_end_no_more_is_read_than_there_is_room_for(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.transaction.safe_open.LIMIT_BYTES", 3)
    with pytest.raises(UntrustedFileError, match="is larger than"):
        read_trusted(file)
