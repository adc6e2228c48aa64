"""Random files about NAT44, each with errors in none, to go from one to the next on a simulated or a real VPP."""

from collections.abc import Iterator
from random import Random
from typing import Any

import yaml

from vppcfg.config.load import parse_text
from vppcfg.entries.configuration import Configuration
from vppcfg.model.problem import Severity

PORTS = ("eth0", "eth1", "eth2")
_OUTSIDE = ("203.0.113.2/24", "203.0.113.3/24", "198.51.100.2/24")
_VRFS = {"red": {"id": 10}, "blue": {"id": 20}}
_SIDES = ("inside", "outside", "both", "output", None)


def configurations(seed: int, count: int) -> Iterator[Configuration]:
    """Yield so many configurations that the rules accept; the same ones for the same seed."""
    dice, found = Random(seed), 0
    data = _first()
    while found < count:
        changed = _changed(data, dice)
        loaded = parse_text(yaml.safe_dump(changed), "random")
        errors = [problem for problem in loaded.problems if problem.severity is Severity.ERROR]
        if loaded.configuration is not None and not errors:
            data, found = changed, found + 1
            yield loaded.configuration


def _first() -> dict[str, Any]:
    return {"interfaces": {name: {} for name in PORTS}, "vrfs": dict(_VRFS), "nat44": {}}


def _changed(data: dict[str, Any], dice: Random) -> dict[str, Any]:
    """Return a file that differs in a few places."""
    changed: dict[str, Any] = yaml.safe_load(yaml.safe_dump(data))
    for _ in range(dice.choice((1, 1, 2, 4))):
        dice.choice(_CHANGES)(changed, dice)
    return changed


def _nat44(data: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(data.get("nat44"), dict):
        data["nat44"] = {}
    section: dict[str, Any] = data["nat44"]
    return section


def _side(data: dict[str, Any], dice: Random) -> None:
    entries = [data["interfaces"][name] for name in PORTS]
    entries += [sub for entry in entries for sub in entry.get("sub-interfaces", {}).values()]
    entries += data.get("loopbacks", {}).values()
    entry, side = dice.choice(entries), dice.choice(_SIDES)
    entry.pop("nat44", None)
    if side is not None:
        entry["nat44"] = side
        _nat44(data)


def _addresses(data: dict[str, Any], dice: Random) -> None:
    data["interfaces"]["eth0"]["addresses"] = dice.sample(_OUTSIDE, dice.choice((0, 1, 1, 1, 2)))


def _table(data: dict[str, Any], dice: Random) -> None:
    entry = data["interfaces"][dice.choice(PORTS)]
    entry.pop("vrf", None)
    if dice.random() < 0.5:
        entry["vrf"] = dice.choice(sorted(data["vrfs"]) or ["red"])


def _vrfs(data: dict[str, Any], dice: Random) -> None:
    data["vrfs"] = dict(dice.sample(sorted(_VRFS.items()), dice.choice((0, 1, 2, 2, 2))))


def _sub_interface(data: dict[str, Any], dice: Random) -> None:
    entry = data["interfaces"]["eth1"]
    if "sub-interfaces" in entry:
        del entry["sub-interfaces"]
    else:
        entry["sub-interfaces"] = {dice.choice((7, 8)): {"addresses": [f"192.168.{dice.choice((7, 8))}.1/24"]}}


def _loopback(data: dict[str, Any], dice: Random) -> None:
    if data.pop("loopbacks", None) is None:
        data["loopbacks"] = {"loop1": {"addresses": [f"203.0.112.{dice.choice((1, 2))}/32"]}}


def _borrow(data: dict[str, Any], dice: Random) -> None:
    """Let an interface borrow the addresses of another, which VPP follows only when it starts to."""
    entry = data["interfaces"]["eth2"]
    if entry.pop("unnumbered", None) is None or dice.random() < 0.5:
        entry["unnumbered"] = dice.choice(("eth0", "loop1"))


def _pools(data: dict[str, Any], dice: Random) -> None:
    pools: list[Any] = []
    for first in dice.sample(range(16), dice.choice((0, 1, 2))):
        last = first + dice.choice((0, 0, 1, 3))
        each: dict[str, Any] = {"range": f"203.0.113.{first * 8 + 8}-203.0.113.{last - first + first * 8 + 8}"}
        if dice.random() < 0.3:
            each["vrf"] = dice.choice((*_VRFS, "default"))
        if dice.random() < 0.3:
            each["twice-nat"] = True
        pools.append(each)
    if dice.random() < 0.5:
        giver = dice.choice(("eth0", "eth0", "eth1.7", "loop1", "eth2"))
        pools.append({"interface": giver, "twice-nat": dice.random() < 0.2})
    _nat44(data)["pools"] = pools


def _mapping(data: dict[str, Any], dice: Random) -> None:
    static = _nat44(data).setdefault("static", {})
    name = f"m{dice.randrange(6)}"
    if static.pop(name, None) is not None and dice.random() < 0.5:
        return
    outer = dice.choice(("203.0.113.8", "203.0.113.77", "eth0", "eth0", "eth1.7", "loop1", "eth2"))
    local, entry = f"192.168.1.{dice.randrange(10, 16)}", dict[str, Any]()
    if dice.random() < 0.8:
        entry |= {"protocol": dice.choice(("tcp", "udp", "icmp"))}
        local, outer = f"{local}:{dice.choice((22, 80))}", f"{outer}:{dice.choice((22, 80, 8080))}"
        if dice.random() < 0.4:
            entry["twice-nat"] = dice.choice((True, "self"))
    if dice.random() < 0.4:
        entry["out-to-in-only"] = True
    if dice.random() < 0.3:
        entry["vrf"] = dice.choice(tuple(_VRFS))
    static[name] = {**entry, "local": local, "external": outer}


def _exemption(data: dict[str, Any], dice: Random) -> None:
    exempt = _nat44(data).setdefault("exempt", {})
    name = f"e{dice.randrange(4)}"
    if exempt.pop(name, None) is not None and dice.random() < 0.5:
        return
    local, entry = dice.choice(("eth0", "203.0.113.2", "192.168.1.99", "loop1", "eth2")), dict[str, Any]()
    if dice.random() < 0.7:
        entry["protocol"] = dice.choice(("tcp", "udp"))
        local = f"{local}:{dice.choice((500, 22))}"
    if dice.random() < 0.3:
        entry["vrf"] = dice.choice(tuple(_VRFS))
    exempt[name] = {**entry, "local": local}


def _leaks(data: dict[str, Any], dice: Random) -> None:
    tables = ("default", *_VRFS)
    chosen = dice.sample(tables, dice.choice((0, 1, 2)))
    _nat44(data)["leaks"] = {name: dice.sample(tables, dice.randrange(3)) for name in chosen}


def _settings(data: dict[str, Any], dice: Random) -> None:
    section = _nat44(data)
    section["forwarding"] = dice.random() < 0.3
    section["timeouts"] = {"udp": dice.choice((30, 300)), "icmp": dice.choice((10, 60))}
    section.pop("mss", None)
    if dice.random() < 0.5:
        section["mss"] = dice.choice((1400, 1452))


def _foundation(data: dict[str, Any], dice: Random) -> None:
    _nat44(data)["sessions"] = dice.choice((100, 1000))


def _nothing(data: dict[str, Any], dice: Random) -> None:
    if dice.random() < 0.3:
        data["nat44"] = {}
        for name in PORTS:
            data["interfaces"][name].pop("nat44", None)


_CHANGES = (
    *(_side, _addresses, _borrow, _table, _vrfs, _sub_interface, _loopback, _pools, _pools),
    *(_mapping, _mapping, _mapping, _exemption, _exemption, _leaks, _settings, _foundation, _nothing),
)
