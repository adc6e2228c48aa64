"""Rate limits of scripts stand in the file where that makes the same hosts pass the same; all others are left."""

import pytest

from tests.unit.adopt.test_report_proof import adopted, outcomes

PORT = "set interface state eth0 up\nset interface ip address eth0 192.0.2.1/24\n"
GOLD = "policer add name gold cir 8000 cb 90000 conform-action transmit"
TABLE = "classify table mask l3 ip4 dst"
HOST = "classify session policer-hit-next gold table-index 0 match l3 ip4 dst 198.51.100.9"
ON = "set policer classify interface eth0 ip4-table 0"
SLASH_24 = f"classify table mask hex {'00' * 30}ffffff next-table 0"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ((GOLD, TABLE, HOST, ON), "destination:\n        198.51.100.9: gold\n"),
        ((GOLD, TABLE, f"{HOST} exceed-color", ON), "destination:\n        198.51.100.9: gold\n"),
        (
            (GOLD, "classify table mask l3 ip6 src", "classify session policer-hit-next 0 table-index 0 match l3 ip6 "
             "src 2001:db8::9", "set policer classify interface eth0 ip6-table 0"),
            "source:\n        2001:db8::9: gold\n",
        ),
        (
            (
                *(GOLD, GOLD.replace("gold", "lead"), f"classify table mask hex {'00' * 30}ffffff buckets 64"),
                "classify session policer-hit-next lead table-index 0 match l3 ip4 dst 198.51.100.0",
                *(f"{TABLE} next-table 0", HOST.replace("index 0", "index 1"), ON.replace("table 0", "table 1")),
            ),
            "destination:\n        198.51.100.0/24: lead\n        198.51.100.9: gold\n",
        ),
        (
            (
                *(f"{GOLD} exceed-action mark-and-transmit CS1 violate-action mark-and-transmit CS1", TABLE, HOST, ON),
                "configure policer name gold cir 9000 cb 90000 conform-action transmit",
            ),
            "gold:\n    rate: 9M\n    burst: 90k\n",
        ),
        (
            (f"{GOLD} exceed-action mark-and-transmit CS1 violate-action mark-and-transmit CS1", TABLE, HOST, ON),
            "excess: { mark: cs1 }",
        ),
    ],
)  # fmt: skip
def test_limits_of_hosts_stand_in_the_file(lines: tuple[str, ...], text: str) -> None:
    adoption = adopted(PORT + "\n".join(lines))
    assert (set(outcomes(adoption)) - {"no_effect"}, adoption.rest.commands) == ({"file"}, ())
    assert text in adoption.text


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((GOLD, "policer input name gold eth0"), "from the IP header on"),
        ((GOLD, "policer output name gold eth0"), "what comes in alone"),
        ((GOLD,), "no interface of the file sends packets to it"),
        ((TABLE, ON), "limit no host"),
        ((GOLD.replace("gold", "Gold"), TABLE, HOST.replace("gold", "Gold"), ON), "`Gold` is no name"),
        ((f"{GOLD} rate pps", TABLE, HOST, ON), "kbit/s"),
        ((GOLD.replace("transmit", "drop"), TABLE, HOST, ON), "transmit what conforms"),
        ((f"{GOLD} exceed-action transmit", TABLE, HOST, ON), "drop or mark"),
        ((f"{GOLD} exceed-action mark-and-transmit CS1", TABLE, HOST, ON), "all else alike"),
        ((GOLD, TABLE, HOST, HOST.replace(".9", ".8"), ON), "share the policer gold"),
        ((GOLD, TABLE, HOST, ON, ON.replace("eth0", "eth1")), "used more than once"),
        ((GOLD, f"{TABLE} miss-next 0", HOST, ON), "no key for `miss-next`"),
        ((GOLD, TABLE.replace("dst", "src dst"), HOST, ON), "no key for `dst`"),
        ((GOLD, f"classify table mask hex {'00' * 23}ff", HOST, ON), "more or less than a prefix"),
        (
            (
                *(GOLD, GOLD.replace("gold", "lead"), TABLE, f"classify table mask hex {'00' * 30}ffffff next-table 0"),
                "classify session policer-hit-next lead table-index 1 match l3 ip4 dst 198.51.100.0",
                *(HOST, ON.replace("table 0", "table 1")),
            ),
            "shorter prefixes",
        ),
        ((GOLD, TABLE, HOST, ON, GOLD.replace("gold", "lead"), "policer input name lead eth1"), "from the IP header"),
        ((GOLD, TABLE, HOST, ON, "set acl-plugin macip acl permit", "classify table mask l2 src"), "no key for `l2`"),
    ],
)
def test_what_no_file_makes_so_is_left_whole_and_with_a_reason(lines: tuple[str, ...], why: str) -> None:
    adoption = adopted(PORT + "set interface state eth1 up\n" + "\n".join(lines))
    left = [line for line in adoption.report.lines if line.is_left]
    assert [line.text for line in left if "macip" not in line.text] == [each for each in lines if "macip" not in each]
    assert "polic" not in adoption.text
    assert any(why in line.why for line in left), [line.why for line in left]


def test_what_vpp_takes_and_passes_over_is_no_limit() -> None:
    adoption = adopted(f"{PORT}{GOLD}\n{TABLE}\n{ON.replace('table 0', 'table 7')}\n")
    assert "polic" not in adoption.text
    assert outcomes(adoption)[2:] == ["unmanaged", "unmanaged", "no_effect"]
