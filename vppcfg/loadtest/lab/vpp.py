"""Starts a VPP as the device of a laboratory: af_packet ports on the wires, addresses, neighbours and routes."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from vppcfg.errors import DataplaneError, UsageError
from vppcfg.linux.inside import command_inside, processes_inside
from vppcfg.loadtest.lab.layout import PREFIX_LENGTH, Layout

_START_S = 30.0
_FORK_S = 1.0
_NICE = "-10"
"""As the generator has it: neither may starve the other."""
_STARTUP = """\
unix {{ nodaemon nosyslog log {folder}/vpp.log cli-listen {folder}/cli.sock runtime-dir {folder} }}
api-segment {{ prefix vppcfg-lab-{name} }}
socksvr {{ socket-name {folder}/api.sock }}
statseg {{ socket-name {folder}/stats.sock size 32M }}
memory {{ main-heap-size 512M main-heap-page-size 4k }}
buffers {{ buffers-per-numa 32768 page-size 4k }}
plugins {{ {plugin_path} plugin dpdk_plugin.so {{ disable }} }}
"""


def require_vpp(prefix: Path) -> None:
    """Raise UsageError unless a VPP is installed below `prefix`."""
    for program in ("vpp", "vppctl"):
        if not os.access(prefix / "bin" / program, os.X_OK):
            raise UsageError(
                f"there is no program {prefix / 'bin' / program}",
                "--vpp-prefix names the folder with VPP's bin/vpp: /usr for a package",
            )


def start_vpp(prefix: Path, layout: Layout, folder: Path) -> None:
    """Start the VPP below `prefix` in the device's namespace; its sockets and log are in `folder`.

    It goes on when this process ends. Raise DataplaneError.
    """
    startup = folder / "startup.conf"
    plugins = next((prefix / "lib").glob("**/vpp_plugins"), None)
    startup.write_text(
        _STARTUP.format(folder=folder, name=layout.name, plugin_path=f"path {plugins}" if plugins else "")
    )
    command = command_inside(layout.dut_netns, [str(prefix / "bin/vpp"), "-c", str(startup)])
    with (folder / "output").open("wb") as output:
        subprocess.run(
            ["setsid", "--fork", "nice", "-n", _NICE, *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=True,
        )
    _await(layout.dut_netns, folder)
    for line in vpp_lines(layout):
        _vppctl(prefix, folder, line)


def vpp_lines(layout: Layout) -> Iterator[str]:
    """Yield the commands that make VPP a router between the ends.

    The wires have no offloads. VPP has to be informed: it would write no virtio header and the kernel would cut one off
    (plugins/af_packet/af_packet.c). A link of limited speed is the kernel's, past which VPP must not go.
    """
    options = "cksum-gso-disable qdisc-bypass-disable" if layout.link_bps else "cksum-gso-disable"
    for side in layout.sides:
        device = side.port.device
        yield f"create host-interface name {device} hw-addr {side.port.mac} {options}"
        yield f"set interface state host-{device} up"
        yield f"set interface ip address host-{device} {side.port_address}/{PREFIX_LENGTH}"
        yield f"set ip neighbor static host-{device} {side.address} {side.end.mac}"
        yield f"ip route add {side.streams} via {side.address} host-{device}"


def remove_segments(name: str) -> None:
    """Remove what VPP leaves in /dev/shm."""
    for left in Path("/dev/shm").glob(f"vppcfg-lab-{name}-*"):
        left.unlink(missing_ok=True)


def _await(netns: str, folder: Path) -> None:
    began, deadline = time.monotonic(), time.monotonic() + _START_S
    while not ((folder / "api.sock").exists() and (folder / "cli.sock").exists()):
        has_ended = time.monotonic() > began + _FORK_S and not any(processes_inside(netns))
        if has_ended or time.monotonic() > deadline:
            text = (folder / "output").read_text(errors="replace").strip()
            raise DataplaneError(f"VPP does not start: {text[-1000:] or 'no output'}")
        time.sleep(0.05)


def _vppctl(prefix: Path, folder: Path, line: str) -> None:
    """Run a command. Raise DataplaneError when it prints anything but the name of a new interface."""
    command = [str(prefix / "bin/vppctl"), "-s", str(folder / "cli.sock"), *line.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_START_S)
    answer = (done.stdout + done.stderr).strip()
    if done.returncode or (answer and not answer.startswith("host-")):
        raise DataplaneError(f"VPP refuses `{line}`: {answer}")
