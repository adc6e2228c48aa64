"""Computes the kernel's command line and its sysctls; the ledger notes the reason for each value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.common.numbers import cpu_text, size_text
from vppcfg.model.dataplane import KernelLevel, KernelSection
from vppcfg.model.host import Host
from vppcfg.startup.settings import Device, Ledger, LinuxCp, Memory, Placement, ValueOrigin

LINUX_MAX_MAP_COUNT = 65530
"""Linux's default (include/linux/mm.h)."""


def kernel_parameters(
    section: KernelSection,
    host: Host,
    placement: Placement,
    memory: Memory,
    devices: Sequence[Device],
    ledger: Ledger,
) -> tuple[str, ...]:
    """Return the parameters in the order in which they are written."""
    ledger.given("kernel.level", section.level.value, "nothing that costs power or safety")
    return (
        *_isolation(placement),
        *_hugepages(memory),
        *(_iommu(host) if devices else ()),
        *_quiet(host),
        *(_latency(host) if section.level is KernelLevel.LATENCY else ()),
    )


def sysctls(
    host: Host, placement: Placement, memory: Memory, linux_cp: LinuxCp | None, ledger: Ledger
) -> dict[str, str]:
    """Return the settings by name."""
    settings: dict[str, str] = {}

    def add(name: str, value: object, reason: str) -> None:
        settings[name] = str(value)
        ledger.add(name, value, ValueOrigin.FORMULA, reason)

    maps = max(LINUX_MAX_MAP_COUNT, 2 * memory.hugepages_total + 1024)
    add("vm.nr_hugepages", memory.hugepages_total, "what `kernel.hugepages` is on all nodes together")
    add("vm.max_map_count", maps, f"max({LINUX_MAX_MAP_COUNT}, 2 x hugepages + 1024)")
    if placement.isolated:
        add("vm.stat_interval", 10, "seconds between wake-ups of isolated CPUs for statistics")
        add("kernel.timer_migration", 0, "timers of other CPUs stay away from isolated ones")
    if host.has_numa:
        add("kernel.numa_balancing", 0, "Linux moves no pages of VPP between nodes")
    if linux_cp is not None:
        add("net.core.rmem_max", linux_cp.netlink_buffer_bytes, "as large as `linux-cp.netlink-buffer`, which it caps")
    return settings


def _isolation(placement: Placement) -> Iterator[str]:
    if placement.isolated:
        cpus = cpu_text(placement.isolated)
        yield f"isolcpus=domain,managed_irq,{cpus}"
        yield f"nohz_full={cpus}"
        yield f"rcu_nocbs={cpus}"
        yield f"irqaffinity={cpu_text(placement.housekeeping)}"


def _hugepages(memory: Memory) -> Iterator[str]:
    """Yield the reservation; per node when the nodes differ, which kernels from 5.15 understand."""
    if not memory.hugepages_total:
        return
    size = size_text(memory.hugepage_bytes)
    yield f"default_hugepagesz={size}"
    yield f"hugepagesz={size}"
    if len(set(memory.hugepages.values())) == 1:
        yield f"hugepages={memory.hugepages_total}"
    else:
        yield "hugepages=" + ",".join(f"{node}:{pages}" for node, pages in memory.hugepages.items())


def _iommu(host: Host) -> Iterator[str]:
    """Yield what vfio-pci needs, with the devices that Linux keeps going past the IOMMU."""
    if host.architecture == "x86_64":
        yield "amd_iommu=on" if "AMD" in host.model else "intel_iommu=on"
    yield "iommu.passthrough=1" if host.architecture == "aarch64" else "iommu=pt"


def _quiet(host: Host) -> Iterator[str]:
    yield "nosoftlockup"
    yield "skew_tick=1"
    yield "transparent_hugepage=never"
    if host.architecture == "x86_64":
        yield "nmi_watchdog=0"
        yield "tsc=reliable"


def _latency(host: Host) -> Iterator[str]:
    yield "audit=0"
    yield "numa_balancing=disable"
    if host.architecture == "x86_64":
        yield "processor.max_cstate=1"
        yield "hpet=disable"
        if "AMD" not in host.model:
            yield "intel_idle.max_cstate=1"
            yield "intel_pstate=disable"
