"""Asks a real VPP of its own what it answers to the lines of a script, sealed off from the machine.

It has namespaces of its own, sees all folders but its own read-only, and has stand-ins for ports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from vppcfg.app.rehearsing import add_ports, connected
from vppcfg.common.release import Release, nearest, release_of
from vppcfg.errors import DataplaneError, LinuxError
from vppcfg.linux.private_vpp import WITH_LINUX_CP, WITH_SFLOW, PrivateVpp, VppEnvironment, private_vpp
from vppcfg.vpp.live import LiveDataplane

_CRASHED = "VPP crashes at this line"
_HOST_DEVICE = re.compile(r"create host-interface .*?\bname (\S+)")
_NETNS = re.compile(r"\b(?:netns|host-ns) (\S+)")


def ask_vpp(lines: Sequence[str], ports: Sequence[str], release: Release, prefix: Path) -> list[tuple[bool, str]]:
    """Return whether the VPP below `prefix` takes each line, and what it prints; nothing where it cannot be asked.

    That is where it cannot be started here, or is of another release. There are fewer answers than lines when it
    crashes at one.
    """
    text = "\n".join(lines)
    namespaces = tuple(sorted({name for name in _NETNS.findall(text) if "/" not in name}))
    around = VppEnvironment(stanzas=WITH_LINUX_CP + WITH_SFLOW, namespaces=namespaces)
    try:
        with private_vpp(prefix, around) as process, connected(process) as vpp:
            if nearest(release_of(vpp.version)) != nearest(release):
                return []
            _prepare(process, vpp, text, ports)
            return list(_answers(vpp, lines))
    except (DataplaneError, LinuxError):
        return []


def _prepare(process: PrivateVpp, vpp: LiveDataplane, text: str, ports: Sequence[str]) -> None:
    for device in sorted(set(_HOST_DEVICE.findall(text))):
        process.add_device(device)
    add_ports(vpp, process, dict.fromkeys(ports, ""))


def _answers(vpp: LiveDataplane, lines: Sequence[str]) -> Iterator[tuple[bool, str]]:
    for line in lines:
        try:
            code, text = vpp.run_at_prompt(line)
        except DataplaneError:
            yield False, _CRASHED
            return
        yield not code, " ".join(text.split())
