"""Operations on their way to a VPP: order, windows and refusals."""

import time

import pytest

from tests.unit.vpp.recorder import PORT, Recorder, perform
from tests.unit.vpp.stub_vpp import ALL_PLUGINS, HANG_UP, Request, connected
from vppcfg.dataplane import Performance
from vppcfg.errors import DataplaneError
from vppcfg.kinds.acl_operations import BindAcls, CreateAcl, DeleteAcl, ReplaceAcl
from vppcfg.kinds.address import AddAddress, RemoveAddress
from vppcfg.kinds.bond.operations import DeleteBond
from vppcfg.kinds.interface import SetAdminState, SetLinkMtu, SetTag
from vppcfg.kinds.lcp.operations import CreateLcpPair
from vppcfg.kinds.loopback import DeleteLoopback
from vppcfg.kinds.sub_interface import CreateSubInterface, DeleteSubInterface
from vppcfg.kinds.tap.kind import DeleteTap
from vppcfg.kinds.vxlan import DeleteVxlan
from vppcfg.model.acl import AclBinding
from vppcfg.model.interface import Encapsulation
from vppcfg.model.tunnel import Vxlan
from vppcfg.operations.operation import Operation
from vppcfg.vpp.perform import WINDOW

VXLAN = Vxlan(local="192.0.2.1", remote="192.0.2.2", vni=1)


def sub_interface(number: int) -> CreateSubInterface:
    """Return the creation of port.NUMBER."""
    encapsulation = Encapsulation(outer=number, is_exact=True)
    return CreateSubInterface(interface=f"port.{number}", parent="port", sub_id=number, encapsulation=encapsulation)


def up(name: str) -> SetAdminState:
    """Return the operation that brings an interface up."""
    return SetAdminState(interface=name, is_up=True)


PAIR = CreateLcpPair(interface="port", host_name="e0", netns="ns", is_default_netns=False)


def test_operations_on_a_new_interface_wait_for_its_index() -> None:
    stub = Recorder()
    operations: list[Operation] = [
        sub_interface(5),
        sub_interface(6),
        up("port.6"),
        up("port.5"),
        sub_interface(7),
        up("port.7"),
    ]
    assert perform(stub, *operations).done == (0, 1, 2, 3, 4, 5)
    told = [(request.message.name, request.value("sw_if_index")) for request in stub.told]
    assert told == [
        ("create_subif", PORT),
        ("create_subif", PORT),
        ("sw_interface_set_flags", 1001),
        ("sw_interface_set_flags", 1000),
        ("create_subif", PORT),
        ("sw_interface_set_flags", 1002),
    ]


def test_an_address_that_is_gone_by_itself_is_removed_and_nothing_else_is_done_that_vpp_does_not_find() -> None:
    stub = Recorder()
    stub.refusals = {0: -60, 1: -60, 2: -1}
    remove = RemoveAddress(interface="port", address="2001:db8::1/64")
    performance = perform(stub, remove, AddAddress(interface="port", address="192.0.2.1/24"), remove)
    assert (performance.done, [refusal.retval for refusal in performance.refusals]) == ((0,), [-60, -1])


def test_nothing_is_sent_behind_a_refusal_beyond_the_window() -> None:
    stub = Recorder()
    stub.refusals = {10: -1}
    performance = perform(stub, *[up("port")] * (4 * WINDOW))
    assert len(stub.told) <= 2 * WINDOW
    assert [refusal.index for refusal in performance.refusals] == [10]
    assert performance.done == tuple(index for index in range(len(stub.told)) if index != 10)


def test_refusals_come_in_the_order_of_the_operations() -> None:
    stub = Recorder()
    stub.refusals = {0: -1, 2: -2}
    assert [refusal.index for refusal in perform(stub, up("port"), up("other"), up("port")).refusals] == [0, 2]


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (up("nowhere"), "VPP has no interface nowhere"),
        (SetTag(interface="port", tag="x" * 64), "longer than the 63 bytes"),
        (SetLinkMtu(interface="port", mtu=65536), "does not fit"),
        (
            CreateLcpPair(interface="port", host_name="sixteen-letters!", netns="", is_default_netns=True),
            "longer than the 15 bytes",
        ),
        (
            CreateLcpPair(interface="port", host_name="e0", netns="", is_default_netns=False),
            "in its own namespace while it has a default one",
        ),
        (
            BindAcls(interface="port", binding=AclBinding(input=("web", "ssh", "web"))),
            "applies an access list only once in a direction",
        ),
        (BindAcls(interface="port", binding=AclBinding(output=("web",))), "VPP has no access list web"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_vpp_cannot_be_told_is_refused_unsent(operation: Operation, text: str) -> None:
    stub = Recorder(plugins=ALL_PLUGINS)
    performance = perform(stub, up("port"), operation, up("other"))
    (refusal,) = performance.refusals
    assert (performance.done, refusal.index, refusal.retval, len(stub.told)) == ((0,), 1, 0, 1)
    assert refusal.text.startswith("not sent: ")
    assert text in refusal.text


def test_progress_ends_with_every_operation_answered() -> None:
    stub = Recorder()
    seen: list[int] = []
    with connected(stub) as plane:
        plane.perform([up("port")] * 3000, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 3000


@pytest.mark.parametrize(
    "operation",
    [
        DeleteLoopback(interface="port"),
        DeleteBond(interface="port"),
        DeleteTap(interface="port"),
        DeleteVxlan(interface="port", instance=1, tunnel=VXLAN),
        DeleteSubInterface(interface="port"),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_nothing_is_said_about_what_was_deleted(operation: Operation) -> None:
    stub = Recorder(plugins=ALL_PLUGINS)
    (refusal,) = perform(stub, operation, up("port")).refusals
    assert (refusal.index, refusal.text) == (1, "not sent: VPP has no interface port")


def test_a_new_access_list_is_applied_by_the_index_that_vpp_tells() -> None:
    stub = Recorder(plugins=ALL_PLUGINS)
    performance = perform(
        stub,
        CreateAcl(acl="web", rules=(), tag="vppcfg web"),
        CreateAcl(acl="ssh", rules=(), tag="vppcfg ssh"),
        BindAcls(interface="port", binding=AclBinding(input=("ssh", "web"))),
        ReplaceAcl(acl="ssh", rules=(), tag="vppcfg ssh"),
        BindAcls(interface="port", binding=AclBinding()),
        DeleteAcl(acl="ssh"),
        DeleteAcl(acl="ssh"),
    )
    assert (performance.done, [refusal.index for refusal in performance.refusals]) == ((0, 1, 2, 3, 4, 5), [6])
    assert performance.refusals[0].text == "not sent: VPP has no access list ssh"
    bind, replace, _, delete = stub.told[2:]
    assert list(bind.message.items(bind.data, "")) == [(1001,), (1000,)]
    assert (replace.value("acl_index"), delete.value("acl_index")) == (1001, 1001)


def test_a_pair_on_a_vpp_without_linux_cp_is_an_error_before_anything_is_sent() -> None:
    stub = Recorder(plugins=())
    with pytest.raises(DataplaneError, match="has no message lcp_itf_pair_add_del"), connected(stub) as plane:
        plane.perform([up("port"), PAIR])
    assert stub.told == []


@pytest.mark.parametrize("replies", [[HANG_UP], []], ids=["closes", "is silent"])
def test_a_vpp_that_goes_away_is_an_error_that_says_how_far_it_got(replies: list[bytes]) -> None:
    stub = Recorder()
    stub.answers["hw_interface_set_mtu"] = lambda request: replies
    with pytest.raises(DataplaneError, match="; 1 of 2 operations were answered"), connected(stub, None, 0.1) as plane:
        plane.perform([up("port"), SetLinkMtu(interface="port", mtu=1500)])


def test_an_answer_shorter_than_its_definition_is_an_error() -> None:
    stub = Recorder()
    stub.answers["delete_subif"] = lambda request: [stub.say("delete_subif_reply", request)[:-4]]
    short = stub.answers["delete_subif"]

    def cut(request: Request) -> list[bytes]:
        data = short(request)[0]
        return [data[:8] + (len(data) - 16).to_bytes(4) + data[12:]]

    stub.answers["delete_subif"] = cut
    with pytest.raises(DataplaneError, match="delete_subif_reply"), connected(stub) as plane:
        plane.perform([DeleteSubInterface(interface="other")])


def test_it_is_told_how_long_vpp_took_for_its_slowest_answer() -> None:
    stub = Recorder()
    flags = stub.answers["sw_interface_set_flags"]

    def slowly(request: Request) -> list[bytes]:
        time.sleep(0.05)
        return flags(request)

    assert perform(stub, up("port")).longest_answer_s < 0.05
    stub.answers["sw_interface_set_flags"] = slowly
    assert 0.05 <= perform(stub, up("port"), up("port")).longest_answer_s < 5
    assert perform(stub).longest_answer_s == 0


def test_an_answer_that_nobody_waits_for_is_passed_over() -> None:
    stub = Recorder()
    flags = stub.answers["sw_interface_set_flags"]
    stub.answers["sw_interface_set_flags"] = lambda request: flags(request) * 2
    assert perform(stub, up("port"), up("port")) == Performance(done=(0, 1))


def test_a_pair_of_a_sub_interface_that_linux_cannot_have_is_told_in_words() -> None:
    for name, is_told in (("port", False), ("port.5", True)):
        stub = Recorder()
        stub.refusals = {1: -73}
        pair = CreateLcpPair(interface=name, host_name="e0", netns="", is_default_netns=True)
        (refusal,) = perform(stub, sub_interface(5), pair).refusals
        assert ("modprobe 8021q" in refusal.text) is is_told
