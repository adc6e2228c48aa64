"""Machines for tests: each a list of files of /proc and /sys, grown below a directory of the test's own.

A line is one of

    PATH = TEXT                     a file; {0-3} in PATH makes several, $ in TEXT is the number, [a b] one text each
    PATH:                           a file of several lines, which follow, indented by four blanks
    PATH -> TARGET                  a symbolic link
    nic ADDRESS KEY=VALUE ...       a network device: port, id, node, driver, net, mac, up, speed, link, max, slot, bus
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from vppcfg.host.inventory import read_host
from vppcfg.model.host import Host

HERE = Path(__file__).parent
MACHINES = sorted(path.stem for path in HERE.glob("*.tree"))

_RANGE = re.compile(r"\{(\d+)-(\d+)\}")
_LINK = re.compile(r"([0-9.]+)x([0-9]+)")


def grow(machine: str, root: Path) -> Path:
    """Make the files of a machine below `root` and return that."""
    return grow_text((HERE / f"{machine}.tree").read_text(), root)


@cache
def host_named(machine: str) -> Host:
    """Return what is read of a machine, which is the same each time."""
    with TemporaryDirectory() as folder:
        return read_host(str(grow(machine, Path(folder))))


def grow_text(text: str, root: Path) -> Path:
    """Make the files that a text describes below `root` and return that."""
    lines = iter(text.splitlines())
    target: Path | None = None
    for line in lines:
        if line.startswith("    ") and target is not None:
            with target.open("a") as file:
                file.write(line[4:] + "\n")
            continue
        target = None
        if not line or line.startswith("#"):
            continue
        if line.startswith("nic "):
            _nic(root, line.split()[1], dict(word.split("=", 1) for word in line.split()[2:]))
        elif " -> " in line:
            _link(root, *line.split(" -> "))
        elif line.endswith(":"):
            target = _file(root, line[:-1], "")
        else:
            path, _, value = line.partition(" = ")
            for one, content in _expanded(path, value):
                _file(root, one, content + "\n")
    return root


def _expanded(path: str, value: str) -> Iterator[tuple[str, str]]:
    match = _RANGE.search(path)
    if match is None:
        yield path, value
        return
    numbers = range(int(match[1]), int(match[2]) + 1)
    texts = value[1:-1].split() if value.startswith("[") else [value.replace("$", str(number)) for number in numbers]
    for number, text in zip(numbers, texts, strict=True):
        yield path[: match.start()] + str(number) + path[match.end() :], text


def _nic(root: Path, address: str, facts: dict[str, str]) -> None:
    port = f"sys/devices/pci0000:00/{facts.get('port', '0000:00:01.0')}"
    device = f"{port}/{address}"
    vendor, kind = facts["id"].split(":")
    _file(root, f"{device}/class", "0x020000\n")
    _file(root, f"{device}/vendor", f"0x{vendor}\n")
    _file(root, f"{device}/device", f"0x{kind}\n")
    _file(root, f"{device}/numa_node", facts.get("node", "-1") + "\n")
    for which, place, key in (("current", device, "link"), ("max", device, "max"), ("max", port, "slot")):
        if key in facts and (match := _LINK.fullmatch(facts[key])):
            _file(root, f"{place}/{which}_link_speed", f"{match[1]} GT/s PCIe\n")
            _file(root, f"{place}/{which}_link_width", f"{match[2]}\n")
    if "driver" in facts:
        _link(root, f"{device}/driver", f"../../../../bus/pci/drivers/{facts['driver']}")
    if "net" in facts:
        net = f"{device}/{facts.get('bus', '')}/net/{facts['net']}".replace("//", "/")
        if "mac" in facts:
            _file(root, f"{net}/address", facts["mac"] + "\n")
        _file(root, f"{net}/flags", "0x1003\n" if facts.get("up") == "yes" else "0x1002\n")
        _file(root, f"{net}/speed", facts.get("speed", "-1") + "\n")
    _link(
        root,
        f"sys/bus/pci/devices/{address}",
        f"../../../devices/pci0000:00/{facts.get('port', '0000:00:01.0')}/{address}",
    )


def _file(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def _link(root: Path, name: str, target: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
