"""Contract: LLDP on ports: what is told is told back, and only silence lets it be changed."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import PORTS, Subject


def speak(vpp: Subject, index: int, description: str = "", *, is_on: bool = True, **told: Any) -> int:
    reply = vpp.api.sw_interface_set_lldp(sw_if_index=index, port_desc=description, enable=is_on, **told)
    return int(reply.retval)


def settings(vpp: Subject, name: str = "", hold: int = 0, interval: int = 0) -> int:
    return int(vpp.api.lldp_config(system_name=name, tx_hold=hold, tx_interval=interval).retval)


def rows(vpp: Subject) -> list[Any]:
    """Return what is told; before 26.10 that is no more than which ports speak."""
    if not vpp.since("26.10"):
        pytest.skip("this VPP does not tell what its ports tell")
    return sorted(vpp.pages("lldp_dump"), key=lambda row: row.sw_if_index)


def told(vpp: Subject) -> list[tuple[Any, ...]]:
    return [
        (row.sw_if_index, text(row.port_desc), str(row.mgmt_ip4), str(row.mgmt_ip6), text(row.mgmt_oid))
        for row in rows(vpp)
    ]


def text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode()


@pytest.fixture
def second(vpp: Subject, first: int) -> Iterator[int]:
    """Return another port, and silence both in the end."""
    index = vpp.index(PORTS[1])
    settings(vpp, "vpp", 4, 30)
    yield index
    for port in (first, index):
        speak(vpp, port, is_on=False)


def test_ports_tell_what_they_are_told(vpp: Subject, first: int, second: int) -> None:
    assert told(vpp) == []
    assert speak(vpp, first, "to Bern 1", mgmt_ip4="192.0.2.1", mgmt_ip6="2001:db8::1", mgmt_oid=b"1.3.6") == 0
    assert speak(vpp, second) == 0
    assert told(vpp) == [(first, "to Bern 1", "192.0.2.1", "2001:db8::1", "1.3.6"), (second, "", "0.0.0.0", "::", "")]
    assert speak(vpp, first, "other") == 0
    assert told(vpp)[0][1] == "to Bern 1"
    assert (speak(vpp, first, is_on=False), speak(vpp, first, is_on=False), speak(vpp, first, "other")) == (0, 0, 0)
    assert told(vpp)[0] == (first, "other", "0.0.0.0", "::", "")


def test_settings_are_told_with_each_port(vpp: Subject, first: int, second: int) -> None:
    assert settings(vpp, "r1", 7, 60) == speak(vpp, first) == 0
    assert [(text(row.system_name), row.tx_hold, row.tx_interval) for row in rows(vpp)] == [("r1", 7, 60)]
    assert settings(vpp, "", 0, 45) == 0
    assert [(text(row.system_name), row.tx_hold, row.tx_interval) for row in rows(vpp)] == [("r1", 7, 45)]
    assert (settings(vpp, "", 101, 0), settings(vpp, "", 0, 3601)) == (-7, -7)


def test_what_is_no_port_does_not_speak(vpp: Subject, first: int, second: int) -> None:
    indexes = [vpp.sub(first, number) for number in range(100, 104)]
    assert {speak(vpp, index) for index in indexes} == {-7}
    assert speak(vpp, 0xFFFFFFFF) == -2
    assert told(vpp) == []


def test_it_is_typed(vpp: Subject, first: int, second: int) -> None:
    assert vpp.cli("set lldp system-name r2 tx-hold 5 tx-interval 20") == (0, "")
    words = "port-desc uplink mgmt-ip4 192.0.2.1 mgmt-ip6 2001:db8::1 mgmt-oid 1.3"
    assert vpp.cli(f"set interface lldp {PORTS[0]} {words}") == (0, "")
    assert told(vpp) == [(first, "uplink", "192.0.2.1", "2001:db8::1", "1.3")]
    assert [(text(row.system_name), row.tx_hold, row.tx_interval) for row in rows(vpp)] == [("r2", 5, 20)]
    assert vpp.cli(f"set interface lldp {PORTS[0]} disable") == (0, "")
    assert told(vpp) == []
    for line in ("set lldp tx-hold 101", "set lldp tx-interval 3601", "set interface lldp nothing"):
        assert vpp.cli(line)[0] != 0
