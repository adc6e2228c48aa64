"""What others than vppcfg have on the interfaces of a VPP, by name, read with a plain client and VPP's prompt."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.real_vpp import RealVpp

ALL = 0xFFFFFFFF
_RANDOM = re.compile(r"\[\s*\d+\]|0x[0-9a-f]+")
_OF_VPP = ("224.0.0.", "ff02::", "0.0.0.0", "::")


def read_others(vpp: RealVpp) -> dict[str, list[str]]:
    """Return a line for everything on each interface, and in table 0 for routes without one."""
    found: dict[str, list[str]] = defaultdict(list)
    client = vpp.client
    api = client.api
    names = {row.sw_if_index: row.interface_name for row in api.sw_interface_dump(sw_if_index=ALL)}
    for index, line in _rows(api):
        if index in names:
            found[names[index]].append(line)
    for number, table, line in _routes(api):
        found[names.get(number, table)].append(line)
    for name, line in _of_bridges_and_tables(api):
        found[name].append(line)
    for name in names.values():
        if name != "local0":
            found[name] += _features(vpp, name)
    return {name: sorted(lines) for name, lines in found.items() if lines}


def _rows(api: Any) -> Iterator[tuple[int, str]]:
    for row in api.ipsec_tunnel_protect_dump(sw_if_index=ALL):
        yield row.tun.sw_if_index, f"protect {row.tun.nh} out {row.tun.sa_out} in {list(row.tun.sa_in)}"
    for row in api.ipsec_spd_interface_dump():
        yield row.sw_if_index, f"spd {row.spd_index}"
    for row in api.nat44_interface_dump():
        yield row.sw_if_index, f"nat44 {int(row.flags)}"
    for row in api.nat44_interface_addr_dump():
        yield row.sw_if_index, f"nat44 pool {int(row.flags)}"
    for row in api.abf_itf_attach_dump():
        attach = row.attach
        yield attach.sw_if_index, f"abf {attach.policy_id} {attach.priority} {attach.is_ipv6}"
    for row in api.vrrp_vr_dump(sw_if_index=ALL):
        addresses = [str(each) for each in row.addrs]
        state = "init" if int(row.runtime.state) == 0 else "running"
        config = row.config
        yield config.sw_if_index, f"vrrp {config.vr_id} {config.priority} {int(config.flags)} {addresses} {state}"
    for row in api.bfd_udp_session_dump():
        yield row.sw_if_index, f"bfd {row.local_addr} {row.peer_addr} {row.detect_mult} {row.desired_min_tx}"
    for row in api.qos_record_dump():
        yield row.record.sw_if_index, f"qos record {int(row.record.input_source)}"
    for row in api.mpls_route_dump(table={"mt_table_id": 0}):
        route = row.mr_route
        for path in route.mr_paths:
            labels = [each.label for each in path.label_stack[: path.n_labels]]
            yield path.sw_if_index, f"mpls {route.mr_label} {route.mr_eos} by {path.nh.address.ip4} {labels}"
    for table in (False, True):
        for row in api.ip_mroute_dump(table={"table_id": 0, "is_ip6": table}):
            group = str(row.route.prefix)
            for path in row.route.paths if not any(each in group for each in _OF_VPP) else ():
                yield path.path.sw_if_index, f"mroute {group} {int(path.itf_flags)}"


def _of_bridges_and_tables(api: Any) -> Iterator[tuple[str, str]]:
    for row in api.bd_ip_mac_dump(bd_id=ALL):
        yield f"bd{row.entry.bd_id}", f"arp {row.entry.ip} {row.entry.mac}"
    for row in api.dhcp_proxy_dump(is_ip6=False):
        for server in row.servers:
            yield f"table {row.rx_vrf_id}", f"relay {server.dhcp_server} from {row.dhcp_src_address}"


def _routes(api: Any) -> Iterator[tuple[int, str, str]]:
    sources = {row.src.name: row.src.id for row in api.fib_source_dump()}
    tables = [(row.table.table_id, row.table.is_ip6) for row in api.ip_table_dump()]
    for table_id, is_ipv6 in tables:
        for source in ("CLI", "API"):
            table = {"table_id": table_id, "is_ip6": is_ipv6}
            for row in api.ip_route_v2_dump(src=sources[source], table=table):
                for path in row.route.paths:
                    hop = path.nh.address.ip4 if path.proto == 0 else path.nh.address.ip6
                    way = f"{hop} weight {path.weight} preference {path.preference} type {int(path.type)}"
                    yield path.sw_if_index, f"table {table_id}", f"{source} {row.route.prefix} in {table_id} by {way}"


def _features(vpp: RealVpp, name: str) -> list[str]:
    """Return the features of every arc, and the bits of L2, as VPP's prompt shows them."""
    lines, arc = [], ""
    for line in vpp.cli(f"show interface {name} features")[1].splitlines():
        if line and not line.startswith(" "):
            arc = line
        elif line.strip() and "none" not in line:
            lines.append(f"{arc} {_RANDOM.sub('', line).strip()}")
    return lines


def forwards(vpp: RealVpp, prefix: str) -> bool:
    """Return whether VPP forwards by a route, whatever its dump says of the paths."""
    return "dpo-drop" not in vpp.cli(f"show ip fib {prefix}")[1]
