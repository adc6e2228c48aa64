"""Rehearses the boot of a router on a VPP of the target release: a simulated one, or a private real one.

It shows that plan, messages and their order go together with the target and its startup.conf: the simulated one as far
as it is like a real one, the real one with ports that lead nowhere. Drivers and hugepages are not tried.
"""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from vppcfg.adopt.startup_conf import adopt_conf
from vppcfg.app.target import Target
from vppcfg.common.numbers import whole_number
from vppcfg.common.release import Release
from vppcfg.config.assumed_state import assumed_state
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.model.lcp import LcpSettings
from vppcfg.model.state import Facts, State
from vppcfg.plan.state_document import document_of
from vppcfg.record import record
from vppcfg.render.diff_view import difference_lines
from vppcfg.simulator.api import write_api_dir
from vppcfg.simulator.kinds import PLUGINS
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.releases import release_of
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.startup.conf.release_table import table_of
from vppcfg.startup.lint.lint import judge
from vppcfg.upgrade.boot import Boot, boot
from vppcfg.upgrade.finding import ReleaseChange, UpgradeFinding, Weight
from vppcfg.upgrade.names import renamed_ports
from vppcfg.upgrade.real_boot import boot_real
from vppcfg.upgrade.subject import UpgradeSubject


@record
class BootRehearsal:
    """How the boot of a VPP of the target release went."""

    release: str
    """The one that was simulated or started."""
    prefix: str = ""
    """Where the real VPP is installed that was started; '' for a simulated one."""
    steps: int = 0
    """How many the boot takes."""
    failed_at: int | None = None
    """The step, from 1; 0 when it did not come to the first one, None when nothing failed."""
    failure: str = ""
    state_digest: str = ""
    """Of the state that the boot led to."""
    findings: tuple[UpgradeFinding, ...] = ()
    """What VPP has after the boot otherwise than the release that runs would have it."""

    @property
    def sentence(self) -> str:
        """Return how it went."""
        which = f"the VPP {self.release} in {self.prefix}" if self.prefix else f"a simulated VPP {self.release}"
        on = f"rehearsal on {which}"
        if self.failure:
            where = f" at step {self.failed_at} of {self.steps}" if self.failed_at else " before the first step"
            return f"{on} failed{where}: {self.failure}"
        return f"{on}: {self.steps} {'step' if self.steps == 1 else 'steps'} done, and nothing is left to do"


def rehearse(
    subject: UpgradeSubject,
    change: ReleaseChange,
    files: SourceFiles,
    observed: State | None,
    prefix: Path | None = None,
) -> BootRehearsal:
    """Boot a VPP of the target release as this router, and return how that went.

    It is the real one below `prefix`, else a simulated one. Its ports are those of `observed`, or else those that the
    file names. Raise UsageError when there is no VPP of that release below `prefix`, LinuxError when it cannot be
    started here.
    """
    ports = _ports(subject, observed or assumed_state(subject.configuration), prefix is not None)
    renamed = renamed_ports(subject, change)
    new_ports = [replace(port, name=renamed.get(port.name, port.name)) for port in ports]
    if prefix is None:
        release = release_of(str(change.new)).name
        done = _boot_simulated(subject, change.new, files, new_ports)
    else:
        release = str(change.new)
        done = boot_real(subject, change.new, files, {port.name: port.mac for port in new_ports}, prefix)
    findings: tuple[UpgradeFinding, ...] = ()
    if done.reached is not None and (prefix is not None or change.old != change.new):
        before = _boot_simulated(subject, change.old, files, ports)
        if before.reached is not None:
            findings = _differences(subject, change, before.reached, done.reached)
    return BootRehearsal(
        release=release,
        prefix=str(prefix or ""),
        steps=done.steps,
        failed_at=done.failed_at,
        failure=done.failure,
        state_digest=_digest(done.reached) if done.reached is not None else "",
        findings=findings,
    )


def _boot_simulated(subject: UpgradeSubject, release: Release, files: SourceFiles, ports: list[PhysicalPort]) -> Boot:
    name = release_of(str(release)).name
    if subject.startup is not None and judge(subject.startup.text, (release,), subject.surroundings).stopped:
        return Boot(failed_at=0, failure=f"VPP does not start with {subject.startup.name}")
    vpp = SimulatedVpp(
        release=name,
        ports=ports,
        state=State(facts=Facts(lcp=_lcp_settings(subject, release))),
        plugins=_plugins(subject, release),
        tap_host_mtu=_tap_host_mtu(subject, release),
    )
    with TemporaryDirectory(prefix="vppcfg-rehearsal-") as folder:
        socket = str(Path(folder, "api.sock"))
        write_api_dir(Path(folder, "api"), name)
        target = Target(
            api_socket=socket,
            json_dir=str(Path(folder, "api")),
            state_dir=str(Path(folder, "state")),
            run_dir=folder,
        )
        with SimulatorServer(vpp, socket, stats_path=str(Path(folder, "stats.sock"))):
            return boot(subject, target, files)


def _differences(
    subject: UpgradeSubject, change: ReleaseChange, before: State, after: State
) -> tuple[UpgradeFinding, ...]:
    """Return the finding about what two boots of the same file led to, when that is not the same."""
    lines = [line.text.strip() for line in difference_lines(_comparable(subject, before), _comparable(subject, after))]
    if not lines:
        return ()
    return (
        UpgradeFinding(
            rule="up-state",
            weight=Weight.CHANGES,
            text=f"after the boot VPP {change.new} differs from {change.old}: {'; '.join(lines)}",
            objects=tuple(lines),
            mend="look whether the router can live with it",
        ),
    )


def _comparable(subject: UpgradeSubject, state: State) -> State:
    """Return what a boot makes of a state: without what VPP chooses and numbers by itself, and without Linux."""
    kept = subject.desired.interfaces
    chosen = {name for name, config in subject.configuration.interfaces.items() if config.mac is None}
    interfaces = {
        name: replace(each, device_class="", mac="" if name in chosen else each.mac)
        for name, each in state.interfaces.items()
        if name in kept
    }
    return replace(
        state,
        interfaces=interfaces,
        facts=Facts(),
        linux={},
        namespaces=frozenset(),
        linux_bridges=frozenset(),
    )


def _digest(state: State) -> str:
    """Return what distinguishes states, whatever VPP they are of."""
    document = json.dumps(document_of(replace(state, facts=Facts())), sort_keys=True)
    return sha256(document.encode()).hexdigest()


def _ports(subject: UpgradeSubject, seen: State, is_real: bool) -> list[PhysicalPort]:
    """Return the ports as the release that runs finds them: down; a real VPP has others in their place."""
    found = []
    for name, port in seen.interfaces.items():
        is_port = name in assumed_state(subject.configuration).interfaces or name in set(subject.ports())
        if is_port and port.parent is None and name not in seen.virtual and name != "local0":
            device_class = "af-packet" if is_real else port.device_class or "dpdk"
            found.append(PhysicalPort(name=name, device_class=device_class, mac=port.mac))
    return found


def _plugins(subject: UpgradeSubject, release: Release) -> frozenset[str]:
    """Return the optional parts that a release has with this startup.conf."""
    if subject.startup is None:
        return PLUGINS
    known = table_of(release).plugins
    return frozenset(part for part in PLUGINS if part not in known or subject.loads(part, release))


def _tap_host_mtu(subject: UpgradeSubject, release: Release) -> int:
    """Return the MTU in Linux of TAPs that are made without one, by startup.conf; 0 when it sets none."""
    stanza = subject.conf(release).stanza("tap")
    entry = stanza.find("host-mtu") if stanza is not None else None
    words = entry.arguments if entry is not None else ()
    return (whole_number(words[0]) or 0) if words else 0


def _lcp_settings(subject: UpgradeSubject, release: Release) -> LcpSettings:
    if subject.startup is None:
        return LcpSettings()
    return adopt_conf(subject.startup.name, subject.startup.text, release).lcp
