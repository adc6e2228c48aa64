"""Computes Settings from the section `dataplane` and a machine; every value comes with its reason.

Nothing is judged here: the checks find contradictions in the values that come out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from vppcfg.common.numbers import cpu_text, numbered, size_text
from vppcfg.common.release import Release
from vppcfg.config.plugins import needed_plugins
from vppcfg.entries.configuration import Configuration
from vppcfg.model.dataplane import FRAME_OVERHEAD_BYTES, CpuSection, DataplaneSection, KernelLevel, KernelSection
from vppcfg.model.host import Cpu, Host, Nic
from vppcfg.record import record
from vppcfg.startup.derive.devices import default_descriptors, devices_of, nics_of, set_up_queues
from vppcfg.startup.derive.memory import reserves_by_node, size_memory
from vppcfg.startup.limits import NicLimits, limits_of
from vppcfg.startup.settings import Device, Ledger, LinuxCp, Memory, Placement, Settings, ValueOrigin

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
        *_isolation(placement, host),
        *_hugepages(memory, host),
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


def _isolation(placement: Placement, host: Host) -> Iterator[str]:
    """Yield what keeps other work off CPUs; Linux before 5.6 knows no managed_irq, and isolates none then."""
    if placement.isolated:
        cpus = cpu_text(placement.isolated)
        yield f"isolcpus={'domain,managed_irq,' if host.has_kernel(5, 6) else ''}{cpus}"
        yield f"nohz_full={cpus}"
        yield f"rcu_nocbs={cpus}"
        yield f"irqaffinity={cpu_text(placement.housekeeping)}"


def _hugepages(memory: Memory, host: Host) -> Iterator[str]:
    """Yield the reservation; per node when the nodes differ and the kernel understands that."""
    if not memory.hugepages_total:
        return
    size = size_text(memory.hugepage_bytes)
    yield f"default_hugepagesz={size}"
    yield f"hugepagesz={size}"
    if len(set(memory.hugepages.values())) == 1 or not reserves_by_node(host):
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


CLOCKS_PER_PACKET = 530
"""Of a worker that forwards at layer 2 in vectors of 16 packets, an Atom without a third level of cache."""
LOAD_LIMIT = 0.8
"""How much of what a worker can do it is planned for."""
_WIRE_BITS = (64 + 20) * 8
"""Of the shortest Ethernet frame, with preamble and gap."""
_ASSUMED_HZ = 2_000_000_000
_ASSUMED_MBPS = 1000
BOOT_CPU = 0

Core = tuple[Cpu, ...]


@record
class _CpuPool:
    """The physical cores that VPP may have, the best first, without the one that Linux boots on."""

    cores: tuple[Core, ...]
    boot: Core | None
    home: int
    """The NUMA node of most network devices."""


def place(section: CpuSection, host: Host, nics: Sequence[Nic], ledger: Ledger) -> Placement:
    """Return the CPUs of the main thread and the workers, and those that are isolated or left to Linux."""
    pool = _pool(host, nics)
    main_core = _main_core(section, pool, host, ledger)
    workers, required = _workers(section, pool, host, nics, main_core, ledger)
    isolated = _isolated(section, host, workers, ledger)
    return Placement(
        main_core=main_core,
        workers=workers,
        wanted_workers=required,
        isolated=isolated,
        housekeeping=tuple(cpu.id for cpu in host.cpus if cpu.is_online and cpu.id not in isolated),
    )


def _pool(host: Host, nics: Sequence[Nic]) -> _CpuPool:
    nodes = [host.node_of(nic) for nic in nics]
    home = max(sorted(set(nodes)), key=nodes.count, default=host.cores[0][0].node)
    boot = next((core for core in host.cores if any(cpu.id == BOOT_CPU for cpu in core)), None)
    free = [core for core in host.cores if core is not boot]
    return _CpuPool(cores=tuple(sorted(free, key=lambda core: core[0].node != home)), boot=boot, home=home)


def _main_core(section: CpuSection, pool: _CpuPool, host: Host, ledger: Ledger) -> int:
    if section.main_core is not None:
        ledger.add("cpu.main-core", section.main_core, ValueOrigin.FILE, "set in the file")
        return section.main_core
    listed = section.workers if isinstance(section.workers, tuple) else ()
    free = [core for core in pool.cores if not any(cpu.id in listed for cpu in core)]
    workers = 0 if listed else 1 if section.workers is None else section.workers
    if isinstance(workers, int) and (len(free) > workers or (pool.boot is None and free)):
        reason = f"the first free core on node {free[0][0].node}; CPU 0 and its core are left to Linux"
        ledger.add("cpu.main-core", free[0][0].id, ValueOrigin.HOST, reason)
        return free[0][0].id
    shared = (pool.boot or host.cores[0])[0].id
    reason = f"{numbered(len(host.cores), 'core')} leave none to itself, so it shares CPU {shared} with Linux"
    ledger.add("cpu.main-core", shared, ValueOrigin.HOST, reason)
    return shared


def _workers(
    section: CpuSection, pool: _CpuPool, host: Host, nics: Sequence[Nic], main_core: int, ledger: Ledger
) -> tuple[tuple[int, ...], int]:
    """Return the CPUs of the workers, and how many workers were asked for."""
    if isinstance(section.workers, tuple):
        ledger.add("cpu.workers", cpu_text(section.workers), ValueOrigin.FILE, "the file names these CPUs")
        return section.workers, len(section.workers)
    candidates = _candidates(pool, main_core, uses_siblings=section.uses_siblings)
    if section.workers is not None:
        required, origin, reason = (
            section.workers,
            ValueOrigin.FILE,
            f"{numbered(section.workers, 'worker')}, set in the file",
        )
    else:
        local = sum(cpu.node == pool.home for cpu in candidates)
        required, reason = _needed_workers(host, nics, local or len(candidates))
        origin = ValueOrigin.FORMULA
    cpus = tuple(sorted(cpu.id for cpu in candidates[:required]))
    kind = "one or both threads per core" if section.uses_siblings else "one thread per core"
    reason = f"{reason}; {kind}, without the core of CPU 0 and that of the main thread, node {pool.home} first"
    ledger.add("cpu.workers", cpu_text(cpus) or "none", origin, reason)
    return cpus, required


def _candidates(pool: _CpuPool, main_core: int, *, uses_siblings: bool) -> list[Cpu]:
    """Return the CPUs for workers, the best first: first threads before second ones on each node."""
    cores = [core for core in pool.cores if all(cpu.id != main_core for cpu in core)]
    if not uses_siblings:
        return [core[0] for core in cores]
    ranked = [(cpu.node != pool.home, rank, cpu.id, cpu) for core in cores for rank, cpu in enumerate(core)]
    return [cpu for *_, cpu in sorted(ranked, key=lambda entry: entry[:3])]


def _needed_workers(host: Host, nics: Sequence[Nic], available: int) -> tuple[int, str]:
    frequency = host.base_hz or _ASSUMED_HZ
    line_rate = sum((nic.speed_mbps or _ASSUMED_MBPS) * 1e6 / _WIRE_BITS for nic in nics)
    per_core = frequency / CLOCKS_PER_PACKET
    needed = max(1, math.ceil(line_rate / (LOAD_LIMIT * per_core)))
    formula = (
        f"ceil({line_rate / 1e6:.2f} Mpps line rate / ({LOAD_LIMIT} x {frequency / 1e9:.2f} GHz / "
        f"{CLOCKS_PER_PACKET} clocks)) = {needed}"
    )
    if needed > available:
        return available, f"{formula}, of which the machine has {available}"
    return needed, formula


def _isolated(section: CpuSection, host: Host, workers: tuple[int, ...], ledger: Ledger) -> tuple[int, ...]:
    if isinstance(section.isolate, tuple):
        ledger.add("cpu.isolate", cpu_text(section.isolate), ValueOrigin.FILE, "the file names these CPUs")
        return section.isolate
    if not section.isolate:
        ledger.add("cpu.isolate", "none", ValueOrigin.FILE, "set in the file")
        return ()
    siblings = {cpu for worker in workers if worker in host.cpu_by_id for cpu in host.cpu_by_id[worker].siblings}
    isolated = tuple(sorted({*workers, *siblings} - {BOOT_CPU}))
    ledger.given("cpu.isolate", cpu_text(isolated) or "none", "the workers and what shares a core with them")
    return isolated


def derive(
    configuration: Configuration, host: Host, release: Release, measured: Mapping[str, NicLimits] | None = None
) -> Settings:
    """Return everything that startup.conf, kernel command line and sysctl are made of.

    `measured` has the limits of the devices that a running VPP drives, by PCI address.
    """
    known = measured or {}
    section = configuration.dataplane or DataplaneSection()
    ledger = Ledger(section.given)
    chosen = devices_of(configuration, section, host, ledger)
    placement = place(section.cpu, host, nics_of(chosen, host), ledger)

    def limits(nic: Nic) -> NicLimits | None:
        return known.get(nic.address) or limits_of(nic, release)

    devices = set_up_queues(chosen, section, placement, host, limits, ledger)
    of_dpdk = [device for device in devices if device.driver is None]
    plugins = _choose_plugins(configuration, section, release, bool(of_dpdk), ledger)
    memory = size_memory(configuration, section, host, placement, devices, release, ledger)
    linux_cp = _linux_cp(section, ledger) if "linux_cp" in plugins else None
    _explain_unix(section, ledger)
    return Settings(
        release=release,
        placement=placement,
        memory=memory,
        devices=devices,
        has_native_stanza=section.native_devices is not None,
        default_descriptors=default_descriptors(of_dpdk, section.dpdk.default),
        is_multi_seg=_choose_multi_seg(configuration, section, ledger),
        has_tx_checksum_offload=section.dpdk.has_tx_checksum_offload,
        plugins=plugins,
        linux_cp=linux_cp,
        has_linux_nl="linux_nl" in plugins,
        gid=section.unix.gid,
        exec_file=section.unix.exec_file,
        poll_sleep_us=section.unix.poll_sleep_us,
        kernel_parameters=kernel_parameters(section.kernel, host, placement, memory, devices, ledger),
        sysctls=sysctls(host, placement, memory, linux_cp, ledger),
        explanations=ledger.explanations,
    )


def _linux_cp(section: DataplaneSection, ledger: Ledger) -> LinuxCp:
    required = section.linux_cp
    ledger.given("linux-cp.netns", required.netns or "(VPP's own)", "the namespace of LCPs that name none")
    ledger.given("linux-cp.sync", required.is_sync, "MTU and state of an interface follow into Linux")
    ledger.given("linux-cp.auto-subint", required.is_auto_subint, "VPP makes no LCPs that the file does not name")
    ledger.given("linux-cp.netlink-buffer", ledger.size(required.netlink_buffer_bytes), "bursts of routes fit into it")
    return LinuxCp(
        netns=required.netns,
        is_sync=required.is_sync,
        is_auto_subint=required.is_auto_subint,
        netlink_buffer_bytes=required.netlink_buffer_bytes,
    )


def _explain_unix(section: DataplaneSection, ledger: Ledger) -> None:
    ledger.given("dpdk.tx-checksum-offload", section.dpdk.has_tx_checksum_offload, "as VPP has it")
    ledger.given("unix.gid", section.unix.gid, "members of this group may use VPP's sockets")
    if section.unix.exec_file:
        ledger.add("unix.exec", section.unix.exec_file, ValueOrigin.FILE, "commands that VPP runs when it starts")
    if section.unix.poll_sleep_us:
        ledger.add(
            "unix.poll-sleep-usec", section.unix.poll_sleep_us, ValueOrigin.FILE, "the main thread rests that long"
        )


def _choose_plugins(
    configuration: Configuration, section: DataplaneSection, release: Release, has_devices: bool, ledger: Ledger
) -> tuple[str, ...]:
    """Return the names of the plugins, without _plugin.so."""
    if section.plugins is not None:
        ledger.add("plugins", ", ".join(section.plugins) or "none", ValueOrigin.FILE, "the file lists them")
        return section.plugins
    reasons = {need.plugin: need.reason for need, _ in needed_plugins(configuration, release)}
    if has_devices:
        reasons["dpdk"] = "there are devices"
    text = "; ".join(f"{name}: {reasons[name]}" for name in sorted(reasons)) or "the file needs none"
    ledger.add("plugins", ", ".join(sorted(reasons)) or "none", ValueOrigin.FORMULA, text)
    return tuple(sorted(reasons))


def _choose_multi_seg(configuration: Configuration, section: DataplaneSection, ledger: Ledger) -> bool:
    """Return whether a packet may span buffers: where the file leaves it open, when the largest MTU needs it."""
    if section.dpdk.is_multi_seg is not None:
        ledger.add("dpdk.multi-seg", section.dpdk.is_multi_seg, ValueOrigin.FILE, "set in the file")
        return section.dpdk.is_multi_seg
    largest = max((port.mtu for port in configuration.interfaces.values() if port.parent is None), default=1500)
    frame, room = largest + FRAME_OVERHEAD_BYTES, section.buffers.data_size
    reason = f"the largest MTU is {largest}, {frame} bytes as a frame; a buffer holds {room}"
    ledger.add("dpdk.multi-seg", frame > room, ValueOrigin.FORMULA, reason)
    return frame > room
