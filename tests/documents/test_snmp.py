"""The SNMP agent that docs/monitoring.md names can read vppcfg's files.

It reads them as plain YAML and takes, of `interfaces` and of `sub-interfaces` below, `description` and `lcp` as texts
(README of vpp-snmp-agent, "Configuration file"). What stands there for it must be what vppcfg goes by.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from vppcfg.app.monitoring.file_names import names_in
from vppcfg.entries.yaml.files import SourceFiles

ROOT = Path(__file__).resolve().parents[2]
FILES = [*sorted((ROOT / "docs" / "examples").glob("*.yaml")), ROOT / "debian" / "vppcfg.yaml"]
FULL = """
interfaces:
  GigabitEthernet1/0/0:
    description: Infra, to Zurich
    lcp: e1
    sub-interfaces:
      100: { description: "Cust: somebody", lcp: e1.100 }
      200: { description: no device }
loopbacks:
  loop0: { description: management, lcp: lo0 }
"""


def seen_by_the_agent(text: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield what the agent finds of each interface: its name in VPP, description and Linux device."""
    document = yaml.safe_load(text) or {}
    for section in ("interfaces", "loopbacks"):
        for name, entry in (document.get(section) or {}).items():
            yield name, (entry or {}).get("description"), (entry or {}).get("lcp")
            for number, sub in ((entry or {}).get("sub-interfaces") or {}).items():
                yield f"{name}.{number}", (sub or {}).get("description"), (sub or {}).get("lcp")


def agreed(path: Path) -> int:
    """Return how many names were compared between the agent and vppcfg, which have to have the same."""
    names = names_in(SourceFiles(names=(str(path),)))
    count = 0
    for name, description, lcp in seen_by_the_agent(path.read_text()):
        assert description == names.descriptions.get(name), name
        assert lcp == names.lcps.get(name), name
        count += (description is not None) + (lcp is not None)
    return count


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_agent_reads_the_examples(path: Path) -> None:
    agreed(path)


def test_the_agent_sees_every_description_and_device(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(FULL)
    assert agreed(path) == 7
