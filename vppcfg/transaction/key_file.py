"""Secret keys in files: read only where no other user can read them, and compared with their public keys."""

from __future__ import annotations

import binascii
from collections.abc import Mapping
from pathlib import Path

from vppcfg.errors import PlanRefusedError, UntrustedFileError
from vppcfg.model.secret_key import RequiredKey, digest_of, key_bytes, key_text
from vppcfg.transaction.safe_open import read_secret, read_trusted
from vppcfg.transaction.signed_document import sealed, unsealed

MODE = 0o600
_KIND = "journal keys"
_FORMAT_VERSION = 1


def read_key(required: RequiredKey) -> bytes:
    """Return the key in the file that a configuration names.

    Raise PlanRefusedError when there is none, when others can read it, or when it is another key.
    """
    if not required.file:
        raise PlanRefusedError(f"{required.description} ({required.name}) is not known any more; nothing was changed")
    key = _key_in(required.file)
    found = digest_of(key) if required.name.startswith("sha256:") else public_key_of(key, required.file)
    if found != required.name:
        raise PlanRefusedError(
            f"{required.file} is not {required.description}: it gives {found}, but the file has {required.name}; "
            "nothing was changed",
            "correct one of the two",
        )
    return key


def _key_in(file: str) -> bytes:
    """Return the key in a file; its content is never repeated in an error."""
    try:
        key = key_bytes(read_secret(Path(file)).decode("ascii").strip())
    except (ValueError, binascii.Error):
        raise PlanRefusedError(
            f"{file} has no key of WireGuard: 32 bytes in base64, and nothing else; nothing was changed",
            "`wg genkey` and `wg genpsk` make keys",
        ) from None
    if not any(key):
        raise PlanRefusedError(f"the key in {file} is all zeros, which is none; nothing was changed")
    return key


def public_key_of(private_key: bytes, file: str) -> str:
    """Return what a private key gives (X25519, RFC 7748). Raise PlanRefusedError without the package cryptography."""
    try:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    except ImportError:
        raise PlanRefusedError(
            f"whether {file} has the right key cannot be checked without the Python package cryptography; nothing was "
            "changed",
            "apt install python3-cryptography, or, where pipx has installed vppcfg, pipx inject vppcfg cryptography",
        ) from None
    public_key = X25519PrivateKey.from_private_bytes(private_key).public_key()
    return key_text(public_key.public_bytes(Encoding.Raw, PublicFormat.Raw))


def sealed_keys(keys: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a file of keys by their names."""
    return sealed(_KIND, _FORMAT_VERSION, {name: key_text(keys[name]) for name in sorted(keys)})


def kept_keys(path: Path, group: int) -> dict[str, bytes]:
    """Return the keys in a file of the journal. Raise UntrustedFileError."""
    content = unsealed(read_trusted(path, group), _KIND, _FORMAT_VERSION, str(path))
    try:
        return {name: key_bytes(key) for name, key in content.items()}
    except (ValueError, TypeError) as error:
        raise UntrustedFileError(f"{path} holds something else than keys") from error
