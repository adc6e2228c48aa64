"""The public key of a private key (X25519, RFC 7748), computed without a library, so that the simulator needs none.

It takes a time that depends on the key, and so would reveal it: only for keys that are made up here.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

_PRIME = 2**255 - 19
_A24 = 121665
_BASE = 9
_GENERATED_KEYS = 8
"""How many keys a simulated VPP can be loaded with: a state names keys without their secrets."""


def public_key(private_key: bytes) -> bytes:
    """Return the public key of a private key, 32 bytes each."""
    scalar = int.from_bytes(private_key, "little")
    scalar &= ~7 & ((1 << 255) - 1)
    scalar |= 1 << 254
    return _ladder(scalar).to_bytes(32, "little")


def _ladder(scalar: int) -> int:
    """Return the u-coordinate of the base point times a scalar (Montgomery's ladder)."""
    x2, z2, x3, z3 = 1, 0, _BASE, 1
    is_swapped = 0
    for bit in range(254, -1, -1):
        digit = scalar >> bit & 1
        if digit != is_swapped:
            x2, z2, x3, z3 = x3, z3, x2, z2
        is_swapped = digit
        plus, minus = x2 + z2, x2 - z2
        crossed, other = minus * (x3 + z3), plus * (x3 - z3)
        square, difference = plus * plus % _PRIME, plus * plus - minus * minus
        x3, z3 = (crossed + other) ** 2 % _PRIME, _BASE * (crossed - other) ** 2 % _PRIME
        x2, z2 = square * minus * minus % _PRIME, difference * (square + _A24 * difference) % _PRIME
    if is_swapped:
        x2, z2 = x3, z3
    return x2 * pow(z2, _PRIME - 2, _PRIME) % _PRIME


def generated_key(number: int) -> bytes:
    """Return a private key, or a preshared one, for simulation only: it can be guessed."""
    return sha256(f"simulated key {number}".encode()).digest()


@lru_cache(maxsize=1)
def key_lookup() -> dict[bytes, bytes]:
    """Return the generated keys: private ones by their public keys, preshared ones by their SHA-256 digests."""
    keys = [generated_key(number) for number in range(_GENERATED_KEYS)]
    return {public_key(key): key for key in keys} | {sha256(key).digest(): key for key in keys}
