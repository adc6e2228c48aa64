"""The services on a machine with systemd, booted for it: VPP, here a simulated one, is configured whenever it starts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.deb.conftest import Packages
from tests.deb.debian import Debian
from tests.deb.machine import Booted, boot, make_bootable

HERE = Path(__file__).parent
PROGRAMS = ("qemu-system-x86_64", "mkfs.ext4")
CONFIGURATION = """\
interfaces:
  GigabitEthernet1/0/0:
    description: uplink
    mtu: 9000
    addresses: [ 192.0.2.1/31 ]
    sub-interfaces:
      100: { mtu: 1500, addresses: [ 198.51.100.1/24 ] }
  GigabitEthernet3/0/0:
    mtu: 9000
loopbacks:
  loop0: { addresses: [ 192.0.2.255/32 ] }
"""
SIMULATED_VPP = """\
[Unit]
Description=a simulated VPP that takes its time
[Service]
ExecStart=/bin/sh -c 'sleep 3; exec /usr/bin/vppcfg sim --socket /run/vpp/api.sock --phy GigabitEthernet1/0/0 \
    --phy GigabitEthernet3/0/0'
RuntimeDirectory=vpp
RuntimeDirectoryPreserve=yes
Restart=always
[Install]
WantedBy=multi-user.target
"""


@pytest.fixture(scope="module")
def booted(debian: Debian, packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Booted:
    """The machine after its scenario."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    assert not missing, f"install {', '.join(missing)}"
    make_bootable(debian)
    debian.install(debian.put(packages.before))
    shutil.copy(packages.new, debian.path("/root/new.deb"))
    debian.path("/etc/vpp").mkdir()
    debian.path("/etc/vpp/vppcfg.yaml").write_text(CONFIGURATION)
    debian.path("/etc/systemd/system/vpp.service").write_text(SIMULATED_VPP)
    debian.run("systemctl", "enable", "vpp.service")
    return boot(debian, HERE / "scenario.sh", tmp_path_factory.mktemp("machine"))


@pytest.mark.parametrize("occasion", ["boot", "vpp killed", "vpp restarted", "vpp started"])
def test_vpp_is_as_the_file_says_after(booted: Booted, occasion: str) -> None:
    assert booted.said[occasion] == "active 0 0 plan 0", booted
