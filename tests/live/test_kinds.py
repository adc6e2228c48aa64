"""The law of every kind on a real VPP: what is sent is read back, and undone without a trace."""

from pathlib import Path

import pytest
import yaml

from tests.kinds.samples import Samples, all_samples
from tests.kinds.there_and_back import assert_there_and_back, configuration_of
from tests.real_vpp import can_do, prefix, release, running
from tests.wireguard_keys import KEYS
from vppcfg.common.release import release_of
from vppcfg.config.plugins import needed_plugins
from vppcfg.vpp.live import connect

PORTS = ("eth0", "eth1", "eth2", "eth3")


@pytest.mark.parametrize("samples", all_samples(), ids=lambda samples: samples.key)
def test_what_is_sent_is_read_back_and_undone(samples: Samples, tmp_path: Path) -> None:
    for data in samples.configurations:
        (file := tmp_path / "sample.yaml").write_text(yaml.safe_dump(data))
        if not can_do(file):
            pytest.skip("a sample has a key that came with a later release of VPP")
        for need, _ in needed_plugins(configuration_of(data), release_of(release())):
            if need.is_required and not any(prefix().rglob(f"{need.plugin}_plugin.so")):
                pytest.skip(f"this VPP was built without the plugin {need.plugin}")
    with running(PORTS, makes_vlan_devices=True) as process, connect(str(process.socket_path)) as vpp:
        vpp.use_keys(KEYS)
        assert_there_and_back(samples, vpp)
