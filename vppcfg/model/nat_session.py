"""Connections that NAT keeps, who an outside address and port belong to, and how full the tables are."""

from __future__ import annotations

from enum import Enum

from vppcfg.model.det44 import SESSIONS_PER_HOST
from vppcfg.record import record


@record
class NatSession:
    """One connection that VPP translates now."""

    host: str
    """The address inside."""
    host_port: int
    """Or the identifier of ICMP."""
    outside_port: int
    protocol: str
    """tcp, udp, icmp, another name of VPP, or its number; '' where VPP does not report it."""
    remote: str = ""
    """The address of the other end; '' where VPP does not report it."""
    remote_port: int = 0
    ends_in_s: int | None = None
    """After so many seconds without a packet it is forgotten; below 0 it is, once its place is needed."""
    packets: int | None = None
    state: str = ""
    """Such as tcp-established; '' where VPP does not report it."""
    fib_index: int = 0
    """VPP's number of the FIB of the host, in which addresses of hosts are one's own; 0 is the default one."""


class Certainty(Enum):
    """For how long an answer holds; the values are those of JSON documents."""

    CONFIGURED = "configured"
    """As long as the configuration is as it is: no other host has the port."""
    NOW = "now"
    """While the session lasts; VPP keeps no record of it."""


@record
class NatPortHolder:
    """A host inside that has a port of an outside address."""

    host: str
    certainty: Certainty
    by: str
    """What gives it the port, in words: a map, a mapping, a session."""
    port: int | None = None
    """The one port of the host; None where it has several of the outside address."""
    protocol: str = ""
    """'' for all."""
    first_port: int | None = None
    """Of those of the outside address that the host has; None where that is the one that was asked for."""
    last_port: int | None = None
    sessions: tuple[NatSession, ...] = ()
    """Those on this port now."""


@record
class PortAnswer:
    """Who has a port of an outside address."""

    address: str
    port: int
    holders: tuple[NatPortHolder, ...]
    note: str = ""
    """What is known of the address where the port is free."""
    unsearched: int = 0
    """Sessions of NAT44 that were not looked through, for VPP would stop its workers meanwhile."""


@record
class ThreadSessions:
    """How many NAT44 sessions a thread of VPP has."""

    thread: str
    sessions: int


@record
class HostSessions:
    """How many sessions a host inside has."""

    host: str
    sessions: int
    vrf_id: int = 0
    static: int = 0
    """How many of them are those of static mappings."""


@record
class Nat44Use:
    """How full the tables of NAT44 are."""

    most_per_thread: int
    threads: tuple[ThreadSessions, ...]
    hosts: tuple[HostSessions, ...]
    """The busiest first."""
    has_hosts: bool = True
    """Whether hosts were asked for; VPP goes through all sessions for them."""

    @property
    def busiest(self) -> int:
        """Return the sessions of the fullest thread: it refuses new ones while others have room."""
        return max((each.sessions for each in self.threads), default=0)


@record
class Det44MapUse:
    """How much of a DET44 map is used."""

    name: str
    hosts: int
    ports_per_host: int
    sessions: int


@record
class Det44Use:
    """How full the tables of DET44 are; each host has room for its own sessions alone."""

    maps: tuple[Det44MapUse, ...]
    hosts: tuple[HostSessions, ...]
    """The busiest first."""
    unread_hosts: int = 0
    """Hosts that were not asked about, for there are too many."""
    most_per_host: int = SESSIONS_PER_HOST


@record
class NatUse:
    """How full NAT's tables are; None for a kind that VPP does not have, or that is off."""

    nat44: Nat44Use | None = None
    det44: Det44Use | None = None
