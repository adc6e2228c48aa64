"""Damage to plain data, such as JSON holds, and to bytes."""

import random
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

NODES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 1 << 31, 1 << 64, 1 << 70, -(1 << 70), 10**400, 0.5, -0.5, 1e13, 1e308, 5e-324),
    *(float("inf"), float("nan"), "", "x", "1e400", "\ud800", "\x1b[31m\n", "ä" * 2000),
    *([], {}, [[]], [None], {"x": {}}),
)
"""What may stand anywhere. Written as JSON, some of these are no JSON; so are the answers of some programs."""
_DEEPER = 0.9
_MOST_BYTES = 1 << 16


def damage_node(rng: random.Random, node: Any, nodes: Sequence[Any] = NODES) -> None:
    """Go down at random, and change something there: another value, one more, or one less."""
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(node[key], list | dict) and node[key] and rng.random() < _DEEPER:
            node = node[key]
            continue
        action = rng.randrange(5)
        if action == 0:
            del node[key]
        elif action == 1 and isinstance(node, list):
            node.insert(key, deepcopy(rng.choice(nodes)))
        elif action == 1:
            node[rng.choice(("x", "0", "-1", "1e400", key))] = deepcopy(rng.choice(nodes))
        elif action == 2 and isinstance(node, list):
            node.append(deepcopy(node[key]))
        else:
            node[key] = deepcopy(rng.choice(nodes))
        return


def flipped(rng: random.Random, data: bytes) -> bytes:
    """Return bytes of which a few bits are others."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut_and_joined(rng: random.Random, data: bytes, others: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """Return bytes cut up, repeated, joined with others and mixed with tokens, which the format means something by."""
    for _ in range(rng.randint(1, 6)):
        first, last = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        last = min(last, first + 60)
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:first] + data[last:]
        elif kind == 1:
            data = data[:last] + data[first:]
        elif kind in (2, 3):
            data = data[:first] + rng.choice(tokens) + data[first if kind == 2 else last :]
        elif kind == 4 and data:
            data = flipped(rng, data)
        else:
            other = rng.choice(others)
            data = data[:first] + other[rng.randrange(len(other) + 1) :]
    return data[:_MOST_BYTES]
