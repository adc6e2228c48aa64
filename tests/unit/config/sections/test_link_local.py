"""The link-local address that VPP has, where the file says none or another one."""

import pytest

from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import Facts, State

ADDRESS = "2001:db8::1/64"
PORT = Interface(
    name="eth0",
    kind=InterfaceKind.PHYSICAL,
    device_class="af-packet",
    link_mtu=1500,
    packet_mtu=1500,
    is_up=True,
    addresses=frozenset({ADDRESS}),
    link_local="fe80::7",
)


@pytest.mark.parametrize(
    ("keys", "plugins", "wanted"),
    [
        ("lcp: e0", {"linux_cp", "linux_nl"}, "fe80::7"),
        ("lcp: e0", {"linux_cp"}, None),
        ("state: up", {"linux_cp", "linux_nl"}, None),
        ("lcp: e0, link-local: 'fe80::9'", {"linux_cp", "linux_nl"}, "fe80::9"),
    ],
    ids=["that of the Linux device", "nobody listens to Linux", "there is no Linux device", "the file says another"],
)
def test_it_stays_only_where_it_is_that_of_the_linux_device(keys: str, plugins: set[str], wanted: str | None) -> None:
    loaded = parse_text(f"interfaces: {{ eth0: {{ {keys}, addresses: [ '{ADDRESS}' ] }} }}\n", "file")
    assert loaded.configuration is not None, loaded.problems
    observed = State(interfaces={"eth0": PORT}, facts=Facts(plugins=frozenset(plugins)))
    assert resolve(loaded.configuration, observed).desired.interfaces["eth0"].link_local == wanted
