"""Contract: hello, goodbye, ping, versions and events."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

import pytest

from tests.contract.subject import ALL, Subject


def test_a_ping_is_answered(vpp: Subject) -> None:
    reply = vpp.api.control_ping()
    assert (reply.retval, reply.vpe_pid > 0) == (0, True)


def test_a_version_is_shown(vpp: Subject) -> None:
    reply = vpp.api.show_version()
    assert (reply.retval, reply.program) == (0, "vpe")
    assert reply.version[:3].rstrip(".").isdigit()


def test_the_list_of_api_versions_is_empty(vpp: Subject) -> None:
    reply = vpp.api.api_versions()
    assert (reply.retval, reply.count) == (0, 0)


def test_the_clock_is_the_wall_clock(vpp: Subject) -> None:
    reply = vpp.api.show_vpe_system_time()
    assert abs(reply.vpe_system_time.timestamp() - time.time()) < 60


@pytest.mark.filterwarnings("ignore:open_text is deprecated:DeprecationWarning")
def test_a_client_connects_without_definition_files(vpp: Subject) -> None:
    from vpp_papi import VPPApiClient

    client = VPPApiClient(server_address=vpp.client.transport.server_address, use_socket=True, bootstrapapi=True)
    with ExitStack() as stack:
        client.connect("bootstrap")
        stack.callback(client.disconnect)
        names = {str(row.interface_name) for row in client.api.sw_interface_dump(sw_if_index=ALL)}
    assert names == set(vpp.interfaces())


def test_goodbye_to_somebody_unknown_is_refused(vpp: Subject) -> None:
    assert vpp.api.sockclnt_delete(index=12345).response == -1


def test_events_are_told_to_those_who_asked(vpp: Subject, first: int) -> None:
    seen: list[tuple[str, int, int, bool]] = []

    def note(_name: str, message: Any) -> None:
        if hasattr(message, "deleted"):
            seen.append((type(message).__name__, message.sw_if_index, int(message.flags) & 1, bool(message.deleted)))

    vpp.client.register_event_callback(note)
    assert vpp.api.want_interface_events(enable_disable=1, pid=7).retval == 0
    vpp.up(first)
    sub = vpp.sub(first, 100)
    assert vpp.api.delete_subif(sw_if_index=sub).retval == 0
    _wait_for(lambda: any(event[3] for event in seen))
    assert ("sw_interface_event", first, 1, False) in seen
    assert any(event[1:] == (sub, 0, True) for event in seen)


def test_asking_twice_for_events_is_refused(vpp: Subject) -> None:
    answers = [vpp.api.want_interface_events(enable_disable=wanted, pid=7).retval for wanted in (0, 1, 1, 0, 0)]
    assert answers == [-31, 0, -31, 0, -31]


def _wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 5
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
