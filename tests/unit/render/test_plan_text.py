"""CLI lines that golden cases do not show."""

import pytest

from vppcfg.kinds.bond.operations import AddBondMember
from vppcfg.kinds.interface import SetPacketMtu, SetTag
from vppcfg.kinds.l2_operations import SetCrossConnect, SetTagRewrite
from vppcfg.kinds.lcp.operations import CreateLcpPair
from vppcfg.kinds.sub_interface import CreateSubInterface
from vppcfg.model.attachment import Attachment
from vppcfg.model.interface import Encapsulation, OtherMatch, TagRewrite
from vppcfg.operations.attachment import RemoveAttachment, RestoreInVpp
from vppcfg.operations.operation import Operation
from vppcfg.render.plan_text import cli_line

UNNAMABLE = Attachment(
    holder="gi1",
    kind="route of CLI",
    name="10.0.0.0/8",
    lines=("ip route add 10.0.0.0/8 via 192.0.2.1 gi1.2147483648",),
    removal="ip route del 10.0.0.0/8 via 192.0.2.1 gi1.2147483648",
)


def sub(encapsulation: Encapsulation | OtherMatch) -> CreateSubInterface:
    return CreateSubInterface(interface="gi0.5", parent="gi0", sub_id=5, encapsulation=encapsulation)


@pytest.mark.parametrize(
    ("operation", "line"),
    [
        (sub(OtherMatch(flags=32)), "create sub-interfaces gi0 5 default"),
        (sub(OtherMatch(flags=1 | 16)), "create sub-interfaces gi0 5 untagged"),
        (sub(OtherMatch(flags=2 | 64)), "create sub-interfaces gi0 5 dot1q any"),
        (sub(OtherMatch(flags=4 | 8 | 128, outer=7)), "create sub-interfaces gi0 5 dot1ad 7 inner-dot1q any"),
        (
            sub(OtherMatch(flags=4 | 16 | 128, outer=7)),
            "create sub-interfaces gi0 5 dot1q 7 inner-dot1q any exact-match",
        ),
        (
            SetTagRewrite(interface="gi0", tag_rewrite=TagRewrite(operation=2, push_dot1q=1, tag1=5, tag2=6)),
            "set interface l2 tag-rewrite gi0 push dot1q 5 6",
        ),
        (
            SetTagRewrite(interface="gi0", tag_rewrite=TagRewrite(operation=7, tag1=5)),
            "set interface l2 tag-rewrite gi0 translate 2-1 dot1ad 5",
        ),
        (
            CreateLcpPair(interface="gi0", host_name="e0", netns="blue", is_default_netns=False),
            "lcp create gi0 host-if e0 netns blue",
        ),
        (SetTag(interface="gi0", tag="vppcfg"), "set interface tag gi0 vppcfg"),
        (SetTag(interface="gi0", tag="vppcfg my uplink"), "set interface tag gi0 {vppcfg my uplink}"),
        (SetTag(interface="gi0", tag=""), "clear interface tag gi0"),
        (SetPacketMtu(interface="gi0.2147483647", mtu=1500), "set interface mtu packet 1500 gi0.2147483647"),
        (SetPacketMtu(interface="gi0", mtu=1500, protocol_mtus=(1400, 0, 0)), None),
        (SetPacketMtu(interface="gi0.2147483648", mtu=1500), None),
        (SetCrossConnect(interface="gi0", target="gi1.4294967295"), None),
        (AddBondMember(interface="gi1.2147483648", bond="BondEthernet0"), None),
        (RestoreInVpp(attachment=UNNAMABLE), None),
        (RemoveAttachment(attachment=UNNAMABLE), None),
        (SetTag(interface="gi0", tag="vppcfg gi1.2147483648 too"), "set interface tag gi0 {vppcfg gi1.2147483648 too}"),
    ],
)
def test_an_operation_is_the_line_that_vpp_reads(operation: Operation, line: str | None) -> None:
    assert cli_line(operation) == line


def test_a_command_that_vpp_cannot_read_brings_nothing_back() -> None:
    assert UNNAMABLE.commands == ()
