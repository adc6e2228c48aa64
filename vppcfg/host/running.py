"""Reads facts of a machine that change while VPP runs: clocks of CPUs, links of PCI devices, preemptions of threads.

The files are read below a root, which may be another machine's copy; the result is plain data for a capture.
"""

from __future__ import annotations

from typing import Any

from vppcfg.host.files import Files
from vppcfg.host.nic import read_link

_CPUS = "sys/devices/system/cpu"
_PCI = "sys/bus/pci/devices"


def read_running(root: str, pid: int | None) -> dict[str, Any]:
    """Return the facts as a document; `pid` is VPP's process, None when it is not on this machine."""
    files = Files(root)
    cpus = [name for name in files.names(_CPUS) if name.removeprefix("cpu").isdecimal()]
    document: dict[str, Any] = {"format_version": 1, "isolated": files.text(f"{_CPUS}/isolated")}
    document["siblings"] = sorted(
        {found for cpu in cpus if (found := files.text(f"{_CPUS}/{cpu}/topology/thread_siblings_list"))}
    )
    document["sockets"] = {cpu[3:]: node for cpu in cpus if (node := _node(files, cpu)) is not None}
    document["governors"] = {
        cpu[3:]: name for cpu in cpus if (name := files.text(f"{_CPUS}/{cpu}/cpufreq/scaling_governor"))
    }
    document["frequencies_khz"] = {cpu[3:]: clocks for cpu in cpus if (clocks := _clocks(files, cpu))}
    document["pci_links"] = {address: link for address in files.names(_PCI) if (link := _link(files, address))}
    document["preemptions"] = _preemptions(files, pid) if pid is not None else {}
    return document


def _node(files: Files, cpu: str) -> int | None:
    nodes = [name for name in files.names(f"{_CPUS}/{cpu}") if name.startswith("node") and name[4:].isdecimal()]
    return int(nodes[0][4:]) if nodes else None


def _clocks(files: Files, cpu: str) -> list[int] | None:
    """Return present and largest frequency of a CPU in kHz."""
    now = files.number(f"{_CPUS}/{cpu}/cpufreq/scaling_cur_freq")
    most = files.number(f"{_CPUS}/{cpu}/cpufreq/cpuinfo_max_freq")
    return [now, most] if now and most else None


def _link(files: Files, address: str) -> list[float] | None:
    """Return speed in GT/s and lanes of a PCI device's link, as it is and as it could be."""
    now, most = (read_link(files, f"{_PCI}/{address}", which) for which in ("current", "max"))
    return [now.speed_gts, now.width, most.speed_gts, most.width] if now and most else None


def _preemptions(files: Files, pid: int) -> dict[str, int]:
    """Return how often each thread of VPP was taken off its CPU against its will, by name."""
    counts = {}
    for thread in files.names(f"proc/{pid}/task"):
        name = files.text(f"proc/{pid}/task/{thread}/comm")
        status = dict(files.lines(f"proc/{pid}/task/{thread}/status"))
        switches = status.get("nonvoluntary_ctxt_switches", "")
        if name and switches.isdecimal():
            counts[name] = int(switches)
    return counts
