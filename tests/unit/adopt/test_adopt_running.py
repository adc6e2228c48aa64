"""A running VPP whose Linux devices are otherwise than VPP means them."""

from vppcfg.adopt.adoption import adopt_state
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.lcp import LcpPair
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.state import Facts, State


def test_what_linux_has_otherwise_is_a_notice_and_no_gap() -> None:
    port = Interface(
        name="eth0", kind=InterfaceKind.PHYSICAL, device_class="dpdk", link_mtu=1500, packet_mtu=1500, is_up=True
    )
    facts = Facts(version="26.10", plugins=frozenset({"linux_cp"}), has_linux=True)
    linux = {"eth0": LinuxDevice(mtu=9000, is_up=True)}
    state = State(interfaces={"eth0": port}, lcps={"eth0": LcpPair(host_name="e0", netns="")}, linux=linux, facts=facts)
    adoption = adopt_state(state, "VPP")
    assert adoption.report.notices == (
        "the Linux device of eth0 has MTU 9000, state up, and eth0 in VPP means MTU 1500, state up: "
        "the first apply sets that, `vppcfg plan` shows it",
    )
    assert "lcp: e0" in adoption.text
