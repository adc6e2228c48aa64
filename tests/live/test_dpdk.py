"""The seed's router on a real VPP with DPDK, whose ports are DPDK's drivers for devices of Linux.

VPP 23.06 builds with the DPDK of Debian 12. There are no hugepages and no NIC: `vdev` makes the ports. A port on a veth
has one queue each way. One of net_tap must have as many to send as to receive: with a worker VPP sends from two,
cannot set it up, and goes on without it.
"""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live.test_startup_check import disagreement, small
from tests.live.test_startup_check import tree as tree
from tests.real_vpp import RealVpp, prefix, skip_reason
from tests.unit.cli.conftest import GI1, GI3, L2XC, L3, TO_L2XC, TO_L3
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.tune.show.hardware import parse_hardware, parse_interface
from vppcfg.tune.show.runtime import parse_runtime


def unsupported_reason() -> str | None:
    """Return why no VPP with DPDK and these drivers can be started here."""
    if reason := skip_reason():
        return reason
    if not any((prefix() / "lib").rglob("dpdk_plugin.so")):
        return "this VPP has no dpdk plugin"
    return None if any(Path("/usr/lib").rglob("librte_net_af_packet.so*")) else "DPDK's driver net_af_packet is missing"


REASON = unsupported_reason()
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

LINKS = ("veth1", "veth3")
WITHOUT_HARDWARE = "no-hugetlb no-pci iova-mode va"
SEED = "dev default { num-rx-desc 512 num-tx-desc 1024 } no-multi-seg no-tx-checksum-offload"
VDEVS = " ".join(f"vdev net_af_packet{number},iface={link}" for number, link in enumerate(LINKS))
_ATTEMPTS = 3
"""VPP gives up when a worker stands still for a second, as one may on a busy machine."""


@contextmanager
def router(dpdk: str = f"{SEED} {VDEVS}", cpu: str = "main-core 0") -> Iterator[RealVpp]:
    """Run a VPP with the ports of the seed."""
    vpp = _started(f"cpu {{ {cpu} }}\ndpdk {{ {WITHOUT_HARDWARE} {dpdk} }}")
    try:
        for number, name in enumerate((GI1, GI3)):
            assert vpp.cli(f"set interface name Ethernet{number} {name}") == (0, "")
        yield vpp
    finally:
        vpp.stop()


def _started(extra: str) -> RealVpp:
    for attempt in range(1, _ATTEMPTS + 1):
        vpp = RealVpp(plugins=("dpdk",), links=LINKS, extra=extra)
        try:
            vpp.start()
        except RuntimeError as error:
            if attempt == _ATTEMPTS or "deadlock" not in str(error):
                raise
        else:
            return vpp
    raise AssertionError


def planned(vpp: RealVpp, text: str, folder: Path) -> str:
    """Return the commands of a plan."""
    file, out = folder / "router.yaml", folder / "plan.txt"
    file.write_text(text)
    assert main(["plan", "-q", "-a", str(vpp.socket_path), "-c", str(file), "-o", str(out)]) == ExitCode.DONE
    return out.read_text()


def is_reached(vpp: RealVpp, folder: Path) -> bool:
    """Return whether the last plan has nothing left to do."""
    words = ["-q", "-a", str(vpp.socket_path), "-c", str(folder / "router.yaml"), "--detailed-exitcode"]
    return main(["plan", *words]) == ExitCode.DONE


def forwarded(vpp: RealVpp, count: int = 20) -> int:
    """Return how many of `count` frames that come in on one port go out of the other."""
    frame = bytes.fromhex("02000000000a 02000000000b 88b5".replace(" ", "")) + bytes(50)
    with joined(vpp, LINKS[0]) as sender, joined(vpp, LINKS[1]) as receiver:
        for _ in range(count):
            sender.send(frame)
        found, deadline = 0, time.monotonic() + 10
        while found < count and time.monotonic() < deadline:
            receiver.settimeout(1.0)
            try:
                found += receiver.recv(2048) == frame
            except TimeoutError:
                break
    return found


def joined(vpp: RealVpp, link: str) -> socket.socket:
    """Return a socket at the other end of a link, where VPP runs."""
    import ctypes
    import os

    own, theirs = os.open("/proc/self/ns/net", os.O_RDONLY), os.open(f"/proc/{vpp.pid}/ns/net", os.O_RDONLY)
    set_namespace = ctypes.CDLL(None, use_errno=True).setns
    try:
        assert set_namespace(theirs, 0) == 0
        made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88B5))
        made.bind((f"{link}-peer", 0x88B5))
    finally:
        assert set_namespace(own, 0) == 0
        os.close(own)
        os.close(theirs)
    return made


def test_the_seeds_plans_are_its_own_to_the_letter_and_lead_there_and_back(tmp_path: Path) -> None:
    with router() as vpp:
        for way, plans in (("typed", (TO_L2XC, TO_L3)), ("applied", ("", TO_L3))):
            for text, expected in zip((L2XC, L3), plans, strict=True):
                plan = planned(vpp, text, tmp_path)
                assert plan == expected or not expected
                if way == "typed":
                    for line in plan.splitlines():
                        assert (line, *vpp.cli(line)) == (line, 0, "")
                    vpp_follows(vpp, text)
                else:
                    words = ["-qy", "--again", "-a", str(vpp.socket_path), "-c", str(tmp_path / "router.yaml")]
                    assert main(["apply", *words]) == ExitCode.DONE
                if text == L2XC:
                    assert is_reached(vpp, tmp_path)
                    assert forwarded(vpp) == 20


def vpp_follows(vpp: RealVpp, text: str) -> None:
    """Do in Linux what a typed plan leaves to it."""
    if "lcp:" in text:
        for device in ("e1-0-0", "e3-0-0"):
            assert f"{device}: <" in vpp.ip("link", "show", "dev", device)


def test_the_tuner_reads_what_a_dpdk_port_says(tmp_path: Path) -> None:
    with router(cpu="main-core 0 corelist-workers 1") as vpp:
        planned(vpp, L2XC, tmp_path)
        assert main(["apply", "-qy", "-a", str(vpp.socket_path), "-c", str(tmp_path / "router.yaml")]) == ExitCode.DONE
        assert forwarded(vpp) == 20
        ports, unread = parse_hardware(vpp.cli("show hardware-interfaces")[1])
        threads, unread_rows = parse_runtime(vpp.cli("show runtime")[1])
        out = tmp_path / "found.json"
        live = ["-a", str(vpp.socket_path), "--interval", "1", "--readings", "2", "--format", "json", "-o", str(out)]
        assert main(["tune", "-q", *live]) == ExitCode.DONE
    assert (unread, unread_rows) == ((), ())
    assert [thread.name for thread in threads] == ["vpp_main", "vpp_wk_0"]
    assert "dpdk-input" in {node.name for thread in threads for node in thread.nodes}
    by_name = {port.name: port for port in ports}
    for name in (GI1, GI3):
        port = by_name[name]
        assert port.is_up and not port.has_errors
        assert port.rx_limits is not None and port.tx_limits is not None
        assert (port.rx_limits.queues, port.rx_limits.max_queues, port.rx_limits.descriptors) == (1, 1, 512)
        assert (port.tx_limits.queues, port.tx_limits.max_queues, port.tx_limits.descriptors) == (1, 1, 1024)
        assert port.max_frame == 1500 + 18 + 4
    found = json.loads(out.read_text())
    assert found["verdict"] in {"idle", "healthy"}, found["missing"]
    assert {port["name"] for port in found["load"]["ports"]} >= {GI1, GI3}


def test_more_queues_than_a_port_has_are_one_and_those_that_share_one_to_send_are_told(tmp_path: Path) -> None:
    many = SEED.replace("num-rx-desc", "num-rx-queues 2 num-tx-queues 2 num-rx-desc")
    with router(f"{many} {VDEVS}", "main-core 0 corelist-workers 1") as vpp:
        ports, _ = parse_hardware(vpp.cli("show hardware-interfaces")[1])
    (port,) = (port for port in ports if port.name == GI1)
    assert port.rx_limits is not None and port.tx_limits is not None
    assert (port.rx_limits.queues, port.tx_limits.queues) == (1, 1)
    assert port.tx_queues[0].is_shared


def test_a_port_that_the_driver_refuses_is_named(tmp_path: Path) -> None:
    with router(f"{SEED} {VDEVS} vdev net_tap0,iface=refused", "main-core 0 corelist-workers 1") as vpp:
        shown = vpp.cli("show interface")[1]
        interfaces, unread = parse_interface(shown)
        failed = [interface.name for interface in interfaces if interface.is_failed]
        out = tmp_path / "found.json"
        live = ["-a", str(vpp.socket_path), "--interval", "1", "--readings", "2", "--format", "json", "-o", str(out)]
        assert main(["tune", "-q", *live]) == ExitCode.DONE
    assert unread == ()
    assert len(failed) == 1, shown
    found = [(one["rule"], one["subject"]) for one in json.loads(out.read_text())["findings"]]
    assert ("port-failed", failed[0]) in found


BASE = """\
unix { nodaemon }
plugins { plugin default { disable } plugin dpdk_plugin.so { enable } }
socksvr { default }
buffers { buffers-per-numa 8192 }
cpu { main-core 0 corelist-workers 1-2 }
"""
STANZAS = (
    "",
    "dev default { num-rx-desc 512 num-tx-desc 1024 } vdev net_tap0",
    "dev default { num-rx-queues 99 num-tx-queues 99 } vdev net_tap0",
    "dev default { num-rx-queues 2 workers 0 } vdev net_tap0",
    "dev default { workers 0 name a tag b } vdev net_tap0",
    "dev default { workers 9 } vdev net_tap0",
    "dev default { rss { ipv4-tcp ipv6 } rss-queues 0-1 tso on max-lro-pkt-size 9000 devargs a=1 } vdev net_null0",
    "dev default { rss { ipv4 tcp } } vdev net_tap0",
    "dev default { rss ipv4 }",
    "dev default { tso maybe }",
    "dev default { no-rx-interrupts }",
    "dev default { vlan-strip-offload on }",
    "dev default { num-rx-queue 1 }",
    "dev default { } dev default { }",
    "dev default",
    "dev default { num-rx-queues 2 } dev 0000:99:00.0 { workers 0 }",
    "dev 0000:99:00.0 { num-rx-queues 2 workers 0 }",
    "dev 0000:99:00.0 { num-rx-queues 2 workers 0,1 name x tag up }",
    "dev 0000:99:00.0 { workers 9 }",
    "dev 0000:99:00.0 dev 0000:99:00.0",
    "dev 99:00.0",
    "dev 0000:99:00.0 { foo }",
    "dev 0000:99:00.0 { rss { foo } }",
    "no-multi-seg no-tx-checksum-offload vdev net_null0",
    "enable-tcp-udp-checksum enable-outer-checksum-offload",
    "enable-outer-checksum-offload",
    "enable-lro telemetry decimal-interface-names uio-driver auto uio-bind-force socket-mem 64 max-simd-bitwidth 256",
    "max-simd-bitwidth 128",
    "uio-driver",
    "no-vmbus",
    "blacklist 0000:99:00.0 blacklist 8086:1539",
    "blacklist foo",
    "link-state-poll-interval 1",
    "stats-poll-interval 1",
    "enable-mbuf-fast-free",
    "num-mbufs 16384",
    "num-crypto-mbufs 1",
    "num-mem-channels 4",
    "no-dsa",
    "hqos",
    "trace x",
    "trace-dir /tmp",
    "file-prefix a log-level debug proc-type primary huge-dir /tmp base-virtaddr 0x10000000 force-ranks 2 no-hpet",
    "vdev",
    "foo",
)


@pytest.mark.slow
def test_a_stanza_is_foreseen_to_stop_vpp_or_not(tree: Path) -> None:
    texts = {stanza: small(f"{BASE}dpdk {{ {WITHOUT_HARDWARE} {stanza} }}\n") for stanza in STANZAS}
    differing = [f"{stanza}: {how}" for stanza, text in texts.items() if (how := disagreement(text, tree))]
    assert differing == []
