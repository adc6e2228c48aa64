"""All that a real VPP and the Linux around it have, by name, read with none of our code."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from tests.live.others_opinion import read_others
from tests.live.second_opinion import pages, state_of
from tests.live.shown_state import shown_state
from tests.real_vpp import RealVpp

Whole = dict[str, Any]
_WIRES = re.compile(r"(veth|v|vlan-peer)\d+(-peer)?$|peer\d+$")
"""What tests have for hardware, and what stands in for it: VPP takes its MTU, its MAC and its state along."""
_NUMBERS = (
    (re.compile(r"\babf 19870\d+"), "policy"),
    (re.compile(r"\bacl:\d+"), ""),
    (re.compile(r"\b(tap|tun)4\d+: mtu:\d+"), "host"),
    (re.compile(r"(-glean: .*) mtu:\d+"), r"\1"),
    (re.compile(r"\\x00|\0"), ""),
    (re.compile(r"^(203\.0\.113\.\S+: .*dpo-receive: \S+) on \S+"), r"\1"),
    (re.compile(r"^((?:\S+: )?).*(?:dpo-drop|\b(?:memif|VirtualEthernet)\d).*"), r"\1no link"),
    (re.compile(r" oper-flags:resolved,"), ""),
    (re.compile(r"^BD-Tag: vppcfg.*"), "BD-Tag: vppcfg"),
    (re.compile(r"^(\S+\.\d+ down) \d+/.*"), r"\1"),
    (re.compile(r" \d+ type"), " type"),
    (re.compile(r"\s*\barp-disabled\b"), ""),
    (re.compile(r"^arp:?$|^(?:[A-Z]\w+ )?\([\w-]*(?:l2|vpath|sr-pl)[\w-]*\)$|^span-l2-input .*"), ""),
    (re.compile(r"^(\S+)/(32|128): dpo-load-balance: \[proto:ip\d buckets:1 \] \| ipv\d via \1 .*"), ""),
    (re.compile(r"^\S+: UNRESOLVED$|^\(\*, 224\.0\.0\.0/24\):.*|^255\.255\.255\.255/32: .*"), ""),
    (re.compile(r"^\d+ (?=\S+$)|^idx Classify.*|^input ACL tables configured$"), ""),
)
"""What differs without an effect, or VPP cannot change: its numbers; the host that linux-cp makes with the MTU of that
moment, and gleans (adj_walk in vnet/adj/adj.c passes them); what an interface shows that has lost its addresses, or
the last one of its lists; paths by an interface without a link, or that is down, which VPP takes for usable until
something happens to it; by which outside interface DET44 leads its maps; the description of a bridge domain, which VPP
takes when it is made; the MTU of a sub-interface that is down; broadcasts and local groups, which linux-nl lets in for
the first device and leaves when that goes; neighbours that VPP has found, or Linux has told it of without a network
that they are in."""
_ADMIN_UP = 1
"""IF_STATUS_API_FLAG_ADMIN_UP (interface_types.api)."""
_TAP = re.compile(r"/shown/interface (tap|tun)4\d\d\d:")
_MAC = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b|\b[0-9a-f]{24,}\b|fe80::[0-9a-f:]*ff:fe[0-9a-f:]*")
_OPEN = re.compile(
    r"/messages/(modes|receive queues|transmit queues|interfaces/.*/MTUs)\b|/(advertised|host) MTUs/|/shown/interface "
)
_HOST = re.compile(r"\b(tap|tun)4\d{3}\b")
_BY_NAME = ("show acl-plugin acl", "show acl-plugin interface")
"""What VPP shows by number and a client tells by name."""


def whole_state(vpp: RealVpp) -> Whole:
    """Return what a client, the prompt and `ip` tell; indexes are left out, and so are addresses that links give."""
    return {
        "messages": state_of(vpp.client),
        "others": {name: _plain(lines) for name, lines in read_others(vpp).items() if not _is_nameless(name)},
        "shown": dict(_shown(vpp)),
        "advertised MTUs": dict(_advertised(vpp)),
        "host MTUs": dict(_host_mtus(vpp)),
        "linux": {
            netns: _linux(vpp, netns)
            for netns in ("", *sorted(line.split()[0] for line in vpp.ip("netns").splitlines()))
        },
    }


def _namespaces(vpp: RealVpp) -> list[str]:
    return sorted(line.split()[0] for line in vpp.ip("netns").splitlines())


def unlike(found: Whole, expected: Whole, *, is_open: bool = False) -> list[str]:
    """Return a line for each thing that only one of two has; with `is_open` but for what a file leaves open."""
    known = set(_lines(expected, ""))
    here = set(_lines(found, ""))
    if is_open:
        known, here = ({_as_open(line) for line in lines if not _OPEN.match(line)} for lines in (known, here))
    lines = [*(f"lacks {line}" for line in known - here), *(f"has {line}" for line in here - known)]
    return sorted(line for line in lines if not _TAP.match(line.partition(" ")[2]))


def _as_open(line: str) -> str:
    """Return a line without what depends on the way: MACs, numbers of host TAPs, and the tag of what has none to have.

    An `apply` that goes on from half-way leaves without a tag what VPP has already; vppcfg removes it all the same.
    """
    return _HOST.sub("host", _MAC.sub("MAC", line)).replace("/tag: vppcfg", "/tag: ")


def _lines(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _lines(each, f"{path}/{key}")
    elif isinstance(value, list | tuple) and path.count("/") < 4:
        numbered = Counter(map(str, value))
        yield from (f"{path}: {each} ({count} times)" for each, count in numbered.items())
    else:
        yield f"{path}: {value}"


def _shown(vpp: RealVpp) -> Iterator[tuple[str, tuple[str, ...]]]:
    down = [re.escape(row.interface_name) for row in vpp.client.api.sw_interface_dump() if not row.flags & _ADMIN_UP]
    by_down = re.compile(rf"^((?:\S+: )?).* via \S+ (?:{'|'.join(down) or 'none'}): .*")
    for key, lines in shown_state(vpp).items():
        if key not in _BY_NAME and not (_is_nameless(key.partition(" ")[2]) and not key.startswith("interface")):
            yield key, _plain(by_down.sub(r"\1no link", line) for line in lines)


def _advertised(vpp: RealVpp) -> Iterator[tuple[str, list[str]]]:
    """Yield the MTU that router advertisements name, which no message tells."""
    for row in vpp.client.api.sw_interface_dump():
        if not _is_nameless(row.interface_name) and row.sub_id < 1 << 31:
            lines = vpp.cli(f"show ip6 interface {row.interface_name}")[1].splitlines()
            yield row.interface_name, [line.strip() for line in lines if "MTU is" in line]


def _host_mtus(vpp: RealVpp) -> Iterator[tuple[str, int]]:
    """Yield the MTU of VPP's side of each Linux device of a pair, by the name of the interface."""
    rows = {row.sw_if_index: row for row in vpp.client.api.sw_interface_dump()}
    for pair in pages(vpp.client.api, "lcp_itf_pair_get"):
        if pair.phy_sw_if_index in rows and pair.host_sw_if_index in rows:
            yield rows[pair.phy_sw_if_index].interface_name, rows[pair.host_sw_if_index].mtu[0]


def _is_nameless(name: str) -> bool:
    """Return whether the prompt may have forgotten a name, as it does when another vhost-user port is made."""
    return name.startswith("VirtualEthernet")


def _plain(lines: Iterable[str]) -> tuple[str, ...]:
    found = []
    for line in lines:
        for pattern, text in _NUMBERS:
            line = pattern.sub(text, line)
        found.append(line)
    return tuple(sorted(filter(None, found)))


def _linux(vpp: RealVpp, netns: str) -> dict[str, Any]:
    where = ("-n", netns) if netns else ()

    def told(*words: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(vpp.ip(*where, "-j", *words) or "[]")
        return rows

    return {
        "devices": {row["ifname"]: _device(row) for row in told("-d", "addr") if not _WIRES.match(row["ifname"])},
        "routes": sorted(
            json.dumps({key: value for key, value in row.items() if key != "nhid"}, sort_keys=True)
            for family in ("-4", "-6")
            for row in told(family, "route", "show", "table", "all")
            if row.get("protocol") not in {"kernel", "ra"}
        ),
        "neighbors": sorted(
            json.dumps(row, sort_keys=True) for row in told("neigh") if "PERMANENT" in row.get("state", ())
        ),
    }


def _device(row: dict[str, Any]) -> dict[str, Any]:
    info = row.get("linkinfo", {})
    return {
        "mtu": row["mtu"],
        "is up": "UP" in row["flags"],
        "mac": row.get("address") if info.get("info_kind") != "veth" else None,
        "master": row.get("master"),
        "kind": info.get("info_kind"),
        "vlan": {key: info.get("info_data", {}).get(key) for key in ("id", "protocol")},
        "addresses": sorted(
            f"{each['local']}/{each['prefixlen']}" for each in row["addr_info"] if each.get("scope") != "link"
        ),
    }
