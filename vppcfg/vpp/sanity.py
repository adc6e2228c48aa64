"""Refuses a state whose parts cannot be of one and the same VPP.

Each message is consistent in itself; but between two of them another client may have changed VPP, or an
answer was lost or damaged. A plan that begins at such a state would lead nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from vppcfg.errors import DataplaneError
from vppcfg.kinds.kind_list import VIRTUAL_INTERFACES
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.model.vrf import table_key
from vppcfg.wire.row import Row

_LISTED = frozenset(kind.kind for kind in VIRTUAL_INTERFACES if kind.is_listed)
_MOST_REWRITE = 8
"""The last of l2_vtr_op_t (vnet/l2/l2_vtr.h)."""


def check_rows(rows: Sequence[Row]) -> None:
    """Raise DataplaneError when two interfaces have one name or one index, or one has none."""
    names = [row.name for row in rows]
    for what, values in (("name", names), ("index", [row.sw_if_index for row in rows])):
        for value, times in Counter(values).most_common(1):
            if times > 1:
                raise _contradiction(f"{times} interfaces have the {what} {value!r}")
    if "" in names:
        raise _contradiction("an interface has no name")


def check_state(state: State) -> None:
    """Raise DataplaneError when parts of a state cannot be of one VPP."""
    for interface in state.interfaces.values():
        for text in _contradictions(interface, state):
            raise _contradiction(text)
    for name in state.lcps:
        if name not in state.interfaces:
            raise _contradiction(f"{name} has an LCP pair, and is not in the list of interfaces")


def _contradictions(interface: Interface, state: State) -> Iterator[str]:
    if interface.kind is InterfaceKind.SUB_INTERFACE:
        if interface.parent not in state.interfaces:
            yield f"the sub-interface {interface.name} is upon an interface that is not there"
    elif _is_listed(interface.kind, state) and interface.name not in state.virtual:
        yield f"{interface.name} is a {interface.kind.value}, and not in the list of them"
    if interface.has_mpls and not state.has_mpls_table:
        yield f"{interface.name} has MPLS, and there is no MPLS table"
    for is_ipv6, table_id in enumerate(interface.tables):
        if table_id and table_key(table_id, is_ipv6=bool(is_ipv6)) not in state.vrfs:
            yield f"{interface.name} is in FIB table {table_id}, and there is no such table"
    if interface.tag_rewrite is not None and interface.tag_rewrite.operation > _MOST_REWRITE:
        yield f"{interface.name} has a tag rewrite of an unknown kind"


def _is_listed(kind: InterfaceKind, state: State) -> bool:
    """Return whether VPP has a list of all interfaces of a kind."""
    return kind is InterfaceKind.BOND or (kind in _LISTED and kind.value in state.facts.plugins)


def _contradiction(text: str) -> DataplaneError:
    return DataplaneError(
        f"what VPP answers does not fit together: {text}", "was VPP changed at this moment? try again"
    )
