"""Secret keys, without any secret: a private key is named by its public key, a preshared key by its digest."""

from __future__ import annotations

from base64 import b64decode, b64encode

from vppcfg.record import record

KEY_BYTES = 32


@record
class RequiredKey:
    """A secret that a state needs."""

    name: str
    """The name, unique to the secret: a public key, or `sha256:` and a digest."""
    file: str
    """The file that has it; '' where none is named."""
    description: str
    """What it is, in words."""


def key_text(key: bytes) -> str:
    """Return a key in base64."""
    return b64encode(key).decode()


def key_bytes(text: str) -> bytes:
    """Return the bytes of a key that is written in base64. Raise ValueError when it is none."""
    key = b64decode(text, validate=True)
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key has {KEY_BYTES} bytes, and this one {len(key)}")
    return key


def digest_of(preshared_key: bytes) -> str:
    """Return the name of a preshared key, which reveals nothing of it as long as it was drawn at random."""
    from hashlib import sha256  # slow to import, and not needed where no file has secrets

    return f"sha256:{sha256(preshared_key).hexdigest()}"
