"""Small plans that together contain every type of operation: from one of these configurations to the next."""

import atexit
import shutil
import tempfile
from pathlib import Path

from tests.wireguard_keys import PEERS, PRESHARED, PUBLIC, key_file


def _folder_with_keys() -> Path:
    """Return a folder with the files of keys, which is there as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="vppcfg-keys-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for number in range(3):
        key_file(folder, number)
    return folder


_FOLDER = _folder_with_keys()


def _configuration(name: str) -> str:
    """Return the text of a file beside this one, with keys and their files in place of the words for them."""
    text = Path(__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8")
    words = {"KEYS": str(_FOLDER), "DIGEST_2": PRESHARED[2].partition(":")[2]}
    words |= {f"PUBLIC_{number}": key for number, key in enumerate(PUBLIC)}
    words |= {f"PEER_{number}": key for number, key in enumerate(PEERS)}
    for word, value in words.items():
        text = text.replace(word, value)
    return text


PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet2/0/0", "GigabitEthernet3/0/0", "GigabitEthernet4/0/0")

BARE = """\
interfaces:
  GigabitEthernet1/0/0: { mtu: 9000, state: down }
  GigabitEthernet2/0/0: { mtu: 9000, state: down }
  GigabitEthernet3/0/0: { mtu: 9000, state: down }
  GigabitEthernet4/0/0: { mtu: 9000, state: down }
"""

ONE = _configuration("one")
TWO = _configuration("two")
SERVICES_ONE = _configuration("services_one")
SERVICES_TWO = _configuration("services_two")
SERVICES_THREE = _configuration("services_three")

PLANS = {
    "from-bare-to-one": (BARE, ONE),
    "from-one-to-two": (ONE, TWO),
    "from-two-to-bare": (TWO, BARE),
    "between-services": (SERVICES_ONE, SERVICES_TWO),
    "services-anew": (SERVICES_TWO, SERVICES_THREE),
    "a-bvi-goes": (BARE + "loopbacks: { bvi7: {} }\n", BARE),
    "a-bvi-comes": (BARE, BARE + "loopbacks: { bvi7: {} }\n"),
    "a-table-goes": (BARE + "vrfs: { red: { id: 10, path-mtu: { 203.0.113.9: 1400 } } }\n", BARE),
}
"""Where each plan starts and where it leads."""


def large(sub_interfaces: int, shift: int = 0) -> str:
    """Return a configuration with many sub-interfaces, LCP pairs and addresses; `shift` moves every address."""
    lines = ["interfaces:"]
    for port, name in enumerate(PORTS):
        lines += [f"  {name}:", "    mtu: 9000", f"    lcp: e{port}", "    sub-interfaces:"]
        for number in range(1, sub_interfaces // len(PORTS) + 1):
            addresses = f'10.{port}.{number % 250}.{1 + shift}/30, "2001:db8:{port}:{number:x}::{1 + shift}/64"'
            lines.append(f"      {number}: {{ mtu: 1500, lcp: e{port}.{number}, addresses: [ {addresses} ] }}")
    return "\n".join(lines) + "\n"


LARGE_PLANS = {
    "from-bare-to-large": (BARE, large(400)),
    "from-large-to-large": (large(400), large(360, shift=1)),
    "from-large-to-bare": (large(400), BARE),
}
"""Thousands of messages each."""
