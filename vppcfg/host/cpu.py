"""Reads CPUs and caches from /sys/devices/system/cpu and /proc/cpuinfo."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vppcfg.common.numbers import bytes_of, cpus_of
from vppcfg.host.files import Files
from vppcfg.model.host import Cache, Cpu

_CPU = "sys/devices/system/cpu"
_MODEL_FREQUENCY = re.compile(r"@ *([0-9.]+) *GHz")


def read_cpus(files: Files, node_of: Mapping[int, int]) -> tuple[Cpu, ...]:
    """Return every CPU that is present; `node_of` has the NUMA node of each."""
    present = files.cpus(f"{_CPU}/present")
    numbers = [int(name[3:]) for name in files.names(_CPU) if re.fullmatch(r"cpu[0-9]+", name)]
    ids = sorted(present or numbers) or _from_cpuinfo(files)
    online = files.cpus(f"{_CPU}/online") or tuple(ids)
    allowed = _allowed(files) or tuple(ids)
    isolated = files.cpus(f"{_CPU}/isolated") or ()
    if not ids:
        files.note("the machine tells nothing about its CPUs")
    return tuple(
        Cpu(
            id=cpu,
            core=_topology(files, cpu, "core_id", default=cpu),
            socket=_topology(files, cpu, "physical_package_id", default=0),
            node=node_of.get(cpu, 0),
            siblings=_siblings(files, cpu),
            is_online=cpu in online,
            is_allowed=cpu in allowed,
            is_isolated=cpu in isolated,
        )
        for cpu in ids
    )


def read_caches(files: Files) -> tuple[Cache, ...]:
    """Return the caches, each once."""
    caches: dict[Cache, None] = {}
    for cpu in files.names(_CPU):
        indexes = files.names(f"{_CPU}/{cpu}/cache") if re.fullmatch(r"cpu[0-9]+", cpu) else ()
        for index in filter(re.compile(r"index[0-9]+").fullmatch, indexes):
            cache = _cache(files, f"{_CPU}/{cpu}/cache/{index}", int(cpu[3:]))
            if cache is not None:
                caches[cache] = None
    return tuple(sorted(caches, key=lambda cache: (cache.level, cache.kind, cache.cpus)))


def read_model(files: Files) -> tuple[str, str]:
    """Return architecture and model name."""
    lines = dict(files.lines("proc/cpuinfo"))
    known = "x86_64" if "vendor_id" in lines else "aarch64" if "CPU implementer" in lines else ""
    model = lines.get("model name") or lines.get("Model") or lines.get("Hardware") or ""
    if not model and "CPU implementer" in lines:
        model = f"Arm implementer {lines['CPU implementer']} part {lines.get('CPU part', 'unknown')}"
    return files.text("proc/sys/kernel/arch") or known, model


def read_base_hz(files: Files) -> int | None:
    """Return the base frequency: what the driver says, the name of the model, or the highest frequency."""
    directory = f"{_CPU}/cpu0/cpufreq"
    khz = files.number(f"{directory}/base_frequency")
    if khz is None and (match := _MODEL_FREQUENCY.search(read_model(files)[1])):
        khz = round(float(match[1]) * 1e6)
    if khz is None:
        khz = files.number(f"{directory}/cpuinfo_max_freq")
    return None if khz is None else khz * 1000


def _allowed(files: Files) -> tuple[int, ...]:
    """Return the CPUs that this process may use, as a container's limits leave them."""
    text = dict(files.lines("proc/self/status")).get("Cpus_allowed_list", "")
    try:
        return cpus_of(text)
    except ValueError as error:
        files.note(f"/proc/self/status: {error}")
        return ()


def _topology(files: Files, cpu: int, name: str, *, default: int) -> int:
    """Return a number of a CPU's topology; an offline one has none, and some firmware says -1."""
    number = files.number(f"{_CPU}/cpu{cpu}/topology/{name}")
    return default if number is None or number < 0 else number


def _siblings(files: Files, cpu: int) -> tuple[int, ...]:
    siblings = files.cpus(f"{_CPU}/cpu{cpu}/topology/thread_siblings_list") or (cpu,)
    return siblings if cpu in siblings else (cpu,)


def _cache(files: Files, directory: str, cpu: int) -> Cache | None:
    level, size = files.number(f"{directory}/level"), files.text(f"{directory}/size")
    if level is None or size is None:
        return None
    try:
        size_bytes = bytes_of(size)
    except ValueError as error:
        files.note(f"/{directory}/size: {error}")
        return None
    shared = files.cpus(f"{directory}/shared_cpu_list") or (cpu,)
    return Cache(level=level, kind=files.text(f"{directory}/type") or "Unified", size_bytes=size_bytes, cpus=shared)


def _from_cpuinfo(files: Files) -> list[int]:
    return [int(value) for key, value in files.lines("proc/cpuinfo") if key == "processor" and value.isdigit()]
