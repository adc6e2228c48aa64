"""The MTU of VPP's side of LCP pairs, and what it makes of packets on their way to Linux."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, running, skip_reason
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))
PORT = "GigabitEthernet1/0/0"
SIZES = (1500, 2000)
"""Bytes of a packet to the router itself: larger than the tunnel's first MTU."""


def file_of(mtu: int, name: str = "tun-a") -> str:
    return (
        f"interfaces:\n  {PORT}: {{ mtu: 3000, lcp: e0, addresses: [ 192.0.2.1/24 ],"
        f" sub-interfaces: {{ 100: {{ lcp: {name}.100 }} }} }}\n"
        f"  ipip0: {{ mtu: {mtu}, lcp: {name}, addresses: [ 198.51.100.1/30 ] }}\n"
        "ipip_tunnels: { ipip0: { local: 192.0.2.1, remote: 192.0.2.2 } }\n"
        "unmanaged: [ pg-1 ]\n"
    )


@pytest.fixture
def vpp() -> Iterator[RealVpp]:
    with running((PORT,), extra="cpu {\n}", makes_vlan_devices=True) as real:
        yield real


def host_mtus(vpp: RealVpp) -> dict[str, int]:
    """Return the MTU of VPP's side of each pair, by the name of the interface."""
    rows = {row.sw_if_index: row for row in vpp.client.api.sw_interface_dump()}
    _, pairs = vpp.client.api.lcp_itf_pair_get(cursor=0)
    return {rows[pair.phy_sw_if_index].interface_name: rows[pair.host_sw_if_index].mtu[0] for pair in pairs}


def set_host_mtu(vpp: RealVpp, name: str, mtu: int) -> None:
    rows = {row.sw_if_index: row.interface_name for row in vpp.client.api.sw_interface_dump()}
    _, pairs = vpp.client.api.lcp_itf_pair_get(cursor=0)
    (host,) = (pair.host_sw_if_index for pair in pairs if rows[pair.phy_sw_if_index] == name)
    assert vpp.client.api.sw_interface_set_mtu(sw_if_index=host, mtu=[mtu, 0, 0, 0]).retval == 0


def sent_to_linux(vpp: RealVpp, interface: str, address: str, size: int) -> int:
    """Return in how many pieces a packet to the router itself that comes in on an interface goes on to Linux."""
    source = address.rpartition(".")[0] + ".2"
    packet = f"UDP: {source} -> {address} UDP: 5000 -> 179 incrementing {size - 28}"
    stream = f"name probe limit 1 size {size}-{size} interface {interface} node ip4-input data {{ {packet} }}"
    for line in ("clear trace", "trace add pg-input 5", f"packet-generator new {{ {stream} }}"):
        assert vpp.cli(line)[0] == 0, line
    assert vpp.cli("packet-generator enable-stream probe")[0] == 0
    shown = ""
    for _ in range(50):
        shown = vpp.cli("show trace")[1]
        if "-tx\n" in shown:
            break
    vpp.cli("packet-generator delete probe")
    return len(re.findall(r"^    buffer 0x", shown.partition("-tx\n")[2], re.MULTILINE))


def run(vpp: RealVpp, *words: str) -> None:
    assert main([*words, "-a", str(vpp.socket_path)]) == ExitCode.DONE


def apply(vpp: RealVpp, folder: Path, text: str) -> None:
    (folder / "file.yaml").write_text(text)
    run(vpp, "apply", "-c", str(folder / "file.yaml"), "--yes", "--allow-mass-deletion")


def test_a_raised_mtu_reaches_linux_and_a_rollback_brings_all_mtus_back(vpp: RealVpp, tmp_path: Path) -> None:
    apply(vpp, tmp_path, file_of(1400))
    set_host_mtu(vpp, "ipip0", 1400)  # as where the pair was made once the tunnel had its MTU
    set_host_mtu(vpp, PORT, 1280)
    set_host_mtu(vpp, f"{PORT}.100", 1300)
    former = host_mtus(vpp)
    assert [sent_to_linux(vpp, "ipip0", "198.51.100.1", size) for size in SIZES] == [2, 2]
    assert [sent_to_linux(vpp, PORT, "192.0.2.1", size) for size in SIZES] == [1, 1]
    apply(vpp, tmp_path, file_of(2800))
    assert host_mtus(vpp) == {**former, "ipip0": 2800}
    assert [sent_to_linux(vpp, "ipip0", "198.51.100.1", size) for size in SIZES] == [1, 1]
    run(vpp, "plan", "-c", str(tmp_path / "file.yaml"), "--detailed-exitcode")
    run(vpp, "rollback", "--yes")
    assert host_mtus(vpp) == former


def test_a_rollback_gives_pairs_that_were_made_anew_the_mtus_of_before(vpp: RealVpp, tmp_path: Path) -> None:
    apply(vpp, tmp_path, file_of(1400))
    for name, mtu in (("ipip0", 1400), (PORT, 1280), (f"{PORT}.100", 1300)):
        set_host_mtu(vpp, name, mtu)
    former = host_mtus(vpp)
    for text in (file_of(1400, "tun-b"), f"interfaces: {{ {PORT}: {{}} }}\n"):
        apply(vpp, tmp_path, text)
        assert host_mtus(vpp) != former
        run(vpp, "rollback", "--yes", "--allow-mass-deletion")
        assert host_mtus(vpp) == former
