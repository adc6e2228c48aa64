"""Messages about loopbacks (vnet/interface_api.c)."""

from __future__ import annotations

from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.vnet import loopback
from vppcfg.simulator.wire import NONE


def create(call: Call, mac: bytes) -> list[Outgoing]:
    """Make a loopback with the lowest free number."""
    return [("create_loopback_reply", _made(call, mac, None))]


def create_instance(call: Call, mac: bytes, is_specified: bool, number: int) -> list[Outgoing]:
    """Make a loopback, with a number of one's own or the lowest that is free."""
    return [("create_loopback_instance_reply", _made(call, mac, number if is_specified else None))]


def _made(call: Call, mac: bytes, number: int | None) -> tuple[int, int]:
    try:
        return 0, loopback.create(call.tables, number, mac).index
    except RefusedError as refusal:
        return refusal.retval, NONE


def delete(call: Call, sw_if_index: int) -> list[Outgoing]:
    """Delete a loopback."""
    loopback.delete(call.tables, sw_if_index)
    return [("delete_loopback_reply", (0,))]


HANDLERS: Handlers = {
    "create_loopback": Handler(answer=create, is_change=True),
    "create_loopback_instance": Handler(answer=create_instance, is_change=True),
    "delete_loopback": Handler(answer=delete, is_change=True),
}
