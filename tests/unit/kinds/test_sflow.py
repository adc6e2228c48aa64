"""sFlow, as a VPP tells of it."""

import pytest

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.errors import DataplaneError

SHOWN = """\
sflow sampling-rate 1000
sflow direction rx
sflow polling-interval 5
sflow header-bytes 64
sflow drop-monitoring disable
sflow enable other
sflow enable (nil)
Status
  interfaces enabled: 2
"""


def stub_with(*plugins: str) -> StubVpp:
    """Return a VPP with two ports."""
    stub = StubVpp(plugins=plugins)
    stub.add_interface(1, "port")
    stub.add_interface(2, "other")
    if "sflow" in plugins:
        stub.tell("sflow_direction_get", "sflow_direction_get_reply", {"sampling_D": 3})
        stub.tell("sflow_drop_monitoring_get", "sflow_drop_monitoring_get_reply", {"drop_M": 1})
    return stub


def test_ports_are_known_by_the_names_that_are_shown() -> None:
    stub = stub_with("sflow")
    stub.show({"show sflow": SHOWN})
    found = observed(stub).interfaces
    assert {name: one.has_sflow for name, one in found.items()} == {"port": False, "other": True}


def test_a_vpp_that_does_not_tell_its_settings_is_an_error() -> None:
    stub = stub_with("sflow")
    stub.tell("sflow_header_bytes_get", "sflow_header_bytes_get_reply")
    with pytest.raises(DataplaneError, match="sflow_header_bytes_get_reply"):
        observed(stub)
