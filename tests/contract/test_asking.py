"""Contract: pings of the CLI and ARP requests over the API, as far as nobody is on the wires."""

from tests.contract.subject import Subject


def arping(vpp: Subject, index: int, address: str, message: str = "arping") -> tuple[int, int]:
    reply = getattr(vpp.api, message)(address=address, sw_if_index=index, is_garp=False, repeat=1, interval=0.1)
    return int(reply.retval), int(reply.reply_count)


def test_an_interface_without_an_address_asks_nobody_and_reports_no_answer(vpp: Subject, first: int) -> None:
    assert arping(vpp, first, "192.0.2.9") == (0, 0)
    assert arping(vpp, first, "2001:db8::9") == (0, 0)


def test_nobody_answers_on_an_interface_that_is_not_there(vpp: Subject, first: int) -> None:
    assert [arping(vpp, 4711, "192.0.2.9", message)[0] for message in ("arping", "arping_acd")] == [-2, -2]


def test_nobody_has_an_address_that_is_asked_for(vpp: Subject, first: int) -> None:
    vpp.api.sw_interface_set_flags(sw_if_index=first, flags=1)
    vpp.api.sw_interface_add_del_address(sw_if_index=first, is_add=True, del_all=False, prefix="192.0.2.1/24")
    assert arping(vpp, first, "192.0.2.9", "arping_acd") == (0, 0)
    vpp.api.sw_interface_add_del_address(sw_if_index=first, is_add=False, del_all=True, prefix="192.0.2.1/24")
    vpp.api.sw_interface_set_flags(sw_if_index=first, flags=0)


def test_an_echo_request_goes_out_only_where_there_is_a_route(vpp: Subject, first: int) -> None:
    vpp.api.sw_interface_set_flags(sw_if_index=first, flags=1)
    vpp.api.sw_interface_add_del_address(sw_if_index=first, is_add=True, del_all=False, prefix="192.0.2.1/24")
    assert vpp.cli("ping 192.0.2.9 repeat 1") == (0, "\nStatistics: 1 sent, 0 received, 100% packet loss\n")
    vpp.api.sw_interface_add_del_address(sw_if_index=first, is_add=False, del_all=True, prefix="192.0.2.1/24")
    vpp.api.sw_interface_set_flags(sw_if_index=first, flags=0)
    text = "Failed: no egress interface\n\nStatistics: 0 sent, 0 received, 0% packet loss\n"
    assert vpp.cli("ping 192.0.2.9 repeat 1") == (0, text)
