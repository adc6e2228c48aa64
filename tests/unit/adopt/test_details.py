"""A detail takes its own line out of the file at most, and never what is around it."""

import pytest

from tests.unit.adopt.test_replay import adopted, outcomes

TAP = "create tap id 0 host-if-name vpp-tap0"
GPE = "create vxlan-gpe tunnel local 192.0.2.1 remote 192.0.2.2 vni 5"


@pytest.mark.parametrize(
    ("script", "expected", "key"),
    [
        (f"{TAP}\nset interface ip address tap0 192.0.2.1/24", "file file", "addresses: [ 192.0.2.1/24 ]"),
        (f"{TAP}\ncreate sub-interfaces tap0 100", "file file", "sub-interfaces:\n      100:\n        state: down"),
        (f"{TAP}\nsflow enable-disable tap0", "file file", "sflow: true"),
        (
            "create loopback interface\nset interface state loop0 up\ncreate sub-interfaces loop0 100",
            "file file unmanaged",
            "unmanaged:\n  - loop0.100",
        ),
        (
            "create tap id 1 host-if-name a tun\nset interface state tun1 up\nip route add 10.9.0.0/16 via tun1",
            "unmanaged file file",
            "10.9.0.0/16: { via: { interface: tun1 } }",
        ),
        (
            "create tap id 1 host-ip4-addr 192.0.2.2/24 tun\nset interface state tun1 up",
            "unmanaged file",
            "tun1:\n    mtu: 9000\n",
        ),
        ("ip punt redirect add rx xe0 via 192.0.2.2 xe1", "file", "punt-redirect: { ipv4: { interface: xe1"),
        ("l3xc add xe0 via 192.0.2.2 xe1", "file", "l3xc: { ipv4: { interface: xe1"),
        (
            "set interface l2 bridge xe0 10\nset interface tcp-mss-clamp xe0 ip4 enable ip4-mss 1360 ip6 disable",
            "file file",
            "mss-clamp: { ipv4: 1360 }",
        ),
        (
            "create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 1 decap-next node nsh-proxy\n"
            "set interface l2 bridge vxlan_tunnel0 10\nset interface l2 bridge xe0 10",
            "unmanaged unmanaged file",
            "interfaces: [ xe0 ]",
        ),
        (
            "set interface state xe0 up\nip mroute add 232.1.1.1 Signal\nmpls local-label 99 192.0.2.0/24",
            "file unmanaged unmanaged",
            "xe0:\n    mtu: 9000",
        ),
        (
            "pipe create\nset interface ip address pipe0.0 192.0.2.1/31\nset interface state xe0 up\n"
            "set interface promiscuous on xe1",
            "unmanaged unmanaged file unmanaged",
            "pipe0.0",
        ),
        (
            "set interface l2 bridge xe0 10 1\ncreate loopback interface\nset interface l2 bridge loop0 10 bvi 2\n"
            "set interface state loop0 up",
            "file file file file",
            "bvi: loop0",
        ),
        (
            "set interface l2 bridge xe0 0\nl2fib add 02:00:5e:00:53:01 0 xe0 static\nset interface state xe1 up",
            "unmanaged unmanaged file",
            "unmanaged:\n  - xe0 ",
        ),
        (
            "mpls table add 0\nset interface mpls xe0 enable\n"
            "mpls local-label add eos 33 via l2-input-on xe1\nset interface state xe0 up",
            "file file unmanaged file",
            "mpls: true",
        ),
        ("create loopback interface", "file", "loop0:\n    mtu: 9000\n    state: down"),
        (
            f"{GPE}\nset interface l2 bridge vxlan_gpe_tunnel0 10\nset interface l2 bridge xe0 10",
            "unmanaged unmanaged file",
            "bd10:\n    mtu: 9000\n    interfaces: [ xe0 ]",
        ),
        (
            "create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 5\n"
            "set interface span xe0 destination vxlan_tunnel0 both",
            "file file",
            "mirror: { vxlan_tunnel0: both }",
        ),
        ("set interface state xe0 up\nset interface state xe0 punt", "no_effect unmanaged", "state: down"),
        ("set interface state xe0 punt\nset interface state xe0 up", "no_effect file", "xe0:\n    mtu: 9000\n"),
        (
            "create sub-interfaces xe0 100\nset interface ip address xe0.100 ::/128\n"
            "set interface ip address xe0.100 192.0.2.1/24",
            "file unmanaged file",
            "addresses: [ 192.0.2.1/24 ]\n        unmanaged-addresses: [ '::/128' ]",
        ),
        ("set interface ip address xe0 192.0.2.0/24", "unmanaged", "unmanaged-addresses: [ 192.0.2.0/32 ]"),
    ],
)
def test_a_detail_takes_nothing_else_with_it(script: str, expected: str, key: str) -> None:
    adoption = adopted(f"{script}\n")
    assert " ".join(outcomes(adoption)) == expected, [line.why for line in adoption.report.lines]
    assert key in adoption.text, adoption.text
    assert adoption.report.notices == ()


def test_queues_of_a_tap_are_left_and_placed_behind_the_file() -> None:
    """VPP 26.10 takes all of these; it reports modes and threads of ports alone, and no file has them of a TAP."""
    lines = ("set interface rx-placement tap0 main", "set interface rx-mode tap0 queue 0 interrupt")
    adoption = adopted("\n".join(("create tap id 0 host-if-name vpp0", *lines, "set interface state tap0 up")))
    assert outcomes(adoption) == ["file", "unmanaged", "unmanaged", "file"]
    assert adoption.rest.last == lines


def test_a_loopback_has_no_queue_whose_mode_can_be_set() -> None:
    adoption = adopted("create loopback interface instance 0\nset interface rx-mode loop0 interrupt\n")
    assert outcomes(adoption) == ["file", "no_effect"]


def test_a_tap_with_more_queues_is_left() -> None:
    adoption = adopted("create tap id 2 num-rx-queues 2\nset interface rx-placement tap2 queue 1 main\n")
    assert outcomes(adoption) == ["unmanaged", "unmanaged"]


def test_a_rewrite_of_tags_of_what_is_routed_takes_nothing_with_it() -> None:
    rewrite = "set interface l2 tag-rewrite xe0.5 pop 1\n"
    script = f"set interface state xe0 up\ncreate sub-interfaces xe0 5 dot1q 5 exact-match\n{rewrite}"
    adoption = adopted(f"{script}set interface ip address xe0.5 192.0.2.1/24\n")
    assert outcomes(adoption) == ["file", "file", "fault", "file"]
    assert adoption.report.lines[2].rule == "adopt-does-nothing"
    bridged = adopted(f"{script}create bridge-domain 5\nset interface l2 bridge xe0.5 5\n")
    assert outcomes(bridged) == ["file"] * 5


def test_a_route_that_is_left_and_deleted_and_set_again_is_left_once() -> None:
    route = "ip route add 10.1.0.0/16 via 192.0.2.9 out-labels 33"
    interface = "set interface state xe0 up\nset interface ip address xe0 192.0.2.1/24\n"
    adoption = adopted(f"{interface}{route}\nip route del 10.1.0.0/16\n{route}\n")
    assert outcomes(adoption) == ["file", "file", "no_effect", "no_effect", "unmanaged"]
    assert adoption.rest.commands == (route,)


@pytest.mark.parametrize("name", ["tap-0", "pg-1", "tapcli-0", "tuntap-0", "lisp_gpe0"])
def test_what_a_command_of_an_older_vpp_made_is_no_port(name: str) -> None:
    adoption = adopted(f"set interface state {name} up\n")
    assert (outcomes(adoption), adoption.report.ports) == (["fault"], ())


def test_what_lisp_makes_is_there_behind_it() -> None:
    assert outcomes(adopted("lisp enable\nset interface state lisp_gpe0 up\n"))[0] == "unmanaged"


@pytest.mark.parametrize("line", ["packet-generator new {", "packet-generator new", "set int nat44 ei in xe0"])
def test_what_vpp_refuses_of_commands_without_a_key_is_not_left(line: str) -> None:
    assert outcomes(adopted(f"{line}\n")) == ["fault"]
