"""Runs a script on a simulated VPP as `exec` does, line by line, and notes what happens to each line."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from vppcfg.adopt.command_targets import (
    DET44_COMMANDS,
    INEXPRESSIBLE,
    LIMIT_COMMANDS,
    NO_DET44,
    det44_elsewhere,
    first_unsupported_word,
    interface_created_by,
    interfaces_in,
    is_inexpressible,
    is_interactive,
    is_log,
    is_port,
    is_reading,
    lacking_word,
    leaves_braces_open,
    turns_det44_off,
    unsupported_reason,
)
from vppcfg.adopt.excluded_lines import Exclusions, Key, key_of
from vppcfg.adopt.formats import interfaces_named, unread_part
from vppcfg.adopt.grammar import Grammar, ParsedCommand
from vppcfg.adopt.nodes import node_refusal
from vppcfg.adopt.places import Place, also_set_by, place_of
from vppcfg.adopt.report import AssumedPort, LineOutcome, SourceLine
from vppcfg.adopt.routes import with_unreadable_settings
from vppcfg.adopt.script import MacroError, Macros, commands_in, without_uncomment
from vppcfg.adopt.simulation import Simulation
from vppcfg.adopt.sources import is_script
from vppcfg.adopt.trial import EndState, end_of
from vppcfg.adopt.unmanaged_interfaces import UnmanagedInterfaces, is_made
from vppcfg.adopt.unmanaged_objects import UnmanagedObjects
from vppcfg.common.bounds import SCRIPT_CHARACTERS, SCRIPT_COMMANDS
from vppcfg.common.numbers import whole_number
from vppcfg.errors import UsageError
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.simulator.port import PhysicalPort

_DEEPEST_EXEC = 8
_NEEDS_WHAT_IS_LEFT = "it needs what an earlier line sets, which is left"
_TAKEN_BY_REAL = "the installed VPP takes it, and what it does is not simulated"
_REFUSED_HALF_WAY = "what it has set until then is in no key of the file"
_RULES = {"nothing": "adopt-does-nothing", "whole": "adopt-whole-address"}
"""Of faults that are of the line itself."""
_NAMES_LIST = {"set acl-plugin acl": "index", "set acl-plugin interface": "acl"}
"""The word before the number of an access list that has to be there."""
_NOT_EXACT = "without exact-match"
SETTINGS = {
    "lcp default": ("dataplane", "linux-cp", "netns"),
    "lcp lcp-sync": ("dataplane", "linux-cp", "sync"),
    "lcp lcp-auto-subint": ("dataplane", "linux-cp", "auto-subint"),
}
"""Commands whose place is the section `dataplane`: VPP reads it at its start."""

ReadFile = Callable[[str, str], tuple[str, str] | None]
"""Returns the name and the text of the file that `exec` names in a script, None when it cannot be read."""


_READ_ON = frozenset({"create loopback interface", "loopback create-interface"})
"""Commands that VPP carries out by the words that it knows, before it takes the next one for another command."""


class Replay:
    """One VPP and the scripts that it is given."""

    def __init__(
        self,
        simulation: Simulation,
        grammar: Grammar,
        read_file: ReadFile,
        *,
        past_errors: bool,
        may_assume: bool,
        left: Exclusions | None = None,
        answers: Mapping[Key, tuple[bool, str]] | None = None,
    ) -> None:
        """Run scripts on `simulation`, with `past_errors` also what stands behind a command that VPP refuses.

        With `may_assume`, a port that only a script names is taken for one that VPP has. What is `left` is
        not run, because no file has what it sets. Of some lines a real VPP has said whether it takes them, and why not.
        """
        self._answers = answers or {}
        self._left = left or Exclusions()
        self.lines: list[SourceLine] = []
        self.ports: list[AssumedPort] = []
        self.added: dict[str, PhysicalPort] = {}
        """Ports that the simulated VPP was given on the way."""
        self.made: dict[Key, list[PhysicalPort]] = {}
        """Those of them that lines make, by the line."""
        self.unfit: Mapping[str, str] = {}
        """By interface: why no file can have the rate limits that are there in the end."""
        self.routes: list[Route] = []
        """Those of the prompt in the end, as far as VPP reads them back as they were typed."""
        self._simulation = simulation
        self._grammar = grammar
        self._read_file = read_file
        self._past_errors = past_errors
        self._may_assume = may_assume
        self._macros = Macros()
        self._elsewhere = UnmanagedInterfaces()
        self._objects = UnmanagedObjects(simulation.has_table)
        self._setters: dict[Place, tuple[SourceLine, str]] = {}
        """The line that set a place last, and what follows the words of its command."""
        self._about: dict[str, list[SourceLine]] = {}
        """The lines about each interface that is there."""
        self._running: list[str] = []
        self._runs: Counter[str] = Counter()
        self._characters = 0
        self._is_det44_elsewhere = self._are_limits_left = False
        self._open_comment = 0
        """The line of a comment whose braces a later one was meant to close."""

    def run(self, name: str, text: str) -> bool:
        """Run a script, and return whether VPP gets to its end. Raise UsageError when it does not come to an end."""
        self._running.append(name)
        self._runs[name] += 1
        run, goes_on = self._runs[name], True
        for number, typed in commands_in(text):
            self._characters += len(typed)
            if len(self.lines) >= SCRIPT_COMMANDS or self._characters > SCRIPT_CHARACTERS:
                raise UsageError(
                    f"{name}:{number}: beyond {SCRIPT_COMMANDS:,} commands, or {SCRIPT_CHARACTERS:,} characters",
                    "does a script run itself? Adopt the VPP that has run it, or parts of it one by one with --into",
                )
            line = SourceLine(source=name, number=number, text=typed, run=run)
            self.lines.append(line)
            if goes_on or self._past_errors:
                is_done = self._run_line(line)
                goes_on = goes_on and is_done
            else:
                line.set_outcome(LineOutcome.NEVER_RAN, "VPP stops at the first command that it refuses")
        self._running.pop()
        return goes_on

    def state(self) -> State:
        """Return the state that the VPP is in."""
        return self._simulation.observe()

    def end(self, chosen_mtus: Collection[str]) -> EndState:
        """Return what the VPP has now."""
        return end_of(self._simulation, chosen_mtus)

    def made_apart(self) -> dict[str, Key]:
        """Return patterns of the names of what lines make that are not simulated, each with the line."""
        return self._elsewhere.globs()

    def finish(self) -> State:
        """Return the state that the VPP is in, and let go of it, and of what is only needed while scripts run."""
        state = self.state()
        self.unfit = self._simulation.unfit
        unreadable = with_unreadable_settings(self.lines)
        found = self._simulation.routes_of_prompt(state)
        self.routes = [route for route in found if route.name not in unreadable]
        self._setters.clear()
        self._about.clear()
        del self._simulation
        return state

    def _run_line(self, line: SourceLine) -> bool:
        """Run one command, and return whether VPP goes on behind it."""
        try:
            line.text = self._macros.put_into(line.text)
        except MacroError as error:
            return self._refused(line, str(error))
        if is_log(line.text):
            self._open_comment = line.number if leaves_braces_open(line.text) else self._open_comment
            line.set_outcome(LineOutcome.NO_EFFECT, "a comment")
            return True
        meant = self._grammar.read(without_uncomment(line.text))
        line.command, line.arguments = meant.command, meant.rest
        if not meant.command:
            return self._unknown(line, meant)
        return self._run_command(line, meant)

    def _unknown(self, line: SourceLine, meant: ParsedCommand) -> bool:
        if meant.choices:
            choices = ", ".join(meant.choices[:4]) + (" ..." if len(meant.choices) > 4 else "")
            text = f"`{meant.word}` could be {choices}: VPP takes none of them"
            return self._refused(line, text, "adopt-ambiguous")
        if line.text == "}" and self._open_comment:
            text = f"the comment of line {self._open_comment} ends with that line, and VPP has run those behind it"
            return self._refused(line, f"{text}: close its braces there")
        return self._refused(
            line, f"VPP has no such command (at `{meant.word}`)" if meant.word else "VPP needs more words"
        )

    def _run_command(self, line: SourceLine, meant: ParsedCommand) -> bool:
        if meant.command == "exec":
            return self._follow(line, meant.rest)
        if meant.command in {"define", "undefine"}:
            return self._set_macro(line, meant)
        if is_interactive(meant.command):
            return self._refused(line, "it is for sessions at VPP's prompt, and a script is none")
        words = meant.rest.split()
        if (answer := self._answers.get(key_of(line))) is not None:
            if answer[0]:
                return self._leave(line, words, _TAKEN_BY_REAL)
            return self._refused(line, answer[1].removeprefix(f"{meant.command}: "))
        if refusal := node_refusal(meant.command, words, self._grammar.nodes, self._may_be_interface):
            return self._refused(line, refusal)
        if is_reading(meant.command):
            line.set_outcome(LineOutcome.NO_EFFECT, "it only reads, counts or sends")
            return True
        if key_of(line) in self._left.dropped:
            line.set_outcome(LineOutcome.FAULT, *self._left.dropped[key_of(line)])
            return True
        if turns_det44_off(meant.command, words):
            line.set_outcome(LineOutcome.NO_EFFECT, "a plan that takes DET44 off an interface has it")
            return True
        unread = self._unread(meant)
        self._assume_ports(line, meant.command, meant.rest.removesuffix(unread).split())
        self._is_det44_elsewhere |= det44_elsewhere(meant.command, words)
        if self._is_det44_elsewhere and meant.command in DET44_COMMANDS:
            line.subjects = self._interfaces_in(words)
            line.set_outcome(LineOutcome.UNMANAGED, NO_DET44, "adopt-rest")
            return True
        if self._simulation.lacks_plugin_of(meant.command):
            return self._refused(line, "startup.conf does not enable the plugin that has the command")
        if lacking := lacking_word(meant.command, words):
            return self._refused(line, f"`{meant.command}` needs the word `{lacking}`")
        beyond = first_unsupported_word(meant.command, words)
        why = f"vppcfg has no key for `{beyond}`" if beyond else self._left.why(line)
        if meant.command in LIMIT_COMMANDS:
            why = why or (_NEEDS_WHAT_IS_LEFT if self._are_limits_left else None)
            self._are_limits_left |= why is not None
        if why is not None or meant.command not in self._simulation.commands:
            if unread and meant.command not in _READ_ON:
                return self._refused(line, f"`{meant.command}` does not take `{' '.join(unread.split()[:2])}`")
            if missing := self._missing_interface(line, meant, words):
                return self._refused(line, f"unknown interface `{missing}`")
            if refusal := self._objects.refusal(meant.command, words):
                return self._refused(line, refusal)
            return self._leave(line, words, why or unsupported_reason(meant.command))
        return self._carry_out(line, meant, words)

    def _unread(self, meant: ParsedCommand) -> str:
        """Return what VPP does not read of a command, and takes for no other command in the same line."""
        unread = unread_part(meant.rest, self._grammar.formats_of(meant.command))
        return "" if unread and self._grammar.read(unread).command else unread

    def _may_be_interface(self, name: str) -> bool:
        is_made_elsewhere = self._elsewhere.maker_of(name) is not None
        return is_made_elsewhere or self._simulation.has(name) or (self._may_assume and is_port(name))

    def _missing_interface(self, line: SourceLine, meant: ParsedCommand, words: Sequence[str]) -> str:
        """Return an interface that a command names, and that a command would have made; '' where all are there."""
        if key_of(line) in self._left.taken:
            return ""
        formats = self._grammar.formats_of(meant.command)
        for name in (*interfaces_in(meant.command, words), *interfaces_named(meant.rest, formats)):
            port = self._elsewhere.port_of(name)
            is_there = self._simulation.has(name) or self._elsewhere.maker_of(port) is not None
            if is_made(port) and not is_there:
                return name
        return ""

    def _leave(self, line: SourceLine, words: Sequence[str], why: str) -> bool:
        self._elsewhere.note(key_of(line), line.command, words)
        line.subjects = self._interfaces_in(words)
        if self._left.taken and key_of(line) not in self._left.taken:
            self._refused(line, _REFUSED_HALF_WAY)
            line.is_left = True
            return False
        line.set_outcome(LineOutcome.UNMANAGED, why, "adopt-rest")
        return True

    def _carry_out(self, line: SourceLine, meant: ParsedCommand, words: Sequence[str]) -> bool:
        before = self._interfaces_in(words)
        watch = _Watch(self._simulation, meant.command, words)
        is_done, printed = self._simulation.run(f"{meant.command} {meant.rest}")
        interface = interface_created_by(meant.command, words)
        shown_words = [*printed.split(), *([] if interface is None else [interface])]
        line.subjects = tuple(dict.fromkeys((*before, *self._interfaces_in(shown_words))))
        if not is_done and key_of(line) in self._left.taken:
            return self._leave(line, words, _NEEDS_WHAT_IS_LEFT)
        if not is_done:
            reason = (printed.strip().splitlines() or ["VPP refuses it"])[-1].removeprefix(f"{meant.command}: ")
            return self._refused(line, reason or "VPP refuses it", "adopt-not-exact" if _NOT_EXACT in reason else "")
        self._objects.refusal(meant.command, words)  # what is simulated may make classifier tables too
        if meant.command in SETTINGS:
            line.outcome, line.path = LineOutcome.DATAPLANE, SETTINGS[meant.command]
        elif is_inexpressible(meant.command, words):
            line.set_outcome(LineOutcome.UNMANAGED, INEXPRESSIBLE[meant.command], "adopt-rest")
            return True
        self._overtake(line, meant, words)
        self._note_deletions(line, before)
        for name in line.subjects:
            self._about.setdefault(name, []).append(line)
        for fault in watch.faults(line):
            self._note_fault(fault, line)
        return True

    def _overtake(self, line: SourceLine, meant: ParsedCommand, words: Sequence[str]) -> None:
        """Note which earlier line has no effect any more because of this one, or this one because of an earlier."""
        place = place_of(meant.command, words)
        if place is None:
            return
        former = self._setters.get(place)
        if former is not None and former[0].outcome in {LineOutcome.FILE, LineOutcome.DATAPLANE}:
            earlier, text = former
            if text == f"{meant.command} {meant.rest}":
                line.set_outcome(LineOutcome.NO_EFFECT, f"{_named(earlier, line)} does the same")
                return
            self._set_aside(earlier, line)
        also = also_set_by(place)
        beside = self._setters.pop(also, None) if also is not None else None
        if beside is not None and beside[0].outcome is LineOutcome.FILE:
            self._set_aside(beside[0], line)
        self._setters[place] = line, f"{meant.command} {meant.rest}"

    def _set_aside(self, earlier: SourceLine, line: SourceLine) -> None:
        earlier.set_outcome(LineOutcome.NO_EFFECT, f"{_named(line, earlier)} sets it again: {line.text}")

    def _note_deletions(self, line: SourceLine, before: Iterable[str]) -> None:
        gone = [name for name in before if not self._simulation.has(name)]
        for name in gone:
            for known in [name, *(other for other in self._about if other.startswith(f"{name}."))]:
                for earlier in self._about.pop(known, ()):
                    if earlier.outcome is LineOutcome.FILE:
                        earlier.set_outcome(LineOutcome.NO_EFFECT, f"{_named(line, earlier)} deletes {name}")
        if gone:
            line.set_outcome(LineOutcome.NO_EFFECT, f"what it deletes is created by this script: {', '.join(gone)}")

    def _note_fault(self, fault: tuple[str, str, str], line: SourceLine) -> None:
        """Turn the line that a fault is about into one: this line, or the last one that set a place."""
        kind, name, why = fault
        culprit, rule = line, _RULES.get(kind, "adopt-lcp-before-member")
        if kind in {"lcp", "mtu"}:
            place = ("lcp", name) if kind == "lcp" else ("packet mtu", name)
            former = self._setters.get(place)
            if former is None or former[0].outcome is not LineOutcome.FILE:
                return
            culprit, rule = former[0], rule if kind == "lcp" else "adopt-mtu-overwritten"
            why = f"{_named(line, culprit)} {why}"
        culprit.set_outcome(LineOutcome.FAULT, why, rule)

    def _assume_ports(self, line: SourceLine, command: str, words: Sequence[str]) -> None:
        """Have the ports that a command names, when nothing is known of them but that."""
        for whole in interfaces_in(command, words):
            name = self._elsewhere.port_of(whole) if not self._simulation.has(whole) else ""
            maker = self._elsewhere.maker_of(name)
            is_assumed = maker is None and self._may_assume and len(name) <= 63 and is_port(name)
            if not name or self._simulation.has(name) or not (maker is not None or is_assumed):
                continue
            self.added[name] = self._simulation.add_port(name, "dpdk" if maker is None else maker.device_class)
            if maker is None:
                self.ports.append(AssumedPort(name=name, source=line.source, line=line.number))
            else:
                self.made.setdefault(maker.line, []).append(self.added[name])

    def _interfaces_in(self, words: Iterable[str]) -> tuple[str, ...]:
        return tuple(word for word in words if self._simulation.has(word))

    def _refused(self, line: SourceLine, why: str, rule: str = "") -> bool:
        line.set_outcome(LineOutcome.FAULT, f"VPP refuses it: {why}", rule or "adopt-refused")
        return False

    def _set_macro(self, line: SourceLine, meant: ParsedCommand) -> bool:
        name, _, value = meant.rest.partition(" ")
        if not name or (meant.command == "define" and not value.strip()):
            return self._refused(line, "a name or a value is missing")
        if meant.command == "define":
            self._macros.define(name, value.strip())
        else:
            self._macros.undefine(name)
        line.set_outcome(LineOutcome.NO_EFFECT, "a macro; the lines that use it have its value")
        return True

    def _follow(self, line: SourceLine, rest: str) -> bool:
        """Run the script that a line names."""
        if not rest:
            return self._refused(line, "it names no file", "adopt-exec")
        name = rest.split()[0]
        found = self._read_file(name, line.source)
        if found is None:
            return self._refused(line, f"{name} cannot be read here, and its commands are not known", "adopt-exec")
        if found[0] in self._running or len(self._running) > _DEEPEST_EXEC:
            text = "scripts run each other in a circle" if found[0] in self._running else "scripts are too deep"
            return self._refused(line, f"{text}: {os.path.basename(name)}", "adopt-exec")
        has_commands = next(iter(commands_in(found[1])), None) is not None
        if has_commands and not is_script(
            found[1], self._grammar
        ):  # whoever wrote this script may not read every file that we may
            return self._refused(line, f"{name} is no script of VPP, and is not shown", "adopt-exec")
        line.set_outcome(LineOutcome.NO_EFFECT, f"its commands are those of {found[0]}")
        if self.run(*found):
            return True
        line.set_outcome(LineOutcome.FAULT, f"VPP refuses a command of {found[0]}, and stops here too", "adopt-refused")
        return False


class _Watch:
    """Side effects of a command: looked at before it runs, and after it."""

    def __init__(self, simulation: Simulation, command: str, words: Sequence[str]) -> None:
        self._simulation = simulation
        self._command = command
        self._words = words
        self._bond = words[0] if command == "bond add" and words else ""
        self._mac = simulation.mac_of(self._bond) if self._bond else b""
        self._mtus = self._sub_mtus() if command == "set interface mtu" and len(words) == 2 else {}
        self._missing = self._missing_part()

    def _missing_part(self) -> str:
        """Return why VPP takes a command and does nothing, '' where it does something."""
        if self._command == "nat44 add address" and "del" not in self._words and not self._simulation.has_nat():
            return "NAT44 is not enabled, which `nat44 plugin enable` does"
        word = _NAMES_LIST.get(self._command)
        number = self._words[self._words.index(word) + 1] if word in self._words[:-1] else ""
        index = whole_number(number)
        is_missing = index is not None and not self._simulation.has_acl(index)
        return f"there is no access list {number}" if is_missing and not {"del", "delete"} & set(self._words) else ""

    def _has_idle_protocol(self) -> bool:
        """Return whether a mapping names a protocol and no ports (add_static_mapping_command_fn)."""
        words = self._words
        port = "".join(words[words.index("local") + 2 :][:1]) if "local" in words else ""
        return not port.isdecimal() and not {"tcp", "udp", "icmp"}.isdisjoint(words) and "del" not in words

    def _sub_mtus(self) -> dict[str, int]:
        subs = self._simulation.sub_interfaces(self._words[-1])
        return {self._simulation.name_of(sub): sub.mtus[0] for sub in subs}

    def faults(self, line: SourceLine) -> Iterable[tuple[str, str, str]]:
        """Yield what has gone wrong: what kind of fault, the interface, and why."""
        for name in (name for name, mtu in self._mtus.items() if self._sub_mtus().get(name) != mtu):
            yield "mtu", name, f"sets the MTU of {self._words[-1]}, and VPP that of its sub-interfaces with it"
        if self._missing:
            text = f"VPP takes it and does nothing: {self._missing}"
            yield "nothing", "", text
        if self._command == "nat44 add static mapping" and self._has_idle_protocol():
            yield "whole", "", "VPP passes over the protocol of a mapping without ports, and maps the whole address"
        if not self._bond:
            return
        if self._simulation.mac_of(self._bond) != self._mac and self._simulation.has_pair(self._bond):
            yield "lcp", self._bond, f"gives {self._bond} the MAC of its first member; its Linux device has another"


def _named(line: SourceLine, seen_from: SourceLine) -> str:
    where = "" if line.source == seen_from.source else f" of {line.source}"
    return f"line {line.number}{where}"
