"""The tables of VPP's releases, against what vppcfg and the simulator have of the same releases."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from vppcfg.common.release import NEWEST, OLDEST, RELEASES, Release, nearest, release_of
from vppcfg.errors import UsageError
from vppcfg.kinds.kind_list import KINDS
from vppcfg.simulator.api import api_files
from vppcfg.simulator.kinds import PLUGINS
from vppcfg.simulator.releases import RELEASES as SIMULATED
from vppcfg.simulator.releases import Release as SimulatedRelease
from vppcfg.startup.conf import release_table
from vppcfg.startup.conf.release_table import table_of

ON_REAL_ONES = re.compile(r"^\| (\d\d\.\d\d(?:, \d\d\.\d\d)*) \| everything", re.M)
ASKED_SINCE_26_10 = {"lldp_dump", "lldp_dump_reply", "lldp_details"}
"""Older releases have another lldp_details, which tells too little for vppcfg to ask."""


@pytest.mark.parametrize("simulated", SIMULATED, ids=lambda release: release.name)
def test_the_simulator_speaks_the_messages_of_each_release(simulated: SimulatedRelease) -> None:
    spoken = spoken_by(simulated)
    ever = {name for release in SIMULATED for name in spoken_by(release)}
    known = table_of(release_of(simulated.name)).messages
    late = set() if simulated.name >= "26.10" else ASKED_SINCE_26_10
    assert spoken == {name: crc for name, crc in known.items() if name in ever - late}


def spoken_by(simulated: SimulatedRelease) -> dict[str, str]:
    """Return the checksums of the messages that a simulated VPP has."""
    files = api_files(simulated, PLUGINS)
    return {message.name: message.crc.removeprefix("0x") for file in files for message in file.messages}


def test_every_release_has_all_that_a_router_needs() -> None:
    for release in RELEASES:
        table = table_of(release)
        assert {"unix", "cpu", "plugins", "dpdk", "linux-cp"} <= table.stanzas
        assert {"dpdk", "linux_cp"} <= set(table.plugins) and "linux_cp" in table.off
        assert {"vpp", "vpp-plugin-core", "vpp-plugin-dpdk"} <= table.packages


def test_sflow_came_between_24_10_and_25_06() -> None:
    assert "sflow" not in table_of(Release(24, 10)).plugins
    assert all("sflow" in table_of(release).plugins for release in (Release(25, 2), Release(25, 6), Release(25, 10)))


@pytest.mark.parametrize("parts", [kind.capabilities for kind in KINDS], ids=lambda parts: "-".join(parts) or "none")
def test_the_message_that_shows_a_part_is_one_of_the_newest_release(parts: Mapping[str, str]) -> None:
    assert all(message in table_of(NEWEST).messages for message in parts.values())


def test_a_release_between_two_has_the_table_of_the_older_one() -> None:
    assert nearest(Release(25, 4)) == Release(25, 2)
    assert table_of(Release(25, 4)).dpdk == table_of(Release(25, 2)).dpdk
    assert nearest(OLDEST) == OLDEST


def test_a_damaged_table_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "vpp-tables.txt"
    path.write_text("plugin tap vpp-plugin-core\tsoon-\n")
    monkeypatch.setattr("vppcfg.startup.conf.release_table.assets.find", lambda name: path)
    release_table._rows.cache_clear()
    try:
        with pytest.raises(UsageError, match="cannot be read"):
            release_table._rows()
    finally:
        release_table._rows.cache_clear()


def test_the_document_says_of_every_simulated_release_what_was_run_on_a_real_one() -> None:
    text = (Path(__file__).parents[3] / "docs/upgrade.md").read_text(encoding="utf-8")
    assert ", ".join(ON_REAL_ONES.findall(text)).split(", ") == [release.name for release in SIMULATED]
