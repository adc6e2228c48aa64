"""Contract: OSI protocols that linux-cp passes on."""

import pytest

from tests.contract.subject import Subject

ISIS, ESIS, CLNP = 0x83, 0x82, 0x81


@pytest.fixture
def osi(vpp: Subject) -> Subject:
    """Return a VPP that can pass them on."""
    if not vpp.since("26.06"):
        pytest.skip("this release has no such messages")
    if "osi_plugin.so" not in vpp.cli("show plugins")[1]:
        pytest.skip("this VPP runs without the plugin osi")
    return vpp


def test_a_protocol_is_enabled_read_back_and_never_disabled(osi: Subject) -> None:
    enable = osi.api.lcp_osi_proto_enable
    assert [enable(osi_proto=number).retval for number in (ISIS, ISIS, 0x84)] == [0, 0, -31]
    assert osi.cli(f"lcp osi-proto enable {CLNP}") == osi.cli(f"lcp osi-proto enable {ESIS:#x}") == (0, "")
    reply = osi.api.lcp_osi_proto_get()
    assert (reply.retval, reply.count, bytes(reply.osi_protos)) == (0, 3, bytes([CLNP, ESIS, ISIS]))
    assert osi.cli("show lcp osi-proto") == (0, "0x81\n0x82\n0x83\n")


def test_the_prompt_takes_numbers_of_protocols(osi: Subject) -> None:
    words = ("isis", "300", "0x84")
    said = [osi.cli(f"lcp osi-proto enable {word}") for word in words]
    texts = ("No OSI proto entered", "Invalid OSI proto", "Failed to enable OSI proto (-31)")
    assert said == [(-1, f"lcp osi-proto enable: {text}\n") for text in texts]
