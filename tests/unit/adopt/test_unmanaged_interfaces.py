"""Interfaces that a script creates with words that no file has: they stay unmanaged, with all that is set on them."""

from pathlib import Path

import pytest

from vppcfg.cli.main import main
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES


@pytest.mark.parametrize(
    ("command", "name", "reason"),
    [
        ("create tap id 0 if-name other host-if-name tap0", "tap0", "VPP does not show how this TAP is made"),
        ("wireguard create listen-port 100 generate-key src 10.0.0.1", "wg0", "its name is that of another kind"),
        ("create interface rdma host-if eth1", "rdma-eth1", ""),
        ("pvti interface create local-ip 192.0.2.1 local-port 9", "pvti0", "it is not created by a configuration"),
    ],
)
def test_an_interface_that_is_not_simulated_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, name: str, reason: str
) -> None:
    script = tmp_path / "script.vpp"
    script.write_text(f"{command}\nset interface state {name} up\nset interface ip address {name} 10.1.0.1/24\n")
    assert main(["adopt", "--from", str(script), "--as", "vpp"]) == 0
    output = capsys.readouterr()
    assert f"unmanaged   {command} (line 1)" in output.err
    assert (f"{name} is unmanaged: {reason}" in output.err) == bool(reason)
    assert ("10.1.0.1/24" in output.out) == (not reason)


def test_a_kind_with_words_of_a_command_names_it() -> None:
    for kind in VIRTUAL_INTERFACES:
        words = {kind.number_word, *kind.unsupported_words, *kind.unreported_words}
        assert bool(kind.command) == any(words), kind.key
