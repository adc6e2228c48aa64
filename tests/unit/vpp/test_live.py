"""A running VPP as a dataplane: its version, and what is said about one that we do not know."""

import logging

import pytest

from tests.unit.vpp.stub_vpp import StubVpp, connected
from vppcfg.dataplane import Dataplane


@pytest.mark.parametrize(
    ("version", "warning"),
    [
        ("22.06-release", None),
        ("23.06-rc0~35-gaf4046134", None),
        ("26.10-rc0~374-gb575ec2c56d", None),
        ("27.02-rc0", "VPP 27.02-rc0 is newer than the newest that vppcfg knows, 26.10"),
        ("22.02-release", "VPP 22.02-release is older than the oldest that vppcfg knows, 22.06"),
        ("21.10", "VPP 21.10 is older than the oldest that vppcfg knows, 22.06"),
        ("homemade", "VPP homemade is newer than the newest that vppcfg knows, 26.10"),
    ],
)
def test_a_release_that_we_do_not_know_is_warned_of(
    version: str, warning: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    stub = StubVpp()
    stub.version = version
    with caplog.at_level(logging.INFO), connected(stub) as plane:
        assert plane.version == version
    assert caplog.messages == [f"VPP version is {version}", *([warning] if warning else [])]


def test_it_is_a_dataplane() -> None:
    with connected(StubVpp()) as plane:
        dataplane: Dataplane = plane
        assert dataplane.observe().interfaces == {}
