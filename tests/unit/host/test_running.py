"""What changes on a machine while VPP runs, read below a root."""

from pathlib import Path

from tests.hosts.trees import grow_text
from vppcfg.host.running import read_running
from vppcfg.tune.collected import parts_of_host

MACHINE = """\
sys/devices/system/cpu/isolated = 1-3
sys/devices/system/cpu/cpu0/topology/thread_siblings_list = 0,2
sys/devices/system/cpu/cpu2/topology/thread_siblings_list = 0,2
sys/devices/system/cpu/cpu1/topology/thread_siblings_list = 1
sys/devices/system/cpu/cpu1/cpufreq/scaling_governor = powersave
sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq = 800000
sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq = 2400000
sys/devices/system/cpu/cpu1/node1/cpulist = 1
sys/bus/pci/devices/0000:01:00.0/current_link_speed = 2.5 GT/s PCIe
sys/bus/pci/devices/0000:01:00.0/current_link_width = 1
sys/bus/pci/devices/0000:01:00.0/max_link_speed = 8.0 GT/s PCIe
sys/bus/pci/devices/0000:01:00.0/max_link_width = 4
sys/bus/pci/devices/0000:02:00.0/current_link_speed = Unknown
proc/77/task/78/comm = vpp_wk_0
proc/77/task/78/status:
    Name:	vpp_wk_0
    nonvoluntary_ctxt_switches:	41
"""


def test_facts_of_a_machine_come_with_their_cpus(tmp_path: Path) -> None:
    document = read_running(str(grow_text(MACHINE, tmp_path)), 77)
    host = parts_of_host(document)["host"]
    assert host.isolated == frozenset({1, 2, 3})
    assert sorted(map(sorted, host.siblings)) == [[0, 2], [1]]
    assert host.sockets == ((1, 1),)
    assert host.governors == ((1, "powersave"),)
    assert host.frequencies_khz == ((1, 800_000, 2_400_000),)
    assert host.pci_links == (("0000:01:00.0", 2.5, 1, 8.0, 4),)
    assert host.preemptions == (("vpp_wk_0", 41),)


def test_a_machine_that_tells_nothing_is_unknown(tmp_path: Path) -> None:
    assert parts_of_host(read_running(str(tmp_path), None)) == {}
