"""What others have, by kind: what is counted, what is written, and what is never written."""

from vppcfg.adopt.others import others_in
from vppcfg.adopt.unsupported_commands import rest_of_others
from vppcfg.model.attachment import Attachment

STANDING = (
    Attachment(holder="", kind="NAT44", name="with 1000 sessions", lines=("nat44 plugin enable sessions 1000",)),
    Attachment(holder="", kind="NAT44 static mapping", name="a", lines=("nat44 add static mapping a",)),
    Attachment(holder="", kind="policer", name="pol1", lines=("policer add name pol1",)),
    Attachment(holder="", kind="IPsec SA", name="20"),
    Attachment(holder="", kind="IPsec SA", name="10"),
)
ATTACHED = (
    Attachment(holder="eth0", kind="NAT44 static mapping", name="the same"),
    Attachment(holder="eth0", kind="NAT44 outside", lines=("set interface nat44 out eth0",)),
    Attachment(holder="eth0", kind="policer", name="of input"),
    Attachment(holder="eth0", kind="rate limits", lines=("set policer classify interface eth0 ip4-table 0",)),
    Attachment(holder="ipip0", kind="IPsec protection", lines=("ipsec tunnel protect ipip0 sa-in 10 sa-out 20",)),
    Attachment(holder="eth0", kind="reassembly", name="ip4-full-reassembly-feature of ip4-unicast"),
    Attachment(holder="eth0", kind="reassembly", name="ip6-full-reassembly-feature of ip6-unicast"),
    Attachment(holder="eth1", kind="reassembly", name="ip6-full-reassembly-feature of ip6-unicast"),
    Attachment(holder="eth1", kind="feature", name="foo-input of ip4-unicast"),
)


def test_everything_is_counted_once_and_says_why_it_is_not_written() -> None:
    found = {each.kind: each for each in others_in(STANDING, ATTACHED)}
    assert {kind: len(each.names) for kind, each in found.items()} == {
        **{"NAT44": 1, "NAT44 static mapping": 1, "policer": 1, "IPsec SA": 2, "NAT44 outside": 1},
        **{"policer on an interface": 1, "rate limits": 1, "IPsec protection": 1, "reassembly": 3, "feature": 1},
    }
    assert found["rate limits"].why == "it needs classifier tables, whose matches are not read"
    assert found["IPsec SA"].text == "IPsec SA (2): 10, 20; its keys are neither shown nor written"
    assert found["NAT44 outside"].text == "NAT44 outside (1): on eth0; 1 command"
    assert found["policer on an interface"].why == "VPP does not report which policer it is"
    assert found["feature"].why
    assert found["NAT44"].document["commands"] == ["nat44 plugin enable sessions 1000"]


def test_the_rest_file_has_what_can_be_run_and_the_reasons_for_what_cannot() -> None:
    rest = rest_of_others(others_in(STANDING, ATTACHED))
    assert rest.commands == (
        "nat44 plugin enable sessions 1000",
        "nat44 add static mapping a",
        "policer add name pol1",
        "set interface nat44 out eth0",
        "set interface reassembly eth0 on",
        "set interface reassembly eth1 ip6",
    )
    assert "\n# Not written: IPsec protection (1): it needs security associations" in rest.last_text
    assert all(line.startswith("#") for line in rest.last_text.splitlines() if line and line not in rest.commands)
