"""Which daemons of FRR a configuration needs: vtysh passes over the lines of one that does not run."""

from pathlib import Path

import pytest

from vppcfg.common.bounded_command import CommandResult
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.routing_daemons import frr
from vppcfg.routing_daemons.daemon import RoutingDifference
from vppcfg.routing_daemons.frr import Frr


def missing(text: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> str:
    """Return the daemons that are said to be missing beside zebra."""
    answer = CommandResult(output=b" zebra mgmtd\n", seconds=0.0)
    monkeypatch.setattr(frr, "run_bounded", lambda *command, **further: answer)
    (folder / "reload.py").write_text("")
    file = RoutingFile(kind=DaemonKind.FRR, path="", startup="/etc/frr/frr.conf")
    return Frr(file, reload_program=str(folder / "reload.py")).why_unfit(text).partition(" does not run")[0]


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("interface e0\n ip pim\nexit", "pimd"),
        ("interface e0\n ip igmp version 2", "pimd"),
        ("router pim\n rp 192.0.2.1", "pimd"),
        ("interface e0\n ipv6 mld", "pim6d"),
        ("interface gre0\n ip nhrp network-id 1", "nhrpd"),
        ("router openfabric 1", "fabricd"),
        ("interface e0\n ip router isis A", "isisd"),
        ("router bgp 65001\n neighbor 192.0.2.2 bfd\nexit", "bgpd, bfdd"),
        ("router bgp 65001\n neighbor 192.0.2.2 description bfd\nexit", "bgpd"),
        ("bfd\n peer 192.0.2.2", "bfdd"),
        ("interface e0\n\tip ospf area 0", "ospfd"),
        ("segment-routing\n traffic-eng\n  segment-list A", "pathd"),
        ("segment-routing\n srv6\n  locators", ""),
        ("interface e0\n ip address 192.0.2.1/24", ""),
    ],
)
def test_a_daemon_that_a_file_needs_must_run(
    text: str, needed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert missing(f"{text}\n", monkeypatch, tmp_path) == needed


@pytest.mark.parametrize(
    ("gone", "lines"),
    [("", ()), ("ip forwarding\n", ("- ip forwarding", "+ ip forwarding"))],
)
def test_forwarding_that_is_on_is_no_difference(
    gone: str, lines: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = f"Lines To Delete\n===\n{gone}\nLines To Add\n===\nhostname vm\nip forwarding\nipv6 forwarding\n"
    answer = CommandResult(output=text.encode(), seconds=0.0)
    monkeypatch.setattr(frr, "run_bounded", lambda *command, **further: answer)
    difference = Frr(RoutingFile(kind=DaemonKind.FRR, path="", startup=str(tmp_path / "frr.conf"))).difference("x")
    assert isinstance(difference, RoutingDifference)
    assert difference.lines == lines


def test_the_first_error_of_a_reload_is_why_it_failed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mark = "2026-11-30 18:34:05,726 \x1b[91m  ERROR\x1b[0m: "
    lines = ('"interface e0 -- no" we failed to remove this command', f"{mark}% Configuration failed.")
    printed = "\n".join((mark + lines[0], lines[1], "", "The route-map 'IN' does not exist."))

    def answer(command: list[str], *_: object, **__: object) -> CommandResult:
        if "--reload" not in command:
            return CommandResult(output=b"zebra", seconds=0.0)
        seen.update(path.name for path in Path(command[command.index("--confdir") + 1]).iterdir())
        return CommandResult(output=printed.encode(), seconds=0.0, trouble="it ended with exit code 1")

    seen: set[str] = set()
    monkeypatch.setattr(frr, "run_bounded", answer)
    (tmp_path / "reload.py").write_text("")
    file = RoutingFile(kind=DaemonKind.FRR, path="", startup=str(tmp_path / "frr.conf"))
    trouble = Frr(file, reload_program=str(tmp_path / "reload.py")).load("hostname x\n", None)
    assert trouble.endswith(': "interface e0 -- no" we failed to remove this command; % Configuration failed.')
    assert seen == {"frr.conf", "vtysh.conf"}
