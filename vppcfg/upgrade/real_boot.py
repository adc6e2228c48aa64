"""Boots a router on a real VPP of the target release, which is started for this rehearsal and ends with it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from vppcfg.app.rehearsing import add_host_devices, add_ports, connected, host_devices_of
from vppcfg.app.target import Target
from vppcfg.common.release import Release, nearest, release_of
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import DataplaneError, UsageError
from vppcfg.kinds.memif import MemifConfig
from vppcfg.kinds.tap.entry import TapConfig
from vppcfg.kinds.vhost_user import VhostUserConfig
from vppcfg.linux.private_vpp import PrivateVpp, VppEnvironment, folders_of_sockets, private_vpp, require_startable
from vppcfg.upgrade.boot import Boot, boot
from vppcfg.upgrade.private_startup import private_netns, private_stanzas
from vppcfg.upgrade.subject import UpgradeSubject


def boot_real(
    subject: UpgradeSubject, release: Release, files: SourceFiles, ports: Mapping[str, str], prefix: Path
) -> Boot:
    """Start the VPP below `prefix` with the router's startup.conf and ports, boot it, and return how that went.

    `ports` are their MAC addresses by name, '' for any. Raise UsageError when it is of another release, LinuxError when
    it cannot be started here.
    """
    require_startable(prefix)
    stanzas = private_stanzas(subject, release)
    if stanzas is None:
        return Boot(failed_at=0, failure=f"VPP cannot read {subject.startup.name if subject.startup else ''}")
    try:
        with (
            tempfile.TemporaryDirectory(prefix="vppcfg-rehearsal-") as folder,
            private_vpp(prefix, setup_with(subject, release, stanzas)) as process,
        ):
            _prepare(subject.configuration, release, ports, process)
            return boot(subject, _target(process, Path(folder)), files)
    except DataplaneError as error:
        return Boot(failed_at=0, failure=error.message)


def _prepare(configuration: Configuration, release: Release, ports: Mapping[str, str], process: PrivateVpp) -> None:
    with connected(process) as vpp:
        if nearest(release_of(vpp.version)) != nearest(release):
            raise UsageError(
                f"the VPP in {process.prefix} is {vpp.version}, not {release}",
                "name the folder of the release that --to names",
            )
        add_host_devices(process, host_devices_of(configuration))
        add_ports(vpp, process, ports)


def _target(process: PrivateVpp, folder: Path) -> Target:
    """Return a VPP with a journal of its own: that is opened without following links, as to the folders of another."""
    return Target(
        api_socket=process.api_socket,
        json_dir=process.json_dir,
        state_dir=str(folder / "state"),
        run_dir=str(folder),
    )


def setup_with(subject: UpgradeSubject, release: Release, stanzas: str) -> VppEnvironment:
    """Return what the router's VPP finds when it starts, as far as file and startup.conf have it."""
    configuration = subject.configuration
    taps = [config for config in configuration.virtual.values() if isinstance(config, TapConfig)]
    pairs = [interface.lcp for interface in configuration.interfaces.values() if interface.lcp is not None]
    named = [private_netns(subject, release), *(pair.netns for pair in pairs)]
    named += [tap.host_netns for tap in taps if not tap.creates_netns]
    bridges = [(tap.host_netns or "", tap.host_bridge) for tap in taps if tap.host_bridge and not tap.creates_bridge]
    return VppEnvironment(
        stanzas=stanzas,
        namespaces=tuple(sorted({name for name in named if name})),
        bridges=tuple(sorted(set(bridges))),
        hidden=_folders_of_sockets(configuration),
    )


def _folders_of_sockets(configuration: Configuration) -> tuple[Path, ...]:
    """Return the folders of the sockets that the file names."""
    return folders_of_sockets(
        config.port.socket
        for config in configuration.virtual.values()
        if isinstance(config, MemifConfig | VhostUserConfig)
    )
