"""Files of keys: whose they must be, and what they must give."""

import os
from pathlib import Path

import pytest

from tests.wireguard_keys import PRESHARED, PRIVATE, PUBLIC, key_file
from vppcfg.errors import PlanRefusedError, UntrustedFileError
from vppcfg.model.secret_key import RequiredKey, key_text
from vppcfg.transaction.key_file import kept_keys, read_key, sealed_keys

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def wanted(name: str, file: Path | str) -> RequiredKey:
    return RequiredKey(name=name, file=str(file), description="the private key of wg0")


def test_a_key_is_read_by_what_it_gives(tmp_path: Path) -> None:
    file = key_file(tmp_path, 1)
    assert read_key(wanted(PUBLIC[1], file)) == PRIVATE[1]
    assert read_key(wanted(PRESHARED[1], file)) == PRIVATE[1]


@pytest.mark.parametrize("name", [PUBLIC[2], PRESHARED[2]])
def test_another_key_is_refused_with_what_it_gives(tmp_path: Path, name: str) -> None:
    with pytest.raises(PlanRefusedError, match="is not the private key of wg0") as caught:
        read_key(wanted(name, key_file(tmp_path, 1)))
    assert (PUBLIC[1] if name == PUBLIC[2] else PRESHARED[1]) in caught.value.message
    assert key_text(PRIVATE[1]) not in caught.value.message


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o777])
def test_a_file_that_others_can_touch_is_refused(tmp_path: Path, mode: int) -> None:
    file = key_file(tmp_path, 1)
    file.chmod(mode)
    with pytest.raises(UntrustedFileError, match="others can read") as caught:
        read_key(wanted(PUBLIC[1], file))
    assert caught.value.hint == f"chmod 600 {file}"


@pytest.mark.parametrize("mode", [0o400, 0o600])
def test_a_file_of_ones_own_is_read(tmp_path: Path, mode: int) -> None:
    file = key_file(tmp_path, 1)
    file.chmod(mode)
    assert read_key(wanted(PUBLIC[1], file)) == PRIVATE[1]


@needs_root
def test_a_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    file = key_file(tmp_path, 1)
    os.chown(file, 4242, -1)
    with pytest.raises(UntrustedFileError, match="belongs to user id 4242"):
        read_key(wanted(PUBLIC[1], file))


@pytest.mark.parametrize("kind", ["missing", "folder", "link", "pipe"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "key"
    if kind == "folder":
        file.mkdir()
    elif kind == "link":
        file.symlink_to(key_file(tmp_path, 1))
    elif kind == "pipe":
        os.mkfifo(file, 0o600)
    with pytest.raises(UntrustedFileError):
        read_key(wanted(PUBLIC[1], file))


def test_damaged_keys_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_bytes(sealed_keys({PUBLIC[1]: PRIVATE[1]}).replace(b"=", b"!", 1))
    with pytest.raises(UntrustedFileError):
        kept_keys(file, os.getgid())
