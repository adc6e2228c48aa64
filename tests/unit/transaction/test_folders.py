"""The folders of journals and locks: what to do when one cannot be used."""

import os
from pathlib import Path

import pytest

from vppcfg.errors import StorageError
from vppcfg.transaction.folders import WHO_MAY, create_folder, how_to_get_in


@pytest.mark.parametrize("below", ["", "vpp/sock"])
def test_a_file_in_the_place_of_the_folder_is_named_as_the_reason(tmp_path: Path, below: str) -> None:
    (tmp_path / "state").touch()
    with pytest.raises(StorageError) as caught:
        create_folder(tmp_path / "state" / below)
    assert caught.value.hint.startswith("a file is where it or a folder above it should be")


@pytest.mark.parametrize(("user", "is_told"), [(0, False), (1000, True)])
def test_only_who_is_not_root_is_advised_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, is_told: bool
) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "mkdir", refuse)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    with pytest.raises(StorageError) as caught:
        create_folder(tmp_path / "state")
    assert (caught.value.hint == WHO_MAY) == is_told
    assert how_to_get_in("Read-only file system") == "it must be writable; name another folder with --state-dir"
