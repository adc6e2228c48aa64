"""Reads the sessions of VPP's NAT, of a port, of hosts, of threads (plugins/nat).

VPP stops its workers while it goes through the sessions for those of a port or of hosts, a second for some millions:
whoever asks looks at their number first, which the stats segment has.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address
from typing import Any

from vppcfg.errors import DataplaneError
from vppcfg.model.nat_session import HostSessions, NatSession, ThreadSessions
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.segment import Segment
from vppcfg.wire.shell import show

log = logging.getLogger(__name__)
_TOTAL = "/nat44-ed/total-sessions"
"""Of each thread (nat44_ed.c)."""
_CONFIG = "nat44_show_running_config"
_USERS, _USER = "nat44_user_dump", "nat44_user_details"
_DET44_MAPS, _DET44_MAP = "det44_map_dump", "det44_map_details"
_DET44_SESSIONS, _DET44_SESSION = "det44_session_dump", "det44_session_details"
_NOBODY = "filter i2o saddr 255.255.255.255"
_THREAD = re.compile(r"^-------- thread \d+ (.+): (\d+) sessions --------", re.MULTILINE)
_BEGIN = re.compile(r"^ *i2o (?P<host>[\d.]+) proto (?P<protocol>\S+)(?: port (?P<port>\d+))? fib (?P<fib>\d+)")
_OUTSIDE = re.compile(r"^ *o2i [\d.]+ proto \S+ port (\d+) fib")
_REMOTE = re.compile(r"^ *external host (?:o2i )?([\d.]+):(\d+)")
_TIMEOUT = re.compile(r"^ *timeout in (-?\d+)")
_PACKETS = re.compile(r"^ *total pkts (\d+)")
"""`show nat44 sessions`, and what else may stand in the line of the host::

    -------- thread 0 vpp_main: 3 sessions --------
        i2o 192.168.1.20 proto TCP port 8081 fib 3
        o2i 203.0.113.2 proto TCP port 81 fib 0
           external host o2i 203.0.113.1:5001 i2o 192.168.1.254:11570
           timeout in -12.00
           total pkts 9, total bytes 40
           external host 203.0.113.1:77
"""
_NAMES = ("udp-active", "tcp-syn-sent", "tcp-established", "tcp-fin-wait", "tcp-close-wait", "tcp-closing")
_STATES = dict(enumerate((*_NAMES, "tcp-last-ack", "tcp-closed", "icmp-active"), start=1))
"""foreach_det44_session_state (det44.h)."""
_AT_ONCE = 500
"""Requests under way at a time."""


class NatSessions:
    """The sessions of one VPP."""

    def __init__(self, connection: Connection, stats_socket: str = "") -> None:
        self._connection = connection
        self._stats_socket = stats_socket

    def nat44_limit(self) -> int | None:
        """Return how many sessions each thread keeps, None while NAT44 is off."""
        if not self._connection.offers(_CONFIG):
            return None
        replies = self._connection.ask([self._connection.request(_CONFIG)[1]])
        rows = self._connection.rows(replies, f"{_CONFIG}_reply", "sessions")
        return next((sessions for (sessions,) in rows if sessions), None)

    def nat44_count(self) -> int | None:
        """Return how many sessions there are, None where the stats segment cannot be read."""
        counts = self._counts()
        return None if counts is None else sum(counts)

    def nat44_threads(self) -> tuple[ThreadSessions, ...]:
        """Return how many sessions each thread has; without a stats segment, VPP goes through all of them."""
        if (counts := self._counts()) is not None:
            names = ["vpp_main", *(f"vpp_wk_{number}" for number in range(len(counts) - 1))]
            found = list(zip(names, counts, strict=True))
            return tuple(ThreadSessions(thread=name, sessions=each) for name, each in found[1:] or found)
        log.warning("VPP's statistics cannot be read: it stops its workers while it counts its sessions")
        text = show(self._connection, f"show nat44 sessions {_NOBODY}")[1]
        return tuple(ThreadSessions(thread=name, sessions=int(count)) for name, count in _THREAD.findall(text))

    def _counts(self) -> list[int] | None:
        try:
            with Segment(self._stats_socket, only=(_TOTAL,)) as segment:
                return segment.read(lambda: [sum(row) for row in segment.simple(_TOTAL)]) or None
        except DataplaneError:
            return None

    def nat44_hosts(self) -> tuple[HostSessions, ...]:
        """Return how many sessions each host has, the busiest first; VPP reports each thread by itself."""
        found: dict[tuple[int, str], tuple[int, int]] = {}
        replies = self._connection.ask([self._connection.request(_USERS)[1]])
        paths = ("vrf_id", "ip_address", "nsessions", "nstaticsessions")
        for vrf_id, raw, dynamic, static in self._connection.rows(replies, _USER, *paths):
            key = vrf_id, str(IPv4Address(raw))
            before = found.get(key, (0, 0))
            found[key] = before[0] + dynamic, before[1] + static
        return busiest_first(
            HostSessions(host=host, vrf_id=vrf_id, sessions=dynamic + static, static=static)
            for (vrf_id, host), (dynamic, static) in found.items()
        )

    def nat44_on_port(self, address: str, port: int) -> tuple[NatSession, ...]:
        """Return the sessions that have a port of an outside address."""
        line = f"show nat44 sessions filter o2i daddr {address} filter o2i dport {port}"
        return tuple(each for each in sessions_in(show(self._connection, line)[1]) if each.outside_port == port)

    def det44_counts(self) -> dict[tuple[str, str], int]:
        """Return how many sessions each map has, by its prefixes."""
        if not self._connection.offers(_DET44_MAPS):
            return {}
        replies = self._connection.ask([self._connection.request(_DET44_MAPS)[1]])
        paths = ("in_addr", "in_plen", "out_addr", "out_plen", "ses_num")
        return {
            (f"{IPv4Address(inside)}/{inside_length}", f"{IPv4Address(outside)}/{outside_length}"): count
            for inside, inside_length, outside, outside_length, count in self._connection.rows(
                replies, _DET44_MAP, *paths
            )
        }

    def det44_of(self, host: str) -> tuple[NatSession, ...]:
        """Return the sessions of a host."""
        request = self._connection.request(_DET44_SESSIONS, {"user_addr": IPv4Address(host).packed})[1]
        paths = ("in_port", "out_port", "ext_addr", "ext_port", "state")
        rows = self._connection.rows(self._connection.ask([request]), _DET44_SESSION, *paths)
        return tuple(
            NatSession(
                host=host,
                host_port=in_port,
                outside_port=out_port,
                protocol=_STATES.get(state, "").partition("-")[0],
                remote=str(IPv4Address(remote)),
                remote_port=remote_port,
                state=_STATES.get(state, ""),
            )
            for in_port, out_port, remote, remote_port, state in rows
        )

    def det44_hosts(self, hosts: Iterable[str]) -> tuple[HostSessions, ...]:
        """Return how many sessions each of `hosts` has that has any, the busiest first."""
        counts: dict[str, int] = {}
        contexts: dict[int, str] = {}
        requests: list[bytes] = []
        for host in [*hosts, None]:
            if host is None or len(requests) == _AT_ONCE:
                replies = self._connection.ask(requests)
                for (context,) in self._connection.rows(replies, _DET44_SESSION, "context"):
                    counts[contexts[context]] = counts.get(contexts[context], 0) + 1
                contexts, requests = {}, []
            if host is not None:
                context, request = self._connection.request(_DET44_SESSIONS, {"user_addr": IPv4Address(host).packed})
                contexts[context] = host
                requests.append(request)
        return busiest_first(HostSessions(host=host, sessions=count) for host, count in counts.items())


def busiest_first(hosts: Iterable[HostSessions]) -> tuple[HostSessions, ...]:
    """Return hosts by their sessions, and by their addresses where these are as many."""
    return tuple(sorted(hosts, key=lambda each: (-each.sessions, each.vrf_id, int(IPv4Address(each.host)))))


def sessions_in(text: str) -> Iterator[NatSession]:
    """Yield the sessions that `show nat44 sessions` prints (format_snat_session)."""
    found: dict[str, Any] | None = None
    for line in text.splitlines():
        begin = _BEGIN.match(line)
        if begin is not None:
            if found is not None:
                yield NatSession(**found)
            found = {
                "host": begin["host"],
                "host_port": int(begin["port"] or 0),
                "outside_port": 0,
                "protocol": begin["protocol"].lower(),
                "fib_index": int(begin["fib"]),
            }
        elif found is not None:
            found |= _detail(line)
    if found is not None:
        yield NatSession(**found)


def _detail(line: str) -> dict[str, Any]:
    if match := _OUTSIDE.match(line):
        return {"outside_port": int(match[1])}
    if match := _REMOTE.match(line):
        return {"remote": match[1], "remote_port": int(match[2])}
    if match := _TIMEOUT.match(line):
        return {"ends_in_s": int(match[1])}
    if match := _PACKETS.match(line):
        return {"packets": int(match[1])}
    return {}
