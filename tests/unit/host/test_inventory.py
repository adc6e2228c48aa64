"""Reading a machine: every fact of a good one, and what becomes of files that lie, are missing or cannot be read."""

import json
from pathlib import Path

import pytest

from tests.hosts.trees import MACHINES, grow, grow_text
from vppcfg.common.numbers import GIB, KIB, MIB
from vppcfg.host.files import Files
from vppcfg.host.inventory import read_host
from vppcfg.host.nic import max_queues
from vppcfg.model.host import Host, PcieLink, host_document, host_of


def machine(name: str, tmp_path: Path, more: str = "") -> Host:
    root = grow(name, tmp_path)
    grow_text(more, root)
    return read_host(str(root))


def test_the_fitlet_is_read_completely(tmp_path: Path) -> None:
    host = machine("fitlet2", tmp_path)
    assert (host.architecture, host.base_hz) == ("x86_64", 1_590_000_000)
    assert [cpu.id for cpu in host.usable_cpus if cpu.is_isolated] == [1, 2, 3]
    assert not host.has_level_3_cache
    assert host.last_level_cache_bytes == MIB
    assert host.memory_bytes == 7953512 * KIB
    assert host.default_hugepage_bytes == 2 * MIB
    assert [pool.page_bytes for pool in host.nodes[0].hugepages] == [2 * MIB, GIB]
    assert host.groups == ("root", "vpp")
    assert host.group_ids == (0, 998)
    assert host.notes == ()
    i211, kept, i210 = host.nics
    assert (i211.kind, i211.driver, i211.linux_names, i211.speed_mbps) == ("8086:1539", "igb", ("enp1s0",), 1000)
    assert i211.node is None
    assert (i211.link, i211.slot_max) == (PcieLink(speed_gts=2.5, width=1), PcieLink(speed_gts=5.0, width=1))
    assert (kept.is_admin_up, i210.is_admin_up) == (True, False)


def test_threads_of_a_core_are_siblings(tmp_path: Path) -> None:
    host = machine("xeon_d", tmp_path)
    assert [[cpu.id for cpu in core] for core in host.cores] == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert host.base_hz == 2_200_000_000
    assert host.has_level_3_cache


def test_a_machine_without_numa_is_one_node(tmp_path: Path) -> None:
    host = machine("virtual_machine", tmp_path)
    assert not host.has_numa
    assert [(node.id, node.cpus) for node in host.nodes] == [(0, (0, 1, 2, 3))]
    assert host.nics[0].linux_names == ("eth0",)


def test_a_container_sees_cpus_that_it_may_not_use(tmp_path: Path) -> None:
    host = machine("container", tmp_path)
    assert [cpu.id for cpu in host.usable_cpus] == [4, 5, 6, 7]
    assert len(host.cpus) == 16


@pytest.mark.parametrize(("limits", "usable"), [(None, 4), ("0-3", 4), ("0", 1)])
def test_isolated_cpus_are_those_of_whoever_asks_for_them(limits: str | None, usable: int, tmp_path: Path) -> None:
    grow("fitlet2", tmp_path)
    (tmp_path / "proc/self/status").write_text("Cpus_allowed_list:\t0\n")  # as with isolcpus=1-3
    if limits is not None:
        (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
        (tmp_path / "sys/fs/cgroup/cpuset.cpus.effective").write_text(f"{limits}\n")
    assert len(read_host(str(tmp_path)).usable_cpus) == usable


@pytest.mark.parametrize("name", MACHINES)
def test_an_inventory_is_read_back_as_it_was(name: str, tmp_path: Path) -> None:
    host = machine(name, tmp_path)
    assert host_of(json.loads(json.dumps(host_document(host)))) == host


def test_this_machine_can_be_read() -> None:
    host = read_host("/")
    assert host.usable_cpus
    assert host.memory_bytes > 0
    assert host_of(json.loads(json.dumps(host_document(host)))) == host


def test_offline_cpus_are_listed_as_such(tmp_path: Path) -> None:
    host = machine("fitlet2", tmp_path, "sys/devices/system/cpu/online = 0-1")
    assert [cpu.id for cpu in host.usable_cpus] == [0, 1]


LIES = [
    ("sys/devices/pci0000:00/0000:00:13.0/0000:01:00.0/numa_node = -7", "claims to be on NUMA node -7"),
    ("sys/devices/pci0000:00/0000:00:13.0/0000:01:00.0/numa_node = 3", "NUMA node 3, which does not exist"),
    ("sys/devices/pci0000:00/0000:00:13.0/0000:01:00.0/vendor = ", "vendor holds '', which is not a number"),
    ("sys/devices/system/cpu/online = zero", "'zero' is no list of CPUs"),
    ("sys/devices/system/cpu/isolated = 5-1", "'5-1' is no list of CPUs"),
    ("sys/devices/system/cpu/present = 0-99999", "'0-99999' is no list of CPUs"),
    ("sys/devices/system/cpu/cpu0/cache/index2/size = huge", "'huge' is no size"),
    ("sys/devices/system/cpu/cpu0/topology/core_id = x", "core_id holds 'x', which is not a number"),
    ("sys/devices/system/node/node0/cpulist = 0-2", "CPU 3 is on no NUMA node"),
]


@pytest.mark.parametrize(("file", "note"), LIES)
def test_what_makes_no_sense_is_noted_and_left_out(file: str, note: str, tmp_path: Path) -> None:
    host = machine("fitlet2", tmp_path, file)
    assert any(note in one for one in host.notes)
    assert host.usable_cpus
    assert all(nic.node is None or nic.node >= 0 for nic in host.nics)


def test_a_device_that_vanishes_is_noted(tmp_path: Path) -> None:
    root = grow("fitlet2", tmp_path)
    (root / "sys/devices/pci0000:00/0000:00:13.0/0000:01:00.0/device").unlink()
    host = read_host(str(root))
    assert [nic.address for nic in host.nics] == ["0000:02:00.0", "0000:03:00.0"]
    assert "the network device 0000:01:00.0 vanished while it was read" in host.notes


def test_a_device_whose_directory_is_gone_is_left_out(tmp_path: Path) -> None:
    root = grow("fitlet2", tmp_path)
    (root / "sys/bus/pci/devices/0000:09:00.0").symlink_to("../../../devices/pci0000:00/gone")
    assert len(read_host(str(root)).nics) == 3


def test_what_cannot_be_read_is_noted(tmp_path: Path) -> None:
    root = grow("fitlet2", tmp_path)
    isolated = root / "sys/devices/system/cpu/isolated"
    isolated.unlink()
    isolated.mkdir()
    host = read_host(str(root))
    assert host.notes == ("/sys/devices/system/cpu/isolated cannot be read: Is a directory",)


def test_binary_rubbish_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    files = Files(str(tmp_path))
    assert files.number("x") is None
    assert len(files.notes) == 1


def test_an_empty_tree_has_no_machine(tmp_path: Path) -> None:
    host = read_host(str(tmp_path))
    assert (host.cpus, host.nics) == ((), ())
    assert "the machine reports nothing about its CPUs" in host.notes


def test_what_the_driver_says_of_queues_is_kept(tmp_path: Path) -> None:
    root = grow("fitlet2", tmp_path)
    host = read_host(str(root), lambda name: (4, 2) if name == "enp3s0" else None)
    assert [(nic.rx_queues_max, nic.tx_queues_max) for nic in host.nics] == [(None, None), (None, None), (4, 2)]


def test_an_interface_that_is_not_there_tells_nothing_of_queues() -> None:
    assert max_queues("nosuchinterface0") is None


GOOD = {"format_version": 1, "cpus": [{"id": 0}]}


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ([], "no inventory"),
        ({}, "no inventory"),
        ({"format_version": 2}, "format_version 2 cannot be read"),
        ({"format_version": 1}, "no CPU of this inventory"),
        ({**GOOD, "cpuz": []}, "cpuz is unknown"),
        ({**GOOD, "cpus": {}}, "cpus is not a list"),
        ({**GOOD, "cpus": [{"id": "0"}]}, "cpus[0].id is '0', which is no int"),
        ({**GOOD, "cpus": [{"id": True}]}, "cpus[0].id is True, which is no int"),
        ({**GOOD, "cpus": [{}]}, "cpus[0] lacks an attribute"),
        ({**GOOD, "cpus": [7]}, "cpus[0] is not an object"),
        ({**GOOD, "cpus": [{"id": 0}, {"id": 0}]}, "cpus has an entry twice"),
        ({**GOOD, "cpus": [{"id": 0, "node": -1}]}, "negative"),
        ({**GOOD, "cpus": [{"id": 0, "is_online": False}]}, "no CPU of this inventory"),
        ({**GOOD, "base_hz": "fast"}, "base_hz is 'fast', which is no int"),
        ({**GOOD, "nics": [{"address": "0000:01:00.0", "vendor": 1, "device": 2}] * 2}, "nics has an entry twice"),
    ],
)
def test_an_inventory_that_lies_is_refused(document: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint.replace("[", r"\[").replace("]", r"\]")):
        host_of(document)


def test_an_inventory_without_optional_attributes_is_one() -> None:
    assert host_of({**GOOD, "base_hz": None}).usable_cpus[0].id == 0
