"""T-Rex's error texts, each in an operator's words."""

import pytest

from vppcfg.loadtest.trex.rpc import refusal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("API verification failed - API handler provided mismatch for class: 'core'", "was restarted"),
        ("please acquire the port before modifying port state", "another user took port 3 over from this test"),
        ("port is not owned by you or your current executing session", "another user took port 3 over from this test"),
        ("port is already taken by 'alice'", "port 3 belongs to alice"),
        ("port is already owned by another session of 'bob'", "port 3 belongs to another session of bob"),
        ("invalid port id - should be: 0 1", "T-Rex has no port 3"),
        ("command 'start' cannot be executed on current state: 'IDLE'", "port 3 is not in a state to do that"),
        ("Link state is DOWN.", "port 3 has no link"),
        ("Port 0 dest MAC is invalid and there are streams without explicit dest MAC.", "which MAC address to send to"),
        ("Expected L1 B/W: '12 Gbps' exceeds port line rate: '10 Gbps'", "more than port 3 carries (10 Gbps)"),
        ("Effective bandwidth is zero, this means that your dpdk driver", "how fast port 3 is"),
        ("Bad packet size provided: 9. Should be between 14 and 9238", "does not send frames of that size"),
        ("current stream configuration enforces a minimum rate of '1000' pps", "less than the 1000 pps of the streams"),
        ("something new", "T-Rex refuses start_traffic: something new"),
    ],
)
def test_a_refusal_says_what_is_wrong(text: str, message: str) -> None:
    error = refusal("start_traffic", {"code": -32000, "message": "Execute error", "specific_err": text}, 3)
    assert message in error.message
    assert text in f"{error.message} {error.hint}"


@pytest.mark.parametrize("error", [{}, {"message": "Bad"}, "odd", None])
def test_an_error_without_a_text_is_still_one(error: object) -> None:
    assert refusal("ping", error, None).message.startswith("T-Rex refuses ping: ")
