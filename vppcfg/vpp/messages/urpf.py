"""Reverse path checks of packets: how they are set, and which there are (plugins/urpf/urpf.api)."""

from __future__ import annotations

from vppcfg.model.features import UrpfCheck, UrpfMode, urpf_in_order
from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, NO_INDEX, Indexes, Known, Messages, Request, Vocabulary
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

ATTRIBUTE = "urpf"
_SET = "urpf_update_v2"
"""Not the first version, which looks for routes in table 0 whatever table the interface is in."""
_DUMP = "urpf_interface_dump"
PARTS = {"urpf": _SET, "urpf_dump": _DUMP}
_MODES = {1: UrpfMode.LOOSE, 2: UrpfMode.STRICT}
_NUMBERS = {mode: number for number, mode in _MODES.items()}
_OFF = 0


def _set_urpf(operation: op.SetUrpf, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {
        "sw_if_index": indexes.interface(operation.interface),
        "af": int(operation.is_ipv6),
        "is_input": int(not operation.is_output),
        "mode": _OFF if operation.mode is None else _NUMBERS[operation.mode],
        "table_id": NO_INDEX if operation.table_id is None else operation.table_id,
    }
    return Request(_SET, values)


MESSAGES: Messages = {op.SetUrpf: _set_urpf}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for the checks of all interfaces, where VPP takes it."""
    return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, known: Known) -> dict[int, tuple[UrpfCheck, ...]]:
    """Return the checks by interface index.

    A check with its mode off, which VPP shows where another table was once named, checks nothing.
    """
    if not connection.offers(_DUMP):
        return {}
    found: dict[int, list[UrpfCheck]] = {}
    paths = ("sw_if_index", "af", "is_input", "mode", "table_id")
    for index, family, is_input, mode, table_id in connection.rows(replies, "urpf_interface_details", *paths):
        if mode in _MODES:
            is_own = table_id == known.tables.get(index, (0, 0))[bool(family)]
            check = UrpfCheck(
                mode=_MODES[mode],
                is_ipv6=bool(family),
                is_output=not is_input,
                table_id=None if is_own else table_id,
            )
            found.setdefault(index, []).append(check)
    return {index: urpf_in_order(checks) for index, checks in found.items()}
