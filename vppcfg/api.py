"""vppcfg as a library: what the command does, for programs. docs/api.md has an example.

Nothing is printed or asked for, unless a Console is given that does; events are logged (`logging`). What
goes wrong before anything is changed is raised as a VppcfgError, which has a message, a hint and the exit code that the
command would end with.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterable

from vppcfg.app.applying import Applied, apply_configuration
from vppcfg.app.approval import Limits, Terms
from vppcfg.app.confirming import confirm as confirm_at
from vppcfg.app.console import Console, Silent
from vppcfg.app.loading import read
from vppcfg.app.planning import exit_code_of, propose
from vppcfg.app.rollback import roll_back as roll_back_at
from vppcfg.app.target import Target
from vppcfg.config.load import Loaded, parse_text
from vppcfg.config.valid_dump import write
from vppcfg.entries.configuration import Configuration
from vppcfg.errors import ConfigError, DataplaneError, ExitCode, PlanRefusedError, VppcfgError
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.state import State
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan

__all__ = [
    "Applied",
    "Console",
    "ExitCode",
    "Impact",
    "InvalidError",
    "Loaded",
    "Plan",
    "Problem",
    "Silent",
    "State",
    "Target",
    "VppcfgError",
    "apply",
    "check",
    "confirm",
    "dump",
    "load",
    "observe",
    "plan",
    "roll_back",
]


for _name in ("root.main", "vppcfg"):
    # Without this, warnings would go to standard error of a program that has set up no logging.
    logging.getLogger(_name).addHandler(logging.NullHandler())


class InvalidError(ConfigError):
    """A configuration that is not valid; `problems` has what is wrong, each with line and column."""

    def __init__(self, name: str, problems: tuple[Problem, ...]) -> None:
        errors = [problem for problem in problems if problem.severity is Severity.ERROR]
        others = len(errors) - 1
        more = f", and {others} more error{'' if others == 1 else 's'}" if others > 0 else ""
        super().__init__(f"{name} is not valid: {errors[0].text} [{errors[0].rule}]{more}")
        self.problems = problems


def check(file: str | os.PathLike[str] = "", *, text: str | bytes | None = None) -> tuple[Problem, ...]:
    """Return every problem of a configuration, errors and warnings, in the order of the file.

    It is read from `file`, or is `text`, and `file` is only what messages call it. Raise ConfigError when there is
    nothing to read.
    """
    return _loaded(file, text).problems


def load(file: str | os.PathLike[str] = "", *, text: str | bytes | None = None) -> Loaded:
    """Return the configuration in `file`, or in `text`; its `problems` are warnings.

    Raise InvalidError when it has errors, ConfigError when there is nothing to read.
    """
    loaded = _loaded(file, text)
    if loaded.configuration is None:
        raise InvalidError(loaded.name, loaded.problems)
    return loaded


def observe(target: Target | None = None) -> State:
    """Return what a VPP and the Linux around it have. Raise DataplaneError when VPP cannot be reached or read."""
    with (target or Target()).connect() as dataplane:
        return dataplane.observe()


def plan(loaded: Loaded, observed: State, *, adopt: bool = False) -> Plan:
    """Return what brings a VPP that is as `observed` to a configuration; without anything to do it has no steps.

    With `adopt`, interfaces that carry the tag of another program are taken over. Raise PlanRefusedError when something
    forbids it, such as a port that the file does not know, and DataplaneError when VPP lacks a plugin.
    """
    proposal = propose(_configuration(loaded), loaded, observed, adopt=adopt)
    _refuse(proposal.problems)
    return proposal.plan()


def apply(
    loaded: Loaded,
    target: Target | None = None,
    *,
    console: Console | None = None,
    max_impact: Impact = Impact.REMOVE,
    max_pause_ms: float | None = None,
    override_protected: bool = False,
    allow_mass_deletion: bool = False,
    lose_unmanaged: bool = False,
    no_way_back: bool = False,
    again: bool = False,
    keep: bool = False,
    adopt: bool = False,
    confirm_s: float | None = None,
    wait: bool = False,
    check: bool = False,
    install_as: str | os.PathLike[str] = "",
) -> Applied:
    """Bring a VPP to a configuration as a transaction, and return how that ended.

    The `code` of what is returned is DONE, or that of a failed change: ROLLED_BACK and DIFFERENT, the old state
    is back; STRANDED, it is not; NOT_CONFIRMED, with `wait`. Its `change` is the number in the journal.

    More impact on traffic than `max_impact` is refused, and a step for which VPP forwards nothing for longer than
    `max_pause_ms`, by estimate or because that is not known. So is any impact on protected interfaces, the deletion of
    most of what exists, the loss of what others configured on interfaces, a change without a way back, and a file that
    was rolled back; `override_protected`, `allow_mass_deletion`, `lose_unmanaged`, `no_way_back` and `again` allow one
    of these each. `keep` stays when every step succeeds and VPP shows something else. With `confirm_s`, the old state
    comes back after so many seconds, even if this process is gone, unless `confirm` is called or `vppcfg confirm` run;
    `wait` returns only when that is decided. With `check`, the checks of the configuration are run before and after:
    with `confirm_s` they confirm the change or take it back at once; without, the code is CHECK_FAILED when one is not
    good any more. `failed_checks` of what is returned names those. `install_as` names a file that is replaced by the
    configuration when the change is accepted.

    Raise PlanRefusedError, DataplaneError or another VppcfgError, before anything is changed. In the main thread,
    SIGINT and SIGTERM are kept from the program until VPP is in the old state or the new one, and reach it then.
    """
    configuration = _configuration(loaded)
    limits = Limits(
        max_impact=max_impact,
        max_pause_ms=max_pause_ms,
        override_protected=override_protected,
        allow_mass_deletion=allow_mass_deletion,
        lose_unmanaged=lose_unmanaged,
        no_way_back=no_way_back,
    )
    terms = Terms(
        limits=limits,
        again=again,
        keep=keep,
        adopt=adopt,
        confirm_s=confirm_s,
        wait=wait and bool(confirm_s),
        has_checks=check,
        install_as=os.fspath(install_as),
    )
    applied = apply_configuration(configuration, loaded, target or Target(), terms, console or Silent())
    if not applied.change:
        _refuse(applied.problems)
    _pass_on(applied.code)
    return applied


def confirm(target: Target | None = None, *, number: int | None = None) -> int:
    """Keep the change that waits to be confirmed, stop its timer, and return its number.

    With `number`, no other change is kept, and one that is confirmed already is returned as it is. Raise
    PlanRefusedError when none waits or another one does, NotNowError when it is being rolled back already, and
    StorageError when there is no such change, or when it is kept and its file cannot be put in place.
    """
    return confirm_at(target or Target(), number).entry.number


def roll_back(
    target: Target | None = None,
    *,
    number: int | None = None,
    console: Console | None = None,
    max_impact: Impact = Impact.REMOVE,
    max_pause_ms: float | None = None,
    override_protected: bool = False,
    allow_mass_deletion: bool = False,
    lose_unmanaged: bool = False,
    no_way_back: bool = False,
) -> ExitCode:
    """Bring back the state before a change, by default before the last one in force; return how that ended.

    The codes are those of `apply`, and so is what is refused. Raise PlanRefusedError for that, and when there is no
    such change, or VPP has lost a port that was there.
    """
    limits = Limits(
        max_impact=max_impact,
        max_pause_ms=max_pause_ms,
        override_protected=override_protected,
        allow_mass_deletion=allow_mass_deletion,
        lose_unmanaged=lose_unmanaged,
        no_way_back=no_way_back,
    )
    code = roll_back_at(number, target or Target(), Terms(limits=limits), console or Silent())
    _pass_on(code)
    return code


def dump(state: State) -> str:
    """Return the text of a configuration that describes a state: it is valid, and its plan for that state is empty."""
    return write(state)


def _loaded(file: str | os.PathLike[str], text: str | bytes | None) -> Loaded:
    name = os.fspath(file)
    if text is not None:
        return parse_text(text, name or "(text)")
    return read(name)


def _configuration(loaded: Loaded) -> Configuration:
    if loaded.configuration is None:
        raise InvalidError(loaded.name, loaded.problems)
    return loaded.configuration


def _refuse(problems: Iterable[Problem]) -> None:
    """Raise the error that problems lead to, when one of them is an error."""
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:
        text = "; ".join(f"{problem.text} [{problem.rule}]" for problem in errors)
        raise DataplaneError(text) if exit_code_of(errors) is ExitCode.DATAPLANE else PlanRefusedError(text)


_SIGNALS = {ExitCode.INTERRUPTED: signal.SIGINT, ExitCode.TERMINATED: signal.SIGTERM}


def _pass_on(code: ExitCode) -> None:
    """Let the program have the signal that came while a change was made."""
    if code in _SIGNALS:
        signal.raise_signal(_SIGNALS[code])
