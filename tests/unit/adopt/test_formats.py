"""VPP stops at a word of an unsupported command that it does not know."""

import re

import pytest

from tests.unit.adopt.test_replay import adopted, fault_in, outcomes

SA = "ipsec sa add 10 spi 1000 esp crypto-alg aes-gcm-128 crypto-key 4a506a794f574265564551694d653768"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (f"{SA} integr-alg sha1-96", "integr-alg"),
        (f"{SA} tunnel-src 192.0.2.1 tunnel-dst 192.0.2.2", "tunnel-src"),
        ("map add domain ip4-pfx 10.0.0.0/8 ip6-pfx 2001:db8::/48 ip6-src 2001:db8:1::1 map-t", "map-t"),
        ("nat44 ei plugin enable endpoint-dependent", "endpoint-dependent"),
        ("set acl-plugin log enable", "log"),
        ("policer add name gold cir 50 bc 4096", "bc"),
        ("policer add name gold rate-type kbps", "rate-type kbps"),
        ("policer add name gold type single", "type single"),
        ("create vxlan-gpe tunnel local 192.0.2.1 remote 192.0.2.2 vni 5 next-l2", "next-l2"),
        ("classify session hit-next node ip4-lookup table-index 0 match l3 ip4 src 192.0.2.1", "hit-next node"),
        ("classify session l2-hit-next ip4 table-index 0 match l3 ip4 src 192.0.2.1", "l2-hit-next"),
    ],
)
def test_an_unknown_word_ends_the_script(line: str, word: str) -> None:
    adoption = adopted(f"{line}\nset interface state xe0 up\n")
    assert outcomes(adoption) == ["fault", "never_ran"]
    assert re.search(rf"(does not take `|unknown input ` ?){word}", fault_in(adoption).why)


@pytest.mark.parametrize(
    "line",
    [
        SA,
        f"{SA} tunnel src 192.0.2.1 dst 192.0.2.2",
        "ipsec policy add spd 1 priority 10 inbound action protect sa 10 local-ip-range 10.0.0.0 - 10.0.0.9",
        SA.replace("esp crypto", "espcrypto"),
        "ipsec itf create instance 1 p2mp",
        "create geneve tunnel local 192.0.2.1 remote 192.0.2.2 vni 5 encap-vrf-id 0",
        "nat64 plugin enable bib-buckets 10",
        "create netmap name vale00:vpp1 pipe master",
    ],
)
def test_known_words_are_left(line: str) -> None:
    assert outcomes(adopted(f"{line}\n")) == ["unmanaged"]
