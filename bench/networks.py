"""Generated networks: a kind and a size in, a configuration and the ports that it needs out; always the same ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from vppcfg.record import record

_VLANS_PER_PORT = 4000
"""There are 4095."""


@record
class Network:
    """A configuration, and what one line of it is changed to."""

    size: int
    """How many of what its kind counts."""
    ports: tuple[str, ...]
    text: str
    edit: tuple[str, str]
    """A piece of one line of the text that stands nowhere else, and what takes its place in a small change."""

    @property
    def edited(self) -> str:
        """Return the configuration with one line changed."""
        old, new = self.edit
        if self.text.count(old) != 1:
            raise ValueError(f"{old!r} stands in {self.text.count(old)} places")
        return self.text.replace(old, new)


def sub_interfaces(size: int) -> Network:
    """Return sub-interfaces on ten ports or more, each with two addresses and an LCP pair."""
    return _routed(size, has_lcp=True)


def sub_interfaces_without_lcp(size: int) -> Network:
    """Return the same without LCP pairs, for a VPP on a kernel without VLAN devices."""
    return _routed(size, has_lcp=False)


def sub_interfaces_in_vrfs(size: int) -> Network:
    """Return the same without LCP pairs, spread over up to a hundred VRFs, all with the same part of the addresses."""
    return _routed(size, has_lcp=False, vrfs=min(size, 100))


def _routed(size: int, *, has_lcp: bool, vrfs: int = 0) -> Network:
    ports = _ports(max(10, -(-size // _VLANS_PER_PORT)))
    lines = [*_vrfs(vrfs), "interfaces:"]
    for place, port in enumerate(ports):
        lines += [f"  {port}:", "    mtu: 9000", *_lcp(f"e{place}", has_lcp)]
        lines += ["    sub-interfaces:"] if place < size else []
        for vlan, number in enumerate(range(place, size, len(ports)), start=1):
            lines += [f"      {vlan}:", "        mtu: 1500", *_lcp(f"e{place}.{vlan}", has_lcp, " " * 8)]
            lines += [f"        vrf: customer{number % vrfs}"] if vrfs else []
            own = number // vrfs if vrfs else number
            lines += [f"        addresses: [ {_ipv4(own)}, {_ipv6(own)} ]"]
    middle = size // 2
    if vrfs:
        addresses = f"addresses: [ {_ipv4(middle // vrfs)}, {_ipv6(middle // vrfs)} ]"
        line = f"vrf: customer{middle % vrfs}\n        {addresses}"
        return _network(size, ports, lines, edit=(line, line.replace(_ipv4(middle // vrfs), "192.0.2.1/30")))
    return _network(size, ports, lines, edit=(f"{_ipv4(middle)},", "192.0.2.1/30,"))


def _vrfs(count: int) -> list[str]:
    lines = [f"  customer{number}: {{ id: {number + 1} }}" for number in range(count)]
    return ["vrfs:", *lines] if lines else []


def _lcp(name: str, is_wanted: bool, indent: str = " " * 4) -> list[str]:
    return [f"{indent}lcp: {name}"] if is_wanted else []


def bonds_and_bridges(size: int) -> Network:
    """Return bonds of two ports each, and as many bridge domains with a VLAN of a bond and a BVI."""
    ports = _ports(2 * size)
    lines = ["interfaces:", *(f"  {port}: {{ mtu: 9000 }}" for port in ports)]
    bonds, loopbacks, bridges = ["bondethernets:"], ["loopbacks:"], ["bridgedomains:"]
    for number in range(size):
        bond, loopback = f"BondEthernet{number}", f"loop{number}"
        first, second = ports[2 * number : 2 * number + 2]
        lines += [f"  {bond}:", "    mtu: 9000", "    sub-interfaces:", "      100: { mtu: 1500 }"]
        bonds += [f"  {bond}: {{ interfaces: [ {first}, {second} ], mode: lacp, load-balance: l34 }}"]
        loopbacks += [_bvi(number, _ipv4(number))]
        bridges += [f"  bd{number + 1}: {{ mtu: 1500, bvi: {loopback}, interfaces: [ {bond}.100 ] }}"]
    return _network(size, ports, [*lines, *bonds, *loopbacks, *bridges], edit=(_ipv4(size // 2), "192.0.2.1/30"))


def _bvi(number: int, address: str) -> str:
    mac = f"02:00:5e:00:{number >> 8:02x}:{number & 255:02x}"
    return f"  loop{number}: {{ mtu: 1500, mac: '{mac}', lcp: bvi{number}, addresses: [ {address} ] }}"


def tunnels(size: int) -> Network:
    """Return a hub with a GRE or an IPIP tunnel to each of its sites, both kinds in turn, and an address on each."""
    lines, sections = ["interfaces:"], {"gre": ["gre_tunnels:"], "ipip": ["ipip_tunnels:"]}
    (port,) = ports = _ports(1)
    lines += [f"  {port}: {{ mtu: 1500, addresses: [ 198.51.100.1/24 ] }}"]
    for number in range(size):
        kind = ("gre", "ipip")[number % 2]
        name = f"{kind}{number}"
        lines += [f"  {name}: {{ mtu: 1400, addresses: [ {_ipv4(number)} ] }}"]
        remote = f"172.{16 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"
        sections[kind] += [f"  {name}: {{ local: 198.51.100.1, remote: {remote} }}"]
    made = [line for section in sections.values() if len(section) > 1 for line in section]
    return _network(size, ports, [*lines, *made], edit=(_ipv4(size // 2), "192.0.2.1/30"))


def acl_terms(size: int) -> Network:
    """Return access lists of up to 100 terms each, the first of which ten ports apply."""
    ports = _ports(10)
    names = [f"list-{number}" for number in range(-(-size // 100))]
    lines = ["interfaces:"]
    for port, name in zip(ports, (names * 10)[:10], strict=True):
        lines += [f"  {port}:", "    mtu: 1500", f"    acls: {{ input: {name} }}"]
    lines += ["acls:"]
    for place, name in enumerate(names):
        lines += [f"  {name}:", "    terms:"]
        lines += [_term(number) for number in range(100 * place, min(size, 100 * place + 100))]
    return _network(size, ports, lines, edit=(_term(size // 2), _term(size // 2).replace("permit", "deny")))


def _term(number: int) -> str:
    ends = f"source: 172.{16 + (number >> 8)}.{number & 255}.0/24, destination: 192.0.2.0/24"
    return f"      - {{ action: permit, {ends}, protocol: tcp, destination-port: {1024 + number} }}"


def services(size: int) -> Network:
    """Return a provider's edge: of ten, six static routes, two NAT44 mappings, a policy route and a virtual router."""
    wan, lan = ports = _ports(2)
    count = {what: max(1, size * tenths // 10) for what, tenths in (("routes", 6), ("mappings", 2), ("others", 1))}
    lines = ["interfaces:", f"  {wan}: {{ addresses: [ 198.51.100.2/24 ], nat44: outside }}"]
    lines += [f"  {lan}:", "    addresses: [ 192.0.2.1/24 ]", "    nat44: inside", "    policy-routes:"]
    lines += [
        f"      - {{ acl: p{each}, via: 198.51.100.{each % 200 + 20}, priority: {each} }}"
        for each in range(count["others"])
    ]
    lines += ["    sub-interfaces:"]
    for each in range(count["others"]):
        if each % 200 == 0:
            vlan = 100 + each // 200
            lines += [f"      {vlan}:", f"        addresses: [ 172.20.{vlan}.1/24 ]", "        vrrp:"]
        lines += [f"          {each % 200 + 1}: {{ addresses: [ 172.20.{vlan}.{each % 200 + 20} ] }}"]
    lines += ["routes:"] + [_route(each) for each in range(count["routes"])]
    lines += [
        "nat44:",
        "  pools: [ 203.0.113.1 ]",
        f'  exempt: {{ ssh: {{ protocol: tcp, local: "{wan}:22" }} }}',
        "  static:",
    ]
    lines += [f"    m{each}: {{ {_mapping(each)} }}" for each in range(count["mappings"])]
    lines += ["acls:"]
    lines += [f"  p{each}: {{ terms: [ {_term(each)[8:]} ] }}" for each in range(count["others"])]
    route = _route(count["routes"] // 2)
    return _network(size, ports, lines, edit=(route, route.replace("198.51.100.", "192.0.2.")))


def _route(number: int) -> str:
    return f"  10.{number >> 8 & 255}.{number & 255}.0/24: 198.51.100.{number % 200 + 20}"


def _mapping(number: int) -> str:
    local = f"192.0.2.{number % 200 + 20}:{number // 200 + 1}"
    return f'protocol: tcp, local: "{local}", external: "203.0.113.1:{number + 1024}"'


def mix(size: int) -> Network:
    """Return a provider edge: sites of 20 interfaces, routed, tagged twice, cross-connected, bridged, over VXLAN."""
    sites = -(-size // _PER_SITE)
    ports = _ports(2 * max(1, -(-sites // _SITES_PER_PAIR)) + 2)
    lines = ["interfaces:"]
    for place in range(0, len(ports) - 2, 2):
        here = range(place // 2 * _SITES_PER_PAIR, min(sites, (place // 2 + 1) * _SITES_PER_PAIR))
        lines += _pair_of_ports(ports[place : place + 2], place, here)
    lines += [line for site in range(sites) for line in (f"  vxlan_tunnel{site}:", "    mtu: 1500")]
    lines += [*(f"  {port}: {{ mtu: 9000 }}" for port in ports[-2:]), *_UPLINK, *_sites_sections(sites, ports)]
    return _network(size, ports, lines, edit=(f"{_ipv4(sites // 2 * 10)},", "192.0.2.1/30,"))


_PER_SITE = 20
_SITES_PER_PAIR = 200
"""Sites on each pair of ports; a site takes up to 14 VLANs of the first."""
_UPLINK = ("  BondEthernet0: { mtu: 9000, lcp: be0, mpls: true, addresses: [ 198.51.100.1/24 ] }",)


def _pair_of_ports(pair: Sequence[str], place: int, sites: range) -> Iterator[str]:
    for end, port in enumerate(pair):
        yield from (f"  {port}:", "    mtu: 9000", f"    lcp: e{place + end}", "    sub-interfaces:")
        for vlan, site in enumerate(sites):
            first = 20 * vlan + 1
            yield from (_access(site, first, place, pair[1]) if end == 0 else _far_end(site, first, pair[0]))


def _access(site: int, vlan: int, place: int, other: str) -> Iterator[str]:
    """Yield the 14 VLANs of a site on its first port."""
    for number in range(10):
        address = 10 * site + number
        yield from (f"      {vlan + number}:", "        mtu: 1500", f"        lcp: e{place}.{vlan + number}")
        yield from [f"        description: Customer {address}"] if number % 2 else []
        yield from [f"        acls: {{ input: list-{site // 10} }}"] if number == 0 else []
        yield from ["        mpls: true"] if number == 1 else []
        yield from ["        ipfix: ip4"] if number == 2 else []
        yield from [f"        macip: hosts-{site // 10}"] if number == 3 else []
        yield f"        addresses: [ {_ipv4(address)}, {_ipv6(address)} ]"
    yield f"      {vlan + 10}: {{ mtu: 9000 }}"
    yield f"      {vlan + 11}:"
    yield f"        encapsulation: {{ dot1q: {vlan + 10}, inner-dot1q: 10, exact-match: true }}"
    yield f"        addresses: [ {_ipv4(1_000_000 + site)} ]"
    yield f"      {vlan + 12}: {{ mtu: 1500, l2xc: {other}.{vlan}, tag-rewrite: {{ pop: 1 }} }}"
    yield f"      {vlan + 13}: {{ mtu: 1500 }}"


def _far_end(site: int, vlan: int, other: str) -> Iterator[str]:
    """Yield the 4 VLANs of a site on its second port."""
    yield f"      {vlan}: {{ mtu: 1500, l2xc: {other}.{vlan + 12}, tag-rewrite: {{ pop: 1 }} }}"
    yield from (f"      {vlan + number}: {{ mtu: 1500 }}" for number in (1, 2))
    yield f"      {vlan + 3}: {{ mtu: 1500, addresses: [ {_ipv4(2_000_000 + site)} ] }}"


def _sites_sections(sites: int, ports: Sequence[str]) -> Iterator[str]:
    yield "loopbacks:"
    for site in range(sites):
        yield _bvi(site, _ipv4(3_000_000 + site))
    yield "vxlan_tunnels:"
    for site in range(sites):
        yield f"  vxlan_tunnel{site}: {{ local: 198.51.100.1, remote: 198.51.100.2, vni: {site + 1} }}"
    yield f"bondethernets:\n  BondEthernet0: {{ mode: lacp, interfaces: [ {ports[-2]}, {ports[-1]} ] }}"
    yield "bridgedomains:"
    for site in range(sites):
        pair, vlan = 2 * (site // _SITES_PER_PAIR), 20 * (site % _SITES_PER_PAIR) + 1
        members = f"{ports[pair]}.{vlan + 13}, {ports[pair + 1]}.{vlan + 1}, {ports[pair + 1]}.{vlan + 2}"
        yield f"  bd{site + 1}: {{ mtu: 1500, bvi: loop{site}, interfaces: [ {members}, vxlan_tunnel{site} ] }}"
    yield "acls:"
    for number in range(-(-sites // 10)):
        yield f"  list-{number}:\n    terms:\n      - {{ action: permit, protocol: icmp }}"
        yield from (_term(10 * number + term) for term in range(10))
    yield "macip_acls:"
    for number in range(-(-sites // 10)):
        yield f"  hosts-{number}:\n    terms:"
        yield from (_host(10 * number + term) for term in range(10))
    yield "ipfix: { collector: 198.51.100.9, source: 198.51.100.1, records: [ l3, l4 ] }"


def _host(number: int) -> str:
    mac = f"02:00:5e:01:{number >> 8 & 255:02x}:{number & 255:02x}"
    return f'      - {{ action: permit, mac: "{mac}", source: 10.{number >> 8 & 255}.{number & 255}.0/24 }}'


KINDS: dict[str, Callable[[int], Network]] = {
    "sub-interfaces": sub_interfaces,
    "sub-interfaces-without-lcp": sub_interfaces_without_lcp,
    "sub-interfaces-in-vrfs": sub_interfaces_in_vrfs,
    "tunnels": tunnels,
    "bonds-and-bridges": bonds_and_bridges,
    "acl-terms": acl_terms,
    "services": services,
    "mix": mix,
}


def _network(size: int, ports: tuple[str, ...], lines: Sequence[str], edit: tuple[str, str]) -> Network:
    return Network(size=size, ports=ports, text="\n".join(lines) + "\n", edit=edit)


def _ports(count: int) -> tuple[str, ...]:
    return tuple(f"GigabitEthernet{number // 4 + 1}/0/{number % 4}" for number in range(count))


def _ipv4(number: int) -> str:
    """Return the first host of the /30 with this number below 10.0.0.0/8."""
    return f"10.{number >> 14 & 255}.{number >> 6 & 255}.{(number & 63) * 4 + 1}/30"


def _ipv6(number: int) -> str:
    return f"2001:db8:{number >> 16:x}:{number & 65535:x}::1/64"
