"""The tables of VPP's releases, against what vppcfg and the simulator have of the same releases."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from vppcfg.common.release import NEWEST, OLDEST, RELEASES, Release, nearest
from vppcfg.errors import UsageError
from vppcfg.kinds.kind_list import KINDS
from vppcfg.simulator.api import fields_of
from vppcfg.simulator.releases import RELEASES as SIMULATED
from vppcfg.startup.conf import release_table
from vppcfg.startup.conf.release_table import table_of

ON_REAL_ONES = re.compile(r"^\| (\d\d\.\d\d(?:, \d\d\.\d\d)*) \| everything", re.M)


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
    assert fields_of(str(NEWEST)).keys() >= set(parts.values())


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
