"""Releases differ as VPP's do, and their definitions are what a client expects."""

import json
import re
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.simulated_vpp import connected
from vppcfg.errors import DataplaneError, UsageError
from vppcfg.kinds.route import SetRoute
from vppcfg.model.route import Route, RouteEnd
from vppcfg.simulator import api
from vppcfg.simulator.api import documents, message_ids, write_api_dir
from vppcfg.simulator.kinds import KINDS, PLUGINS
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.releases import NEWEST, RELEASES, ReleaseQuirk, release_named, release_of
from vppcfg.simulator.retval import DiedError
from vppcfg.simulator.vpp import SimulatedVpp

NAMES = [release.name for release in RELEASES]


@pytest.mark.parametrize("version", ["", "new", "6.10", "22.10", "123.06"])
def test_a_version_that_cannot_be_simulated_is_refused(version: str) -> None:
    with pytest.raises(UsageError):
        release_of(version)


def test_an_unknown_release_is_refused() -> None:
    with pytest.raises(UsageError, match=r"VPP release 25\.02 cannot be simulated"):
        SimulatedVpp(release="25.02")


@pytest.mark.parametrize(
    ("message", "releases"),
    [
        *(("get_api_json", NAMES[1:]), ("lcp_itf_pair_add_del_v3", NAMES[1:]), ("lcp_itf_pair_get_v2", NAMES[1:])),
        *(("lcp_itf_pair_add_del_v2", NAMES), ("sw_interface_dump", NAMES), ("tap_create_v3", NAMES)),
        *(("mpls_interface_dump", NAMES[1:]), ("gre_tunnel_dump", NAMES), ("ipip_tunnel_dump", NAMES)),
        *(("af_packet_create_v3", NAMES), ("memif_dump", NAMES), ("create_vhost_user_if_v2", NAMES)),
        *(("gre_tunnel_add_del_v2", NAMES[3:]), ("feature_is_enabled", NAMES[2:]), ("sflow_enable_disable", NAMES[2:])),
        *(("sflow_direction_set", NAMES[3:]), ("wireguard_interface_create", NAMES)),
        ("wireguard_peer_add_v2", NAMES[4:]),
    ],
)
def test_a_message_exists_from_its_release_on(message: str, releases: list[str]) -> None:
    files = {name: message_ids(documents(release_named(name), PLUGINS)) for name in NAMES}
    assert [name for name in NAMES if message in files[name]] == releases


def test_the_first_messages_have_the_ids_that_clients_know_by_heart() -> None:
    ids = message_ids(documents(release_named(NEWEST), ["linux_cp"]))
    assert (ids["sockclnt_create"], ids["sockclnt_create_reply"], ids["control_ping"]) == (15, 16, 23)
    assert len(set(ids.values())) == len(ids)


def test_without_linux_cp_its_messages_are_missing() -> None:
    names = {name.decode() for _, name in SimulatedVpp(plugins=[]).message_table}
    assert not any(name.startswith("lcp_") for name in names)
    assert "sw_interface_dump_aa610c27" in names


HABITS = sorted({habit for kind in KINDS for habit in kind.quirks}, key=lambda habit: habit.text)


@pytest.mark.parametrize("habit", HABITS, ids=[habit.text[:50] for habit in HABITS])
def test_a_habit_tells_releases_apart_and_names_its_commit(habit: ReleaseQuirk) -> None:
    assert {release.has(habit) for release in RELEASES} == {True, False}
    assert re.search(r"\([0-9a-f]{11}\)$", habit.text)


def test_a_version_text_is_told_as_it_is() -> None:
    assert SimulatedVpp(release="23.06").version == "23.06-release"
    assert SimulatedVpp(release="23.06", version="23.06-rc0~35-gaf4046134").version == "23.06-rc0~35-gaf4046134"


@pytest.mark.parametrize("release", NAMES)
def test_definitions_are_written_as_vpp_writes_them(tmp_path: Path, release: str) -> None:
    write_api_dir(tmp_path / "api", release)
    written = {path.name: json.loads(path.read_text()) for path in (tmp_path / "api").iterdir()}
    core = {
        *("memclnt", "vlib", "vpe", "arp", "interface", "ip", "ip6_nd", "rd_cp", "ip_neighbor", "ipfix_export", "fib"),
        *("feature", "gso", "l2", "bond", "mpls", "span", "tapv2", "ipsec", "bfd", "qos", "teib", "classify"),
    }
    later = {name for name, since in {"sflow": "25.02"}.items() if release >= since}
    plugins = {
        *("acl", "af_packet", "arping", "dhcp", "dhcp6_ia_na_client_cp", "flowprobe", "memif", "vhost_user", "gre"),
        *("ipip", "lacp", "lcp", "lldp", "mss_clamp", "urpf", "vxlan", "wireguard", "abf", "l3xc", "nat44_ed"),
        *("det44", "policer", "vrrp"),
    }
    assert set(written) == {f"{name}.api.json" for name in core | later | plugins}
    interface = written["interface.api.json"]
    messages = {message[0]: message[1:] for message in interface["messages"]}
    assert messages["sw_interface_set_mtu"][3:] == [
        ["vl_api_interface_index_t", "sw_if_index"],
        ["u32", "mtu", 4],
        {"crc": "0x5cbe85e5"},
    ]
    assert interface["services"]["sw_interface_dump"] == {"reply": "sw_interface_details", "stream": True}
    assert interface["aliases"]["mac_address"] == {"type": "u8", "length": 6}
    assert {item[0]: item[1] for item in interface["enums"]}["if_type"] == ["IF_API_TYPE_HARDWARE", 0]


def test_damaged_definitions_are_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "vpp-api.json"
    path.write_text("{")
    monkeypatch.setattr("vppcfg.simulator.api.assets.find", lambda name: path)
    with pytest.raises(UsageError, match="cannot be read"):
        api._definitions.__wrapped__()


def test_a_directory_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        write_api_dir(tmp_path / "file", NEWEST)


@pytest.mark.parametrize(("release", "answer"), [("25.10", 0), ("26.06", 1)])
def test_a_pair_needs_the_plugin_that_taps_have_become(release: str, answer: int) -> None:
    """Seen on 26.10: `linux-cp pair creation failed (-30)`."""
    vpp = SimulatedVpp(ports=[PhysicalPort(name="eth0")], release=release, plugins=PLUGINS - {"tap"})
    code, printed = vpp.run_line("lcp create eth0 host-if e0")
    assert bool(code) == bool(answer)
    assert ("linux-cp pair creation failed (-30)" in printed) == bool(answer)


@pytest.mark.parametrize(
    ("release", "address", "lives"),
    [("23.06", "10.1.1.1/32", False), ("23.06", "10.1.1.0/31", True), ("24.10", "10.1.1.1/32", True)],
)
def test_a_bond_that_cannot_announce_its_address_ends_an_older_vpp(release: str, address: str, lives: bool) -> None:
    vpp = SimulatedVpp(release=release, ports=[PhysicalPort(name=name, device_class="af-packet") for name in "AB"])
    up = "\n".join(f"bond add BondEthernet0 {name}\nset interface state {name} up" for name in "AB")
    lines = f"create bond mode active-backup id 0\n{up}\nset interface state BondEthernet0 up"
    assert vpp.run_line(f"{lines}\nset interface ip address BondEthernet0 {address}")[0] == 0
    with nullcontext() if lives else pytest.raises(DiedError):
        assert vpp.run_line("set interface state A down") == (0, "")


@pytest.mark.parametrize(
    ("end", "table", "first"),
    [
        (RouteEnd.BLACKHOLE, 10, "24.10"),
        (RouteEnd.UNREACHABLE, 10, "26.02"),
        (RouteEnd.PROHIBIT, 10, "26.02"),
        (RouteEnd.PROHIBIT, 0, ""),
    ],
)
def test_vpp_ends_at_a_route_of_a_vrf_without_a_next_hop_before(
    end: RouteEnd, table: int, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in NAMES:
        vpp = SimulatedVpp(release=name)
        write_api_dir(tmp_path / name, name)
        monkeypatch.setenv("VPP_API_DIR", str(tmp_path / name))
        assert vpp.run_line("ip table add 10")[0] == 0
        with connected(vpp) as plane, nullcontext() if name >= first else pytest.raises(DataplaneError):
            done = plane.perform([SetRoute(item=Route(prefix="10.0.0.0/8", table_id=table, end=end))])
            assert done.refusals == ()
