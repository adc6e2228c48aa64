"""`vppcfg loadtest trex-config`: writes T-Rex's configuration file for ports of this machine, or of another one."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.loadtest.trex.configuration import TrexConfiguration
    from vppcfg.loadtest.trex.threads import Threads
    from vppcfg.model.host import Host, Nic
    from vppcfg.startup.share import VppShare

_MOST_DIGITS = 12
log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "trex-config",
        help="write T-Rex's configuration for this machine",
        description="Write trex_cfg.yaml for ports of this machine, in pairs: the CPUs near them, one to receive, one "
        "master. CPUs and devices of a VPP on the same machine are left alone.",
    )
    parser.add_argument(
        "--ports", metavar="A,B,...", default="",
        help="PCI addresses (07:00.0) or Linux names, two per pair; without them, the ports that are free are listed",
    )  # fmt: skip
    _add_address_options(parser)
    _add_cpu_options(parser)
    group = parser.add_argument_group("machine")
    group.add_argument("--root", metavar="DIR", default="/", help="where proc, sys and etc are (default: %(default)s)")
    group.add_argument("--host", metavar="FILE", help="an inventory of `vppcfg host` in place of this machine")
    group.add_argument(
        "--vpp-conf", metavar="FILE", help="startup.conf of the VPP on that machine (default: etc/vpp/startup.conf)"
    )
    group.add_argument("--prefix", metavar="NAME", default="", help="for a second T-Rex on the same machine")
    group.add_argument("--rpc-port", metavar="PORT", type=_port_number, help="port for commands (T-Rex's: 4501)")
    group.add_argument(
        "--stateful", action="store_true",
        help="for connections (`vppcfg loadtest astf`): with room for them, and a note how to start T-Rex",
    )  # fmt: skip
    group.add_argument(
        "--flows", metavar="N", type=_number,
        help="with --stateful, how many connections at once T-Rex has room for (default: 1048576, with Linux "
        "interfaces 65536)",
    )  # fmt: skip
    group.add_argument("--publish-port", metavar="PORT", type=_port_number, help="port for events (T-Rex's: 4500)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file (default: standard output)")
    parser.set_defaults(run=run)


def _add_address_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("addresses, one for each port")
    group.add_argument("--ips", metavar="IP,...", default="", help="of the ports (default: 1.1.1.1,2.2.2.2,...)")
    group.add_argument(
        "--gateways", metavar="IP,...", default="", help="the router's addresses (default: the port opposite)"
    )
    group.add_argument("--macs", action="store_true", help="send to MAC addresses in place of gateways")
    group.add_argument(
        "--dest-macs", metavar="MAC,...", default="", help="the router's MAC addresses (default: the port opposite)"
    )
    group.add_argument(
        "--src-macs", metavar="MAC,...", default="", help="the ports' own, where Linux does not know them any more"
    )


def _add_cpu_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("CPUs")
    group.add_argument("--cpus", metavar="LIST", type=_cpu_list, default=frozenset(), help="use none but these: 4-7")
    group.add_argument("--not-cpus", metavar="LIST", type=_cpu_list, default=frozenset(), help="leave these alone")
    group.add_argument("--no-ht", action="store_true", help="use one thread of each core")
    group.add_argument(
        "--ignore-numa", action="store_true", help="take ports of one pair on two nodes; T-Rex chooses its CPUs then"
    )


def run(args: argparse.Namespace) -> ExitCode:
    """Write the file."""
    from pathlib import Path

    from vppcfg.app.default_paths import STARTUP_CONF
    from vppcfg.cli.host import machine_at, read_machine
    from vppcfg.cli.output import write_document
    from vppcfg.loadtest.trex.configuration import yaml_of
    from vppcfg.startup.share import share_of

    host = read_machine(args.host) if args.host else machine_at(args.root)
    path = Path(args.vpp_conf or Path(args.root) / STARTUP_CONF)
    reads_conf = bool(args.vpp_conf) or not args.host
    share = share_of(path, host, must_exist=bool(args.vpp_conf)) if reads_conf else None
    write_document(yaml_of(_configuration(args, host, share)), args.output)
    return ExitCode.DONE


def _configuration(args: argparse.Namespace, host: Host, share: VppShare | None) -> TrexConfiguration:
    from vppcfg.loadtest.trex.configuration import TrexConfiguration, addresses_of, flows_of, require_pairs

    if args.flows is not None and not args.stateful:
        raise UsageError("--flows is about connections", "use it with --stateful")
    ports = _listed(args.ports)
    if not ports:
        raise UsageError("name the ports that T-Rex gets, with --ports", _free_ports(host, share, args))
    require_pairs(ports)
    nics = [_nic(host, port) for port in ports]
    is_linux = [nic is None for nic in nics]
    if any(is_linux) and not all(is_linux):
        raise UsageError("PCI devices and other Linux interfaces do not go together in T-Rex", "name one kind only")
    devices = [nic for nic in nics if nic is not None]
    _refuse_taken(args, ports, devices, share)
    macs = _source_macs(args, ports, devices)
    return TrexConfiguration(
        interfaces=tuple(nic.address.removeprefix("0000:") for nic in devices) or tuple(ports),
        addresses=addresses_of(len(ports), _listed(args.ips), _listed(args.gateways), macs, _listed(args.dest_macs)),
        threads=_threads(args, host, devices, share) if devices and not args.ignore_numa else None,
        is_low_end=not devices,
        speed_gbps=max((nic.speed_mbps or 0 for nic in devices), default=0) // 1000,
        prefix=args.prefix,
        rpc_port=args.rpc_port,
        publish_port=args.publish_port,
        flows=flows_of(args.flows, is_low_end=not devices) if args.stateful else None,
        comments=tuple(_comments(args, is_low_end=not devices)),
    )


def _comments(args: argparse.Namespace, *, is_low_end: bool) -> Iterator[str]:
    yield "Made by vppcfg loadtest trex-config."
    if args.stateful:
        software = " --software" if is_low_end else ""
        yield f"For connections: ./t-rex-64 -i --astf{software} --cfg {args.output or 'THIS_FILE'}"
        yield "Clients are on the first port of each pair, their servers on the second."


def _nic(host: Host, port: str) -> Nic | None:
    """Return the device that a PCI address or a Linux name means, None for an interface that is no PCI device."""
    from vppcfg.common.numbers import canonical_pci

    address = canonical_pci(port) or canonical_pci(f"0000:{port}")
    if address is None:
        return next((nic for nic in host.nics if port in nic.linux_names), None)
    nic = host.nic_by_address.get(address)
    if nic is None:
        raise UsageError(f"there is no network device {port}", "`vppcfg host` lists them")
    return nic


def _refuse_taken(args: argparse.Namespace, ports: Sequence[str], nics: Sequence[Nic], share: VppShare | None) -> None:
    """Raise UsageError for a port that VPP has, that is this machine's way out, or whose driver differs."""
    for nic in nics:
        if share is not None and nic.address in share.devices:
            raise UsageError(f"{nic.address} is VPP's, by its startup.conf", "name another port")
    names = {name for nic in nics for name in nic.linux_names} or set(ports)
    ways_out = names & _ways_out(args)
    if ways_out:
        name = min(ways_out)
        raise UsageError(f"{name} has a default route: T-Rex on it would cut this machine off", "name another port")
    drivers = sorted({nic.kind for nic in nics})
    if len({nic.driver for nic in nics}) > 1 and len(drivers) > 1:
        raise UsageError(f"T-Rex needs ports of one kind, and these are {', '.join(drivers)}", "name ports of one kind")
    for nic in nics:
        if nic.is_admin_up:
            log.warning("Linux uses %s (%s): T-Rex takes it away", nic.address, ", ".join(nic.linux_names))


def _source_macs(args: argparse.Namespace, ports: Sequence[str], nics: Sequence[Nic]) -> list[str]:
    """Return the MAC addresses of the ports when T-Rex is to send to MAC addresses, none otherwise."""
    given = _listed(args.src_macs)
    if given or not (args.macs or args.dest_macs):
        return given
    macs = [nic.mac for nic in nics] if nics else [_mac_of_interface(args.root, port) for port in ports]
    for port, mac in zip(ports, macs, strict=True):
        if not mac:
            raise UsageError(f"the MAC address of {port} is unknown: no Linux driver has it", "set it with --src-macs")
    return [mac for mac in macs if mac]


def _mac_of_interface(root: str, name: str) -> str | None:
    from pathlib import Path

    try:
        return (Path(root) / "sys/class/net" / name / "address").read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        raise UsageError(f"there is no interface {name}", "`vppcfg host` lists devices, `ip link` interfaces") from None


def _threads(args: argparse.Namespace, host: Host, nics: Sequence[Nic], share: VppShare | None) -> Threads:
    from vppcfg.loadtest.trex.threads import CpuChoice, threads_for

    for near, far in zip(nics[::2], nics[1::2], strict=True):
        if near.node != far.node:
            raise UsageError(
                f"{near.address} is on NUMA node {near.node}, {far.address} on {far.node}: a pair is on one node",
                "name pairs that are, or leave the choice of CPUs to T-Rex with --ignore-numa",
            )
    taken = share.cpus if share is not None else frozenset()
    both = sorted(taken & args.cpus)
    if both:
        raise UsageError(f"VPP has the CPU {both[0]}, by its startup.conf", "leave it out of --cpus")
    choice = CpuChoice(only=args.cpus, without=args.not_cpus | taken, first_threads_only=args.no_ht)
    return threads_for(host, [nic.node for nic in nics[::2]], choice)


def _free_ports(host: Host, share: VppShare | None, args: argparse.Namespace) -> str:
    """Return a sentence about the ports that T-Rex could have."""
    ways_out = _ways_out(args)
    taken = share.devices if share is not None else frozenset()
    free = [
        nic for nic in host.nics
        if nic.address not in taken and not nic.is_admin_up and not ways_out.intersection(nic.linux_names)
    ]  # fmt: skip
    shown = ", ".join(f"{nic.address} ({', '.join(nic.linux_names) or nic.driver or nic.kind})" for nic in free)
    return f"these are free: {shown}" if free else "no network device of this machine is free"


def _ways_out(args: argparse.Namespace) -> frozenset[str]:
    """Return the interfaces with a default route; unknown for a remote machine."""
    from pathlib import Path

    from vppcfg.loadtest.linux_port import interfaces_of_default_routes

    return frozenset() if args.host else interfaces_of_default_routes(Path(args.root))


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _cpu_list(text: str) -> frozenset[int]:
    from vppcfg.common.numbers import cpus_of

    try:
        return frozenset(cpus_of(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > _MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number")
    return int(text)


def _port_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port number")
    return int(text)
