"""Keys of WireGuard for tests: those that a simulated VPP can be loaded with, and files that hold them."""

from pathlib import Path

from vppcfg.model.secret_key import digest_of, key_text
from vppcfg.simulator.x25519 import generated_key, public_key

PRIVATE = tuple(generated_key(number) for number in range(8))
PUBLIC = tuple(key_text(public_key(key)) for key in PRIVATE)
"""What each of the private keys gives."""
PRESHARED = tuple(digest_of(key) for key in PRIVATE)
"""What each goes by as a preshared key."""
KEYS = dict(zip((*PUBLIC, *PRESHARED), PRIVATE * 2, strict=True))
"""All of them by what they go by, as plans know them."""
PEERS = tuple(key_text(bytes([number]) * 31 + b"\x08") for number in range(1, 9))
"""Public keys of others, whose private keys nobody needs."""


def key_file(folder: Path, number: int) -> Path:
    """Write a key into a file that only its owner can read, and return it."""
    path = folder / f"key{number}"
    path.touch(mode=0o600)
    path.write_text(f"{key_text(PRIVATE[number])}\n")
    return path
