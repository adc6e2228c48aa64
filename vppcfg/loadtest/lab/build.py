"""Makes a laboratory, namespaces with a device under test between them; removes all of it, also after a failure."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from vppcfg.common.rates import CHECKSUM_BYTES, OVERHEAD_BYTES
from vppcfg.errors import LinuxError
from vppcfg.linux.host import LinuxHost
from vppcfg.linux.inside import command_inside, processes_inside, remove_netns, set_sysctl
from vppcfg.linux.netns import Namespaces
from vppcfg.linux.shaper import limit_queue, set_rate
from vppcfg.linux.wire import add_address, add_neighbour, add_route, add_silent_bridge, add_wire, switch_offloads_off
from vppcfg.loadtest.lab.layout import BRIDGE, PREFIX_LENGTH, Dut, Layout, Side, layout_of, namespaces_of
from vppcfg.loadtest.lab.vpp import remove_segments

RUN = Path("/run/vppcfg-lab")
"""Below it each laboratory has a folder, named like it."""
_STOP_S = 5.0
_QUEUE_BYTES = 1 << 20
_QUEUE_FRAMES = 256
"""What waits in front of a link of limited speed; the bytes are more than they have."""
_SYSCTLS = (
    ("ipv6/conf/all/disable_ipv6", "1"),
    ("ipv6/conf/default/disable_ipv6", "1"),
    ("ipv4/conf/all/rp_filter", "0"),
    ("ipv4/conf/default/rp_filter", "0"),
)
"""Nothing that the operator did not send is to be counted (RFC 4861, MLD), and the path back may be another."""


def build(layout: Layout, start_dut: Callable[[Layout, Path], None] | None = None) -> None:
    """Make a laboratory.

    `start_dut` starts a device that is a program and gets a folder for it. Raise LinuxError, also when there is one of
    this name, and what `start_dut` raises; then nothing is left.
    """
    present = sorted(set(layout.namespaces) & Namespaces(None).names())
    if present:
        raise LinuxError(
            f"there is a laboratory {layout.name}: the namespace {present[0]} exists",
            f"`vppcfg loadtest lab down --name {layout.name}` removes it, --name makes another one",
        )
    try:
        _build(layout)
        if start_dut is not None:
            folder = RUN / layout.name
            folder.mkdir(parents=True, exist_ok=True)
            start_dut(layout, folder)
    except BaseException:
        remove(layout.name)
        raise


def find(name: str) -> Layout:
    """Return the laboratory `name` as it stands. Raise LinuxError when there is none."""
    missing = set(namespaces_of(name)) - Namespaces(None).names()
    if missing:
        raise LinuxError(
            f"there is no laboratory {name}: the namespace {min(missing)} is missing",
            f"`vppcfg loadtest lab up --name {name} --dut router` makes one",
        )
    middle = namespaces_of(name)[2]
    if (RUN / name).exists():
        return layout_of(name, Dut.VPP)
    side = LinuxHost().observe([(middle, BRIDGE)])
    return layout_of(name, Dut.BRIDGE if side.devices else Dut.ROUTER)


def remove(name: str) -> bool:
    """Remove a laboratory with all programs in it; return whether there was anything. Raise LinuxError."""
    present = [netns for netns in namespaces_of(name) if netns in Namespaces(None).names()]
    end_programs(present)
    removed = [remove_netns(netns) for netns in namespaces_of(name)]
    folder = RUN / name
    had_folder = folder.exists()
    shutil.rmtree(folder, ignore_errors=True)
    remove_segments(name)
    return any(removed) or had_folder


def end_programs(namespaces: list[str]) -> None:
    """End what runs in these namespaces, politely and after some seconds by force. Raise LinuxError."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _STOP_S
        running = _processes(namespaces)
        for pid in running:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        while running and time.monotonic() < deadline:
            time.sleep(0.05)
            running = _processes(namespaces)
        if not running:
            return
    raise LinuxError(f"process {running[0]} in namespace {namespaces[0]} does not end", "see `ip netns pids`")


def _processes(namespaces: list[str]) -> list[int]:
    """Return the processes in these namespaces but this one."""
    return [pid for netns in namespaces for pid in processes_inside(netns) if pid != os.getpid()]


def _build(layout: Layout) -> None:
    host = LinuxHost()
    for netns in layout.namespaces:
        host.add_namespace(netns)
        for name, value in _SYSCTLS:
            set_sysctl(netns, name, value)
    for side in layout.sides:
        add_wire(side.end, side.port)
        for end in (side.end, side.port):
            switch_offloads_off(end.netns, end.device)
        add_address(side.end.netns, side.end.device, side.address, PREFIX_LENGTH)
    for side in layout.sides:
        _connect(layout, side)
        _limit(layout, side)
    _DEVICES[layout.dut](layout, host)


def _connect(layout: Layout, side: Side) -> None:
    """Give an end what it needs to reach the other one: a route by the device, or the MAC address behind a bridge."""
    other = layout.other(side)
    netns, device = side.end.netns, side.end.device
    if layout.dut.routes:
        add_neighbour(netns, device, side.port_address, side.port.mac)
        add_route(netns, other.network, side.port_address)
    else:
        add_neighbour(netns, device, other.address, other.end.mac)


def _limit(layout: Layout, side: Side) -> None:
    """Let the device send at the speed of the link, frames counted with check sequence, preamble and gap."""
    if layout.link_bps is not None:
        overhead_bytes = CHECKSUM_BYTES + OVERHEAD_BYTES
        set_rate(
            side.port.netns,
            side.port.device,
            layout.link_bps,
            limit_bytes=_QUEUE_BYTES,
            overhead_bytes=overhead_bytes,
        )
        limit_queue(side.port.netns, side.port.device, _QUEUE_FRAMES)


def _make_router(layout: Layout, host: LinuxHost) -> None:
    netns = layout.dut_netns
    set_sysctl(netns, "ipv4/ip_forward", "1")
    for side in layout.sides:
        add_address(netns, side.port.device, side.port_address, PREFIX_LENGTH)
        add_neighbour(netns, side.port.device, side.address, side.end.mac)
        add_route(netns, side.streams, side.address)
    _spread(layout)


def _make_bridge(layout: Layout, host: LinuxHost) -> None:
    add_silent_bridge(layout.dut_netns, BRIDGE)
    for side in layout.sides:
        host.set_bridge(layout.dut_netns, side.port.device, BRIDGE)
    _spread(layout)


def _spread(layout: Layout) -> None:
    """Let the kernel spread what a port receives over all CPUs by flow, as a card with a queue per CPU does."""
    mask = f"{sum(1 << cpu for cpu in os.sched_getaffinity(0)):x}"
    groups = [mask[max(end - 8, 0) : end] for end in range(len(mask), 0, -8)]
    for side in layout.sides:
        _write_sys(layout.dut_netns, f"{side.port.device}/queues/rx-0/rps_cpus", ",".join(reversed(groups)))


def _write_sys(netns: str, name: str, value: str) -> None:
    """Write below /sys/class/net of a namespace, of which a program has a view of its own. Raise LinuxError."""
    command = command_inside(netns, ["tee", f"/sys/class/net/{name}"])
    done = subprocess.run(command, input=value, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LinuxError(f"Linux refuses to write {value} to {name} in namespace {netns}: {done.stderr.strip()}")


def _leave_to_vpp(layout: Layout, host: LinuxHost) -> None:
    """Do nothing: VPP takes the ports as they are."""


_DEVICES = {Dut.ROUTER: _make_router, Dut.BRIDGE: _make_bridge, Dut.VPP: _leave_to_vpp}
