"""Documents under a seal: what comes back is what was written, and anything else is refused with its reason."""

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from vppcfg.errors import UntrustedFileError
from vppcfg.transaction.signed_document import sealed, unsealed, write_durably


def with_head(body: bytes, **changes: Any) -> bytes:
    """Return a document whose seal is right, whatever its body is; a change to None takes a key away."""
    head = {"vppcfg": "plan", "format_version": 1, "sha256": hashlib.sha256(body).hexdigest()} | changes
    return json.dumps({key: value for key, value in head.items() if value is not None}).encode() + b"\n" + body


@pytest.mark.parametrize("length", [0, 1000])
def test_what_is_sealed_comes_back(length: int) -> None:
    content = {"number": 1, "text": "ä", "list": [1, 2]}
    data = sealed("plan", 1, content, length=length)
    assert unsealed(data, "plan", 1, "file") == content
    assert len(data) >= length


@pytest.mark.parametrize(
    "body",
    [b"", b"no JSON", b"[1]", b"5", b"null", b'{"a": 1', b"\xff\xfe\0", b'{"a":' * 50_000, b"1" * 5000, b'{"a": NaN}x'],
    ids=lambda body: body[:12].decode(errors="replace"),
)
def test_a_text_that_is_no_object_is_refused_though_its_seal_is_right(body: bytes) -> None:
    with pytest.raises(UntrustedFileError, match="file is not a plan of vppcfg: its content is no object"):
        unsealed(with_head(body), "plan", 1, "file")


@pytest.mark.parametrize(
    "changes",
    [
        {"vppcfg": "journal entry"},
        {"vppcfg": None},
        {"vppcfg": []},
        {"format_version": None},
        {"format_version": 2},
        {"format_version": "1"},
        {"sha256": None},
        {"sha256": 5},
        {"sha256": "0" * 64},
    ],
)
def test_a_head_of_something_else_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(UntrustedFileError):
        unsealed(with_head(b"{}", **changes), "plan", 1, "file")


@pytest.mark.parametrize("head", [b"", b"[]", b"null", b"5", b"{" * 50_000, b"\xff", b"1" * 5000])
def test_what_has_no_head_is_refused(head: bytes) -> None:
    with pytest.raises(UntrustedFileError, match="file is not a plan of vppcfg"):
        unsealed(head + b"\n{}", "plan", 1, "file")


def test_every_cut_and_every_bit_is_noticed() -> None:
    data = sealed("plan", 1, {"a": 1})
    for place in range(len(data)):
        for changed in (data[:place], data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]):
            with pytest.raises(UntrustedFileError):
                unsealed(changed, "plan", 1, "file")


def test_a_file_is_on_the_disk_before_it_has_its_name_and_its_name_is_before_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    did: list[str] = []
    replace, fsync = os.replace, os.fsync

    def note_fsync(descriptor: int) -> None:
        did.append(f"fsync {'folder' if stat.S_ISDIR(os.fstat(descriptor).st_mode) else 'file'}")
        fsync(descriptor)

    def note_replace(source: str, target: str, **folders: int) -> None:
        did.append(f"replace {target}")
        replace(source, target, **folders)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "replace", note_replace)
    write_durably(tmp_path / "file", b"content")
    assert did == ["fsync file", "replace file", "fsync folder"]
