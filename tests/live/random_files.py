"""Random files for a real VPP: the whole language, or services, with keys and sockets where they say."""

import random
import re
from pathlib import Path

from tests.laws import networks
from tests.live import random_services
from tests.live.test_random_transitions import with_names_for_vlans
from tests.wireguard_keys import PUBLIC, key_file
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.config.valid_dump import write
from vppcfg.model.problem import Severity
from vppcfg.model.state import State

PORTS = tuple(dict.fromkeys((*networks.PORTS, *random_services.PORTS)))
_SERVICES = 0.25
"""How many of the files have services that the laws do not draw."""


def random_file(dice: random.Random, empty: State, folder: Path) -> str:
    """Return the text of a valid file for a VPP that is `empty`; keys and sockets are in a folder."""
    while True:
        seed = dice.randrange(1 << 32)
        if dice.random() < _SERVICES:
            return random_services.text_of(random_services.configuration(seed))
        drawn = with_names_for_vlans(networks.configuration_of(seed))
        text = write(resolve(drawn, empty).desired).replace("/tmp/vppcfg-laws", str(folder / "s"))
        text = re.sub(r"^ *[rt]x-placement:.*\n", "", text, flags=re.MULTILINE)  # on workers that are not there
        text = _with_keys(text, folder)
        if not any(each.severity is Severity.ERROR for each in parse_text(text, "random.yaml").problems):
            return text


def _with_keys(text: str, folder: Path) -> str:
    """Return a file with keys that are there: private ones for the public ones, and any preshared one."""
    text = re.sub(r" *preshared-key-sha256:.*\n", "", text)
    text = re.sub(r"(preshared-key-file:).*", rf"\1 {key_file(folder, 0)}", text)
    return re.sub(
        r"(public-key: ['\"]?([^'\"\s]+).*\n *private-key-file:).*",
        lambda found: f"{found[1]} {key_file(folder, PUBLIC.index(found[2]))}",
        text,
    )
