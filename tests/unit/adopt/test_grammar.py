"""Which command a line means: as a VPP 26.10 takes the starts of words, and as each release has the commands."""

import pytest

from vppcfg.adopt.grammar import ParsedCommand, grammar_of
from vppcfg.common.release import NEWEST, Release
from vppcfg.simulator.vpp import SimulatedVpp


@pytest.mark.parametrize(
    ("line", "command", "rest"),
    [
        ("set interface state eth0 up", "set interface state", "eth0 up"),
        ("set int st eth0 up", "set interface state", "eth0 up"),
        ("set\tint\tmtu  packet 1500 eth0", "set interface mtu", "packet 1500 eth0"),
        ("set interface { state loop0 up }", "set interface state", "loop0 up"),
        ("set interface state { loop0 up }", "set interface state", "loop0 up"),
        ("create bond mode lacp", "create bond", "mode lacp"),
        ("cre loop int", "create loopback interface", ""),
        ("sh int", "show interface", ""),
    ],
)
def test_a_line_means_a_command(line: str, command: str, rest: str) -> None:
    assert grammar_of(NEWEST).read(line) == ParsedCommand(command=command, rest=rest)


def test_the_start_of_several_words_means_none_of_them() -> None:
    meant = grammar_of(NEWEST).read("set i state loop0 up")
    assert (meant.command, meant.word) == ("", "i")
    assert {"interface", "ip", "ip6"} <= set(meant.choices)


@pytest.mark.parametrize(
    "line", ["SET interface state loop0 up", "set foo", "set interface", "bogus", "set interface {{ a }}", "{"]
)
def test_a_line_that_no_command_fits_means_none(line: str) -> None:
    meant = grammar_of(NEWEST).read(line)
    assert (meant.command, meant.choices) == ("", ())


def test_a_release_has_its_own_commands() -> None:
    line = "create interface avf 0000:01:00.0"
    assert grammar_of(Release(25, 10)).read(line).command == "create interface avf"
    assert grammar_of(Release(26, 2)).read(line).command == ""
    assert grammar_of(Release(22, 2)).read(line).command == "create interface avf"


@pytest.mark.parametrize("release", ["23.06", "24.10", "26.06", "26.10"])
def test_every_simulated_command_is_one_of_vpp(release: str) -> None:
    """What the simulator adds to VPP would be replayed, and refused by every real one."""
    year, month = (int(part) for part in release.split("."))
    grammar = grammar_of(Release(year, month))
    vpp = SimulatedVpp(release=release)
    unknown = [
        words
        for words in vpp.commands
        if not words.startswith("show") and grammar.read(words).command != words
        if "unknown input" not in vpp.run_line(words)[1]
    ]
    assert unknown == []
