"""All that a simulated VPP knows, as plain data that two moments can be compared by.

Indexes differ when something was deleted and made again, so they are read as names. To tell them from other numbers,
those of interfaces begin where no other number lies.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Any

import pytest

from vppcfg.simulator import vpp as simulated
from vppcfg.simulator.load import load_local0
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.tables import BridgeFeature, Tables
from vppcfg.simulator.vpp import SimulatedVpp

FIRST, MOST = 30_000, 9_000
"""Where the numbers of interfaces and of their hardware begin, which VPP takes for one another at times."""
_NUMBERS = frozenset(
    {"index", "hw_index", "by_hw", "by_phy", "by_sw", "by_key", "locks", "vif_index", "next", "previous"}
)
"""Attributes that number things, and are given anew when something is made again."""
_PASSED_OVER = frozenset(
    {
        "release", "process", "plugins", "created_hooks", "deleted_hooks", "admin_hooks", "mtu_hooks", "events",
        "linux", "updated_s", "l2_length", "leaked", "ascending", "lengths", "_has_ever_lent", "_links", "_heads",
        "_holders", "_tails", "hw", "hw_by_name", "sw", "bridges", "known", "peers", "system_name", "hold",
        "interval_s", "BondMain", "IpfixMain", "MacTable", "ProxyArpMain", "QueueMain", "SourceMain", "TapMain",
        "VhostUserMain", "VxlanMain", "announced",
    }
)  # fmt: skip
"""What is no setting, what can only be set, and what is by other numbers than those of interfaces and observed."""
_NOTHING = repr(((0, 0), (0, 0)))
_LEFT_BY_L2 = {"input_bits": BridgeFeature.DROP}
"""What is no difference: an interface that has been in L2 drops what comes in there, which is nothing in L3
(set_int_l2_mode), and leaves that to the next one with its index."""


@contextmanager
def telling_numbers() -> Iterator[None]:
    """Have the VPPs that are made meanwhile number their interfaces so that `tables_of` knows the numbers."""

    def load(tables: Tables) -> None:
        load_local0(tables)
        pools: tuple[Pool[Any], ...] = (tables.hw, tables.sw)
        for pool in pools:
            pool._rows += pool._rows * (FIRST - 1)
            pool._used += [False] * (FIRST - 1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulated, "load_local0", load)
        yield


def tables_of(vpp: SimulatedVpp) -> dict[str, str]:
    """Return every entry of every table, by where it stands."""
    reader = _Reader(vpp.tables)
    return dict(sorted(reader.entries("", vpp.tables)))


class _Reader:
    def __init__(self, tables: Tables) -> None:
        self._names = {row.index: tables.name_of(row) for row in tables.sw if row.index >= FIRST}
        for pair in tables.lcp.pairs:
            self._names[pair.host] = f"VPP's side of {pair.host_name}"

    def entries(self, path: str, value: Any) -> Iterator[tuple[str, str]]:
        """Yield the entries below a place of the tables."""
        if isinstance(value, Pool):
            for row in value:
                name = self._names.get(getattr(row, "index", -1))
                if name is not None:
                    yield from self.entries(f"{path}.{name}", row)
                else:
                    yield f"{path}.{sorted(self.entries('', row))}", ""
        elif isinstance(value, Mapping):
            for key, each in value.items():
                key = key.__name__ if isinstance(key, type) else str(self._plain(key))
                if key not in _PASSED_OVER:
                    yield from self.entries(f"{path}.{key}", each)
        elif (fields := self._fields(value)) is not None:
            for name, each in fields.items():
                if name in _PASSED_OVER or name in _NUMBERS or callable(each) or each == _LEFT_BY_L2.get(name, ...):
                    continue
                yield from self.entries(f"{path}.{name.lstrip('_')}", each)
        elif (any(value) if isinstance(value, (tuple, list, bytes)) else value) and repr(
            self._plain(value)
        ) != _NOTHING:
            yield path, repr(self._plain(value))

    @staticmethod
    def _fields(value: Any) -> Mapping[str, Any] | None:
        if isinstance(value, Enum) or not type(value).__module__.startswith("vppcfg."):
            return None
        if dataclasses.is_dataclass(value):
            return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return vars(value) if hasattr(value, "__dict__") else None

    def _plain(self, value: Any) -> Any:
        if isinstance(value, int) and FIRST <= value < FIRST + MOST:
            return self._names.get(value, "gone")
        if isinstance(value, (list, tuple)):
            return tuple(self._plain(each) for each in value)
        if isinstance(value, (set, frozenset)):
            return sorted(map(repr, map(self._plain, value)))
        if self._fields(value) is not None:
            return dict(self.entries("", value))
        return value
