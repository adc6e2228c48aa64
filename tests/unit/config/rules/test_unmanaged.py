"""The `unmanaged` list against the interfaces of the file."""

import pytest

from vppcfg.config.load import parse_text


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [
        ("eth0", "eth0"),
        ("eth0.100", "eth0.100"),
        ("eth0.*", "eth0.100"),
        ("eth[0-9]", "eth0"),
        ("*", "eth0"),
        ("?th0", "eth0"),
        ("eth1", None),
        ("eth0.1", None),
        ("eth0.2*", None),
        ("ETH0", None),
        ("eth", None),
        ("th0", None),
        ("eth[!0]", None),
        ("eth[0", None),
        ("bd*", None),
        ("acl:x", None),
    ],
)
def test_a_pattern_must_not_cover_what_is_configured(pattern: str, covered: str | None) -> None:
    text = f"interfaces: {{eth0: {{sub-interfaces: {{100: {{state: up}}}}}}}}\nunmanaged: [loop*, '{pattern}']"
    problems = parse_text(text, "test").problems
    assert [(problem.rule, problem.path) for problem in problems] == (
        [("unmanaged-configured", ("unmanaged", 1))] if covered else []
    )
    assert all(f"covers {covered}," in problem.text for problem in problems)


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [
        ("bd10", "bd10"),
        ("bd*", "bd10"),
        ("bd1", None),
        ("loop0", "loop0"),
        ("tap*", "tap0"),
        ("vxlan_tunnel[0-9]", "vxlan_tunnel0"),
        ("BondEthernet1", None),
        ("acl:*", None),
    ],
)
def test_that_holds_for_all_that_vpp_makes(pattern: str, covered: str | None) -> None:
    text = f"""
loopbacks: {{loop0: }}
bridgedomains: {{bd10: }}
taps: {{tap0: {{host: {{name: x}}}}}}
vxlan_tunnels: {{vxlan_tunnel0: {{local: 192.0.2.1, remote: 192.0.2.2, vni: 1}}}}
acls: {{x: {{terms: [{{action: deny}}]}}}}
unmanaged: ['{pattern}']
"""
    problems = [problem for problem in parse_text(text, "test").problems if problem.rule == "unmanaged-configured"]
    assert [problem.text.split(" ")[2] for problem in problems] == ([f"{covered},"] if covered else [])
