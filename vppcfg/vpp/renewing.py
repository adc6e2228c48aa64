"""Turns IPv6 off and on again on an interface, so that its router advertisements name its present MTU.

It is turned off and on as often as it is on, which no message reports (vnet/ip/ip6_link.c). Each address of an
interface turns IPv6 on once more, so does linux-nl for a link-local address of Linux, and so do DHCPv6,
autoconfiguration and `enable ip6 interface`. IPv6 goes off when it was turned off that often. It is tried with once,
twice, four times and so on. Each try turns IPv6 off and on equally often and is sent as one piece, so that IPv6 is on
after it whatever happens to the connection, and what was turned on too often is taken back.
"""

from __future__ import annotations

from vppcfg.errors import DataplaneError
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages.interface import read_names

_MESSAGE = "sw_interface_ip6_enable_disable"
_NOT_ENABLED = -62
"""VNET_API_ERROR_IP6_NOT_ENABLED (vnet/error.h): it was off already."""
_MOST = 1 << 12
"""More often than that IPv6 is not on for any good reason."""


def renew_ipv6(connection: Connection, name: str) -> int:
    """Turn IPv6 off and on again; return 0, or VPP's return code. Raise DataplaneError."""
    index = read_names(connection).get(name)
    if index is None:
        raise DataplaneError(f"VPP has no interface {name} any more", "was it deleted meanwhile?")
    times = 1
    while times <= _MOST:
        answers = _still_set(connection, index, [0] * times + [1] * times)
        surplus = answers[:times].count(_NOT_ENABLED)
        if surplus:
            _still_set(connection, index, [0] * surplus)
        if wrong := next((each for each in answers[:times] if each not in (0, _NOT_ENABLED)), 0):
            return wrong
        if answers[times] == 0:  # else IPv6 was on still
            return 0
        times *= 2
    raise DataplaneError(f"IPv6 cannot be turned off on {name}", "see `vppctl show ip6 interface`")


def _still_set(connection: Connection, index: int, switches: list[int]) -> list[int]:
    """Turn IPv6 on and off as `switches` sets, sent as one piece, and return VPP's return codes in order."""
    requests = [connection.request(_MESSAGE, {"sw_if_index": index, "enable": enable}) for enable in switches]
    replies = connection.ask([request for _, request in requests])
    codes = dict(connection.rows(replies, f"{_MESSAGE}_reply", "context", "retval"))
    if len(codes) < len(requests):
        raise connection.unanswered()
    return [codes[context] for context, _ in requests]
