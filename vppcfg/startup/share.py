"""Reads from startup.conf which CPUs and devices a VPP on this machine has, so that a generator leaves them alone."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from vppcfg.common.numbers import canonical_pci, cpus_of, whole_number
from vppcfg.common.release import NEWEST
from vppcfg.errors import UsageError
from vppcfg.model.host import Host
from vppcfg.record import record
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.tree import ConfEntry

log = logging.getLogger("root.main")

STARTUP_CONF = "etc/vpp/startup.conf"


@record
class VppShare:
    """The CPUs and the PCI addresses that a startup.conf gives to VPP."""

    cpus: frozenset[int] = frozenset()
    devices: frozenset[str] = frozenset()


def share_of(path: Path, host: Host, *, must_exist: bool) -> VppShare:
    """Return what the startup.conf at `path` gives to VPP. Raise UsageError when it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        if must_exist:
            raise UsageError(f"there is no {path}", "name VPP's startup.conf") from None
        return VppShare()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    conf, problems = read_conf(text, NEWEST)
    for problem in problems:
        raise UsageError(f"{path}:{problem.line}: {problem.text}", "correct it, so that VPP's CPUs are known")
    cpu, dpdk, native = conf.stanza("cpu"), conf.stanza("dpdk"), conf.stanza("devices")
    of_dpdk = frozenset(_devices(dpdk) if dpdk else ())
    share = VppShare(
        cpus=frozenset(_cpus(cpu, host)) if cpu else frozenset(),
        devices=of_dpdk.union(_devices(native) if native else ()),
    )
    if dpdk is not None and not of_dpdk:
        log.warning("%s names no devices: VPP takes all that are bound to a driver of DPDK", path)
    return share


def _cpus(cpu: ConfEntry, host: Host) -> Iterator[int]:
    """Yield VPP's CPUs: the main thread's, the workers', those skipped; `workers N` takes the first free ones."""
    main = cpu.find("main-core")
    first = _number(main) if main is not None else None
    if first is not None:
        yield first
    for name, read in (("corelist-workers", cpus_of), ("coremask-workers", _mask)):
        entry = cpu.find(name)
        if entry is not None and entry.arguments:
            yield from read(entry.arguments[0])
    workers, skipped = _number(cpu.find("workers")), _number(cpu.find("skip-cores"))
    if workers or skipped:
        free = [each.id for each in host.usable_cpus if each.id != first]
        yield from free[: workers + skipped + (first is None)]


def _number(entry: ConfEntry | None) -> int:
    text = entry.arguments[0] if entry is not None and entry.arguments else "0"
    return whole_number(text) or 0


def _mask(text: str) -> tuple[int, ...]:
    number = int(text, 16)
    return tuple(bit for bit in range(number.bit_length()) if number >> bit & 1)


def _devices(stanza: ConfEntry) -> Iterator[str]:
    """Yield the PCI addresses in `dpdk`, or in `devices`, which has the bus before them."""
    for child in stanza.children or ():
        place = child.arguments[0].removeprefix("pci/") if child.name == "dev" and child.arguments else ""
        address = canonical_pci(place)
        if address is not None:
            yield address
