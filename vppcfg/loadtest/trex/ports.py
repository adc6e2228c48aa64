"""The ports of a T-Rex server: what they are, and which of them a load test must not use."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vppcfg.errors import EngineError
from vppcfg.loadtest.default_route import interfaces_of_default_routes
from vppcfg.loadtest.engine import Port

RUNNING = frozenset({"TX", "PAUSE", "PCAP_TX"})
"""States in which a port sends, or is about to."""


def port_of(facts: Mapping[str, Any], status: Mapping[str, Any]) -> Port:
    """Return a port from what `get_system_info` and `get_port_status` say of it."""
    attributes = status.get("attr") or {}
    speed_gbps = float(attributes.get("speed") or 0.0)
    return Port(
        name=str(facts.get("index")),
        link_bps=round(speed_gbps * 1e9) or None,
        mac=str(facts.get("hw_mac") or ""),
        driver=str(facts.get("driver") or ""),
    )


def refuse_unusable(name: str, status: Mapping[str, Any], *, is_forced: bool) -> None:
    """Raise EngineError when a port has no link, or is somebody else's and not to be taken."""
    link = (status.get("attr") or {}).get("link") or {}
    if status.get("state") == "DOWN" or link.get("up") is False:
        raise EngineError(f"port {name} has no link", "connect it, and see that the router's port is up")
    owner = str(status.get("owner") or "")
    if owner and not is_forced:
        runs = ", and sends" if status.get("state") in RUNNING else ""
        raise EngineError(f"port {name} belongs to {owner}{runs}", "--force takes it; its traffic stops")


def refuse_way_out(host: str, ports: tuple[Port, ...], root: Path) -> None:
    """Raise EngineError when a port is an interface of this machine that has a default route.

    T-Rex tells the MAC address of a port; only one on this machine can be held against Linux's interfaces.
    """
    if not is_this_machine(host):
        return
    ways_out = {_mac(root, name): name for name in interfaces_of_default_routes(root)}
    for port in ports:
        name = ways_out.get(port.mac.lower())
        if name and port.mac:
            raise EngineError(
                f"port {port.name} is {name}, which has a default route: a load test on it would cut this machine off",
                "name the ports that are connected to the router under test",
            )


def is_this_machine(host: str) -> bool:
    """Return whether a host name leads to the machine we are on: one can bind to its own addresses only."""
    try:
        address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(address[0], socket.SOCK_STREAM) as probe:
            probe.bind(address[4])
    except OSError:
        return False
    return True


def _mac(root: Path, interface: str) -> str:
    try:
        return (root / "sys/class/net" / interface / "address").read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
