"""Contract: the features of an interface, as text and by name: who has them on, in order, and that they go with it."""

from tests.contract.subject import PORTS, Subject

NAME = f"{PORTS[0]}.100"


def on(vpp: Subject, name: str = NAME) -> list[tuple[str, str]]:
    """Return arcs and features of an interface, but for protocols that are not enabled."""
    code, text = vpp.cli(f"show interface features {name}")
    assert code == 0 and text.startswith(f"Feature paths configured on {name}...\n")
    found, arc = [], ""
    for line in text.splitlines()[1:]:
        if line and not line.startswith(" "):
            arc = line.rstrip(":")
        elif line.strip() not in ("", "none configured") and not line.endswith("-not-enabled"):
            found.append((arc, " ".join(line.split())))
    return found


def enable(vpp: Subject, index: int, arc: str, name: str, *, is_on: bool = True) -> int:
    reply = vpp.api.feature_enable_disable(sw_if_index=index, enable=is_on, arc_name=arc, feature_name=name)
    return int(reply.retval)


def test_a_fresh_interface_has_none_but_what_drops(vpp: Subject, first: int) -> None:
    vpp.sub(first, 100)
    text = vpp.cli(f"show interface features {NAME}")[1]
    assert [line.strip() for line in text.splitlines() if line.endswith("-not-enabled")] == [
        *("mpls-not-enabled", "ip6-not-enabled", "ip6-not-enabled", "ip4-not-enabled", "ip4-not-enabled")
    ]
    assert on(vpp) == []
    assert "\nip4-unicast:\n  ip4-not-enabled\n" in text and "\nip4-output:\n  none configured\n" in text
    assert vpp.cli("show interface features")[0] != 0


def test_features_are_shown_in_the_order_of_packets(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    vpp.api.mss_clamp_enable_disable(sw_if_index=index, ipv4_mss=1400, ipv6_mss=0, ipv4_direction=3, ipv6_direction=0)
    vpp.api.urpf_update(is_input=True, mode=2, af=0, sw_if_index=index)
    vpp.api.proxy_arp_intfc_enable_disable(sw_if_index=index, enable=True)
    assert vpp.add_address(index, "192.0.2.1/24") == 0
    expected = [
        ("arp", "arp-reply"),
        ("arp", "arp-proxy"),
        ("ip4-output", "tcp-mss-clamping-ip4-out"),
        ("ip4-unicast", "ip4-rx-urpf-strict"),
        ("ip4-unicast", "tcp-mss-clamping-ip4-in"),
    ]
    assert on(vpp) == expected
    assert "ip4-not-enabled" not in vpp.cli(f"show interface features {NAME}")[1]
    vpp.api.urpf_update(is_input=True, mode=0, af=0, sw_if_index=index)
    vpp.api.proxy_arp_intfc_enable_disable(sw_if_index=index, enable=False)
    vpp.api.mss_clamp_enable_disable(sw_if_index=index, ipv4_mss=0, ipv6_mss=0, ipv4_direction=0, ipv6_direction=0)
    assert on(vpp) == [("arp", "arp-reply")]


def test_access_lists_are_on_in_both_families_and_in_l2(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    rule = {"is_permit": 1, "src_prefix": "0.0.0.0/0", "dst_prefix": "0.0.0.0/0"}
    acl = vpp.api.acl_add_replace(acl_index=0xFFFFFFFF, tag="t", count=1, r=[rule]).acl_index
    vpp.api.acl_interface_set_acl_list(sw_if_index=index, count=1, n_input=1, acls=[acl])
    features = [each for each in on(vpp) if each[0] != "l2-input"]
    assert features == [
        ("ip6-unicast", "acl-plugin-in-ip6-fa"),
        ("ip4-unicast", "acl-plugin-in-ip4-fa"),
        ("l2-input-ip6", "acl-plugin-in-ip6-l2"),
        ("l2-input-ip4", "acl-plugin-in-ip4-l2"),
    ]


def test_they_are_enabled_by_name_and_counted(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    feature = ("ip4-unicast", "ip4-full-reassembly-feature")
    assert enable(vpp, index, *feature) == enable(vpp, index, *feature) == 0
    assert on(vpp) == [feature, feature]
    for left in ([feature], [], []):
        assert enable(vpp, index, *feature, is_on=False) == 0
        assert on(vpp) == left
    assert enable(vpp, index, "ip4-unicast", "nothing") == enable(vpp, index, "nothing", "ip4-lookup") == -7
    assert enable(vpp, 4711, *feature) == -2


def test_they_go_with_their_interface(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    assert enable(vpp, index, "ip4-unicast", "ip4-full-reassembly-feature") == 0
    vpp.api.delete_subif(sw_if_index=index)
    assert vpp.sub(first, 100) == index
    assert on(vpp) == []


def test_a_member_of_a_bridge_domain_has_the_features_of_l2(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    vpp.api.bridge_domain_add_del_v2(bd_id=10, flood=1, uu_flood=1, forward=1, learn=1, arp_term=0, is_add=1)
    assert vpp.api.sw_interface_set_l2_bridge(rx_sw_if_index=index, bd_id=10, enable=1).retval == 0
    assert on(vpp) == [
        ("l2-input", "LEARN (l2-learn)"),
        ("l2-input", "FWD (l2-fwd)"),
        ("l2-input", "UU_FLOOD (l2-flood)"),
        ("l2-input", "FLOOD (l2-flood)"),
        ("l2-output", "OUTPUT (interface-output)"),
    ]
    vpp.leave_l2(index)
    assert on(vpp) == []
