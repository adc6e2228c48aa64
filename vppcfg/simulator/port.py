"""Physical ports of a simulated VPP, and the text form in which the command line names them."""

from __future__ import annotations

import ipaddress
import re

from vppcfg.errors import UsageError
from vppcfg.record import record

MAX_MTU = 65535
_MOST_QUEUES = 1024
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


@record
class PhysicalPort:
    """A port that VPP finds when it starts: down, without addresses."""

    name: str
    device_class: str = "dpdk"
    link_mtu: int = 9000
    """Bytes."""
    packet_mtu: int = 9000
    """Bytes."""
    mac: str = ""
    """Colon-separated; '' has one made from the port's position."""
    max_link_mtu: int = MAX_MTU
    """Largest link MTU in bytes that the driver takes."""
    is_mtu_fixed_while_up: bool = False
    """The driver answers `busy` to a change of the link MTU while the port is up."""
    rx_queues: int = 1
    tx_queues: int = 1


def parse_port(text: str) -> PhysicalPort:
    """Return the port in `NAME[,class=..][,link-mtu=..][,packet-mtu=..][,mac=..][,max-link-mtu=..][,mtu-when-down]..`.

    Raise UsageError for a key that is not known or a value that does not fit.
    """
    name, *options = text.split(",")
    if not name or len(name) > 63 or any(character.isspace() for character in name):
        raise UsageError(f"port {text!r}: an interface name has 1 to 63 characters and no spaces")
    values = dict(_option(text, option) for option in options)
    link_mtu = _mtu(text, values.pop("link-mtu", "9000"))
    port = PhysicalPort(
        name=name,
        device_class=values.pop("class", "dpdk"),
        link_mtu=link_mtu,
        packet_mtu=_mtu(text, values.pop("packet-mtu", str(link_mtu))),
        mac=_mac(text, values.pop("mac", "")),
        max_link_mtu=_mtu(text, values.pop("max-link-mtu", str(MAX_MTU))),
        is_mtu_fixed_while_up=values.pop("mtu-when-down", "") == "yes",
        rx_queues=_queues(text, values.pop("rx-queues", "1")),
        tx_queues=_queues(text, values.pop("tx-queues", "1")),
    )
    if values:
        raise UsageError(
            f"port {text!r}: unknown key {sorted(values)[0]!r}",
            "known are class, link-mtu, packet-mtu, mac, max-link-mtu, mtu-when-down, rx-queues and tx-queues",
        )
    return port


def mac_bytes(mac: str) -> bytes:
    """Return the six bytes of a colon-separated MAC; six zero bytes for ''."""
    return bytes.fromhex(mac.replace(":", "")) if mac else bytes(6)


def generated_mac(position: int) -> str:
    """Return a locally administered MAC for the port at `position`."""
    return ":".join(f"{byte:02x}" for byte in bytes([2, 0]) + ipaddress.IPv4Address(position).packed)


def _option(text: str, option: str) -> tuple[str, str]:
    key, equals, value = option.partition("=")
    if key == "mtu-when-down" and not equals:
        return key, "yes"
    if not value:
        raise UsageError(f"port {text!r}: {option!r} is not KEY=VALUE")
    return key, value


def _mtu(text: str, value: str) -> int:
    if not value.isdecimal() or not 0 < int(value) <= MAX_MTU:
        raise UsageError(f"port {text!r}: {value!r} is no MTU between 1 and {MAX_MTU}")
    return int(value)


def _queues(text: str, value: str) -> int:
    if not value.isdecimal() or not 0 < int(value) <= _MOST_QUEUES:
        raise UsageError(f"port {text!r}: {value!r} is no number of queues between 1 and {_MOST_QUEUES}")
    return int(value)


def _mac(text: str, value: str) -> str:
    mac = value.lower()
    if value and _MAC.fullmatch(mac) is None:
        raise UsageError(f"port {text!r}: {value!r} is no MAC address", "write it as 02:00:00:00:00:01")
    return mac
