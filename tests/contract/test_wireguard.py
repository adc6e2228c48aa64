"""Contract: WireGuard interfaces and their peers."""

from typing import Any

import pytest

from tests.contract.subject import ALL, Subject
from tests.wireguard_keys import PEERS, PRIVATE, PUBLIC
from vppcfg.model.secret_key import key_bytes, key_text
from vppcfg.model.wireguard import NO_KEY, PUBLIC_OF_NO_KEY

LOCAL, ENDPOINT = "192.0.2.1", "198.51.100.1"
TAKEN, BAD_INDEX, BAD_INDEX_2, BAD_VALUE, NO_ENTRY, EXISTS = -31, -2, -10, -7, -6, -116
KEY64 = key_text(PRIVATE[1])


def create(vpp: Subject, number: int = 3, key: bytes = PRIVATE[0], port: int = 51820, source: str = LOCAL) -> Any:
    wanted = {"user_instance": number, "private_key": key, "port": port, "src_ip": source, "sw_if_index": ALL}
    return vpp.api.wireguard_interface_create(interface={**wanted, "public_key": bytes(32)}, generate_key=False)


def add_peer(vpp: Subject, index: int, key: str = PEERS[0], **more: Any) -> Any:
    fields = {
        "peer_index": ALL,
        "preshared_key": bytes(32),
        "preshared_key_set": False,
        "port": 51820,
        "persistent_keepalive": 0,
        "table_id": 0,
        "endpoint": ENDPOINT,
        "flags": 0,
        "allowed_ips": ["10.7.0.0/24"],
        **more,
    }
    fields["n_allowed_ips"] = len(fields["allowed_ips"])
    return vpp.api.wireguard_peer_add_v2(peer={**fields, "public_key": key_bytes(key), "sw_if_index": index})


def peers(vpp: Subject) -> list[Any]:
    return [row.peer for row in vpp.api.wireguard_peers_v2_dump(peer_index=ALL)]


def test_an_interface_is_born_down_and_without_an_mtu(vpp: Subject) -> None:
    reply = create(vpp)
    row = vpp.details(reply.sw_if_index)
    assert (row.interface_name, row.interface_dev_type, int(row.flags)) == ("wg3", "Wireguard Tunnel", 0)
    assert (row.link_mtu, list(row.mtu), str(row.l2_address)) == (0, [0, 0, 0, 0], "00:00:00:00:00:00")
    (shown,) = vpp.api.wireguard_interface_dump(sw_if_index=ALL, show_private_key=False)
    assert (shown.interface.user_instance, shown.interface.port, str(shown.interface.src_ip)) == (3, 51820, LOCAL)
    assert key_text(shown.interface.public_key) == PUBLIC[0]
    assert shown.interface.private_key == bytes(32)


def test_vpp_tells_the_private_key_to_who_asks_for_it(vpp: Subject) -> None:
    create(vpp)
    (shown,) = vpp.api.wireguard_interface_dump(sw_if_index=ALL, show_private_key=True)
    assert shown.interface.private_key == PRIVATE[0]


def test_a_key_of_zeros_gives_what_the_rules_know(vpp: Subject) -> None:
    assert create(vpp, key=bytes(32)).retval == 0
    (shown,) = vpp.api.wireguard_interface_dump(sw_if_index=ALL, show_private_key=False)
    assert key_text(shown.interface.public_key) == PUBLIC_OF_NO_KEY


@pytest.mark.parametrize(
    ("changes", "retval"),
    [((3, 51820), TAKEN), ((16384, 51821), TAKEN), ((4, 51820), 0), ((4, 51821), 0), ((16383, 51820), 0)],
)
def test_numbers_are_taken_once_and_ports_as_often_as_one_likes(
    vpp: Subject, changes: tuple[int, int], retval: int
) -> None:
    number, port = changes
    create(vpp)
    assert create(vpp, number, PRIVATE[1], port).retval == retval


def test_an_interface_is_deleted_with_its_peers(vpp: Subject, first: int) -> None:
    index, other = create(vpp).sw_if_index, create(vpp, 4, PRIVATE[1], 51821).sw_if_index
    add_peer(vpp, index)
    add_peer(vpp, other, PEERS[1])
    sub = vpp.sub(index, 10)

    def delete(to_delete: int) -> int:
        return int(vpp.api.wireguard_interface_delete(sw_if_index=to_delete).retval)

    assert [delete(each) for each in (first, sub, ALL)] == [BAD_VALUE, BAD_INDEX_2, BAD_INDEX]
    assert delete(index) == 0
    assert [key_text(peer.public_key) for peer in peers(vpp)] == [PEERS[1]]
    assert {"wg3", "wg3.10"} & set(vpp.interfaces()) == set()
    assert create(vpp).retval == 0


def test_a_peer_may_speak_first(vpp: Subject) -> None:
    assert add_peer(vpp, create(vpp).sw_if_index, endpoint="0.0.0.0", port=0).retval == 0
    (peer,) = peers(vpp)
    assert (str(peer.endpoint), peer.port, peer.preshared_key_set) == ("0.0.0.0", 0, False)


def test_a_key_has_one_peer_in_the_whole_vpp(vpp: Subject, first: int) -> None:
    index, other = create(vpp).sw_if_index, create(vpp, 4, PRIVATE[1], 51821).sw_if_index
    assert add_peer(vpp, index).retval == 0
    assert [add_peer(vpp, each).retval for each in (index, other)] == [EXISTS, EXISTS]
    assert add_peer(vpp, other, PEERS[1]).retval == 0
    assert add_peer(vpp, first, PEERS[2]).retval == BAD_INDEX
    assert add_peer(vpp, 99, PEERS[2]).retval == BAD_INDEX
    assert add_peer(vpp, index, PEERS[2], allowed_ips=[]).retval == BAD_VALUE
    assert add_peer(vpp, index, NO_KEY).retval == 0


def test_a_peer_is_removed_by_its_number_which_the_next_one_gets(vpp: Subject) -> None:
    index = create(vpp).sw_if_index
    numbers = [int(add_peer(vpp, index, key).peer_index) for key in PEERS[:2]]
    (number,) = [peer.peer_index for peer in peers(vpp) if key_text(peer.public_key) == PEERS[0]]
    assert len(numbers) == 2
    assert vpp.api.wireguard_peer_remove(peer_index=number).retval == 0
    assert vpp.api.wireguard_peer_remove(peer_index=number).retval == NO_ENTRY
    assert add_peer(vpp, index, PEERS[2]).retval == 0
    assert {key_text(peer.public_key): peer.peer_index for peer in peers(vpp)}[PEERS[2]] == number


@pytest.mark.parametrize(
    ("line", "retval", "text"),
    [
        (f"wireguard create listen-port 51821 private-key {KEY64} src 192.0.2.1 instance 4", 0, "wg4\n"),
        (f"wireguard create instance 5 src 2001:db8::1 listen-port 51821 private-key {KEY64}", 0, "wg5\n"),
        (
            f"wireguard create listen-port 51821 private-key {KEY64} src 192.0.2.1 instance 3",
            -1,
            "wireguard interface create failed",
        ),
        (
            "wireguard create listen-port 51821 private-key <private key of /etc/vpp/wg0.key> src 192.0.2.1",
            -1,
            "Error parsing private key",
        ),
        ("wireguard delete wg3", 0, ""),
        ("wireguard delete wg9", -1, "no such interface: wg9"),
        (
            f"wireguard peer add wg3 public-key {PEERS[1]} endpoint 198.51.100.2 dst-port 51820 allowed-ip 10.8.0.0/24",
            0,
            "",
        ),
        (
            f"wireguard peer add wg3 public-key {PEERS[1]} allowed-ip 10.8.0.0/24 persistent-keepalive 5 table-id 7",
            0,
            "",
        ),
        (f"wireguard peer add wg3 public-key {PEERS[1]}", -1, "Allowed IPs are not specified"),
        (f"wireguard peer add wg3 public-key {PEERS[0]} allowed-ip 10.8.0.0/24", -1, "Peer already exist"),
        (
            f"wireguard peer add wg3 preshared-key <preshared key of /x> public-key {PEERS[1]} allowed-ip 10.8.0.0/24",
            -1,
            "Error parsing pre-shared key",
        ),
        ("wireguard peer remove 99", 0, ""),
        ("wireguard peer remove wg3", -1, "Input error"),
    ],
)
def test_a_line_is_answered_as_vpp_does(vpp: Subject, line: str, retval: int, text: str) -> None:
    add_peer(vpp, create(vpp).sw_if_index)
    assert vpp.answer(line) == (retval, text)


def test_a_typed_peer_has_all_that_the_line_says(vpp: Subject) -> None:
    create(vpp)
    words = "endpoint 198.51.100.2 dst-port 51822 allowed-ip 10.8.0.9/24 allowed-ip 2001:db8:1::/48"
    line = f"wireguard peer add wg3 public-key {PEERS[1]} preshared-key {KEY64} {words} persistent-keepalive 5"
    if not vpp.since("26.06"):
        assert vpp.cli(line) == (-1, "wireguard peer add: Input error\n")
        return
    assert vpp.cli(line) == (0, "")
    (peer,) = peers(vpp)
    assert (str(peer.endpoint), peer.port, peer.persistent_keepalive) == ("198.51.100.2", 51822, 5)
    assert [str(prefix) for prefix in peer.allowed_ips] == ["10.8.0.0/24", "2001:db8:1::/48"]
    assert peer.preshared_key == PRIVATE[1]
