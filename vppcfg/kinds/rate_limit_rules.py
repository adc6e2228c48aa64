"""Rules about rate limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network

from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.configuration import OwnedConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.rate_limit_section import POLICE, POLICE_HOSTS, POLICERS, rates_in
from vppcfg.model.det44 import Det44Side
from vppcfg.model.interface import PORTS, InterfaceKind
from vppcfg.model.nat44 import NatSide
from vppcfg.model.problem import KeyPath, Problem, Severity

POLICERS_MOST = 60_000
"""VPP keeps 16 bits of the index of a policer in a session (vnet_classify_entry_t)."""
_USUAL_MTU = 1500
_HEADER_BYTES = 22
"""Of a frame with two tags: VPP counts them on frames in L2 mode, and from the IP header on elsewhere."""
_SHORTEST_MS = 5
"""What TCP sends at once over a few milliseconds of a network has to fit: less of a burst keeps it below its rate."""
_WITH_FRAMES = PORTS | {InterfaceKind.BOND, InterfaceKind.TAP}
"""Interfaces, with their sub-interfaces, whose packets begin with their own Ethernet header. Those of others were in a
tunnel or a bridge domain, and begin with the header of what has brought them."""


def _entries(index: Index, key: str) -> Mapping[str, OwnedConfig]:
    return index.configuration.owned.get(key, {})


def _uses(index: Index) -> Iterator[tuple[str, str, KeyPath]]:
    """Yield the interfaces that are limited, each with the names of rates and where they stand."""
    for name, entry in _entries(index, POLICE).items():
        yield name, entry.value, entry.path
    for name, entry in _entries(index, POLICE_HOSTS).items():
        for rate in dict.fromkeys(rate for _, rate in entry.value.rates):
            yield name, rate, (*entry.path, entry.value.side)


def police_missing(index: Index) -> Iterator[Problem]:
    """Find rates that interfaces name and the file lacks, and marks on tagged sub-interfaces."""
    rates = rates_in(index.configuration)
    if POLICERS in index.lost_sections or POLICERS in index.broken_entries:
        return
    for name, wanted, path in _uses(index):
        rate, interface = rates.get(wanted), index.find(name)
        if rate is None:
            text = f"there is no policer {wanted} in `{POLICERS}`{did_you_mean(wanted, rates)}"
            yield Problem(rule="police-missing", path=path, text=text)
        elif interface is not None and interface.encapsulation is not None and rate.dscp is not None:
            text = f"{name} has VLAN tags, and VPP marks frames without any alone; drop what is above {wanted}"
            yield Problem(rule="police-mark-tagged", path=path, text=text)


def policer_burst(index: Index) -> Iterator[Problem]:
    """Find bursts that hold no packet of the largest size of an interface."""
    rates = rates_in(index.configuration)
    found: dict[str, str] = {}
    for name, wanted, _ in _uses(index):
        rate, interface = rates.get(wanted), index.find(name)
        largest = ((interface.mtu if interface is not None else None) or _USUAL_MTU) + _HEADER_BYTES
        if rate is not None and rate.burst_bytes < largest:
            sizes = f"{rate.burst_bytes} bytes pass at once, and packets of {name} have up to {largest}"
            found.setdefault(wanted, f"of {wanted} {sizes}: they never pass")
    for wanted, text in found.items():
        yield Problem(rule="policer-burst", path=(POLICERS, wanted, "burst"), text=text)


def policer_burst_short(index: Index) -> Iterator[Problem]:
    """Find bursts that are short for their rates."""
    for name, rate in rates_in(index.configuration).items():
        least = rate.rate_kbps * _SHORTEST_MS // 8
        if rate.burst_bytes < least:
            text = (
                f"{rate.burst_bytes} bytes are less than {_SHORTEST_MS} ms at this rate: one connection stays below it"
            )
            text += f"; take {least} or more"
            path = (POLICERS, name, "burst")
            yield Problem(rule="policer-burst-short", path=path, text=text, severity=Severity.WARNING)


def policer_unused(index: Index) -> Iterator[Problem]:
    """Find rates that no interface has."""
    used = {wanted for _, wanted, _ in _uses(index)}
    for name in rates_in(index.configuration) if index.is_whole else ():
        if name not in used:
            text = f"no interface has the policer {name}"
            yield Problem(rule="policer-unused", path=(POLICERS, name), text=text, severity=Severity.NOTICE)


def police_both(index: Index) -> Iterator[Problem]:
    """Find interfaces with a limit for all and limits for hosts."""
    for name, entry in _entries(index, POLICE_HOSTS).items():
        if name in _entries(index, POLICE) and entry.value.rates:
            text = f"{name} has `{POLICE}` too, and VPP goes by one of them; instead give 0.0.0.0/0 and ::/0 a rate"
            yield Problem(rule="police-both", path=entry.path, text=text)


def police_hosts_place(index: Index) -> Iterator[Problem]:
    """Find limits of hosts where no address stands at a known place of a frame, and ports whose frames have tags."""
    for name, entry in _entries(index, POLICE_HOSTS).items():
        interface = index.find(name)
        if interface is None or not entry.value.rates:
            continue
        port = interface if interface.parent is None else index.find(interface.parent)
        if reason := index.why_switched(name):
            text = f"{name} {reason}, and VPP looks for hosts where it routes; use `{POLICE}`"
            yield Problem(rule="police-hosts-place", path=entry.path, text=text)
        elif port is not None and port.kind not in _WITH_FRAMES:
            text = f"VPP looks for hosts in the frame that brought a packet to {name}; limit them on the port"
            yield Problem(rule="police-hosts-place", path=entry.path, text=text)
        elif name in index.children and not interface.addresses:
            text = f"{name} has sub-interfaces, and this is for its frames without tags; limit hosts on these"
            yield Problem(rule="police-hosts-untagged", path=entry.path, text=text, severity=Severity.WARNING)


def police_hosts_nat(index: Index) -> Iterator[Problem]:
    """Find limits of IPv4 hosts where VPP sees other addresses of theirs: NAT44 comes before them, and DET44 behind."""
    maps = index.configuration.det44.maps if index.configuration.det44 is not None else ()
    for name, entry in _entries(index, POLICE_HOSTS).items():
        interface, side = index.find(name), entry.value.side
        hosts = [IPv4Network(prefix) for prefix, _ in entry.value.rates if ":" not in prefix]
        if interface is None or not any(host.prefixlen for host in hosts):
            continue
        if side == "source" and interface.nat44 in (NatSide.INSIDE, NatSide.BOTH):
            text = f"NAT44 gives what comes in by {name} other sources before VPP looks for hosts: none has a limit"
        elif side == "destination" and interface.det44 is Det44Side.OUTSIDE:
            inside = [IPv4Network(each.inside) for each in maps]
            host = next(
                (host for host in hosts if any(host.prefixlen and host.overlaps(each) for each in inside)), None
            )
            if host is None:
                continue
            text = f"DET44 gives what comes in by {name} for {host} its destination behind the limits: it has none"
        else:
            continue
        yield Problem(rule="police-hosts-nat", path=entry.path, text=text, severity=Severity.WARNING)


def police_of_member(index: Index) -> Iterator[Problem]:
    """Find limits on members of bonds, whose packets come in by the bond."""
    for key in (POLICE, POLICE_HOSTS):
        for name, entry in _entries(index, key).items():
            if name in index.bonds:
                bond = index.bonds[name][0].name
                text = f"{name} is a member of {bond}, which has its traffic; `{key}` belongs there"
                yield Problem(rule="bond-member-mac", path=entry.path, text=text)


def police_hosts_count(index: Index) -> Iterator[Problem]:
    """Find the interface with whose hosts a file has more policers than VPP can tell apart."""
    count = len(_entries(index, POLICE))
    for entry in _entries(index, POLICE_HOSTS).values():
        count += len(entry.value.rates)
        if count > POLICERS_MOST:
            text = f"with these {count:,} hosts, prefixes and interfaces have a rate; {POLICERS_MOST:,} are possible"
            yield Problem(rule="police-hosts-prefix", path=entry.path, text=text)
            return


RULES = (
    *(police_missing, police_both, police_hosts_place, police_hosts_nat, police_of_member, police_hosts_count),
    *(policer_burst, policer_burst_short, policer_unused),
)
