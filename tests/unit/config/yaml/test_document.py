"""The bytes of files, and places of keys in documents."""

import io
import os
import sys
from pathlib import Path

import pytest

from vppcfg.entries.yaml import files
from vppcfg.entries.yaml.document import Document
from vppcfg.entries.yaml.files import LIMIT_BYTES, can_be_read_again, read_source
from vppcfg.entries.yaml.reader import read_document
from vppcfg.errors import ConfigError, ExitCode


def test_a_document_without_marks_has_one_place() -> None:
    assert Document(data={"a": 1}).locate(("a",)) == (1, 1)
    assert Document().locate(()) == (1, 1)


def test_a_path_that_goes_on_below_a_value_ends_at_the_value() -> None:
    document = read_document(b"a:\n  - b\n  - c: 5\n")
    assert document.locate(("a", 1, "c", "d", 0)) == (3, 5)
    assert document.locate(("a", 0, 0)) == (2, 5)
    assert document.locate(("a", "b")) == (1, 1)


def refusal(name: str | Path) -> str:
    with pytest.raises(ConfigError) as caught:
        read_source(str(name))
    assert caught.value.exit_code is ExitCode.INVALID
    assert caught.value.hint
    return caught.value.message


def stdin_of(data: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data))


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "ä.yaml").write_bytes(b"interfaces: {}\n")
    assert read_source(str(tmp_path / "ä.yaml")) == b"interfaces: {}\n"


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert read_source(str(tmp_path / "b")) == b"x"


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", stdin_of(b"interfaces: {}\n"))
    assert read_source("-") == b"interfaces: {}\n"


def test_closed_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "closed" in refusal("-")
    closed = stdin_of(b"")
    closed.close()
    monkeypatch.setattr(sys, "stdin", closed)
    assert "closed" in refusal("-")


def test_endless_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/zero").open() as zeros:
        monkeypatch.setattr(sys, "stdin", zeros)
        assert "16 MB" in refusal("-")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.yaml") == f"{tmp_path / 'none.yaml'} does not exist"
    assert "does not exist" in refusal("")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    assert "is a directory" in refusal(tmp_path)


def test_a_file_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert "Not a directory" in refusal(tmp_path / "a" / "b")


def test_a_loop_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert "cannot read" in refusal(tmp_path / "a")


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_an_impossible_name_is_refused(name: str) -> None:
    assert "cannot read" in refusal(name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").touch(mode=0)
    assert "no permission" in refusal(tmp_path / "a")


def test_a_permission_error_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a").touch()
    monkeypatch.setattr("os.open", refuse)
    assert "no permission" in refusal(tmp_path / "a")


def test_devices_are_refused_without_opening_them() -> None:
    assert "neither a file nor a pipe" in refusal("/dev/zero")
    assert "neither a file nor a pipe" in refusal("/dev/null")


def test_a_pipe_is_read_to_its_end() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "wb") as stream:
        stream.write(b"a: b\n")
        stream.close()
        assert read_source(f"/dev/fd/{reading}") == b"a: b\n"


def test_standard_input_has_a_name_of_a_device_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a: b\n")))
    assert read_source("/dev/stdin") == b"a: b\n"


def test_a_pipe_above_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LIMIT_BYTES", 3)
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "wb") as stream:
        stream.write(b"a: b\n")
        stream.close()
        assert "is larger than" in refusal(f"/dev/fd/{reading}")


def test_a_pipe_and_standard_input_cannot_be_read_again(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    once = ["-", "/dev/stdin", str(tmp_path / "fifo")]
    again = [str(tmp_path / "missing"), __file__, "a\0b"]
    assert [can_be_read_again(name) for name in (*once, *again)] == [False] * 3 + [True] * 3


def test_a_file_above_the_limit_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large"
    with path.open("wb") as stream:
        stream.truncate(LIMIT_BYTES + 1)
    monkeypatch.setattr(Path, "open", lambda self, mode: pytest.fail("opened"))
    assert "larger than 16 MB" in refusal(path)


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x00\x00", b"a: b\n\x00", b"\x1f\x8b\x08\x00"])
def test_a_binary_file_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a").write_bytes(data)
    assert "is a binary file" in refusal(tmp_path / "a")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_text_in_a_wide_encoding_goes_to_the_reader_when_it_is_marked(tmp_path: Path, encoding: str) -> None:
    data = "a: b\n".encode(encoding)
    (tmp_path / "a").write_bytes(data)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        assert read_source(str(tmp_path / "a")) == data
    else:
        assert "is a binary file" in refusal(tmp_path / "a")
