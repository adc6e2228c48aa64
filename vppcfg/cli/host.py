"""`vppcfg host`: what this machine has, for people or as an inventory to plan with on another one."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.common.printable import json_text
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.model.host import Host, Nic, NumaNode

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "host",
        help="show what this machine has: CPUs, NUMA nodes, hugepages, network devices",
        description="Show the hardware of this machine that matters to VPP. Changes nothing, and needs no VPP.",
    )
    parser.add_argument(
        "--root", metavar="DIR", default="/", help="read proc and sys below this directory (default: %(default)s)"
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write an inventory to a file, for `vppcfg startup --host`"
    )
    parser.add_argument(
        "--format", choices=["text", "json"], help="for people, or an inventory (default: text, json with -o)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Show or write the machine below `args.root`."""

    from vppcfg.cli.output import write_document
    from vppcfg.common.printable import printable
    from vppcfg.model.host import host_document

    host = machine_at(args.root)
    for note in host.notes:
        log.warning("%s", note)
    form = args.format or ("json" if args.output else "text")
    if form == "json":
        text = json_text(host_document(host), indent=2) + "\n"
    else:
        text = "".join(f"{printable(line)}\n" for line in _lines(host))
    write_document(text, args.output)
    return ExitCode.DONE


def machine_at(root: str) -> Host:
    """Return the machine whose /proc and /sys are below `root`. Raise UsageError when there is none."""
    from pathlib import Path

    from vppcfg.host.inventory import read_host

    if not Path(root).is_dir():
        raise UsageError(f"{root} is no directory", "name the directory that holds proc and sys")
    host = read_host(root)
    if not host.usable_cpus:
        raise UsageError(f"there is no machine below {root}: no CPU is found", "it needs the files of /proc and /sys")
    return host


def read_machine(file_name: str) -> Host:
    """Return the machine in an inventory, `-` for standard input. Raise ConfigError or UsageError."""
    from vppcfg.common.bounds import CONFIG_BYTES
    from vppcfg.common.documents import parse_json
    from vppcfg.entries.yaml.files import read_source
    from vppcfg.model.host import host_of

    source, hint = read_source(file_name), "`vppcfg host -o host.json` writes an inventory"
    try:
        document = parse_json(source, file_name, CONFIG_BYTES)
    except ValueError as error:
        raise UsageError(str(error), hint) from error
    try:
        return host_of(document)
    except ValueError as error:
        raise UsageError(f"{file_name}: {error}", hint) from error


def _lines(host: Host) -> Iterator[str]:
    from vppcfg.common.numbers import cpu_text

    frequency = f", {host.base_hz / 1e9:.2f} GHz" if host.base_hz else ""
    yield f"CPU: {host.model or 'unknown'} ({host.architecture or 'unknown'}){frequency}"
    threads = max((len(core) for core in host.cores), default=1)
    smt = f", {threads} threads each" if threads > 1 else ""
    yield f"CPUs: {cpu_text(cpu.id for cpu in host.usable_cpus)} usable, {len(host.cores)} cores{smt}"
    closed = [cpu.id for cpu in host.cpus if not (cpu.is_online and cpu.is_allowed)]
    if closed:
        yield f"  offline or not allowed: {cpu_text(closed)}"
    isolated = [cpu.id for cpu in host.cpus if cpu.is_isolated]
    yield f"  isolated by the running kernel: {cpu_text(isolated) or 'none'}"
    if threads > 1:
        yield "  threads of one core: " + " ".join(cpu_text(cpu.id for cpu in core) for core in host.cores)
    cache = host.last_level_cache_bytes
    level = max((cache.level for cache in host.caches), default=0)
    yield f"last level of cache: {f'L{level}, {cache // 1024}K' if cache else 'unknown'}"
    for node in host.nodes:
        yield from _node_lines(node, host)
    yield f"network devices: {len(host.nics) or 'none'}"
    for nic in host.nics:
        yield from _nic_lines(nic)
    yield f"kernel: {host.kernel_release or 'unknown'}"
    yield f"  command line: {host.kernel_line or 'unknown'}"


def _node_lines(node: NumaNode, host: Host) -> Iterator[str]:
    from vppcfg.common.numbers import MIB, cpu_text, size_text

    yield f"NUMA node {node.id}: {node.memory_bytes // MIB}M of memory, CPUs {cpu_text(node.cpus) or 'none'}"
    for pool in node.hugepages:
        default = " (default)" if pool.page_bytes == host.default_hugepage_bytes else ""
        yield f"  hugepages of {size_text(pool.page_bytes)}{default}: {pool.total}, {pool.free} of them free"
    if not node.hugepages:
        yield "  hugepages: none"


def _nic_lines(nic: Nic) -> Iterator[str]:
    names = f", {' '.join(nic.linux_names)} in Linux{' and up' if nic.is_admin_up else ''}" if nic.linux_names else ""
    node = "unknown" if nic.node is None else nic.node
    yield f"  {nic.address} {nic.kind}: driver {nic.driver or 'none'}{names}, NUMA node {node}"
    facts = [f"link {nic.speed_mbps} Mbps" if nic.speed_mbps else "no link"]
    if nic.rx_queues_max:
        facts.append(f"{nic.rx_queues_max} RX and {nic.tx_queues_max} TX queues")
    if nic.link:
        facts.append(f"PCIe {nic.link.speed_gts:g} GT/s x{nic.link.width}")
    if nic.link_max:
        facts.append(f"could do {nic.link_max.speed_gts:g} GT/s x{nic.link_max.width}")
    if nic.slot_max:
        facts.append(f"slot {nic.slot_max.speed_gts:g} GT/s x{nic.slot_max.width}")
    yield f"    {', '.join(facts)}"
