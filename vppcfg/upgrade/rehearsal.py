"""A boot of the router rehearsed on a simulated VPP of the target release, with a journal that is thrown away.

It shows that plan, messages and their order go together with the target's startup.conf, as far as the simulated VPP is
like a real one. Drivers, hugepages and faults of VPP itself are not tried.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from vppcfg.adopt.startup_conf import adopt_conf
from vppcfg.app.booting import apply_at_boot
from vppcfg.app.consent import Terms
from vppcfg.app.console import Silent
from vppcfg.app.report import Report, SilentReport
from vppcfg.app.target import Target
from vppcfg.config.assumed import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.config.yaml.files import SourceFiles
from vppcfg.errors import ExitCode, VppcfgError
from vppcfg.model.lcp import LcpSettings
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.state import Facts, State
from vppcfg.model.state_document import document_of
from vppcfg.plan.operations import Operation
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.record import record
from vppcfg.render.plan_text import cli_line, describe
from vppcfg.simulator.api import write_api_dir
from vppcfg.simulator.kinds import PLUGINS
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.releases import release_of
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.startup.judge.judging import judge
from vppcfg.transaction.transact import Failure
from vppcfg.upgrade.finding import ReleaseChange
from vppcfg.upgrade.names import renamed_ports
from vppcfg.upgrade.subject import UpgradeSubject
from vppcfg.upgrade.tables import table_of

_MISSING = "phy-missing"
_LOGGERS = ("root.main", "vppcfg")


@record
class BootRehearsal:
    """How the boot of a simulated VPP went."""

    release: str
    """The one that was simulated."""
    steps: int = 0
    """How many the boot takes."""
    failed_at: int | None = None
    """The step, from 1; 0 when it did not come to the first one, None when nothing failed."""
    failure: str = ""
    state_digest: str = ""
    """Of the state that the boot led to."""

    @property
    def sentence(self) -> str:
        """Return how it went."""
        on = f"rehearsal on a simulated VPP {self.release}"
        if self.failure:
            where = f" at step {self.failed_at} of {self.steps}" if self.failed_at else " before the first step"
            return f"{on} failed{where}: {self.failure}"
        return f"{on}: {self.steps} {'step' if self.steps == 1 else 'steps'} done, and nothing is left to do"


class _Listener(SilentReport):
    """Keeps what a boot tells: its plan, and what failed."""

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.failure: Failure | None = None

    def performing(self, plan: Plan) -> None:
        """Keep the plan."""
        self.plan = plan

    def failed(self, failure: Failure) -> None:
        """Keep what failed."""
        self.failure = failure


class _Audience(Silent):
    """A console that shows nothing and keeps what it is told."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.listener = _Listener()

    def show_problems(self, problems: Sequence[Problem], file_name: str) -> None:
        """Keep the problems."""
        self.problems += problems

    def report(self, plan: Plan) -> Report:
        """Return what keeps the rest."""
        return self.listener


def rehearse(
    subject: UpgradeSubject, change: ReleaseChange, files: SourceFiles, observed: State | None
) -> BootRehearsal:
    """Boot a simulated VPP of the target release as this router, and return how that went.

    Its ports are those of `observed`, or else those that the file names.
    """
    release = release_of(str(change.new)).name
    if subject.startup is not None and judge(subject.startup.text, (change.new,)).stopped:
        return BootRehearsal(release=release, failed_at=0, failure=f"VPP does not start with {subject.startup.name}")
    vpp = SimulatedVpp(
        release=release,
        ports=_ports(subject, change, observed or assumed_state(subject.configuration)),
        state=State(facts=Facts(lcp=_lcp_settings(subject, change))),
        plugins=_plugins(subject, change),
    )
    with TemporaryDirectory(prefix="vppcfg-rehearsal-") as folder:
        socket = str(Path(folder, "api.sock"))
        write_api_dir(Path(folder, "api"), release)
        target = Target(
            api_socket=socket,
            json_dir=str(Path(folder, "api")),
            state_dir=str(Path(folder, "state")),
            run_dir=folder,
        )
        with SimulatorServer(vpp, socket, stats_path=str(Path(folder, "stats.sock"))), _silence():
            return _boot(subject, target, files, release)


def _boot(subject: UpgradeSubject, target: Target, files: SourceFiles, release: str) -> BootRehearsal:
    audience = _Audience()
    listener = audience.listener
    try:
        with target.connect() as dataplane:
            problems = resolve(subject.configuration, dataplane.observe()).problems
        missing = [problem.text for problem in problems if problem.rule == _MISSING]
        if missing:  # a boot would wait for ports to appear
            return BootRehearsal(release=release, failed_at=0, failure="; ".join(missing))
        code = apply_at_boot(files, target, Terms(), audience)
        with target.connect() as dataplane:
            reached = dataplane.observe()
    except VppcfgError as error:
        return BootRehearsal(release=release, failed_at=0, failure=error.message)
    steps = len(listener.plan.steps) if listener.plan is not None else 0
    if listener.failure is not None:
        return BootRehearsal(
            release=release, steps=steps, failed_at=_place(listener.failure), failure=_why(listener.failure)
        )
    errors = [problem for problem in audience.problems if problem.severity is Severity.ERROR]
    if code is not ExitCode.DONE:
        failure = "; ".join(f"{problem.text} [{problem.rule}]" for problem in errors) or f"it ended with {code.value}"
        return BootRehearsal(release=release, steps=steps, failed_at=0, failure=failure)
    left = make_plan(reached, resolve(subject.configuration, reached).desired).operations
    if left:
        text = f"{len(left)} steps are left to do after the boot, the first: {_said(left[0])}"
        return BootRehearsal(release=release, steps=steps, failed_at=steps, failure=text)
    return BootRehearsal(release=release, steps=steps, state_digest=_digest(reached))


def _place(failure: Failure) -> int:
    refusals = failure.performance.refusals if failure.performance is not None else ()
    return refusals[0].index + 1 if refusals else 0


def _why(failure: Failure) -> str:
    refusals = failure.performance.refusals if failure.performance is not None else ()
    if not refusals:
        return failure.text or failure.cause.value
    return f"{_said(refusals[0].operation)}: {refusals[0].text}"


def _said(operation: Operation) -> str:
    return cli_line(operation) or describe(operation)


def _digest(state: State) -> str:
    """Return what tells states apart, whatever VPP they are of."""
    told = json.dumps(document_of(replace(state, facts=Facts())), sort_keys=True)
    return sha256(told.encode()).hexdigest()


def _ports(subject: UpgradeSubject, change: ReleaseChange, seen: State) -> list[PhysicalPort]:
    """Return the ports as the target finds them: down, under the names that it gives them."""
    renamed = renamed_ports(subject, change)
    found = []
    for name, port in seen.interfaces.items():
        is_port = name in assumed_state(subject.configuration).interfaces or name in set(subject.ports())
        if is_port and port.parent is None and name not in seen.made and name != "local0":
            found.append(
                PhysicalPort(name=renamed.get(name, name), device_class=port.device_class or "dpdk", mac=port.mac)
            )
    return found


def _plugins(subject: UpgradeSubject, change: ReleaseChange) -> frozenset[str]:
    """Return the optional parts that the target has with this startup.conf."""
    if subject.startup is None:
        return PLUGINS
    known = table_of(change.new).plugins
    return frozenset(part for part in PLUGINS if part not in known or subject.loads(part, change.new))


def _lcp_settings(subject: UpgradeSubject, change: ReleaseChange) -> LcpSettings:
    if subject.startup is None:
        return LcpSettings()
    return adopt_conf(subject.startup.name, subject.startup.text, change.new).lcp


@contextmanager
def _silence() -> Iterator[None]:
    """Let nothing be logged: it would be about a VPP that is none."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
