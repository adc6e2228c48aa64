"""What a running VPP shows against what was asked for."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.hosts.trees import grow
from tests.unit.startup.test_derive import HARDWARE
from vppcfg.common.release import Release
from vppcfg.config.load import parse_text
from vppcfg.host.inventory import read_host
from vppcfg.model.dataplane import RunningVpp, Thread
from vppcfg.model.host import Host
from vppcfg.startup import running as shown
from vppcfg.startup.derive import derive
from vppcfg.startup.running import verify
from vppcfg.startup.settings import Settings

CONFIG = """\
interfaces: { GigabitEthernet1/0/0: {} }
dataplane:
  cpu: { main-core: 0, workers: 2, isolate: [ 1, 2, 3 ] }
  plugins: [ dpdk ]
  dpdk:
    devices: { "0000:01:00.0": { rx-queues: 2, rx-descriptors: 512, tx-descriptors: 1024, workers: [ 0, 1 ] } }
"""
SHOWN = {
    shown.HARDWARE: HARDWARE,
    shown.BUFFERS: (
        "Pool Name            Index NUMA  Size  Data Size  Total  Avail  Cached   Used  \n"
        "default-numa-0         0     0   2496     2048    16800  16163    22     615   \n"
    ),
    shown.MAIN_HEAP: "  base 0x7f4db4333000, size 1g, locked, unmap-on-destroy, name 'main heap'\n",
    shown.STATSEG: "Stats segment\nbase 0x7f4daf7fe000, size 64.00m, locked, name 'stat segment'\n",
    shown.PLUGINS: (
        " Plugin path is: /usr/lib/vpp_plugins, plugins shown in load order\n\n"
        "     Plugin                                   Version                          Description\n"
        "  1. dpdk_plugin.so                           26.10                            Data Plane\n"
    ),
    shown.PLACEMENT: (
        "Thread 1 (vpp_wk_0):\n node dpdk-input:\n    GigabitEthernet1/0/0 queue 0 (polling)\n"
        "Thread 2 (vpp_wk_1):\n node dpdk-input:\n    GigabitEthernet1/0/0 queue 1 (polling)\n"
    ),
}
THREADS = tuple(Thread(id=number, name="t", cpu=number) for number in range(3))
RUNNING = RunningVpp(version="26.10", threads=THREADS, shown=SHOWN)


@pytest.fixture
def asked(tmp_path: Path) -> tuple[Settings, Host]:
    host = read_host(str(grow("fitlet2", tmp_path)))
    configuration = parse_text(CONFIG, "test").configuration
    assert configuration is not None
    return derive(configuration, host, Release(26, 10)), host


def test_a_vpp_that_has_everything_has_everything(asked: tuple[Settings, Host]) -> None:
    findings = verify(asked[0], RUNNING, asked[1])
    assert [finding for finding in findings if not finding.is_met] == []
    assert len(findings) == 13


@pytest.mark.parametrize(
    ("command", "before", "after", "what", "advice"),
    [
        (shown.BUFFERS, "16800  16163", " 8192   7555", "buffers on node 0", "reserve hugepages"),
        (shown.BUFFERS, "2048 ", "4096 ", "data size of buffers on node 0", "restart"),
        (shown.MAIN_HEAP, "1g", "2g", "main heap", "restart"),
        (shown.STATSEG, "64.00m", "32.00m", "statseg", "restart"),
        (shown.PLUGINS, "dpdk_plugin", "ping_plugin", "plugins", "install dpdk"),
        (shown.PLUGINS, "  1. dpdk", "  1. x_plugin.so 1 X\n  2. dpdk", "plugins", "would not be loaded"),
        (shown.HARDWARE, "rx: queues 2", "rx: queues 1", "0000:01:00.0 rx queues", "restart"),
        (shown.HARDWARE, "desc 512", "desc 1024", "0000:01:00.0 rx descriptors", "restart"),
        (shown.HARDWARE, "0000:01:00.00", "0000:09:00.00", "0000:01:00.0", "vppctl show pci"),
        (shown.PLACEMENT, "Thread 2", "Thread 1", "0000:01:00.0 workers", "restart"),
    ],
)
def test_what_differs_is_named_with_an_advice(
    asked: tuple[Settings, Host], command: str, before: str, after: str, what: str, advice: str
) -> None:
    assert before in SHOWN[command]
    running = replace(RUNNING, shown={**SHOWN, command: SHOWN[command].replace(before, after)})
    unmet = [finding for finding in verify(asked[0], running, asked[1]) if not finding.is_met]
    assert [finding.what for finding in unmet] == [what]
    assert advice in unmet[0].advice


def test_a_port_in_a_bond_is_there_under_its_name(asked: tuple[Settings, Host]) -> None:
    hardware = HARDWARE.replace("    1     up   Gigabit", "    1    slave Gigabit")
    assert hardware != HARDWARE
    running = replace(RUNNING, shown={**SHOWN, shown.HARDWARE: hardware})
    assert [finding.what for finding in verify(asked[0], running, asked[1]) if not finding.is_met] == []
    native = replace(asked[0].devices[0], driver="ige", name="GigabitEthernet1/0/0", workers=None)
    found = verify(replace(asked[0], devices=(native,)), running, asked[1])
    assert [finding.what for finding in found if not finding.is_met] == []


@pytest.mark.parametrize(
    ("total", "is_met"),
    [(25199, True), (25176, True), (25000, False), (19800, False)],  # 23.06 and 26.10; 24.02 to 26.06; pages of 4 KB
)
def test_a_pool_of_full_pages_lacks_a_buffer_for_each_in_some_releases(
    asked: tuple[Settings, Host], total: int, is_met: bool
) -> None:
    memory = replace(asked[0].memory, buffers=25200)
    pools = SHOWN[shown.BUFFERS].replace("16800  16163", f"{total}  {total - 637}")
    running = replace(RUNNING, shown={**SHOWN, shown.BUFFERS: pools})
    met = {each.what: each.is_met for each in verify(replace(asked[0], memory=memory), running, asked[1])}
    assert met["buffers on node 0"] == is_met


def test_threads_on_other_cpus_differ(asked: tuple[Settings, Host]) -> None:
    running = replace(RUNNING, threads=(THREADS[0], Thread(id=1, name="t", cpu=3)))
    unmet = [finding for finding in verify(asked[0], running, asked[1]) if not finding.is_met]
    assert [(finding.what, finding.asked, finding.found) for finding in unmet] == [("workers on CPUs", "1-2", "3")]


def test_a_kernel_that_isolates_nothing_differs(asked: tuple[Settings, Host]) -> None:
    host = replace(asked[1], cpus=tuple(replace(cpu, is_isolated=False) for cpu in asked[1].cpus))
    unmet = [finding for finding in verify(asked[0], RUNNING, host) if not finding.is_met]
    assert [(finding.what, finding.found) for finding in unmet] == [("isolated CPUs", "none")]


def test_texts_that_say_nothing_are_differences_and_no_crash(asked: tuple[Settings, Host]) -> None:
    running = RunningVpp(version="26.10", threads=(), shown=dict.fromkeys(shown.COMMANDS, "unknown input"))
    findings = verify(asked[0], running, asked[1])
    assert {finding.what for finding in findings if finding.is_met} == {"isolated CPUs"}


def test_a_number_that_vpp_cuts_to_six_digits_is_whole() -> None:
    text = "default-numa-0         0     0   2496     2048   105000 1000000   500   49500  "
    assert shown.buffer_pools(text) == {0: (2048, 1_050_000)}


def test_colours_do_not_disturb() -> None:
    assert shown.plugin_names("\x1b[33m  1. ping_plugin.so   26.10  Ping\x1b[0m") == {"ping"}


@pytest.mark.parametrize(
    ("name", "queues", "unmet"),
    [("GigabitEthernet1/0/0", 2, []), ("GigabitEthernet1/0/0", 3, ["3, not 2"]), ("ige0/0", 2, ["ige0/0, not none"])],
)
def test_a_port_of_vpps_own_driver_is_there_with_its_queues(
    asked: tuple[Settings, Host], name: str, queues: int, unmet: list[str]
) -> None:
    settings, host = asked
    device = replace(settings.devices[0], driver="ige", name=name, rx_queues=queues, workers=None)
    found = verify(replace(settings, devices=(device,)), RUNNING, host)
    about = [value for value in found if value.what.startswith(device.address)]
    assert [f"{value.asked}, not {value.found}" for value in about if not value.is_met] == unmet
    assert len(about) == 1
