"""Reads from startup.conf which CPUs and devices a VPP on this machine has, so that a generator leaves them alone."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from vppcfg.common.numbers import canonical_pci
from vppcfg.common.release import NEWEST
from vppcfg.errors import UsageError
from vppcfg.model.host import Host
from vppcfg.record import record
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.tree import Conf, ConfEntry
from vppcfg.startup.lint.cores import free_cpus, skipped_cpus
from vppcfg.startup.lint.demand import facts_of

log = logging.getLogger("root.main")


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
    dpdk, native = conf.stanza("dpdk"), conf.stanza("devices")
    of_dpdk = frozenset(_devices(dpdk) if dpdk else ())
    share = VppShare(
        cpus=frozenset(_cpus(conf, host)),
        devices=of_dpdk.union(_devices(native) if native else ()),
    )
    if dpdk is not None and not of_dpdk:
        log.warning("%s names no devices: VPP takes all that are bound to a driver of DPDK", path)
    return share


def _cpus(conf: Conf, host: Host) -> Iterator[int]:
    """Yield VPP's CPUs: the main thread's, the workers', those skipped; one more where none is the main thread's."""
    facts = facts_of(conf)
    main, chosen = facts.main_core, 0 if facts.worker_cpus else facts.workers
    skipped = skipped_cpus(conf, host)
    yield from (*(facts.worker_cpus or ()), *(() if main is None else (main,)), *skipped)
    if chosen or skipped:
        yield from free_cpus(conf, facts, host)[: chosen + (main is None)]


def _devices(stanza: ConfEntry) -> Iterator[str]:
    """Yield the PCI addresses in `dpdk`, or in `devices`, which has the bus before them."""
    for child in stanza.children or ():
        place = child.arguments[0].removeprefix("pci/") if child.name == "dev" and child.arguments else ""
        address = canonical_pci(place)
        if address is not None:
            yield address
