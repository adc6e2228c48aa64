"""What is computed when the file leaves it open: on whole machines, release by release, and at the edges."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hosts.trees import MACHINES, host_named
from vppcfg.common.release import Release
from vppcfg.config.load import parse_text
from vppcfg.config.plugins import needed_plugins
from vppcfg.model.host import Cpu, Host, HugepagePool, Nic, NumaNode
from vppcfg.startup.checks import check
from vppcfg.startup.checks.case import Case
from vppcfg.startup.derive import derive
from vppcfg.startup.derive.memory import buffer_bytes, pages_for
from vppcfg.startup.file_difference import meaning
from vppcfg.startup.files import STARTUP_CONF, conf_of, render
from vppcfg.startup.limits import limits_of
from vppcfg.startup.running import devices, measured_limits
from vppcfg.startup.settings import Settings

RELEASES = [Release(year, month) for year in (23, 24, 25, 26) for month in (2, 6, 10) if (year, month) >= (23, 6)]


def flat(cpus: int, *, speed_mbps: int = 1000, memory_bytes: int = 8 << 30) -> Host:
    """Return a machine of `cpus` single cores and one network device."""
    return Host(
        cpus=tuple(Cpu(id=number, core=number, siblings=(number,)) for number in range(cpus)),
        nodes=(NumaNode(id=0, memory_bytes=memory_bytes, hugepages=(HugepagePool(page_bytes=2 << 20),)),),
        default_hugepage_bytes=2 << 20,
        nics=(Nic(address="0000:01:00.0", vendor=0x8086, device=0x1563, speed_mbps=speed_mbps),),
    )


def made(
    host: Host, section: str = "{}", interfaces: str = "{ GigabitEthernet1/0/0: {} }"
) -> tuple[Settings, list[str]]:
    """Return settings and the rules that are broken."""
    loaded = parse_text(f"interfaces: {interfaces}\ndataplane: {section}\n", "test")
    assert loaded.configuration is not None, loaded.problems
    settings = derive(loaded.configuration, host, Release(26, 10))
    problems = check(Case(configuration=loaded.configuration, host=host, settings=settings))
    return settings, sorted(problem.rule for problem in problems)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_word_is_one_that_the_release_knows(machine: str) -> None:
    host = host_named(machine)
    text = (
        "interfaces: { xe0: { device-type: dpdk, lcp: e0 } }\n"
        "dataplane:\n"
        "  memory: { routes: 2000000 }\n"
        "  unix: { exec: /etc/vpp/more.vpp, poll-sleep-usec: 10, gid: root }\n"
        "  linux-cp: { netns: dataplane, auto-subint: true }\n"
        "  dpdk:\n"
        "    multi-seg: false\n"
        "    tx-checksum-offload: false\n"
        f'    devices: {{ "{host.nics[-1].address}": {{ name: xe0, tx-queues: 1, workers: [ 0 ] }} }}\n'
    )
    configuration = parse_text(text, "test").configuration
    assert configuration is not None
    for release in RELEASES:
        settings = derive(configuration, host, release)
        values = meaning(conf_of(render(settings)[STARTUP_CONF], settings))
        assert values["unix", "exec"] == "/etc/vpp/more.vpp", release
        assert ("dpdk", "no-multi-seg") in values, release
        assert any(place[:2] == ("buffers", "numa") for place in values) <= (release >= Release(24, 10)), release
        assert (("plugins", "plugin", "tap_plugin.so", "enable") in values) == (release >= Release(26, 2)), release


def test_linux_cp_of_which_nothing_is_said_has_nothing_in_its_braces() -> None:
    settings, _ = made(flat(4), "{ linux-cp: { sync: false } }", "{ GigabitEthernet1/0/0: { lcp: e0 } }")
    text = render(settings)[STARTUP_CONF]
    conf_of(text, settings)  # raises when VPP would stop
    assert "\nlinux-cp {}\n" in text


@pytest.mark.parametrize(("cpus", "main_core", "workers"), [(1, 0, ()), (2, 0, (1,)), (3, 1, (2,)), (4, 1, (2,))])
def test_small_machines_keep_cpu_0_for_linux_as_far_as_they_can(
    cpus: int, main_core: int, workers: tuple[int, ...]
) -> None:
    settings, rules = made(flat(cpus))
    assert (settings.placement.main_core, settings.placement.workers) == (main_core, workers)
    assert ("cpu-zero" in rules) == (main_core == 0)


def test_workers_follow_line_rate_and_frequency() -> None:
    assert made(flat(32, speed_mbps=1000))[0].placement.workers == (2,)
    assert len(made(flat(32, speed_mbps=10_000))[0].placement.workers) == 5
    assert len(made(flat(32, speed_mbps=100_000))[0].placement.workers) == 30


@settings(deadline=None)
@given(
    cpus=st.integers(1, 24),
    workers=st.one_of(st.integers(0, 30), st.just("auto")),
    threads=st.sampled_from([1, 2]),
    use=st.sampled_from(["use", "avoid"]),
)
def test_placements_are_sound_or_refused(cpus: int, workers: int | str, threads: int, use: str) -> None:
    """No CPU has two tasks, all exist, and a worker shares no core unless that is wanted."""
    total = cpus * threads
    host = Host(
        cpus=tuple(
            Cpu(id=n, core=n % cpus, siblings=tuple(range(n % cpus, total, cpus)) if threads == 2 else (n,))
            for n in range(total)
        ),
        nodes=(NumaNode(id=0, memory_bytes=64 << 30, hugepages=(HugepagePool(page_bytes=2 << 20),)),),
        default_hugepage_bytes=2 << 20,
    )
    settings, rules = made(host, f"{{ cpu: {{ workers: {workers}, smt: {use} }} }}", "{}")
    placement = settings.placement
    taken = [placement.main_core, *placement.workers]
    assert len(set(taken)) == len(taken)
    assert set(taken) <= set(range(total))
    assert ("cpu-too-few" in rules) == (isinstance(workers, int) and len(placement.workers) < workers)
    assert 0 not in placement.workers
    assert "cpu-siblings" not in rules
    assert set(placement.workers) <= set(placement.isolated)
    assert set(placement.isolated).isdisjoint(placement.housekeeping)
    assert "isolate-boot-cpu" not in rules


@pytest.mark.parametrize(("cpus", "broken"), [(1, True), (2, False)])
def test_a_main_thread_that_forwards_must_not_sleep(cpus: int, broken: bool) -> None:
    rules = made(flat(cpus), "{ unix: { poll-sleep-usec: 100 } }")[1]
    assert ("poll-sleep-workers" in rules) == broken


def test_a_worker_that_the_machine_has_no_cpu_for_serves_no_queue() -> None:
    section = '{ dpdk: { devices: { "0000:01:00.0": { workers: [ 0, 1 ] } } } }'
    assert "queue-workers" in made(flat(3), section)[1]


@pytest.mark.parametrize(
    ("buffers", "pages", "total"), [(16384, 20, 16800), (128000, 153, 128520), (215040, 256, 215040)]
)
def test_pools_fill_their_last_page(buffers: int, pages: int, total: int) -> None:
    per_page = (2 << 20) // buffer_bytes(2048, has_dpdk=True)
    assert pages_for(buffers, per_page) == pages
    assert pages * per_page == total


def test_a_buffer_is_an_odd_number_of_cache_lines() -> None:
    assert buffer_bytes(2048, has_dpdk=True) == 2496
    assert buffer_bytes(2048, has_dpdk=False) == 2368
    assert all(buffer_bytes(size, has_dpdk=True) % 128 == 64 for size in range(1024, 9000, 100))


@pytest.mark.parametrize(
    ("routes", "heap", "statseg"), [(0, "1G", "64M"), (1_156_000, "1664M", "256M"), (4_000_000, "4480M", "768M")]
)
def test_heap_and_statistics_follow_the_routes(routes: int, heap: str, statseg: str) -> None:
    settings, _ = made(flat(4, memory_bytes=64 << 30), f"{{ memory: {{ routes: {routes} }} }}")
    values = meaning(conf_of(render(settings)[STARTUP_CONF], settings))
    assert (values["memory", "main-heap-size"], values["statseg", "size"]) == (heap, statseg)
    assert (("memory", "main-heap-page-size") in values) == (routes > 500_000)


def test_a_listed_dpdk_without_devices_takes_no_device() -> None:
    settings, _ = made(flat(4), "{ plugins: [ dpdk ], dpdk: { devices: {} } }", "{}")
    assert ("dpdk", "no-pci") in meaning(conf_of(render(settings)[STARTUP_CONF], settings))


def test_a_plugin_that_only_newer_releases_have_is_missed_there() -> None:
    section = "{ plugins: [ linux_cp ], cpu: { workers: 1 } }"
    assert "plugin-missing" in made(flat(4), section, "{ e0: { device-type: virtio, lcp: e0 } }")[1]


def test_the_keys_that_own_bring_their_plugins_and_those_that_these_need() -> None:
    text = """
interfaces:
  eth0:
    addresses: [ 192.0.2.1/24 ]
    vrrp: { 10: { addresses: [ 192.0.2.9 ] } }
    l3xc: { ipv4: { interface: eth1, gateway: 198.51.100.2 } }
    policy-routes: [ { acl: a, via: 198.51.100.2 } ]
  eth1: { lcp: e1, addresses: [ 198.51.100.1/24 ], police: fast }
acls: { a: { terms: [ { action: permit } ] } }
policers: { fast: { rate: 10M } }
dhcp-relay: { ipv4: { servers: [ 198.51.100.7 ], source: 198.51.100.1 } }
lcp-osi: [ isis ]
"""
    configuration = parse_text(text, "test").configuration
    assert configuration is not None
    expected = {"abf", "acl", "dhcp", "l3xc", "linux_cp", "linux_nl", "ping", "vrrp"}
    later = {"osi", "policer", "ppp", "tap"}
    assert {need.plugin for need, _ in needed_plugins(configuration, Release(25, 10))} == expected
    assert {need.plugin for need, _ in needed_plugins(configuration, Release(26, 6))} == expected | later


def test_rings_grew_with_dpdk() -> None:
    nic = Nic(address="0000:01:00.0", vendor=0x8086, device=0x1572)
    older, newer = limits_of(nic, Release(24, 2)), limits_of(nic, Release(25, 6))
    assert older is not None and newer is not None
    assert (older.rx_descriptors, newer.rx_descriptors) == ((64, 4096), (64, 8160))


def test_nothing_is_known_of_an_unknown_device() -> None:
    assert limits_of(Nic(address="0000:01:00.0", vendor=0x1234, device=0x5678), Release(26, 2)) is None


@pytest.mark.parametrize(
    ("vendor", "device", "driver", "rules"),
    [
        (0x10EC, 0x8168, "r8169", ["device-in-use"]),
        (0x10EC, 0x8168, None, ["device-in-use"]),
        (0x10EC, 0x8168, "vfio-pci", []),
        (0x8086, 0x1563, "ixgbe", []),
        (0x15B3, 0x1017, "mlx5_core", []),
    ],
)
def test_a_device_that_vpp_leaves_to_linux_is_told_of(
    vendor: int, device: int, driver: str | None, rules: list[str]
) -> None:
    nic = replace(flat(3).nics[0], vendor=vendor, device=device, driver=driver)
    found = made(replace(flat(3), nics=(nic,)), "{ cpu: { workers: 1 } }")[1]
    assert [rule for rule in found if rule.startswith("device")] == rules


@pytest.mark.parametrize(
    ("kernel", "hugepages", "is_by_node"),
    [
        ("6.1.0-18-amd64", "auto", True),
        ("5.16.0", "auto", True),
        ("5.15.0-91-generic", "auto", False),  # it reads 0 from what newer ones understand
        ("5.10.0-28-amd64", "501", False),
        ("", "auto", True),
    ],
)
def test_an_older_kernel_gets_one_number_of_hugepages(kernel: str, hugepages: str, is_by_node: bool) -> None:
    host = replace(host_named("two_sockets"), kernel_release=kernel)
    settings = made(host, f"{{ kernel: {{ hugepages: {hugepages} }} }}", "{ HundredGigabitEthernetaf/0/0: {} }")[0]
    (words,) = (each for each in settings.kernel_parameters if each.startswith("hugepages="))
    total = settings.memory.hugepages_total
    assert words == ("hugepages=0:70,1:115" if is_by_node else f"hugepages={total}")
    assert settings.sysctls["vm.nr_hugepages"] == str(total)
    assert is_by_node or total >= (501 if hugepages == "501" else 2 * 115)


def test_an_older_kernel_is_told_nothing_of_interrupts_that_it_does_not_know() -> None:
    for kernel, flags in (("5.6.0", "domain,managed_irq,"), ("5.4.0-190-generic", ""), ("", "domain,managed_irq,")):
        settings = made(replace(flat(4), kernel_release=kernel), "{ cpu: { workers: 2 } }")[0]
        assert f"isolcpus={flags}2-3" in settings.kernel_parameters


def test_devices_that_nobody_drives_are_told_of() -> None:
    assert made(flat(3), "{ plugins: [ ping ], cpu: { workers: 1 } }")[1] == ["plugin-missing"]
    assert made(flat(3), "{ plugins: [ dpdk ], cpu: { workers: 1 } }")[1] == []
    other = "{ GigabitEthernet1/0/0: { device-type: rdma } }"
    assert made(flat(3), "{ plugins: [ rdma ], cpu: { workers: 1 } }", other)[1] == []


def test_the_driver_in_linux_tells_what_the_table_does_not() -> None:
    nic = Nic(address="0000:01:00.0", vendor=0x15B3, device=0x1017, rx_queues_max=63, tx_queues_max=63)
    limits = limits_of(nic, Release(26, 2))
    assert limits is not None
    assert limits.rx_queues == 63


HARDWARE = """\
              Name                Idx   Link  Hardware
GigabitEthernet1/0/0               1     up   GigabitEthernet1/0/0
  Link speed: 1 Gbps
  Ethernet address 00:01:c0:2a:6d:d1
  Intel e1000
    carrier up full duplex max-frame-size 2048
    rx: queues 2 (max 2), desc 512 (min 32 max 4096 align 8)
    tx: queues 2 (max 2), desc 1024 (min 32 max 2048 align 8)
    pci: device 8086:1539 subsystem 8086:0000 address 0000:01:00.00 numa 0
local0                             0    down  local0
  Link speed: unknown
"""


def test_what_a_running_vpp_shows_goes_before_the_table() -> None:
    measured = measured_limits(devices(HARDWARE))
    configuration = parse_text("interfaces: { GigabitEthernet1/0/0: {} }", "test").configuration
    assert configuration is not None
    settings = derive(configuration, flat(4), Release(26, 10), measured)
    limits = settings.devices[0].limits
    assert limits is not None
    assert (limits.rx_queues, limits.tx_descriptors) == (2, (32, 2048))
