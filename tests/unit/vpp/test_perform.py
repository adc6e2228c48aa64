"""Operations on their way to a VPP: order, windows, refusals and what is said in each message."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.vpp.stub_vpp import HANG_UP, Request, StubVpp, connected
from vppcfg.dataplane import Performance
from vppcfg.errors import DataplaneError
from vppcfg.model.interface import Encapsulation, OtherMatch, TagRewrite
from vppcfg.plan import operations as op
from vppcfg.vpp.encode import api_call
from vppcfg.vpp.perform import WINDOW

PORT = 1
REQUESTS = (
    "sw_interface_set_flags",
    "create_subif",
    "delete_subif",
    "hw_interface_set_mtu",
    "sw_interface_set_mtu",
    "sw_interface_add_del_address",
    "lcp_itf_pair_add_del_v3",
    "lcp_itf_pair_add_del_v2",
    "sw_interface_set_l2_xconnect",
    "l2_interface_vlan_tag_rewrite",
    "sw_interface_tag_add_del",
)


class Recorder(StubVpp):
    """A VPP with two ports that does what it is told, except where `refusals` says otherwise, and remembers it."""

    def __init__(self, release: str = "26.10", plugins: tuple[str, ...] = ("linux_cp",)) -> None:
        super().__init__(release, plugins)
        self.add_interface(PORT, "port")
        self.add_interface(2, "other")
        self.told: list[Request] = []
        self.refusals: dict[int, int] = {}
        """Return codes by the position of the request."""
        self.next_index = 1000
        for name in REQUESTS:
            if name in self.messages:
                self.answers[name] = self.take

    def take(self, request: Request) -> list[bytes]:
        """Answer a request."""
        self.told.append(request)
        values = {"retval": self.refusals.get(len(self.told) - 1, 0)}
        if request.message.name == "create_subif":
            values["sw_if_index"] = self.next_index
            self.next_index += 1
        return [self.say(f"{request.message.name}_reply", request, values)]


def perform(stub: Recorder, *operations: op.Operation) -> Performance:
    """Return what became of `operations`."""
    with connected(stub) as plane:
        return plane.perform(operations)


def sub_interface(number: int) -> op.CreateSubInterface:
    """Return the creation of port.NUMBER."""
    encapsulation = Encapsulation(outer=number, is_exact=True)
    return op.CreateSubInterface(interface=f"port.{number}", parent="port", sub_id=number, encapsulation=encapsulation)


def up(name: str) -> op.SetAdminState:
    """Return the operation that brings an interface up."""
    return op.SetAdminState(interface=name, is_up=True)


PAIR = op.CreateLcpPair(interface="port", host_name="e0", netns="ns", is_default_netns=False)

SAID: list[tuple[op.Operation, str, dict[str, Any]]] = [
    (up("port"), "sw_interface_set_flags", {"sw_if_index": 1, "flags": 1}),
    (op.SetAdminState(interface="other", is_up=False), "sw_interface_set_flags", {"sw_if_index": 2, "flags": 0}),
    (
        sub_interface(100),
        "create_subif",
        {"sw_if_index": 1, "sub_id": 100, "sub_if_flags": 2 | 16, "outer_vlan_id": 100, "inner_vlan_id": 0},
    ),
    (
        op.CreateSubInterface(
            interface="port.5",
            parent="port",
            sub_id=5,
            encapsulation=Encapsulation(outer=100, inner=200, is_dot1ad=True),
        ),
        "create_subif",
        {"sub_id": 5, "sub_if_flags": 4 | 8, "outer_vlan_id": 100, "inner_vlan_id": 200},
    ),
    (
        op.CreateSubInterface(
            interface="port.4294967295",
            parent="port",
            sub_id=4294967295,
            encapsulation=OtherMatch(flags=132, outer=3),
        ),
        "create_subif",
        {"sub_id": 4294967295, "sub_if_flags": 132, "outer_vlan_id": 3, "inner_vlan_id": 0},
    ),
    (op.DeleteSubInterface(interface="other"), "delete_subif", {"sw_if_index": 2}),
    (op.SetLinkMtu(interface="port", mtu=9216), "hw_interface_set_mtu", {"sw_if_index": 1, "mtu": 9216}),
    (
        op.SetPacketMtu(interface="port", mtu=1500),
        "sw_interface_set_mtu",
        {"sw_if_index": 1, "mtu.0": 1500, "mtu.1": 0, "mtu.2": 0, "mtu.3": 0},
    ),
    (
        op.SetPacketMtu(interface="port", mtu=1500, protocol_mtus=(1400, 1280, 1300)),
        "sw_interface_set_mtu",
        {"mtu.0": 1500, "mtu.1": 1400, "mtu.2": 1280, "mtu.3": 1300},
    ),
    (
        op.AddAddress(interface="port", address="192.0.2.1/24"),
        "sw_interface_add_del_address",
        {
            "sw_if_index": 1,
            "is_add": True,
            "del_all": False,
            "prefix.address.af": 0,
            "prefix.address.un": b"\xc0\0\2\1" + bytes(12),
            "prefix.len": 24,
        },
    ),
    (
        op.RemoveAddress(interface="port", address="2001:db8::1/64"),
        "sw_interface_add_del_address",
        {
            "is_add": False,
            "del_all": False,
            "prefix.address.af": 1,
            "prefix.address.un": b"\x20\x01\x0d\xb8" + bytes(11) + b"\1",
            "prefix.len": 64,
        },
    ),
    (
        PAIR,
        "lcp_itf_pair_add_del_v3",
        {
            "is_add": True,
            "sw_if_index": 1,
            "host_if_name": b"e0".ljust(16, b"\0"),
            "host_if_type": 0,
            "netns": b"ns".ljust(32, b"\0"),
        },
    ),
    (
        op.CreateLcpPair(interface="port", host_name="e0", netns="main", is_default_netns=True),
        "lcp_itf_pair_add_del_v3",
        {"netns": b"main".ljust(32, b"\0")},
    ),
    (op.DeleteLcpPair(interface="other"), "lcp_itf_pair_add_del_v3", {"is_add": False, "sw_if_index": 2}),
    (
        op.SetCrossConnect(interface="port", target="other"),
        "sw_interface_set_l2_xconnect",
        {"rx_sw_if_index": 1, "tx_sw_if_index": 2, "enable": True},
    ),
    (
        op.LeaveL2(interface="other"),
        "sw_interface_set_l2_xconnect",
        {"rx_sw_if_index": 2, "tx_sw_if_index": 0, "enable": False},
    ),
    (
        op.SetTagRewrite(interface="port", tag_rewrite=TagRewrite(operation=6, push_dot1q=1, tag1=5, tag2=6)),
        "l2_interface_vlan_tag_rewrite",
        {"sw_if_index": 1, "vtr_op": 6, "push_dot1q": 1, "tag1": 5, "tag2": 6},
    ),
    (
        op.SetTagRewrite(interface="port", tag_rewrite=None),
        "l2_interface_vlan_tag_rewrite",
        {"sw_if_index": 1, "vtr_op": 0, "push_dot1q": 0, "tag1": 0, "tag2": 0},
    ),
    (
        op.SetTag(interface="port", tag="vppcfg é"),
        "sw_interface_tag_add_del",
        {"sw_if_index": 1, "is_add": True, "tag": "vppcfg é".encode().ljust(64, b"\0")},
    ),
    (op.SetTag(interface="port", tag=""), "sw_interface_tag_add_del", {"is_add": False, "tag": bytes(64)}),
]


@pytest.mark.parametrize(("operation", "message", "values"), SAID, ids=lambda value: str(value)[:60])
def test_an_operation_is_one_message(operation: op.Operation, message: str, values: dict[str, Any]) -> None:
    stub = Recorder()
    assert perform(stub, operation) == Performance(done=(0,))
    (request,) = stub.told
    assert request.message.name == message
    assert {path: request.value(path) for path in values} == values


def test_every_operation_has_its_message() -> None:
    assert {type(operation) for operation, _, _ in SAID} == set(op.Operation.__args__)


def test_nothing_to_do_sends_nothing() -> None:
    stub = Recorder()
    assert perform(stub) == Performance(done=())
    assert stub.told == []


def test_an_older_vpp_is_told_about_pairs_in_its_own_words() -> None:
    stub = Recorder()
    stub.drop("lcp_itf_pair_add_del_v3")
    assert perform(stub, PAIR) == Performance(done=(0,))
    assert stub.told[0].message.name == "lcp_itf_pair_add_del_v2"


def test_operations_on_a_new_interface_wait_for_its_index() -> None:
    stub = Recorder()
    operations: list[op.Operation] = [
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


def test_an_interface_deleted_and_made_again_has_its_new_index() -> None:
    stub = Recorder()
    stub.add_interface(9, "port.5", sup_sw_if_index=PORT, type=1)
    performance = perform(stub, op.DeleteSubInterface(interface="port.5"), sub_interface(5), up("port.5"))
    assert performance.done == (0, 1, 2)
    assert [request.value("sw_if_index") for request in stub.told] == [9, PORT, 1000]


def test_indexes_are_read_anew_each_time() -> None:
    """Between two calls somebody else may have deleted an interface, and VPP given its index to another."""
    stub = Recorder()
    with connected(stub) as plane:
        plane.perform([up("port")])
        stub.rows[0]["sw_if_index"] = 77
        plane.perform([up("port")])
    assert [request.value("sw_if_index") for request in stub.told] == [PORT, 77]


def test_a_refusal_carries_vpps_name_and_words() -> None:
    stub = Recorder()
    stub.refusals = {1: -56}
    performance = perform(stub, up("port"), sub_interface(5), up("other"))
    (refusal,) = performance.refusals
    assert performance.done == (0, 2)
    assert (refusal.index, refusal.operation, refusal.retval) == (1, sub_interface(5), -56)
    assert refusal.text == "VLAN subif already exists (VLAN_ALREADY_EXISTS -56)"


def test_nothing_is_sent_behind_a_refusal_beyond_the_window() -> None:
    stub = Recorder()
    stub.refusals = {10: -1}
    performance = perform(stub, *[up("port")] * (4 * WINDOW))
    assert len(stub.told) <= 2 * WINDOW
    assert [refusal.index for refusal in performance.refusals] == [10]
    assert performance.done == tuple(index for index in range(len(stub.told)) if index != 10)


def test_what_needs_a_refused_interface_is_not_sent() -> None:
    stub = Recorder()
    stub.refusals = {0: -55}
    performance = perform(stub, sub_interface(5), up("port.5"), up("port"))
    assert (performance.done, len(performance.refusals), len(stub.told)) == ((), 1, 1)


def test_refusals_come_in_the_order_of_the_operations() -> None:
    stub = Recorder()
    stub.refusals = {0: -1, 2: -2}
    assert [refusal.index for refusal in perform(stub, up("port"), up("other"), up("port")).refusals] == [0, 2]


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (up("nowhere"), "VPP has no interface nowhere"),
        (op.SetTag(interface="port", tag="x" * 64), "longer than the 63 bytes"),
        (op.SetLinkMtu(interface="port", mtu=65536), "does not fit"),
        (
            op.CreateLcpPair(interface="port", host_name="sixteen-letters!", netns="", is_default_netns=True),
            "longer than the 15 bytes",
        ),
        (
            op.CreateLcpPair(interface="port", host_name="e0", netns="", is_default_netns=False),
            "in its own namespace while it has a default one",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_vpp_cannot_be_told_is_refused_unsent(operation: op.Operation, text: str) -> None:
    stub = Recorder()
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
        plane.perform([up("port"), op.SetLinkMtu(interface="port", mtu=1500)])


def test_an_answer_shorter_than_its_definition_is_an_error() -> None:
    stub = Recorder()
    stub.answers["delete_subif"] = lambda request: [stub.say("delete_subif_reply", request)[:-4]]
    short = stub.answers["delete_subif"]

    def cut(request: Request) -> list[bytes]:
        data = short(request)[0]
        return [data[:8] + (len(data) - 16).to_bytes(4) + data[12:]]

    stub.answers["delete_subif"] = cut
    with pytest.raises(DataplaneError, match="delete_subif_reply"), connected(stub) as plane:
        plane.perform([op.DeleteSubInterface(interface="other")])


def test_an_answer_that_nobody_waits_for_is_passed_over() -> None:
    stub = Recorder()
    flags = stub.answers["sw_interface_set_flags"]
    stub.answers["sw_interface_set_flags"] = lambda request: flags(request) * 2
    assert perform(stub, up("port"), up("port")) == Performance(done=(0, 1))


def test_a_call_for_people_names_interfaces_and_writes_addresses_as_text() -> None:
    assert api_call(op.AddAddress(interface="port", address="2001:db8::1/64")) == (
        "sw_interface_add_del_address",
        {
            "sw_if_index": "port",
            "is_add": 1,
            "prefix.address.af": 1,
            "prefix.address.un": "2001:db8::1",
            "prefix.len": 64,
        },
    )
    assert api_call(PAIR)[0] == "lcp_itf_pair_add_del_v3"
