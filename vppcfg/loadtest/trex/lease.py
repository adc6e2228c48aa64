"""Acquires ports of a T-Rex server for a test, refuses those in use, and releases them as they were."""

from __future__ import annotations

import getpass
import logging
import os
import random
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import Port
from vppcfg.loadtest.linux_port import interfaces_of_default_routes
from vppcfg.loadtest.trex.answers import count, flag, measure, section, text
from vppcfg.loadtest.trex.channel import UnreachableError
from vppcfg.loadtest.trex.guard import Guard
from vppcfg.loadtest.trex.rpc import Call, Rpc

log = logging.getLogger(__name__)

_MOST_GBPS = 1e6
"""No port is faster: a broken answer such as 1e300 would become an integer of 300 digits."""
RUNNING = frozenset({"TX", "PAUSE", "PCAP_TX"})
"""States in which a port sends, or is about to."""


def port_of(facts: Mapping[str, Any], status: object) -> Port:
    """Return a port from `get_system_info` and `get_port_status`. Raise EngineError."""
    speed_gbps = min(measure(section(status, "attr"), "speed"), _MOST_GBPS)
    return Port(
        name=str(count(facts, "index")),
        link_bps=round(speed_gbps * 1e9) or None,
        mac=text(facts, "hw_mac"),
        driver=text(facts, "driver"),
    )


def refuse_unusable(name: str, status: object, *, is_forced: bool, needs_link: bool = True) -> None:
    """Raise EngineError when a port has no link and needs one, or another user holds it."""
    state = text(section(status), "state")
    if needs_link and (state == "DOWN" or flag(section(status, "attr", "link"), "up") is False):
        raise EngineError(f"port {name} has no link", "connect it, and see that the router's port is up")
    owner = text(section(status), "owner")
    if owner and not is_forced:
        runs = ", and sends" if state in RUNNING else ""
        raise EngineError(f"port {name} belongs to {owner}{runs}", "--force takes it; its traffic stops")


def refuse_default_routes(host: str, ports: tuple[Port, ...], root: Path) -> None:
    """Raise EngineError when a port is an interface of this machine that has a default route.

    T-Rex reports the MAC address of a port; only one on this machine can be held against Linux's interfaces.
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


class Lease:
    """Ports with the handlers that the server gave us for them."""

    def __init__(self, rpc: Rpc, guard: Guard | None) -> None:
        """With a guard, another process gives the ports back if this one is killed."""
        self._rpc = rpc
        self._guard = guard
        self._handlers: dict[str, str] = {}
        self._made_promiscuous: set[str] = set()
        self.has_filters = False
        """Whether streams that measure latency have left filters on the ports."""

    @property
    def ports(self) -> tuple[str, ...]:
        """Return the names of the ports that are ours."""
        return tuple(self._handlers)

    def take(self, states: Mapping[str, object], *, is_forced: bool) -> None:
        """Take ports whose states are given, and leave no traffic and no stream on them."""
        session = random.SystemRandom().randrange(1, 2**31)
        for name in states:
            acquired = self._rpc.call(
                "acquire", port_id=int(name), user=user_name(), session_id=session, force=is_forced
            )
            self._handlers[name] = text({"handler": acquired}, "handler")
            if self._guard is not None:
                self._guard.watch(self._handlers)
        for name, status in states.items():
            if text(section(status), "state") in RUNNING:
                self._rpc.batch([self.call("stop_traffic", name)])
            self._make_promiscuous(name, status)
        self.on("remove_all_streams", self.ports)

    def on(self, method: str, ports: tuple[str, ...], **arguments: Any) -> None:
        """Make a call that only the owner may make for each port, with one message."""
        self._rpc.batch([self.call(method, name, **arguments) for name in ports])

    def call(self, method: str, port: str, **arguments: Any) -> Call:
        """Return a call that only the owner may make."""
        return Call(method=method, arguments={"port_id": int(port), "handler": self._handlers[port], **arguments})

    def release(self) -> None:
        """Release all ports. Raise EngineError when that failed; the guard goes on trying if the server is away."""
        failure: EngineError | None = None
        try:
            for name in self.ports:
                refused = self._released(name)
                failure = failure or refused
        except UnreachableError:
            if self._guard is not None:
                self._guard.take_over()
            raise
        else:
            if self._guard is not None:
                self._guard.dismiss()
        finally:
            self._handlers = {}
        if failure is not None:
            raise failure

    def _released(self, name: str) -> EngineError | None:
        """Put a port back as it was and release it; return why not, where the server refuses."""
        calls = [self.call("remove_rx_filters", name, profile_id="_")] if self.has_filters else []
        calls.append(self.call("remove_all_streams", name))
        if name in self._made_promiscuous:
            calls.append(self.call("set_port_attr", name, attr={"promiscuous": {"enabled": False}}))
        try:
            self._rpc.batch(calls)
        except UnreachableError:
            raise
        except EngineError as error:  # a port that does not want to be tidied up is released all the same
            log.debug("port %s: %s", name, error.message)
        try:
            self._rpc.batch([self.call("release", name)])
        except UnreachableError:
            raise
        except EngineError as error:
            return error
        return None

    def _make_promiscuous(self, name: str, status: object) -> None:
        """Have a port take frames for any address, as it gets them through a cross-connect."""
        if flag(section(status, "attr", "promiscuous"), "enabled") is False:
            with suppress(EngineError):  # drivers of some virtual ports cannot; most frames arrive all the same
                self._rpc.batch([self.call("set_port_attr", name, attr={"promiscuous": {"enabled": True}})])
                self._made_promiscuous.add(name)


def user_name() -> str:
    """Return whom our ports belong to, as other users of T-Rex see it."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = str(os.getuid())
    return f"{name}-vppcfg"
