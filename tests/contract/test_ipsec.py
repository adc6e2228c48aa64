"""Contract: what IPsec does to interfaces: protection of tunnels goes with them, the binding of policies stays."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject

ESP, AES_CBC, SHA1, TUNNEL, UDP, INBOUND, ANTI_REPLAY = 50, 1, 2, 4, 16, 64, 2
SALT = 0x11223344


def add_sa(vpp: Subject, number: int, flags: int = 0) -> int:
    ends = ("172.16.0.1", "172.16.0.2") if flags & TUNNEL else ("0.0.0.0", "0.0.0.0")
    entry = {
        "sad_id": number,
        "spi": 1000 + number,
        "protocol": ESP,
        "crypto_algorithm": AES_CBC,
        "crypto_key": {"length": 16, "data": b"A" * 16},
        "integrity_algorithm": SHA1,
        "integrity_key": {"length": 20, "data": b"B" * 20},
        "flags": flags,
        "salt": SALT,
        "udp_src_port": 4500,
        "udp_dst_port": 4501,
        "tunnel": {"src": ends[0], "dst": ends[1]},
    }
    if vpp.since("24.10"):
        reply = vpp.api.ipsec_sad_entry_add_v2(entry={**entry, "anti_replay_window_size": 128})
    else:
        reply = vpp.api.ipsec_sad_entry_add(entry=entry)
    return int(reply.retval)


def associations(vpp: Subject) -> dict[int, Any]:
    name = "ipsec_sa_v5_dump" if vpp.since("24.10") else "ipsec_sa_v3_dump"
    return {row.entry.sad_id: row.entry for row in getattr(vpp.api, name)(sa_id=ALL)}


def protect(vpp: Subject, index: int, out: int = 10, *inputs: int, hop: str = "0.0.0.0") -> int:
    sa_in = list(inputs or (20,))
    tunnel = {"sw_if_index": index, "nh": hop, "sa_out": out, "n_sa_in": len(sa_in), "sa_in": sa_in}
    return int(vpp.api.ipsec_tunnel_protect_update(tunnel=tunnel).retval)


def unprotect(vpp: Subject, index: int, hop: str = "0.0.0.0") -> int:
    return int(vpp.api.ipsec_tunnel_protect_del(sw_if_index=index, nh=hop).retval)


def protections(vpp: Subject) -> list[tuple[int, str, int, list[int]]]:
    rows = vpp.api.ipsec_tunnel_protect_dump(sw_if_index=ALL)
    return [(row.tun.sw_if_index, str(row.tun.nh), row.tun.sa_out, list(row.tun.sa_in)) for row in rows]


def ipip(vpp: Subject, destination: str, mode: int = 0) -> int:
    tunnel = {"src": "172.16.0.1", "dst": destination, "instance": ALL, "table_id": 0, "mode": mode}
    return int(vpp.api.ipip_add_tunnel(tunnel=tunnel).sw_if_index)


@pytest.fixture(autouse=True)
def none_left(vpp: Subject) -> Iterator[None]:
    yield
    for index, hop, _, _ in protections(vpp):
        unprotect(vpp, index, hop)
    for row in vpp.api.ipsec_itf_dump(sw_if_index=ALL):
        vpp.api.ipsec_itf_delete(sw_if_index=row.itf.sw_if_index)
    for number in associations(vpp):
        vpp.api.ipsec_sad_entry_del(id=number)
    for row in vpp.api.ipsec_spds_dump():
        vpp.api.ipsec_spd_add_del(is_add=False, spd_id=row.spd_id)


@pytest.fixture
def sas(vpp: Subject) -> None:
    """Have the security associations 10 and 20, and 30 in tunnel mode."""
    assert add_sa(vpp, 10) == add_sa(vpp, 20) == add_sa(vpp, 30, TUNNEL) == 0


def test_associations_are_read_back_with_what_their_flags_ask_for(vpp: Subject) -> None:
    assert add_sa(vpp, 10) == add_sa(vpp, 20, TUNNEL | UDP | INBOUND | ANTI_REPLAY) == 0
    assert add_sa(vpp, 10) == -116
    plain, full = (associations(vpp)[number] for number in (10, 20))
    assert (plain.spi, full.spi, plain.crypto_key.data[:16], full.integrity_key.length) == (1010, 1020, b"A" * 16, 20)
    assert (int(plain.flags), int(full.flags)) == (0, TUNNEL | UDP | INBOUND | ANTI_REPLAY)
    assert plain.salt == full.salt == 0x44332211
    assert (plain.udp_src_port, full.udp_src_port, full.udp_dst_port) == (0, 4500, 4501)
    assert (str(plain.tunnel.src), str(full.tunnel.src), str(full.tunnel.dst)) == (
        "0.0.0.0",
        "172.16.0.1",
        "172.16.0.2",
    )
    if vpp.since("24.10"):
        assert (plain.anti_replay_window_size, full.anti_replay_window_size) == (0, 128)
    assert vpp.api.ipsec_sad_entry_del(id=10).retval == 0
    assert vpp.api.ipsec_sad_entry_del(id=10).retval == -6


def test_a_tunnel_is_protected_and_the_protection_changed(vpp: Subject, sas: None, first: int) -> None:
    index = ipip(vpp, "172.16.0.2")
    assert protect(vpp, index) == 0
    assert protections(vpp) == [(index, "0.0.0.0", 10, [20])]
    assert protect(vpp, index, 20, 10, 30) == 0
    assert protections(vpp) == [(index, "0.0.0.0", 20, [10, 30])]
    assert unprotect(vpp, index) == 0
    assert unprotect(vpp, index) == -6
    assert protections(vpp) == []
    assert protect(vpp, index, 10, 99) == -7


def test_a_refused_protection_keeps_its_associations_for_ever(vpp: Subject, first: int) -> None:
    assert add_sa(vpp, 71) == add_sa(vpp, 72) == 0
    assert (protect(vpp, 4711, 71, 72), protect(vpp, first, 71, 72), protect(vpp, first, 99, 72)) == (-2, -2, -7)
    assert vpp.api.ipsec_sad_entry_del(id=72).retval == 0
    assert 72 in associations(vpp)
    assert protections(vpp) == []


def test_an_association_in_use_goes_with_its_last_user(vpp: Subject, sas: None) -> None:
    index = ipip(vpp, "172.16.0.2")
    assert protect(vpp, index) == 0
    assert vpp.api.ipsec_sad_entry_del(id=10).retval == 0
    assert 10 in associations(vpp)
    assert unprotect(vpp, index) == 0
    assert 10 not in associations(vpp)


def test_protection_goes_with_its_tunnel(vpp: Subject, sas: None) -> None:
    index = ipip(vpp, "172.16.0.2")
    assert protect(vpp, index) == 0
    assert vpp.api.ipip_del_tunnel(sw_if_index=index).retval == 0
    left = [] if vpp.since("24.10") else [(index, "0.0.0.0", 10, [20])]
    assert protections(vpp) == left
    assert ipip(vpp, "172.16.0.3") == index
    assert protections(vpp) == left


def test_a_multipoint_tunnel_is_protected_per_next_hop(vpp: Subject, sas: None) -> None:
    index = ipip(vpp, "0.0.0.0", mode=1)
    assert protect(vpp, index, hop="10.50.0.2") == protect(vpp, index, hop="10.50.0.3") == 0
    assert sorted(row[:2] for row in protections(vpp)) == [(index, "10.50.0.2"), (index, "10.50.0.3")]
    assert unprotect(vpp, index, "10.50.0.2") == 0
    assert [row[:2] for row in protections(vpp)] == [(index, "10.50.0.3")]


def test_an_interface_for_ipsec_takes_associations_in_tunnel_mode(vpp: Subject, sas: None) -> None:
    reply = vpp.api.ipsec_itf_create(itf={"user_instance": 7})
    assert reply.retval == 0
    row = vpp.details(reply.sw_if_index)
    assert (row.interface_name, row.interface_dev_type, list(row.mtu)) == ("ipsec7", "IPSEC Tunnel", [9000, 0, 0, 0])
    assert vpp.api.ipsec_itf_create(itf={"user_instance": 7}).retval == -31
    assert protect(vpp, reply.sw_if_index, 30, 20) == 0
    assert protections(vpp) == [(reply.sw_if_index, "0.0.0.0", 30, [20])]
    assert [each.itf.user_instance for each in vpp.api.ipsec_itf_dump(sw_if_index=ALL)] == [7]
    assert unprotect(vpp, reply.sw_if_index) == 0
    assert vpp.api.ipsec_itf_delete(sw_if_index=reply.sw_if_index).retval == 0
    assert vpp.api.ipsec_itf_delete(sw_if_index=reply.sw_if_index).retval == -2


def bind(vpp: Subject, index: int, spd: int = 500, *, is_add: bool = True) -> int:
    return int(vpp.api.ipsec_interface_add_del_spd(is_add=is_add, sw_if_index=index, spd_id=spd).retval)


def bound(vpp: Subject) -> list[tuple[int, int]]:
    return [(row.spd_index, row.sw_if_index) for row in vpp.api.ipsec_spd_interface_dump()]


def policies_on(vpp: Subject, name: str) -> bool:
    return "ipsec4-input-feature" in vpp.cli(f"show interface features {name}")[1]


def test_policies_stay_bound_to_an_interface_that_goes_but_do_nothing_on_the_next(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    assert vpp.api.ipsec_spd_add_del(is_add=True, spd_id=500).retval == 0
    assert vpp.api.ipsec_spd_add_del(is_add=True, spd_id=500).retval == -116
    assert vpp.cli("ipsec spd add 500") == vpp.cli("ipsec spd del 501") == (0, "")
    assert (bind(vpp, index), bind(vpp, index), bind(vpp, index, 501), bind(vpp, 4711)) == (0, -12, -11, -2)
    assert bound(vpp) == [(0, index)] and policies_on(vpp, f"{PORTS[0]}.100")
    vpp.api.delete_subif(sw_if_index=index)
    assert bound(vpp) == [(0, index)]
    assert vpp.sub(first, 200) == index
    assert (bound(vpp), policies_on(vpp, f"{PORTS[0]}.200"), bind(vpp, index)) == ([(0, index)], False, -12)
    assert (bind(vpp, index, is_add=False), bind(vpp, index)) == (0, 0)
    assert policies_on(vpp, f"{PORTS[0]}.200")
    assert vpp.api.ipsec_spd_add_del(is_add=False, spd_id=500).retval == 0
    assert bound(vpp) == [] and not policies_on(vpp, f"{PORTS[0]}.200")
    assert vpp.api.ipsec_spd_add_del(is_add=False, spd_id=500).retval == -6


def test_a_refused_protection_of_an_interface_for_ipsec_is_shown_for_ever(vpp: Subject) -> None:
    assert add_sa(vpp, 81) == add_sa(vpp, 82) == 0
    index = vpp.api.ipsec_itf_create(itf={"user_instance": 8}).sw_if_index
    assert protect(vpp, index, 81, 82) == -58
    assert protections(vpp) == [(index, "0.0.0.0", 81, [82])]
    assert vpp.api.ipsec_itf_delete(sw_if_index=index).retval == 0
    assert [row[0] for row in protections(vpp)] == [index]
