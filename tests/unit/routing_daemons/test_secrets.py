"""Passwords in lines of FRR and BIRD, which nobody is to see in a plan."""

import pytest

from vppcfg.routing_daemons.daemon import without_secrets


@pytest.mark.parametrize(
    "line",
    [
        *(" neighbor 192.0.2.2 password geheim", " neighbor 192.0.2.2 password ge heim"),
        *(" ip rip authentication string geheim", " ip nhrp authentication geheim"),
        *(" no neighbor 192.0.2.2 password geheim", " ip ospf message-digest-key 1 md5 geheim"),
        *(" ip ospf authentication-key geheim", " isis password md5 geheim", " area-password clear geheim"),
        *("  key-string geheim", "password 8 geheim", "enable password geheim"),
        *('protocol bgp a { password "geheim"; }', 'password "ge heim geheim" { id 1; }'),
    ],
)
def test_no_password_is_shown(line: str) -> None:
    shown = without_secrets(line)
    assert "heim" not in shown
    assert "***" in shown


@pytest.mark.parametrize("line", [" neighbor 192.0.2.2 description the password", "service password-encryption"])
def test_the_rest_of_a_line_stays(line: str) -> None:
    assert without_secrets(line).split()[:2] == line.split()[:2]
