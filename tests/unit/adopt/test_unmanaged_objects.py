"""VPP refuses commands without a key that make what is there, or look up what is not (tried on 26.10)."""

import pytest

from tests.unit.adopt.test_replay import adopted, outcomes

POLICER = "policer add name gold type 1r2c cir 1000 cb 4096"
SA = "ipsec sa add 10 spi 1000 esp crypto-alg aes-gcm-128 crypto-key 4a506a794f574265564551694d653768"
SRV6 = "sr policy add bsid 2001:db8::1:1 next 2001:db8::2 encap"
KEY = "bfd key set conf-key-id 5 type keyed-sha1 secret 1234"
SESSION = "bfd udp session add interface xe0 local-addr 10.0.0.1 peer-addr 10.0.0.2 conf-key-id 5 bfd-key-id 1"
MODIFIED = " interface xe0 local-addr 10.0.0.1 peer-addr 10.0.0.2 desired-min-tx 1 required-min-rx 1 detect-mult 3"
CLASSIFIER = "classify table mask l3 ip4 src"
SESSION_DELETED = "bfd udp session del interface xe0 local-addr 10.0.0.1 peer-addr 10.0.0.2"


@pytest.mark.parametrize(
    ("lines", "refused"),
    [
        ((POLICER, "configure policer name gold cir 2000 cb 4096", "policer input name gold xe0"), ""),
        ((POLICER, POLICER), "Policer already exists"),
        (("configure policer name gold cir 2000 cb 4096",), "Update policer failure"),
        (("policer reset name gold",), "policer gold is not there"),
        ((SA, "ipsec sa del 10", SA), ""),
        ((SA, "ipsec sa del 11"), "IPsec SA 11 is not there"),
        ((SRV6, "sr steer l3 10.0.0.0/8 via bsid 2001:db8::1:1"), ""),
        (("sr steer l3 10.0.0.0/8 via bsid 2001:db8::1:1",), "SR policy 2001:db8::1:1 is not there"),
        (("ikev2 profile set pr1 id local fqdn a.example",), "IKEv2 profile pr1 is not there"),
        (("bfd key del conf-key-id 5",), "BFD key 5 is not there"),
        ((KEY, KEY, SESSION, "bfd key del conf-key-id 5"), "BFD key 5 is in use"),
        ((KEY, SESSION, SESSION_DELETED, KEY, "bfd key del conf-key-id 5"), ""),
        ((SESSION.partition(" conf-key-id")[0], "bfd udp session mod" + MODIFIED), ""),
        (("bfd udp session mod" + MODIFIED,), "BFD session xe0 10.0.0.1 10.0.0.2 is not there"),
        (("create gtpu tunnel src 10.0.0.1 dst 10.0.0.2 teid 7 encap-vrf-id 8",), "FIB table 8 is not there"),
        ((CLASSIFIER, "set interface input acl intfc xe0 ip4-table 0"), ""),
        ((CLASSIFIER, "set interface input acl intfc xe0 ip4-table 1"), "classifier table 1 is not there"),
        (("set ip classify intfc xe0 table-index 0",), "classifier table 0 is not there"),
        (("ipsec itf create instance 7", "set interface promiscuous on ipsec7"), ""),
        (("ipsec itf create instance 7", "set interface promiscuous on ipsec6"), "unknown interface `ipsec6`"),
        (
            ("ipsec itf create", "ipsec itf create", "ipsec tunnel protect ipsec2 sa-in 1 sa-out 2"),
            "interface `ipsec2`",
        ),
        (("classify table mask l3 ip4 src acl-miss-next ip4-node ip4-lookup",), ""),
        (("classify table mask l3 ip4 src acl-miss-next ip4-node ip4-loop",), "its graph has no node `ip4-loop`"),
        (("set interface feature xe0 span-input arc device-input",), ""),
        (("set interface feature xe0 ip4-lookup arc device-input",), "is no feature of `device-input`"),
        (("set interface feature xe0 span-input arc ip4-unicast",), "the node `span-input` is no feature of"),
        (("nat66 plugin enable", "set interface nat66 in xe0"), ""),
        (("set interface nat66 in xe0",), "NAT66 is not there"),
        (("nat64 plugin enable", "nat64 plugin enable"), "NAT64 is already there"),
    ],
)
def test_what_is_looked_up_must_have_been_made(lines: tuple[str, ...], refused: str) -> None:
    adoption = adopted("\n".join(lines) + "\n")
    *former, last = outcomes(adoption)
    assert (former, last) == (["unmanaged"] * len(former), "fault" if refused else "unmanaged")
    assert not refused or refused in adoption.report.lines[-1].why
