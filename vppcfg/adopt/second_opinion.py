"""Compares what the simulated VPP makes of the lines of a script with the answers of a real one.

The real one counts, but for what depends on the machine: hardware, Linux devices, sockets, and ports, for which it has
stand-ins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vppcfg.adopt.command_targets import is_interactive, is_reading
from vppcfg.adopt.excluded_lines import Key, key_of
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.common.redaction import without_secrets
from vppcfg.record import record

AskVpp = Callable[[Sequence[str], Sequence[str]], Sequence[tuple[bool, str]]]
"""Returns whether a VPP that has just started and has some ports takes each of some lines, and what it prints.

There are fewer answers than lines when it crashes at one, and none when it cannot be asked.
"""
_NOT_ASKED = frozenset({"define", "exec", "undefine"})
_OF_HARDWARE = (
    *("create interface af_xdp", "create interface avf", "create interface idpf", "create interface rdma"),
    *("create interface virtio", "create interface vmxnet3", "device ", "dpdk ", "http ", "test "),
)
"""How commands begin that reach for devices, or serve files; they are not sent."""
_OF_THE_MACHINE = (
    *(
        "create host-interface",
        "create interface memif",
        "create tap",
        "create vhost-user",
        "lcp ",
        "set interface mac",
    ),
    *("set interface mtu", "set interface promiscuous", "set interface rss", "set interface rx-", "set interface tx-"),
)
"""How commands begin whose answer depends on Linux, on sockets, on workers or on what drives a port."""
_MISSING = "unknown interface"
_CRASHED = "VPP crashes at this line"


@record
class Opinion:
    """Another answer of a real VPP to a line."""

    line: SourceLine
    is_taken: bool
    text: str
    """What it prints."""
    counts: bool

    @property
    def notice(self) -> str:
        """Return it for people."""
        where = f"{self.line.source}, line {self.line.number}: `{without_secrets(self.line.text)}`"
        ours, its = ("refuses", "takes") if self.is_taken else ("takes", "refuses")
        answer = f": {without_secrets(self.text)}" if self.text and not self.is_taken else ""
        which = "the latter counts" if self.counts else "the former counts, for this depends on the machine"
        return f"{where}: the simulated VPP {ours} it, the installed one {its} it{answer}; {which}"


def other_opinions(lines: Sequence[SourceLine], ports: Sequence[str], ask: AskVpp) -> list[Opinion]:
    """Return where a real VPP answers otherwise, up to the first answer that counts.

    What needs an interface that the machine cannot have is passed over.
    """
    asked = [line for line in lines if _is_asked(line)]
    has_gap = any(line.command.startswith(_OF_HARDWARE) for line in lines)
    found: list[Opinion] = []
    for line, (is_taken, text) in zip(asked, ask([line.text for line in asked], ports), strict=False):
        if is_taken == line.is_carried_out or (has_gap and not is_taken and _MISSING in text):
            continue
        is_own = is_taken or text.startswith(f"{line.command}: ") or text == _CRASHED
        counts = is_own and not line.command.startswith(_OF_THE_MACHINE)
        has_gap |= not counts and not is_taken
        found.append(Opinion(line=line, is_taken=is_taken, text=text, counts=counts))
        if counts:
            break
    return found


def _is_asked(line: SourceLine) -> bool:
    if line.outcome is LineOutcome.NEVER_RAN or not line.command or line.command in _NOT_ASKED:
        return False
    return not (is_reading(line.command) or is_interactive(line.command) or line.command.startswith(_OF_HARDWARE))


def answers_of(opinions: Sequence[Opinion]) -> Mapping[Key, tuple[bool, str]]:
    """Return the answers that count, by line."""
    return {key_of(each.line): (each.is_taken, each.text) for each in opinions if each.counts}
