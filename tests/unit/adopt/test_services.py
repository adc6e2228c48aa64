"""Commands of a script for relays, QoS and the other small services stand in the file with what they do."""

import pytest

from tests.wireguard_keys import PEERS, PRIVATE
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.common.release import NEWEST
from vppcfg.model.secret_key import key_text

KEY = key_text(PRIVATE[3])
GROUND = """\
create bridge-domain 1
create loopback interface
set interface state loop0 up
set interface ip address loop0 10.0.0.1/24
"""


def lines_of(commands: str) -> tuple[list[str], str]:
    """Return what became of each command, and the file."""
    found = adopt_scripts([Script(name="a.vpp", text=GROUND + commands)], ReplaySetup(release=NEWEST), lambda *_: None)
    return [line.outcome.value for line in found.report.lines], found.text


@pytest.mark.parametrize(
    ("commands", "text"),
    [
        (
            "set dhcp proxy server 192.0.2.1 src-address 10.0.0.1\n",
            "ipv4: { servers: [ 192.0.2.1 ], source: 10.0.0.1 }",
        ),
        ("qos egress map id 1 [ip][4]=6\nqos mark ip loop0 id 1\n", "qos: { mark: { ip: 1 } }"),
        ("qos egress map id 1 [ip][4]=6\nqos mark ip loop0 id 1\n", "ip: { 4: 6 }"),
        ("qos record ip loop0\nqos store ip loop0 value 5\n", "qos: { record: [ ip ], store: 5 }"),
        ("l3xc add loop0 via 10.0.0.2 loop0\n", "l3xc: { ipv4: { interface: loop0, gateway: 10.0.0.2 } }"),
        ("set bridge-domain arp entry 1 10.0.0.9 02:00:00:00:00:01\n", "10.0.0.9: '02:00:00:00:00:01'"),
        (
            "create gre tunnel src 10.0.0.1 multipoint\ncreate teib gre0 peer 10.9.0.2 nh 10.0.0.2\n",
            "multipoint: true\n    neighbors:\n      10.9.0.2: 10.0.0.2\n",
        ),
        (
            "create ipip tunnel src 10.0.0.1 p2mp\ncreate teib ipip0 peer 10.9.0.2 nh 10.0.0.3\n",
            "multipoint: true\n    neighbors:\n      10.9.0.2: 10.0.0.3\n",
        ),
        (
            "set interface ip address loop0 2001:db8::1/64\nset ip6 nd proxy loop0 2001:db8::6\n"
            "set ip6 nd proxy loop0 2001:db8::5\n",
            "nd-proxy: [ '2001:db8::5', '2001:db8::6' ]",
        ),
        (
            "ip punt redirect add rx all via 10.0.0.2 loop0\n",
            "punt-redirect: { ipv4: { interface: loop0, gateway: 10.0.0.2 } }",
        ),
        (
            "ip6 punt redirect add rx all via 2001:db8::2 loop0\nip punt redirect add rx loop0 via 10.0.0.2 loop0\n",
            "punt-redirect: { ipv4: { interface: loop0, gateway: 10.0.0.2 } }",
        ),
        ("ip punt redirect add rx loop0 via loop0\n", "punt-redirect: { ipv4: { interface: loop0 } }"),
    ],
)
def test_a_command_of_a_service_stands_in_the_file(commands: str, text: str) -> None:
    outcomes, written = lines_of(commands)
    assert set(outcomes) == {"file"}
    assert text in written


def test_nat44_as_by_default_is_an_empty_section() -> None:
    outcomes, written = lines_of("nat44 plugin enable\nset interface nat44 in loop0\n")
    assert set(outcomes) == {"file"}
    assert "\nnat44: {}\n" in written


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("vrrp vr add xe0 vr_id 1 priority 0 192.0.2.9", "fault"),
        ("vrrp vr add xe0 vr_id 1 priority 256 192.0.2.9", "fault"),
        ("vrrp vr add xe0 vr_id 1 interval 65536 192.0.2.9", "fault"),
        ("set ipfix exporter collector 192.0.2.9 src 192.0.2.1 port 65536", "fault"),
        ("nat44 plugin enable\nset interface nat44 in xe1 out xe0\n"
         "nat44 add identity mapping external xe0 udp 65616", "file"),
        (f"wireguard create listen-port 1 private-key {KEY} src 192.0.2.1\n"
         f"wireguard peer add wg0 public-key {PEERS[0]} endpoint 192.0.2.9 dst-port 117356 allowed-ip 10.0.0.0/8 "
         "persistent-keepalive 65561", "file"),
    ],
)  # fmt: skip
def test_numbers_that_are_too_large_are_refused_or_cut_as_by_vpp(line: str, outcome: str) -> None:
    assert lines_of(f"set interface ip address xe0 192.0.2.1/24\n{line}\n")[0][-1] == outcome
